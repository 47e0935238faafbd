/* Unsigned arithmetic of 64 bits: the numbers of registers have a sign. */
#include <string.h>

#include "mlir/lower.h"

#define LEAST "(-9223372036854775807 - 1)"
#define IS_LESS "((@ ^ " LEAST ") < (# ^ " LEAST "))"
/* Twice the quotient of half the dividend is the quotient or one less.  A divisor of 2^63 and more
 * goes into any number once or not at all. */
#define NEARLY "((((@ >> 1) & 9223372036854775807) / #) << 1)"
#define IS_DONE "(((@ - " NEARLY " * #) ^ " LEAST ") < (# ^ " LEAST "))"
#define QUOTIENT "(# < 0 ? 1 - " IS_LESS " : " NEARLY " + 1 - " IS_DONE ")"

static const struct {
    const char *name, *form;
} OPERATION[] = {
    {"arith.divui", QUOTIENT},
    {"arith.remui", QUOTIENT},
    {"arith.ceildivui", QUOTIENT},
    {"arith.minui", "(" IS_LESS " ? @ : #)"},
    {"arith.maxui", "(" IS_LESS " ? # : @)"},
    {"arith.shrui", "((@ >> #) & ((2 << (63 - #)) - 1))"},
};

/* Of constants: addresses and sizes are to stay numbers. */
static bool fold(struct mlir_lower *l, const char *name, const struct mlir_scalar *a,
                 const struct mlir_scalar *b, struct mlir_scalar *result)
{
    uint64_t x = (uint64_t)a->i, y = (uint64_t)b->i;

    if (!a->is_const || !b->is_const || !y)
        return false;
    if (!strcmp(name, "arith.divui"))
        *result = mlir_int(l, (int64_t)(x / y));
    else if (!strcmp(name, "arith.remui"))
        *result = mlir_int(l, (int64_t)(x % y));
    else if (!strcmp(name, "arith.ceildivui"))
        *result = mlir_int(l, (int64_t)(x / y + (x % y != 0)));
    else
        return false;
    return true;
}

/* By a constant power of two: bits of the dividend.  False: it is none. */
static bool by_bits(struct mlir_lower *l, const char *name, const struct mlir_scalar *a,
                    const struct mlir_scalar *b, struct mlir_scalar *result)
{
    struct mlir_scalar bits;

    if (!b->is_const || b->i < 2 || b->i & (b->i - 1))
        return false;
    bits = mlir_int(l, b->i - 1);
    if (!strcmp(name, "arith.remui")) {
        *result = mlir_join(l, "(@ & #)", a, &bits);
        return true;
    }
    if (strcmp(name, "arith.divui") != 0)
        return false;
    bits = mlir_int(l, __builtin_ctzll((unsigned long long)b->i));
    *result = mlir_join(l, "((@ >> #) & ((2 << (63 - #)) - 1))", a, &bits);
    return true;
}

/* What follows from the quotient, which a register holds. */
static struct mlir_scalar behind(struct mlir_lower *l, struct mlir_node *op,
                                 const struct mlir_scalar *a, const struct mlir_scalar *b,
                                 struct mlir_scalar quotient)
{
    struct mlir_scalar product, uneven;
    const char *name = mlir_register(l, pto_arena_printf(l->arena, "%s quotient", op->result->text),
                                     false);

    mlir_line(&l->code, op, "%s = %s", name, quotient.text);
    quotient.text = name;
    product = mlir_join(l, "(@ * #)", &quotient, b);
    if (!strcmp(op->text, "arith.remui"))
        return mlir_join(l, "(@ - #)", a, &product);
    uneven = mlir_join(l, "(@ != #)", &product, a);
    return mlir_join(l, "(@ + #)", &quotient, &uneven);
}

struct mlir_scalar mlir_wide(struct mlir_lower *l, struct mlir_node *op,
                             const struct mlir_scalar *a, const struct mlir_scalar *b)
{
    struct mlir_scalar result = {.text = "0", .bits = 64};
    unsigned row = 0;

    if (fold(l, op->text, a, b, &result) || by_bits(l, op->text, a, b, &result))
        return result;
    while (strcmp(OPERATION[row].name, op->text) != 0)
        row++;
    result = mlir_join(l, OPERATION[row].form, a, b);
    if (op->result && (!strcmp(op->text, "arith.remui") || !strcmp(op->text, "arith.ceildivui")))
        result = behind(l, op, a, b, result);
    return result;
}
