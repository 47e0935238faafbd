"""Index tiles for TGATHER and TSCATTER."""
import table

WIDTH = 64  # columns of the whole table
TABLES = ((6, 37), (5, WIDTH))  # valid regions of it


def numbers(valid):
    """Data of an index tile: numbers of valid elements."""
    def draw_numbers(draw):
        rows, cols = (draw.rng.integers(0, n, draw.shape) for n in valid)
        return rows * WIDTH + cols
    return draw_numbers


def table_of(valid):
    """Options of tilewise for a table operand called `name`."""
    return lambda name: dict(shapes={name: lambda r, c: valid}, data={"idx": numbers(valid)},
                             whole={name: lambda r, c: (8, WIDTH)}, raw=True, special=False)


# (period, first) by pattern
PATTERNS = {"P0101": (2, 0), "P1010": (2, 1), "P0001": (4, 0), "P0010": (4, 1), "P0100": (4, 2),
            "P1000": (4, 3), "P1111": (1, 0)}


def along(axis, a):
    """The columns that a pattern goes over, as rows of the result and back."""
    return a.T if axis == "col" else a


def row_with(mnemonic, operand):
    """Number of the row of a mnemonic that has an operand of this name."""
    rows = table.rows_of(mnemonic)
    return next(i for i, row in enumerate(rows)
                if operand in [o["name"] for o in row["operands"]])
