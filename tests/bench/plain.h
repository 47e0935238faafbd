/* The loops that tile instructions are measured against: what one would write for the same work on
 * plain arrays, compiled with -O3 -march=native; the C library or SLEEF for transcendental
 * functions, memcpy for moves. */
#ifndef PTO_TESTS_BENCH_PLAIN_H
#define PTO_TESTS_BENCH_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "ops.h"

struct plain {
    void *at[PTO_MAX_OPERANDS]; /* first element of the operands that are tiles or windows */
    uint32_t rows, cols;        /* of the widest operand; its elements lie without gaps */
    size_t n;                   /* rows * cols */
    double f;                   /* the scalar operand, if there is one */
};
typedef void plain_function(const struct plain *p);

#define CASE(name, op, plain, ...) plain_function plain_##plain;
#include "cases.def"
#undef CASE

/* e^x and ln x with SLEEF if its library is there, else with the C library. */
void plain_find_sleef(void);

#endif
