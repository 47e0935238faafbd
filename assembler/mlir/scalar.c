/* Numbers: integer arithmetic, what a sub-core knows of itself. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "float_text.h"
#include "mlir/lower.h"

/* ---- values ---- */

static const char *int_text(struct mlir_lower *l, int64_t value)
{
    if (value == INT64_MIN)
        return "(-9223372036854775807 - 1)";
    return pto_arena_printf(l->arena, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
}

struct mlir_scalar mlir_int(struct mlir_lower *l, int64_t value)
{
    const char *text = int_text(l, value);

    return (struct mlir_scalar){.text = text, .setup = text, .is_const = true, .bits = 64,
                                .i = value};
}

struct mlir_scalar mlir_float(struct mlir_lower *l, double value)
{
    struct pto_buf text = {0};
    struct mlir_scalar scalar = {.is_float = true, .is_const = true, .bits = 64,
                                 .dtype = MLIR_F64, .f = value};

    pto_write_float(&text, value);
    scalar.text = pto_arena_printf(l->arena, *pto_buf_text(&text) == '-' ? "(%s)" : "%s",
                                   pto_buf_text(&text));
    scalar.setup = scalar.text;
    pto_buf_free(&text);
    return scalar;
}

/* `form` with its '@' and '#' replaced by a and b; NULL where one is NULL. */
static const char *fill(struct mlir_lower *l, const char *form, const char *a, const char *b)
{
    struct pto_buf text = {0};
    const char *copy;

    if (!a || !b)
        return NULL;
    for (; *form; form++)
        if (*form == '@' || *form == '#')
            pto_buf_printf(&text, "%s", *form == '@' ? a : b);
        else
            pto_buf_byte(&text, (uint8_t)*form);
    copy = pto_arena_strdup(l->arena, pto_buf_text(&text));
    pto_buf_free(&text);
    return copy;
}

/* The same over known values; a long expression is left to the run. */
static const char *setup_text(struct mlir_lower *l, const char *form, const char *a,
                              const char *b)
{
    if (!a || !b || strlen(a) + strlen(b) + strlen(form) > MLIR_MAX_SETUP)
        return NULL;
    return fill(l, form, a, b);
}

bool mlir_number(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *node,
                 struct mlir_scalar *number)
{
    struct mlir_value *value;

    if (node->kind == MLIR_INT) {
        errno = 0;
        *number = mlir_int(l, strtoll(node->text, NULL, 0));
        if (errno)
            mlir_refuse(l, op, node, "this integer does not fit into 64 bits");
        return !errno;
    }
    if (node->kind == MLIR_FLOAT) {
        *number = mlir_float(l, strtod(node->text, NULL));
        return true;
    }
    value = mlir_want(l, op, node, MLIR_V_SCALAR);
    if (!value)
        return false;
    *number = value->scalar;
    if (number->distance)
        mlir_refuse_distance(l, op, node);
    return !number->distance;
}

bool mlir_integer(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *node,
                  struct mlir_scalar *number)
{
    if (!mlir_number(l, op, node, number))
        return false;
    if (number->is_float)
        mlir_refuse(l, op, node, "an integer was expected here");
    return !number->is_float;
}

bool mlir_condition(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *node,
                    struct mlir_scalar *number)
{
    struct pto_diag *diag;

    if (!mlir_integer(l, op, node, number))
        return false;
    if (number->bits == 1)
        return true;
    diag = mlir_refuse(l, op, node, "a condition is an i1, this is an integer of %u bits",
                       number->bits);
    if (diag)
        pto_diag_hint(l->tree->diags, diag, "arith.cmpi ne, VALUE, ZERO");
    return false;
}

struct mlir_scalar mlir_sum(struct mlir_lower *l, const struct mlir_scalar *a,
                            const struct mlir_scalar *b)
{
    if (a->is_const && a->i == 0)
        return *b;
    if (b->is_const && b->i == 0)
        return *a;
    if (a->is_const && b->is_const) {
        int64_t sum = (int64_t)((uint64_t)a->i + (uint64_t)b->i);

        return mlir_int(l, sum);
    }
    return (struct mlir_scalar){.text = pto_arena_printf(l->arena, "(%s + %s)", a->text, b->text),
                                .setup = setup_text(l, "(@ + #)", a->setup, b->setup),
                                .bits = 64};
}

struct mlir_scalar mlir_times(struct mlir_lower *l, const struct mlir_scalar *number,
                              int64_t factor)
{
    if (number->is_const)
        return mlir_int(l, number->i * factor);
    return (struct mlir_scalar){
        .text = pto_arena_printf(l->arena, "(%s * %" PRId64 ")", number->text, factor),
        .bits = 64};
}

void mlir_assign(struct mlir_lower *l, struct mlir_node *op, const struct mlir_scalar *value)
{
    struct mlir_value *result = mlir_value_new(l, MLIR_V_SCALAR);

    result->scalar = *value;
    result->type = (struct mlir_type){.kind = value->is_float ? MLIR_T_FLOAT : MLIR_T_INT,
                                      .bits = value->bits, .dtype = value->dtype};
    if (!op->result) {
        mlir_refuse(l, op, op, "'%s' has one result", op->text);
        return;
    }
    if (!value->is_const) {
        const char *name = mlir_register(l, op->result->text, value->is_float);

        mlir_line(&l->code, op, "%s = %s", name, value->text);
        result->scalar.text = name;
    }
    mlir_bind(l, op, op->result, result);
}

/* ---- arithmetic ---- */

/* Which expression computes an operation of two integers: `@` and `#` are its operands. */
static const struct {
    const char *name, *form;
    bool wraps;      /* the result may leave the type, and is cut to it */
    bool is_unsigned; /* the operands are taken as unsigned numbers */
} BINARY[] = {
#define MLIR_OP(...)
#define MLIR_REAL(...)
#define MLIR_INTEGER(name, form, wraps, is_unsigned, words) {name, form, wraps, is_unsigned},
#include "mlir/mlir_ops.def"
#undef MLIR_OP
#undef MLIR_REAL
#undef MLIR_INTEGER
};

static const struct {
    const char *name, *form;
    bool is_unsigned;
} COMPARISON[] = {
    {"eq", "(@ == #)", false}, {"ne", "(@ != #)", false}, {"slt", "(@ < #)", false},
    {"sle", "(@ <= #)", false}, {"sgt", "(@ > #)", false}, {"sge", "(@ >= #)", false},
    {"ult", "(@ < #)", true}, {"ule", "(@ <= #)", true}, {"ugt", "(@ > #)", true},
    {"uge", "(@ >= #)", true},
};

/* An expression of one value, '@'. */
static struct mlir_scalar rewrite(struct mlir_lower *l, struct mlir_scalar value, const char *form)
{
    value.setup = setup_text(l, form, value.setup, value.setup);
    value.text = fill(l, form, value.text, value.text);
    value.is_const = false;
    return value;
}

struct mlir_scalar mlir_cut(struct mlir_lower *l, struct mlir_scalar value, unsigned bits)
{
    const char *form = bits == 1 ? "(@ & 1)" : bits == 8 ? "((@ << 56) >> 56)"
                       : bits == 16 ? "((@ << 48) >> 48)" : "((@ << 32) >> 32)";

    value.bits = (uint8_t)bits;
    if (bits >= 64)
        return value;
    if (value.is_const) {
        unsigned rest = 64 - bits;
        struct mlir_scalar number = mlir_int(
            l, bits == 1 ? value.i & 1 : (int64_t)((uint64_t)value.i << rest) >> rest);

        number.bits = (uint8_t)bits;
        return number;
    }
    return rewrite(l, value, form);
}

struct mlir_scalar mlir_unsigned(struct mlir_lower *l, struct mlir_scalar value)
{
    uint64_t mask = value.bits < 64 ? (UINT64_C(1) << value.bits) - 1 : 0;

    if (value.bits == 64)
        return rewrite(l, value, "(@ ^ (-9223372036854775807 - 1))");
    return rewrite(l, value, pto_arena_printf(l->arena, "(@ & %" PRIu64 ")", mask));
}

struct mlir_scalar mlir_as_element(struct mlir_lower *l, struct mlir_scalar value,
                                   enum pto_dtype dtype)
{
    unsigned bits = 8 * (unsigned)pto_dtype_size(dtype);

    if (value.bits > bits)
        value = mlir_cut(l, value, bits);
    if (bits == 64 || pto_dtype_is_signed(dtype) || (value.is_const && value.i >= 0))
        return value;
    value.bits = (uint8_t)bits;
    if (value.is_const)
        return mlir_int(l, (int64_t)((uint64_t)value.i & ((UINT64_C(1) << bits) - 1)));
    return mlir_unsigned(l, value);
}

struct mlir_scalar mlir_join(struct mlir_lower *l, const char *form, const struct mlir_scalar *a,
                             const struct mlir_scalar *b)
{
    return (struct mlir_scalar){.text = fill(l, form, a->text, b->text), .bits = a->bits,
                                .setup = setup_text(l, form, a->setup, b->setup)};
}

/* The commonest constant arithmetic is done here: offsets and addresses are to stay numbers. */
static bool fold(struct mlir_lower *l, const char *name, const struct mlir_scalar *a,
                 const struct mlir_scalar *b, struct mlir_scalar *result)
{
    uint64_t x = (uint64_t)a->i, y = (uint64_t)b->i, value;

    if (!a->is_const || !b->is_const)
        return false;
    if (!strcmp(name, "arith.addi"))
        value = x + y;
    else if (!strcmp(name, "arith.subi"))
        value = x - y;
    else if (!strcmp(name, "arith.muli"))
        value = x * y;
    else
        return false;
    *result = mlir_int(l, (int64_t)value);
    return true;
}

/* `op a, b : type` */
static bool two_numbers(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *first,
                        struct mlir_scalar *a, struct mlir_scalar *b)
{
    struct mlir_args args;
    struct pto_diag *diag;

    if (!mlir_read_args(l, op, first, &args))
        return false;
    if (args.values != 2) {
        mlir_refuse(l, op, op, "'%s' has two operands", op->text);
        return false;
    }
    if (!mlir_number(l, op, args.value[0], a) || !mlir_number(l, op, args.value[1], b))
        return false;
    if (!a->is_float && !b->is_float)
        return true;
    diag = mlir_refuse(l, op, op, "'%s' takes integers", op->text);
    if (diag)
        pto_diag_hint(l->tree->diags, diag, "numbers of floating point have arith.addf, subf, "
                      "mulf, divf, maximumf, minimumf and cmpf");
    return false;
}

static void binary(struct mlir_lower *l, struct mlir_node *op, unsigned row)
{
    struct mlir_scalar a, b, result;

    if (!two_numbers(l, op, op->first, &a, &b))
        return;
    if (BINARY[row].is_unsigned && a.bits == 64) {
        result = mlir_wide(l, op, &a, &b);
    } else if (!fold(l, op->text, &a, &b, &result)) {
        unsigned bits = a.bits;

        if (BINARY[row].is_unsigned) {
            a = mlir_unsigned(l, a);
            b = mlir_unsigned(l, b);
        }
        result = mlir_join(l, BINARY[row].form, &a, &b);
        result.bits = (uint8_t)bits;
    }
    if (BINARY[row].wraps)
        result = mlir_cut(l, result, a.bits);
    mlir_assign(l, op, &result);
}

static void compare(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *predicate = op->first;
    struct mlir_scalar a, b, result;
    struct pto_diag *diag;

    for (unsigned i = 0; predicate && i < sizeof COMPARISON / sizeof *COMPARISON; i++) {
        if (strcmp(predicate->text, COMPARISON[i].name) != 0)
            continue;
        if (!mlir_is(predicate->next, MLIR_SIGN, ",")) {
            mlir_refuse(l, op, predicate, "a ',' was expected behind '%s'", predicate->text);
            return;
        }
        if (!two_numbers(l, op, predicate->next, &a, &b))
            return;
        if (COMPARISON[i].is_unsigned) {
            a = mlir_unsigned(l, a);
            b = mlir_unsigned(l, b);
        } else if (a.bits == 1) { /* true is -1 */
            a = rewrite(l, a, "(0 - @)");
            b = rewrite(l, b, "(0 - @)");
        }
        result = mlir_join(l, COMPARISON[i].form, &a, &b);
        result.bits = 1;
        mlir_assign(l, op, &result);
        return;
    }
    diag = mlir_refuse(l, op, predicate ? predicate : op, "a comparison of integers was expected");
    if (diag)
        pto_diag_hint(l->tree->diags, diag, "arith.cmpi slt, A, B : TYPE; eq, ne, slt, sle, sgt, "
                      "sge, ult, ule, ugt, uge");
}

/* Conversions between integers: `op a : type to type`.  Between i32 and ui32 nothing changes. */
static void convert(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *to = mlir_clause(op, "to"), *colon = op->first ? op->first->next : NULL;
    struct mlir_scalar value;
    struct mlir_type type;
    bool is_unsigned = !strcmp(op->text, "arith.extui") || !strcmp(op->text, "arith.index_castui");
    bool is_cut = !strcmp(op->text, "arith.trunci"), is_wider = !strncmp(op->text, "arith.ext", 9);
    bool is_same = !strncmp(op->text, "builtin.", 8);

    if (mlir_is(colon, MLIR_WORD, "overflow") && mlir_is(colon->next, MLIR_ANGLE, "<"))
        colon = colon->next->next;
    if (!mlir_is(colon, MLIR_SIGN, ":") || !to ||
        !mlir_type_read(l->tree, &to, &type)) {
        mlir_refuse(l, op, op, "'%s VALUE : TYPE to TYPE' was expected", op->text);
        return;
    }
    if (!mlir_number(l, op, op->first, &value))
        return;
    if (type.kind != MLIR_T_INT && type.kind != MLIR_T_FLOAT) {
        mlir_refuse(l, op, mlir_clause(op, "to"), "a number's type was expected: index, i32, ...");
        return;
    }
    if (value.is_float || type.kind == MLIR_T_FLOAT) {
        struct pto_diag *diag = mlir_refuse(l, op, op, "'%s' converts integers", op->text);

        if (diag)
            pto_diag_hint(l->tree->diags, diag, "numbers of floating point have arith.sitofp, "
                          "uitofp, fptosi, fptoui, extf, truncf and bitcast");
        return;
    }
    if (is_same && type.bits != value.bits) {
        mlir_refuse(l, op, op, "'%s' keeps the bits of an integer: not %u as %u", op->text,
                    value.bits, type.bits);
        return;
    }
    if (is_cut ? type.bits >= value.bits : is_wider && type.bits <= value.bits) {
        mlir_refuse(l, op, op, "'%s' makes integers %s: not %u bits of %u", op->text,
                    is_cut ? "narrower" : "wider", type.bits, value.bits);
        return;
    }
    if (!is_unsigned && value.bits == 1 && type.bits > 1)
        value = rewrite(l, value, "(0 - @)");
    else if (is_unsigned && value.bits < 64 && value.bits > 1 && !(value.is_const && value.i >= 0))
        value = mlir_unsigned(l, value);
    if (type.bits < value.bits || (is_unsigned && type.bits < 64))
        value = mlir_cut(l, value, type.bits);
    value.bits = type.bits;
    mlir_assign(l, op, &value);
}

/* ---- what a sub-core knows ---- */

static bool builtin(struct mlir_lower *l, struct mlir_node *op)
{
    static const struct {
        const char *name, *text;
        bool is_shared; /* by all cores of a rank */
    } known[] = {
        {"pto.get_block_idx", "block_id()", false}, {"pto.get_block_num", "block_num()", true},
        {"pto.get_subblock_idx", "sub_id()", false}, {"pto.get_subblock_num", "sub_num()", true},
    };

    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        if (!strcmp(op->text, known[i].name)) {
            struct mlir_scalar value = {.text = known[i].text, .bits = 64,
                                        .setup = known[i].is_shared ? known[i].text : NULL};

            mlir_assign(l, op, &value);
            return true;
        }
    }
    return false;
}

bool mlir_scalar_op(struct mlir_lower *l, struct mlir_node *op)
{
    static const char *const casts[] = {"arith.index_cast", "arith.index_castui", "arith.trunci",
                                        "arith.extsi", "arith.extui",
                                        "builtin.unrealized_conversion_cast"};

    for (unsigned i = 0; i < sizeof BINARY / sizeof *BINARY; i++)
        if (!strcmp(op->text, BINARY[i].name)) {
            binary(l, op, i);
            return true;
        }
    for (unsigned i = 0; i < sizeof casts / sizeof *casts; i++)
        if (!strcmp(op->text, casts[i])) {
            convert(l, op);
            return true;
        }
    if (!strcmp(op->text, "arith.constant"))
        mlir_constant(l, op);
    else if (!strcmp(op->text, "arith.cmpi"))
        compare(l, op);
    else
        return mlir_real_op(l, op) || builtin(l, op);
    return true;
}
