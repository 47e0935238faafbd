/* Who waits for whom, as a graph for Graphviz.  It is drawn of a deadlock: copies and earlier work
 * of a pipe, which end by themselves, have ended then, unless they need a rank that has died. */
#include "graph.h"

#include "awaited.h"
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

/* From whom edges lead. */
struct from {
    struct pto_buf *out;
    const struct core *core;
    unsigned queue;
};

/* An edge, also to something that is no party: a signal, a cross-core flag. */
static void edge(void *context, const struct pto_awaited *awaited)
{
    const struct from *from = context;
    struct pto_buf *out = from->out;

    if (awaited->core == PTO_AWAITED_THING)
        pto_buf_printf(out, "    \"%s of rank %d\" [shape=box];\n", awaited->label,
                       awaited->rank);
    pto_buf_printf(out, "    ");
    node(out, from->core, from->queue);
    pto_buf_printf(out, " -> ");
    if (awaited->core == PTO_AWAITED_THING) {
        pto_buf_printf(out, "\"%s of rank %d\";\n", awaited->label, awaited->rank);
        return;
    }
    node(out, &from->core->rank->core[awaited->core], awaited->queue);
    pto_buf_printf(out, " [label=\"%s\"];\n", awaited->label);
}

/* NULL: it is not drawn, as it does not wait, or not for long. */
static const char *words_of(const struct pto_wait *wait, unsigned queue)
{
    if (queue != PTO_PIPE_S)
        return wait->kind == PTO_WAIT_FLAG || wait->kind == PTO_WAIT_TRANSFER ? "waits for a flag"
                                                                              : NULL;
    switch (wait->kind) {
    case PTO_WAIT_ROOM: return "waits for room in a queue";
    case PTO_WAIT_FLAG: return "waits for a flag";
    case PTO_WAIT_EMPTY: return "waits until the pipes are empty";
    case PTO_WAIT_SIGNAL:
        return wait->signals > 1 ? "waits for one of several signals" : "waits for a signal";
    case PTO_WAIT_CROSS: return "waits for a cross-core flag";
    case PTO_WAIT_SYNC_ALL: return "waits for the others";
    case PTO_WAIT_STORES: return "waits for acknowledgements";
    case PTO_WAIT_ENDED: return "has ended";
    default: return NULL;
    }
}

/* An entry of the queue that has asked another rank for bytes, which have not come; NULL: none. */
static const struct entry *unanswered(const struct core *core, unsigned queue)
{
    const struct pipe *pipe = core->pipe[queue];

    for (uint32_t i = pipe->head; queue != PTO_PIPE_S && i != pipe->next; i++) {
        const struct entry *entry = pipe_entry(pipe, i);

        if (entry->kind == ENTRY_TILE && entry->complete == ENGINE_NEVER)
            return entry;
    }
    return NULL;
}

static void edge_to_rank(struct pto_buf *out, const struct core *core, unsigned queue,
                         const struct entry *entry)
{
    const struct ready_op *op = entry->op;
    int owner = gm_rank(&entry->word[op->operand[op->extent_gm].word]);

    pto_buf_printf(out, "    \"rank %d\" [shape=box, label=\"rank %d%s\"];\n    ", owner, owner,
                   core->rank->vm->rank[owner].died ? "\\ndead" : "");
    node(out, core, queue);
    pto_buf_printf(out, " -> \"rank %d\" [label=\"bytes\"];\n", owner);
}

static void draw(struct pto_buf *out, const struct core *core, unsigned queue)
{
    const struct pto_wait wait = look_wait(core, queue);
    const char *words = words_of(&wait, queue);
    const struct entry *asked = unanswered(core, queue);
    uint32_t pc = core->pc;

    if (!words && !asked)
        return;
    if (queue != PTO_PIPE_S)
        pc = words ? pipe_entry(core->pipe[queue], core->pipe[queue]->next)->pc : asked->pc;
    party(out, core, queue, pc, words ? words : "waits for another rank");
    if (asked)
        edge_to_rank(out, core, queue, asked);
    if (!words)
        return;
    pto_vm_awaited(core->rank->vm, core->rank->number, core->number, queue, edge,
                   &(struct from){out, core, queue});
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
            for (unsigned queue = PTO_PIPE_S; queue < PTO_PIPE_COUNT; queue++)
                draw(out, core, queue);
        }
    }
    pto_buf_printf(out, "}\n");
}
