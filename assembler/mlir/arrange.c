/* Operands that upstream writes in another order than the rows of the ISA have them. */
#include <string.h>

#include "mlir/operands.h"

enum { LEAST_LISTS = 2, MOST_LISTS = 4 };

static bool no_merge(struct mlir_lower *l, struct mlir_node *op)
{
    struct pto_diag *diag = mlir_refuse(l, op, op, "this is no merge of lists");

    if (diag)
        pto_diag_hint(l->tree->diags, diag, "pto.tmrgsort ins(LIST, LIST, .., SCRATCH "
                      "{exhausted = false}) outs(TILE, COUNTS), COUNTS = arith.constant dense<0> "
                      ": vector<4xi16>");
    return false;
}

/* The tile for scratch is the last of the ins, in older files the second of the outs; in the row it
 * stands before the lists. */
static bool arrange_lists(struct mlir_lower *l, struct mlir_node *op, struct mlir_operands *o)
{
    bool is_older = o->outs == 3;
    struct mlir_value *scratch, *counts = o->out[o->outs - 1];
    unsigned lists;

    if (o->outs > 3 || !o->ins || counts->kind != MLIR_V_COUNTS)
        return no_merge(l, op);
    lists = is_older ? o->ins : o->ins - 1;
    scratch = is_older ? o->out[1] : o->in[o->ins - 1];
    for (unsigned i = 0; i < o->ins; i++)
        if (!o->in[i])
            return no_merge(l, op);
    if (scratch->kind != MLIR_V_TILE || o->out[0]->kind != MLIR_V_TILE)
        return no_merge(l, op);
    if (lists < LEAST_LISTS || lists > MOST_LISTS) {
        mlir_refuse(l, op, op, "'%s' merges two to four lists, beside a tile for scratch: not %u",
                    op->text, lists);
        return false;
    }
    memmove(&o->in[1], &o->in[0], lists * sizeof *o->in);
    o->in[0] = scratch;
    o->ins = lists + 1;
    o->out[1] = counts;
    o->outs = 2;
    return true;
}

/* Runs of one tile are merged as they are written. */
static bool arrange_merge(struct mlir_lower *l, struct mlir_node *op, struct mlir_operands *o)
{
    const struct mlir_node *ends = mlir_attribute(op, "exhausted");

    if (ends && !mlir_is_among("true false", ends->text)) {
        mlir_refuse(l, op, ends, "'exhausted' is true or false");
        return false;
    }
    if (o->outs > 1)
        return arrange_lists(l, op, o);
    if (!ends && o->outs && o->out[0]->kind == MLIR_V_TILE && o->ins <= LEAST_LISTS)
        return true;
    return no_merge(l, op);
}

bool mlir_arrange(struct mlir_lower *l, struct mlir_node *op, enum mlir_how how,
                  struct mlir_operands *o)
{
    return how != MERGED || arrange_merge(l, op, o);
}
