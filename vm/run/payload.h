/* Runs for times alone: which bytes nobody needs to know them.
 *
 * What S reads, and what decides about faults of indices, is followed back to where it comes from:
 * an instruction that writes such bytes runs, so all that it reads is needed, too.  All other tile
 * instructions and copies take their time and move nothing, and objects that none of those that run
 * touches have no memory (docs/decisions/0012-timing-only.md). */
#ifndef PTO_RUN_PAYLOAD_H
#define PTO_RUN_PAYLOAD_H

#include "machine/machine.h"

/* Behind the shaping of all objects, before they get memory: sets `skipped` of the ready operations
 * and of the objects. */
void payload_derive(struct pto_vm *vm);

#endif
