"""`ptoas --to cpp`: what is written compiles against declarations of the public intrinsics, and a
host that carries them out gets the results of numpy and of the machine."""

import os
import unittest

import numpy as np

from cpp_host import Host, imported, pto

# Loops that are left and gone on with, choices in choices, a loop of no turn, an array of numbers.
FLOW = """
.kernel flow
.mix 1:1
.param n : i64
.param factor : f64
.inout y : i64[64]
.core aiv
.local seen : i64[8]
    .if block_id() == 0
        %at = 0
        .for %i = 0 to n
            .if %i == 9
                .break
            .elif mod(%i, 3) == 1
                .continue
            .endif
            .for %k = 1 to %i + 1
                .if %k < 3 && mod(%i, 2) == 0
                    st y[%at], %i * 10 - %k
                .else
                    st y[%at], cdiv(%i * 7, %k) ^ max(%k, 4) << 2
                    %at = %at + 1
                .endif
                .if %at > 40
                    .break
                .endif
            .endfor
            st seen[mod(%i, 8)], %at
            %at = %at + 1
        .endfor
        .while %at < 60
            %before = ld seen[mod(%at, 8)]
            st y[%at], int(float(%before) * factor) - 3
            %at = %at + 1
            .if %at == 55
                end
            .endif
        .endwhile
    .endif
"""

# Each is rounded to f32: in f64 the difference would be the first number again.
SCALARS = """
module {
  func.func @scalars(%y: !pto.ptr<f32>, %g: f32, %h: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %sum = arith.addf %g, %h : f32
    %difference = arith.subf %sum, %h : f32
    %product = arith.mulf %g, %h : f32
    %quotient = arith.divf %g, %h : f32
    pto.store_scalar %sum, %y[%c0] : !pto.ptr<f32>, f32
    pto.store_scalar %difference, %y[%c1] : !pto.ptr<f32>, f32
    pto.store_scalar %product, %y[%c2] : !pto.ptr<f32>, f32
    pto.store_scalar %quotient, %y[%c3] : !pto.ptr<f32>, f32
    %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %g) -> (f32) {
      %next = arith.mulf %a, %h : f32
      scf.yield %next : f32
    }
    pto.store_scalar %last, %y[%c4] : !pto.ptr<f32>, f32
    return
  }
}
"""

SIDES = """
.kernel sides
.mix 1:1
.param at : i64
.inout tri : f32[2, 6, 8]
.inout line : i32[2, 16]
.core aiv
.tile t : ub f32[6, 8]
.tile i : ub i32[1, 16]
    .if block_id() == 0
        TTRI t, at
        pipe_barrier ALL
        TSTORE tri[0, 0, 0], t
        pipe_barrier ALL
        TTRI t, at, upper
        pipe_barrier ALL
        TSTORE tri[1, 0, 0], t
        TCI i, at
        pipe_barrier ALL
        TSTORE line[0, 0], i
        pipe_barrier ALL
        TCI i, at, descending
        pipe_barrier ALL
        TSTORE line[1, 0], i
    .endif
"""


class Cpp(Host):
    def test_all_that_can_be_written_compiles(self):
        for kernel in [pto.kernel(k) for k in ("basic/vadd.pto", "basic/softmax.pto",
                                               "matmul/gemm.pto")] + [
                imported(k) for k in ("vadd", "gemm", "pipes", "flow", "choice", "swap", "counts")]:
            for sync in ("asis", "auto", "inorder"):
                self.export(kernel, "--sync", sync)
            self.compile("", "-fsyntax-only")

    def test_vadd(self):
        a, b = self.floats(5000), self.floats(5000)
        self.export(pto.kernel("basic/vadd.pto"))
        got = self.run_host("vadd", [5000, a, b, np.zeros_like(a)], 3, 2)
        np.testing.assert_array_equal(got[2], a + b)

    def test_softmax(self):
        x = self.floats(37, 64)
        e = np.exp(x - x.max(axis=1, keepdims=True))
        want = e / e.sum(axis=1, keepdims=True)
        self.export(pto.kernel("basic/softmax.pto"))
        got = self.run_host("softmax", [37, 64, x, np.zeros_like(x)], 2, 2)
        np.testing.assert_allclose(got[1], want, rtol=1e-5)
        for sync in ("auto", "inorder"):
            self.export(imported("softmax"), "-p", "a3", "--sync", sync)
            got = self.run_host("softmax", [37, x.size, x.size, x, np.zeros_like(x)])
            np.testing.assert_allclose(got[1], want, rtol=1e-5)

    def test_gemm(self):
        a, b = self.floats(32, 128).astype(np.float16), self.floats(128, 32).astype(np.float16)
        self.export(imported("gemm"))
        got = self.run_host("gemm", [a.size, b.size, 1024, a, b, np.zeros((32, 32), np.float32)])
        np.testing.assert_allclose(got[2], a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4,
                                   atol=1e-4)

    def test_gemm_of_several_blocks(self):
        a, b = self.floats(130, 96).astype(np.float16), self.floats(96, 140).astype(np.float16)
        want = a.astype(np.float64) @ b.astype(np.float64)
        for name, kind, close in (("gemm", np.float32, 1e-4), ("gemm_f16", np.float16, 5e-3)):
            self.export(pto.kernel("matmul/%s.pto" % name))
            got = self.run_host(name, [130, 96, 140, a, b, np.zeros((130, 140), kind)], 2)
            np.testing.assert_allclose(got[2], want, rtol=close, atol=close)

    def test_flags_inside_a_block(self):
        self.export(imported("launched_a5"))
        with open(self.path("kernel.cpp")) as file:
            text = file.read()
        for call in ("set_intra_block(PIPE_FIX, 1);", "set_intra_block(PIPE_FIX, 17);",
                     "wait_intra_block(PIPE_MTE2, 1);"):
            self.assertEqual(text.count(call), 1, call)

    def test_a_cube_and_its_vector_sub_cores(self):
        """The cube's program runs once for a block, theirs behind it."""
        x, w = self.floats(64, 32).astype(np.float16), self.floats(32, 16).astype(np.float16)
        self.export(imported("launched"))
        got = self.run_host("launched", [x.size, w.size, 1024, x, w,
                                         np.zeros((64, 16), np.float32)], 2, 2)
        want = np.maximum(x.astype(np.float64) @ w.astype(np.float64), 0)
        np.testing.assert_allclose(got[2], want, rtol=1e-4, atol=1e-4)

    def test_layernorm(self):
        x, g = self.floats(16, 64), self.floats(64)
        self.export(imported("layernorm"))
        got = self.run_host("layernorm", [16, 1e-5, x.size, g.size, x.size, x, g,
                                          np.zeros_like(x)])
        apart = x - x.mean(axis=1, keepdims=True)
        want = apart / np.sqrt((apart ** 2).mean(axis=1, keepdims=True) + 1e-5) * g
        np.testing.assert_allclose(got[2], want, rtol=1e-4, atol=1e-5)

    def test_sides_and_directions(self):
        """They are arguments of the template."""
        with open(self.path("sides.pto"), "w") as file:
            file.write(SIDES)
        self.export(self.path("sides.pto"))
        for at in (-2, 0, 3):
            tri, line = np.full((2, 6, 8), 9, np.float32), np.full((2, 16), 9, np.int32)
            got = self.run_host("sides", [at, tri, line])
            for i, want in enumerate((np.tri(6, 8, at), 1 - np.tri(6, 8, at - 1))):
                np.testing.assert_array_equal(got[0][i], want)
            np.testing.assert_array_equal(got[1], at + np.outer((1, -1), np.arange(16)))

    def test_windows_of_tiles(self):
        x = np.arange(512, dtype=np.float32).reshape(8, 64)
        y, sums = np.zeros_like(x), np.zeros((8, 4), np.float32)
        self.export(imported("windows"))
        got = self.run_host("windows", [3, x.size, y.size, sums.size, x, y, sums])
        want = x.reshape(8, 4, 16)[:, ::-1].reshape(8, 64).copy()
        want[3:5] *= 2
        want[4, 16:] *= 2
        np.testing.assert_array_equal(got[1], want)
        np.testing.assert_array_equal(got[2], x.reshape(8, 4, 16).sum(axis=2))

    def test_control_flow(self):
        with open(self.path("flow.pto"), "w") as file:
            file.write(FLOW)
        self.export(self.path("flow.pto"))
        for n, factor in ((0, 1.0), (4, 0.5), (8, 2.25), (30, -1.5)):
            y = np.arange(64, dtype=np.int64)
            y.tofile(self.path("y.bin"))
            done = pto.ptovm("run", self.path("flow.pto"), "--set", "n=%d" % n, "--set",
                             "factor=%g" % factor, "--in", "y=" + self.path("y.bin"), "--out",
                             "y=" + self.path("out.bin"), "--cores", "1")
            self.assertEqual((done.code, done.err), (0, ""))
            got = self.run_host("flow", [n, factor, y])
            np.testing.assert_array_equal(got[0], np.fromfile(self.path("out.bin"), np.int64))

    def test_scalars_of_f32(self):
        """The machine, and chips with doubles as numbers, compute with the bits of f32."""
        with open(self.path("scalars.pto"), "w") as file:
            file.write(SCALARS)
        self.export(self.path("scalars.pto"))
        for g, h in ((0.1, 3e7), (1e20, 1e-12), (-7.25, 3.0), (1e-40, 0.3)):
            g, h = np.float32(g), np.float32(h)
            want = [g + h, g + h - h, g * h, g / h, g * h * h * h * h]
            zeros = np.zeros(5, np.float32)
            got = self.run_host("scalars", [float(g), float(h), 5, zeros])
            np.testing.assert_array_equal(got[0], want)
            done = pto.ptovm("run", self.path("scalars.pto"), "--set", "g=%r" % float(g), "--set",
                             "h=%r" % float(h), "--set", "y_size=5", "--in", "y=zeros", "--out",
                             "y=" + self.path("y.npy"))
            self.assertEqual(done.code, 0, done.err)
            np.testing.assert_array_equal(np.load(self.path("y.npy")), want)

    def test_ways_out_of_the_accumulator(self):
        words = {"": "", ", relu": "<decltype(t0), decltype(t1), ReluPreMode::NormalRelu>",
                 ", vec1": "<decltype(t0), decltype(t1), AccToVecMode::SingleModeVec1>",
                 ", relu, vec1": "<decltype(t0), decltype(t1), AccToVecMode::SingleModeVec1, "
                                 "ReluPreMode::NormalRelu>"}
        text = (".kernel k\n.core aic\n.tile c : l0c f32[16, 16]\n.tile u : ub f32[16, 16] @ 0\n"
                "    %s\n.core aiv\n.tile u : ub f32[16, 16] @ 0\n    TADD u, u, u\n")
        for word, template in words.items():
            with open(self.path("out.pto"), "w") as file:
                file.write(text % ("TMOV u, c" + word))
            self.export(self.path("out.pto"), "-p", "a5")
            with open(self.path("kernel.cpp")) as file:
                self.assertIn("TMOV%s(t0, t1);" % template, file.read())
            self.compile("", "-fsyntax-only")
        with open(self.path("out.pto"), "w") as file:
            file.write(text % "TEXTRACT u, c(0, 0), vec1")
        done = pto.ptoas("--to", "cpp", "-p", "a5", self.path("out.pto"))
        self.assertEqual((done.code, done.out), (1, ""))
        self.assertIn("out.pto:5:5: error: TEXTRACT to the second vector sub-core has no "
                      "counterpart in C++", done.err)

    def test_scales_are_refused(self):
        done = pto.ptoas("--to", "cpp", imported("scaled"))
        line = pto.line_of(imported("scaled"), "pto.tmov ins(%s1")
        self.assertEqual((done.code, done.out), (1, ""))
        self.assertIn("scaled.pto:%d:5: error: TMOV of scales" % line, done.err)

    def test_the_loader_of_convolutions_is_refused(self):
        done = pto.ptoas("--to", "cpp", imported("conv"))
        line = pto.line_of(imported("conv"), "pto.timg2col")
        self.assertEqual((done.code, done.out), (1, ""))
        self.assertIn("conv.pto:%d:9: error: TIMG2COL" % line, done.err)

    def test_pairs_are_refused(self):
        path = self.path("pairs.pto")
        with open(path, "w") as file:
            file.write(".kernel k\n.core aiv\n.tile p : ub s4x2[1, 32]\n.tile h : ub f16[1, 64]\n"
                       "    TCVT h, p\n")
        done = pto.ptoas("--to", "cpp", path)
        self.assertEqual((done.code, done.out), (1, ""))
        self.assertIn("pairs.pto:5:5: error: TCVT of pairs of four bits", done.err)

    def test_numbers_that_have_no_digits(self):
        for text, written in (("nan", '__builtin_nan("")'), ("inf", "__builtin_inf()"),
                              ("-inf", "-__builtin_inf()")):
            with open(self.path("number.pto"), "w") as file:
                file.write(".kernel k\n.core aiv\n.tile t : ub f32[1, 8]\n"
                           "    TEXPANDS t, %s\n" % text)
            done = pto.ptoas("--to", "cpp", self.path("number.pto"))
            self.assertEqual(done.code, 0, done.err)
            self.assertIn("TEXPANDS(t0, (float)(%s));" % written, done.out)

    def test_barriers_are_for_who_needs_them(self):
        """Level a5 keeps the order of V by itself."""
        for profile, some in (("a2", True), ("a5", False)):
            done = pto.ptoas("--to", "cpp", "--profile", profile, pto.kernel("basic/softmax.pto"))
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual("pipe_barrier(PIPE_V)" in done.out, some)

    def test_what_has_no_counterpart_is_refused_with_its_line(self):
        path = pto.kernel("collective/p2p_put_async.pto")
        done = pto.ptoas("--to", "cpp", path, "-o", self.path("none.cpp"))
        self.assertEqual(done.code, 1)
        self.assertRegex(done.err, r"p2p_put_async\.pto:\d+:\d+: error: TPUT_ASYNC has no "
                                   r"counterpart in C\+\+")
        self.assertFalse(os.path.exists(self.path("none.cpp")))
        head = (".kernel k\n.mix 1:1\n.sym s : f32[4, 8]\n.sym i : i32[8]\n.core aiv\n"
                ".tile t : ub f32[4, 8]\n.tile f : ub f16[16, 16] nz\n")
        for lines, error in (
                ("    TPUT s@0, s, t\n    set_flag MTE2, MTE3, 6\n    wait_flag MTE2, MTE3, 6\n",
                 "9:5: error: event 6 has no counterpart in C++: TPUT and TGET take 2 of those"),
                ("    %a = ld f(0, 0)\n", "8:10: error: ld of a tile that is not in ub or in "
                 "fractals has no counterpart in C++")):
            with open(self.path("none.pto"), "w") as file:
                file.write(head + lines)
            done = pto.ptoas("--to", "cpp", "-p", "a5", self.path("none.pto"))
            self.assertEqual((done.code, done.out), (1, ""), done.err)
            self.assertIn("none.pto:" + error, done.err)
        for name in ("int", "co_await", "main", "xor"):
            with open(self.path("name.pto"), "w") as file:
                file.write(".kernel %s\n.core aiv\n    print \"x\"\n" % name)
            done = pto.ptoas("--to", "cpp", self.path("name.pto"))
            self.assertEqual((done.code, done.out), (1, ""))
            self.assertIn("name.pto:1:1: error: C++ keeps the name '%s'" % name, done.err)
        self.assertEqual(pto.ptoas("--to", "rust", path).code, 2)
        self.assertEqual(pto.ptoas("--to", "cpp", "-S", path).code, 2)


if __name__ == "__main__":
    unittest.main()
