#include "dbg/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/issue.h"
#include "file.h"

struct dbg_source_file {
    char *path;
    struct pto_buf text;
    const char **line; /* starts; one more for the end */
    uint32_t lines;    /* 0: the file cannot be read */
    uint32_t *macro;   /* by line - 1: line that begins the macro it is in, or 0 */
};

/* ---- positions ---- */

unsigned source_levels(const struct pto_module *module, uint32_t pos)
{
    unsigned levels = 0;

    for (int32_t at = (int32_t)pos; at >= 0 && (uint32_t)at < module->positions;
         at = module->pos[at].parent)
        levels++;
    return levels;
}

bool source_is_inside(const struct pto_module *module, uint32_t pos, int32_t parent)
{
    for (int32_t at = (int32_t)pos; at >= 0 && (uint32_t)at < module->positions;
         at = module->pos[at].parent)
        if (module->pos[at].parent == parent)
            return true;
    return false;
}

const struct pto_pos *source_level(const struct pto_module *module, uint32_t pos, unsigned level)
{
    unsigned levels = source_levels(module, pos);
    int32_t at = (int32_t)pos;

    if (levels == 0)
        return NULL;
    for (unsigned i = levels - 1; i > level; i--)
        at = module->pos[at].parent;
    return &module->pos[at];
}

/* ---- files ---- */

static void split_lines(struct dbg_source_file *file)
{
    const char *text = pto_buf_text(&file->text), *end = text + file->text.size;
    uint32_t capacity = 0, count = 0;

    for (const char *at = text; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));

        PTO_GROW(file->line, count, capacity);
        file->line[count++] = at;
        at = newline ? newline + 1 : end;
    }
    file->lines = count;
    PTO_GROW(file->line, count, capacity);
    file->line[count] = end;
}

/* Where the text of a line begins, if it begins with the directive; else NULL. */
static const char *behind(const char *line, const char *end, const char *directive)
{
    size_t length = strlen(directive);

    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if ((size_t)(end - line) <= length || strncmp(line, directive, length) != 0 ||
        !isspace((unsigned char)line[length]))
        return NULL;
    for (line += length; line < end && (*line == ' ' || *line == '\t');)
        line++;
    return line;
}

/* Macros are defined outside of macros. */
static void find_macros(struct dbg_source_file *file)
{
    uint32_t begun = 0;

    file->macro = pto_xcalloc(file->lines + 1, sizeof *file->macro);
    for (uint32_t i = 0; i < file->lines; i++) {
        if (behind(file->line[i], file->line[i + 1], ".macro"))
            begun = i + 1;
        file->macro[i] = begun;
        if (behind(file->line[i], file->line[i + 1], ".endm"))
            begun = 0;
    }
}

static struct dbg_source_file *open_file(struct dbg *dbg, const char *path)
{
    struct dbg_source_file *file;

    for (unsigned i = 0; i < dbg->files_count; i++)
        if (!strcmp(dbg->files[i].path, path))
            return &dbg->files[i];
    PTO_GROW(dbg->files, dbg->files_count, dbg->files_capacity);
    file = &dbg->files[dbg->files_count++];
    *file = (struct dbg_source_file){.path = pto_xstrdup(path)};
    /* What was assembled, rather than what the file may have become since. */
    for (unsigned i = 0; i < dbg->launch.files; i++) {
        const struct cli_file *loaded = &dbg->launch.file[i];
        bool same = !strcmp(loaded->path, path) ||
                    (!strcmp(loaded->path, "-") && !strcmp(path, "<stdin>"));

        if (same && !loaded->is_object)
            pto_buf_append(&file->text, loaded->text.data, loaded->text.size);
    }
    if (file->text.size == 0)
        pto_file_read_source(path, &file->text);
    split_lines(file);
    find_macros(file);
    return file;
}

const char *source_text(struct dbg *dbg, const char *path, uint32_t line, size_t *length)
{
    const struct dbg_source_file *file = open_file(dbg, path);

    if (line == 0 || line > file->lines)
        return NULL;
    *length = (size_t)(file->line[line] - file->line[line - 1]);
    while (*length > 0 && strchr("\r\n", file->line[line - 1][*length - 1]))
        --*length;
    return file->line[line - 1];
}

uint32_t source_line_count(struct dbg *dbg, const char *path)
{
    return open_file(dbg, path)->lines;
}

const char *source_macro(struct dbg *dbg, const char *path, uint32_t line, size_t *length)
{
    const struct dbg_source_file *file = open_file(dbg, path);
    uint32_t begun = line > 0 && line <= file->lines ? file->macro[line - 1] : 0;
    const char *name;

    if (begun == 0)
        return NULL;
    name = behind(file->line[begun - 1], file->line[begun], ".macro");
    *length = dbg_name_length(name);
    return name;
}

const char *source_macro_at(struct dbg *dbg, const struct pto_module *module, uint32_t pos,
                            unsigned level, size_t *length)
{
    const struct pto_pos *at = source_level(module, pos, level);

    return at && at->file < module->files && level > 0
               ? source_macro(dbg, module->file[at->file], at->line, length) : NULL;
}

void source_free(struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->files_count; i++) {
        free(dbg->files[i].path);
        free(dbg->files[i].line);
        free(dbg->files[i].macro);
        pto_buf_free(&dbg->files[i].text);
    }
    free(dbg->files);
}

/* ---- printing ---- */

void source_say_position(struct dbg *dbg, const struct pto_module *module,
                         const struct pto_pos *pos)
{
    if (pos && pos->file < module->files)
        dbg_say(dbg, "%s:%u", module->file[pos->file], pos->line);
    else
        dbg_say(dbg, "an unknown place");
}

void source_say_insn(struct dbg *dbg, const struct dbg_place *place)
{
    source_say_issued(dbg, place, NULL);
}

void source_say_issued(struct dbg *dbg, const struct dbg_place *place,
                       const struct dbg_issue *issue)
{
    struct pto_buf text = {0};

    pto_disassemble_values(place->module, place->kernel, place->code, &place->code->code,
                           &place->code->code.insn[place->pc], issue ? issue->value : NULL, &text);
    dbg_say(dbg, "%s", pto_buf_text(&text));
    pto_buf_free(&text);
}

/* Does one source line usually become several instructions like this one? */
static bool is_lowered(const struct pto_insn *insn)
{
    switch (pto_op_info(insn->op)->class) {
    case PTO_SCALAR:
    case PTO_FLOW:
    case PTO_ACCESS:
        return true;
    default:
        return false;
    }
}

/* Source line, and the instruction itself where the line stands for several. */
static void say_place(struct dbg *dbg, const struct dbg_place *place)
{
    const struct pto_insn *insn = &place->code->code.insn[place->pc];
    const struct pto_pos *pos = source_level(place->module, insn->pos, place->depth);
    bool outer = place->depth + 1 < source_levels(place->module, insn->pos);
    size_t length = 0;
    const char *text = NULL;

    if (pos && pos->file < place->module->files)
        text = source_text(dbg, place->module->file[pos->file], pos->line, &length);
    if (text)
        dbg_say(dbg, "%-5u %.*s\n", pos->line, (int)length, text);
    if (!text || outer || is_lowered(insn)) {
        dbg_say(dbg, "   => %u: ", place->pc);
        source_say_insn(dbg, place);
        dbg_say(dbg, "\n");
    }
}

void source_say_stop(struct dbg *dbg)
{
    struct pto_core_info info;
    struct dbg_place place;
    bool placed;

    dbg_focused(dbg, &info);
    placed = dbg_place_of(&info, &place);
    dbg_say_core(dbg, dbg->rank, dbg->core);
    if (placed) {
        place.depth = dbg->depth;
        dbg_say(dbg, " at ");
        source_say_position(dbg, info.module,
                            source_level(info.module, info.code->code.insn[info.pc].pos,
                                         dbg->depth));
    }
    dbg_say(dbg, ", %s, event %llu%s\n", dbg_time(pto_vm_time(dbg->launch.vm)).text,
            (unsigned long long)dbg->events, dbg->changes > 0 ? ", altered" : "");
    if (placed && !info.ended)
        say_place(dbg, &place);
}

bool source_place_of_insn(const struct dbg *dbg, const struct pto_insn *insn,
                          struct dbg_place *place)
{
    for (unsigned k = 0; k < dbg->launch.kernels && insn; k++) {
        const struct pto_kernel *kernel = cli_kernel_of(&dbg->launch.kernel[k]);

        for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
            const struct pto_code *code = &kernel->core[kind].code;

            if (!kernel->core[kind].present || (uintptr_t)insn < (uintptr_t)code->insn ||
                (uintptr_t)insn >= (uintptr_t)(code->insn + code->insns))
                continue;
            *place = (struct dbg_place){&dbg->launch.kernel[k].file->program.module, kernel,
                                        &kernel->core[kind], (uint32_t)(insn - code->insn),
                                        DBG_DEPTH_INNERMOST, false};
            return true;
        }
    }
    return false;
}
