"""Kernels on two ranks for TPUT, TGET and the instructions on signals."""
import itertools

import numpy as np

import harness
import table
from reference import maximum, minimum
from values import decode, encode, random_bits

RANKS = 2
ROWS, COLS = 5, 40
COMBINE = {None: None, "plain": None, "atomic_add": lambda a, b: a + b, "atomic_max": maximum,
           "atomic_min": minimum}

COPY = """
.kernel copy
.mix 1:1
.sym box : {dtype}[{rows}, {cols}]
.sym own : {dtype}[{rows}, {cols}]
.core aiv
.tile ping : ub {dtype}[2, 16]
.tile pong : ub {dtype}[2, 16]
    %other = 1 - rank()
    {instruction}
"""


def copies(mnemonic, write_remote):
    """All types, plain and atomic, one and two staging tiles smaller than the window, which is
    the inner part of the objects; nobody else writes, so no signal is needed to see the result."""
    rng = np.random.default_rng(8)
    dst, src = ("box@%other", "own") if write_remote else ("box", "own@%other")
    info = table.rows_of(mnemonic)[0]
    window = (slice(1, ROWS), slice(3, COLS))
    for level, profile in (("types", "a2"), ("types_a5", "a5")):
        for (dtype, _), atomic, stages in itertools.product(
                table.alternatives(info[level], 2), COMBINE, ("ping", "ping, pong", "ping{1, 3}")):
            box = [random_bits(dtype, (ROWS, COLS), rng) for _ in range(RANKS)]
            own = [random_bits(dtype, (ROWS, COLS), rng) for _ in range(RANKS)]
            extent = "[1, 3]{%d, %d}" % (ROWS - 1, COLS - 3)
            words = [dst + extent, src + extent, stages] + ([atomic] if atomic else [])
            text = COPY.format(dtype=dtype, rows=ROWS, cols=COLS,
                               instruction="%s %s" % (mnemonic, ", ".join(words)))
            want = [b.copy() for b in box]
            for rank in range(RANKS):
                want[rank][window] = combine(box[rank], own[1 - rank], dtype, atomic)[window]
            harness.program(text, {"box": (dtype, box), "own": (dtype, own)},
                            {"box": (dtype, want)},
                            [(mnemonic, 0, *[dtype] * len(table.typed_operands(info)))],
                            profile, RANKS)


def combine(old, new, dtype, atomic):
    if not COMBINE[atomic]:
        return new
    with np.errstate(all="ignore"):
        return encode(COMBINE[atomic](decode(old, dtype), decode(new, dtype)), dtype)
