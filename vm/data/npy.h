/* NumPy's .npy files, format versions 1.0 to 3.0, as bytes in memory.
 * Format: numpy, numpy/lib/format.py.  The reader takes any input safely: every length is checked
 * against what is there before it is used. */
#ifndef PTO_DATA_NPY_H
#define PTO_DATA_NPY_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "diag.h"
#include "dtype.h"
#include "ops.h"
#include "status.h"

struct cli_npy {
    char kind;         /* as in the descr: f i u b V */
    unsigned itemsize; /* bytes */
    unsigned dims;     /* 0 for a single value */
    uint64_t dim[PTO_MAX_DIMS];
    uint64_t count;    /* elements, the product of dim */
    const uint8_t *data; /* row-major, little-endian, aligned for any type; never NULL */
    uint8_t *made;     /* malloc'ed: they are here; NULL: they lie in the file as they should */
};

bool cli_npy_is(const uint8_t *bytes, size_t size);
/* Read a whole file; `name` is what the messages call it.  Fortran order and big-endian items are
 * converted.  The caller frees npy->made, and keeps `bytes` as long as npy->data. */
enum pto_status cli_npy_read(const uint8_t *bytes, size_t size, const char *name,
                             struct cli_npy *npy, struct pto_diags *diags);
/* The element type of the contents.  `wanted` >= 0 (enum pto_dtype): the user named it, and bits of
 * the same size are taken for it, which is how bf16 and fp8 travel; -1: as the file says. */
enum pto_status cli_npy_dtype(const struct cli_npy *npy, int wanted, const char *name,
                              enum pto_dtype *dtype, struct pto_diags *diags);
/* Append a version 1.0 header; row-major data follow it.  bf16 becomes <u2, fp8 |u1. */
void cli_npy_header(enum pto_dtype dtype, const uint64_t *dim, unsigned dims, struct pto_buf *out);

#endif
