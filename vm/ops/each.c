/* Operands from a row of the table to lanes. */
#include "each.h"

#include <stdio.h>

#include "operand.h"
#include "shape.h"
#include "widen.h"

static bool is_scalar(const struct pto_operand_spec *spec)
{
    return spec->kind == PTO_K_NUM || spec->kind == PTO_K_INT || spec->kind == PTO_K_FLOAT;
}

/* What is worked on: the valid region of operand 0, of operand 1 where operand 0 is its mask. */
static const struct op_view *domain_of(const struct op_args *args, const struct pto_op_info *info)
{
    return &args->arg[info->operand[0].rule == PTO_SHAPE_OF_MASK_OF_1].view;
}

static bool expands(const struct op_view *view)
{
    return shape_expands(view->dtype, view->layout, view->cols);
}

/* Of two sources the second is expanded along the rows of the first, or else the first: its column,
 * or its block of 32 bytes again and again. */
static const char *set_beside(const struct op_args *args, const struct pto_operand_spec *spec,
                              int index, const struct op_view *domain, struct op_lane *lane)
{
    int other = pto_shapes[spec->rule].need[1].operand, first = index < other ? index : other;
    int second = first == index ? other : index, expanded = second;
    const struct op_view *view[] = {&args->arg[first].view, &args->arg[second].view};
    uint32_t cols = domain->cols, have = view[index == second]->cols;
    bool one = view[0]->cols >= cols && expands(view[1]);

    if (!one && view[1]->cols >= cols && expands(view[0]))
        expanded = first;
    else if (!one && cols) {
        snprintf(args->message, OP_MESSAGE_BYTES, "src0 and src1 have %u and %u valid columns: one "
                 "needs the %u of dst, the other is expanded and has 1 or, in nd, 32 bytes",
                 view[0]->cols, view[1]->cols, cols);
        return args->message;
    }
    if (index == expanded && have == 1)
        op_spread_row(lane);
    else if (index == expanded && cols)
        op_repeat_row(lane, have);
    return op_covers(args, index, spec->name, domain->rows, 0);
}

/* A tile as its shape says; its valid region must have what that takes. */
static const char *set_tile(const struct op_args *args, const struct pto_operand_spec *spec,
                            int index, const struct op_view *domain, struct op_lane *lane)
{
    uint32_t rows = domain->rows, cols = domain->cols;

    op_set_lane(lane, &args->arg[index].view, spec->access & PTO_READ, spec->access & PTO_WRITE);
    switch (spec->rule) {
    case PTO_SHAPE_OF_COLUMN:
        op_spread_row(lane);
        return op_covers(args, index, spec->name, rows, cols ? 1 : 0);
    case PTO_SHAPE_OF_BESIDE_1:
    case PTO_SHAPE_OF_BESIDE_2:
        return set_beside(args, spec, index, domain, lane);
    case PTO_SHAPE_OF_ROW:
        op_spread_column(lane);
        return op_covers(args, index, spec->name, rows ? 1 : 0, cols);
    case PTO_SHAPE_OF_ELEMENT:
        op_spread_row(lane);
        op_spread_column(lane);
        return op_covers(args, index, spec->name, 1, 1);
    case PTO_SHAPE_OF_MASK:
    case PTO_SHAPE_OF_MASK_OF_1:
        lane->bits = true;
        return op_covers(args, index, spec->name, rows, (cols + 7) / 8);
    default:
        return op_covers(args, index, spec->name, rows, cols);
    }
}

/* ---- the common case: whole tiles without gaps, and scalars ---------------------------------- */
struct whole { /* what is worked on */
    uint32_t rows, cols;
    int64_t size; /* bytes of an element of the destination */
    uint8_t *begin, *end;
};

/* Its elements, from the first one on, lie without gaps. */
static inline bool is_solid(const struct op_view *view, const struct whole *dst)
{
    return view->line == dst->cols || (dst->rows == 1 && view->line);
}

/* A source that can be taken as one row: solid, with all that is worked on, and either the same
 * elements as the destination's or no byte in common with them. */
static inline bool is_one_row(const struct op_view *view, const struct whole *dst, size_t n)
{
    if (!is_solid(view, dst) || view->rows < dst->rows || view->cols < dst->cols)
        return false;
    if (view->data == dst->begin)
        return view->col_stride == dst->size;
    return dst->end <= view->data || view->data + n * (size_t)view->col_stride <= dst->begin;
}

static inline bool is_plain(const struct pto_operand_spec *spec)
{
    return spec->rule == PTO_SHAPE_OF_FREE || spec->rule == PTO_SHAPE_OF_COVERS;
}

/* Operands of one call that does it all; false if they need more than that, or a fault is to be
 * told. */
static bool in_one_call(const struct op_args *args, const struct pto_op_info *info, uint8_t key,
                        size_t n, void **at, uint64_t *element, unsigned *single)
{
    const struct op_view *first = &args->arg[0].view;
    const struct whole dst = {first->rows, first->cols, first->col_stride, first->data,
                              first->data + n * (size_t)first->col_stride};
    const struct pto_operand_spec *spec = info->operand, *end = spec + info->operands;
    const struct op_arg *arg = args->arg;
    unsigned lanes = 1, scalars = 0;

    if (!n || !is_plain(spec) || !is_solid(first, &dst))
        return false;
    at[0] = first->data;
    for (spec++, arg++; spec < end; spec++, arg++) {
        if (spec->access & PTO_SCRATCH)
            continue;
        if (spec->kind == PTO_K_TILE) {
            if (!is_plain(spec) || !is_one_row(&arg->view, &dst, n))
                return false;
            at[lanes++] = arg->view.data;
            continue;
        }
        at[lanes] = &element[lanes];
        if (spec->kind != PTO_K_NUM ||
            op_convert_scalar(args, (int)(arg - args->arg), key, at[lanes]))
            return false;
        scalars |= 1u << lanes++;
    }
    *single = scalars;
    return true;
}

/* ---- any operands ---------------------------------------------------------------------------- */
static __attribute__((noinline)) const char *run_lanes(const struct op_args *args,
                                                       const struct pto_op_info *info, uint8_t key,
                                                       op_rows_function *function)
{
    static const uint64_t zero;
    const struct op_view *domain = domain_of(args, info);
    struct op_lane lane[OP_LANES];
    uint64_t element[OP_LANES];
    unsigned lanes = 0;
    const char *fault = NULL;

    for (unsigned i = 0; i < info->operands && !fault; i++) {
        const struct pto_operand_spec *spec = &info->operand[i];
        uint8_t dtype = spec->kind == PTO_K_FLOAT ? PTO_F32 : key;

        if (spec->kind == PTO_K_ENUM || (spec->access & PTO_SCRATCH))
            continue;
        if (is_scalar(spec)) {
            op_set_constant(&lane[lanes], &element[lanes], pto_dtype_size((enum pto_dtype)dtype));
            fault = op_convert_scalar(args, (int)i, dtype, &element[lanes]);
        } else if (args->arg[i].present || !(spec->access & PTO_OPTIONAL)) {
            fault = set_tile(args, spec, (int)i, domain, &lane[lanes]);
        } else {
            op_set_constant(&lane[lanes], &zero, 1);
        }
        lanes++;
    }
    return fault ? fault
                 : op_run_lanes(args, domain->rows, domain->cols, lane, lanes, function);
}

const char *op_run_each(const struct op_args *args, enum pto_op op, const struct op_each *each)
{
    const struct pto_op_info *info = pto_op_info(op);
    const struct op_view *dst = &args->arg[0].view;
    uint8_t key = args->arg[each->key].view.dtype;
    op_rows_function *function = each->function[key];
    size_t n = (size_t)dst->rows * dst->cols;
    uint64_t element[OP_LANES];
    void *at[OP_LANES];
    unsigned single;

    if (!function)
        return OP_NO_FUNCTION;
    if (in_one_call(args, info, key, n, at, element, &single))
        return function(at, n, single, NULL);
    return run_lanes(args, info, key, function);
}

const char *op_run_rest(op_row_function *function, const struct op_rest *rest, void *const *row,
                        size_t done, size_t n, unsigned single)
{
    uint8_t strip[OP_LANES][OP_STRIP * 8];
    size_t bytes[OP_LANES];
    void *at[OP_LANES], *from[OP_LANES];
    const char *fault;

    for (unsigned i = 0; i < rest->lanes; i++) {
        size_t size = rest->size[i];

        from[i] = (uint8_t *)row[i] + (size ? done * size : done / 8);
        bytes[i] = size ? (n - done) * size : (n - done + 7) / 8;
        at[i] = single >> i & 1 ? row[i] : strip[i];
        if (at[i] == row[i])
            continue;
        memset(strip[i], 0, sizeof strip[i]);
        memcpy(strip[i], from[i], bytes[i]);
    }
    fault = function(at, OP_STRIP, single);
    for (unsigned i = 0; i < rest->lanes && !fault; i++) {
        if (!(rest->results >> i & 1))
            continue;
        if (!rest->size[i] && n % 8) /* bits past the last element are 0 */
            strip[i][bytes[i] - 1] &= (uint8_t)((1u << n % 8) - 1);
        memcpy(from[i], strip[i], bytes[i]);
    }
    return fault;
}

const char *op_run_widened(op_row_function *function, uint8_t dtype, unsigned sources,
                           unsigned others, size_t size, void *const *row, size_t n,
                           unsigned single)
{
    size_t from_size = pto_dtype_size((enum pto_dtype)dtype);
    float wide[2][OP_WIDE];
    void *at[OP_LANES];
    const char *fault = NULL;

    for (size_t done = 0, count; done < n && !fault; done += count) {
        count = n - done < OP_WIDE ? n - done : OP_WIDE;
        at[0] = (uint8_t *)row[0] + (size ? done * size : done / 8);
        for (unsigned i = 1; i <= sources; i++) {
            bool one = single >> i & 1;

            at[i] = wide[i - 1];
            op_widen(dtype, wide[i - 1], (uint8_t *)row[i] + (one ? 0 : done * from_size),
                     one ? 1 : count);
        }
        for (unsigned i = sources + 1; i <= sources + others; i++)
            at[i] = (float *)row[i] + (single >> i & 1 ? 0 : done);
        fault = function(at, count, single);
    }
    return fault;
}
