"""TRESHAPE: the bytes of one tile as the elements of another."""
import itertools

import numpy as np

import values
from harness import misfits, run, tilewise

SIZES = ((1, 16), (3, 32), (2, 304))


def shape_of(dst, src):
    """Half as many columns, in bytes, and twice as many rows."""
    return lambda r, c: (2 * r, c * values.size(dst) // (2 * values.size(src)))


def by_rows(a, types, size):
    return np.frombuffer(a.tobytes(), values.bits_type(types["dst"])).reshape(size)


def by_columns(a, types, size):
    return by_rows(a.T, types, size[::-1]).T


common = dict(raw=True, empty=False, special=False)
for types in itertools.product(values.DTYPES, repeat=2):
    tilewise("TRESHAPE", by_rows, any_types=[types], shapes={"src": shape_of(*types)}, layouts=(),
             alias=[("dst", "src")] if types[0] == types[1] else False, sizes=SIZES,
             few_sizes=SIZES, **common)
for types in (("f32", "f32"), ("u8", "u32"), ("i64", "f16")):
    shapes = {"src": lambda r, c, inner=shape_of(*types): inner(c, r)[::-1]}
    tilewise("TRESHAPE", by_columns, any_types=[types], shapes=shapes, layouts=("dn",), sizes=(),
             few_sizes=((16, 1), (32, 3)), alias=False, **common)
misfits("""
    .tile d : ub f32[4, 8]
    .tile a : ub f32[8, 8]
    TRESHAPE d, a""", "dst has 128 valid bytes, src has 256: they must be equal")
run()
