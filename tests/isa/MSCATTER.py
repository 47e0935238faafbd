"""MSCATTER: a tile to rows or elements of a table in global memory, by index."""
import itertools

import numpy as np

import values
from harness import faults, program, rejects, run
from lookups import (COLS, FIRST, ROWS, TILE, WINDOW, alternatives, indices, kernel, places,
                     random_bits)
from reference import maximum, minimum

UNITS, OUTSIDE = ("elem", "row"), ("fault", "skip", "clamp", "wrap")
ATOMIC = {"plain": lambda old, new: new, "atomic_add": lambda old, new: old + new,
          "atomic_max": maximum, "atomic_min": minimum}


def check(data, idx, profile, unit, outside, atomic, layout):
    index = indices(idx, unit, outside, WINDOW)
    x, u = random_bits(data, TILE), random_bits(data, (ROWS, COLS))
    v = u.copy()
    with np.errstate(all="ignore"):
        for row, col, at in places(index, unit, outside, WINDOW):
            if at is None:
                continue
            where = slice(FIRST[0] + at[0], FIRST[0] + at[0] + 1), FIRST[1] + at[1]
            if atomic == "plain":
                v[where] = x[row, col]
            else:
                old, new = values.decode(v[where], data), values.decode(x[row, col:col + 1], data)
                v[where] = values.encode(ATOMIC[atomic](old, new), data)
    words = [unit] * (unit != "elem") + [atomic] * (atomic != "plain") + \
        [outside] * (outside != "fault")
    program(kernel(data, idx, "MSCATTER g[%d, %d]{%d, %d}, t{%d, %d}, ti{%d, %d}%s" % (
        *FIRST, *WINDOW, *TILE, TILE[0], 1 if unit == "row" else TILE[1],
        "".join(", " + w for w in words)), layout=layout),
            {"x": (data, x), "i": (idx, np.broadcast_to(index, TILE)), "u": (data, u)},
            {"y": (data, x), "v": (data, v)}, [("MSCATTER", 0, data, data, idx)], profile)


choices = itertools.cycle(itertools.product(UNITS, OUTSIDE, ATOMIC, ("nd", "dn")))
for alternative in alternatives("MSCATTER"):
    for choice in itertools.islice(choices, 5):
        check(*alternative, *choice)
BODY = """
    .gm g : f32[4, 8]
    .tile t : ub f32[2, 8]
    .tile i : ub u32[2, 8]
    TEXPANDS i, %d
    set_flag  V, MTE3, 0
    wait_flag V, MTE3, 0
    MSCATTER %s
"""
faults(BODY % (32, "g, t, i"), r"idx\(0, 0\) = 32: the table {4, 8} has 32 elements")
faults(BODY % (0, "g, t, i{2, 7}"), "idx has 2 x 7 valid elements where 2 x 8 are needed")
faults(BODY % (0, "g, t, i{2, 2}, row"), "idx has 2 x 2 valid elements: a column or a row of 2")
rejects(BODY % (0, "g, t, i, zero"), "zero")
run()
