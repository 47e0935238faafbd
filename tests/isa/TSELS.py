"""TSELS: elements of a tile or a scalar by the bits of a mask; two spellings."""
import numpy as np

from harness import run, tilewise
from masks import shape, unpack


def select(mask, a, scalar):
    return np.where(unpack(mask, a.shape[1]), a, scalar)


tilewise("TSELS", select, raw=True, shapes={"mask": shape})
tilewise("TSELS", select, raw=True, shapes={"mask": shape}, row=1, scratch="u8")
run()
