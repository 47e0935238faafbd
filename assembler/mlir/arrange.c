/* Operands that upstream writes in another order than the rows of the ISA have them. */
#include <string.h>

#include "mlir/operands.h"

enum { LEAST_LISTS = 2, MOST_LISTS = 4, COMPARED_INS = 3, ROW_BYTES = 32 };

static bool no_merge(struct mlir_lower *l, struct mlir_node *op)
{
    struct pto_diag *diag = mlir_refuse(l, op, op, "this is no merge of lists");

    if (diag)
        pto_diag_hint(l->tree->diags, diag, "pto.tmrgsort ins(LIST, LIST, .., SCRATCH "
                      "{exhausted = false}) outs(TILE, COUNTS), COUNTS = arith.constant dense<0> "
                      ": vector<4xi16>");
    return false;
}

/* Room for all that is merged. */
static struct mlir_value *merge_scratch(struct mlir_lower *l, struct mlir_node *op,
                                        const struct mlir_operands *o)
{
    struct mlir_value *value = mlir_value_new(l, MLIR_V_TILE);

    value->type = o->out[0]->type;
    value->type.rows = 1;
    value->type.cols = 0;
    for (unsigned i = 0; i < o->ins; i++)
        value->type.cols += o->in[i]->type.cols;
    value->type.valid_rows = value->type.rows;
    value->type.valid_cols = value->type.cols;
    value->tile.tile = mlir_tile_new(l, "merged", &value->type, op);
    value->tile.rows = mlir_int(l, value->type.rows);
    value->tile.cols = mlir_int(l, value->type.cols);
    return value;
}

/* The tile for scratch is the last of the ins, in older files the second of the outs, in newer ones
 * it may be missing; in the row it stands before the lists. */
static bool arrange_lists(struct mlir_lower *l, struct mlir_node *op, struct mlir_operands *o)
{
    bool is_older = o->outs == 3;
    struct mlir_value *scratch, *counts = o->out[o->outs - 1];
    unsigned lists;

    if (o->outs > 3 || !o->ins || counts->kind != MLIR_V_COUNTS || (is_older && o->no_scratch))
        return no_merge(l, op);
    for (unsigned i = 0; i < o->ins; i++)
        if (!o->in[i])
            return no_merge(l, op);
    if (o->out[0]->kind != MLIR_V_TILE)
        return no_merge(l, op);
    lists = is_older || o->no_scratch ? o->ins : o->ins - 1;
    if (lists < LEAST_LISTS || lists > MOST_LISTS) {
        mlir_refuse(l, op, op, "'%s' merges two to four lists, beside a tile for scratch: not %u",
                    op->text, lists);
        return false;
    }
    scratch = is_older        ? o->out[1]
              : o->no_scratch ? merge_scratch(l, op, o) : o->in[o->ins - 1];
    if (scratch->kind != MLIR_V_TILE)
        return no_merge(l, op);
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
    if (!ends && !o->no_scratch && o->outs && o->out[0]->kind == MLIR_V_TILE &&
        o->ins <= LEAST_LISTS)
        return true;
    return no_merge(l, op);
}

static bool no_comparison(struct mlir_lower *l, struct mlir_node *op, const char *why)
{
    struct pto_diag *diag = mlir_refuse(l, op, op, "%s", why);

    if (diag)
        pto_diag_hint(l->tree->diags, diag, "pto.tgather ins(TILE, NUMBER, SCRATCH) outs(TILE, "
                      "COUNTS) {cmpMode = #pto.cmp<gt>, offset = 0}");
    return false;
}

/* A number for each row: the instruction has a tile of them. */
static struct mlir_value *filled(struct mlir_lower *l, struct mlir_node *op,
                                 const struct mlir_value *source, struct mlir_scalar number)
{
    struct mlir_value *value = mlir_value_new(l, MLIR_V_TILE);
    unsigned dtype = source->type.dtype;

    value->type = (struct mlir_type){.kind = MLIR_T_TILE, .dtype = (uint8_t)dtype,
                                     .space = PTO_UB, .layout = PTO_ND, .rows = source->type.rows,
                                     .cols = ROW_BYTES / (int64_t)pto_dtype_size(dtype),
                                     .valid_rows = MLIR_DYNAMIC, .valid_cols = 1};
    value->tile.tile = mlir_tile_new(l, "compared", &value->type, op);
    value->tile.rows = source->tile.rows;
    value->tile.cols = mlir_int(l, 1);
    if (!number.is_float && pto_dtype_is_float((enum pto_dtype)dtype))
        number.text = pto_arena_printf(l->arena, "float(%s)", number.text);
    else if (!number.is_float)
        number = mlir_as_element(l, number, (enum pto_dtype)dtype);
    mlir_line(&l->code, op, "pipe_barrier V"); /* behind the instruction that read it last */
    mlir_line(&l->code, op, "TEXPANDS %s, %s", mlir_tile_text(l, value, ""), number.text);
    mlir_line(&l->code, op, "pipe_barrier V");
    return value;
}

static bool read_offset(struct mlir_lower *l, struct mlir_node *op, struct mlir_scalar *offset)
{
    const struct mlir_node *at = mlir_attribute(op, "offset");

    *offset = mlir_int(l, 0);
    if (!at)
        return true;
    if (at->kind == MLIR_INT && mlir_number(l, op, at, offset))
        return true;
    mlir_refuse(l, op, at, "'offset' is an integer");
    return false;
}

/* Where elements compare with a number; by numbers and patterns nothing moves. */
static bool arrange_gather(struct mlir_lower *l, struct mlir_node *op, struct mlir_operands *o)
{
    struct mlir_scalar offset;
    enum pto_dtype dtype;

    if (o->outs < 2) {
        if (!mlir_attribute(op, "cmpMode") && !mlir_attribute(op, "offset"))
            return true;
        return no_comparison(l, op, "a comparison gives two tiles: columns, and how many");
    }
    if (o->ins != COMPARED_INS || o->outs != 2 || !o->in[0] || !o->in[2])
        return no_comparison(l, op, "a comparison takes a tile, a number and a tile for scratch");
    if (!mlir_attribute(op, "cmpMode"))
        return no_comparison(l, op, "this comparison lacks its 'cmpMode'");
    if (!read_offset(l, op, &offset))
        return false;
    dtype = (enum pto_dtype)o->in[0]->type.dtype;
    if (!o->in[1] && o->number[1].is_float && !pto_dtype_is_float(dtype))
        return no_comparison(l, op, "a floating-point number beside tiles of integers");
    if (!o->in[1])
        o->in[1] = filled(l, op, o->in[0], o->number[1]);
    o->in[o->ins] = NULL;
    o->number[o->ins++] = offset;
    return true;
}

/* What a conversion may need room for on the chip, it does at once here. */
static void leave_scratch(struct mlir_operands *o)
{
    if (o->ins == 2 && o->in[0] && o->in[1])
        o->ins = 1;
}

static void reverse(struct mlir_value **value, unsigned count)
{
    for (unsigned i = 0; i < count / 2; i++) {
        struct mlir_value *other = value[count - 1 - i];

        value[count - 1 - i] = value[i];
        value[i] = other;
    }
}

bool mlir_arrange(struct mlir_lower *l, struct mlir_node *op, enum mlir_how how,
                  struct mlir_operands *o)
{
    if (how == CONVERTED)
        leave_scratch(o);
    if (how == REVERSED) {
        reverse(o->in, o->ins);
        reverse(o->out, o->outs);
    }
    return how == MERGED ? arrange_merge(l, op, o) : how != GATHERED || arrange_gather(l, op, o);
}
