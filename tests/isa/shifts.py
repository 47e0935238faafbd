"""References and data of the shift instructions."""
import numpy as np

from harness import faults, misfits
from values import size


def counts(draw):
    """Shift counts that fit the type."""
    return draw.rng.integers(0, 8 * size(draw.dtype), draw.shape)


def in_range(a, n):
    """The same for the special cases, whose counts are arbitrary."""
    return None, n & n.dtype.type(8 * n.dtype.itemsize - 1)


def scalar_counts(dtype):
    return [0, 1, 4 * size(dtype), 8 * size(dtype) - 1]


def check_range(mnemonic, last):
    """Counts below 0 and from the number of bits on fault; `last` makes the operand of one."""
    for count in (16, -1, 32767):
        expect = misfits if "%" in last else faults
        expect("""
    .tile d : ub i16[4, 16]
    .tile n : ub i16[4, 16]
    TEXPANDS d, 1
    TEXPANDS n, %d
    pipe_barrier V
    %s d, d, %s""" % (count, mnemonic, last % count if "%" in last else last),
               "shift count out of range")


def left(a, n):
    return np.left_shift(a, n)


def right(a, n):
    return np.right_shift(a, n)
