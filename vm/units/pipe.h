/* The pipes of a sub-core: bounded queues worked in order, asynchronously to everything else. */
#ifndef PTO_UNITS_PIPE_H
#define PTO_UNITS_PIPE_H

#include "machine/machine.h"

/* The pipe's event has come: complete what is due, start what can start. */
void pipe_run(struct core *core, unsigned pipe);
/* The last bytes of the entry that started last, number `counter`, leave so much later than was
 * known, `after` before it completes. */
void pipe_put_off(struct core *core, unsigned pipe, uint32_t counter, uint64_t later,
                  uint64_t after);

#endif
