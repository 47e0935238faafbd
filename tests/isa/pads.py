"""Cases of TFILLPAD and its relatives."""
import numpy as np

import values
from harness import tilewise

SIZES = ((1, 1), (1, 7), (3, 5), (16, 16), (5, 33), (2, 300))


def smaller(rows, cols):
    """Valid region of src: something of dst's is left over on one side, the other or both."""
    return rows - (rows > 4) * rows // 3, cols - (cols % 2) * cols // 3


def keyword(dtype, word):
    if word == "zero":
        return 0
    if values.is_float(dtype):
        return np.inf if word == "max" else -np.inf
    limits = np.iinfo(values.INTS[dtype])
    return limits.max if word == "max" else limits.min


def padded(a, bits, dtype, size):
    result = np.full(size, bits, values.bits_type(dtype))
    result[:a.shape[0], :a.shape[1]] = a
    return result


def by_keyword(a, types, size, pad):
    return padded(a, values.encode(keyword(types["dst"], pad), types["dst"]), types["dst"], size)


def by_number(a, pad, types, size):
    return padded(a, pad, types["dst"], size)


def test_pads(name, whole=None, in_place=False):
    """`whole`: shape of both tiles.  in_place: src is dst."""
    common = dict(raw=True, shapes={"src": smaller}, special=False,
                  whole=whole and {"dst": whole, "src": whole})
    if in_place:
        common.update(sizes=(), few_sizes=SIZES, empty=False, layouts=(), alias=[("dst", "src")])
    else:
        common.update(sizes=SIZES, alias=False)
    for word in ("zero", "max", "min"):
        tilewise(name, by_keyword, words={"pad": [word]}, **common)
    tilewise(name, by_number, row=1, **common)
