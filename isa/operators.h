/* The spelling of arithmetic: operators and functions of numbers, operators.def. */
#ifndef PTO_OPERATORS_H
#define PTO_OPERATORS_H

#include <stdbool.h>
#include <stdint.h>

enum pto_fixity { PTO_INFIX, PTO_PREFIX, PTO_FUNCTION };

enum {
    PTO_LEVEL_CHOICE = -1, /* c ? a : b, below all infix operators; groups from the right */
    PTO_LEVEL_COMPARISON = 2,
    PTO_LEVEL_TIGHTEST = 9 /* above all infix operators */
};

#define INFIX(id, ...) PTO_OPERATOR_##id,
#define MIRRORED(id, ...) PTO_OPERATOR_##id,
#define PREFIX(id, ...) PTO_OPERATOR_##id,
#define FUNCTION(id, ...) PTO_OPERATOR_##id,
enum pto_operator_id {
#include "operators.def"
    PTO_OPERATOR_COUNT
};
#undef INFIX
#undef MIRRORED
#undef PREFIX
#undef FUNCTION

struct pto_operator {
    const char *text;
    uint8_t fixity;   /* enum pto_fixity */
    uint8_t level;    /* infix: a larger one binds tighter */
    uint8_t operands;
    bool mirrored;    /* the instruction takes the operands in the other order */
    int16_t of_integers, of_floats; /* enum pto_op, or -1 */
};

const struct pto_operator *pto_operator(enum pto_operator_id id);
/* enum pto_operator_id, or -1. */
int pto_operator_find(enum pto_fixity fixity, const char *text);
/* By which row an instruction is written, or -1. */
int pto_operator_of(unsigned op);

#endif
