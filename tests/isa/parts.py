"""Tests of partial instructions: one source may be smaller than the destination."""
import numpy as np

from harness import canonical, decode, encode, faults, misfits, tilewise

SMALLER = (lambda r, c: (r, c), lambda r, c: (max(r - 1, 0), c), lambda r, c: (r, max(c - 3, 0)),
           lambda r, c: (r // 2, c // 2), lambda r, c: (0, c), lambda r, c: (r, 0))


def common(a, b):
    """The part where both are valid, and whether the first is the larger one."""
    part = np.s_[:min(a.shape[0], b.shape[0]), :min(a.shape[1], b.shape[1])]
    return part, a.shape[0] >= b.shape[0] and a.shape[1] >= b.shape[1]


def partial(both):
    """The operation where both are valid, else the bits of the larger source."""
    def result(a, b, types):
        part, first = common(a, b)
        whole = (a if first else b).copy()
        values = both(decode(a[part], types["src0"]), decode(b[part], types["src1"]))
        whole[part] = encode(values, types["dst"])
        return whole
    return result


def check(mnemonic, operation):
    for index, smaller in enumerate(SMALLER):
        for operand in ("src0", "src1"):
            tilewise(mnemonic, partial(operation), shapes={operand: smaller}, special=False,
                     few_sizes=((3, 5), (17, 9)) if index == 3 else (), raw=True,
                     layouts=("dn",) if index == 3 else ())
    tilewise(mnemonic, operation)
    faults(TILES + "    %s d{4, 8}, a{4, 7}, a{3, 8}" % mnemonic, "one must be that of dst")
    for windows in ("d{4, 7}, a{4, 8}, a{4, 7}", "d{4, 8}, a{3, 8}, a{3, 8}"):
        misfits(TILES + "    %s %s" % (mnemonic, windows), "one must be that of dst")


def partial_pairs(wins):
    def result(a, b, i, j, types):
        part, larger = common(a, b)
        value, index = (a.copy(), i.copy()) if larger else (b.copy(), j.copy())
        x, y = decode(a[part], types["src0"]), decode(b[part], types["src1"])
        first = wins(x, y) | (np.isnan(x) & ~np.isnan(y))
        value[part] = canonical(np.where(first, a[part], b[part]), types["dst"])
        index[part] = np.where(first, i[part], j[part])
        return value, index
    return result


def check_index(mnemonic, wins):
    """`wins(a, b)`: does the first value win; indices go with their values."""
    for smaller in SMALLER:
        for operand in ("src0", "src1"):
            tilewise(mnemonic, partial_pairs(wins), special=False, alias=False, raw=True,
                     shapes={operand: smaller, operand + "_index": smaller})
    tilewise(mnemonic, partial_pairs(wins), raw=True,
             alias=[("dst", "src0"), ("dst", "src1"), ("dst_index", "src1_index")])
    misfits(TILES + "    %s d, a, a, i, i{3, 8}, i" % mnemonic,
            "src0 has 4 x 8 valid values, but 3")
    faults(TILES + "    %s d, a, a, o, i, i" % mnemonic, "overlap")


TILES = """
    .tile d : ub f32[4, 8] @ 0
    .tile o : ub i32[4, 8] @ 32
    .tile a : ub f32[4, 8] @ 1024
    .tile i : ub i32[4, 8] @ 2048
    TEXPANDS a, 1
    TEXPANDS i, 1
    pipe_barrier V
"""
