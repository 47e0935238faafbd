"""Cases of what leaves an accumulator through FIX: ReLU, a scale, a cast, an atomic operation.

Every kernel begins with an accumulator of products of any values (cube.Accumulated); what goes to
L1 is stored from there."""

import itertools
import os

import numpy as np

import harness
import table
from cube import Accumulated
from reference import f32, maximum
from values import decode, encode, is_float, random_bits

ATOMICS = [None, "plain", "atomic_add", "atomic_max", "atomic_min"]
RELUS = [None, "norelu", "relu"]
SHOW_L1 = os.path.join(os.path.dirname(os.path.abspath(__file__)), "l1out.profile")
ROWS, COLS = 33, 19            # of the accumulator
OFFSET = {"TEXTRACT": (16, 3), "TINSERT": (2, 5)}
SCALES = [0.0, -0.0, 1.0, 0.5, -1.0, 0.3, 1 + 2 ** -10, 1 / 128, -3.0, 1e-3, float("inf"), 1e30]


def land(bits, old, to, atomic=None):
    """What a window holds after elements came to its old ones."""
    if atomic in (None, "plain"):
        return bits
    combine = {"atomic_add": lambda a, b: a + b, "atomic_max": maximum, "atomic_min":
               lambda a, b: -maximum(-a, -b) if is_float(to) else np.minimum(a, b)}[atomic]
    return encode(combine(decode(old, to), decode(bits, to)), to)


def fixed(total, to, relu, scale=None):
    """Bits of what FIX makes of the values `total`; `scale`: f32 bits, for all or by column."""
    if relu == "relu":
        total = maximum(total, np.zeros_like(total))
    if scale is not None:
        total = f32(f32(np.float64(total)) * decode(scale & np.uint32(0xffffe000), "f32"))
    if is_float(to) or scale is None:
        return encode(total, to)
    low = 0 if to == "u8" else -128
    return encode(np.where(np.isnan(total), 0, np.clip(np.rint(total), low, low + 255)).astype(int),
                  to)


def out_of_accumulator(mnemonic, row, to, acc, scaling, a5=False):
    """All keywords; scaling: None, "number" or "row"."""
    before, rng = Accumulated("i8" if acc == "i32" else "f32", acc), np.random.default_rng(7)
    kind, inputs, outputs = mnemonic.split("_")[0], dict(before.inputs), {}
    row_bits = np.where(rng.random((1, COLS)) < 0.5, encode(rng.choice(SCALES, (1, COLS)), "f32"),
                        random_bits("f32", (1, COLS), rng))
    objects, lines = [".in fp : f32[1, %d]" % COLS], [
        ".tile fp1 : l1 f32[1, 24] nd", ".tile fp0 : fb f32[1, 24]",
        "    TLOAD fp1{1, 19}, fp", "    pipe_barrier ALL", "    TMOV fp0{1, 19}, fp1{1, 19}"]
    inputs["fp"] = ("f32", row_bits)
    row_of, col_of = OFFSET.get(kind, (0, 0))
    for number, (atomic, relu, nz) in enumerate(itertools.product(
            ATOMICS if kind == "TSTORE" else [None], RELUS, [True, False])):
        if kind == "TSTORE" and not nz:
            continue
        name = "out%d" % number
        value = SCALES[5 * len(outputs) % len(SCALES)] if scaling == "number" else None
        scale = encode(np.array(value), "f32") if scaling == "number" else row_bits
        operand = {"number": repr(value), "row": "fp0{1, 19}", None: None}[scaling]
        total = before.total
        if kind == "TEXTRACT":
            total = total[row_of:, col_of:]
            scale = scale[:, :COLS - col_of] if scaling == "row" else scale
            operand = operand and operand.replace("19", str(COLS - col_of))
        words = [w for w in (operand, atomic, relu) if w]
        shape = (48, 32) if kind == "TINSERT" else total.shape
        old = random_bits(to, shape, rng)
        want = old.copy()
        at = np.s_[row_of:row_of + ROWS, col_of:col_of + COLS] if kind == "TINSERT" else np.s_[:, :]
        with np.errstate(all="ignore"):
            want[at] = land(fixed(total, to, relu, scale if scaling else None), old[at], to, atomic)
        objects.append(".inout %s : %s[%d, %d]" % (name, to, *shape))
        inputs[name], outputs[name] = (to, old), (to, want)
        extent = "{%d, %d}" % total.shape
        if kind == "TSTORE":
            lines += ["    pipe_barrier ALL",
                      "    %s %s" % (mnemonic, ", ".join([name, "c" + extent] + words))]
            continue
        whole = "{%d, %d}" % shape
        lines += [".tile d%d : l1 %s[48, 32] %s @ 0x4000" % (number, to, "nz" if nz else "nd"),
                  "    pipe_barrier ALL", "    TLOAD d%d%s, %s" % (number, whole, name),
                  "    pipe_barrier ALL", "    %s %s" % (mnemonic, ", ".join([
                      "d%d%s" % (number, "(2, 5)" if kind == "TINSERT" else extent),
                      "c" + ("(16, 3)" if kind == "TEXTRACT" else extent)] + words)),
                  "    pipe_barrier ALL", "    TSTORE %s, d%d%s" % (name, number, whole)]
    harness.program(before.text(objects, lines), inputs, outputs,
                    [(mnemonic, row, to, acc) + (("f32",) if scaling == "row" else ())],
                    profile=SHOW_L1 if a5 else "a2")


def outlets(mnemonic, row, scaling):
    """Every type that the row has for a source in L0C."""
    info = table.rows_of(mnemonic)[row]
    count = len(table.typed_operands(info))
    for level, a5 in (("types", False), ("types_a5", True)):
        for types in table.alternatives(info[level], count):
            if types[1] in ("f32", "i32"):
                out_of_accumulator(mnemonic, row, types[0], types[1], scaling, a5)
