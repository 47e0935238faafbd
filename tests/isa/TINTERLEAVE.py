"""TINTERLEAVE: two rows alternating."""
import numpy as np

from harness import faults, run, tilewise

SIZES = ((1, 2), (3, 8), (16, 16), (5, 34), (2, 300))


def interleave(src1, src0):
    stream = np.stack([src0, src1], axis=2).reshape(src0.shape[0], -1)
    return stream[:, src0.shape[1]:], stream[:, :src0.shape[1]]


tilewise("TINTERLEAVE", interleave, raw=True, sizes=SIZES, few_sizes=SIZES[1:4], special=False,
         empty=False, alias=[("dst1", "src0"), ("dst1", "src1"), ("dst0", "src0")])
run()
