/* The arithmetic of the scalar unit: what each instruction computes and how it fails, for the
 * machine, which takes the functions below, and for all who compute beforehand or afterwards what
 * it would: the assembler on constants, the lint, the debugger. */
#ifndef PTO_ARITHMETIC_H
#define PTO_ARITHMETIC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "bits.h"
#include "dtype.h"

enum pto_arith_fault {
    PTO_ARITH_FINE,
    PTO_ARITH_ZERO,     /* division by zero */
    PTO_ARITH_NEGATIVE, /* cdiv by a negative number */
    PTO_ARITH_QUOTIENT, /* the quotient does not fit */
    PTO_ARITH_SHIFT,    /* by less than 0 or more than 63 bits */
    PTO_ARITH_RANGE     /* a float that fits into no integer */
};

static inline enum pto_arith_fault pto_arith_divides(int64_t a, int64_t b)
{
    if (b == 0)
        return PTO_ARITH_ZERO;
    return a == INT64_MIN && b == -1 ? PTO_ARITH_QUOTIENT : PTO_ARITH_FINE;
}

static inline enum pto_arith_fault pto_arith_shifts(int64_t b)
{
    return b < 0 || b > 63 ? PTO_ARITH_SHIFT : PTO_ARITH_FINE;
}

/* NaN if either is; -0 is smaller than 0. */
static inline double pto_arith_smaller(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (double)NAN;
    if (a == b)
        return signbit(a) ? a : b;
    return a < b ? a : b;
}

/* No host's NaN shows. */
static inline double pto_arith_canonical(double value)
{
    return isnan(value) ? (double)NAN : value;
}

/* The f16 or bf16 of the low 16 bits. */
static inline double pto_arith_half(enum pto_dtype dtype, int64_t bits)
{
    uint16_t half = (uint16_t)bits;

    return pto_load_f64(&half, dtype);
}

/* pto_arith_fault_IADD(a, b), pto_arith_IADD(a, b), ...: the second only if the first is none.
 * pto_branch_BLT(a, b), ...: taken? */
#define PTO_ARITH_INT int64_t
#define PTO_ARITH_REAL double
#define PTO_ARITH_RESULT_INT(value) (value)
#define PTO_ARITH_RESULT_REAL(value) pto_arith_canonical(value)
#define ARITHMETIC(id, result, operands, fault, value)                                             \
    static inline enum pto_arith_fault pto_arith_fault_##id(PTO_ARITH_##operands a,                \
                                                            PTO_ARITH_##operands b)                \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        return fault;                                                                              \
    }                                                                                              \
                                                                                                   \
    static inline PTO_ARITH_##result pto_arith_##id(PTO_ARITH_##operands a,                        \
                                                    PTO_ARITH_##operands b)                        \
    {                                                                                              \
        (void)b;                                                                                   \
        return PTO_ARITH_RESULT_##result(value);                                                   \
    }
#define BRANCH(id, taken)                                                                          \
    static inline bool pto_branch_##id(int64_t a, int64_t b)                                       \
    {                                                                                              \
        (void)b;                                                                                   \
        return taken;                                                                              \
    }
#include "arithmetic.def"
#undef ARITHMETIC
#undef BRANCH

/* Does an instruction (enum pto_op) compute a number of numbers alone?  All of the class PTO_SCALAR
 * do, but `mov`, `select`, `default` and `present`. */
bool pto_arith_is(unsigned op);
/* *d = op(a, b), all as the bits of registers of the types that the row of `op` has; b is not
 * looked at where the instruction has one operand. */
enum pto_arith_fault pto_arith(unsigned op, uint64_t a, uint64_t b, uint64_t *d);
/* Append what is wrong with the operands: "division by zero". */
void pto_arith_fault_text(enum pto_arith_fault fault, uint64_t a, uint64_t b, struct pto_buf *text);
/* Is it a conditional branch, and is that taken? */
bool pto_branch_is(unsigned op);
bool pto_branch_taken(unsigned op, int64_t a, int64_t b);

#endif
