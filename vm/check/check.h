/* The checker: finds accesses that no order separates, reads of bytes that nobody wrote, and
 * synchronisation out of step, by happens-before: what it reports does not depend on the times of
 * the run that it watches.  It observes a machine and never changes it.
 *
 * Use: pto_check_attach after pto_vm_prepare, run the machine, pto_check_finish, read the findings,
 * pto_check_free (before pto_vm_free). */
#ifndef PTO_CHECK_H
#define PTO_CHECK_H

#include "vm.h"

struct pto_check;

enum pto_finding_kind {
    PTO_FIND_RAW,         /* a read does not wait for the write that it needs */
    PTO_FIND_WAR,         /* a write does not wait for a read of the old bytes */
    PTO_FIND_WAW,         /* two writes in no order */
    PTO_FIND_UNINIT,      /* read of bytes that nobody wrote */
    PTO_FIND_SET_PENDING, /* set_flag is not ordered behind the wait for the token before */
    PTO_FIND_TOKEN_LEFT,  /* a token, count or copy that nobody waits for */
    PTO_FIND_SIGNAL_REUSED, /* a wait is satisfied by notifies that an earlier one used up */
    PTO_FIND_SIGNAL_AMBIGUOUS, /* another notify could have satisfied a wait, and it matters */
    PTO_FIND_COULD_HANG,  /* a wait could sleep for ever */
    PTO_FIND_CACHE_STALE, /* a scalar cache stands between a write and its reader */
    PTO_FIND_TILE_OVERLAP, /* a tile is read whose bytes another tile has overwritten */
    PTO_FIND_STALE_BYTES, /* a read goes behind what was loaded last, to what was there before */
    PTO_FIND_FALSE_SHARING, /* the write-back of one cache undoes the store of another sub-core */
    PTO_FINDING_KINDS
};
/* "race-raw", "uninitialised-read", ...: what reports, suppressions and filters call it. */
const char *pto_finding_name(enum pto_finding_kind kind);
int pto_finding_find(const char *name); /* -1: none */
/* One sentence on what the kind means. */
const char *pto_finding_meaning(enum pto_finding_kind kind);

/* One party of a finding. */
struct pto_finding_access {
    bool present;
    bool write, atomic;
    const struct pto_module *module;
    const struct pto_kernel *kernel;
    int32_t pos;          /* index of the position in the module, PTO_NONE */
    const char *mnemonic;
    const struct pto_insn *insn; /* NULL: not known */
    int rank;
    const char *core;     /* "aiv7.1" */
    const char *pipe;     /* "MTE3" */
    uint64_t time_ps;     /* when it touched the bytes */
};

/* Lines that go into a text. */
struct pto_edit {
    const char *file;
    uint32_t line, column; /* of the instruction, or of the use of the macro that it comes from */
    bool after;       /* behind this statement; else before it */
    const char *text; /* one or more lines with '\n' between them, without indentation */
};

/* What to do about a finding, or about the end of a run. */
struct pto_advice {
    const char *text; /* in words; NULL: there is none */
    const struct pto_edit *edit; /* the same as changes; none: only the author can say which */
    unsigned edits;
    bool proved;      /* a run with the changes was clean */
};

struct pto_finding {
    enum pto_finding_kind kind;
    /* In program order where there is one: the earlier and the later party. */
    struct pto_finding_access access[2];
    const char *where;    /* "ub", "acc of rank 1" */
    uint64_t offset, bytes; /* of the first occurrence */
    const char *message;  /* one sentence */
    const char *ordered;  /* what orders the two, as far as it goes; NULL: not applicable */
    struct pto_advice advice;
    /* Numbers of findings with whose remedy it probably vanishes, too.  Two can be causes of each
     * other. */
    const unsigned *cause;
    unsigned causes;
    uint64_t count;       /* occurrences */
    unsigned ranks, cores; /* on how many ranks, on how many sub-cores of them */
    bool *has_rank;        /* by rank: had it part in an occurrence? */
};

enum pto_status pto_check_attach(struct pto_vm *vm, struct pto_check **check);
/* Pause the machine at the first finding: for tests that only want to know whether there is one. */
void pto_check_stop_at_first(struct pto_check *check);
/* Call the function at every first occurrence, while the machine runs; it may pause the machine.
 * NULL: no more. */
typedef void pto_finding_listener(void *context, enum pto_finding_kind kind,
                                  const struct pto_finding_access access[2]);
void pto_check_listen(struct pto_check *check, pto_finding_listener *listener, void *context);
/* Before the run has ended: how many there are, and one of them, as far as is known now. */
unsigned pto_check_found(const struct pto_check *check);
void pto_check_so_far(struct pto_check *check, unsigned index, struct pto_finding *finding);
/* Of the hardware's flags there are two readings: one flag for every pair of pipes and id, or one
 * for every set pipe and id, whoever waits.  Check for the second.  To be asked for before the
 * run. */
void pto_check_share_flags(struct pto_check *check);
/* After the run: conclude.  Findings come in the order of their first occurrence. */
void pto_check_finish(struct pto_check *check);
/* Waits have learned what they could not rely on, or the values of fetch_adds prove more than was
 * known: the findings are those of the same launches run once more, on a new machine made in the
 * same way, under pto_check_attach_again.  Until nothing of it is new. */
bool pto_check_doubtful(const struct pto_check *check);
enum pto_status pto_check_attach_again(struct pto_vm *vm, const struct pto_check *before,
                                       struct pto_check **check);
unsigned pto_check_findings(const struct pto_check *check, const struct pto_finding **findings);
/* Which findings to show first of those that are `chosen`: leader[i] is i for them, and for every
 * other one a finding that leads, from which it follows, perhaps over others.  What is not chosen
 * leads nothing and gets no leader. */
void pto_check_lead(const struct pto_check *check, const bool *chosen, unsigned *leader);
/* Contests: two operations of different sub-cores on one place, of which the program says in no way
 * which comes first, and it matters.  To be asked for before the run. */
struct pto_contest {
    struct pto_contest_act {
        int rank;
        unsigned core;
        uint32_t act; /* as in struct pto_delay: delaying it delays the operation */
        uint64_t time_ps;
        const struct pto_module *module;
        int32_t pos;
    } first, second; /* in this run */
};
void pto_check_watch_contests(struct pto_check *check);
unsigned pto_check_contests(const struct pto_check *check, const struct pto_contest **contests);
/* The same for runs in which all that can matter came in the same order. */
uint64_t pto_check_order(const struct pto_check *check);
/* Remarks that do not make a run wrong. */
enum pto_note_kind {
    PTO_NOTE_REDUNDANT,  /* synchronisation that added no order, every time */
    PTO_NOTE_LATE_STORE, /* a store to a rank that does not know of it when its last launch ends */
    PTO_NOTE_KINDS
};
const char *pto_note_name(enum pto_note_kind kind);
const char *pto_note_meaning(enum pto_note_kind kind);

struct pto_source_line {
    const char *file;
    uint32_t line;
};

struct pto_check_note {
    enum pto_note_kind kind;
    const char *message;
    const struct pto_module *module;
    int32_t pos;
    int rank;           /* PTO_NOTE_LATE_STORE: the first that does not know */
    /* PTO_NOTE_REDUNDANT: how often it was executed.  PTO_NOTE_LATE_STORE: of the bytes that its
     * stores have left so, in how many runs they lie that are alike to the checker.  Neither the
     * number of stores nor that of bytes: more of them are more to look at, and it is the same in
     * every run that comes out the same. */
    uint64_t count;
    uint64_t waited_ps; /* simulated time that pipes waited there, in all */
    const struct pto_source_line *line; /* PTO_NOTE_REDUNDANT: what goes together, its own first */
    unsigned lines;
};
unsigned pto_check_notes(const struct pto_check *check, const struct pto_check_note **notes);
/* How often a synchronisation instruction was executed, 0: never, and whether it ordered anything;
 * one row for every place of the text.  To be asked for before the run; tests of the DMA engine
 * count when they came out true. */
struct pto_coverage {
    const struct pto_module *module;
    int32_t pos;
    const char *mnemonic;
    uint64_t times;
    bool ordered;
};
void pto_check_watch_coverage(struct pto_check *check);
unsigned pto_check_coverage(const struct pto_check *check, const struct pto_coverage **coverage);
void pto_check_free(struct pto_check *check);

#endif
