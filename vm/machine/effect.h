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

/* What of it is known before the run: `op` gets its fields `reads`, `writes` and `like`. */
void effect_prepare(struct ready_op *op);
/* Does the instruction read, or write, bytes of this operand?  What is written may be read, too. */
static inline bool effect_reads(const struct ready_op *op, const struct op_args *args,
                                unsigned operand)
{
    if (!(op->reads >> operand & 1))
        return false;
    if (op->insn->op == PTO_OP_TMMAD && operand == 0) /* with init it keeps nothing */
        return args->arg[3].i == 0;
    return true;
}
static inline bool effect_writes(const struct ready_op *op, unsigned operand)
{
    return op->writes >> operand & 1;
}
/* Does it write by an atomic operation? */
bool effect_is_atomic(const struct ready_op *op, const struct op_args *args);
/* The bytes of an operand that it reads or writes. */
void effect_bytes(const struct ready_op *op, const struct op_args *args, unsigned operand,
                  effect_sink *sink, void *context);
/* All bytes of a view. */
void effect_of_view(const struct op_view *view, effect_sink *sink, void *context);
/* The same, if these are one piece, as most are; false: the sink has to take pieces. */
bool effect_is_piece(const struct ready_op *op, const struct op_args *args, unsigned operand,
                     struct effect_pieces *piece);
bool effect_view_is_piece(const struct op_view *view, struct effect_pieces *piece);

#endif
