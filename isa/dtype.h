/* Element types and the exact conversions between them.
 *
 * Conversions are integer code: the same bits on every host.  f16, bf16 and fp8 follow IEEE 754
 * (fp8: OCP 8-bit formats, e4m3 has no infinity).  A NaN result is the canonical quiet NaN of its
 * format (f32 0x7fc00000, f16 0x7e00, bf16 0x7fc0, e4m3 0x7f, e5m2 0x7e).  Denormals are kept. */
#ifndef PTO_DTYPE_H
#define PTO_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "enums.h"

enum pto_dtype {
#define DTYPE(id, number, ...) PTO_##id = (number),
#include "dtype.def"
#undef DTYPE
#define DTYPE(...) +1
    PTO_DTYPE_COUNT = 0
#include "dtype.def"
#undef DTYPE
};

/* Bytes of one element. */
unsigned pto_dtype_size(enum pto_dtype dtype);
const char *pto_dtype_name(enum pto_dtype dtype);
bool pto_dtype_is_float(enum pto_dtype dtype);
bool pto_dtype_is_signed(enum pto_dtype dtype); /* signed integer */
bool pto_dtype_is_number(enum pto_dtype dtype); /* float or integer, that can be computed with */
/* Numbers in one element: 2 in pairs of four bits. */
unsigned pto_dtype_numbers(enum pto_dtype dtype);
/* By name ("f16"); -1 if there is none. */
int pto_dtype_find(const char *name);

/* From f64 (hence also from f32, which widens exactly) with the rounding PTO_ROUND_*: RINT to
 * nearest even (also DEFAULT), ROUND to nearest with ties away from zero, FLOOR, CEIL, TRUNC, ODD
 * (to odd).
 * `saturate`: a finite value out of range and an infinity become the largest finite value with its
 * sign; otherwise infinity (e4m3: NaN). */
uint16_t pto_f64_to_f16(double value, int mode, bool saturate);
uint16_t pto_f64_to_bf16(double value, int mode, bool saturate);
uint8_t pto_f64_to_e4m3(double value, int mode, bool saturate);
uint8_t pto_f64_to_e5m2(double value, int mode, bool saturate);
float pto_f64_to_f32(double value, int mode, bool saturate);

/* Round to an integer in the named mode, then fit into `dtype` (an integer type).  Saturating:
 * clamped to its range, NaN gives 0.  Not saturating: the low bits of the integer (computed modulo
 * 2^64); infinity and NaN give 0. */
int64_t pto_f64_to_int(double value, enum pto_dtype dtype, int mode, bool saturate);
/* Integer into a narrower integer type: clamped, or the low bits. */
int64_t pto_int_to_int(int64_t value, bool value_is_unsigned, enum pto_dtype dtype, bool saturate);
/* 64-bit integers to f32 with one rounding (never through f64). */
float pto_int_to_f32(int64_t value, bool value_is_unsigned, int mode);

/* One element at `address` as a double (64-bit integers may round: for printing, not computing). */
double pto_load_f64(const void *address, enum pto_dtype dtype);
/* One element of an integer type, sign- or zero-extended. */
int64_t pto_load_int(const void *address, enum pto_dtype dtype);
/* Is a number, `f` or else `i`, a value of `dtype`?  Float types take any, integer types a whole
 * number in their range (64-bit ones any 64-bit integer), which is left in *value. */
bool pto_number_fits(enum pto_dtype dtype, bool is_float, double f, int64_t i, int64_t *value);
/* Store a number as `dtype`: floats round to nearest even, integers take the low bits of the value
 * truncated toward zero. */
void pto_store_f64(void *address, enum pto_dtype dtype, double value);
void pto_store_int(void *address, enum pto_dtype dtype, int64_t value);

#endif
