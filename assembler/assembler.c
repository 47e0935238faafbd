/* The assembly as a whole: sources to lines to statements to a module. */
#include "assembler.h"

#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "format/format.h"
#include "mlir/mlir.h"
#include "profile_load.h"
#include "program/assembly.h"
#include "program/flow.h"
#include "program/listing.h"
#include "program/lost.h"
#include "program/section.h"
#include "program/statement.h"
#include "program/symbols.h"
#include "sync/sync.h"
#include "text/parser.h"
#include "text/reader.h"
#include "text/source.h"

static bool is_name(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    size_t length = strlen(text);

    return length && strchr(letters, *text) &&
           strspn(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_") ==
               length;
}

/* Defines become text, one .equ each, so that their values are read like any other. */
static bool define_text(struct assembly *a, const struct pto_asm_options *options,
                        struct pto_buf *text)
{
    for (unsigned i = 0; i < options->defines; i++) {
        const struct pto_asm_define *define = &options->define[i];

        if (!is_name(define->name) || strpbrk(define->value, "\r\n\\;")) {
            struct pto_diag *diag = pto_diag_add(a->diags, PTO_ERROR, NULL, 0, 0,
                                                 "malformed define '%s=%s'", define->name,
                                                 define->value);

            asm_hint(a, diag, "expected NAME=VALUE, the value a constant expression or an "
                     "element type");
            return false;
        }
        pto_buf_printf(text, ".equ %s = %s\n", define->name, define->value);
    }
    return true;
}

static void report_unused_define(struct assembly *a, const char *name)
{
    struct pto_diag *diag = pto_diag_add(a->diags, PTO_ERROR, NULL, 0, 0,
                                         "'%s' was defined from outside, but the text does not "
                                         "use it", name);

    asm_hint(a, diag, "the text says .define %s = value for a value that can be chosen", name);
}

static void check_defines(struct assembly *a, const struct pto_asm_options *options)
{
    for (const struct asm_symbol *s = a->first_symbol; s; s = s->next) {
        if ((s->kind != SYM_CONSTANT && s->kind != SYM_TYPE) ||
            s->token->origin->source != a->command_line)
            continue;
        if (!s->used && !options->define_used)
            report_unused_define(a, s->name);
        for (unsigned i = 0; s->used && options->define_used && i < options->defines; i++)
            if (!strcmp(options->define[i].name, s->name))
                options->define_used[i] = true;
    }
}

/* The first token that the line's own text wrote, not an argument of a macro: its end, if all the
 * words are arguments. */
static const struct asm_token *line_token(const struct asm_token *line, uint32_t count)
{
    const struct asm_token *token = line;

    while (token < line + count && token->origin != line[count].origin)
        token++;
    return token;
}

static void read_all(struct assembly *a)
{
    struct asm_token *line;
    uint32_t count;

    while (text_next_line(&a->text, &line, &count)) {
        struct pto_arena_mark before = pto_arena_mark(&a->tree);
        const struct asm_stmt *stmt = text_parse_line(&a->text, line, count);

        a->line_token = line_token(line, count);
        if (stmt) {
            asm_statement(a, stmt);
        } else {
            asm_lose_line(a, line, count);
            asm_flow_broken(a, line);
        }
        if (stmt && (stmt->kind == ST_INSN || stmt->kind == ST_ASSIGN))
            pto_arena_release(&a->tree, before); /* code has no later use for its expressions */
    }
}

static void list_dependencies(const struct assembly *a, struct pto_buf *out)
{
    for (const struct asm_source *source = a->text.source; source; source = source->next)
        if (source->is_file)
            pto_buf_printf(out, "%s\n", source->name);
}

/* A text has no NUL bytes; what has is some other kind of file, and one error says so.  One that is
 * too large is a file that cannot be read, whoever has read it. */
static enum pto_status check_text(const char *name, const char *text, size_t size,
                                  struct pto_diags *diags)
{
    if (size > PTO_SOURCE_BYTES) {
        pto_diag_add(diags, PTO_ERROR, name, 0, 0, "the text is larger than 16 MiB");
        return PTO_ECONFIG;
    }
    if (!memchr(text, 0, size))
        return PTO_OK;
    pto_diag_hint(diags, pto_diag_add(diags, PTO_ERROR, name, 0, 0, "this is no text"),
                  "kernels are text (.pto); an object (.ptob) starts with the letters PTOB");
    return PTO_EPROGRAM;
}

/* Take in the text, and the defines behind it, which are read first. */
static void open_sources(struct assembly *a, const char *name, const char *text, size_t size,
                         const struct pto_asm_options *options)
{
    struct asm_source *source = text_source_add(&a->text, name, text, size, true);
    struct pto_buf defines = {0};

    a->main = source;
    text_push_source(&a->text, source, NULL);
    if (options->defines && define_text(a, options, &defines)) {
        source = text_source_add(&a->text, "<command line>", (const char *)defines.data,
                                 defines.size, false);
        a->command_line = source;
        text_push_source(&a->text, source, NULL);
    }
    pto_buf_free(&defines);
}

static enum pto_status assemble_own(const char *name, const char *text, size_t size,
                                    const struct pto_asm_options *options,
                                    struct pto_module *module, struct pto_diags *diags)
{
    struct assembly a = {.profile = options->profile, .module = module, .diags = diags};
    unsigned errors = diags->errors;

    module->profile = pto_arena_strdup(&module->arena, options->profile->name);
    asm_open(&a);
    a.text.include_dir = options->include_dir;
    a.text.include_dirs = options->include_dirs;
    a.text.include_remedy = options->include_remedy;
    a.text.instead = options->instead;
    a.text.instead_context = options->instead_context;
    open_sources(&a, name, text, size, options);
    read_all(&a);
    asm_finish(&a);
    if (diags->errors == errors || options->define_used)
        check_defines(&a, options);
    if (options->listing)
        asm_listing(&a, options->listing);
    if (options->dependencies)
        list_dependencies(&a, options->dependencies);
    asm_close(&a);
    if (diags->errors == errors)
        return PTO_OK;
    pto_module_free(module);
    return PTO_EPROGRAM;
}

/* Positions of the text that an import gave become those of the imported file. */
static void move_positions(const struct mlir_result *result, struct pto_module *module)
{
    for (uint32_t i = 0; i < module->positions; i++) {
        struct pto_pos *pos = &module->pos[i];

        if (pos->line && pos->line <= result->lines) {
            const struct mlir_place *place = &result->place[pos->line - 1];

            pos->line = place->line;
            pos->column = place->column;
        }
    }
}

/* Upstream text: it becomes text of this language, and that a module. */
static enum pto_status assemble_upstream(const char *name, const char *text, size_t size,
                                         const struct pto_asm_options *options,
                                         enum pto_asm_sync *sync, struct pto_module *module,
                                         struct pto_diags *diags)
{
    struct mlir_options how = {.profile = options->profile, .function = options->function};
    struct mlir_result result;
    struct pto_diags found = {.max_errors = diags->max_errors};
    enum pto_status status;

    how.sync = *sync == PTO_ASM_SYNC_DEFAULT || *sync == PTO_ASM_SYNC_ASIS ? MLIR_SYNC_KEEP
                                                                           : MLIR_SYNC_DROP;
    status = mlir_import(name, text, size, &how, &result, diags);
    if (*sync == PTO_ASM_SYNC_DEFAULT && !result.has_flags)
        *sync = PTO_ASM_SYNC_AUTO;
    if (status == PTO_OK && options->imported)
        pto_buf_append(options->imported, result.text.data, result.text.size);
    if (status == PTO_OK) {
        status = assemble_own(name, (const char *)result.text.data, result.text.size, options,
                              module, &found);
        mlir_move_diags(&result, name, &found, diags);
    }
    if (status == PTO_OK)
        move_positions(&result, module);
    mlir_result_free(&result);
    pto_diags_free(&found);
    return status;
}

/* The profile that text in this language names before anything but comments; NULL: none.  Beyond
 * the head, and where it is no string in one line, the parser says what is wrong. */
static char *assembled_for(const char *text, size_t size)
{
    static const char directive[] = ".assembled_for";
    const char *end = text + size, *quote, *newline;

    while (text < end && strchr(" \t\r\n;", *text)) {
        newline = *text == ';' ? memchr(text, '\n', (size_t)(end - text)) : text;
        text = newline ? newline + 1 : end;
    }
    if ((size_t)(end - text) < sizeof directive ||
        memcmp(text, directive, sizeof directive - 1) != 0)
        return NULL;
    text += sizeof directive - 1;
    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    if (text == end || *text++ != '"')
        return NULL;
    newline = memchr(text, '\n', (size_t)(end - text));
    quote = memchr(text, '"', (size_t)((newline ? newline : end) - text));
    return quote ? pto_xstrndup(text, (size_t)(quote - text)) : NULL;
}

enum pto_status pto_assemble_profile(const char *name, const char *text, size_t size,
                                     const char *remedy, struct pto_profile *profile,
                                     struct pto_diags *diags)
{
    char *asked = NULL;
    enum pto_status status;

    if (mlir_is_text(text, size))
        return pto_profile_load(mlir_profile(text, size), profile, diags);
    if (size)
        asked = assembled_for(text, size);
    status = pto_profile_load_of(name, asked ? asked : "a2", remedy, profile, diags);
    free(asked);
    return status;
}

static const char *const sync_name[] = {[PTO_ASM_SYNC_ASIS] = "asis", [PTO_ASM_SYNC_NONE] = "none",
                                        [PTO_ASM_SYNC_INORDER] = "inorder",
                                        [PTO_ASM_SYNC_AUTO] = "auto"};

bool pto_asm_sync_find(const char *word, enum pto_asm_sync *sync)
{
    for (unsigned i = PTO_ASM_SYNC_ASIS; i < sizeof sync_name / sizeof *sync_name; i++)
        if (!strcmp(word, sync_name[i])) {
            *sync = (enum pto_asm_sync)i;
            return true;
        }
    return false;
}

const char *pto_asm_sync_name(enum pto_asm_sync sync)
{
    return sync_name[sync];
}

static bool is_upstream(enum pto_asm_form form, const char *text, size_t size)
{
    return form == PTO_ASM_FORM_UPSTREAM ||
           (form == PTO_ASM_FORM_ANY && mlir_is_text(text, size));
}

/* Text in this language has kernels and no functions. */
static enum pto_status check_function(const char *name, const struct pto_asm_options *options,
                                      struct pto_diags *diags)
{
    struct pto_diag *diag;

    if (!options->function || options->function_used)
        return PTO_OK;
    diag = pto_diag_add(diags, PTO_ERROR, name, 0, 0, "the function '%s' is asked for, but this is "
                        "no upstream text", options->function);
    pto_diag_hint(diags, diag, "functions are chosen in upstream text; this language has kernels");
    return PTO_EPROGRAM;
}

enum pto_status pto_assemble_text(const char *name, const char *text, size_t size,
                                  const struct pto_asm_options *options,
                                  struct pto_module *module, struct pto_diags *diags)
{
    bool upstream = is_upstream(options->form, text, size);
    enum pto_asm_sync sync = options->sync;
    enum pto_status status;

    *module = (struct pto_module){0};
    PTO_TRY(check_text(name, text, size, diags));
    if (upstream) {
        if (options->function_used)
            *options->function_used = true;
        status = assemble_upstream(name, text, size, options, &sync, module, diags);
    } else {
        PTO_TRY(check_function(name, options, diags));
        status = assemble_own(name, text, size, options, module, diags);
    }
    if (sync == PTO_ASM_SYNC_DEFAULT)
        sync = PTO_ASM_SYNC_ASIS;
    if (options->synced)
        *options->synced = sync;
    if (status == PTO_OK && sync == PTO_ASM_SYNC_NONE)
        sync_remove(module);
    if (status == PTO_OK && sync == PTO_ASM_SYNC_INORDER)
        sync_in_order(module, !upstream);
    if (status == PTO_OK && sync == PTO_ASM_SYNC_AUTO)
        sync_automatic(module, options->profile, !upstream);
    return status;
}

enum pto_status pto_assemble_file(const char *path, const struct pto_asm_options *options,
                                  struct pto_module *module, struct pto_diags *diags)
{
    struct pto_buf text = {0};
    const char *why = NULL;
    enum pto_status status = pto_file_read(path, PTO_FILE_TEXT, &text, &why);

    *module = (struct pto_module){0};
    if (status == PTO_OK)
        status = pto_assemble_text(strcmp(path, "-") ? path : "<stdin>", (const char *)text.data,
                                   text.size, options, module, diags);
    else
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot read '%s': %s", path, why);
    pto_buf_free(&text);
    return status;
}

enum pto_status pto_format_text(const char *name, const char *text, size_t size,
                                struct pto_buf *out, struct pto_diags *diags)
{
    PTO_TRY(check_text(name, text, size, diags));
    if (!mlir_is_text(text, size))
        return format_text(name, text, size, out, diags);
    pto_diag_hint(diags, pto_diag_add(diags, PTO_ERROR, name, 0, 0, "this is upstream text, which "
                                      "has a layout of its own"),
                  "ptoas writes it in this language as well, see its manual");
    return PTO_EPROGRAM;
}
