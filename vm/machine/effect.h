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

/* What of it is known before the run: `op` gets its fields `reads`, `writes`, `like` and `size`. */
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
/* The same, if these are one piece, as most are; false: the sink has to take pieces.  `size`: of an
 * element. */
static inline bool effect_view_is_piece(const struct op_view *view, unsigned size,
                                        struct effect_pieces *piece)
{
    const int64_t length = (int64_t)view->cols * size;
    bool together;

    if (view->row_stride || view->col_stride)
        together = (view->cols == 1 || view->col_stride == size) &&
                   (view->rows == 1 || view->row_stride == length);
    else
        together = !view->row && !view->col && !view->pitch &&
                   view->rows == view->tile_rows && view->cols == view->tile_cols;
    if (!together || !view->rows || !view->cols)
        return false;
    piece->offset = (uint64_t)(view->row * view->row_stride + view->col * view->col_stride);
    piece->length = (uint64_t)length * view->rows;
    piece->count = 1;
    return true;
}
bool effect_taken_is_piece(const struct ready_op *op, const struct op_args *args, unsigned operand,
                           struct effect_pieces *piece);
static inline bool effect_is_piece(const struct ready_op *op, const struct op_args *args,
                                   unsigned operand, struct effect_pieces *piece)
{
    const struct op_view *view = &args->arg[operand].view, *like;

    if (op->like[operand] == ASK_SHAPE)
        return effect_taken_is_piece(op, args, operand, piece);
    like = &args->arg[op->like[operand]].view;
    return view->rows <= like->rows && view->cols <= like->cols &&
           effect_view_is_piece(view, op->size[operand], piece);
}

#endif
