/* The virtual machine, seen from outside: build one, add launches, bind data, run or step it, look
 * at everything.  Several machines may live in one process; nothing here prints, exits or keeps
 * mutable globals.
 *
 * Order of use:
 *   pto_vm_create -> pto_vm_launch (once per kernel run, in order) -> pto_vm_set_param /
 *   pto_vm_bind -> pto_vm_prepare -> pto_vm_run (or pto_vm_step ...) -> pto_vm_object -> free.
 *
 * After a fault, a deadlock or a limit the machine is dead: every further run returns the same
 * status, inspection still works. */
#ifndef PTO_VM_H
#define PTO_VM_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "object.h"
#include "status.h"

struct pto_vm;

enum { PTO_ALL_RANKS = -1, PTO_MAX_RANKS = 4096, PTO_MAX_THREADS = 1024 };

/* From one time on, to another one exclusive; 0: from the beginning, for good. */
struct pto_span { uint64_t from_ps, to_ps; };
struct pto_link {
    int a, b;
    const char *places; /* "left-3", as the topology names them; NULL: ranks a and b */
    struct pto_span when;
};
struct pto_slow_link {
    struct pto_link link;
    double factor, latency; /* of the time of bytes, and of the latency; 0: the same factor */
};
struct pto_slow_rank { int rank; double factor; struct pto_span when; };
struct pto_dead_rank { int rank; uint64_t time_ps; };

/* One act of a scalar unit comes later.  Acts are the beginning of a launch and the instructions
 * that need the machine at their own time - memory, signals, flags of S, the clock -, counted from
 * 0 over all launches. */
struct pto_delay {
    int rank;
    unsigned core; /* number of the sub-core */
    uint32_t act;
    uint64_t ps;
};

/* What the user can do about it, in the words of the program that he uses: "raise it with ...".
 * They live as long as the machine; NULL: nothing is said. */
struct pto_remedies {
    const char *no_parameter; /* a parameter has no value */
    const char *no_input, *wrong_type; /* an input was not given, or has another type */
    const char *time_limit, *insn_limit, *memory_limit;
};

/* What one process gives to another when they meet. */
enum { PTO_PARCEL_WORDS = 6, PTO_CROSS_NAME = 40 /* characters that name a flag */ };
struct pto_parcel {
    uint64_t word[PTO_PARCEL_WORDS];
    uint8_t *data; /* `size` bytes; NULL if there are none */
    size_t size;
};

/* Processes that share the ranks of one machine: each makes the same machine, with the
 * same launches, parameters and inputs, and calls the same functions in the same order. */
struct pto_carrier {
    int process, processes;
    const int *owner; /* of each rank: the process that has it, each some; NULL: in blocks */
    void *context;
    /* Give out[p] to process p, take in[p] from it, and return when all have done so.  A process
     * gives itself words alone.  The caller frees the data that it was given. */
    void (*meet)(void *context, const struct pto_parcel *out, struct pto_parcel *in);
    /* Does anybody ask for what this object (enum pto_object_kind) holds at the end? */
    bool (*wants)(const void *context, const char *object, unsigned kind);
    const void *wants_context;
};

#define PTO_DEFAULT_MAX_TIME_PS (UINT64_C(1000) * 1000000000000) /* 1000 s */
#define PTO_DEFAULT_MAX_INSNS (UINT64_C(1) << 40)

struct pto_vm_options {
    int ranks;                 /* 1..PTO_MAX_RANKS */
    int cores;                 /* AI cores (blocks) per rank; 0: as many as the profile has */
    const struct pto_link *link_down; /* both directions of each are down: a way over it is none */
    int links_down;            /* pairs of neighbours, or of places */
    const struct pto_slow_link *slow_link; /* both directions take that much longer: 1 to 1000 */
    int slow_links;            /* pairs of neighbours */
    const char *topology;      /* "ring", "torus:4x2" ...; NULL: a mesh */
    const char *topology_text; /* of topology "file:PATH": what the file says */
    const struct pto_slow_rank *slow_rank; /* costs of this rank are multiplied, factor > 0 */
    int slow_ranks;
    const struct pto_dead_rank *dead_rank; /* from then on it does nothing, nothing reaches it */
    int dead_ranks;
    uint64_t jitter;           /* 0: none; else a seed that perturbs costs by up to a quarter */
    const struct pto_delay *delay; /* in order of rank, core, act, each once; read until the end */
    unsigned delays;
    bool join;                 /* every launch ends for all ranks before the next one starts */
    uint64_t max_time_ps;      /* limit on simulated time; 0: PTO_DEFAULT_MAX_TIME_PS */
    uint64_t max_insns;        /* limit on scalar instructions in all; 0: PTO_DEFAULT_MAX_INSNS */
    int threads;               /* of this host, the caller's included; 0: that alone.  Nothing that
                                  a run gives depends on it; functions given to the machine are
                                  called on the caller's thread */
    uint64_t max_memory;       /* bytes: pto_vm_prepare refuses a run that may take more; 0: none */
    bool timing_only;          /* bytes that no time depends on are left out; for no checker */
    bool views_by_buffer;      /* windows of views end where the object ends, not the view */
    /* Synchronisation at which nobody waits, in order of addresses: what it would give is known
     * from such a run, what is computed is not.  Read until the end; for times alone. */
    const struct pto_insn *const *unwaited;
    unsigned unwaiteds;
    const char *cpu_level;     /* instruction set of the host that instructions are computed with:
                                  by name (vm/ops/select.h); NULL: the best that it has.  All
                                  give the same bits: for tests */
    bool stepwise;             /* the scalar units never run ahead of the clock: for debugging.
                                  Results and times are the same. */
    /* Where `print` writes: one line without newline, by time and rank.  NULL: dropped. */
    void (*print)(void *context, int rank, const char *core, uint64_t time_ps, const char *text);
    void *print_context;
    struct pto_remedies remedies;
    const struct pto_carrier *carrier; /* NULL: this process has all ranks */
};

/* What went wrong, in the program's own terms.  Texts live as long as the machine. */
struct pto_fault {
    enum pto_status status;    /* PTO_EPROGRAM, PTO_EDEADLOCK, PTO_ELIMIT, PTO_ECONFIG */
    const char *message;       /* one sentence */
    const char *hint;          /* remedy or NULL */
    int rank;                  /* -1: none in particular */
    const char *core;          /* "aic3", "aiv7.1" (block.sub) or NULL */
    const char *pipe;          /* "MTE3" or NULL */
    uint64_t time_ps;
    const struct pto_module *module; /* for positions; NULL if none */
    int32_t pos;               /* index of the position in the module, PTO_NONE */
    const char *details;       /* several lines (a deadlock names every waiting party), or NULL */
    const char *mnemonic;      /* leftovers: the instruction that left it; else NULL */
};

enum pto_status pto_vm_create(const struct pto_vm_options *options,
                              const struct pto_profile *profile, struct pto_diags *diags,
                              struct pto_vm **vm);
void pto_vm_free(struct pto_vm *vm);

/* Append a launch of program->module.kernel[kernel]; the program must outlive the machine. */
enum pto_status pto_vm_launch(struct pto_vm *vm, const struct pto_program *program,
                              uint32_t kernel, struct pto_diags *diags);

/* Set a parameter on one rank or all.  Applies to every launch that has a parameter of the name. */
enum pto_status pto_vm_set_int(struct pto_vm *vm, int rank, const char *name, int64_t value,
                               struct pto_diags *diags);
enum pto_status pto_vm_set_float(struct pto_vm *vm, int rank, const char *name, double value,
                                 struct pto_diags *diags);

/* Bind the contents of an in, inout, sym, gm or signal object: row-major, copied before returning.
 * Type and shape are checked by pto_vm_prepare.
 * `data` NULL: the object counts as bound with its declared type and shape (dtype, dim and dims are
 * ignored), pto_vm_prepare zeroes it, and the caller writes the contents through pto_vm_object
 * between pto_vm_prepare and the run.  For generators, whose size follows the declaration.
 * `origin`: what messages call the data, a file's name; NULL: nothing. */
enum pto_status pto_vm_bind(struct pto_vm *vm, int rank, const char *name, enum pto_dtype dtype,
                            const uint64_t *dim, unsigned dims, const void *data,
                            const char *origin, struct pto_diags *diags);
/* The same with data that are not copied: they stay as they are until pto_vm_free.  An object that
 * no launch writes is these bytes; one that some launch writes begins as a copy of them.  `data`
 * NULL: type and shape count, and the process that has the rank has the bytes. */
enum pto_status pto_vm_lend(struct pto_vm *vm, int rank, const char *name, enum pto_dtype dtype,
                            const uint64_t *dim, unsigned dims, const void *data,
                            const char *origin, struct pto_diags *diags);

/* Does this process have the rank?  Without a carrier it has all. */
bool pto_vm_has_rank(const struct pto_vm *vm, int rank);

/* Bytes that a run takes at most, without messages on their way and what observers keep. */
struct pto_memory {
    uint64_t inputs;    /* what was bound, until pto_vm_prepare has ended */
    uint64_t objects;   /* global memory of all ranks but symmetric objects: filled at once */
    uint64_t symmetric; /* zeros until somebody writes them */
    uint64_t on_chip;   /* memories and local arrays of all sub-cores */
    uint64_t machine;   /* sub-cores, registers, queues */
    uint64_t total;
};
/* Instead of pto_vm_prepare: the memory that a run would take.  Inputs may be left unbound. */
enum pto_status pto_vm_measure(struct pto_vm *vm, struct pto_memory *memory,
                               struct pto_diags *diags);

/* Evaluate the set-ups, check shapes and types, allocate.  All problems go to `diags` (positions
 * point at the declarations). */
enum pto_status pto_vm_prepare(struct pto_vm *vm, struct pto_diags *diags);

/* Inputs that are declared `uniform` hold the same on all ranks: to be asked when all of them have
 * been filled.  Inputs that an earlier launch writes are left out. */
enum pto_status pto_vm_compare_uniform(struct pto_vm *vm, struct pto_diags *diags);

/* The declared shape of an object on a rank after pto_vm_prepare, and its bytes. */
struct pto_object_info {
    const char *name;
    uint8_t kind, dtype; /* enum pto_object_kind, enum pto_dtype */
    unsigned dims;
    uint64_t dim[PTO_MAX_DIMS];
    int64_t stride[PTO_MAX_DIMS]; /* elements */
    bool bound;                   /* an input was given */
    bool flat;                    /* arrays of any shape are its elements, in order */
    bool skipped;                 /* a run for times alone has no bytes of it: `data` is NULL */
    bool elsewhere;               /* another process has its bytes: `data` is NULL */
    uint64_t size;                /* bytes */
    uint8_t *data;
};
/* Objects of a rank, numbered 0.. (the same numbers on every rank); false past the end. */
bool pto_vm_object(const struct pto_vm *vm, int rank, unsigned index,
                   struct pto_object_info *info);
int pto_vm_find_object(const struct pto_vm *vm, const char *name); /* -1: none */

/* Run to the end, a fault, a deadlock or a limit.  With a carrier: once, and process 0 has then all
 * ranks but for their memories on chip and objects that nobody wants; what the others have is of no
 * use any more. */
enum pto_status pto_vm_run(struct pto_vm *vm);
/* The fault of a dead machine; NULL while it lives.  A deadlock or a limit is described when it is
 * asked for first. */
const struct pto_fault *pto_vm_fault(struct pto_vm *vm);
/* Tokens left at the end and similar remarks that do not stop a run: NULL-terminated by count. */
unsigned pto_vm_warnings(const struct pto_vm *vm, const struct pto_fault **warnings);

/* ---- going back --------------------------------------------------------------------------- */
struct pto_snapshot;
/* What a stepwise machine is now, before a run or between two stops; what is as it was in `before`
 * (NULL: none), an earlier one of this machine, takes no memory.  NULL: it is over.  Probes and
 * observers are not part of it. */
struct pto_snapshot *pto_vm_snapshot(struct pto_vm *vm, const struct pto_snapshot *before);
/* The machine goes on as it did from there.  The snapshot can be used again. */
void pto_vm_restore(struct pto_vm *vm, const struct pto_snapshot *snapshot);
/* Bytes that it added when it was taken. */
uint64_t pto_snapshot_bytes(const struct pto_snapshot *snapshot);
/* Returns the bytes that became free.  Before the machine is freed or after it. */
uint64_t pto_snapshot_free(struct pto_snapshot *snapshot);

/* ---- going on later ----------------------------------------------------------------------- */
/* Where bytes go, in order. */
struct pto_sink {
    void (*put)(void *context, const void *bytes, size_t size);
    void *context;
};
/* A prepared machine, before a run that is to be saved or goes on from what was: keep in mind what
 * inputs hold. */
void pto_vm_remember_inputs(struct pto_vm *vm);
/* Ask the running machine to rest: pto_vm_run returns PTO_OK between two windows, pto_vm_rests is
 * true, and the next pto_vm_run goes on.  Pausing counts for more.  For signal handlers, too. */
void pto_vm_rest(struct pto_vm *vm);
bool pto_vm_rests(const struct pto_vm *vm);
/* All that a machine is that rests.  With a carrier process 0 puts what all have, and the others
 * give no sink.  Probes and observers are not part of it. */
void pto_vm_save(struct pto_vm *vm, const struct pto_sink *sink);
/* A machine that is prepared goes on where one was saved by the same build of the program, with the
 * same profile, options and launches.  Inputs and parameters that are not what they were are found
 * by their sums; damage is for the caller to find. */
enum pto_status pto_vm_load(struct pto_vm *vm, const uint8_t *bytes, size_t size,
                            struct pto_diags *diags);

/* ---- summary ------------------------------------------------------------------------------ */
struct pto_pipe_stats {
    uint64_t busy_ps;      /* occupied by phases */
    uint64_t wait_ps;      /* head of the queue stalled by wait_flag or a barrier */
    uint64_t instructions; /* completed */
    uint64_t bytes;        /* moved (transfers) */
};
void pto_pipe_stats_add(struct pto_pipe_stats *sum, const struct pto_pipe_stats *one);
struct pto_rank_stats {
    uint64_t end_ps;                  /* when its last sub-core ended */
    uint64_t scalar_instructions;
    uint64_t cube_macs, gm_bytes;
    unsigned cores[PTO_CORE_KINDS];   /* sub-cores that ran */
    /* summed over the sub-cores of a kind; pipes, and the DMA engine (PTO_DMA) */
    struct pto_pipe_stats pipe[PTO_CORE_KINDS][PTO_QUEUE_COUNT];
};
void pto_vm_rank_stats(const struct pto_vm *vm, int rank, struct pto_rank_stats *stats);
/* Bytes and messages from one rank to another so far. */
void pto_vm_link_stats(const struct pto_vm *vm, int from, int to, uint64_t *bytes,
                       uint64_t *messages);
/* What was asked to be otherwise than the profile says, for the whole run or for a while: number 0,
 * 1 and so on; false: there are not so many. */
enum pto_change_kind {
    PTO_CHANGE_DOWN,
    PTO_CHANGE_SLOW_LINK,
    PTO_CHANGE_SLOW_RANK,
    PTO_CHANGE_DEAD_RANK
};
struct pto_change {
    enum pto_change_kind kind;
    const char *name;       /* of a link, "2-3", or a rank, "2" */
    double factor, latency; /* of what is slow; latency: of links */
    struct pto_span when;   /* to: UINT64_MAX is for good */
};
bool pto_vm_change(const struct pto_vm *vm, unsigned number, struct pto_change *change);
/* What processes that shared a run have given each other, for the one that reports; of one process
 * there are windows alone. */
struct pto_traffic {
    uint64_t windows; /* as long as no process can affect another */
    uint64_t meetings;
    uint64_t parcels, messages;
    uint64_t payload; /* bytes that simulated messages carry */
    uint64_t bytes;   /* of parcels */
};
struct pto_traffic pto_vm_traffic(const struct pto_vm *vm);
/* How far a run is: launches that all ranks have ended, ranks that have ended all of them. */
struct pto_progress {
    unsigned launches, launches_done;
    int ranks, ranks_done;
};
struct pto_progress pto_vm_progress(const struct pto_vm *vm);
/* Picoseconds: the clock; of a run that has ended well, when all had ended and had arrived, of one
 * that a fault or a limit has ended, when that was. */
uint64_t pto_vm_time(const struct pto_vm *vm);
/* Has a rank executed more scalar instructions than the limit allows?  Only a machine that was
 * loaded can have. */
bool pto_vm_is_past_insns(const struct pto_vm *vm);
uint64_t pto_vm_instructions(const struct pto_vm *vm); /* tile instructions completed */
uint64_t pto_vm_events(const struct pto_vm *vm);       /* queue entries retired */

/* ---- observers ---------------------------------------------------------------------------- */
enum pto_event_kind {
    PTO_EV_LAUNCH,      /* a sub-core starts its program (insn NULL) */
    PTO_EV_END,         /* a sub-core ended */
    PTO_EV_SCALAR,      /* about to execute a scalar instruction (stepwise machines only) */
    PTO_EV_ISSUE,       /* S put an instruction into a pipe's queue */
    PTO_EV_STALL,       /* S stopped: detail says why */
    PTO_EV_RESUME,      /* S goes on; start_ps = when it stopped */
    PTO_EV_START,       /* a phase starts on its pipe, a copy on the DMA engine */
    PTO_EV_COMPLETE,    /* a phase completed; start_ps..time_ps */
    PTO_EV_SET,         /* a token appeared: flag_* */
    PTO_EV_WAIT_BEGIN,  /* a pipe's head is stalled by a flag: flag_* */
    PTO_EV_WAIT_END,    /* a token was consumed: flag_*; start_ps = when the wait began */
    PTO_EV_SEND,        /* message left for rank `peer`: bytes, message */
    PTO_EV_LAND,        /* message from rank `peer` landed, which had arrived at
                         * start_ps: bytes, message */
    PTO_EV_SIGNAL,      /* a signal's value changed: value, of the first that the notify names */
    PTO_EV_CROSS_SET,   /* set_flag_dev or set_intra_block fired: flag_id: place of the flag (see
                           pto_vm_cross_flag), value: its mode */
    PTO_EV_CROSS_TAKE,  /* wait_flag_dev or, in `pipe`, wait_intra_block took a count: flag_id */
    PTO_EV_REGION_BEGIN,/* trace_begin: text */
    PTO_EV_REGION_END,
    PTO_EV_FAULT,
    /* What the others leave open of why something happened when it did: for those alone who ask
     * with pto_vm_observe_causes. */
    PTO_EV_PASS = 64,   /* an entry that is no phase starts on its pipe: a flag, a barrier */
    PTO_EV_TOOK,        /* an instruction took S from start_ps to time_ps */
    PTO_EV_RELEASE,     /* what S waits for happens, and S goes on at start_ps: brought about by
                           `pipe` of sub-core `peer` of its rank, -1: by a message that lands */
    PTO_EV_CROSS_SEND,  /* the set_flag_dev that fired last sends a count to sub-core `peer` */
    PTO_EV_ELEMENT,     /* a notify makes `value` of one element of a signal, which was `bytes`:
                           `message` says which of the rank; brought about as in RELEASE; whoever
                           waits for it goes on at next_ps */
    PTO_EV_PUT_OFF,     /* others take turns with a phase on its link: the pipe may start its next
                           entry at next_ps */
    PTO_EV_LEAVING,     /* a reply of `bytes` to rank `peer` takes turns with others, and if nobody
                           else comes until next_ps */
    PTO_EV_HELD         /* an element, `message`, is what a TWAIT or TTEST wants: it is `value`;
                           wanted is `bytes`, compared as `reason` says */
};

/* What a phase moves to and from the global memory of its own rank. */
struct pto_gm_use {
    uint64_t read, written; /* bytes */
    uint64_t hit;           /* of those read: they were in the second-level cache */
    uint64_t lines;         /* bytes that go between the cache and memory for it */
};

struct pto_event {
    uint8_t kind;                 /* enum pto_event_kind */
    uint8_t pipe;                 /* PTO_PIPE_*, PTO_DMA */
    uint8_t flag_src, flag_dst, flag_id; /* flag_id >= 8: internal to TPUT/TGET */
    int rank, peer;
    unsigned core;                /* number of the sub-core, see pto_vm_core */
    uint64_t time_ps, start_ps, bytes;
    uint64_t message;             /* unique per (source, target) pair */
    uint64_t entry;               /* of which entry of the queue `pipe` it tells: they are counted
                                     from 1; 0: of none */
    int64_t value;
    uint64_t next_ps;             /* START, PASS: when the pipe may start its next entry;
                                     SEND: when it was sent, its last byte leaves at time_ps;
                                     CROSS_SET: when the count arrives */
    uint8_t reason;               /* STALL, RELEASE: enum stall; SEND, LAND: enum message_kind;
                                     PASS: enum entry_kind */
    bool remote;                  /* START: bytes of another rank; they leave for rank `peer`, -1:
                                     they come from one */
    struct pto_gm_use gm;         /* START */
    const uint64_t *registers;    /* ISSUE, STALL, TOOK: values of those of S, then of the built-in
                                     functions, for observers that asked for them; else NULL */
    const struct pto_insn *insn;  /* NULL if none */
    const struct pto_module *module;
    const char *text;
};
/* What a message is, by the reason of its SEND or LAND: "put", "notify", "request", "reply". */
const char *pto_message_name(unsigned reason);

typedef void pto_observer(void *context, const struct pto_event *event);
/* At most six observers; they see every event in simulated order per rank and change nothing. */
enum pto_status pto_vm_observe(struct pto_vm *vm, pto_observer *observer, void *context);
/* One of them that sees causes, too. */
enum pto_status pto_vm_observe_causes(struct pto_vm *vm, pto_observer *observer, void *context);
/* One that sees causes and values. */
enum pto_status pto_vm_observe_values(struct pto_vm *vm, pto_observer *observer, void *context);

/* ---- looking inside (debugger) ------------------------------------------------------------ */
struct pto_core_info {
    const char *name;             /* "aic3", "aiv7.1" */
    enum pto_core_kind kind;
    unsigned block, sub;
    bool active;                  /* has a program in the current launch */
    bool ended;
    uint32_t pc;                  /* next instruction of S */
    uint64_t time_ps;             /* S's own clock */
    const char *stall;            /* why S is stalled, one line, or NULL */
    const struct pto_module *module;
    const struct pto_kernel *kernel;
    const struct pto_core_code *code;
};
unsigned pto_vm_cores(const struct pto_vm *vm); /* sub-cores per rank */
int pto_vm_ranks(const struct pto_vm *vm);
void pto_vm_core(const struct pto_vm *vm, int rank, unsigned core, struct pto_core_info *info);
/* Value of a register: the bits (a float register holds an f64's bits). */
uint64_t pto_vm_register(const struct pto_vm *vm, int rank, unsigned core, unsigned reg);
/* All of them, and the values of the built-in functions behind them: `count` in all.  They change
 * when the machine runs.  NULL if the sub-core has no program in the current launch. */
const uint64_t *pto_vm_registers(const struct pto_vm *vm, int rank, unsigned core,
                                 unsigned *count);
/* Value that a built-in function (enum pto_sys) has there; false if the sub-core has no program in
 * the current launch. */
bool pto_vm_sys(const struct pto_vm *vm, int rank, unsigned core, unsigned sys, int64_t *value);
/* Element of a .local array; false if there is no such element. */
bool pto_vm_local(const struct pto_vm *vm, int rank, unsigned core, unsigned local,
                  uint64_t index, uint64_t *bits);

struct pto_queue_entry {
    const struct pto_insn *insn;
    uint64_t number;                /* as in struct pto_event */
    uint64_t issue_ps;
    uint64_t start_ps, complete_ps; /* 0: not started, not known */
    const char *state;              /* "queued", "running", "waiting: <reason>" */
};
/* Entry `index` (0 = oldest) of the queue of a pipe or of the DMA engine; false past the end. */
bool pto_vm_queue(const struct pto_vm *vm, int rank, unsigned core, unsigned queue, unsigned index,
                  struct pto_queue_entry *entry);
/* Tokens present of (src, dst, id). */
unsigned pto_vm_flag(const struct pto_vm *vm, int rank, unsigned core, unsigned src, unsigned dst,
                     unsigned id);
/* Count of a flag of other sub-cores at a sub-core, by its place: cross-core flags, and behind them
 * those inside a block; 0 past the end of `pto_vm_cross_places`. */
unsigned pto_vm_cross_flag(const struct pto_vm *vm, int rank, unsigned core, unsigned place);
unsigned pto_vm_cross_places(void);
/* The number by which the sub-core calls the flag at a place, and all of its name:
 * "cross-core flag 3", "intra-block flag 1". */
unsigned pto_vm_cross_number(const struct pto_vm *vm, int rank, unsigned core, unsigned place);
void pto_vm_cross_name(const struct pto_vm *vm, int rank, unsigned core, unsigned place,
                       char text[PTO_CROSS_NAME]);
/* Bytes of a space of a sub-core (NULL before anything was allocated) and their number. */
const uint8_t *pto_vm_space(const struct pto_vm *vm, int rank, unsigned core,
                            enum pto_space space, uint32_t *size);
/* Everything that waits and for what, one party a line (also what a deadlock report holds);
 * `with_running`: and the scalar units at work, with the loop that they are in. */
void pto_vm_describe_waits(const struct pto_vm *vm, bool with_running, struct pto_buf *out);

/* ---- changing what is inside (debugger) ----------------------------------------------------- */
/* Of a stepwise machine between two stops: what is done here is not part of any snapshot before.
 * Who waits for a value is not told, so signals are left to those who notify. */
void pto_vm_set_register(struct pto_vm *vm, int rank, unsigned core, unsigned reg, uint64_t bits);
bool pto_vm_set_local(struct pto_vm *vm, int rank, unsigned core, unsigned local, uint64_t index,
                      uint64_t bits);
/* The bytes of an object, or of a space of a sub-core, to be written to; an input that nobody
 * writes becomes the rank's own.  NULL: there are none. */
uint8_t *pto_vm_open_object(struct pto_vm *vm, int rank, unsigned index);
uint8_t *pto_vm_open_space(struct pto_vm *vm, int rank, unsigned core, enum pto_space space,
                           uint32_t *size);
/* S goes on at this instruction; false: it is in the middle of one, or has ended. */
bool pto_vm_set_pc(struct pto_vm *vm, int rank, unsigned core, uint32_t pc);

/* Ask the running machine to pause: pto_vm_run returns PTO_OK and pto_vm_paused is true.  To be
 * called from an observer, or from a signal handler (sets one flag). */
void pto_vm_pause(struct pto_vm *vm);
/* The same for good: a run that is about to begin pauses, too. */
void pto_vm_stop(struct pto_vm *vm);
bool pto_vm_paused(const struct pto_vm *vm);
bool pto_vm_finished(const struct pto_vm *vm);

#endif
