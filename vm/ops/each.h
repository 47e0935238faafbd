/* Elementwise instructions: row functions by element type, and the operands from the row of the
 * table.
 *
 * An instruction gives one function per element type, which sees the operands in the order of the
 * row: tiles, scalars, results.  What a row says about the valid regions of its operands also says
 * how they take part: those of shape COLUMN, ROW, BESIDE and ELEMENT are spread over the region,
 * those of shape MASK are bits, the others go element by element. */
#ifndef PTO_VM_OPS_EACH_H
#define PTO_VM_OPS_EACH_H

#include "lanes.h"
#include "strip.h"

struct op_each {
    op_rows_function *function[PTO_DTYPE_COUNT]; /* by the type of operand `key` */
    uint8_t key; /* also the type that scalars (S_N) are converted to; S_F ones are f32 */
};

#define op_run_each OP_NAME(run_each)
#define op_run_rest OP_NAME(run_rest)

/* The instruction `op` by its row.  An optional tile that is absent is 0.  Returns NULL or why the
 * instruction faults. */
const char *op_run_each(const struct op_args *args, enum pto_op op, const struct op_each *each);

/* An instruction that is nothing but its functions. */
#define OP_EACH(id, each)                                                                          \
    OP(id)                                                                                         \
    {                                                                                              \
        return op_run_each(args, PTO_OP_##id, &(each));                                            \
    }

/* ---- tables ---------------------------------------------------------------------------------- */
/* Functions name_TYPE by their type, or the unsigned one for both signs. */
#define OP_F32_F16(name) [PTO_F32] = name##_f32, [PTO_F16] = name##_f16
#define OP_FLOATS(name) OP_F32_F16(name), [PTO_BF16] = name##_bf16
#define OP_UNSIGNED_8_16_32(name)                                                                  \
    [PTO_U8] = name##_u8, [PTO_U16] = name##_u16, [PTO_U32] = name##_u32
#define OP_SIGNED_8_16_32(name) [PTO_I8] = name##_i8, [PTO_I16] = name##_i16, [PTO_I32] = name##_i32
#define OP_UNSIGNED(name) OP_UNSIGNED_8_16_32(name), [PTO_U64] = name##_u64
#define OP_SIGNED(name) OP_SIGNED_8_16_32(name), [PTO_I64] = name##_i64
#define OP_BITWISE_8_16_32(name)                                                                   \
    OP_UNSIGNED_8_16_32(name), [PTO_I8] = name##_u8, [PTO_I16] = name##_u16, [PTO_I32] = name##_u32
#define OP_BITWISE(name) OP_BITWISE_8_16_32(name), [PTO_U64] = name##_u64, [PTO_I64] = name##_u64

/* ---- row functions --------------------------------------------------------------------------- */
/* A value as an element: a NaN result is the canonical one, an integer keeps its low bits. */
#define OP_RESULT_f32(value) op_canonical(value)
#define OP_RESULT_i8(value) ((int8_t)(value))
#define OP_RESULT_u8(value) ((uint8_t)(value))
#define OP_RESULT_i16(value) ((int16_t)(value))
#define OP_RESULT_u16(value) ((uint16_t)(value))
#define OP_RESULT_i32(value) ((int32_t)(value))
#define OP_RESULT_u32(value) ((uint32_t)(value))
#define OP_RESULT_i64(value) ((int64_t)(value))
#define OP_RESULT_u64(value) ((uint64_t)(value))

/* n numbers as they are before the results are written: copied where the results lie over them. */
static inline const mem_f32 *op_keep(mem_f32 *kept, const mem_f32 *x, const void *results, size_t n)
{
    return (const void *)x == results ? memcpy(kept, x, n * sizeof *x) : x;
}

/* One loop, compiled for each of the ways in which sources may be single. */
#define OP_DISPATCH_2(loop, n)                                                                     \
    do {                                                                                           \
        if (single & 4)                                                                            \
            loop(row, n, 4);                                                                       \
        else if (single & 2)                                                                       \
            loop(row, n, 2);                                                                       \
        else                                                                                       \
            loop(row, n, 0);                                                                       \
    } while (0)
#define OP_DISPATCH_3(loop, n)                                                                     \
    do {                                                                                           \
        if (single & 4 && single & 8)                                                              \
            loop(row, n, 12);                                                                      \
        else if (single & 8)                                                                       \
            loop(row, n, 8);                                                                       \
        else if (single & 4)                                                                       \
            loop(row, n, 4);                                                                       \
        else                                                                                       \
            loop(row, n, 0);                                                                       \
    } while (0)

/* d[i] = expression(x[i]), types that are computed as they lie in memory.  OP_ONE_ROW_1 makes
 * name_row alone, for other functions to call. */
#define OP_ONE_ROW_1(name, to, from, expression)                                                   \
    static const char *name##_row(void *const *row, size_t n, unsigned single)                     \
    {                                                                                              \
        mem_##to *d = row[0];                                                                      \
        const mem_##from *x = row[1];                                                              \
                                                                                                   \
        (void)single;                                                                              \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = OP_RESULT_##to(expression(x[i]));                                               \
        return NULL;                                                                               \
    }
#define OP_ROW_1(name, to, from, expression)                                                       \
    OP_ONE_ROW_1(name, to, from, expression)                                                       \
    OP_ROWS(name, 2)
/* Pieces of f32 by `quick`, and by row function `any` where that says that it does not hold. */
#define OP_QUICK_1(name, quick, any)                                                               \
    static const char *name##_row(void *const *row, size_t n, unsigned single)                     \
    {                                                                                              \
        enum { PIECE = 512 };                                                                      \
        mem_f32 *d = row[0], *x = row[1], kept[PIECE];                                             \
                                                                                                   \
        for (size_t i = 0; i < n; i += PIECE) {                                                    \
            size_t count = n - i < PIECE ? n - i : PIECE;                                          \
            const mem_f32 *numbers = op_keep(kept, x + i, d + i, count);                           \
            void *const again[] = {d + i, (void *)(uintptr_t)numbers};                             \
                                                                                                   \
            if (!quick((void *)(d + i), numbers, count))                                           \
                any##_row(again, count, single);                                                   \
        }                                                                                          \
        return NULL;                                                                               \
    }                                                                                              \
    OP_ROWS(name, 2)
/* d[i] = expression(x[i], y[i]); one of the sources may be single. */
#define OP_ONE_ROW_2(name, to, from, expression)                                                   \
    OP_INLINE void name##_loop(void *const *row, size_t n, unsigned single)                        \
    {                                                                                              \
        mem_##to *d = row[0];                                                                      \
        const mem_##from *x = row[1], *y = row[2];                                                 \
        const op_wide_##from x0 = *x, y0 = *y;                                                     \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++) {                                                           \
            const op_wide_##from a = single & 2 ? x0 : x[i], b = single & 4 ? y0 : y[i];           \
                                                                                                   \
            d[i] = OP_RESULT_##to(expression(a, b));                                               \
        }                                                                                          \
    }                                                                                              \
    OP_INLINE const char *name##_row(void *const *row, size_t n, unsigned single)                  \
    {                                                                                              \
        OP_DISPATCH_2(name##_loop, n);                                                             \
        return NULL;                                                                               \
    }
#define OP_ROW_2(name, to, from, expression)                                                       \
    OP_ONE_ROW_2(name, to, from, expression)                                                       \
    OP_ROWS(name, 3)
/* d[i] = expression(x[i], y[i], z[i]); y and z may be single.  `third`: row of z, 3, or 0 for the
 * result itself. */
#define OP_ROW_3(name, to, from, third, expression)                                                \
    OP_INLINE void name##_loop(void *const *row, size_t n, unsigned single)                        \
    {                                                                                              \
        mem_##to *d = row[0];                                                                      \
        const mem_##from *x = row[1], *y = row[2], *z = row[third];                                \
        const op_wide_##from y0 = *y, z0 = *z;                                                     \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++) {                                                           \
            const op_wide_##from b = single & 4 ? y0 : y[i], c = single & 8 ? z0 : z[i];           \
                                                                                                   \
            d[i] = OP_RESULT_##to(expression(x[i], b, c));                                         \
        }                                                                                          \
    }                                                                                              \
    static const char *name##_row(void *const *row, size_t n, unsigned single)                     \
    {                                                                                              \
        OP_DISPATCH_3(name##_loop, n);                                                             \
        return NULL;                                                                               \
    }                                                                                              \
    OP_ROWS(name, third ? 4 : 3)

/* ---- row functions by strips ----------------------------------------------------------------- */
/* What the rest of a row, less than a strip, looks like: bytes of an element of each lane, 0 for
 * bits, and which lanes are results. */
struct op_rest {
    uint8_t size[OP_LANES];
    uint8_t lanes, results;
};
/* The elements of the rows from number `done` on in strips of their own. */
const char *op_run_rest(op_row_function *function, const struct op_rest *rest, void *const *row,
                        size_t done, size_t n, unsigned single);

/* A source at row `index`; its elements in the strip `x`; number k of them. */
#define OP_SOURCE(type, x, index)                                                                  \
    const void *x##_row = row[index];                                                              \
    const op_wide_##type x##_first = op_first_##type(x##_row)
#define OP_GET(type, x, index)                                                                     \
    if (!(single & 1u << (index)))                                                                 \
        op_get_##type(x, x##_row, i)
#define OP_AT(x, index) (single & 1u << (index) ? x##_first : x[k])
#define OP_DISPATCH_1(loop, n) loop(row, n, 0)
#define OP_RUN_STRIPS(name, dispatch, rest)                                                        \
    dispatch(name##_strips, n);                                                                    \
    if (n % OP_STRIP)                                                                              \
        return op_run_rest(name##_row, &rest, row, n - n % OP_STRIP, n, single);                   \
    return NULL
#define OP_STRIP_FUNCTION(name, dispatch, count, ...)                                              \
    static const char *name##_row(void *const *row, size_t n, unsigned single)                     \
    {                                                                                              \
        static const struct op_rest rest = {{__VA_ARGS__}, count, 1};                              \
                                                                                                   \
        OP_RUN_STRIPS(name, dispatch, rest);                                                       \
    }                                                                                              \
    OP_ROWS(name, count)

/* The same in strips, for types that are computed in another form: small floats, mask bits. */
#define OP_STRIP_1(name, to, from, expression)                                                     \
    OP_INLINE void name##_strips(void *const *row, size_t n, unsigned single)                      \
    {                                                                                              \
        void *to_row = row[0];                                                                     \
        const void *x_row = row[1];                                                                \
                                                                                                   \
        (void)single;                                                                              \
        for (size_t i = 0; i + OP_STRIP <= n; i += OP_STRIP) {                                     \
            op_wide_##from x[OP_STRIP];                                                            \
            op_wide_##to d[OP_STRIP];                                                              \
                                                                                                   \
            op_get_##from(x, x_row, i);                                                            \
            for (int k = 0; k < OP_STRIP; k++)                                                     \
                d[k] = (op_wide_##to)expression(x[k]);                                             \
            op_put_##to(to_row, i, d);                                                             \
        }                                                                                          \
    }                                                                                              \
    OP_STRIP_FUNCTION(name, OP_DISPATCH_1, 2, OP_SIZE_##to, OP_SIZE_##from)
#define OP_STRIP_2(name, to, from, expression)                                                     \
    OP_INLINE void name##_strips(void *const *row, size_t n, unsigned single)                      \
    {                                                                                              \
        void *to_row = row[0];                                                                     \
        OP_SOURCE(from, x, 1);                                                                     \
        OP_SOURCE(from, y, 2);                                                                     \
                                                                                                   \
        for (size_t i = 0; i + OP_STRIP <= n; i += OP_STRIP) {                                     \
            op_wide_##from x[OP_STRIP], y[OP_STRIP];                                               \
            op_wide_##to d[OP_STRIP];                                                              \
                                                                                                   \
            OP_GET(from, x, 1);                                                                    \
            OP_GET(from, y, 2);                                                                    \
            for (int k = 0; k < OP_STRIP; k++)                                                     \
                d[k] = (op_wide_##to)expression(OP_AT(x, 1), OP_AT(y, 2));                         \
            op_put_##to(to_row, i, d);                                                             \
        }                                                                                          \
    }                                                                                              \
    OP_STRIP_FUNCTION(name, OP_DISPATCH_2, 3, OP_SIZE_##to, OP_SIZE_##from, OP_SIZE_##from)
/* Sources of three types. */
#define OP_STRIP_3(name, to, x_type, y_type, z_type, third, expression)                            \
    OP_INLINE void name##_strips(void *const *row, size_t n, unsigned single)                      \
    {                                                                                              \
        void *to_row = row[0];                                                                     \
        OP_SOURCE(x_type, x, 1);                                                                   \
        OP_SOURCE(y_type, y, 2);                                                                   \
        OP_SOURCE(z_type, z, third);                                                               \
                                                                                                   \
        for (size_t i = 0; i + OP_STRIP <= n; i += OP_STRIP) {                                     \
            op_wide_##x_type x[OP_STRIP];                                                          \
            op_wide_##y_type y[OP_STRIP];                                                          \
            op_wide_##z_type z[OP_STRIP];                                                          \
            op_wide_##to d[OP_STRIP];                                                              \
                                                                                                   \
            OP_GET(x_type, x, 1);                                                                  \
            OP_GET(y_type, y, 2);                                                                  \
            OP_GET(z_type, z, third);                                                              \
            for (int k = 0; k < OP_STRIP; k++)                                                     \
                d[k] = (op_wide_##to)expression(OP_AT(x, 1), OP_AT(y, 2), OP_AT(z, third));        \
            op_put_##to(to_row, i, d);                                                             \
        }                                                                                          \
    }                                                                                              \
    OP_STRIP_FUNCTION(name, OP_DISPATCH_3, third ? 4 : 3, OP_SIZE_##to, OP_SIZE_##x_type,          \
                      OP_SIZE_##y_type, OP_SIZE_##z_type)

/* ---- small floats through a buffer ----------------------------------------------------------- */
enum { OP_WIDE = 256 }; /* elements that are widened at a time; a multiple of 8 */

/* Rows whose sources 1 to `sources` are small floats of type `dtype`, `others` behind them f32, by
 * the function for f32: where results are so narrow that strips do not stay in registers.  `size`:
 * of an element of the result, 0 for bits. */
#define op_run_widened OP_NAME(run_widened)
const char *op_run_widened(op_row_function *function, uint8_t dtype, unsigned sources,
                           unsigned others, size_t size, void *const *row, size_t n,
                           unsigned single);
#define OP_WIDENED(name, f32_function, dtype, sources, others, size)                               \
    static const char *name##_row(void *const *row, size_t n, unsigned single)                     \
    {                                                                                              \
        return op_run_widened(f32_function##_row, dtype, sources, others, size, row, n, single);   \
    }                                                                                              \
    OP_ROWS(name, 1 + (sources) + (others))

/* name_f32 and name_f16, with _BF16 also name_bf16. */
#define OP_FLOAT_1(name, expression)                                                               \
    OP_ROW_1(name##_f32, f32, f32, expression)                                                     \
    OP_STRIP_1(name##_f16, f16, f16, expression)
#define OP_FLOAT_1_BF16(name, expression)                                                          \
    OP_FLOAT_1(name, expression)                                                                   \
    OP_STRIP_1(name##_bf16, bf16, bf16, expression)
#define OP_FLOAT_2(name, expression)                                                               \
    OP_ROW_2(name##_f32, f32, f32, expression)                                                     \
    OP_STRIP_2(name##_f16, f16, f16, expression)
#define OP_FLOAT_2_BF16(name, expression)                                                          \
    OP_FLOAT_2(name, expression)                                                                   \
    OP_STRIP_2(name##_bf16, bf16, bf16, expression)
#define OP_FLOAT_3(name, third, expression)                                                        \
    OP_ROW_3(name##_f32, f32, f32, third, expression)                                              \
    OP_STRIP_3(name##_f16, f16, f16, f16, f16, third, expression)
#define OP_FLOAT_3_BF16(name, third, expression)                                                   \
    OP_FLOAT_3(name, third, expression)                                                            \
    OP_STRIP_3(name##_bf16, bf16, bf16, bf16, bf16, third, expression)

#endif
