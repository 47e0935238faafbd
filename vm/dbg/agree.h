/* Are two elements the same number, or near enough? */
#ifndef PTO_DBG_AGREE_H
#define PTO_DBG_AGREE_H

#include <stdbool.h>
#include <stdint.h>

#include "dtype.h"

struct agree_pair {
    const uint8_t *is, *want;
    enum pto_dtype is_dtype, want_dtype;
};

/* They are if they are equal, both NaN, or differ by at most atol + rtol * |wanted|; *distance is
 * that of finite values, otherwise 0. */
bool agree(const struct agree_pair *pair, double rtol, double atol, double *distance);

#endif
