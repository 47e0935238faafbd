#include "dbg/agree.h"

#include <math.h>
#include <string.h>

static double load(const uint8_t *element, enum pto_dtype dtype)
{
    return pto_dtype_is_float(dtype) ? pto_load_f64(element, dtype)
                                     : (double)pto_load_int(element, dtype);
}

bool agree(const struct agree_pair *pair, double rtol, double atol, double *distance)
{
    bool one_type = pair->is_dtype == pair->want_dtype;
    double x = load(pair->is, pair->is_dtype), y = load(pair->want, pair->want_dtype);

    *distance = isfinite(x) && isfinite(y) ? fabs(x - y) : 0;
    if (one_type && !memcmp(pair->is, pair->want, pto_dtype_size(pair->is_dtype)))
        return true;
    if (one_type && !pto_dtype_is_float(pair->is_dtype) && *distance == 0)
        return false; /* integers that no double tells apart */
    return (isnan(x) && isnan(y)) || x == y ||
           (isfinite(x) && isfinite(y) && *distance <= atol + rtol * fabs(y));
}
