#include "dbg/place.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool/number.h"
#include "dbg/macro.h"
#include "dbg/source.h"

struct search {
    struct dbg *dbg;
    const char *text;
    size_t length;
    const struct pto_module *module; /* lines: of this file; NULL: by name */
    uint32_t file, line;
    const char *file_name;
    size_t file_length;
    uint32_t next_line; /* nearest later line that has instructions; 0: none */
    bool file_known;
    struct dbg_places *places;
    uint32_t number; /* of an instruction */
    const struct pto_core_code *only; /* the program that it is of; NULL: any */
};

void place_free(struct dbg_places *places)
{
    free(places->item);
    *places = (struct dbg_places){0};
}

static void add_place(struct dbg_places *places, const struct dbg_place *start, uint32_t pc,
                      unsigned depth)
{
    PTO_GROW(places->item, places->count, places->capacity);
    places->item[places->count] = *start;
    places->item[places->count].pc = pc;
    places->item[places->count++].depth = depth;
}

void place_each_program(const struct dbg *dbg,
                        void (*function)(void *context, const struct dbg_place *start),
                        void *context)
{
    for (unsigned k = 0; k < dbg->launch.kernels; k++) {
        const struct pto_kernel *kernel = cli_kernel_of(&dbg->launch.kernel[k]);
        bool seen = false;

        for (unsigned i = 0; i < k; i++)
            seen = seen || cli_kernel_of(&dbg->launch.kernel[i]) == kernel;
        for (unsigned kind = 0; kind < PTO_CORE_KINDS && !seen; kind++) {
            struct dbg_place start = {&dbg->launch.kernel[k].file->program.module, kernel,
                                      &kernel->core[kind], 0, DBG_DEPTH_INNERMOST, false};

            if (kernel->core[kind].present)
                function(context, &start);
        }
    }
}

const struct pto_module *place_current_file(const struct dbg *dbg, uint32_t *file)
{
    struct pto_core_info info;
    const struct pto_module *module = &dbg->launch.kernel[0].file->program.module;
    const struct pto_kernel *kernel = cli_kernel_of(&dbg->launch.kernel[0]);
    uint32_t pos = kernel->pos;

    dbg_focused(dbg, &info);
    if (info.module) {
        module = info.module;
        pos = info.kernel->pos;
        if (info.pc < info.code->code.insns)
            pos = info.code->code.insn[info.pc].pos;
    }
    const struct pto_pos *at = source_level(module, pos, dbg->depth);
    *file = at ? at->file : 0;
    return module;
}

/* ---- lines ---- */

static bool has_file_name(const char *path, const char *name, size_t length)
{
    size_t size = strlen(path);

    if (size < length || strncmp(path + size - length, name, length) != 0)
        return false;
    return size == length || path[size - length - 1] == '/';
}

static bool is_file(const struct search *s, const struct pto_module *module, uint32_t file)
{
    if (file >= module->files)
        return false;
    if (s->module)
        return !strcmp(module->file[file], s->module->file[s->file]);
    return has_file_name(module->file[file], s->file_name, s->file_length);
}

/* Was the line already entered in the same macro use?  Then this is not its first instruction. */
static bool seen_use(const struct search *s, const struct dbg_place *start, unsigned first,
                     int32_t parent, unsigned depth)
{
    for (unsigned i = first; i < s->places->count; i++) {
        const struct dbg_place *other = &s->places->item[i];
        const struct pto_insn *insn = &start->code->code.insn[other->pc];

        if (other->depth == depth &&
            source_level(start->module, insn->pos, depth)->parent == parent)
            return true;
    }
    return false;
}

static void look_for_line(void *context, const struct dbg_place *start)
{
    struct search *s = context;
    unsigned first = s->places->count;

    for (uint32_t pc = 0; pc < start->code->code.insns; pc++) {
        uint32_t pos = start->code->code.insn[pc].pos;
        unsigned levels = source_levels(start->module, pos);

        for (unsigned level = 0; level < levels; level++) {
            const struct pto_pos *at = source_level(start->module, pos, level);

            if (!is_file(s, start->module, at->file))
                continue;
            s->file_known = true;
            if (at->line > s->line && (s->next_line == 0 || at->line < s->next_line))
                s->next_line = at->line;
            if (at->line == s->line && !seen_use(s, start, first, at->parent, level)) {
                add_place(s->places, start, pc, level);
                break;
            }
        }
    }
}

static bool line_error(const struct search *s)
{
    const char *file = s->module ? s->module->file[s->file] : s->file_name;
    int length = s->module ? (int)strlen(file) : (int)s->file_length;

    if (!s->file_known)
        return dbg_error(s->dbg, "'info program' lists the files",
                         "no instruction comes from a file '%.*s'", length, file);
    return dbg_error(s->dbg, NULL, "no instruction comes from %.*s:%u or a later line", length,
                     file, s->line);
}

/* Look for s->line; a line without instructions stands for the next one that has some. */
static bool find_line(struct search *s)
{
    place_each_program(s->dbg, look_for_line, s);
    if (s->places->count == 0 && s->next_line != 0) {
        dbg_say(s->dbg, "Line %u has no instruction; the next one that has is %u.\n", s->line,
                s->next_line);
        s->line = s->next_line;
        place_each_program(s->dbg, look_for_line, s);
    }
    return s->places->count > 0 || line_error(s);
}

/* ---- names ---- */

static bool is_name(const struct search *s, const char *name)
{
    return dbg_is_name(name, s->text, s->length);
}

static void look_for_name(void *context, const struct dbg_place *start)
{
    struct search *s = context;

    if (is_name(s, start->kernel->name))
        add_place(s->places, start, 0, DBG_DEPTH_INNERMOST);
    for (uint32_t i = 0; i < start->code->labels; i++)
        if (is_name(s, start->code->label[i].name) &&
            start->code->label[i].insn < start->code->code.insns)
            add_place(s->places, start, start->code->label[i].insn, DBG_DEPTH_INNERMOST);
}

/* ---- macros ---- */

struct use_search {
    struct search *search;
    const struct dbg_place *start;
};

static void look_at_use(void *context, const struct macro_use *use)
{
    struct use_search *u = context;
    struct dbg_places *places = u->search->places;

    if (use->length != u->search->length || strncmp(use->name, u->search->text, use->length) != 0)
        return;
    add_place(places, u->start, use->pc, use->level);
    places->item[places->count - 1].entry = true;
}

static void look_for_macro(void *context, const struct dbg_place *start)
{
    struct use_search u = {context, start};

    macro_each_use(u.search->dbg, start, look_at_use, &u);
}

/* ---- names that are none ---- */

struct name_list {
    struct dbg *dbg;
    char **name;
    unsigned count, capacity;
};

static void collect(struct name_list *list, const char *name, size_t length)
{
    PTO_GROW(list->name, list->count, list->capacity);
    list->name[list->count++] = pto_xstrndup(name, length);
}

static void collect_macro(void *context, const struct macro_use *use)
{
    collect(context, use->name, use->length);
}

static void collect_names(void *context, const struct dbg_place *start)
{
    struct name_list *list = context;

    collect(list, start->kernel->name, strlen(start->kernel->name));
    for (uint32_t i = 0; i < start->code->labels; i++)
        collect(list, start->code->label[i].name, strlen(start->code->label[i].name));
    macro_each_use(list->dbg, start, collect_macro, list);
}

static bool name_error(struct dbg *dbg, const char *word)
{
    static const char hint[] = "write LINE, FILE:LINE, a label, a kernel, a macro or a mnemonic";
    struct name_list list = {.dbg = dbg};
    const char *best, *lost = macro_lost_file(dbg);

    if (pto_pseudo_op_find(word) >= 0)
        return dbg_error(dbg, "break at its line, or at what it became: TSTORE, TLOAD, "
                         "set_flag_dev, wait_flag_dev", "the assembler takes '%s' apart", word);
    if (macro_unused(dbg, word))
        return false;
    place_each_program(dbg, collect_names, &list);
    for (unsigned op = 0; op < PTO_OP_COUNT; op++)
        collect(&list, pto_op_info(op)->mnemonic, strlen(pto_op_info(op)->mnemonic));
    best = pto_nearest(word, (const char *const *)list.name, list.count);
    dbg_error(dbg, best || lost ? NULL : hint, "no label, kernel, macro or mnemonic '%s'", word);
    if (best)
        dbg_say(dbg, "  hint: did you mean '%s'?\n", best);
    else if (lost)
        dbg_say(dbg, "  hint: macros are known by their source files, and '%s' is not there\n",
                lost);
    for (unsigned i = 0; i < list.count; i++)
        free(list.name[i]);
    free(list.name);
    return false;
}

/* First row of the mnemonic, in any case of letters. */
static int find_mnemonic(const char *word)
{
    int op = pto_op_find(word);

    for (unsigned i = 0; i < PTO_OP_COUNT && op < 0; i++)
        if (!strcasecmp(pto_op_info(i)->mnemonic, word))
            op = (int)i;
    return op;
}

static bool find_name(struct search *s, struct place_request *request)
{
    char *word;
    bool good = true;

    place_each_program(s->dbg, look_for_name, s);
    if (s->places->count == 0)
        place_each_program(s->dbg, look_for_macro, s);
    if (s->places->count > 0)
        return true;
    word = pto_xstrndup(s->text, s->length);
    request->op = find_mnemonic(word);
    if (request->op < 0)
        good = name_error(s->dbg, word);
    free(word);
    return good;
}

static void look_for_number(void *context, const struct dbg_place *start)
{
    struct search *s = context;

    if (s->number < start->code->code.insns && (!s->only || s->only == start->code))
        add_place(s->places, start, s->number, DBG_DEPTH_INNERMOST);
}

static bool parse_line(const char *text, size_t length, uint32_t *line)
{
    int64_t value;

    if (!tool_parse_int(text, length, &value) || value < 1 || value > UINT32_MAX)
        return false;
    *line = (uint32_t)value;
    return true;
}

/* "*25": an instruction by its number, of the program in focus; before the run, of all. */
static bool find_number(struct search *s)
{
    struct pto_core_info info;
    int64_t number;

    if (!tool_parse_int(s->text + 1, s->length - 1, &number) || number < 0 ||
        number > UINT32_MAX)
        return dbg_error(s->dbg, "'disassemble' shows the numbers", "'%.*s' is no instruction",
                         (int)s->length, s->text);
    s->number = (uint32_t)number;
    dbg_focused(s->dbg, &info);
    s->only = info.code;
    place_each_program(s->dbg, look_for_number, s);
    return s->places->count > 0 ||
           dbg_error(s->dbg, "'disassemble' shows the numbers", "there is no instruction %u here",
                     s->number);
}

bool place_resolve(struct dbg *dbg, const char *text, size_t length,
                   struct place_request *request)
{
    struct search s = {.dbg = dbg, .text = text, .length = length, .places = &request->places};
    const char *colon = memrchr(text, ':', length);
    bool good;

    *request = (struct place_request){.op = -1};
    if (length == 0)
        return dbg_error(dbg, "write LINE, FILE:LINE, a label, a kernel, a macro or a mnemonic",
                         "where to?");
    if (*text == '*') {
        good = find_number(&s);
    } else if (isdigit((unsigned char)*text)) {
        if (!parse_line(text, length, &s.line))
            return dbg_error(dbg, NULL, "'%.*s' is no line number", (int)length, text);
        s.module = place_current_file(dbg, &s.file);
        good = s.module->files > s.file ? find_line(&s)
                                        : dbg_error(dbg, NULL, "the program has no lines");
    } else if (colon) {
        s.file_name = text;
        s.file_length = (size_t)(colon - text);
        if (!parse_line(colon + 1, length - s.file_length - 1, &s.line))
            return dbg_error(dbg, "write FILE:LINE", "'%.*s' names no line", (int)length, text);
        good = find_line(&s);
    } else {
        good = find_name(&s, request);
    }
    if (!good)
        place_free(&request->places);
    return good;
}
