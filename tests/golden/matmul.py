"""References for kernels/matmul."""

import numpy as np


def gemm(a, b, bias=None):
    """f16 x f16 accumulated in f32, ascending k, one rounding a step: bit-exact. Every sum begins
    with the bias of its column.

    The product of two f16 numbers has at most 22 significant bits and an exponent from -48 to 32,
    so it is exact in f32.  A fused multiply-add of f16 operands is therefore the f32 sum of the
    accumulator and that product, which numpy rounds once."""
    m, k = a.shape
    c = np.zeros((m, b.shape[1]), np.float32)
    if bias is not None:
        c += bias
    wide_a, wide_b = a.astype(np.float32), b.astype(np.float32)
    for i in range(k):
        c += np.outer(wide_a[:, i], wide_b[i])
    return c


def gemm_f64(a, b):
    """The same in f64, for a comparison with a tolerance that knows nothing of the order."""
    return a.astype(np.float64) @ b.astype(np.float64)
