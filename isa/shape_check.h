/* What shape.c and fit.c share: an instruction being looked at.  Internal to pto_operands_fit. */
#ifndef PTO_SHAPE_CHECK_H
#define PTO_SHAPE_CHECK_H

#include "shape.h"

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

/* Fill in c->misfit; `hint` may be NULL.  Always false. */
bool shape_misfit(const struct check *c, unsigned operand, const char *hint, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));
const char *shape_name(const struct check *c, unsigned operand);
/* The tile of an operand, or NULL. */
const struct pto_tile *shape_tile(const struct check *c, unsigned operand);
/* Are all regions known, and none empty? */
bool shape_has_work(const struct check *c);

/* Find out c->side. */
void shape_regions(struct check *c);
/* A tile or window against its shape. */
bool shape_check(const struct check *c, unsigned operand);

#endif
