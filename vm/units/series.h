/* Instructions that the scalar unit carries out as a series of phases on several pipes: TPUT, TGET
 * and the collectives of a root. */
#ifndef PTO_UNITS_SERIES_H
#define PTO_UNITS_SERIES_H

#include "issue.h"

/* Chunk after chunk; stalls in between when a queue is full. */
enum issue_result series_issue(struct core *core, const struct ready_op *op);

#endif
