/* How an instruction enters a queue, as far as that is known before it runs. */
#ifndef PTO_RUN_READY_WORDS_H
#define PTO_RUN_READY_WORDS_H

#include "machine/machine.h"

/* Of an operation of `code` whose operands, pipe and words are settled. */
void ready_words(struct pto_vm *vm, const struct ready_code *code, struct ready_op *op);

#endif
