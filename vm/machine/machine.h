/* The state of a machine: plain data, private to vm.
 *
 * Ownership.  A machine owns its launches and ranks; a rank owns its sub-cores, its global memory
 * and its inbox.  A rank is an actor: while it advances, nothing outside it is touched except its
 * outbox, so ranks may be advanced in any order within a window (sched.c).
 *
 * One door each: sched.c decides when something runs, memory.c hands out bytes, flag.c changes
 * flags, cross-core flags and signals, observe.c calls observers, fault.c ends the run. */
#ifndef PTO_MACHINE_MACHINE_H
#define PTO_MACHINE_MACHINE_H

#include "eventq.h"
#include "ops/op.h"
#include "vm.h"

#define ENGINE_NEVER UINT64_MAX

enum {
    USER_EVENTS = PTO_EVENT_LIMIT, /* event ids that programs may name */
    HIDDEN_EVENTS = 2, /* ping and pong of TPUT and TGET, out of the programs' reach */
    EVENT_IDS = USER_EVENTS + HIDDEN_EVENTS,
    ENTRY_WORDS = 12,
    MAX_OBSERVERS = 4,
    CROSS_FLAGS = PTO_CROSS_FLAG_LIMIT
};

/* ---- ready form: a program resolved for one launch ---- */

/* Register file: the program's registers, then the built-in values, then the literals.  So every
 * scalar operand is a register index. */
#define NO_REGISTER UINT32_MAX

/* A scalar instruction, or the index of a ready operation; parallel to the code's insn array. */
struct ready_insn {
    uint32_t op;      /* enum pto_op */
    uint32_t d, a, b; /* registers, branch target in d; others: d = index of the ready operation */
};

struct ready_operand {
    uint8_t kind;        /* enum pto_operand_kind */
    bool is_float;       /* scalars: the register holds an f64 */
    bool whole_tile;     /* tiles: no valid region given */
    bool has_offset;     /* tiles: (row, col) given: a second word */
    uint8_t access;      /* enum pto_access */
    uint8_t word;        /* first word in the queue entry */
    uint8_t indices;
    uint16_t object;     /* GM: index in the kernel */
    const struct pto_tile *tile;
    uint32_t limit;      /* tile views with a byte offset: bytes of the parent's slot */
    uint32_t slot, row, col, byte, rows, cols, rank; /* registers or NO_REGISTER */
    uint32_t index[PTO_MAX_DIMS];
    uint32_t reg;        /* scalar source or destination; local arrays: index register */
    uint32_t local;      /* first element of the .local array */
    uint32_t local_count;
    int32_t value;       /* keyword, or string number */
    const char *text;
    struct op_view view; /* what is known before the launch */
};

/* An instruction with structured operands. */
struct ready_op {
    const struct pto_insn *insn;
    const struct pto_op_info *info;
    op_function *function;
    const struct pto_path *path; /* transfers */
    uint8_t pipe;
    uint8_t operands;
    uint8_t words;               /* used of a queue entry */
    uint8_t unit_bytes;          /* widest element among the tiles */
    int8_t extent_gm, extent_tile; /* transfers: operand numbers of the GM and the tile side */
    int8_t atomic;               /* operand number of the atomic operation, or -1 */
    /* Macro instructions: the phases that a chunk issues.  Collectives: which side (0 destination,
     * 1 source) is on the peer, which one is split between the peers, -1 none. */
    struct ready_op *load, *store, *copy, *combine;
    int8_t peer_side, split_side;
    struct ready_operand operand[PTO_MAX_OPERANDS];
};

struct ready_code {
    const struct pto_module *module;
    const struct pto_kernel *kernel;
    const struct pto_core_code *core; /* NULL for a set-up */
    const struct pto_code *code;
    struct ready_insn *insn;
    struct ready_op *op;
    uint32_t ops;
    uint32_t first_sys, first_literal, registers;
    uint64_t *literal; /* registers - first_literal values */
    uint32_t local_words;
    uint32_t space_used[PTO_SPACE_COUNT]; /* bytes of each space that the tiles reach */
};

/* ---- a running sub-core ---- */

enum entry_kind { ENTRY_TILE, ENTRY_SET, ENTRY_WAIT, ENTRY_BARRIER, ENTRY_CROSS };

struct entry {
    uint8_t kind; /* enum entry_kind */
    uint8_t flag_src, flag_dst, flag_id; /* flags; cross-core flags: mode in flag_src, id */
    uint32_t pc;
    const struct ready_op *op; /* ENTRY_TILE */
    uint64_t issue, start, complete;
    uint64_t word[ENTRY_WORDS];
    uint8_t *payload; /* what a remote read brought; owned until completion */
};

struct pipe {
    struct event_node node;
    struct entry *ring;        /* allocated with the first entry */
    uint32_t head, next, tail; /* counters: oldest incomplete, next to start, end */
    uint64_t free_at;          /* when the next phase may start */
    uint64_t wait_since;       /* the head waits for a flag since; ENGINE_NEVER: it does not */
    struct pto_pipe_stats stats;
};

/* Why the scalar unit does not go on. */
enum stall {
    STALL_NONE,
    STALL_TIME,      /* its own event is scheduled */
    STALL_QUEUE,     /* queue stall_pipe (a pipe's, or the DMA engine's) is full */
    STALL_FLAG,      /* wait_flag into S */
    STALL_BARRIER,   /* pipe_barrier ALL, or the drain before sync_all */
    STALL_SIGNAL,    /* TWAIT */
    STALL_CROSS,     /* wait_flag_dev */
    STALL_SYNC_ALL,
    STALL_ASYNC,     /* async_wait */
    STALL_ENDED
};

/* A copy that the DMA engine works or will work (async.c). */
struct submission {
    const struct ready_op *op;
    uint32_t pc;
    uint64_t gm[2][3];      /* resolved operands: destination, source; both lie in one piece */
    uint64_t bytes;
    uint64_t issue, start;
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

/* A TPUT, TGET or collective under way: the scalar unit issues chunk after chunk (macro.c). */
struct macro {
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

struct signal_wait {
    uint64_t gm[3];
    int64_t value;
    uint8_t comparison;
};

struct core {
    struct rank *rank;
    const struct ready_code *ready; /* NULL: not part of the launch */
    uint64_t *reg;
    uint64_t *local;
    uint32_t pc;
    uint8_t kind, stall, stall_pipe, stall_src, stall_id;
    bool drained;         /* ended, and its pipes are empty */
    bool arrived;         /* at the current sync_all */
    uint8_t sync_scope;
    uint16_t block, sub, number; /* number: index in the rank */
    uint16_t regions;     /* open trace regions */
    uint64_t time;        /* S's own clock */
    uint64_t stall_since;
    uint64_t stores_acknowledged; /* when all remote stores that departed are acknowledged */
    uint64_t insns;
    const bool *given;    /* set-ups only: which parameters have a value already */
    struct macro macro;
    struct signal_wait wait;
    struct dma dma;
    uint64_t stall_event; /* STALL_ASYNC */
    struct core *next_waiter;
    struct pipe pipe[PTO_PIPE_COUNT]; /* pipe[PTO_PIPE_S]: event node and statistics of S */
    uint32_t *tile_address; /* of every tile of the program: TASSIGN moves them */
    uint8_t *space[PTO_SPACE_COUNT];
    uint32_t space_size[PTO_SPACE_COUNT];
    uint8_t flag[PTO_PIPE_COUNT][PTO_PIPE_COUNT][EVENT_IDS];
    uint32_t flag_pc[PTO_PIPE_COUNT][PTO_PIPE_COUNT][EVENT_IDS]; /* who set the token */
    uint8_t cross[CROSS_FLAGS];       /* counts that wait_flag_dev takes */
    uint8_t cross_sent[CROSS_FLAGS];  /* sent but not yet matched by the partners */
    uint32_t cross_sent_pc[CROSS_FLAGS];
    struct cross_setter { struct core *core; uint32_t pc; } cross_setter[CROSS_FLAGS];
    char name[16];
};

/* ---- global memory ---- */

/* A named object of a rank; persists over launches. */
struct object {
    const char *name;
    uint8_t kind, dtype;
    bool bound, declared;
    bool written; /* some launch before the one in preparation writes it */
    uint64_t size;
    uint8_t *data;
    unsigned dims;
    uint64_t dim[PTO_MAX_DIMS];
    int64_t stride[PTO_MAX_DIMS]; /* elements */
    struct core *waiters; /* sub-cores in TWAIT on this object */
};

/* An object as one launch declares it (its views included). */
struct bound_object {
    uint32_t object; /* index in the rank's objects */
    uint8_t dtype, kind, dims;
    bool present;
    uint64_t offset; /* bytes from the object's start */
    uint64_t dim[PTO_MAX_DIMS];
    int64_t stride[PTO_MAX_DIMS]; /* bytes */
};

struct launch {
    const struct pto_program *program;
    const struct pto_kernel *kernel;
    struct ready_code setup;
    struct ready_code ready[PTO_CORE_KINDS];
    struct bound_object **bound; /* [rank][object of the kernel] */
    uint64_t **param;            /* [rank][parameter] */
};

/* ---- messages ---- */

enum message_kind { MESSAGE_PUT, MESSAGE_NOTIFY, MESSAGE_REQUEST, MESSAGE_REPLY, MESSAGE_CROSS };

struct message {
    uint64_t arrival;
    uint64_t sequence; /* per source */
    int source, target;
    uint8_t kind;
    uint8_t dtype, operation; /* atomic or notify operation */
    uint8_t pipe;             /* of the requester; PTO_DMA: its DMA engine */
    uint16_t core;            /* requester; cross-core flag: target sub-core */
    uint32_t entry;           /* requester's queue counter or place in the engine's ring;
                                 cross-core flag: id */
    uint32_t object;          /* number of the symmetric object */
    uint32_t tag;             /* the probe's number of a put or notify */
    uint64_t offset;          /* bytes */
    uint32_t rows, cols;
    int64_t row_stride, col_stride;
    int64_t value;
    uint64_t bytes;
    uint8_t *payload;
};

struct link {
    uint64_t free_at; /* when its bandwidth is free again */
    uint64_t bytes, messages;
    bool down;
};

struct rank {
    struct pto_vm *vm;
    int number;
    uint64_t now;
    struct eventq events;
    struct message **inbox; /* binary heap by (arrival, source, sequence) */
    uint32_t inbox_size, inbox_capacity;
    struct message **outbox;
    uint32_t outbox_size, outbox_capacity;
    uint64_t sequence;
    struct core *core;
    unsigned cores, active; /* active: sub-cores of the launch that have not drained */
    unsigned cross_in_flight; /* counts of cross-core flags that are still on their way */
    unsigned launch;        /* current; vm->launches: all done */
    bool between_launches;
    uint64_t launch_at;
    struct object *object;
    unsigned objects;
    struct link *link; /* to every rank */
    uint64_t gm_free_at;
    uint32_t slow_milli; /* cost factor, 1000 = 1 */
    struct pto_rank_stats stats;
    uint64_t retired, insns; /* queue entries, scalar instructions */
    bool dead;              /* it has faulted: it does nothing more */
    struct pto_fault fault;
};

struct engine_probe;

struct parameter_value {
    const char *name;
    int rank; /* PTO_ALL_RANKS */
    bool is_float;
    bool used;
    uint64_t bits;
};

/* Contents given for an object, until pto_vm_prepare. */
struct binding {
    const char *name;
    int rank; /* PTO_ALL_RANKS */
    uint8_t dtype;
    bool used;
    unsigned dims;
    uint64_t dim[PTO_MAX_DIMS];
    uint64_t bytes;
    uint8_t *data;
};

struct pto_vm {
    struct pto_vm_options options;
    struct pto_profile profile;
    const struct op_set *ops;
    struct pto_arena arena;
    struct rank *rank;
    int ranks;
    unsigned blocks;
    struct launch *launch;
    unsigned launches, launch_capacity;
    struct parameter_value *parameter;
    unsigned parameters, parameter_capacity;
    struct binding *binding;
    unsigned bindings, binding_capacity;
    uint64_t window; /* picoseconds: the smallest link latency */
    uint64_t scalar_ps, issue_ps, flag_ps;
    uint32_t ring_mask; /* rings hold the power of two at or above the profile's queue depth */
    struct { pto_observer *function; void *context; } observer[MAX_OBSERVERS];
    unsigned observers;
    const struct engine_probe *probe; /* NULL: none */
    void *probe_context;
    bool prepared, finished;
    volatile int pause; /* set by pto_vm_pause, also from a signal handler */
    enum pto_status status; /* PTO_OK while alive */
    struct pto_fault fault;
    struct pto_fault *warning;
    unsigned warnings, warning_capacity;
    struct op_args *args;
};

/* ---- small helpers used everywhere ---- */

static inline struct entry *pipe_entry(const struct pto_vm *vm, const struct pipe *pipe,
                                       uint32_t counter)
{
    return &pipe->ring[counter & vm->ring_mask];
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A tile operand in a queue entry: byte address and valid region. */
static inline uint64_t tile_word(uint32_t address, uint32_t rows, uint32_t cols)
{
    return address | (uint64_t)rows << 32 | (uint64_t)cols << 48;
}
static inline uint32_t tile_address(uint64_t word) { return (uint32_t)word; }
static inline uint32_t tile_rows(uint64_t word) { return (uint32_t)(word >> 32) & 0xffff; }
static inline uint32_t tile_cols(uint64_t word) { return (uint32_t)(word >> 48); }

/* A GM operand takes three words: byte offset in the object, extent, object and rank. */
enum { GM_OFFSET, GM_EXTENT, GM_WHERE, GM_WORDS };
static inline uint64_t gm_extent(uint32_t rows, uint32_t cols)
{
    return rows | (uint64_t)cols << 32;
}
static inline uint32_t gm_rows(const uint64_t *word) { return (uint32_t)word[GM_EXTENT]; }
static inline uint32_t gm_cols(const uint64_t *word) { return (uint32_t)(word[GM_EXTENT] >> 32); }
static inline uint32_t gm_object(const uint64_t *word) { return (uint32_t)word[GM_WHERE]; }
static inline int gm_rank(const uint64_t *word) { return (int)(word[GM_WHERE] >> 32); }

#endif
