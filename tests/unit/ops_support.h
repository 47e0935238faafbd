/* Shared by the tests of tile instructions: one memory that tiles lie in, references that are
 * written from the definitions and share no code with the machine, and a run on every level of the
 * host.
 *
 * A test describes its operands, runs the instruction with ops_run (which demands the same bytes
 * and the same verdict from all levels), writes what it expects into a second memory and compares
 * all of it: elements outside the valid region must not change either. */
#ifndef PTO_TESTS_OPS_SUPPORT_H
#define PTO_TESTS_OPS_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dtype.h"
#include "ops/op.h"
#include "ops/select.h"

#define MAYBE_UNUSED __attribute__((unused))

#ifndef OPS_MEMORY
#define OPS_MEMORY (1 << 20)
#endif
enum { OPS_LEVELS = 6 };

/* ---- random numbers (xorshift64*) ---------------------------------------------------------- */
static uint64_t ops_seed = 1;

MAYBE_UNUSED static uint64_t ops_random(void)
{
    ops_seed ^= ops_seed >> 12;
    ops_seed ^= ops_seed << 25;
    ops_seed ^= ops_seed >> 27;
    return ops_seed * UINT64_C(2685821657736338717);
}

MAYBE_UNUSED static uint32_t ops_below(uint32_t limit)
{
    return (uint32_t)(ops_random() >> 33) % limit;
}

/* ---- element types from their definitions -------------------------------------------------- */
struct ops_format {
    int exponent_bits, fraction_bits;
    bool infinity; /* e4m3 has none, and one NaN pattern per sign */
    uint32_t nan;
};

MAYBE_UNUSED static struct ops_format ops_format(int dtype)
{
    switch (dtype) {
    case PTO_F32: return (struct ops_format){8, 23, true, 0x7fc00000u};
    case PTO_F16: return (struct ops_format){5, 10, true, 0x7e00u};
    case PTO_BF16: return (struct ops_format){8, 7, true, 0x7fc0u};
    case PTO_F8E5M2: return (struct ops_format){5, 2, true, 0x7eu};
    default: return (struct ops_format){4, 3, false, 0x7fu};
    }
}

MAYBE_UNUSED static unsigned ops_size(int dtype)
{
    static const unsigned size[PTO_DTYPE_COUNT] = {
        [PTO_F32] = 4, [PTO_F16] = 2, [PTO_BF16] = 2, [PTO_F8E4M3] = 1, [PTO_F8E5M2] = 1,
        [PTO_E8M0] = 1, [PTO_F4E2M1X2] = 1, [PTO_F4E1M2X2] = 1, [PTO_S4X2] = 1,
        [PTO_I8] = 1,  [PTO_U8] = 1,  [PTO_I16] = 2,  [PTO_U16] = 2,    [PTO_I32] = 4,
        [PTO_U32] = 4, [PTO_I64] = 8, [PTO_U64] = 8};

    return size[dtype];
}

MAYBE_UNUSED static bool ops_is_float(int dtype)
{
    return dtype == PTO_F32 || dtype == PTO_F16 || dtype == PTO_BF16 || dtype == PTO_F8E4M3 ||
           dtype == PTO_F8E5M2;
}

MAYBE_UNUSED static bool ops_is_signed(int dtype)
{
    return dtype == PTO_I8 || dtype == PTO_I16 || dtype == PTO_I32 || dtype == PTO_I64;
}

MAYBE_UNUSED static double ops_decode(int dtype, uint64_t bits)
{
    struct ops_format f = ops_format(dtype);
    int bias = (1 << (f.exponent_bits - 1)) - 1, top = (1 << f.exponent_bits) - 1;
    int exponent = (int)(bits >> f.fraction_bits) & top;
    int fraction = (int)(bits & ((1u << f.fraction_bits) - 1));
    double value, sign = bits >> (f.exponent_bits + f.fraction_bits) & 1 ? -1 : 1;

    if (f.infinity && exponent == top)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (!f.infinity && exponent == top && fraction == (1 << f.fraction_bits) - 1)
        return (double)NAN;
    value = exponent ? ldexp(fraction + (1 << f.fraction_bits), exponent - bias - f.fraction_bits)
                     : ldexp(fraction, 1 - bias - f.fraction_bits);
    return sign * value;
}

/* The nearest value of the format, ties to even: round to a multiple of the unit at that size. */
MAYBE_UNUSED static uint64_t ops_encode(int dtype, double value)
{
    struct ops_format f = ops_format(dtype);
    int bias = (1 << (f.exponent_bits - 1)) - 1, top = (1 << f.exponent_bits) - 1, exponent;
    uint64_t sign = (uint64_t)(signbit(value) != 0) << (f.exponent_bits + f.fraction_bits), units;
    uint64_t infinity = f.infinity ? (uint64_t)top << f.fraction_bits : f.nan;

    if (isnan(value))
        return f.nan;
    value = fabs(value);
    if (isinf(value))
        return f.infinity ? sign | infinity : f.nan;
    if (value == 0)
        return sign;
    frexp(value, &exponent);
    exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    if (exponent > bias + 1)
        return f.infinity ? sign | infinity : f.nan;
    units = (uint64_t)nearbyint(ldexp(value, f.fraction_bits - exponent));
    units += (uint64_t)(exponent + bias - 1) << f.fraction_bits;
    if (f.infinity ? units >= infinity : units >= f.nan)
        return f.infinity ? sign | infinity : f.nan;
    return sign | units;
}

MAYBE_UNUSED static uint64_t ops_load(const void *at, unsigned size)
{
    uint64_t bits = 0;

    memcpy(&bits, at, size);
    return bits;
}

/* Integer element of a type from its bits. */
MAYBE_UNUSED static __int128 ops_integer(int dtype, uint64_t bits)
{
    unsigned width = 8 * ops_size(dtype);
    __int128 value = (__int128)bits;

    return ops_is_signed(dtype) && bits >> (width - 1) & 1 ? value - ((__int128)1 << width) : value;
}

MAYBE_UNUSED static __int128 ops_least(int dtype)
{
    return ops_is_signed(dtype) ? -((__int128)1 << (8 * ops_size(dtype) - 1)) : 0;
}

MAYBE_UNUSED static __int128 ops_greatest(int dtype)
{
    return ((__int128)1 << (8 * ops_size(dtype) - (ops_is_signed(dtype) ? 1 : 0))) - 1;
}

/* Bits of an element that is likely to make trouble, else random ones. */
MAYBE_UNUSED static uint64_t ops_pattern(int dtype)
{
    struct ops_format f = ops_format(dtype);
    uint64_t top = UINT64_C(1) << (8 * ops_size(dtype) - 1), one = UINT64_C(1) << f.fraction_bits;
    uint64_t infinity = (uint64_t)((1 << f.exponent_bits) - 1) << f.fraction_bits;
    const uint64_t of_float[] = {0,        top,          1,        top | 1,  one - 1,      one,
                                 infinity, infinity | top, infinity - 1, infinity + 1, f.nan,
                                 f.nan | top};
    const uint64_t of_int[] = {0, 1, 2, top, top - 1, UINT64_MAX};

    if (ops_below(3))
        return ops_random() >> (ops_below(2) ? 64 - 8 * ops_size(dtype) : 0);
    return ops_is_float(dtype) ? of_float[ops_below(12)] : of_int[ops_below(6)];
}

/* ---- operands ------------------------------------------------------------------------------ */
struct ops_tile {
    int dtype, layout, space;
    uint32_t tile_rows, tile_cols, rows, cols, row, col;
    size_t at;      /* byte of the memory where element (0, 0) lies */
    int64_t stride; /* nd and dn: bytes between rows (columns); 0: no gaps */
};

struct ops_case {
    enum pto_op op;
    int operands;
    struct ops_tile tile[PTO_MAX_OPERANDS];      /* of operands that are tiles (tile_rows not 0) */
    struct op_arg scalar[PTO_MAX_OPERANDS];      /* of the others */
};

/* A full tile without gaps. */
MAYBE_UNUSED static struct ops_tile ops_tile(int dtype, int layout, uint32_t rows, uint32_t cols,
                                             size_t at)
{
    return (struct ops_tile){.dtype = dtype, .layout = layout, .space = PTO_UB,
                             .tile_rows = rows, .tile_cols = cols, .rows = rows, .cols = cols,
                             .at = at};
}

MAYBE_UNUSED static struct op_arg ops_int(int64_t value)
{
    return (struct op_arg){.present = true, .i = value};
}

MAYBE_UNUSED static struct op_arg ops_float(double value)
{
    return (struct op_arg){.present = true, .is_float = true, .f = value};
}

/* Byte offset of an element in the memory, by the formulas of the layouts (pto-isa,
 * include/pto/common/pto_tile.hpp). */
MAYBE_UNUSED static size_t ops_place(const struct ops_tile *t, uint32_t r, uint32_t c)
{
    size_t size = ops_size(t->dtype), inner = t->space == PTO_L0C ? 16 : 32 / size;
    size_t box_rows = t->layout == PTO_ZN ? inner : 16, box_cols = t->layout == PTO_ZN ? 16 : inner;
    size_t box = box_rows * box_cols, block_row, block_col, index;

    r += t->row;
    c += t->col;
    if (t->layout == PTO_ND)
        return t->at + r * (t->stride ? (size_t)t->stride : t->tile_cols * size) + c * size;
    if (t->layout == PTO_DN)
        return t->at + c * (t->stride ? (size_t)t->stride : t->tile_rows * size) + r * size;
    block_row = r / box_rows;
    block_col = c / box_cols;
    if (t->layout == PTO_NZ)
        index = block_col * (t->tile_rows / box_rows) + block_row;
    else
        index = block_row * (t->tile_cols / box_cols) + block_col;
    if (t->layout == PTO_ZN)
        return t->at + size * (index * box + c % box_cols * box_rows + r % box_rows);
    return t->at + size * (index * box + r % box_rows * box_cols + c % box_cols);
}

MAYBE_UNUSED static uint64_t ops_get(const uint8_t *memory, const struct ops_tile *t, uint32_t r,
                                     uint32_t c)
{
    return ops_load(memory + ops_place(t, r, c), ops_size(t->dtype));
}

MAYBE_UNUSED static void ops_set(uint8_t *memory, const struct ops_tile *t, uint32_t r, uint32_t c,
                                 uint64_t bits)
{
    memcpy(memory + ops_place(t, r, c), &bits, ops_size(t->dtype));
}

MAYBE_UNUSED static struct op_view ops_view(const struct ops_tile *t, uint8_t *memory)
{
    int64_t size = ops_size(t->dtype);
    struct op_view view = {.data = memory + t->at,
                           .dtype = (uint8_t)t->dtype,
                           .layout = (uint8_t)t->layout,
                           .space = (uint8_t)t->space,
                           .rows = t->rows,
                           .cols = t->cols,
                           .tile_rows = t->tile_rows,
                           .tile_cols = t->tile_cols,
                           .row = t->row,
                           .col = t->col};

    if (t->layout == PTO_ND) {
        view.row_stride = t->stride ? t->stride : t->tile_cols * size;
        view.col_stride = size;
        if (!t->row && !t->col)
            view.line = (uint32_t)(view.row_stride / size);
    } else if (t->layout == PTO_DN) {
        view.row_stride = size;
        view.col_stride = t->stride ? t->stride : t->tile_rows * size;
    }
    return view;
}

/* Fill a tile's valid region with troublesome patterns. */
MAYBE_UNUSED static void ops_fill(uint8_t *memory, const struct ops_tile *t)
{
    for (uint32_t r = 0; r < t->rows; r++)
        for (uint32_t c = 0; c < t->cols; c++)
            ops_set(memory, t, r, c, ops_pattern(t->dtype));
}

/* ---- runs ---------------------------------------------------------------------------------- */
MAYBE_UNUSED static const struct op_set *ops_level(int index)
{
    static const char *const names[OPS_LEVELS] = {"base", "v3",     "v3vnni",
                                                 "v4",   "v4vnni", "amx"};

    return op_select_level(names[index]);
}

/* Memories of OPS_MEMORY bytes that nobody uses: tests would else spend their time on getting such
 * sizes from the system and giving them back. */
enum { OPS_SPARES = 8 };

static uint8_t *ops_spare[OPS_SPARES];
static unsigned ops_spares;

/* One of them, with any bytes. */
MAYBE_UNUSED static uint8_t *ops_take(void)
{
    uint8_t *memory = ops_spares ? ops_spare[--ops_spares] : malloc(OPS_MEMORY);

    assert_non_null(memory);
    return memory;
}

MAYBE_UNUSED static void ops_give(uint8_t *memory)
{
    if (ops_spares < OPS_SPARES)
        ops_spare[ops_spares++] = memory;
    else
        free(memory);
}

/* Two memories: what the machine works on and what is expected of it. */
struct ops_memory {
    uint8_t *got, *want;
};

/* Random bytes, the same in both. */
MAYBE_UNUSED static struct ops_memory ops_memory(void)
{
    struct ops_memory m = {ops_take(), ops_take()};

    for (size_t i = 0; i < OPS_MEMORY; i += 4096)
        for (size_t k = 0; k < 4096; k += 8) {
            uint64_t bits = i ? ops_load(m.got + k, 8) + i : ops_random();

            memcpy(m.got + i + k, &bits, 8);
        }
    memcpy(m.want, m.got, OPS_MEMORY);
    return m;
}

MAYBE_UNUSED static void ops_memory_free(struct ops_memory *m)
{
    ops_give(m->got);
    ops_give(m->want);
}

static char ops_fault[OP_MESSAGE_BYTES];

/* What instructions find in their scratch memory is no result of another one. */
MAYBE_UNUSED static uint8_t *ops_scratch(void)
{
    static uint8_t *scratch;

    if (!scratch)
        scratch = aligned_alloc(64, OP_SCRATCH_BYTES);
    assert_non_null(scratch);
    return memset(scratch, 0xff, OP_SCRATCH_BYTES);
}

/* Run on one level; returns NULL or a copy of the fault. */
MAYBE_UNUSED static const char *ops_run_on(const struct op_set *set, const struct ops_case *run,
                                           uint8_t *memory)
{
    struct op_args args = {.scratch = ops_scratch(), .int8 = set->int8};
    char message[OP_MESSAGE_BYTES];
    const char *fault;

    args.message = message;
    for (int i = 0; i < run->operands; i++) {
        args.arg[i] = run->scalar[i];
        if (run->tile[i].tile_rows) {
            args.arg[i].present = true;
            args.arg[i].view = ops_view(&run->tile[i], memory);
        }
    }
    fault = set->function[run->op](&args);
    if (fault)
        snprintf(ops_fault, sizeof ops_fault, "%s", fault);
    return fault ? ops_fault : NULL;
}

/* Run on every level from the same start; memory->got is the result. */
MAYBE_UNUSED static const char *ops_run(const struct ops_case *run, struct ops_memory *memory)
{
    uint8_t *start = ops_take(), *first = ops_take();
    char first_fault[OP_MESSAGE_BYTES] = "";
    const char *fault = NULL;
    bool compare = false;

    memcpy(start, memory->got, OPS_MEMORY);
    for (int i = 0; i < OPS_LEVELS; i++) {
        const struct op_set *set = ops_level(i);

        if (!set)
            continue;
        memcpy(memory->got, start, OPS_MEMORY);
        fault = ops_run_on(set, run, memory->got);
        if (!compare) {
            memcpy(first, memory->got, OPS_MEMORY);
            snprintf(first_fault, sizeof first_fault, "%s", fault ? fault : "");
            compare = true;
            continue;
        }
        assert_string_equal(fault ? fault : "", first_fault);
        if (!fault && memcmp(first, memory->got, OPS_MEMORY))
            fail_msg("%s: level %s gives other bytes than base", pto_op_info(run->op)->mnemonic,
                     set->level);
    }
    ops_give(first);
    ops_give(start);
    return fault;
}

/* Run, demand success, and compare the whole memory with what is expected. */
MAYBE_UNUSED static void ops_expect(const struct ops_case *run, struct ops_memory *memory,
                                    const char *what)
{
    const char *fault = ops_run(run, memory);
    const struct ops_tile *dst = &run->tile[0];

    if (fault)
        fail_msg("%s %s: faults: %s", pto_op_info(run->op)->mnemonic, what, fault);
    if (!memcmp(memory->got, memory->want, OPS_MEMORY))
        return;
    for (uint32_t r = 0; r < dst->rows; r++)
        for (uint32_t c = 0; c < dst->cols; c++)
            if (ops_get(memory->got, dst, r, c) != ops_get(memory->want, dst, r, c))
                fail_msg("%s %s: element (%u, %u) of %u x %u %s: got %llx, want %llx",
                         pto_op_info(run->op)->mnemonic, what, r, c, dst->rows, dst->cols,
                         pto_dtype_name((enum pto_dtype)dst->dtype),
                         (unsigned long long)ops_get(memory->got, dst, r, c),
                         (unsigned long long)ops_get(memory->want, dst, r, c));
    fail_msg("%s %s: bytes outside the destination changed", pto_op_info(run->op)->mnemonic, what);
}

/* Run and demand a fault whose text contains `text`. */
MAYBE_UNUSED static void ops_expect_fault(const struct ops_case *run, struct ops_memory *memory,
                                          const char *text)
{
    const char *fault = ops_run(run, memory);

    if (!fault)
        fail_msg("%s: no fault where \"%s\" is due", pto_op_info(run->op)->mnemonic, text);
    if (!strstr(fault, text))
        fail_msg("%s: fault \"%s\" lacks \"%s\"", pto_op_info(run->op)->mnemonic, fault, text);
}

#endif
