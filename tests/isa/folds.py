"""References of reductions: the documented orders, in float32."""
import functools

import numpy as np

from reference import column

LANES = 16
ROW_SIZES = ((1, 1), (3, 16), (5, 33), (2, 700), (40, 7), (3, 1500))
COL_SIZES = ((1, 1), (16, 3), (33, 5), (700, 2), (7, 40), (3, 1500))


def column_result(rows, cols):
    return 1, cols


def fold_rows(operation, neutral):
    """Rows in 16 lanes, then the lanes pairwise; integers wrap."""
    def fold(a):
        if not a.shape[1]:
            return None
        if a.dtype.kind != "f":
            return functools.reduce(operation, a.T).reshape(-1, 1)
        lanes = np.full((a.shape[0], LANES), neutral, np.float32)
        for first in range(0, a.shape[1], LANES):
            part = a[:, first:first + LANES].astype(np.float32)
            lanes[:, :part.shape[1]] = operation(lanes[:, :part.shape[1]], part)
        for width in (8, 4, 2, 1):
            lanes = operation(lanes[:, :width], lanes[:, width:2 * width])
        return lanes
    return fold


def rows_of(a):
    return list(a.astype(np.float32) if a.dtype.kind == "f" else a)


def fold_columns(operation):
    """Row after row."""
    return lambda a: functools.reduce(operation, rows_of(a)) if len(a) else None


def fold_tree(operation):
    """Neighbours in pairs, again and again."""
    def fold(a):
        rows = rows_of(a)
        while len(rows) > 1:
            pairs = [operation(x, y) for x, y in zip(rows[::2], rows[1::2])]
            rows = pairs + rows[2 * len(pairs):]
        return rows[0] if rows else None
    return fold


def first_extreme(largest, axis):
    """(value, index): NaN wins, then the extreme with -0 below +0; the first of equal ones."""
    def better(a, b):
        if a != a or b != b:
            return a != a and b == b
        if a == b:
            return a == 0 and np.signbit(a) != np.signbit(b) and np.signbit(a) != largest
        return a > b if largest else a < b

    def find(line):
        best = 0
        for i, x in enumerate(line):
            if better(x, line[best]):
                best = i
        return line[best], best

    def extremes(a):
        lines = a if axis == 1 else a.T
        if not a.shape[axis] or not len(lines):
            return None, None
        found = [find(line) for line in lines]
        shape = (-1, 1) if axis == 1 else (1, -1)
        return (np.array([v for v, _ in found], a.dtype).reshape(shape),
                np.array([i for _, i in found]).reshape(shape))
    return extremes


def test_extremes(name, largest, axis):
    """All cases of TROWARGMAX and the like: with and without the values."""
    from harness import tilewise
    result = column if axis == 1 else column_result
    sizes = ROW_SIZES if axis == 1 else COL_SIZES
    extremes = first_extreme(largest, axis)
    few = dict(sizes=sizes, few_sizes=((5, 33), (33, 5)))
    tilewise(name, lambda a: extremes(a)[1], shapes={"idx": result}, data={"src": ties}, **few)
    tilewise(name, lambda a: extremes(a)[1], shapes={"idx": result}, scratch=True, **few)
    tilewise(name, extremes, row=1, shapes={"val": result, "idx": result}, scratch=True, **few)
    tilewise(name, extremes, row=1, shapes={"val": result, "idx": result}, scratch=True,
             data={"src": ties}, **few)


def ties(draw):
    """Few different values, so that many are equal; zeros of both signs."""
    choice = np.array([0.0, -0.0, 1.0, -1.0]) if draw.dtype[0] in "fb" else np.array([1, 2, 3])
    return draw.rng.choice(choice, draw.shape)
