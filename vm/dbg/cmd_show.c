/* The command info: tables of what there is. */
#include <stdlib.h>
#include <string.h>

#include "cli/data.h"
#include "cli/wires.h"
#include "core_name.h"
#include "tool/number.h"
#include "dbg/breakpoint.h"
#include "dbg/change.h"
#include "dbg/checkpoint.h"
#include "dbg/event.h"
#include "dbg/expr.h"
#include "dbg/findings.h"
#include "dbg/issue.h"
#include "dbg/live.h"
#include "dbg/map.h"
#include "dbg/signals.h"
#include "dbg/source.h"
#include "dbg/value.h"
#include "dbg/variable.h"
#include "dbg/why.h"

static bool info_breakpoints(struct dbg *dbg, const char *args)
{
    if (dbg->breaks_count == 0)
        dbg_say(dbg, "No breakpoints.\n");
    for (unsigned i = 0; i < dbg->breaks_count; i++)
        breakpoint_say(dbg, &dbg->breaks[i]);
    return dbg_at_end(dbg, args);
}

/* ---- cores and ranks ---- */

static void say_core_row(struct dbg *dbg, int rank, unsigned core)
{
    struct pto_core_info info;
    struct dbg_place place;
    bool here = rank == dbg->rank && core == dbg->core;

    pto_vm_core(dbg->launch.vm, rank, core, &info);
    if (!info.module)
        return;
    dbg_say(dbg, "%s %4d %-8s %5u  %-14s ", here ? "*" : " ", rank, info.name, info.pc,
            dbg_time(info.time_ps).text);
    if (info.ended) {
        dbg_say(dbg, "ended\n");
        return;
    }
    if (dbg_place_of(&info, &place)) {
        source_say_position(dbg, info.module,
                            source_level(info.module, info.code->code.insn[info.pc].pos,
                                         DBG_DEPTH_INNERMOST));
        dbg_say(dbg, "  ");
        source_say_insn(dbg, &place);
    }
    if (info.stall)
        dbg_say(dbg, "  [%s]", info.stall);
    dbg_say(dbg, "\n");
}

static bool info_cores(struct dbg *dbg, const char *args)
{
    bool all = dbg_take(&args, "all");
    int first = all ? 0 : dbg->rank, end = all ? pto_vm_ranks(dbg->launch.vm) : dbg->rank + 1;

    if (!dbg_at_end(dbg, args))
        return false;
    dbg_say(dbg, "  rank core        pc  time           next instruction of the scalar unit\n");
    for (int rank = first; rank < end; rank++)
        for (unsigned i = 0; i < pto_vm_cores(dbg->launch.vm); i++)
            say_core_row(dbg, rank, i);
    return true;
}

static bool info_ranks(struct dbg *dbg, const char *args)
{
    for (int rank = 0; rank < pto_vm_ranks(dbg->launch.vm); rank++) {
        unsigned active = 0, ended = 0, stalled = 0;
        const char *kernel = NULL;

        for (unsigned i = 0; i < pto_vm_cores(dbg->launch.vm); i++) {
            struct pto_core_info info;

            pto_vm_core(dbg->launch.vm, rank, i, &info);
            active += info.module != NULL;
            ended += info.module && info.ended;
            stalled += info.module && !info.ended && info.stall;
            kernel = info.kernel ? info.kernel->name : kernel;
        }
        dbg_say(dbg, "%s rank %d: %s, %u sub-cores, %u running, %u stalled, %u ended\n",
                rank == dbg->rank ? "*" : " ", rank, kernel ? kernel : "no kernel yet", active,
                active - ended - stalled, stalled, ended);
    }
    return dbg_at_end(dbg, args);
}

/* ---- queues and flags ---- */

static void say_queue(struct dbg *dbg, const struct pto_core_info *info, unsigned pipe)
{
    struct pto_queue_entry entry;
    struct dbg_place place;

    for (unsigned i = 0; pto_vm_queue(dbg->launch.vm, dbg->rank, dbg->core, pipe, i, &entry); i++) {
        if (i == 0)
            dbg_say(dbg, "%s\n", pto_queue_name(pipe));
        dbg_say(dbg, "  %2u  ", i);
        place = (struct dbg_place){info->module, info->kernel, info->code,
                                   (uint32_t)(entry.insn - info->code->code.insn), 0, false};
        source_say_issued(dbg, &place,
                          issue_of_entry(dbg, dbg->rank, dbg->core, pipe, entry.number));
        dbg_say(dbg, "  (");
        source_say_position(dbg, info->module,
                            source_level(info->module, entry.insn->pos, DBG_DEPTH_INNERMOST));
        dbg_say(dbg, ")\n        %s, issued at %s", entry.state, dbg_time(entry.issue_ps).text);
        if (entry.start_ps > 0)
            dbg_say(dbg, ", started at %s", dbg_time(entry.start_ps).text);
        if (entry.complete_ps > 0)
            dbg_say(dbg, ", completes at %s", dbg_time(entry.complete_ps).text);
        dbg_say(dbg, "\n");
    }
}

static bool info_queues(struct dbg *dbg, const char *args)
{
    struct pto_core_info info;
    struct pto_queue_entry entry;
    bool any = false;

    if (!dbg_at_end(dbg, args) || !dbg_need_program(dbg, &info))
        return false;
    for (unsigned pipe = PTO_PIPE_S + 1; pipe < PTO_QUEUE_COUNT; pipe++) {
        if (dbg->pipe != DBG_ANY_PIPE && dbg->pipe != (int)pipe)
            continue;
        any = any || pto_vm_queue(dbg->launch.vm, dbg->rank, dbg->core, pipe, 0, &entry);
        say_queue(dbg, &info, pipe);
    }
    if (!any)
        dbg_say(dbg, "All queues are empty.\n");
    return true;
}

static bool info_flags(struct dbg *dbg, const char *args)
{
    const struct pto_vm *vm = dbg->launch.vm;
    struct pto_core_info info;
    unsigned any = 0;

    if (!dbg_at_end(dbg, args) || !dbg_need_program(dbg, &info))
        return false;
    for (unsigned src = 0; src < PTO_PIPE_COUNT; src++)
        for (unsigned dst = 0; dst < PTO_PIPE_COUNT; dst++)
            for (unsigned id = 0; id < dbg->launch.profile.events; id++) {
                unsigned tokens = pto_vm_flag(vm, dbg->rank, dbg->core, src, dst, id);

                if (tokens == 0)
                    continue;
                any++;
                dbg_say(dbg, "%u token%s %s->%s %u", tokens, tokens == 1 ? "" : "s",
                        pto_enum_keyword(PTO_ENUM_PIPE, (int)src),
                        pto_enum_keyword(PTO_ENUM_PIPE, (int)dst), id);
                why_say_setter(dbg, src, dst, id);
                dbg_say(dbg, "\n");
            }
    for (unsigned place = 0; place < pto_vm_cross_places(); place++) {
        unsigned count = pto_vm_cross_flag(vm, dbg->rank, dbg->core, place);
        char name[PTO_CROSS_NAME];

        pto_vm_cross_name(vm, dbg->rank, dbg->core, place, name);
        if (count > 0)
            dbg_say(dbg, "%s: count %u\n", name, count);
        any += count > 0;
    }
    if (any == 0)
        dbg_say(dbg, "No flag is pending at rank %d, %s.\n", dbg->rank, info.name);
    return true;
}

/* ---- memory ---- */

static bool info_signals(struct dbg *dbg, const char *args)
{
    dbg_say(dbg, "Signals of rank %d:\n", dbg->rank);
    if (signals_say(dbg, dbg->rank, "\n") == 0)
        dbg_say(dbg, "none are declared");
    dbg_say(dbg, "\n");
    return dbg_at_end(dbg, args);
}

static bool info_objects(struct dbg *dbg, const char *args)
{
    static const char *const kind[PTO_OBJECT_KINDS] = {"in",  "out",    "inout", "gm",
                                                       "sym", "signal", "view"};
    struct pto_object_info object;

    for (unsigned i = 0; pto_vm_object(dbg->launch.vm, dbg->rank, i, &object); i++) {
        dbg_say(dbg, "%-6s %s: %s ", kind[object.kind], object.name,
                pto_dtype_name(object.dtype));
        cli_shape_text(object.dim, object.dims, &dbg->out);
        dbg_say(dbg, ", %llu bytes%s\n", (unsigned long long)object.size,
                object.bound ? ", with input" : "");
    }
    return dbg_at_end(dbg, args);
}

static bool info_tiles(struct dbg *dbg, const char *args)
{
    struct pto_core_info info;

    if (!dbg_at_end(dbg, args) || !dbg_need_program(dbg, &info))
        return false;
    for (uint32_t i = 0; i < info.code->tiles; i++) {
        const struct pto_tile *tile = &info.code->tile[i];

        dbg_say(dbg, "%s[%u]: %s %s %u x %u %s at 0x%x", tile->name, tile->slots,
                pto_space_name(tile->space), pto_dtype_name(tile->dtype), tile->rows, tile->cols,
                pto_layout_name(tile->layout), tile->address);
        if (tile->slots > 1)
            dbg_say(dbg, ", slots 0x%x bytes apart", tile->slot_stride);
        if (tile->parent != PTO_NONE)
            dbg_say(dbg, ", over %s", info.code->tile[tile->parent].name);
        dbg_say(dbg, "\n");
    }
    if (info.code->tiles == 0)
        dbg_say(dbg, "The program has no tiles.\n");
    return true;
}

static bool info_locals(struct dbg *dbg, const char *args)
{
    enum { SHOWN = 16 };
    struct pto_core_info info;

    if (!dbg_at_end(dbg, args) || !dbg_need_program(dbg, &info))
        return false;
    for (uint32_t i = 0; i < info.code->locals; i++) {
        const struct pto_local *local = &info.code->local[i];

        dbg_say(dbg, "%s: %s[%u] =", local->name, local->is_float ? "f64" : "i64", local->count);
        for (uint64_t k = 0; k < local->count && k < SHOWN; k++) {
            struct asm_value value;
            uint64_t bits = 0;

            pto_vm_local(dbg->launch.vm, dbg->rank, dbg->core, i, k, &bits);
            value = value_of_bits(local->is_float, bits);
            dbg_say(dbg, " ");
            value_say(dbg, &value);
        }
        dbg_say(dbg, "%s\n", local->count > SHOWN ? " ..." : "");
    }
    if (info.code->locals == 0)
        dbg_say(dbg, "The program has no .local arrays.\n");
    return true;
}

static bool info_registers(struct dbg *dbg, const char *args)
{
    struct pto_core_info info;
    bool all = dbg_take(&args, "all");

    if (!dbg_at_end(dbg, args) || !dbg_need_program(dbg, &info))
        return false;
    for (uint32_t i = 0; i < info.code->code.regs; i++) {
        const struct pto_register *reg = &info.code->code.reg[i];
        uint64_t bits = pto_vm_register(dbg->launch.vm, dbg->rank, dbg->core, i);
        struct asm_value value = value_of_bits(reg->is_float, bits);

        if (!all && reg->name[0] == '_')
            continue;
        dbg_say(dbg, "%%%-12s %s  ", reg->name, reg->is_float ? "f64" : "i64");
        value_say(dbg, &value);
        if (!reg->is_float && (value.scalar.i < -9 || value.scalar.i > 9))
            dbg_say(dbg, "  (0x%llx)", (unsigned long long)bits);
        dbg_say(dbg, "\n");
    }
    return true;
}

/* ---- the rest ---- */

/* What links and ranks are not as the profile has them, and whether they are so now. */
static void show_changes(struct dbg *dbg)
{
    struct pto_change change;
    uint64_t now = pto_vm_time(dbg->launch.vm);

    for (unsigned i = 0; pto_vm_change(dbg->launch.vm, i, &change); i++) {
        struct pto_buf text = {0};

        cli_change_text(&change, &text);
        dbg_say(dbg, "%s%s\n", pto_buf_text(&text),
                !cli_change_is_timed(&change)       ? ""
                : cli_change_holds(&change, now)    ? " (now)"
                : now < change.when.from_ps         ? " (not yet)"
                                                    : " (no more)");
        pto_buf_free(&text);
    }
}

static bool info_link(struct dbg *dbg, const char *args)
{
    uint64_t bytes, messages;
    unsigned any = 0;

    for (int from = 0; from < pto_vm_ranks(dbg->launch.vm); from++)
        for (int to = 0; to < pto_vm_ranks(dbg->launch.vm); to++) {
            pto_vm_link_stats(dbg->launch.vm, from, to, &bytes, &messages);
            if (from == to || messages == 0)
                continue;
            dbg_say(dbg, "%d -> %d: %llu bytes, %llu messages\n", from, to,
                    (unsigned long long)bytes, (unsigned long long)messages);
            any++;
        }
    if (any == 0)
        dbg_say(dbg, "Nothing went over a link yet.\n");
    show_changes(dbg);
    return dbg_at_end(dbg, args);
}

static bool info_events(struct dbg *dbg, const char *args)
{
    uint64_t count = 20;

    if (dbg_take(&args, "live"))
        return live_info(dbg, args);
    if (dbg_word(&args) > 0 && !dbg_count(dbg, args, &count))
        return false;
    event_say_history(dbg, count);
    return true;
}

static bool info_program(struct dbg *dbg, const char *args)
{
    for (unsigned i = 0; i < dbg->launch.files; i++) {
        const struct pto_module *module = &dbg->launch.file[i].program.module;

        dbg_say(dbg, "%s, assembled for %s, from", dbg->launch.file[i].path, module->profile);
        for (uint32_t f = 0; f < module->files; f++)
            dbg_say(dbg, "%s %s", f > 0 ? "," : "", module->file[f]);
        dbg_say(dbg, "\n");
    }
    for (unsigned k = 0; k < dbg->launch.kernels; k++) {
        const struct pto_kernel *kernel = cli_kernel_of(&dbg->launch.kernel[k]);

        dbg_say(dbg, "kernel %s:", kernel->name);
        for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
            if (kernel->core[kind].present)
                dbg_say(dbg, " %s %u instructions", pto_core_names[kind],
                        kernel->core[kind].code.insns);
        dbg_say(dbg, "\n");
    }
    return dbg_at_end(dbg, args);
}

static const struct topic {
    const char *name;
    bool (*function)(struct dbg *dbg, const char *args);
} TOPIC[] = {
    {"breakpoints", info_breakpoints}, {"changes", change_info},
    {"checkpoints", checkpoint_info},  {"cores", info_cores},
    {"events", info_events},           {"findings", findings_info},
    {"flags", info_flags},             {"link", info_link},
    {"locals", info_locals},           {"map", map_info},
    {"objects", info_objects},         {"program", info_program},
    {"queues", info_queues},           {"ranks", info_ranks},
    {"registers", info_registers},     {"signals", info_signals},
    {"tiles", info_tiles},             {"variables", variable_info},
    {"regs", info_registers},
};
enum { TOPICS = sizeof TOPIC / sizeof *TOPIC };

const char *dbg_topic(unsigned number)
{
    /* the last is another name of one before it */
    return number + 1 < TOPICS ? TOPIC[number].name : NULL;
}

static bool complain_topic(struct dbg *dbg, const char *word, size_t length)
{
    const char *names[TOPICS], *best;
    char *copy = pto_xstrndup(word, length);
    struct pto_buf hint = {0};

    for (unsigned i = 0; i < TOPICS; i++)
        names[i] = TOPIC[i].name;
    best = length > 0 ? pto_nearest(copy, names, TOPICS) : NULL;
    pto_buf_printf(&hint, best ? "did you mean '%s'? topics are" : "topics are", best);
    for (unsigned i = 0; dbg_topic(i); i++)
        pto_buf_printf(&hint, " %s", dbg_topic(i));
    if (length > 0)
        dbg_error(dbg, pto_buf_text(&hint), "info knows nothing about '%s'", copy);
    else
        dbg_error(dbg, pto_buf_text(&hint), "info about what?");
    pto_buf_free(&hint);
    free(copy);
    return false;
}

/* The topic that begins so; the first in the list of several. */
bool cmd_info(struct dbg *dbg, const char *args)
{
    size_t length = dbg_word(&args);

    for (int i = 0; i < TOPICS && length > 0; i++)
        if (!strncmp(TOPIC[i].name, args, length))
            return TOPIC[i].function(dbg, args + length);
    return complain_topic(dbg, args, length);
}
