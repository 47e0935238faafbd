/* A running sub-core: its scalar unit, pipes, DMA engine, flags and on-chip memories. */
#ifndef PTO_MACHINE_CORE_H
#define PTO_MACHINE_CORE_H

#include <stddef.h>

#include "arena.h"
#include "entry.h"
#include "eventq.h"
#include "vm.h"

#define ENGINE_NEVER UINT64_MAX

enum {
    USER_EVENTS = PTO_EVENT_LIMIT, /* event ids that programs may name */
    HIDDEN_EVENTS = 2, /* ping and pong of TPUT and TGET, out of the programs' reach */
    EVENT_IDS = USER_EVENTS + HIDDEN_EVENTS,
    CROSS_FLAGS = PTO_CROSS_FLAG_LIMIT,
    /* Behind them the flags inside a block, those of the second vector sub-core last: both sides
     * of a flag keep it at the same place. */
    CROSS_PLACES = CROSS_FLAGS + 2 * PTO_INTRA_BLOCK_FLAGS,
    CROSS_TO_ONE = 3 /* beside the modes of set_flag_dev: that of set_intra_block */
};

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What is to be said of an entry that is complete. */
struct completed {
    uint64_t issue, complete;
    uint32_t pc;
};

struct pipe {
    struct event_node node;
    struct entry *ring;        /* allocated with the first entry; grows with the queue */
    uint32_t mask;             /* of counters, to places of the ring */
    uint32_t room;             /* entries that it takes before it is full or the ring grows */
    uint32_t head, next, tail; /* counters: oldest incomplete, next to start, end */
    uint64_t free_at;          /* when the next phase may start */
    uint64_t wait_since;       /* the head waits, or will, from then on; ENGINE_NEVER: neither */
    struct pto_pipe_stats stats;
    struct completed last; /* where there is no ring any more */
};

/* Why the scalar unit does not go on. */
enum stall {
    STALL_NONE,
    STALL_TIME,      /* its own event is scheduled */
    STALL_QUEUE,     /* queue stall_pipe (a pipe's, or the DMA engine's) is full */
    STALL_FLAG,      /* wait_flag into S */
    STALL_BARRIER,   /* pipe_barrier ALL, or the drain before sync_all */
    STALL_SIGNAL,    /* TWAIT, TWAIT_ANY */
    STALL_CROSS,     /* wait_flag_dev, wait_intra_block of S */
    STALL_SYNC_ALL,
    STALL_ASYNC,     /* async_wait */
    STALL_STORES,    /* dsb: what was sent to a rank that died is never acknowledged */
    STALL_ENDED
};

/* A copy that the DMA engine works or will work (units/dma.c). */
struct submission {
    const struct ready_op *op;
    uint32_t pc;
    uint64_t gm[2][3];      /* resolved operands: destination, source; both lie in one piece */
    uint64_t bytes;
    uint64_t issue, ready, start; /* ready: the first byte may move from then on */
    uint64_t pace;          /* time that the engine itself needs for the bytes */
    uint64_t move;          /* when the bytes are copied, or leave for another rank */
    uint64_t complete;      /* a put: when it is acknowledged */
    bool moved;
    uint8_t *payload;       /* what the other rank sent; owned until the move */
};

/* Submissions are counted from 0 in every launch; the event of submission n is n + 1, so `head` is
 * the last event that is complete. */
struct dma {
    struct event_node node;
    struct submission *ring; /* async_limit of the profile; allocated with the first submission */
    uint64_t head, next, tail; /* oldest incomplete, next to start, end */
    uint64_t seen;           /* the last event that S knows to be complete */
    uint64_t free_at;        /* when the next submission may start */
    struct pto_pipe_stats stats;
};

/* A TPUT, TGET or collective under way: the scalar unit issues chunk after chunk
 * (units/series.c). */
struct series {
    const struct ready_op *op; /* NULL: none */
    uint64_t gm[2][3];         /* resolved operands: destination, source */
    uint64_t tile[2];          /* staging tiles: address and shape */
    uint64_t acc;              /* TREDUCE: the tile that sums up */
    uint32_t rows, cols;       /* of the transfer with one peer */
    uint32_t step_rows, step_cols;
    uint32_t row, col;         /* of the chunk in hand */
    uint32_t peers, peer;      /* ranks to go through; the one in hand */
    uint32_t turn;             /* loads so far: staging slot turn % stages */
    uint32_t chunks;           /* TREDUCE: stores so far */
    uint32_t stages;
    uint8_t step;
};

enum { SIGNAL_WAITS = 3 }; /* that one instruction can wait for */

/* A condition on a window of signals. */
struct signal_wait {
    uint64_t gm[3];
    int64_t value;
    uint8_t comparison;
    struct core *core;        /* who waits */
    struct signal_wait *next; /* among the waiters of the object */
};

/* What S waits for, or has looked at last. */
struct waits {
    struct signal_wait *condition; /* of the instruction; they lie behind the structure */
    uint32_t which; /* several conditions: register for the number of one that holds */
    uint8_t conditions;
    uint8_t held; /* number of the one that holds; none does: 0 */
    uint8_t room; /* for so many */
};

/* Tokens from one pipe to another. */
struct flag_pair {
    uint8_t token[EVENT_IDS];
    uint32_t pc[EVENT_IDS]; /* who set it */
};

/* Flags of a sub-core: most need none, others those of a few pairs of pipes. */
struct flags {
    uint8_t place[PTO_PIPE_COUNT][PTO_PIPE_COUNT]; /* in `pair`, counted from 1; 0: never set */
    uint8_t pairs, room;
    struct flag_pair pair[];
};

/* Cross-core flags of a sub-core, and those inside its block. */
struct cross {
    uint8_t count[CROSS_PLACES]; /* that wait_flag_dev and wait_intra_block take */
    uint8_t sent[CROSS_PLACES];  /* but not yet matched by the partners */
    uint32_t sent_pc[CROSS_PLACES];
    struct cross_setter { struct core *core; uint32_t pc; } setter[CROSS_PLACES];
};

/* On-chip memories of a sub-core. */
struct chip {
    uint8_t *data[PTO_SPACE_COUNT];
    uint64_t reached[PTO_SPACE_COUNT]; /* pieces that hold poison or what came since: a bit each */
    uint32_t size[PTO_SPACE_COUNT];
    uint8_t mapped[PTO_SPACE_COUNT]; /* enum mapped: where the space comes from */
};

/* By lines of the host's caches, which do not hold the sub-cores of many ranks: what every event of
 * a queue needs, what S needs as well, S as a pipe, and what few instructions look at. */
struct core {
    struct rank *rank;
    const struct ready_code *ready; /* NULL: not part of the launch */
    uint64_t *reg;
    uint32_t *tile_address; /* of every tile of the program: TASSIGN moves them */
    struct flags *flags;    /* NULL: it has set none */
    uint32_t pc;
    uint16_t block, sub, number; /* number: index in the rank */
    uint16_t regions;     /* open trace regions */
    uint8_t kind, stall, stall_pipe, stall_src, stall_id;
    bool drained : 1;     /* ended, and its pipes are empty */
    bool arrived : 1;     /* at the current sync_all */
    bool held : 1;        /* the next act has been delayed */
    uint8_t sync_scope;

    struct pipe *pipe[PTO_PIPE_COUNT];
    uint64_t time;        /* S's own clock */

    struct pipe s; /* pipe[PTO_PIPE_S]: event node and statistics of S */
    uint64_t stall_since;

    uint64_t insns;
    uint64_t stores_acknowledged; /* when all remote stores that departed are acknowledged */
    uint64_t *local;      /* NULL: no element of a .local array was touched, all are zeros */
    struct series *series; /* this and what follows: for reading, unless made (parts.h) */
    struct waits *waits;
    struct dma *dma;
    struct chip *chip;
    struct cross *cross;  /* NULL: no count has come */

    uint32_t *owed; /* tokens that were taken before they came (units/owe.h); NULL: never any */
    uint64_t stall_event; /* STALL_ASYNC */
    const bool *given;    /* set-ups only: which parameters have a value already */
    uint32_t acts;        /* see struct pto_delay */
    char name[16];
    char unused[20];
};
_Static_assert(offsetof(struct core, pipe) == PTO_HOST_LINE, "what an event needs is one line");
_Static_assert(offsetof(struct core, insns) == 4 * PTO_HOST_LINE, "S is two lines");
_Static_assert(sizeof(struct core) % PTO_HOST_LINE == 0, "each begins a line of its own");

/* The condition that holds, or the first of those that were looked at. */
static inline const struct signal_wait *core_wait_held(const struct core *core)
{
    return &core->waits->condition[core->waits->held];
}

/* The sub-core in whose memory the tile of an operand lies. */
static inline struct core *core_home(struct core *core, const struct ready_operand *operand)
{
    unsigned within;

    if (__builtin_expect(!operand->abroad, 1))
        return core;
    within = core->kind == PTO_AIC ? 0 : core->sub + 1u;
    return core - within + (operand->abroad - 1u);
}

/* NULL: there has been no token. */
static inline struct flag_pair *core_pair(const struct core *core, unsigned src, unsigned dst)
{
    unsigned place = core->flags ? core->flags->place[src][dst] : 0;

    return place ? &core->flags->pair[place - 1] : NULL;
}

static inline unsigned core_tokens(const struct core *core, unsigned src, unsigned dst,
                                   unsigned id)
{
    const struct flag_pair *pair = core_pair(core, src, dst);

    return pair ? pair->token[id] : 0;
}

/* Who has set the token last. */
static inline uint32_t core_token_pc(const struct core *core, unsigned src, unsigned dst,
                                     unsigned id)
{
    const struct flag_pair *pair = core_pair(core, src, dst);

    return pair ? pair->pc[id] : 0;
}

static inline size_t flags_bytes(const struct flags *flags)
{
    return flags ? sizeof *flags + flags->room * sizeof *flags->pair : 0;
}

/* Is there an element `index` of the local array `local` of the core's text?  Which word it is. */
static inline bool core_local(const struct core *core, unsigned local, uint64_t index,
                              uint64_t *word)
{
    const struct pto_core_code *code = core->ready ? core->ready->core : NULL;

    if (!code || local >= code->locals || index >= code->local[local].count)
        return false;
    for (unsigned i = 0; i < local; i++)
        index += code->local[i].count;
    *word = index;
    return true;
}

#endif
