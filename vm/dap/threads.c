/* Threads are sub-cores, frames the macro uses and includes that an instruction comes from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/adapter.h"
#include "dbg/source.h"

/* A frame's number is its thread times this, and its level. */
enum { LEVELS = 1 << 16 };

int64_t dap_line(const struct dap *dap, uint32_t line)
{
    return (int64_t)line - !dap->first_lines;
}

json_t *dap_source(const char *file)
{
    const char *slash = strrchr(file, '/');
    char *path = realpath(file, NULL);
    json_t *source = json_object();

    json_object_set_new(source, "name", dap_string(slash ? slash + 1 : file));
    if (path)
        json_object_set_new(source, "path", dap_string(path));
    free(path);
    return source;
}

/* ---- threads ---- */

int64_t dap_thread(const struct dbg *dbg, int rank, unsigned core)
{
    return (int64_t)rank * pto_vm_cores(dbg->launch.vm) + core + 1;
}

/* Is the sub-core a thread?  One in focus is, whatever it does: the list must not be empty. */
static bool is_thread(const struct dbg *dbg, int rank, unsigned core, struct pto_core_info *info)
{
    pto_vm_core(dbg->launch.vm, rank, core, info);
    return info->module || (rank == dbg->rank && core == dbg->core);
}

bool dap_focus(struct dap *dap, int64_t thread)
{
    int64_t cores = pto_vm_cores(dap->dbg->launch.vm);
    struct pto_core_info info;
    unsigned core;
    int rank;

    if (thread < 1 || thread > cores * pto_vm_ranks(dap->dbg->launch.vm))
        return false;
    rank = (int)((thread - 1) / cores);
    core = (unsigned)((thread - 1) % cores);
    if (!is_thread(dap->dbg, rank, core, &info))
        return false;
    dbg_focus_on(dap->dbg, rank, core);
    return true;
}

const char *dap_focus_thread(struct dap *dap, const json_t *args)
{
    const json_t *thread = json_object_get(args, "threadId");

    if (thread && !json_is_integer(thread))
        return "\"threadId\" is no whole number";
    return !thread || dap_focus(dap, json_integer_value(thread)) ? NULL : "there is no such thread";
}

const char *dap_focus_frame(struct dap *dap, const json_t *args)
{
    int64_t here = dap_thread(dap->dbg, dap->dbg->rank, dap->dbg->core) * LEVELS;

    return dap_focus(dap, dap_int(args, "frameId", here) / LEVELS) ? NULL
                                                                   : "there is no such frame";
}

static void add_thread(struct dap *dap, json_t *list, int rank, unsigned core)
{
    struct pto_core_info info;
    char name[80];

    if (!is_thread(dap->dbg, rank, core, &info))
        return;
    snprintf(name, sizeof name, "rank %d %s", rank, info.name);
    json_array_append_new(list, json_pack("{s:I, s:s}", "id",
                                          (json_int_t)dap_thread(dap->dbg, rank, core), "name",
                                          name));
}

const char *dap_threads(struct dap *dap, const json_t *args, json_t **body)
{
    json_t *list = json_array();

    (void)args;
    for (int rank = 0; rank < pto_vm_ranks(dap->dbg->launch.vm); rank++)
        for (unsigned core = 0; core < pto_vm_cores(dap->dbg->launch.vm); core++)
            add_thread(dap, list, rank, core);
    *body = json_pack("{s:o}", "threads", list);
    return NULL;
}

/* ---- frames ---- */

static void add_macro(struct dap *dap, const struct pto_core_info *info, unsigned level,
                      struct pto_buf *name)
{
    uint32_t insn = info->pc < info->code->code.insns ? info->pc : info->code->code.insns - 1;
    size_t length;
    const char *macro = source_macro_at(dap->dbg, info->module, info->code->code.insn[insn].pos,
                                        level, &length);

    if (macro)
        pto_buf_append(name, macro, length);
    else
        pto_buf_printf(name, "include");
}

/* The kernel is the name of the outermost frame, the macro that of one in it, and the text of what
 * S executes next goes with the innermost one. */
static char *frame_name(struct dap *dap, const struct pto_core_info *info, unsigned level,
                        unsigned levels)
{
    struct pto_buf name = {0};
    struct dbg_place place;

    if (level == 0)
        pto_buf_printf(&name, "%s%s", info->kernel->name, info->ended ? " (ended)" : "");
    else
        add_macro(dap, info, level, &name);
    if (level + 1 == levels && dbg_place_of(info, &place) && !info->ended) {
        source_say_insn(dap->dbg, &place);
        pto_buf_printf(&name, "%s%s", name.size > 0 ? ": " : "", dap_said(dap));
    }
    pto_buf_text(&name);
    return (char *)name.data;
}

static json_t *frame(struct dap *dap, const struct pto_core_info *info, unsigned level,
                     unsigned levels)
{
    uint32_t insn = info->pc < info->code->code.insns ? info->pc : info->code->code.insns - 1;
    const struct pto_pos *pos = source_level(info->module, info->code->code.insn[insn].pos, level);
    int64_t thread = dap_thread(dap->dbg, dap->dbg->rank, dap->dbg->core);
    char *name = frame_name(dap, info, level, levels);
    json_t *row = json_pack("{s:I}", "id", (json_int_t)(thread * LEVELS + level));

    json_object_set_new(row, "name", dap_string(name));
    json_object_set_new(row, "line", json_integer(pos ? dap_line(dap, pos->line) : 0));
    json_object_set_new(row, "column",
                        json_integer(pos ? (json_int_t)pos->column - !dap->first_columns : 0));
    json_object_set_new(row, "instructionPointerReference",
                        dap_instruction_reference(dap->dbg, info, insn));
    if (pos && pos->file < info->module->files)
        json_object_set_new(row, "source", dap_source(info->module->file[pos->file]));
    free(name);
    return row;
}

const char *dap_stack_trace(struct dap *dap, const json_t *args, json_t **body)
{
    int64_t first = dap_int(args, "startFrame", 0), count = dap_int(args, "levels", 0);
    struct pto_core_info info;
    unsigned levels = 0;
    json_t *list;

    if (!dap_focus(dap, dap_int(args, "threadId", 0)))
        return "\"threadId\" names no thread; 'threads' lists them";
    list = json_array();
    dbg_focused(dap->dbg, &info);
    if (info.module && info.code->code.insns > 0) {
        uint32_t insn = info.pc < info.code->code.insns ? info.pc : info.code->code.insns - 1;

        levels = source_levels(info.module, info.code->code.insn[insn].pos);
        levels = levels < 1 ? 1 : levels < LEVELS ? levels : LEVELS - 1;
    }
    for (unsigned i = 0; i < levels; i++)
        if (i >= first && (count <= 0 || i - first < count))
            json_array_append_new(list, frame(dap, &info, levels - 1 - i, levels));
    *body = json_pack("{s:o, s:I}", "stackFrames", list, "totalFrames", (json_int_t)levels);
    return NULL;
}
