/* The second, richer way to watch a machine: probes that see bytes and order, for checkers.
 *
 * A probe is a table of functions that the engine calls at its doors: where entries are issued,
 * start and complete, where bytes are touched, where flags, barriers, fences and signals order
 * things.  It observes and never changes the machine.  Without a probe every call costs one
 * predictable branch.  Calls of one rank come in the order of its simulated time; a message's land
 * call comes after everything that its sender did before sending it. */
#ifndef PTO_MACHINE_PROBE_H
#define PTO_MACHINE_PROBE_H

#include "machine.h"
#include "reader.h"

struct engine_probe {
    /* The rank begins its part of a window. */
    void (*turn)(void *context, struct rank *rank);
    /* All sub-cores of the rank stand at the beginning; their on-chip memory is poisoned. */
    void (*launch_begin)(void *context, struct rank *rank);
    void (*launch_end)(void *context, struct rank *rank);
    /* --join: every rank has ended its launch. */
    void (*join)(void *context);

    /* The entry at the tail of the pipe's queue was issued. */
    void (*issue)(void *context, struct core *core, unsigned pipe);
    /* Entry `counter` started (a wait: took its token; a barrier: found the pipe idle).  Entries of
     * a pipe start in the order of its queue. */
    void (*start)(void *context, struct core *core, unsigned pipe, uint32_t counter);
    /* The tile instruction at the head of the queue is about to touch its bytes; accesses to other
     * ranks show up as put and sample instead. */
    void (*complete)(void *context, struct core *core, unsigned pipe, const struct op_args *args);
    /* S reads (PTO_READ), writes or both (atomically) one element in a tile or global object. */
    void (*scalar)(void *context, struct core *core, const struct ready_operand *place,
                   const void *address, unsigned access);

    /* A token appeared; src is S or the pipe whose head entry completes.  Then: it was consumed. */
    void (*flag_set)(void *context, struct core *core, uint32_t pc, unsigned src, unsigned dst,
                     unsigned id);
    void (*flag_take)(void *context, struct core *core, unsigned src, unsigned dst, unsigned id);
    /* S found all pipes empty: pipe_barrier ALL. */
    void (*drained)(void *context, struct core *core);
    void (*fence)(void *context, struct core *core); /* dsb */
    /* dcci: of the line that has the element at `address`, or (place NULL) of all. */
    void (*cache)(void *context, struct core *core, const struct ready_operand *place,
                  const void *address);

    /* Cross-core flags: a set fires; the oldest sets of all members match; a count of that match is
     * on its way to a sub-core; a sub-core takes the oldest count that came. */
    void (*cross_set)(void *context, struct core *core, unsigned pipe, unsigned mode,
                      unsigned id);
    void (*cross_match)(void *context, struct core *const *members, unsigned count, unsigned id);
    void (*cross_send)(void *context, struct core *to, unsigned id);
    void (*cross_take)(void *context, struct core *core, unsigned pipe, uint32_t pc,
                       unsigned id);
    /* The last participant came; all that have `arrived` go on. */
    void (*sync_all)(void *context, struct rank *rank);

    /* A message that may have a number leaves for a rank of another process, which gets what is put
     * here; there it takes that, and a number of its own. */
    void (*leave)(void *context, const struct message *message, struct pto_buf *out);
    void (*come)(void *context, struct message *message, struct reader *in);
    /* A message is about to land: it is behind what follows. */
    void (*arrive)(void *context, struct rank *rank, const struct message *message);
    /* TNOTIFY leaves S; the number returned comes back when it lands. */
    uint32_t (*notify)(void *context, struct core *core);
    void (*notify_land)(void *context, struct rank *rank, uint32_t object,
                        const struct op_view *view, int64_t value, int operation, uint32_t tag);
    /* The condition core_wait_held(core) holds, for TWAIT, TWAIT_ANY or TTEST. */
    void (*signal_seen)(void *context, struct core *core);
    /* It does not, for TTEST. */
    void (*signal_unseen)(void *context, struct core *core);

    /* A write to another rank leaves the entry at the head of a pipe; the number returned comes
     * back when it lands. */
    uint32_t (*put)(void *context, struct core *core, unsigned pipe);
    /* The same for a request of the entry, or of the submission at this place of the ring, which
     * samples there: its number comes back with the sample. */
    uint32_t (*request)(void *context, struct core *core, unsigned pipe, uint32_t counter);
    void (*land)(void *context, struct rank *rank, const struct message *message,
                 const struct op_view *view);
    /* S handed the submission at the tail over to its DMA engine. */
    void (*async_submit)(void *context, struct core *core);
    /* The engine is about to read `src` and write `dst` of a submission; NULL: that side is on
     * another rank, and shows up as sample or async_put. */
    void (*async_move)(void *context, struct core *core, uint64_t submission,
                       const struct op_view *dst, const struct op_view *src);
    /* Like put, for a submission. */
    uint32_t (*async_put)(void *context, struct core *core, uint64_t submission);
    /* S learns, by async_wait or async_test, that all up to this event is complete. */
    void (*async_seen)(void *context, struct core *core, uint64_t event);
    /* A request of another rank reads here. */
    void (*sample)(void *context, struct rank *rank, const struct message *message,
                   const struct op_view *view);
};

/* One that watches; whoever made it owns it. */
struct probe_link {
    const struct engine_probe *probe;
    void *context;
    struct probe_link *next;
};

static inline void probe_attach(struct pto_vm *vm, struct probe_link *link)
{
    link->next = vm->probe;
    vm->probe = link;
    vm->watched = true;
}

static inline void probe_detach(struct pto_vm *vm, const struct probe_link *link)
{
    struct probe_link **at = &vm->probe;

    while (*at != link)
        at = &(*at)->next;
    *at = link->next;
    vm->watched = vm->observers || vm->probe;
}

/* PROBE(vm, notify, core): call one function of every probe that has it.  Mostly there is one probe
 * at most: behind the last one nothing is left to do, so at the end of a function it is a jump. */
#define PROBE(vm, name, ...)                                                                       \
    do {                                                                                           \
        const struct probe_link *link_ = (vm)->probe;                                              \
                                                                                                   \
        if (__builtin_expect(link_ == NULL, 1))                                                    \
            break;                                                                                 \
        for (; __builtin_expect(link_->next != NULL, 0); link_ = link_->next)                      \
            PROBE_ONE(link_, name, ##__VA_ARGS__);                                                 \
        PROBE_ONE(link_, name, ##__VA_ARGS__);                                                     \
    } while (0)
#define PROBE_ONE(link, name, ...)                                                                 \
    do {                                                                                           \
        if ((link)->probe->name)                                                                   \
            (link)->probe->name((link)->context, ##__VA_ARGS__);                                   \
    } while (0)
/* The same for functions that return a number, which one of the probes may give: 0 if none does. */
#define PROBE_TAG(vm, name, ...)                                                                   \
    __extension__({                                                                                \
        uint32_t tag_ = 0;                                                                         \
        for (const struct probe_link *link_ = (vm)->probe; __builtin_expect(link_ != NULL, 0);     \
             link_ = link_->next)                                                                  \
            if (link_->probe->name)                                                                \
                tag_ |= link_->probe->name(link_->context, ##__VA_ARGS__);                         \
        tag_;                                                                                      \
    })

#endif
