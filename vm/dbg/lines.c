#include "dbg/lines.h"

#include "dbg/hit.h"
#include "dbg/run.h"
#include "dbg/source.h"
#include "json_quote.h"

void lines_keep(struct dbg *dbg)
{
    pto_buf_append(&dbg->line, dbg->out.data, dbg->out.size);
    dbg->out.size = 0;
}

static const char *state_of(const struct dbg *dbg)
{
    if (!dbg->launch.vm || !dbg->started)
        return "not started";
    if (pto_vm_fault(dbg->launch.vm))
        return "dead";
    return run_is_over(dbg) ? "ended" : "stopped";
}

static void put_text(struct pto_buf *out, const char *name, const char *value)
{
    pto_buf_printf(out, ",\"%s\":", name);
    pto_json_quote(out, value);
}

/* The focused sub-core and its next line. */
static void put_focus(struct dbg *dbg, struct pto_buf *out)
{
    struct pto_core_info info;
    const struct pto_pos *pos;

    dbg_focused(dbg, &info);
    pto_buf_printf(out, ",\"rank\":%d", dbg->rank);
    put_text(out, "core", info.name);
    if (!info.module || info.pc >= info.code->code.insns)
        return;
    pos = source_level(info.module, info.code->code.insn[info.pc].pos, dbg->depth);
    if (!pos || pos->file >= info.module->files)
        return;
    put_text(out, "file", info.module->file[pos->file]);
    pto_buf_printf(out, ",\"line\":%u", pos->line);
}

static void put_hits(const struct dbg *dbg, struct pto_buf *out)
{
    pto_buf_printf(out, ",\"breakpoints\":[");
    for (unsigned i = 0; i < dbg->hits; i++)
        if (hit_is_first(dbg, i))
            pto_buf_printf(out, "%s%u", i > 0 ? "," : "", dbg->hit[i].number);
    pto_buf_printf(out, "]");
}

void lines_write(struct dbg *dbg, const char *command, bool good)
{
    struct pto_buf out = {0};

    pto_buf_printf(&out, "{\"command\":");
    pto_json_quote(&out, command);
    pto_buf_printf(&out, ",\"good\":%s", good ? "true" : "false");
    put_text(&out, "answer", pto_buf_text(&dbg->line));
    dbg->line.size = 0;
    put_text(&out, "state", state_of(dbg));
    if (dbg->launch.vm) {
        pto_buf_printf(&out, ",\"event\":%llu,\"time_ps\":%llu", (unsigned long long)dbg->events,
                       (unsigned long long)pto_vm_time(dbg->launch.vm));
        pto_buf_printf(&out, ",\"altered\":%s", dbg->changes > 0 ? "true" : "false");
        put_focus(dbg, &out);
        put_hits(dbg, &out);
    }
    pto_buf_printf(&out, "}\n");
    dbg->terminal->write(dbg->terminal->context, (const char *)out.data, out.size);
    pto_buf_free(&out);
}
