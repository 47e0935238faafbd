/* What leaves over a link may be through at another time than was known when it started: later, if
 * others come who take turns with it (turns.h), or never, if the link goes down. */
#ifndef PTO_UNITS_PUT_OFF_H
#define PTO_UNITS_PUT_OFF_H

#include "machine/machine.h"

/* The last bytes of the entry that a pipe started last, number `counter`, leave so much later than
 * was known, `after` before it completes. */
void put_off_entry(struct core *core, unsigned pipe, uint32_t counter, uint64_t later,
                   uint64_t after);
/* The last byte of the submission that the DMA engine started last leaves at `end`, later than was
 * known. */
void put_off_submission(struct core *core, uint64_t number, uint64_t end);
/* What leaves over a link that goes down meanwhile completes, or moves, no later than that. */
void put_off_at_break(const struct core *core, struct entry *entry);
void put_off_move_at_break(const struct core *core, struct submission *submission);

#endif
