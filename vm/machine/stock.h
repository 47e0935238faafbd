/* Blocks for messages and for the bytes that they carry.  What arrives is kept for what is sent
 * next: the host would clear its pages again each time, and threads that free what others have
 * allocated wait for each other. */
#ifndef PTO_MACHINE_STOCK_H
#define PTO_MACHINE_STOCK_H

#include "machine.h"

/* Of every thread of the machine (vm->threads). */
void stock_create(struct pto_vm *vm);
void stock_free(struct pto_vm *vm);

/* A block of at least so many bytes, whose contents mean nothing, from the stock of the thread that
 * advances the rank.  It is malloc'ed: who is no rank may free it. */
void *stock_take(const struct rank *rank, size_t bytes);
/* The stock of that thread gets a malloc'ed block; NULL: nothing. */
void stock_give(const struct rank *rank, void *block);

#endif
