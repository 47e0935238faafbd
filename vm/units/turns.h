/* Links that serve all who send over them in turns: each gets the same share of the bandwidth
 * (docs/decisions/0092-links-serve-in-turns.md). */
#ifndef PTO_UNITS_TURNS_H
#define PTO_UNITS_TURNS_H

#include "machine/machine.h"

/* The owner of a transfer (`flow`, `number`, `core`, `queue`) takes its turns on the way to a rank
 * from now on.  `way`, `floor` and `after` are given, too.  Returns when the last byte leaves if
 * nobody else comes; if somebody does, the owner is put off. */
uint64_t turns_begin(struct rank *rank, int to, uint64_t bytes, const struct turn *owner);
/* When a reply leaves, as far as is known now; 0: it has. */
uint64_t turns_end(const struct rank *rank, uint64_t number);

#endif
