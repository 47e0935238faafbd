"""TPUSH: a tile into the next slot of a ring, cast and scaled on its way out of L0C."""
import numpy as np

from fixpipe import COLS, RELUS, ROWS, SCALES, fixed
from cube import Accumulated
from harness import encode, program, rejects, run, table
from rings import every_depth, every_type

every_depth(True, "tile")
every_type("TPUSH", "f32 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64 f8e4m3 f8e5m2".split())

# ---- out of L0C: every cast, ReLU and scale is a slot of its own ----

POPS = """
.core aiv
.tile t : ub {to}[{rows}, 32]
    .for %i = 0 to {count}
        TPOP t{{{rows}, {cols}}}, q
        pipe_barrier ALL
        TSTORE y[%i, 0, 0], t{{{rows}, {cols}}}
        pipe_barrier ALL
    .endfor
"""


def out_of_accumulator(row, to, acc, profile):
    before, pushes, want = Accumulated("i8" if acc == "i32" else "f32", acc), [], []
    for scale in SCALES if row else [None]:
        for relu in RELUS:
            words = ["q", "c{%d, %d}" % (ROWS, COLS), repr(scale) if row else None, relu]
            pushes.append("    TPUSH " + ", ".join(w for w in words if w))
            with np.errstate(all="ignore"):
                want.append(fixed(before.total, to, relu,
                                  encode(np.array(scale), "f32") if row else None))
    text = before.text([".fifo q : %s[%d, %d] slots 2 c2v flags 2" % (to, ROWS, COLS),
                        ".out y : %s[%d, %d, %d]" % (to, len(want), ROWS, COLS)], pushes)
    text += POPS.format(to=to, rows=ROWS, cols=COLS, count=len(want))
    program(text, before.inputs, {"y": (to, np.stack(want))}, [("TPUSH", row, to, acc)], profile,
            options=["--check"])


for to in ("f32", "f16", "bf16"):
    out_of_accumulator(0, to, "f32", "a2")
for types, profile in (("types", "a2"), ("types_a5", "a5")):
    for to, acc in table.alternatives(table.rows_of("TPUSH")[1][types], 2):
        out_of_accumulator(1, to, acc, profile)

RING = """
    .fifo q : f32[8, 16] slots 2 v2c flags 0
    .tile t : ub f32[8, 16]
    .tile half : ub f16[8, 16]
    .tile wide : ub f32[9, 16]
"""
rejects(RING + "    TPUSH q, wide", r"'wide' is larger than a slot of 'q', which has 8 x 16")
rejects(RING + "    TPUSH q, half", "TPUSH does not take the types f32,f16")
rejects(RING + "    TPUSH q, t, 0.5", "src must lie in l0c")
rejects(RING + "    TPUSH q, t, atomic_add", "nothing is called .atomic_add. here")
rejects(RING + "    TPUSH q", "TPUSH hands over a slot of 'q' that TALLOC took: there is none")
rejects(RING + "    TPUSH p, t", "there is no ring 'p' here")
rejects(RING.replace("v2c", "c2v") + "    TPUSH q, t",
        "TPUSH is for the program that fills 'q': aic")
run()
