/* Who waits for whom, as a graph for Graphviz. */
#include <stdio.h>

#include "check/internal.h"

#include "units/pipe.h"

enum { MOST_CORES = 64 }; /* sub-cores drawn: more cannot be read */

/* The name of a node: r0_aiv0.1_V, quoted where it is used. */
static void node(struct pto_buf *out, const struct core *core, unsigned pipe)
{
    pto_buf_printf(out, "\"r%d %s %s\"", core->rank->number, core->name, pto_queue_name(pipe));
}

/* A waiting party with the instruction that it has come to. */
static void party(struct pto_buf *out, const struct core *core, unsigned pipe, uint32_t pc,
                  const char *why)
{
    const struct pto_module *module = core->ready->module;
    const struct pto_insn *insn = &core->ready->code->insn[pc];

    pto_buf_printf(out, "    ");
    node(out, core, pipe);
    pto_buf_printf(out, " [label=\"rank %d, %s, %s\\n%s", core->rank->number, core->name,
                   pto_queue_name(pipe), pto_op_info(insn->op)->mnemonic);
    if (insn->pos < module->positions)
        pto_buf_printf(out, " at %s:%u", module->file[module->pos[insn->pos].file],
                       module->pos[insn->pos].line);
    pto_buf_printf(out, "\\n%s\"];\n", why);
}

static void edge(struct pto_buf *out, const struct core *core, unsigned pipe,
                 const struct core *other, unsigned other_pipe, const char *label)
{
    pto_buf_printf(out, "    ");
    node(out, core, pipe);
    pto_buf_printf(out, " -> ");
    node(out, other, other_pipe);
    pto_buf_printf(out, " [label=\"%s\"];\n", label);
}

/* An edge to something that is no party: a signal, a cross-core flag. */
static void edge_to_thing(struct pto_buf *out, const struct core *core, const char *thing)
{
    pto_buf_printf(out, "    \"%s of rank %d\" [shape=box];\n    ", thing, core->rank->number);
    node(out, core, PTO_PIPE_S);
    pto_buf_printf(out, " -> \"%s of rank %d\";\n", thing, core->rank->number);
}

static void draw_pipe(struct pto_buf *out, const struct core *core, unsigned number)
{
    const struct pipe *pipe = &core->pipe[number];
    const struct entry *entry;
    char label[64];

    if (pipe->next == pipe->tail || pipe->wait_since == ENGINE_NEVER)
        return;
    entry = pipe_entry(core->rank->vm, pipe, pipe->next);
    if (entry->kind != ENTRY_WAIT) {
        party(out, core, number, entry->pc, "waits for its earlier work");
        return;
    }
    snprintf(label, sizeof label, "(%s, %s, %u)", pto_queue_name(entry->flag_src),
             pto_queue_name(entry->flag_dst), entry->flag_id);
    party(out, core, number, entry->pc, "waits for a flag");
    edge(out, core, number, core, entry->flag_src, label);
}

static void draw_sync_all(struct pto_buf *out, const struct core *core)
{
    const struct rank *rank = core->rank;

    party(out, core, PTO_PIPE_S, core->pc, "waits for the others");
    for (unsigned i = 0; i < rank->cores; i++) {
        const struct core *other = &rank->core[i];
        bool asked = other->ready && (core->sync_scope == PTO_SYNC_ALL ||
                                      (core->sync_scope == PTO_SYNC_AIC) ==
                                          (other->kind == PTO_AIC));

        if (asked && !other->arrived)
            edge(out, core, PTO_PIPE_S, other, PTO_PIPE_S, "sync_all");
    }
}

static void draw_drain(struct pto_buf *out, const struct core *core)
{
    party(out, core, PTO_PIPE_S, core->pc, "waits until the pipes are empty");
    for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++)
        if (!pipe_empty(core, p))
            edge(out, core, PTO_PIPE_S, core, p, "empty");
}

static const char *signal_name(const struct core *core)
{
    const struct rank *rank = core->rank;
    const struct bound_object *bound =
        &rank->vm->launch[rank->launch].bound[rank->number][gm_object(core->wait.gm)];

    return rank->object[bound->object].name;
}

static void draw_scalar(struct pto_buf *out, const struct core *core)
{
    char label[64];

    switch (core->stall) {
    case STALL_QUEUE:
        party(out, core, PTO_PIPE_S, core->pc, "waits for room in a queue");
        edge(out, core, PTO_PIPE_S, core, core->stall_pipe, "queue is full");
        break;
    case STALL_FLAG:
        snprintf(label, sizeof label, "(%s, S, %u)", pto_queue_name(core->stall_src),
                 core->stall_id);
        party(out, core, PTO_PIPE_S, core->pc, "waits for a flag");
        edge(out, core, PTO_PIPE_S, core, core->stall_src, label);
        break;
    case STALL_BARRIER:
        draw_drain(out, core);
        break;
    case STALL_SIGNAL:
        party(out, core, PTO_PIPE_S, core->pc, "waits for a signal");
        edge_to_thing(out, core, signal_name(core));
        break;
    case STALL_ASYNC:
        snprintf(label, sizeof label, "event %llu", (unsigned long long)core->stall_event);
        party(out, core, PTO_PIPE_S, core->pc, "waits for the DMA engine");
        edge(out, core, PTO_PIPE_S, core, PTO_DMA, label);
        break;
    case STALL_CROSS:
        snprintf(label, sizeof label, "cross-core flag %u", core->stall_id);
        party(out, core, PTO_PIPE_S, core->pc, "waits for a cross-core flag");
        edge_to_thing(out, core, label);
        break;
    case STALL_SYNC_ALL:
        draw_sync_all(out, core);
        break;
    case STALL_ENDED:
        party(out, core, PTO_PIPE_S, core->pc, "has ended");
        break;
    default:
        break;
    }
}

void pto_check_wait_graph(const struct pto_vm *vm, struct pto_buf *out)
{
    unsigned drawn = 0;

    pto_buf_printf(out, "digraph waits {\n    node [shape=ellipse, fontname=\"monospace\"];\n");
    for (int r = 0; r < vm->ranks; r++) {
        const struct rank *rank = &vm->rank[r];

        for (unsigned i = 0; i < rank->cores && drawn < MOST_CORES; i++) {
            const struct core *core = &rank->core[i];

            if (rank->between_launches || !core->ready || core->drained)
                continue;
            drawn++;
            draw_scalar(out, core);
            for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++)
                draw_pipe(out, core, p);
        }
    }
    pto_buf_printf(out, "}\n");
}
