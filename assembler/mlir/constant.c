/* `arith.constant`: numbers that are written. */
#include <stdlib.h>
#include <string.h>

#include "mlir/lower.h"

enum { COUNTS = 4, COUNTS_COLS = 16 }; /* 32 bytes, the least that a row has */

static bool float_bits(const char *digits, const struct mlir_type *type, double *value)
{
    uint64_t bits = strtoull(digits, NULL, 16);
    uint16_t half = (uint16_t)bits;

    if (type->bits < 64 && bits >> type->bits)
        return false;

    if (type->dtype == PTO_F32) {
        uint32_t word = (uint32_t)bits;
        float number;

        memcpy(&number, &word, sizeof number);
        *value = (double)number;
        return true;
    }
    if (type->dtype == MLIR_F64) {
        memcpy(value, &bits, sizeof bits);
        return true;
    }
    if (type->dtype != PTO_F16 && type->dtype != PTO_BF16)
        return false;
    *value = pto_load_f64(&half, (enum pto_dtype)type->dtype);
    return true;
}

/* A constant has the precision of its type beside tiles of another one, too.  The digits of f32
 * stay those that are written unless a narrower type would tell the two apart. */
static struct mlir_scalar rounded(struct mlir_lower *l, double value, unsigned dtype)
{
    double exact = mlir_as_type(value, dtype);
    bool is_loose = dtype == PTO_F32 && exact != value &&
                    mlir_as_type(exact, PTO_F16) == mlir_as_type(value, PTO_F16) &&
                    mlir_as_type(exact, PTO_BF16) == mlir_as_type(value, PTO_BF16);
    struct mlir_scalar number = mlir_float(l, is_loose ? value : exact);

    number.is_loose = is_loose;
    return number;
}

/* Signed or unsigned: upstream's integers have no sign of their own. */
static bool holds(const struct mlir_type *type, int64_t value)
{
    return type->bits >= 64 || (value >= -(INT64_C(1) << (type->bits - 1)) &&
                                value < INT64_C(1) << type->bits);
}

/* `dense<0> : vector<4xi16>`: what a merge of lists counts in; here a tile that it writes. */
static void counts(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *dense)
{
    const struct mlir_node *value = dense->next, *type_at;
    struct mlir_value *result = mlir_value_new(l, MLIR_V_COUNTS);
    const struct mlir_type row = {.kind = MLIR_T_TILE, .dtype = PTO_U16, .space = PTO_UB,
                                  .layout = PTO_ND, .rows = 1, .cols = COUNTS_COLS,
                                  .valid_rows = 1, .valid_cols = COUNTS};
    struct mlir_type type;

    if (!value || value->kind != MLIR_ANGLE || !value->first || value->first->kind != MLIR_INT ||
        value->first->next || !mlir_is(value->next, MLIR_SIGN, ":") || !op->result) {
        mlir_refuse(l, op, dense, "'dense<0> : vector<4xi16>' was expected");
        return;
    }
    type_at = value->next->next;
    if (!mlir_read_type(l, op, &type_at, &type))
        return;
    if (type.kind != MLIR_T_COUNTS) {
        mlir_refuse(l, op, value->next->next, "the only constant of several numbers is a "
                    "vector<4xi16>, which 'pto.tmrgsort' counts in");
        return;
    }
    result->type = row;
    result->tile.tile = mlir_tile_new(l, op->result->text, &row, op);
    result->tile.rows = mlir_int(l, row.valid_rows);
    result->tile.cols = mlir_int(l, row.valid_cols);
    mlir_bind(l, op, op->result, result);
}

void mlir_constant(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *value = op->first, *type_at;
    struct mlir_scalar number;
    struct mlir_type type = {.kind = MLIR_T_INT, .bits = 64};

    while (value && value->kind == MLIR_BRACE)
        value = value->next;
    if (mlir_is(value, MLIR_WORD, "true") || mlir_is(value, MLIR_WORD, "false")) {
        number = mlir_int(l, value->text[0] == 't');
        number.bits = 1;
        mlir_assign(l, op, &number);
        return;
    }
    if (mlir_is(value, MLIR_WORD, "dense")) {
        counts(l, op, value);
        return;
    }
    if (!value || (value->kind != MLIR_INT && value->kind != MLIR_FLOAT)) {
        mlir_refuse(l, op, value ? value : op, "a number was expected as the constant");
        return;
    }
    type_at = mlir_is(value->next, MLIR_SIGN, ":") ? value->next->next : NULL;
    if (type_at && !mlir_read_type(l, op, &type_at, &type))
        return;
    if (type.kind != MLIR_T_INT && type.kind != MLIR_T_FLOAT) {
        mlir_refuse(l, op, value->next->next, "the type of a constant is index, i32, f32, ...");
        return;
    }
    if (!mlir_number(l, op, value, &number))
        return;
    if (type.kind == MLIR_T_FLOAT && value->kind == MLIR_INT) {
        double bits;

        if (strncmp(value->text, "0x", 2) != 0 || !float_bits(value->text, &type, &bits)) {
            mlir_refuse(l, op, value, "this is no constant of a floating-point type");
            return;
        }
        number = mlir_float(l, bits);
    } else if (type.kind == MLIR_T_FLOAT) {
        number = rounded(l, strtod(value->text, NULL), type.dtype);
    } else if (value->kind == MLIR_FLOAT) {
        mlir_refuse(l, op, value, "this is no constant of an integer type");
        return;
    }
    if (type.kind == MLIR_T_INT && !holds(&type, number.i)) {
        mlir_refuse(l, op, value, "%s does not fit into %u bits", value->text, type.bits);
        return;
    }
    number = type.kind == MLIR_T_INT ? mlir_cut(l, number, type.bits) : number;
    number.bits = type.bits;
    number.dtype = type.dtype;
    mlir_assign(l, op, &number);
}
