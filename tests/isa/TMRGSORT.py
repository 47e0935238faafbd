"""TMRGSORT: runs of one tile, or several lists, merged in descending order."""
import numpy as np

import values
from harness import misfits, run, tilewise
from sorting import LENGTH, merged, sorted_records

SRC = ["src%d" % i for i in range(4)]

# ---- runs of one tile ----


def merge_runs(src, blockLen, types, size):
    groups = src.reshape(-1, 4, int(blockLen))
    return np.concatenate([merged(g, types["src"], 10 ** 9)[0] for g in groups]).reshape(size)


def runs(length):
    """Sorted runs of so many columns."""
    def draw_runs(draw):
        parts = [sorted_records(draw.rng, draw.dtype, length // LENGTH[draw.dtype])
                 for _ in range(draw.shape[1] // length)]
        return values.decode(np.concatenate(parts), draw.dtype).reshape(draw.shape)
    return draw_runs


for length in (64, 128):
    sizes = ((1, 4 * length), (1, 12 * length))
    for data in ({"src": runs(length)}, None):  # None: runs that are not sorted
        tilewise("TMRGSORT", merge_runs, raw=True, data=data, sizes=sizes, few_sizes=sizes,
                 empty=False, special=False, round_scalars=False, scalars={"blockLen": [length]})
tilewise("TMRGSORT", lambda src, blockLen: None, raw=True, sizes=((0, 256), (1, 0)), few_sizes=(),
         empty=False, special=False, round_scalars=False, scalars={"blockLen": [64]})
def first_runs(src, blockLen, types, size):
    return merge_runs(src[:, :size[1]], blockLen, types, size)


# More columns than dst wants: those behind are left alone.
tilewise("TMRGSORT", first_runs, raw=True, data={"src": runs(64)}, sizes=((1, 256),),
         few_sizes=((1, 256),), empty=False, special=False, round_scalars=False,
         scalars={"blockLen": [64]}, shapes={"src": lambda r, c: (1, 320)})
for length, cols in ((32, 256), (64, 192), (0, 256), (-64, 256), (64, 250)):
    misfits("""
    .tile d : ub f32[1, 256]
    .tile a : ub f32[1, 256]
    TMRGSORT d{1, %d}, a{1, %d}, %d""" % (cols, cols, length), "runs of %d in %d columns" % (
        length, cols))

# ---- lists ----


def widths(counts):
    """Columns of the lists."""
    return {name: lambda r, c, types, n=n: (1, n * LENGTH[types["src0"]])
            for name, n in zip(SRC, counts)}


def sorted_list(draw):
    bits = sorted_records(draw.rng, draw.dtype, draw.shape[1] // LENGTH[draw.dtype])
    return values.decode(bits, draw.dtype).reshape(draw.shape)


def merge_lists(*sources, types, size, old, end="all"):
    dtype = types["src0"]
    result, used = merged(sources, dtype, size[1] // LENGTH[dtype], end == "exhausted")
    whole = old.copy()
    whole[0, :result.size] = result
    return whole, np.array(used + [0] * (4 - len(used)), np.uint16)


for counts in ((5, 9), (40, 1, 33), (64, 64, 64, 64), (0, 7, 3), (3, 200, 0, 1)):
    tilewise("TMRGSORT", merge_lists, row=1, raw=True, scratch=True, alias=False, special=False,
             sizes=((1, 16), (1, 600), (1, 1200)), few_sizes=((1, 40),), empty=False,
             only=lambda types, n=len(counts): len(types) == 2 + n,
             data=dict.fromkeys(SRC, sorted_list),
             shapes=dict(widths(counts), executed=lambda r, c: (1, 4)))
TILES = """
    .tile d : ub f32[1, 64]
    .tile e : ub u16[1, 16]
    .tile t : ub f32[1, 64]
    .tile a : ub f32[2, 64]
"""
misfits(TILES + "    TMRGSORT d, e, t, a, a", "src0 has 2 x 64 valid elements: one row of records")
misfits(TILES + "    TMRGSORT d, e, t, a{1, 63}, a{1, 64}", "src0 has 1 x 63 valid elements")
misfits(TILES + "    TMRGSORT d, e{1, 3}, t, a{1, 64}, a{1, 64}", "executed has 1 x 3 valid")
run()
