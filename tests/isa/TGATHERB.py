"""TGATHERB: blocks of 32 bytes at byte offsets."""
import numpy as np

from harness import faults, misfits, run, tilewise

COLS, WIDTH, ROWS = 64, 96, 5  # elements: valid region of src, of the whole tile


def gather(src, offs, size):
    lines = np.zeros((ROWS, WIDTH), src.dtype)
    lines[:, :src.shape[1]] = src
    memory = np.frombuffer(lines.tobytes(), np.uint8)
    picked = [memory[o:o + 32] for o in offs.ravel()]
    return np.concatenate(picked).view(src.dtype).reshape(size) if picked else None


def offsets(cols):
    """Any byte from which 32 valid ones follow, also inside elements."""
    def draw_offsets(draw):
        size = {"8": 1, "6": 2, "2": 4}[draw.types["src"][-1]]
        if cols == WIDTH:
            return draw.rng.integers(0, ROWS * WIDTH * size - 31, draw.shape)
        return (draw.rng.integers(0, ROWS, draw.shape) * WIDTH * size +
                draw.rng.integers(0, cols * size - 31, draw.shape))
    return draw_offsets


for cols in (COLS, WIDTH):
    # a row of dst is 1, 2 or 4 blocks by the type; offs has room for four
    tilewise("TGATHERB", lambda src, offs, size: gather(src, offs[:, :size[1] * src.itemsize // 32],
                                                        size),
             raw=True, sizes=((1, 32), (3, 32), (5, 64)), few_sizes=(), layouts=(), special=False,
             alias=False, data={"offs": offsets(cols)}, empty=False,
             shapes={"src": lambda r, c, n=cols: (ROWS, n), "offs": lambda r, c: (r, c // 8)},
             whole={"src": lambda r, c: (ROWS, WIDTH)})
TILES = """
    .tile d : ub f32[2, 8]
    .tile a : ub f32[2, 16]
    .tile o : ub u32[2, 8]
    TEXPANDS o, 36
    pipe_barrier V
"""
faults(TILES + "    TGATHERB d, a{2, 16}, o{2, 1}\n    TGATHERB d, a{2, 12}, o{2, 1}",
       r"offs\(0, 0\) = 36: the 32 bytes there are not in the valid region of src, {2, 12}")
misfits(TILES + "    TGATHERB d{2, 7}, a, o", "28 valid bytes: a multiple of 32 is needed")
run()
