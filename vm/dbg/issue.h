/* What queue entries were issued with: the registers of S as they were then.  S runs ahead of the
 * pipes, so what its registers hold when an entry starts or completes says nothing about it. */
#ifndef PTO_DBG_ISSUE_H
#define PTO_DBG_ISSUE_H

#include "dbg/state.h"
#include "look/touch.h"

/* Values of all registers, then of the built-in functions. */
struct dbg_issue {
    unsigned refs;
    uint64_t entry; /* of its queue; 0: S's own */
    uint64_t value[];
};

/* An entry was issued: remember what S holds. */
void issue_note(struct dbg *dbg, const struct pto_event *event);
/* What the instruction of an event was issued with.  An event of S itself: what S holds now; NULL
 * for an instruction that S has yet to execute, and where there is none.  Of dbg->arrival: what it
 * left with.  A new reference. */
struct dbg_issue *issue_of_event(struct dbg *dbg, const struct pto_event *event);
/* What entry `number` of a queue of a sub-core was issued with; NULL: it is not known any more. */
struct dbg_issue *issue_of_entry(struct dbg *dbg, int rank, unsigned core, unsigned queue,
                                 uint64_t number);
/* What is written to another rank leaves: when it lands, `mark` comes back, and S has gone on. */
void issue_departs(struct dbg *dbg, uint64_t mark, const struct pto_touch *sender);
void issue_forget_departures(struct dbg *dbg);
struct dbg_issue *issue_share(struct dbg_issue *issue);
void issue_drop(struct dbg_issue *issue);
/* A ring of dbg_core.issue, shared; *bytes grows by what it takes.  NULL: there is none. */
struct dbg_issue **issue_copy_ring(const struct dbg *dbg, struct dbg_issue *const *ring,
                                   uint64_t *bytes);
/* All that is known of the sub-core's entries goes. */
void issue_forget(const struct dbg *dbg, struct dbg_core *core);

#endif
