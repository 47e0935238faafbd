"""References for kernels/basic, computed by numpy from the definitions."""

import numpy as np


def vadd(a, b):
    """Element by element, one f32 rounding."""
    return a + b


def softmax(x):
    """Rows of f32.  The difference to the maximum is an f32 operation of the kernel; the rest is
    done in f64, so the kernel may differ by the roundings of exp, the sum and the quotient."""
    if x.size == 0:
        return x.copy()
    shifted = (x - x.max(axis=1, keepdims=True)).astype(np.float64)
    e = np.exp(shifted)
    return e / e.sum(axis=1, keepdims=True)
