/* TEXP. */
#include "exp.h"

#include "walk.h"

static const char *exp_row(void *dst, const void *src, const void *unused, size_t n)
{
    mem_f32 *d = dst;
    const mem_f32 *a = src;

    (void)unused;
    OP_INDEPENDENT
    for (size_t i = 0; i < n; i++)
        d[i] = op_exp_f32(a[i]);
    return NULL;
}

/* dst[r, c] = e^src[r, c].  f16: the f32 result rounded to nearest even, within 1 ulp of f16.
 * exp(-inf) = +0, exp(+inf) = +inf, exp(NaN) = canonical NaN. */
OP(TEXP)
{
    static const struct op_kernel kernel = {exp_row, NULL, NULL};
    const struct op_view *view = &args->arg[0].view;
    struct op_operand dst = op_operand_of(view), src = op_operand_of(&args->arg[1].view);
    const char *fault = op_covers(args, 1, "src", view->rows, view->cols);

    return fault ? fault : op_walk(args, view->rows, view->cols, &dst, &src, NULL, &kernel, true);
}
