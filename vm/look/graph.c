/* Who waits for whom, as a graph for Graphviz.  It is drawn of a deadlock: copies and earlier work
 * of a pipe, which end by themselves, have ended then. */
#include "graph.h"

#include <stdio.h>

#include "look.h"

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
    pto_buf_printf(out, " at %s:%u\\n%s\"];\n", module->file[module->pos[insn->pos].file],
                   module->pos[insn->pos].line, why);
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
    const struct pto_wait wait = look_wait(core, number);
    const struct pipe *pipe = &core->pipe[number];
    const struct entry *entry;
    char label[64];

    if (wait.kind != PTO_WAIT_FLAG && wait.kind != PTO_WAIT_TRANSFER)
        return;
    entry = pipe_entry(pipe, pipe->next);
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

        if (look_takes_part(other, core->sync_scope) &&
            !(other->arrived && other->sync_scope == core->sync_scope))
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

static void draw_scalar(struct pto_buf *out, const struct core *core)
{
    const struct pto_wait wait = look_wait(core, PTO_PIPE_S);
    char label[64];

    switch (wait.kind) {
    case PTO_WAIT_ROOM:
        party(out, core, PTO_PIPE_S, core->pc, "waits for room in a queue");
        edge(out, core, PTO_PIPE_S, core, wait.queue, "queue is full");
        break;
    case PTO_WAIT_FLAG:
        snprintf(label, sizeof label, "(%s, S, %u)", pto_queue_name(wait.src), wait.id);
        party(out, core, PTO_PIPE_S, core->pc, "waits for a flag");
        edge(out, core, PTO_PIPE_S, core, wait.src, label);
        break;
    case PTO_WAIT_EMPTY:
        draw_drain(out, core);
        break;
    case PTO_WAIT_SIGNAL:
        party(out, core, PTO_PIPE_S, core->pc,
              wait.signals > 1 ? "waits for one of several signals" : "waits for a signal");
        for (unsigned i = 0; i < wait.signals; i++)
            edge_to_thing(out, core, wait.signal[i].object);
        break;
    case PTO_WAIT_CROSS:
        snprintf(label, sizeof label, "cross-core flag %u", wait.id);
        party(out, core, PTO_PIPE_S, core->pc, "waits for a cross-core flag");
        edge_to_thing(out, core, label);
        break;
    case PTO_WAIT_SYNC_ALL:
        draw_sync_all(out, core);
        break;
    case PTO_WAIT_STORES:
        party(out, core, PTO_PIPE_S, core->pc, "waits for acknowledgements");
        break;
    case PTO_WAIT_ENDED:
        party(out, core, PTO_PIPE_S, core->pc, "has ended");
        break;
    default:
        break;
    }
}

void pto_vm_wait_graph(const struct pto_vm *vm, struct pto_buf *out)
{
    unsigned drawn = 0;

    pto_buf_printf(out, "digraph waits {\n    node [shape=ellipse, fontname=\"monospace\"];\n");
    for (int r = 0; r < vm->ranks; r++) {
        const struct rank *rank = &vm->rank[r];

        for (unsigned i = 0; i < rank->cores && drawn < MOST_CORES; i++) {
            const struct core *core = &rank->core[i];

            if (!look_is_running(core))
                continue;
            drawn++;
            draw_scalar(out, core);
            for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++)
                draw_pipe(out, core, p);
        }
    }
    pto_buf_printf(out, "}\n");
}
