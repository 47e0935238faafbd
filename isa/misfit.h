/* What is wrong with the operands of an instruction, and the instruction being looked at. */
#ifndef PTO_MISFIT_H
#define PTO_MISFIT_H

#include "module.h"
#include "profile.h"

enum { PTO_MISFIT_TEXT = 160 };

struct pto_misfit {
    unsigned operand;           /* which one is at fault */
    char text[PTO_MISFIT_TEXT]; /* "src1 has 31 valid columns, dst needs 32" */
    char hint[PTO_MISFIT_TEXT]; /* may be empty */
};

/* A number that may be unknown before the run. */
struct number {
    bool known;
    uint64_t value;
};

struct check {
    const struct pto_profile *profile;
    const struct pto_core_code *core;
    const struct pto_insn *insn;
    const struct pto_op_info *info;
    struct number side[PTO_MAX_OPERANDS][2]; /* rows and columns of the valid regions */
    struct pto_misfit *misfit;
};

/* Say in c->misfit what is wrong about an operand; `hint` may be NULL.  Always false. */
bool misfit_about(const struct check *c, unsigned operand, const char *hint, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));
/* What the row calls an operand. */
const char *misfit_name(const struct check *c, unsigned operand);
/* The tile of an operand, or NULL. */
const struct pto_tile *misfit_tile(const struct check *c, unsigned operand);

#endif
