"""MGATHER: rows or elements of a table in global memory, by index."""
import itertools

import numpy as np

from harness import faults, program, rejects, run
from lookups import (COLS, FIRST, ROWS, TILE, WINDOW, alternatives, indices, kernel, places,
                     random_bits)

UNITS, OUTSIDE = ("elem", "row"), ("fault", "clamp", "wrap", "zero")


def check(data, idx, profile, unit, outside, layout):
    index = indices(idx, unit, outside, WINDOW)
    x, u = random_bits(data, TILE), random_bits(data, (ROWS, COLS))
    y = np.zeros_like(x)
    for row, col, at in places(index, unit, outside, WINDOW):
        y[row, col] = u[FIRST[0] + at[0], FIRST[1] + at[1]] if at else 0
    words = [unit] * (unit != "elem") + [outside] * (outside != "fault")
    program(kernel(data, idx, "MGATHER t{%d, %d}, g[%d, %d]{%d, %d}, ti{%d, %d}%s" % (
        *TILE, *FIRST, *WINDOW, TILE[0], 1 if unit == "row" else TILE[1],
        "".join(", " + w for w in words)), layout=layout),
            {"x": (data, x), "i": (idx, np.broadcast_to(index, TILE)), "u": (data, u)},
            {"y": (data, y), "v": (data, u)}, [("MGATHER", 0, data, data, idx)], profile)


choices = itertools.cycle(itertools.product(UNITS, OUTSIDE, ("nd", "dn")))
for alternative in alternatives("MGATHER"):
    for choice in itertools.islice(choices, 5):
        check(*alternative, *choice)
BODY = """
    .gm g : f32[4, 8]
    .tile t : ub f32[2, 8]
    .tile i : ub i32[2, 8]
    TEXPANDS i, %d
    set_flag  V, MTE2, 0
    wait_flag V, MTE2, 0
    MGATHER %s
"""
faults(BODY % (32, "t, g, i"), r"idx\(0, 0\) = 32: the table {4, 8} has 32 elements")
faults(BODY % (-1, "t, g[1, 0], i"), r"idx\(0, 0\) = -1: the table {3, 8} has 24 elements")
faults(BODY % (4, "t, g, i{2, 1}, row"), r"idx\(0, 0\) = 4: the table {4, 8} has 4 rows")
faults(BODY % (0, "t, g{4, 7}, i{2, 1}, row"), "the tile has 8 valid columns, the table {4, 7}")
faults(BODY % (0, "t, g[3, 0]{2, 8}, i"), "leaves the object")
faults(BODY % (0, "t, g{0, 8}, i, clamp"), "the table {0, 8} has 0 elements")
faults(BODY.replace(".gm", ".sym") % (0, "t, g@(1), i"), "cannot be looked up", ranks=2)
rejects(BODY % (0, "t, g, i, skip"), "skip")
run()
