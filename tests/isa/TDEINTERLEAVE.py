"""TDEINTERLEAVE: every second element, of two rows or of one."""
import numpy as np

from harness import faults, run, tilewise

SIZES = ((1, 2), (3, 8), (16, 16), (5, 34), (2, 300))


def deinterleave(src1, src0):
    stream = np.hstack([src0, src1])
    return stream[:, 1::2], stream[:, ::2]


tilewise("TDEINTERLEAVE", deinterleave, raw=True, sizes=SIZES, few_sizes=SIZES[1:4], special=False,
         empty=False, alias=[("dst1", "src0"), ("dst1", "src1"), ("dst0", "src1")])
tilewise("TDEINTERLEAVE", lambda src: (src[:, 1::2], src[:, ::2]), row=1, raw=True,
         shapes={"src": lambda r, c: (r, 2 * c)})
run()
