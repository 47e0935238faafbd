/* Valid regions against the shapes of their row.  Internal to pto_operands_fit. */
#ifndef PTO_SHAPE_CHECK_H
#define PTO_SHAPE_CHECK_H

#include "misfit.h"

/* Are all regions known, and none empty? */
bool shape_has_work(const struct check *c);

/* Find out c->side. */
void shape_regions(struct check *c);
/* A tile or window against its shape. */
bool shape_check(const struct check *c, unsigned operand);

#endif
