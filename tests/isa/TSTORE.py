"""TSTORE: tiles to windows of global memory, plain and atomic; out of L0C with a cast and ReLU."""
import itertools

import numpy as np

from cube import Accumulated, decode, encode
from fixpipe import outlets
from harness import program, rejects, run
from moves import moves
from reference import maximum, minimum
from values import random_bits

ATOMICS = [None, "plain", "atomic_add", "atomic_max", "atomic_min"]


def land(bits, old, types, atomic=None):
    """What the window holds after the tile's bits came to its old ones."""
    if atomic in (None, "plain"):
        return bits
    combine = {"atomic_add": lambda a, b: a + b, "atomic_max": maximum,
               "atomic_min": minimum}[atomic]
    return encode(combine(decode(old, types[0]), decode(bits, types[1])), types[0])


SAME = [(t, t) for t in "f32 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64 f8e4m3 f8e5m2".split()]
BYTES = [(t, t) for t in "s4x2 e8m0 f4e2m1x2 f4e1m2x2".split()]
UB = [(("gm", to), ("ub", layout)) for layout in ("nd", "dn") for to in ("nd", "dn")]
L1 = [(("gm", "nd"), ("l1", layout)) for layout in ("nd", "dn", "nz", "zn")]
moves("TSTORE", UB, reference=land, words={"atomic": ATOMICS}, types=SAME, sizes=((3, 5), (17, 33)))
moves("TSTORE", UB, types=SAME + BYTES)
moves("TSTORE", L1, types=SAME + BYTES, profiles=("a2",))

# ---- out of L0C ----------------------------------------------------------------------------------


def out_of_accumulator(factor, acc, to):
    before, rng = Accumulated(factor, acc), np.random.default_rng(7)
    objects, stores, inputs, outputs = [], [], dict(before.inputs), {}
    for number, (atomic, relu) in enumerate(itertools.product(ATOMICS, (None, "norelu", "relu"))):
        name, words = "out%d" % number, [w for w in (atomic, relu) if w]
        old, total = random_bits(to, (33, 19), rng), before.total
        objects.append(".inout %s : %s[33, 19]" % (name, to))
        stores.append("    TSTORE %s" % ", ".join([name, "c{33, 19}"] + words))
        if relu == "relu":
            total = maximum(total, np.zeros_like(total))
        with np.errstate(all="ignore"):
            outputs[name] = (to, land(encode(total, to), old, (to, to), atomic))
        inputs[name] = (to, old)
    program(before.text(objects, stores), inputs, outputs, [("TSTORE", 0, to, acc)])


for factor, acc, to in (("f32", "f32", "f32"), ("f32", "f32", "f16"), ("f32", "f32", "bf16"),
                        ("bf16", "f32", "bf16"), ("i8", "i32", "i32")):
    out_of_accumulator(factor, acc, to)

TILES = """
    .gm x : f16[4, 16]
    .tile t : ub f32[4, 16]
"""
rejects(TILES + "    TSTORE x, t", "only from f32 in l0c")
rejects(TILES.replace("f16", "f32") + "    TSTORE x, t, plain, relu",
       "relu applies only to what leaves l0c")
rejects(TILES.replace("f16", "i32") + "    TSTORE x, t", "types i32,f32")
rejects(TILES.replace(".gm", ".in").replace("f16", "f32") + "    TSTORE x, t", "input")
for dtype, profile in (("s4x2", "a2"), ("e8m0", "a5"), ("f4e2m1x2", "a5")):
    rejects(TILES.replace("f16", dtype).replace("f32[4, 16]", dtype + "[4, 32]")
            + "    TSTORE x[0, 0]{4, 16}, t{4, 16}, atomic_add",
            "atomic_add wants numbers, elements of %s are none" % dtype, profile)
rejects(TILES.replace("f16", "s4x2").replace("f32[4, 16]", "s4x2[4, 32]") + "    TSTORE x, t",
        "types s4x2,s4x2 on profile a5", "a5")
outlets("TSTORE", 1, "number")
run()
