/* Which bytes an instruction reads and writes, operand by operand: from its row of the table.
 *
 * An operand's valid region, and of a source no more than the shape in the row asks for
 * (isa/shapes.def); of a table that an index tile looks up, the elements that it names.  Who wants
 * to know what an instruction touches asks here. */
#ifndef PTO_MACHINE_EFFECT_H
#define PTO_MACHINE_EFFECT_H

#include "ready_form.h"

/* `count` pieces of `length` bytes, `step` bytes apart, which is more than the length.  One piece:
 * `step` says nothing. */
struct effect_pieces {
    uint64_t offset, length, step, count;
};

/* Takes pieces, counted from the first byte of the view's tile or window.  They come in the order
 * of their rows, or columns; those that touch come as one. */
typedef void effect_sink(void *context, const struct effect_pieces *pieces);

/* Does the instruction read, or write, bytes of this operand?  What is written may be read, too. */
bool effect_reads(const struct ready_op *op, const struct op_args *args, unsigned operand);
bool effect_writes(const struct ready_op *op, unsigned operand);
/* Does it write by an atomic operation? */
bool effect_is_atomic(const struct ready_op *op, const struct op_args *args);
/* The bytes of an operand that it reads or writes. */
void effect_bytes(const struct ready_op *op, const struct op_args *args, unsigned operand,
                  effect_sink *sink, void *context);
/* All bytes of a view. */
void effect_of_view(const struct op_view *view, effect_sink *sink, void *context);

#endif
