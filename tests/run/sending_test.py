"""Tiles that one sub-core of a block sends into the memory of another, on level a5: accumulators to
the vector sub-cores, and back to L1."""

import os
import unittest

import numpy as np

from harness import KernelTest, ptoas, ptovm

ROWS, COLS = 32, 48
PRODUCT = """
.core aic
.tile la : l1 f16[32, 32]
.tile lb : l1 f16[32, 48]
.tile xa : l0a f16[32, 32]
.tile xb : l0b f16[32, 48]
.tile acc : l0c f32[32, 48]
%(cube)s
    TLOAD la, a
    TLOAD lb, b
    handoff MTE2 -> MTE1, 0
    TMOV xa, la
    TMOV xb, lb
    handoff MTE1 -> M, 0
    TMATMUL acc, xa, xb
    handoff M -> FIX, 0
%(send)s
    set_flag_dev FIX, 2, 0
%(more)s
.core aiv
%(vector)s
    wait_flag_dev 0
%(work)s
"""
HEAD = ".kernel k\n.mix 1:%d\n.in a : f16[32, 32]\n.in b : f16[32, 48]\n%s\n"


def text(mix=2, objects=".out c : f32[32, 48]", **parts):
    return HEAD % (mix, objects) + PRODUCT % dict(
        dict.fromkeys(("cube", "send", "more", "vector", "work"), ""), **parts)


class Sending(KernelTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(3)
        self.a = random.integers(-4, 5, (32, 32)).astype(np.float16)
        self.b = random.integers(-4, 5, (32, 48)).astype(np.float16)
        self.product = self.a.astype(np.float32) @ self.b.astype(np.float32)
        self.save("a.npy", self.a)
        self.save("b.npy", self.b)

    def write(self, kernel, name="k.pto"):
        with open(self.path(name), "w") as file:
            file.write(kernel)
        return self.path(name)

    def results(self, kernel, *names, options=()):
        """The objects after a run without findings."""
        given = ["--in", "a=" + self.path("a.npy"), "--in", "b=" + self.path("b.npy")]
        for name in names:
            given += ["--out", "%s=%s" % (name, self.path(name + ".npy"))]
        self.run_ok("check", "-p", "a5", "--cores", 1, *options, self.write(kernel), *given)
        return [self.load(name + ".npy") for name in names]

    def test_split_between_the_two(self):
        for split, shape in (("rows", (16, 48)), ("columns", (32, 24))):
            at = "16, 0" if split == "rows" else "0, 24"
            place = "%r, 0" if split == "rows" else "0, %r"
            for layout in ("nd", "dn") + (("nz",) if split == "rows" else ()):
                tile = ".tile %%s : ub f32[%d, %d] %s @ 0x400" % (*shape, layout)
                kernel = text(
                    cube=tile % "half", vector=tile % "mine" + "\n.tile flat : ub f32[%d, %d]"
                    % shape,
                    send="    TEXTRACT half, acc(0, 0)\n    TEXTRACT half, acc(%s), vec1" % at,
                    work="    %%r = sub_id() * %d\n    TMOV flat, mine\n    handoff V -> MTE3, 0\n"
                         "    TSTORE c[%s], flat" % (shape[0] if split == "rows" else shape[1],
                                                     place))
                for seed in (1, 2, 3):
                    c, = self.results(kernel, "c", options=("--jitter", seed))
                    np.testing.assert_array_equal(c, self.product)

    def test_ways_out(self):
        """Casts, ReLU and scales, each with its own tile."""
        ways = [("f16", "TMOV d, acc", lambda x: x.astype(np.float16)),
                ("f32", "TMOV d, acc, relu", lambda x: np.maximum(x, 0)),
                ("f16", "TMOV d, acc, 0.5", lambda x: (x * 0.5).astype(np.float16)),
                ("f16", "TMOV d, acc, 0.5, relu, vec0",
                 lambda x: (np.maximum(x, 0) * 0.5).astype(np.float16)),
                ("i8", "TMOV d, acc, 0.25", lambda x: np.clip(np.rint(x * 0.25), -128, 127)
                 .astype(np.int8))]
        for dtype, instruction, want in ways:
            columns = 64 if dtype == "i8" else 48
            tile = ".tile d : ub %s[32, %d] @ 0x2000" % (dtype, columns)
            kernel = text(1, ".out c : %s[32, 48]" % dtype, cube=tile, vector=tile,
                          send="    " + instruction.replace("d,", "d{32, 48},", 1),
                          work="    TSTORE c, d{32, 48}")
            c, = self.results(kernel, "c")
            np.testing.assert_array_equal(c, want(self.product))

    def test_back_to_the_cube(self):
        """The vector sub-cores round their halves and put them into L1, where they are a factor."""
        for layout in ("nd", "nz"):
            kernel = text(
                objects=".out c : f32[32, 32]",
                cube=".tile up : ub f32[16, 48] @ 0\n.tile back : l1 f16[32, 48] @ 0x10000\n"
                     ".tile la2 : l0a f16[32, 48] @ 0x4000\n.tile lb2 : l1 f16[48, 32]\n"
                     ".tile xb2 : l0b f16[48, 32]\n.tile acc2 : l0c f32[32, 32]",
                send="    TEXTRACT up, acc(0, 0)\n    TEXTRACT up, acc(16, 0), vec1",
                more="    TLOAD lb2, unit\n    handoff MTE2 -> MTE1, 1\n    wait_flag_dev 1\n"
                     "    TMOV la2, back\n    TMOV xb2, lb2\n    handoff MTE1 -> M, 1\n"
                     "    TMATMUL acc2, la2, xb2\n    handoff M -> FIX, 1\n    TSTORE c, acc2",
                vector=".tile sum : ub f32[16, 48] @ 0\n.tile half : ub f16[16, 48]\n"
                       ".tile boxed : ub f16[16, 48] %s\n.tile to : l1 f16[32, 48] @ 0x10000"
                       % layout,
                work="    TCVT half, sum, rint\n    TMOV boxed, half\n    handoff V -> MTE3, 0\n"
                     "    %r = sub_id() * 16\n    TINSERT to(%r, 0), boxed\n"
                     "    set_flag_dev MTE3, 2, 1")
            kernel = kernel.replace(".in b", ".in unit : f16[48, 32]\n.in b", 1)
            unit = np.eye(48, 32).astype(np.float16)
            c, = self.results(kernel, "c", options=("--in", "unit=" + self.save("u.npy", unit)))
            np.testing.assert_array_equal(
                c, self.product.astype(np.float16).astype(np.float32) @ unit.astype(np.float32))

    def test_bytes_that_are_looked_at_are_made(self):
        """Without payload only what decides something runs: here what a load by S looks at."""
        value = int(self.product[3, 5])
        for told, code in ((value, 0), (value + 1, 1)):
            kernel = text(1, cube=".tile up : ub f32[32, 48] @ 0",
                          vector=".tile sum : ub f32[32, 48] @ 0", send="    TMOV up, acc",
                          work="    %%x = ld sum(3, 5)\n    .assert int(%%x) == %d, \"wrong\""
                          % told)
            done = ptovm("run", "-p", "a5", "--cores", 1, "--timing-only", self.write(kernel),
                         "--in", "a=" + self.path("a.npy"), "--in", "b=" + self.path("b.npy"))
            self.assertEqual(done.code, code, done.err)

    def refused(self, kernel, *patterns, profile="a5"):
        done = ptoas("-p", profile, "-o", os.devnull, self.write(kernel))
        self.assertEqual(done.code, 1)
        for pattern in patterns:
            self.assertRegex(done.err, pattern)

    def test_refused(self):
        up = ".tile up : ub f32[32, 48] @ 0"
        send = "    TMOV up, acc"
        self.refused(text(cube=up, send=send), "has no ub", profile="a2")
        self.refused(text(cube=up[:-4], send=send), "'up' lies in ub of another sub-core: it needs "
                     "an address", "where .core aiv declares the tile")
        self.refused(text(1, cube=up, send=send + ", vec1"), "a block of this kernel has 1 vector",
                     r"write \.mix 1:2")
        self.refused(text(cube=up, send=send).replace(".core aiv", "").replace(
            "    wait_flag_dev 0", ""), "'up' is sent to the program for aiv, which the kernel "
            "does not have")
        for wrong in ("TADD up, up, up", "TLOAD up, c", "TSTORE c, up", "TMOV la, up",
                      "%x = ld up(0, 0)", "TASSIGN up, 0"):
            self.refused(text(cube=up, send="    " + wrong), r"k\.pto:\d+:\d+: error: .*(lies in "
                         "ub, the memory of aiv: a program for aic can only send there|"
                         "needs the pipe|must lie in)")
        self.refused(text(send="    TMOV la, acc, vec1", objects=".out c : f32[32, 32]"),
                     "vec1 is for what goes to a vector sub-core|types")
        self.refused(text(vector=".tile t : ub f16[32, 48] nz\n.tile u : ub f16[32, 48]",
                          work="    TADD u, t, t"), "src0 is in nz, and in ub such tiles are only "
                     "moved")
        self.refused(text(vector=".tile t : ub f32[32, 48] nz", work="    TSTORE c, t"),
                     "src is in nz")


if __name__ == "__main__":
    unittest.main()
