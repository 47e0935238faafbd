"""Kernels on three ranks for the collectives that a root carries out: TBROADCAST, TSCATTER, TGATHER
and TREDUCE.  Rank 1 is the root; nobody else writes, so no signal is needed to see the result."""
import itertools

import numpy as np

import harness
import table
from reference import maximum, minimum
from values import decode, encode, random_bits

RANKS, ROOT = 3, 1
ROWS, COLS = 5, 40
PART = (slice(1, ROWS), slice(3, COLS))  # the window on every rank
HIGH, WIDE = ROWS - 1, COLS - 3

KERNEL = """
.kernel collective
.mix 1:1
.sym part  : {dtype}[{rows}, {cols}]
.gm  whole : {dtype}[{whole_rows}, {cols}]
.core aiv
.tile acc  : ub {dtype}[2, 16]
.tile ping : ub {dtype}[2, 16]
.tile pong : ub {dtype}[2, 16]
    .if rank() == {root}
        {instruction}
    .endif
"""


def window(part):
    """Rows and columns of part `part` of the object `whole`."""
    return slice(1 + part * HIGH, 1 + (part + 1) * HIGH), slice(3, COLS)


def through(mnemonic, operands, parts, change, words=("",)):
    """All types, one and two staging tiles smaller than the window.  `operands` holds {extent};
    `change(part, whole, dtype, word)` alters the lists by rank as the instruction should."""
    rng = np.random.default_rng(list(mnemonic.encode()))
    number, info = next((n, row) for n, row in enumerate(table.rows_of(mnemonic))
                        if row["operands"][0]["kind"] == "gm")
    types = [(t, "a2") for t in table.alternatives(info["types"], 2)]
    types += [(t, "a5") for t in table.alternatives(info["types_a5"], 2)]
    for ((dtype, _), profile), stages, word in itertools.product(
            types, ("ping", "ping, pong", "ping{1, 3}"), words):
        part = [random_bits(dtype, (ROWS, COLS), rng) for _ in range(RANKS)]
        whole = [random_bits(dtype, (parts * HIGH + 2, COLS), rng) for _ in range(RANKS)]
        text = KERNEL.format(dtype=dtype, rows=ROWS, cols=COLS, whole_rows=parts * HIGH + 2,
                             root=ROOT, instruction="%s %s%s" % (
                                 mnemonic, operands.format(extent="{%d, %d}" % (HIGH, WIDE),
                                                           stages=stages), word))
        want = [p.copy() for p in part], [w.copy() for w in whole]
        change(*want, dtype, word)
        harness.program(text, {"part": (dtype, part), "whole": (dtype, whole)},
                        {"part": (dtype, want[0]), "whole": (dtype, want[1])},
                        [(mnemonic, number, *[dtype] * len(table.typed_operands(info)))],
                        profile, RANKS)


def combine(values, dtype, word):
    """The values of all ranks in ascending order, rounded to the type at every step."""
    step = {"": lambda a, b: a + b, ", sum": lambda a, b: a + b, ", max": maximum,
            ", min": minimum}[word]
    result = values[0]
    with np.errstate(all="ignore"):
        for value in values[1:]:
            result = encode(step(decode(result, dtype), decode(value, dtype)), dtype)
    return result
