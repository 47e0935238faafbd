/* Logarithms and powers of two in f64, eight at a time, for hosts with AVX-512: quick ones, whose
 * results count only where f32 sees the same of them as of real.h (op_undecided_8).  Sixteen pieces
 * of a binade, of the number or of the result, and short series within them. */
#ifndef PTO_VM_OPS_REAL_8_H
#define PTO_VM_OPS_REAL_8_H

#include "level.h"

#ifdef __AVX512F__
#include <immintrin.h>

enum { OP_EIGHT = 8, OP_PARTS = 16 };

/* c[j], near the inverse of the middle of part j of [1, 2); exact at both ends, so that nothing
 * cancels for numbers beside 1. */
static const double op_inverse[OP_PARTS] = {
    0x1p+0, 0x1.d41d41d41d41dp-1, 0x1.bacf914c1bad0p-1, 0x1.a41a41a41a41ap-1,
    0x1.8f9c18f9c18fap-1, 0x1.7d05f417d05f4p-1, 0x1.6c16c16c16c17p-1, 0x1.5c9882b931057p-1,
    0x1.4e5e0a72f0539p-1, 0x1.4141414141414p-1, 0x1.3521cfb2b78c1p-1, 0x1.29e4129e4129ep-1,
    0x1.1f7047dc11f70p-1, 0x1.15b1e5f75270dp-1, 0x1.0c9714fbcda3bp-1, 0x1p-1};

/* What a base is: its logarithm of 2, of 1 / c[j], and log(1 + r) / r as a polynomial. */
struct op_base {
    double of_two, of_part[OP_PARTS], series[9];
    int terms;
};

/* To 2^-44 of the result, and to 2^-49. */
static const struct op_base op_base_e = {
    0x1.62e42fefa39efp-1,
    {0.0, 0x1.6f0d28ae56b4ep-4, 0x1.29552f81ff521p-3, 0x1.9525a9cf456b6p-3,
     0x1.fb9186d5e3e29p-3, 0x1.2e8e2bae11d31p-2, 0x1.5d1bdbf5809cap-2, 0x1.89a3386c1425bp-2,
     0x1.b44f77bcc8f64p-2, 0x1.dd46a04c1c4a1p-2, 0x1.02552a5a5d0ffp-1, 0x1.154c3d2f4d5eap-1,
     0x1.2795e1289b11bp-1, 0x1.393e0d3562a1ap-1, 0x1.4a4f85db03ebbp-1, 0x1.62e42fefa39efp-1},
    {-0x1.d24c27028e35ep-4, 0x1.245671c278876p-3, -0x1.555e52363f9bep-3, 0x1.9999c2786c7aep-3,
     -0x1.ffffff07030a5p-3, 0x1.55555553cbf67p-2, -0x1.0000000001317p-1, 1.0},
    8};
static const struct op_base op_base_2 = {
    1.0,
    {0.0, 0x1.08c588cda79e5p-3, 0x1.acf5e2db4ec91p-3, 0x1.24407ab0e073ap-2,
     0x1.6e221cd9d0cddp-2, 0x1.b47ebf73882a1p-2, 0x1.f7a8568cb06cep-2, 0x1.1bf311e95d00ep-1,
     0x1.3abb3faa02168p-1, 0x1.5848226989d34p-1, 0x1.74b1fd64e0754p-1, 0x1.900e6160002cep-1,
     0x1.aa708f58014d4p-1, 0x1.c3e9ca2e1a055p-1, 0x1.dc899ab3ff56cp-1, 0x1p+0},
    {0x1.26a3a24b06c1ep-3, -0x1.70bb730174675p-3, 0x1.a62531ac69b7dp-3, -0x1.ec71026c4343fp-3,
     0x1.2776c4389a1f8p-2, -0x1.7154764cd254fp-2, 0x1.ec709dc3a807fp-2, -0x1.71547652b83c0p-1,
     0x1.71547652b82fep+0},
    9};

OP_INLINE __m512d op_part_8(const double *table, __m512i index)
{
    return _mm512_permutex2var_pd(_mm512_loadu_pd(table), index,
                                  _mm512_loadu_pd(table + OP_EIGHT));
}

OP_INLINE __m512d op_series_8(const double *series, int terms, __m512d r)
{
    __m512d p = _mm512_set1_pd(series[0]);

    _Pragma("GCC unroll 16") for (int i = 1; i < terms; i++)
        p = _mm512_fmadd_pd(p, r, _mm512_set1_pd(series[i]));
    return p;
}

/* Of positive normal numbers x = 2^k m, m c[j] = 1 + r. */
OP_INLINE __m512d op_log_8(__m512d x, const struct op_base *base)
{
    __m512d k = _mm512_getexp_pd(x);
    __m512d m = _mm512_getmant_pd(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);
    __m512i j = _mm512_srli_epi64(_mm512_castpd_si512(m), 48);
    __m512d r = _mm512_fmsub_pd(m, op_part_8(op_inverse, j), _mm512_set1_pd(1.0));
    __m512d whole = _mm512_fmadd_pd(k, _mm512_set1_pd(base->of_two), op_part_8(base->of_part, j));

    return _mm512_fmadd_pd(r, op_series_8(base->series, base->terms, r), whole);
}

static const double op_power_of_part[OP_PARTS] = { /* 2^(j / 16) */
    0x1p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
    0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
    0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
    0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};

/* 2^x, to 2^-47 of itself, for |x| < 1000.  x = n + j / 16 + f: the first two fall out of adding
 * 1.5 * 2^48, whose unit is 1 / 16. */
OP_INLINE __m512d op_power_of_two_8(__m512d x)
{
    static const double series[] = {
        0x1.5d897e525c216p-10, 0x1.3b2c9b8a6caeap-7, 0x1.c6b08d6f2a289p-5,
        0x1.ebfbdff555824p-3, 0x1.62e42fefa39f3p-1, 0x1.0000000000014p+0};
    const __m512d magic = _mm512_set1_pd(0x1.8p48);
    __m512d shifted = _mm512_add_pd(x, magic), whole = _mm512_sub_pd(shifted, magic);
    __m512d f = op_series_8(series, 6, _mm512_sub_pd(x, whole));

    return _mm512_scalef_pd(
        _mm512_mul_pd(f, op_part_8(op_power_of_part, _mm512_castpd_si512(shifted))), whole);
}

/* Which results are so near to the middle between two f32, closer than 2^-40 of themselves, that a
 * better one might be rounded to the other? */
OP_INLINE __mmask8 op_undecided_8(__m512d result)
{
    const uint64_t middle = 1u << 28, near = 1u << 12, between = (1u << 29) - 1;
    __m512i moved = _mm512_add_epi64(_mm512_castpd_si512(result),
                                     _mm512_set1_epi64((int64_t)(middle + near)));

    return _mm512_testn_epi64_mask(moved,
                                   _mm512_set1_epi64((int64_t)(between & ~(2 * near - 1))));
}

#endif
#endif
