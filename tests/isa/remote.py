"""Kernels on two ranks for TPUT, TGET and the instructions on signals."""
import itertools

import numpy as np

import harness
import table
from reference import maximum, minimum
from values import BYTES, decode, encode, random_bits

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
            if dtype in BYTES and COMBINE[atomic]:
                continue  # no numbers to compute with
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


ASYNC_COPIES = """
.kernel copies
.mix 1:1
.sym box : {dtype}[{rows}, {cols}]
.sym own : {dtype}[{rows}, {cols}]
.sym line : {dtype}[{cells}]
.core aiv
    %peer = {peer}
    %first = {mnemonic} {row_dst}[1, 3]{{1, 7}}, {row_src}[2, 5]
    %rows = {mnemonic} {row_dst}[2, 0], {row_src}[0, 0]{{2, {cols}}}
    %shapes = {mnemonic} {line_dst}[4]{{1, {two}}}, {row_src}[3, 0]{{2, {cols}}}
    %narrow = {mnemonic} {row_dst}[0, 1]{{3, 0}}, {row_src}[0, 0]
    %none = {mnemonic} {row_dst}[0, 0]{{0, {cols}}}, {row_src}[0, 0]
    async_wait %none
"""


def async_copies(mnemonic, write_remote):
    """All types, to or from the other rank and inside a rank: a part of a row, whole rows that
    touch, a window of another shape than its source, and empty ones."""
    rng = np.random.default_rng(9)
    info = table.rows_of(mnemonic)[0]
    for level, profile in (("types", "a2"), ("types_a5", "a5")):
        for (dtype, _), shift in itertools.product(table.alternatives(info[level], 2), (0, 1)):
            box, own = ([random_bits(dtype, (ROWS, COLS), rng) for _ in range(RANKS)]
                        for _ in range(2))
            line = [random_bits(dtype, (ROWS * COLS,), rng) for _ in range(RANKS)]
            at_dst, at_src = ("@%peer", "") if write_remote else ("", "@%peer")
            text = ASYNC_COPIES.format(
                mnemonic=mnemonic, dtype=dtype, rows=ROWS, cols=COLS, cells=ROWS * COLS,
                two=2 * COLS, peer="1 - rank()" if shift else "rank()", row_dst="box" + at_dst,
                row_src="own" + at_src, line_dst="line" + at_dst)
            want_box, want_line = [b.copy() for b in box], [b.copy() for b in line]
            for rank in range(RANKS):
                source = own[rank ^ shift]
                want_box[rank][1, 3:10] = source[2, 5:12]
                want_box[rank][2:4] = source[:2]
                want_line[rank][4:4 + 2 * COLS] = source[3:5].ravel()
            harness.program(text, {"box": (dtype, box), "own": (dtype, own),
                                   "line": (dtype, line)},
                            {"box": (dtype, want_box), "line": (dtype, want_line)},
                            [(mnemonic, 0, *[dtype] * len(table.typed_operands(info)))],
                            profile, RANKS)
