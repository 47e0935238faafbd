/* Arithmetic on constants, with the rules of the scalar unit: 64-bit integers that wrap, f64 with
 * the canonical NaN.  Where the machine would fault, the text is wrong. */
#include "fold.h"

#include <math.h>

#include "value.h"

static bool divide(unsigned op, int64_t x, int64_t y, int64_t *d, const char **why)
{
    if (y == 0 || (op == PTO_OP_CDIV && y < 0)) {
        *why = y ? "cdiv() by a negative number" : "division by zero";
        return false;
    }
    if (y == -1) { /* alone here INT64_MIN could overflow */
        *why = "the quotient does not fit into 64 bits";
        *d = op == PTO_OP_IMOD ? 0 : (int64_t)(0 - (uint64_t)x);
        return op == PTO_OP_IMOD || x != INT64_MIN;
    }
    *d = op == PTO_OP_IMOD ? x % y : x / y;
    if (op == PTO_OP_CDIV && x % y > 0)
        (*d)++;
    return true;
}

static bool shift(unsigned op, int64_t x, int64_t y, int64_t *d, const char **why)
{
    *why = "a shift is by 0 to 63 bits";
    if (y < 0 || y > 63)
        return false;
    *d = op == PTO_OP_SHL ? (int64_t)((uint64_t)x << y) : x >> y;
    return true;
}

static bool fold_int(unsigned op, int64_t x, int64_t y, int64_t *d, const char **why)
{
    uint64_t ux = (uint64_t)x, uy = (uint64_t)y;

    switch (op) {
    case PTO_OP_IADD: *d = (int64_t)(ux + uy); return true;
    case PTO_OP_ISUB: *d = (int64_t)(ux - uy); return true;
    case PTO_OP_IMUL: *d = (int64_t)(ux * uy); return true;
    case PTO_OP_IDIV:
    case PTO_OP_IMOD:
    case PTO_OP_CDIV: return divide(op, x, y, d, why);
    case PTO_OP_IMIN: *d = x < y ? x : y; return true;
    case PTO_OP_IMAX: *d = x > y ? x : y; return true;
    case PTO_OP_AND: *d = x & y; return true;
    case PTO_OP_OR: *d = x | y; return true;
    case PTO_OP_XOR: *d = x ^ y; return true;
    case PTO_OP_SHL:
    case PTO_OP_SHR: return shift(op, x, y, d, why);
    case PTO_OP_IEQ: *d = x == y; return true;
    case PTO_OP_INE: *d = x != y; return true;
    case PTO_OP_ILT: *d = x < y; return true;
    case PTO_OP_ILE: *d = x <= y; return true;
    default: return false;
    }
}

static double canonical(double x)
{
    return isnan(x) ? (double)NAN : x;
}

/* The smaller (or larger) of two, NaN if either is; -0 counts as smaller than +0. */
static double extreme(double x, double y, bool larger)
{
    bool x_first = x < y || (x == y && signbit(x));

    if (isnan(x) || isnan(y))
        return (double)NAN;
    return x_first != larger ? x : y;
}

static bool fold_float(unsigned op, double x, double y, double *d)
{
    switch (op) {
    case PTO_OP_FADD: *d = x + y; break;
    case PTO_OP_FSUB: *d = x - y; break;
    case PTO_OP_FMUL: *d = x * y; break;
    case PTO_OP_FDIV: *d = x / y; break;
    case PTO_OP_FMIN: *d = extreme(x, y, false); break;
    case PTO_OP_FMAX: *d = extreme(x, y, true); break;
    case PTO_OP_FSQRT: *d = sqrt(x); break;
    default: return false;
    }
    *d = canonical(*d);
    return true;
}

static bool fold_compare(unsigned op, double x, double y, int64_t *d)
{
    switch (op) {
    case PTO_OP_FEQ: *d = x == y; return true;
    case PTO_OP_FNE: *d = x != y; return true;
    case PTO_OP_FLT: *d = x < y; return true;
    case PTO_OP_FLE: *d = x <= y; return true;
    default: return false;
    }
}

static bool float_to_int(double x, int64_t *d, const char **why)
{
    *why = "int() of a number that does not fit into 64 bits";
    if (!(x >= -0x1p63 && x < 0x1p63))
        return false;
    *d = (int64_t)x;
    return true;
}

bool asm_fold(unsigned op, const struct asm_value *x, const struct asm_value *y,
              struct asm_value *d, const char **why)
{
    int64_t i = 0;
    double f = 0;

    *why = NULL;
    if (op == PTO_OP_ITOF) {
        *d = asm_float((double)x->scalar.i);
        return true;
    }
    if (!x->is_float) {
        bool folded = fold_int(op, x->scalar.i, y->scalar.i, &i, why);

        *d = asm_int(i);
        return folded;
    }
    if (op == PTO_OP_FTOI ? float_to_int(x->scalar.f, &i, why)
                          : fold_compare(op, x->scalar.f, y->scalar.f, &i)) {
        *d = asm_int(i);
        return true;
    }
    if (op == PTO_OP_FTOI || !fold_float(op, x->scalar.f, y->scalar.f, &f))
        return false;
    *d = asm_float(f);
    return true;
}
