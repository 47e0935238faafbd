/* The state of a checker, private to vm/check.
 *
 * order.c follows the machine and keeps the clocks, frame.c holds what parties know, async.c
 * follows the DMA engine, the files signal*.c TNOTIFY and TWAIT, doubt.c what waits cannot rely on,
 * and fetch*.c what the values of fetch_add prove; travel.c has what goes to other ranks, and
 * together.c what processes tell each other; touch.c sees the accesses, machine/effect.h turns
 * them into bytes (plan.c); held.c keeps loads of S apart; race.c judges accesses and keeps the
 * states of the bytes, race_report.c says what races, cache.c and line.c add the rules of the
 * scalar caches; finding.c collects what is wrong, follow.c says what follows from what, advice.c
 * what to do about it; redundant.c finds what was too much, note.c collects such remarks.
 */
#ifndef PTO_CHECK_INTERNAL_H
#define PTO_CHECK_INTERNAL_H

#include "check/check.h"
#include "check/history.h"
#include "check/known.h"
#include "check/shadow.h"
#include "machine/probe.h"
#include "machine/queue.h"

struct release;
struct cache_line; /* cache.h */
struct held_loads; /* held.c */

/* ---- accesses and states ---- */

enum { ACCESS_WRITE = 1, ACCESS_ATOMIC = 2, ACCESS_REMOTE = 4 };

/* One queue entry or scalar instruction that touches bytes. */
struct access {
    uint32_t core;   /* over all ranks */
    uint32_t epoch;  /* in its lane */
    uint32_t pc;
    uint32_t serial; /* order of issue on its sub-core */
    uint32_t told;   /* notifies and scalar loads of its sub-core before its issue */
    uint32_t act;    /* the last one of its S before its issue */
    uint32_t visit;  /* of another rank: what came along (travel.h), + 1; 0: it is of this one */
    uint8_t lane;    /* enum lane */
    bool marked;     /* still referenced, see race.c */
    uint16_t object; /* of a load from global memory into a tile: from where ... */
    uint32_t origin; /* ... and to which byte of its space, + 1; 0: it is none */
    union {
        uint32_t heir; /* a later load from there to there */
        uint32_t back; /* of a scalar store: epoch of a dcci of its line; 0: none */
    };
    const struct ready_code *code;
    uint64_t time;
};

/* An access in a role: number of the access << 3 | ACCESS_* bits. */
typedef uint32_t check_use;

/* State of bytes: who wrote them last, and who else has used them since: readers, and atomic
 * writers that no order separates from the last. */
struct state {
    check_use writer;    /* 0: see `id` */
    uint32_t others;
    union {
        check_use few[2];
        check_use *many; /* more than 2 */
    };
    uint32_t tile;    /* that it was written through, on chip; 0: none */
    uint32_t spoiled; /* a tile whose contents that write has ended without being a view of it */
    uint32_t load;    /* the access that brought the contents, which may have been changed in place
                       * since; 0: they are from elsewhere */
    uint32_t turn, next; /* of the use that found it last: what it has become */
    bool never;    /* some byte was never written by anyone */
    bool marked;
    bool quiet;    /* of a tile: S of its sub-core is known to have nothing to report of it */
};

/* The access that is being judged. */
struct touch {
    check_use use;
    uint32_t core; /* whose use it is */
    uint8_t lane;  /* enum lane: of which queue */
    const struct frame *frame;
    bool global;   /* bytes of `object`, else on chip: */
    uint8_t space; /* enum pto_space */
    uint32_t tile;     /* in it: number + 1 of the declared tile, the last parent of a view */
    const struct object *object;
    int rank;          /* of the object */
    bool unstarted;    /* it waits in its queue at the end of the run: see race.c */
    bool quick;        /* a look may do: neither that, nor atomic, nor of S in global memory */
    uint32_t write_state[2]; /* after a write: plain, or of bytes that it had read */
    uint32_t turn; /* of uses */
};

/* ---- sub-cores ---- */

struct token {
    struct frame frame;
    uint32_t pc; /* of the set_flag */
    struct token *next;
};

/* What S knew at the issue of entries: one for all that it has issued until it knew more. */
struct issued {
    uint32_t refs;
    uint64_t change; /* check_core.changes of that time */
    struct frame frame;
    struct issued *next; /* of those to be used again */
};

/* What goes with a queue entry. */
struct record {
    struct issued *issued; /* until it starts */
    struct frame frame;    /* of tile instructions and cross-core flags since: what it knows */
    struct token *token;   /* of a set since its start: what it tells */
    uint32_t access, serial, told, act; /* as in struct access */
};

struct check_pipe {
    struct frame at; /* what the entries started so far know */
    uint64_t joined; /* struct issued.change: `at` has all of that and of what was before it */
    struct record *ring; /* of what is in the queue */
    uint32_t records; /* places in the ring, a power of two; 0: none yet */
};

enum { PAST_ENTRIES = 32 };
enum { CHECK_FLAGS = PTO_PIPE_COUNT * PTO_PIPE_COUNT * EVENT_IDS };

/* What S knew of other sub-cores from an instruction on. */
struct past {
    uint32_t serial;
    struct far *far;
};

struct check_core {
    struct core *core;
    uint32_t id;           /* over all ranks */
    union {
        const struct frame s;       /* the scalar unit; who changes it takes check_change */
        struct frame s_to_change;
    };
    uint64_t changes;      /* of s */
    struct issued *issued; /* by the last issue; a reference */
    struct far_chunk *told; /* what S told last, if its far clock may not have that yet */
    uint32_t version;      /* last one given to a far clock of this sub-core */
    uint32_t serial;       /* instructions issued */
    uint32_t count[LANE_STORE + 1]; /* entries of every lane */
    struct log_page *log[LANE_STORE + 1][LOG_PAGES]; /* its last entries, the latest page first */
    struct check_pipe pipe[PTO_PIPE_COUNT];
    struct past *past;     /* the last ones, in a ring; NULL before the first */
    uint32_t pasts;
    bool learned;          /* something since the last instruction */
    struct check_flag {
        struct token *token; /* oldest first */
        uint32_t taken, taken_pc; /* epoch of the last wait, in its lane */
    } flag[CHECK_FLAGS];   /* by number: see handover.h */
    uint64_t flagged[(CHECK_FLAGS + 63) / 64]; /* a bit for each that was set in this launch */
    struct record *submission; /* of the DMA engine's ring; NULL before the first */
    struct token *cross_out[CROSS_PLACES], *cross_in[CROSS_PLACES];
    struct cross_act { uint32_t act, told; } cross_act[CROSS_PLACES]; /* of the last set */
    struct shadow space[PTO_SPACE_COUNT];
    struct held_loads *held; /* by S from a space; NULL before the first ... */
    uint64_t held_pages;     /* ... and the pages of it where there may be some, a bit each */
    struct frame fresh;    /* what S knew when all of its cache was last dropped */
    struct cache_lines {
        struct cache_line *slot; /* hash table, open addressing */
        uint32_t slots, used;
    } lines;               /* dropped alone since */
    uint32_t *clean, cleans, clean_capacity; /* epochs of its last write-backs, in LANE_STORE */
    uint32_t stored;       /* epoch of its last scalar store */
};

/* A party of a finding. */
struct party {
    uint32_t core, pc;
    uint8_t lane;
    bool write, atomic, present;
    const struct ready_code *code;
    uint64_t time;
};

/* ---- signals ---- */

/* A TNOTIFY: what its sender told, of others and of itself; all who learn of it share both. */
struct release {
    uint32_t refs;
    uint32_t core, epoch, pc, act;
    const struct ready_code *code;
    uint64_t time;
    struct frame frame;
    struct far_chunk *told; /* of the sender; frame.far may be older there */
};

struct signal; /* signal.h */

/* ---- findings ---- */

/* How near a race across sub-cores came to being ordered.  For the cache rule: is it the writer's
 * dcci that is missing? */
enum near_miss { NEAR_NOTHING, NEAR_FENCE, NEAR_BARRIER, NEAR_WRITE_BACK };

/* Where in a run something was found: all processes order what they find by that as one would
 * find it. */
enum phase { PHASE_RUN, PHASE_STARTED, PHASE_ENGINES, PHASE_QUEUED, PHASE_SLEEPERS, PHASE_SIGNALS };
struct stamp {
    enum phase phase;
    uint64_t window; /* of a run: its end */
    int rank;        /* at work */
};

struct found {
    struct pto_finding finding;
    struct stamp stamp; /* of the first occurrence */
    struct party party[2];
    uint8_t near;    /* enum near_miss */
    bool global;     /* global memory */
    bool kept;       /* the first is a store that no dcci has written back in time */
    bool stale;      /* the second is a load, and no dcci since it was told of the first */
    const char *shares; /* an event that is the same flag, for pto_check_share_flags; or NULL */
    uint32_t epoch;  /* of a race's first access; what the second knew, and up to where its S */
    uint32_t told;
    struct frame known;
    uint64_t *cores[2]; /* one bit a sub-core, of each party */
    bool *rank;      /* whether a rank had part in it */
    uint32_t next;   /* in the hash chain, +1 */
};

enum { FOUND_SLOTS = 1024 };

enum { SETS_KEPT = 8, RECENT_USES = 64 };

/* How a synchronisation instruction was used. */
struct sync_use {
    const struct ready_code *ready;
    uint32_t pc, number; /* number: of the program, in the end */
    uint32_t set[SETS_KEPT], sets; /* who set the tokens that it took; in the end by pc */
    uint64_t times, waited_ps;
    bool useful;              /* it added order at least once, or goes with what did */
    /* Of all synchronisation, if coverage is asked for: */
    uint64_t executed, cross_ids; /* cross_ids: bits of the cross-core flags that it has set */
    bool ordered;                 /* something, at least once */
};

struct pto_check {
    struct pto_vm *vm;
    struct probe_link link;
    struct pto_arena arena;
    struct check_core *core; /* of all ranks */
    uint32_t cores, per_rank;
    struct clock_shape shape;
    struct far **base;       /* what a rank's next launch begins with */
    struct shadow **object;  /* [rank][object] */
    uint32_t *storer;        /* of the rank's sub-cores whose S has stored: see line.c */
    struct token *spare_token; /* to be used again */
    struct issued *spare_issued;
    struct frame match;      /* of cross-core flags, between match and send */
    bool in_order[PTO_PIPE_COUNT];
    struct stamp stamp;      /* of what is found now */
    const struct ready_code **code; /* of all kernels, by number */
    uint32_t codes;
    bool stop_at_first;
    pto_finding_listener *listener; /* NULL: none */
    void *listener_context;
    bool shared_flags;       /* a flag is a set pipe and an id: see pto_check_share_flags */
    struct contests *contests; /* NULL: nobody asks for them */

    struct access *access;   /* numbers from 1 */
    uint32_t accesses, access_capacity, *spare_access, spare_accesses, spare_access_capacity;
    struct state *state;
    uint32_t states, state_capacity, *spare_state, spare_states, spare_state_capacity;
    uint32_t sweep_at;       /* states or accesses in use that start the next sweep */
    struct shadow_pools pools;
    struct touch touch;
    struct plan *plan;       /* PLANS_KEPT of them, by instruction and words: see plan.h */

    struct signal **signal;  /* hash table, open addressing */
    uint32_t signals, signal_slots;
    struct doubt *doubt;     /* the first `old_doubts` are of the run before, in order */
    uint32_t doubts, old_doubts, doubt_capacity;
    bool doubtful;           /* there are new ones */
    struct fetches *fetches; /* NULL before the first */
    bool provable;           /* of them there are new proofs */
    struct vague *vague;
    uint32_t vagues, vague_capacity;
    struct mailboxes *mail;  /* the ways to other processes; NULL: one has all ranks */
    struct travels *travels; /* what is on its way, and what came from other ranks */

    struct run_end {         /* of all processes */
        bool early, faulted; /* it ended before all was done; by a fault of the program ... */
        int32_t pos;         /* ... there */
        bool finished, complete; /* nothing more will come: all have ended, or nobody can go on */
    } end;
    bool any;                /* somebody has found something */
    struct found *found;
    uint32_t founds, found_capacity, found_slot[FOUND_SLOTS]; /* index + 1 */
    uint8_t events_used[CHECK_FLAGS];
    struct sync_use **use;   /* hash table, open addressing */
    uint32_t uses, use_slots;
    struct sync_use *recent_use[RECENT_USES]; /* by pc; NULL: none */
    struct sync_use **listed; /* in the end: the same, in the order of the programs */
    uint64_t cross_ordered;    /* bits of the cross-core flags that have ordered something */
    bool covers;               /* coverage is asked for */
    struct pto_coverage *coverage;
    unsigned coverages, coverage_capacity;
    struct pto_check_note *note;
    unsigned notes, note_capacity;
    struct pto_finding *result;
    unsigned results;
};

/* What a sub-core tells another one; of itself. */
struct frame frame_told(const struct frame *frame);
struct row frame_row_told(const struct frame *frame);
static inline struct check_core *check_core_of(struct pto_check *check, const struct core *core)
{
    return &check->core[(uint32_t)core->rank->number * check->per_rank + core->number];
}
/* What S knows now, for what it hands over, after it has come to know more: see handover.h. */
struct issued *issued_anew(struct pto_check *check, struct check_core *core);
/* S learns all of a far clock, what it says about S's own sub-core included. */
void check_learn(struct check_core *core, struct far *far);
/* S comes to know what something of its sub-core knows. */
void check_gather(struct check_core *core, const struct frame *from);
/* The same of one that knows all that S knows of others: it takes the place of that. */
void check_learn_sum(struct check_core *core, struct far *sum);
/* S learns of a TNOTIFY; false: it knew. */
bool check_hear(struct check_core *core, const struct release *release,
                const struct clock_shape *shape);
/* Keep what S knows of others now; what it knew of them at the instruction of that number. */
void check_keep_past(struct check_core *core);
struct far *check_far_at(const struct check_core *core, uint32_t serial);
/* token.c: no more tokens in a list; nor anywhere.  See handover.h. */
void token_drop_all(struct pto_check *check, struct token **list);
void tokens_free(struct pto_check *check);
/* A flag of a sub-core is set, and its oldest token taken. */
void token_set(void *context, struct core *source, uint32_t pc, unsigned src, unsigned dst,
               unsigned id);
void token_taken(void *context, struct core *source, unsigned src, unsigned dst, unsigned id);

/* order.c */
extern const struct engine_probe check_probe;
void check_forget_tokens(struct pto_check *check, struct check_core *core);
/* The access of what `record` was kept for, next in its lane. */
uint32_t check_new_access(struct pto_check *check, struct check_core *core, unsigned lane,
                          uint32_t pc, const struct record *record);
/* cross.c */
void cross_set(void *context, struct core *source, unsigned pipe, unsigned mode, unsigned id);
void cross_match(void *context, struct core *const *members, unsigned count, unsigned id);
void cross_send(void *context, struct core *to, unsigned id);
void cross_take(void *context, struct core *source, unsigned pipe, uint32_t pc, unsigned id);

/* async.c */
void async_submitted(void *context, struct core *source);
void async_moves(void *context, struct core *source, uint64_t number, const struct op_view *dst,
                 const struct op_view *src);
uint32_t async_leaves(void *context, struct core *source, uint64_t number);
void async_seen(void *context, struct core *source, uint64_t event);
/* What the engine holds: its accesses stay (race.c), it is judged when the run ended early. */
void async_mark(struct pto_check *check, const struct check_core *core);
void async_unfinished(struct pto_check *check, struct check_core *core);
void async_forget(struct check_core *core);

/* touch.c, touch_rank.c */
void touch_complete(void *context, struct core *source, unsigned pipe,
                    const struct op_args *args);
void touch_scalar(void *context, struct core *source, const struct ready_operand *place,
                  const void *address, unsigned mode);
uint32_t touch_put(void *context, struct core *source, unsigned pipe);
uint32_t touch_request(void *context, struct core *source, unsigned pipe, uint32_t counter);
void touch_land(void *context, struct rank *rank, const struct message *message,
                const struct op_view *view);
void touch_sample(void *context, struct rank *rank, const struct message *message,
                  const struct op_view *view);
/* A view of the rank's object of that number. */
void touch_object(struct pto_check *check, const struct rank *rank, uint32_t number,
                  const struct op_view *view);
/* The rank's object behind an object of the kernel, which may be a view. */
uint32_t touch_object_number(const struct core *core, uint32_t object);
/* The view of the operand that these words name on the sub-core's own rank. */
void touch_global(struct pto_check *check, const struct core *source, const uint64_t *word,
                  const struct op_view *view);
/* The run ended early: judge what had started and not completed, and what was still queued. */
void touch_unfinished(struct pto_check *check);
/* A TNOTIFY, which knows `frame`, changes a signal's words: an atomic write. */
void touch_notify(struct pto_check *check, const struct rank *rank, uint32_t object,
                  const struct op_view *view, uint32_t access, const struct frame *frame);

/* signal.c */
uint32_t check_notify(void *context, struct core *core);
void check_notify_land(void *context, struct rank *rank, uint32_t object,
                       const struct op_view *view, int64_t value, int operation, uint32_t tag);
void check_signal_seen(void *context, struct core *core);
void check_signal_unseen(void *context, struct core *core);
/* What S tells by its last act of LANE S; one reference. */
struct release *check_release(struct pto_check *check, const struct check_core *core);
void check_release_drop(struct release *release);
void check_signals_finish(struct pto_check *check);

/* contest.c: an operation on a word, or on bytes from `offset` on, of a rank's object, that may
 * come before or behind those of others. */
enum contest_kind { CONTEST_ADD, CONTEST_SET, CONTEST_TEST, CONTEST_WAIT, CONTEST_FETCH,
                    CONTEST_ATOMIC, CONTEST_CROSS, CONTEST_JOIN /* by mode, from 0 on */ };
enum { CONTEST_NO_OBJECT = UINT16_MAX }; /* of cross-core flags: the offset is that of a count */
struct contest_act {
    enum contest_kind kind;
    uint32_t core, act, epoch; /* epoch in the lane of S from which on it is known */
    uint64_t time;
    const struct ready_code *code;
    uint32_t pc;
};
void contest_note(struct pto_check *check, int rank, uint32_t object, uint64_t offset,
                  const struct contest_act *act, const struct frame *frame);
void contests_free(struct pto_check *check);

/* signal_table.c */
void check_signals_free(struct pto_check *check);

/* doubt.c; for vagues see signal.h */
void vagues_put(const struct pto_check *check, struct pto_buf *out);
void vagues_take(struct pto_check *check, int process, struct reader *in);
void vagues_sort(struct pto_check *check);
void vague_finish(struct pto_check *check);
bool vague_is_cause(const struct pto_check *check, const struct found *found,
                    const struct found *root);
void doubt_free(struct pto_check *check);

/* finding.c */
struct party finding_party(const struct pto_check *check, check_use use);
struct party finding_notify(const struct release *release);
/* Count an occurrence of a finding, if there is one. */
bool finding_count(struct pto_check *check, enum pto_finding_kind kind, const struct party *first,
                   const struct party *second);
/* Count a finding; returns it if it is new, for the caller to explain. */
struct found *finding_add(struct pto_check *check, enum pto_finding_kind kind,
                          const struct party *first, const struct party *second);

/* Findings of all processes, by first occurrence, take the place of those of this one. */
void findings_replace(struct pto_check *check, const struct found *all, uint32_t count);
/* By first occurrence. */
int finding_compare_stamps(const struct stamp *a, const struct stamp *b);
/* The number of a program, the same in all processes. */
uint32_t check_code_number(const struct pto_check *check, const struct ready_code *code);

/* The same instruction of the same program, in whatever launch? */
bool finding_same_place(const struct party *a, const struct party *b);

/* leftover.c: add them to the results. */
void leftovers_add(struct pto_check *check);

/* follow.c: link the results, which stand in the order of check->found, to their causes. */
void follow_link(struct pto_check *check);

/* redundant.c: an instruction was executed; did it add order? */
struct sync_use *redundant_note(struct pto_check *check, const struct core *core, uint32_t pc,
                                bool useful);
/* A wait has taken the token of the set at `pc`. */
void redundant_took(struct sync_use *use, uint32_t pc);
/* Does the token know something that `into` does not? */
static inline bool redundant_adds(const struct frame *into, const struct frame *token)
{
    return token->version > into->version || (token->apart && token->far != into->far) ||
           row_adds(&into->row, &token->row);
}
/* The use of an instruction, perhaps one that was asked for lately; find: NULL if there is none. */
struct sync_use *redundant_use(struct pto_check *check, const struct ready_code *code, uint32_t pc);
static inline struct sync_use *redundant_recall(struct pto_check *check,
                                                const struct ready_code *code, uint32_t pc)
{
    struct sync_use **recent = &check->recent_use[pc % RECENT_USES];

    if (!*recent || (*recent)->pc != pc || (*recent)->ready->code != code->code)
        *recent = redundant_use(check, code, pc);
    return *recent;
}
const struct sync_use *redundant_find(const struct pto_check *check, const struct ready_code *code,
                                      uint32_t pc);
void redundant_finish(struct pto_check *check);
void redundant_free(struct pto_check *check);

/* coverage.c: an instruction was executed; it has ordered something.  Nothing happens unless
 * coverage is asked for. */
void cover_executed(struct pto_check *check, const struct ready_code *code, uint32_t pc,
                    bool ordered);
static inline void cover_note(struct pto_check *check, const struct ready_code *code, uint32_t pc,
                              bool ordered)
{
    if (check->covers)
        cover_executed(check, code, pc, ordered);
}
void cover_mark(struct pto_check *check, const struct ready_code *code, uint32_t pc);
void cover_cross_set(struct pto_check *check, const struct core *core, uint32_t pc, unsigned id);
/* S is about to learn a far clock, from a flag or a barrier; returns whether that is new. */
void cover_cross_take(struct pto_check *check, const struct check_core *core,
                      const struct frame *known, uint32_t pc, const struct far *far, unsigned id);
bool cover_meeting(struct pto_check *check, const struct check_core *core, const struct far *far);
void cover_finish(struct pto_check *check);

/* note.c */
void note_add(struct pto_check *check, const struct pto_check_note *note);
void notes_find(struct pto_check *check); /* of the ranks that are here */
void notes_put(const struct pto_check *check, struct pto_buf *out);
void notes_take(struct pto_check *check, struct reader *in);
void notes_finish(struct pto_check *check);

#endif
