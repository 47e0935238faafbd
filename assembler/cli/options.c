#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "tool/installed.h"

enum { DEFAULT_MAX_ERRORS = 50, MOST_MAX_ERRORS = 1000000 };

static const struct tool_option rows[] = {
#define SECTION(title) {.section = title},
#define OPTION(id, letter, name, argument, jobs, help)                                             \
    {NULL, PTOAS_OPT_##id, letter, name, argument, jobs, help},
#include "options.def"
#undef SECTION
#undef OPTION
};

static const struct tool_table table = {rows, sizeof rows / sizeof *rows};

/* ---- values ---- */

static void add_define(const struct tool_value *v, struct ptoas_options *o)
{
    struct pto_asm_define define;

    if (!tool_pair(v, &o->arena, &define.name, &define.value))
        return;
    PTO_GROW(o->define, o->defines, o->define_capacity);
    o->define[o->defines++] = define;
}

static void add_include(struct ptoas_options *o, const char *folder)
{
    PTO_GROW(o->include_dir, o->include_dirs, o->include_capacity);
    o->include_dir[o->include_dirs++] = pto_arena_strdup(&o->arena, folder);
}

/* Behind those that were named. */
static void add_installed_includes(struct ptoas_options *o)
{
    const char *folder = tool_installed_includes(&o->arena);

    if (folder)
        add_include(o, folder);
}

static void store_form(const struct tool_value *v, struct ptoas_options *o)
{
    if (!strcmp(v->text, "mlir"))
        o->form = PTO_ASM_FORM_UPSTREAM;
    else if (!strcmp(v->text, "pto"))
        o->form = PTO_ASM_FORM_OWN;
    else
        tool_complain(v, "unknown", "write pto or mlir");
}

/* How the text is to be taken. */
static bool store_reading(const struct tool_value *v, struct ptoas_options *o)
{
    switch (v->option->id) {
    case PTOAS_OPT_FROM:
        store_form(v, o);
        return true;
    case PTOAS_OPT_FUNCTION:
        o->function = pto_arena_strdup(&o->arena, v->text);
        return true;
    case PTOAS_OPT_SYNC:
        if (!pto_asm_sync_find(v->text, &o->sync))
            tool_complain(v, "unknown", "write asis, none, inorder or auto");
        return true;
    case PTOAS_OPT_TEXT:
        o->text = true;
        return true;
    case PTOAS_OPT_TO:
        o->cpp = !strcmp(v->text, "cpp");
        if (!o->cpp)
            tool_complain(v, "unknown", "write cpp");
        return true;
    default:
        return false;
    }
}

/* One of the jobs; the last one counts, and the others do not apply to it. */
static bool store_job(const struct tool_value *v, struct ptoas_options *o)
{
    switch (v->option->id) {
    case PTOAS_OPT_LINT:
    case PTOAS_OPT_DISASSEMBLE:
    case PTOAS_OPT_DEPENDENCIES:
    case PTOAS_OPT_LIST_OPS:
    case PTOAS_OPT_EXPLAIN:
    case PTOAS_OPT_FORMAT:
    case PTOAS_OPT_LSP:
        o->job = (enum ptoas_job)v->option->users;
        o->input = v->text ? pto_arena_strdup(&o->arena, v->text) : NULL;
        return true;
    default:
        return false;
    }
}

static bool store_file(const struct tool_value *v, struct ptoas_options *o)
{
    switch (v->option->id) {
    case PTOAS_OPT_PROFILE:
        o->profile = pto_arena_strdup(&o->arena, v->text);
        return true;
    case PTOAS_OPT_INCLUDE:
        add_include(o, v->text);
        return true;
    case PTOAS_OPT_DEFINE:
        add_define(v, o);
        return true;
    case PTOAS_OPT_OUTPUT:
        o->output = pto_arena_strdup(&o->arena, v->text);
        return true;
    case PTOAS_OPT_SARIF:
        o->sarif = pto_arena_strdup(&o->arena, v->text);
        return true;
    case PTOAS_OPT_LISTING:
        o->listing = pto_arena_strdup(&o->arena, v->text);
        return true;
    default:
        return false;
    }
}

static void store_message(const struct tool_value *v, struct ptoas_options *o)
{
    switch (v->option->id) {
    case PTOAS_OPT_JSON:
        o->json = true;
        break;
    case PTOAS_OPT_VERBOSE:
        o->verbose = true;
        break;
    case PTOAS_OPT_FIX:
        if (v->text && strcmp(v->text, "in-place"))
            tool_complain(v, "not a way to fix", "--fix or --fix=in-place");
        o->fix = true;
        o->fix_in_place = v->text != NULL;
        break;
    case PTOAS_OPT_IN_PLACE:
        o->in_place = true;
        break;
    case PTOAS_OPT_CHECK:
        o->check = true;
        break;
    case PTOAS_OPT_WERROR:
        o->warnings_fail = true;
        break;
    case PTOAS_OPT_MAX_ERRORS:
        o->max_errors = (unsigned)tool_int(v, 0, MOST_MAX_ERRORS);
        break;
    case PTOAS_OPT_COLOR:
        tool_take_colour(v, &o->colour);
        break;
    case PTOAS_OPT_HELP:
        o->help = true;
        break;
    default:
        o->version = true;
    }
}

static void store(const struct tool_value *v)
{
    struct ptoas_options *o = v->context;

    if (!store_job(v, o) && !store_reading(v, o) && !store_file(v, o))
        store_message(v, o);
}

/* ---- the whole line ---- */

static const struct tool_user jobs[] = {
    {PTOAS_ASSEMBLE, "ptoas KERNEL.pto"},
    {PTOAS_DEPENDENCIES, "ptoas --dependencies"},
    {PTOAS_LINT, "ptoas --lint"},
    {PTOAS_DISASSEMBLE, "ptoas --disassemble"},
    {PTOAS_LIST_OPS, "ptoas --list-ops"},
    {PTOAS_EXPLAIN, "ptoas --explain"},
    {PTOAS_FORMAT, "ptoas --format"},
    {PTOAS_LSP, "ptoas --lsp"},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

static const struct tool_user *find_job(enum ptoas_job job)
{
    unsigned i = 0;

    while (jobs[i].mask != (unsigned)job)
        i++;
    return &jobs[i];
}

/* Several texts are laid out at a time where each stays in its file. */
static bool takes_many(const struct ptoas_options *o)
{
    return o->job == PTOAS_FORMAT && (o->in_place || o->check);
}

static void check_layout_options(const struct ptoas_options *o, struct pto_diags *diags)
{
    const char *choice = o->in_place ? "--in-place" : "--check";

    if (o->in_place && o->check)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "either --in-place or --check");
    else if (takes_many(o) && o->output)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "either --output or %s", choice);
    for (unsigned i = 0; o->in_place && i < o->operands; i++)
        if (!strcmp(o->operand[i], "-"))
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--in-place needs files, not '-'");
}

/* Take the operands as the job wants them. */
static void take_operands(struct ptoas_options *o, struct pto_diags *diags)
{
    check_layout_options(o, diags);
    if (!(o->job & (PTOAS_READS_TEXT | PTOAS_FORMAT))) {
        if (o->operands)
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "unexpected argument '%s'", o->operand[0]);
        return;
    }
    if (!o->operands) {
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "no input file");
        return;
    }
    if (o->operands > 1 && !takes_many(o))
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "one input file at a time, not also '%s'",
                     o->operand[1]);
    o->input = o->operand[0];
    if (o->text && o->cpp)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "either --text or --to cpp");
    if (!strcmp(o->input, "-") && !o->output && o->job == PTOAS_ASSEMBLE &&
        !o->text && !o->cpp)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "standard input needs -o FILE");
}

enum pto_status ptoas_options_parse(struct ptoas_options *options, int argc, char **argv,
                                    struct pto_diags *diags)
{
    const struct tool_reader reader = {&table, PTOAS_ALL, store, options, options->given};

    *options = (struct ptoas_options){
        .job = PTOAS_ASSEMBLE, .profile = "a2", .max_errors = DEFAULT_MAX_ERRORS};
    PTO_TRY(tool_options_read(&reader, argc, argv, &options->arena, &options->operand,
                              &options->operands, diags));
    add_installed_includes(options);
    if (options->help || options->version)
        return PTO_OK;
    PTO_TRY(tool_options_check(&table, options->given, find_job(options->job), jobs, JOBS, diags));
    take_operands(options, diags);
    return diags->errors ? PTO_ECONFIG : PTO_OK;
}

void ptoas_options_free(struct ptoas_options *options)
{
    free(options->include_dir);
    free(options->define);
    pto_arena_free(&options->arena);
}

void ptoas_options_help(struct pto_buf *out)
{
    pto_buf_printf(out, "usage: ptoas [OPTION]... KERNEL.pto\n\n"
                        "Assemble a kernel to an object; '-' reads standard input.\n");
    tool_options_help(&table, PTOAS_ALL, out);
    pto_buf_printf(out, "\nexit status: 0 done; 1 the input is wrong; 2 the command line or a "
                        "file is;\n"
                        "  70 internal error; 71 out of memory\n");
}
