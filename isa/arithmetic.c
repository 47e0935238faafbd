#include "arithmetic.h"

#include "bits.h"
#include "ops.h"

#define OF_INT(bits) (int64_t)(bits)
#define OF_REAL(bits) pto_f64_from_bits(bits)
#define BITS_INT(value) (uint64_t)(value)
#define BITS_REAL(value) pto_f64_bits(value)

bool pto_arith_is(unsigned op)
{
    switch (op) {
#define ARITHMETIC(id, ...) case PTO_OP_##id:
#define BRANCH(...)
#include "arithmetic.def"
#undef ARITHMETIC
#undef BRANCH
        return true;
    default:
        return false;
    }
}

enum pto_arith_fault pto_arith(unsigned op, uint64_t a, uint64_t b, uint64_t *d)
{
    enum pto_arith_fault fault = PTO_ARITH_FINE;

    switch (op) {
#define ARITHMETIC(id, result, operands, ...)                                                      \
    case PTO_OP_##id:                                                                              \
        fault = pto_arith_fault_##id(OF_##operands(a), OF_##operands(b));                          \
        if (fault == PTO_ARITH_FINE)                                                               \
            *d = BITS_##result(pto_arith_##id(OF_##operands(a), OF_##operands(b)));                \
        break;
#define BRANCH(...)
#include "arithmetic.def"
#undef ARITHMETIC
#undef BRANCH
    default:
        break;
    }
    return fault;
}

void pto_arith_fault_text(enum pto_arith_fault fault, uint64_t a, uint64_t b, struct pto_buf *text)
{
    long long x = (long long)a, y = (long long)b;

    switch (fault) {
    case PTO_ARITH_FINE:
        break;
    case PTO_ARITH_ZERO:
        pto_buf_printf(text, "division by zero");
        break;
    case PTO_ARITH_NEGATIVE:
        pto_buf_printf(text, "cdiv() by %lld: the divisor must be positive", y);
        break;
    case PTO_ARITH_QUOTIENT:
        pto_buf_printf(text, "the quotient of %lld and %lld does not fit into 64 bits", x, y);
        break;
    case PTO_ARITH_SHIFT:
        pto_buf_printf(text, "shift by %lld: it must be by 0 to 63 bits", y);
        break;
    case PTO_ARITH_RANGE:
        pto_buf_printf(text, "int() of %g does not fit into 64 bits",
                       pto_arith_canonical(pto_f64_from_bits(a)));
        break;
    }
}

bool pto_branch_is(unsigned op)
{
    switch (op) {
#define ARITHMETIC(...)
#define BRANCH(id, ...) case PTO_OP_##id:
#include "arithmetic.def"
#undef ARITHMETIC
#undef BRANCH
        return true;
    default:
        return false;
    }
}

bool pto_branch_taken(unsigned op, int64_t a, int64_t b)
{
    switch (op) {
#define ARITHMETIC(...)
#define BRANCH(id, ...)                                                                            \
    case PTO_OP_##id:                                                                              \
        return pto_branch_##id(a, b);
#include "arithmetic.def"
#undef ARITHMETIC
#undef BRANCH
    default:
        return false;
    }
}
