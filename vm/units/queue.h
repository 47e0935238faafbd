/* The end of a pipe's queue where the scalar unit puts its work. */
#ifndef PTO_UNITS_QUEUE_H
#define PTO_UNITS_QUEUE_H

#include "machine/queue.h"

/* A free entry at the end of the queue with S's time and pc; NULL if the queue is full: S then
 * stalls until there is room. */
struct entry *queue_entry(struct core *core, unsigned pipe, enum entry_kind kind);
/* The entry is filled: the pipe may see it from its issue time on. */
void queue_push(struct core *core, unsigned pipe);
void queue_free(struct core *core);

#endif
