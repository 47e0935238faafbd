"""TSTORE_FP: out of an accumulator with a scale per column."""
import numpy as np

from fixpipe import fixed, outlets
from harness import misfits, program, rejects, run
from values import encode

outlets("TSTORE_FP", 0, "row")

# i32 is rounded to f32 before the product, which shows in values next to a tie of f16
LARGE = """
.kernel large
.in big : i32[1, 16]
.in fp : f32[1, 16]
.in zero : i8[16, 32]
.out h : f16[1, 16]
.core aic
.tile a1 : l1 i8[16, 32]
.tile b1 : l1 i8[32, 32]
.tile t1 : l1 i32[1, 16] nd
.tile s1 : l1 f32[1, 16] nd
.tile a : l0a i8[16, 32]
.tile b : l0b i8[32, 32]
.tile t : bt i32[1, 16]
.tile s : fb f32[1, 16]
.tile c : l0c i32[16, 16]
    TLOAD a1{1, 1}, zero
    TLOAD b1{1, 16}, zero
    TLOAD t1, big
    TLOAD s1, fp
    pipe_barrier ALL
    TMOV a{1, 1}, a1{1, 1}
    TMOV b{1, 16}, b1{1, 16}
    TMOV t, t1
    TMOV s, s1
    pipe_barrier ALL
    TMATMUL_BIAS c{1, 16}, a{1, 1}, b{1, 16}, t
    pipe_barrier ALL
    TSTORE_FP h, c{1, 16}, s
"""
big = np.array([2 ** 30 + 2 ** 19 + 1, 2 ** 30 + 3 * 2 ** 19 - 1, 2 ** 31 - 1, -2 ** 31,
                2 ** 24 + 1, -2 ** 30 - 2 ** 19 - 1, 2 ** 25 + 2 ** 14 + 1, 7] * 2,
               np.int32).reshape(1, 16)
scales = encode(np.full((1, 16), 2.0 ** -16), "f32")
program(LARGE, {"big": ("i32", encode(big, "i32")), "fp": ("f32", scales),
                "zero": ("i8", np.zeros((16, 32), np.uint8))},
        {"h": ("f16", fixed(np.float64(big), "f16", None, scales))})

# to another rank, added where it lands
REMOTE = """
.kernel remote
.in a : i8[1, 1]
.in b : i8[1, 16]
.in fp : f32[1, 16]
.sym h : f16[2, 16]
.core aic
.tile a1 : l1 i8[16, 32]
.tile b1 : l1 i8[32, 32]
.tile s1 : l1 f32[1, 16] nd
.tile a0 : l0a i8[16, 32]
.tile b0 : l0b i8[32, 32]
.tile s : fb f32[1, 16]
.tile c : l0c i32[16, 16]
    TLOAD a1{1, 1}, a
    TLOAD b1{1, 16}, b
    TLOAD s1, fp
    pipe_barrier ALL
    TMOV a0{1, 1}, a1{1, 1}
    TMOV b0{1, 16}, b1{1, 16}
    TMOV s, s1
    pipe_barrier ALL
    TMATMUL c{1, 16}, a0{1, 1}, b0{1, 16}
    pipe_barrier ALL
    TSTORE_FP h@(1 - rank())[0, 0], c{1, 16}, s, atomic_add, relu
    TSTORE_FP h@(1 - rank())[0, 0], c{1, 16}, s, relu, atomic_add
    TSTORE h@(1 - rank())[1, 0], c{1, 16}, 0.5, atomic_add
    TSTORE h@(1 - rank())[1, 0], c{1, 16}, 0.5, atomic_add
"""
b = np.arange(-7, 9)
half = [np.stack([2 * np.maximum(a * b, 0) * 0.25, a * b]) for a in (3, -2)]
program(REMOTE, {"a": ("i8", [np.array([[3]], np.int8), np.array([[-2]], np.int8)]),
                 "b": ("i8", b.astype(np.int8).reshape(1, 16)),
                 "fp": ("f32", np.full((1, 16), 0.25))},
        {"h": ("f16", [half[1], half[0]])}, ranks=2)

TILES = """
    .gm x : i8[16, 16]
    .tile d : l1 i8[16, 32]
    .tile c : l0c i32[16, 16]
    .tile s : fb f32[1, 16]
"""
misfits(TILES + "    TSTORE_FP x, c, s{1, 15}",
        "fp has 1 x 15 valid elements where 1 x 16", core="aic")
rejects(TILES.replace("fb f32", "fb i32") + "    TSTORE_FP x, c, s", "types i8,i32,i32", core="aic")
rejects(TILES.replace("fb f32", "bt f32") + "    TSTORE_FP x, c, s", "bt", core="aic")
run()
