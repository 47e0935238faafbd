"""Kernels for MGATHER and MSCATTER: a table in global memory, indices in a tile."""
import itertools

import numpy as np

import table
import values

RNG = np.random.default_rng(7)
ROWS, COLS = 9, 40    # the table
FIRST = (2, 3)        # where its window begins
WINDOW = (5, 30)      # its extent
TILE = (6, 21)        # valid region of the tile; whole tiles have 64 columns


def alternatives(mnemonic):
    """(type of data, type of index, profile) of each alternative of the row."""
    row = table.rows_of(mnemonic)[0]
    for text, profile in (("types", "a2"), ("types_a5", "a5")):
        for types in table.alternatives(row[text], 3):
            yield types[0], types[2], profile


def indices(dtype, unit, outside, window):
    """Indices, some of them outside the window if that has a meaning."""
    size = window[0] * (1 if unit == "row" else window[1])
    shape = (TILE[0], 1) if unit == "row" else TILE
    index = RNG.integers(0, size, shape)
    if outside != "fault":
        far = [size, size + 7, 2 ** 31 - 1] + ([-1, -size - 3, -2 ** 31] if dtype == "i32" else
                                               [2 ** 32 - 1])
        index = np.where(RNG.integers(0, 3, shape) == 0, RNG.choice(far, shape), index)
    return index


def resolve(index, size, outside):
    """The index inside, or None."""
    if 0 <= index < size:
        return index
    return {"clamp": 0 if index < 0 else size - 1, "wrap": index % size}.get(outside)


def places(index, unit, outside, window):
    """(row and column in the tile, row and column in the window or None), in order."""
    size = window[0] * (1 if unit == "row" else window[1])
    for row, col in itertools.product(range(TILE[0]), range(TILE[1])):
        at = resolve(int(index[row, 0 if unit == "row" else col]), size, outside)
        if at is None:
            yield row, col, None
        else:
            yield row, col, (at, col) if unit == "row" else divmod(at, window[1])


def kernel(data, idx, instruction, layout="nd"):
    """x: what is in the tile t before, y: after; u: the table, v: the table after."""
    shape = "%d, 64" % TILE[0] if layout == "nd" else "64, 64"
    return """
.kernel k
.mix 1:1
.in x : {data}[{r}, {c}]
.in i : {idx}[{r}, {c}]
.in u : {data}[{rows}, {cols}]
.out y : {data}[{r}, {c}]
.out v : {data}[{rows}, {cols}]
.gm g : {data}[{rows}, {cols}]
.core aiv
.tile t : ub {data}[{shape}] {layout}
.tile ti : ub {idx}[{r}, 64]
.tile w : ub {data}[{rows}, 64]
    TLOAD t{{{r}, {c}}}, x
    TLOAD ti{{{r}, {c}}}, i
    TLOAD w{{{rows}, {cols}}}, u
    pipe_barrier ALL
    TSTORE g, w{{{rows}, {cols}}}
    pipe_barrier ALL
    {instruction}
    pipe_barrier ALL
    TLOAD w{{{rows}, {cols}}}, g
    pipe_barrier ALL
    TSTORE y, t{{{r}, {c}}}
    TSTORE v, w{{{rows}, {cols}}}
""".format(data=data, idx=idx, r=TILE[0], c=TILE[1], rows=ROWS, cols=COLS, shape=shape,
           layout=layout, instruction=instruction)


def random_bits(dtype, shape):
    return values.random_bits(dtype, shape, RNG)
