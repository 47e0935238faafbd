/* What the files that write a trace share. */
#ifndef PTO_TRACE_PARTS_H
#define PTO_TRACE_PARTS_H

#include "cli/findings.h"
#include "trace/meter.h"
#include "trace/timeline.h"

enum { TOKENS = 4 }; /* of one flag under way: at least the depth of any flag */

/* An entry of a queue, from its issue on. */
struct trace_entry {
    const struct trace_insn *insn;
    uint64_t *value;  /* of its holes */
    unsigned capacity;
    uint64_t issue;
    bool passed;      /* a wait or a barrier, which takes no time: over once all before it are */
};

/* A phase between start and completion. */
struct trace_phase {
    uint64_t start, bytes, entry;
    uint64_t clip; /* when the next one started: slices of a thread do not overlap; 0: not yet */
};

/* A pipe or a DMA engine. */
struct trace_queue {
    struct trace_phase *phase;
    unsigned first, count, capacity; /* pending: phase[first..count) */
    struct trace_entry *entry;       /* ring by number */
    uint64_t issued, counted, over;  /* entries: issued, counted as in the queue, retired */
    struct trace_depth depth;
};

/* A set or a message, which is shown when it is taken, as then it is known where the arrow ends. */
struct trace_held {
    bool there, shown;
    int rank, peer;  /* peer: for messages */
    unsigned tid;
    uint64_t when, bytes;
    uint8_t reason;  /* of messages: enum message_kind */
    uint8_t src, dst, id, pipe; /* of flags; pipe: that of a cross-core flag */
    unsigned number; /* of a cross-core flag: as its sub-core calls it */
    const struct trace_insn *insn;
};

/* A message that landed last, and the one that it was when it left. */
struct trace_landing {
    struct trace_held sent, landed;
};

/* What ends the wait of a scalar unit. */
struct trace_wake {
    enum { WAKE_NONE, WAKE_BY_LANDING, WAKE_BY_CORE, WAKE_LATE } kind;
    struct trace_landing landing;
    struct trace_held actor;
};

struct trace_region {
    const char *name;
    uint64_t began;
    bool told;
};

struct trace_core {
    bool shown;
    struct trace_queue *queue[PTO_QUEUE_COUNT]; /* made with their first entries */
    /* What S waits for. */
    const struct trace_insn *stall;
    uint64_t *stall_value;
    unsigned stall_capacity;
    uint8_t stall_id;
    uint64_t busy_until; /* the end of the last slice of what takes S time, as far as is known */
    uint8_t cross_pipe; /* of the set_flag_dev that fired last */
    struct trace_wake wake;
    struct trace_region *region; /* open ones, the inner behind the outer */
    unsigned regions, region_capacity;
};

/* One flag, or one cross-core flag of one receiver: sets that nobody took yet. */
struct trace_flag {
    uint32_t sets, waits;
    struct trace_held set[TOKENS];
};

struct cli_trace {
    struct pto_vm *vm;
    const struct trace_choice *choice;
    struct timeline out;
    struct trace_texts texts;
    struct trace_meters *meters; /* NULL: none are wanted */
    uint32_t ring;     /* entries that a queue can hold */
    uint64_t next_flow;
    bool *rank_shown;
    struct trace_core *core; /* [rank][sub-core] */
    struct trace_map flag_numbers;
    struct trace_flag *flag;
    uint32_t flags, flag_capacity;
    struct trace_map sent_numbers; /* of messages under way */
    struct trace_held *sent;
    uint32_t sents, sent_capacity;
    uint32_t *sent_free;
    uint32_t sent_frees, sent_free_capacity;
    struct trace_landing *landing; /* [rank] */
};

static inline struct trace_core *trace_core(struct cli_trace *t, const struct pto_event *event)
{
    return &t->core[(size_t)event->rank * t->out.cores + event->core];
}

/* Is it to be shown what is of this kind, on this pipe, at this time? */
static inline bool trace_shows(struct cli_trace *t, const struct pto_event *event, unsigned pipe,
                               enum trace_kind kind, uint64_t from, uint64_t to)
{
    const struct trace_choice *choice = t->choice;

    return choice->kinds >> kind & 1 && choice->pipes >> pipe & 1 &&
           trace_core(t, event)->shown && to >= choice->from_ps && from <= choice->to_ps;
}

/* What an instruction's holes take of the registers, in an array that grows. */
void trace_keep_values(const struct trace_insn *insn, const uint64_t *registers, uint64_t **value,
                       unsigned *capacity);

/* queue.c */
void trace_on_issue(struct cli_trace *t, const struct pto_event *event);
void trace_on_start(struct cli_trace *t, const struct pto_event *event);
void trace_on_complete(struct cli_trace *t, const struct pto_event *event);
void trace_on_pass(struct cli_trace *t, const struct pto_event *event);
void trace_on_wait_begin(struct cli_trace *t, const struct pto_event *event);
void trace_on_waited(struct cli_trace *t, const struct pto_event *event);
/* Entry `number` of the queue is over, and those behind it that were over before it. */
void trace_retire(struct cli_trace *t, const struct pto_event *event, uint64_t number);
void trace_queues_end(struct cli_trace *t, int rank, unsigned core, uint64_t now);
void trace_queues_free(struct cli_trace *t, struct trace_core *core);

/* scalar.c */
void trace_on_stall(struct cli_trace *t, const struct pto_event *event);
void trace_on_resume(struct cli_trace *t, const struct pto_event *event);
void trace_on_took(struct cli_trace *t, const struct pto_event *event);
void trace_on_region_begin(struct cli_trace *t, const struct pto_event *event);
void trace_on_region_end(struct cli_trace *t, const struct pto_event *event);
void trace_regions_end(struct cli_trace *t, const struct pto_event *at);

/* finding.c */
void trace_mark_findings(struct cli_trace *t, const struct cli_findings *findings);
void trace_mark_changes(struct cli_trace *t);

/* flow.c: flags, with arrows. */
void trace_on_set(struct cli_trace *t, const struct pto_event *event);
void trace_on_wait_end(struct cli_trace *t, const struct pto_event *event);
void trace_on_wait_of_s(struct cli_trace *t, const struct pto_event *event);
void trace_on_cross_set(struct cli_trace *t, const struct pto_event *event);
void trace_on_cross_send(struct cli_trace *t, const struct pto_event *event);
void trace_on_cross_take(struct cli_trace *t, const struct pto_event *event);
/* message.c: messages, and the waits that they end. */
void trace_on_send(struct cli_trace *t, const struct pto_event *event);
void trace_on_land(struct cli_trace *t, const struct pto_event *event);
/* A TWAIT is released, and its stall has been written: the arrow to it. */
void trace_on_release(struct cli_trace *t, const struct pto_event *event);
void trace_before_wake(struct cli_trace *t, struct trace_core *core, struct timeline_slice *from);
/* Sets and messages that nobody took. */
void trace_flags_end(struct cli_trace *t);
void trace_messages_end(struct cli_trace *t);
/* Two slices and the arrow between them; `from` or `to` may be left out (kind of nobody). */
void trace_arrow(struct cli_trace *t, const struct timeline_slice *from,
                 const struct timeline_slice *to);

#endif
