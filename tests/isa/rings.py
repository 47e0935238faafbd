"""Kernels that send matrices through a ring, from cube to vector or back.

The matrices are small integers in f16 and pass the cube as a product with the unit matrix, which is
exact, so that what arrives is what was sent.  A Ring says how; its `check` runs it under the
checker and compares with numpy."""

import os

import numpy as np

import harness
import values

SIDE, BLOCKS, LAUNCHES = 32, 2, 3
# Profile a5 cannot show what arrives in L1; this one can.
SHOW_L1 = os.path.join(os.path.dirname(os.path.abspath(__file__)), "l1out.profile")

C2V = """
.kernel c2v
.mix 1:{vectors}
.param n : i64
.in  x   : f16[block_num(), max(n, 1), {side}, {side}]
.in  one : f16[{side}, {side}]
.out y   : f32[block_num(), {vectors}, max(n, 1), {rows}, {cols}]
.fifo q : f32[{side}, {side}] slots {slots} c2v {split} flags {flags}
.core aic
.tile x1  : l1 f16[{side}, {side}]
.tile one1 : l1 f16[{side}, {side}]
.tile x0  : l0a f16[{side}, {side}]
.tile one0 : l0b f16[{side}, {side}]
.tile out : l0c f32[{side}, {side}]
    TLOAD one1, one
    pipe_barrier ALL
    TMOV one0, one1
    .for %i = 0 to n
        TLOAD x1, x[block_id(), %i, 0, 0]
        pipe_barrier ALL
        TMOV x0, x1
        pipe_barrier ALL
        TMATMUL out, x0, one0
        pipe_barrier ALL
{push}
        pipe_barrier ALL
    .endfor
.core aiv
.tile in : ub f32[{rows}, {cols}]
.tile half : f32[{half}, {cols}] of in
    .for %i = 0 to n
{pop}
        pipe_barrier ALL
        TSTORE y[block_id(), sub_id(), %i, 0, 0], in
        pipe_barrier ALL
    .endfor
"""

V2C = """
.kernel v2c
.mix 1:{vectors}
.param n : i64
.in  x   : f16[block_num(), max(n, 1), {side}, {side}]
.in  one : f16[{side}, {side}]
.out y   : f32[block_num(), max(n, 1), {side}, {side}]
.fifo q : f16[{side}, {side}] slots {slots} v2c {split} flags {flags}
.core aiv
.tile out : ub f16[{rows}, {cols}]
.tile half : f16[{half}, {cols}] of out
    .for %i = 0 to n
        TLOAD out, x[block_id(), %i, {row_step} * sub_id(), {col_step} * sub_id()]
        pipe_barrier ALL
{push}
        pipe_barrier ALL
    .endfor
.core aic
.tile in  : l1 f16[{side}, {side}]
.tile one1 : l1 f16[{side}, {side}]
.tile in0 : l0a f16[{side}, {side}]
.tile one0 : l0b f16[{side}, {side}]
.tile sum : l0c f32[{side}, {side}]
    TLOAD one1, one
    pipe_barrier ALL
    TMOV one0, one1
    .for %i = 0 to n
{pop}
        pipe_barrier ALL
        TMOV in0, in
        pipe_barrier ALL
        TMATMUL sum, in0, one0
        pipe_barrier ALL
        TSTORE y[block_id(), %i, 0, 0], sum
        pipe_barrier ALL
    .endfor
"""

# The vector side moves a slot in two halves, the cube side as a whole.
PUSH = {
    "tile": "        TPUSH q, out",
    "slot": """\
        TALLOC q
        TSTORE q, out
        TPUSH q""",
    "halves": """\
        TALLOC q
        .if {stores}
            TSTORE q[0, 0], half
            TSTORE q[{half}, 0]{{{half}, {cols}}}, half({half} * {cols} * 2)
        .endif
        TPUSH q""",
}
POP = {
    "tile": "        TPOP in, q",
    "slot": """\
        TPOP q
        TLOAD in, q
        TFREE q""",
    "halves": """\
        TPOP q
        TLOAD half(0), q[0, 0]
        TLOAD half({half} * {cols} * 4), q[{half}, 0]{{{half}, {cols}}}
        TFREE q""",
}


class Ring:
    """`form`: tile (TPUSH and TPOP move) or slot (TALLOC ... TPUSH, TPOP ... TFREE)."""

    def __init__(self, cube_first, slots, split="none", vectors=2, form="tile", flags=0):
        parts = vectors if split != "none" else 1
        rows = SIDE // parts if split == "rows" else SIDE
        cols = SIDE // parts if split == "cols" else SIDE
        push, pop = {"tile": ("tile", "tile"),
                     "slot": ("slot", "halves") if cube_first else ("halves", "slot")}[form]
        names = {"side": SIDE, "slots": slots, "flags": flags, "rows": rows, "cols": cols,
                 "half": rows // 2, "vectors": vectors, "row_step": rows % SIDE,
                 "col_step": cols % SIDE, "split": "split " + split,
                 # without a split, the first vector sub-core fills the slot
                 "stores": "sub_id() == 0" if split == "none" else 1}
        self.cube_first, self.vectors, self.rows, self.cols = cube_first, vectors, rows, cols
        self.text = (C2V if cube_first else V2C).format(
            push=PUSH[push].format(**names), pop=POP[pop].format(**names), **names)

    def want(self, x, count):
        """What y holds: all, or for each vector sub-core its part; poison if nothing is sent."""
        y = x.astype(np.float32)
        if self.cube_first:
            parts = []
            for sub in range(self.vectors):
                row, col = sub * self.rows % SIDE, sub * self.cols % SIDE
                parts.append(y[:, :, row:row + self.rows, col:col + self.cols])
            y = np.stack(parts, axis=1)
        return y.view(np.uint32) if count else np.full(y.shape, 0xffffffff, np.uint32)

    def check(self, count, profile="a2", options=()):
        """`count` matrices in each launch; no finding, and the right result."""
        rng = np.random.default_rng([count, self.rows, self.cols])
        x = rng.integers(-9, 10, (BLOCKS, max(count, 1), SIDE, SIDE)).astype(np.float16)
        harness.program(self.text, {"x": ("f16", x), "one": ("f16", np.eye(SIDE))},
                        {"y": ("f32", self.want(x, count))}, profile=profile, cores=BLOCKS,
                        options=["--check", "--repeat", LAUNCHES, "--set", "n=%d" % count,
                                 *options])


def every_depth(cube_first, form):
    """Few and many slots, none to many matrices, every way to share a slot."""
    for slots in range(1, 16):
        counts = {0, 1, slots, slots + 1, 37} if slots in (1, 2, 3, 15) else {slots + 1}
        for count in sorted(counts):
            Ring(cube_first, slots, "rows", form=form, flags=slots % 10).check(count)
    for profile in ("a2", "a5"):
        for split in ("none", "rows", "cols"):
            for vectors in (1, 2):
                Ring(cube_first, 3, split, vectors, form).check(7, profile, ["--jitter", vectors])


COPY = """
.kernel copy
.mix 1:1
.in  x : {dtype}[3, 32, 32]
.out y : {dtype}[3, 32, 32]
.fifo q : {dtype}[32, 32] slots 2 v2c flags 9
.core aiv
.tile out : ub {dtype}[32, 32]
    .for %i = 0 to 3
        TLOAD out, x[%i, 0, 0]
        pipe_barrier ALL
        TPUSH q, out
        pipe_barrier ALL
    .endfor
.core aic
.tile in : l1 {dtype}[32, 32] nd
    .for %i = 0 to 3
        TPOP in, q
        pipe_barrier ALL
        TSTORE y[%i, 0, 0], in
        pipe_barrier ALL
    .endfor
"""


def every_type(mnemonic, types):
    """Bits of every type, from UB to L1."""
    for number, dtype in enumerate(types):
        x = values.random_bits(dtype, (3, 32, 32), np.random.default_rng(number))
        harness.program(COPY.format(dtype=dtype), {"x": (dtype, x)}, {"y": (dtype, x)},
                        [(mnemonic, 0, dtype, dtype)],
                        SHOW_L1 if dtype.startswith("f8") else "a2", options=["--check"])
