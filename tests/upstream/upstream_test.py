"""Kernels in upstream's text against numpy, in order and as they are, and what text they become."""

import itertools
import os
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402


def kernel(name):
    return pto.source("tests", "upstream", "kernels", name + ".pto")


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


class Kernels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.random = np.random.default_rng(7)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_kernel(self, name, out, options=(), types={}, **inputs):
        """Run checked; the object `out` as it is after the run.  No finding, no message.  `types`
        of inputs that numpy does not have."""
        given = []
        for key, value in inputs.items():
            np.save(self.path(key + ".npy"), value.reshape(-1))
            dtype = ":" + types[key] if key in types else ""
            given += ["--in", "%s=%s%s" % (key, self.path(key + ".npy"), dtype)]
        done = pto.ptovm("run", kernel(name), "--check", *options, *given, "--out",
                         "%s=%s" % (out, self.path("out.npy")))
        self.assertEqual((done.code, done.err), (0, ""), done.err)
        return np.load(self.path("out.npy"))

    def floats(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def test_vadd(self):
        a, b = self.floats(32, 32), self.floats(32, 32)
        c = self.run_kernel("vadd", "arg2", arg0=a, arg1=b, arg2=np.zeros_like(a))
        np.testing.assert_array_equal(c, (a + b).reshape(-1))

    def test_softmax_of_any_number_of_rows(self):
        for rows in (1, 16, 37):
            x = self.floats(rows, 64)
            for profile in ("a5", "a3"):
                y = self.run_kernel("softmax", "y", ("--set", "rows=%d" % rows, "-p", profile),
                                    x=x, y=np.zeros_like(x))
                np.testing.assert_allclose(y.reshape(rows, 64), softmax(x), rtol=1e-5, atol=1e-7)

    def test_many_changes_of_valid_regions(self):
        """However many changes come before, the last one counts."""
        with open(kernel("softmax"), encoding="utf-8") as file:
            text = file.read()
        change = next(line for line in text.split("\n") if "set_validshape %m, %c16" in line)
        path = self.path("many.pto")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(change, "\n".join([change] * 300)))
        x = self.floats(37, 64)
        y = self.run_kernel(self.path("many"), "y", ("--set", "rows=37"), x=x, y=np.zeros_like(x))
        np.testing.assert_allclose(y.reshape(37, 64), softmax(x), rtol=1e-5, atol=1e-7)

    def test_gemm_with_flags_of_its_own(self):
        a, b = self.floats(32, 128).astype(np.float16), self.floats(128, 32).astype(np.float16)
        want = a.astype(np.float64) @ b.astype(np.float64)
        for mode in ("asis", "inorder"):
            c = self.run_kernel("gemm", "c", ("--sync", mode), a=a, b=b,
                                c=np.zeros((32, 32), np.float32))
            np.testing.assert_allclose(c.reshape(32, 32), want, rtol=1e-4, atol=1e-4)

    def test_gemm_without_its_flags_races(self):
        zeros = ["--in", "a=zeros", "--in", "b=zeros", "--in", "c=zeros"]
        done = pto.ptovm("run", kernel("gemm"), "--check", "--sync", "none", *zeros)
        self.assertEqual(done.code, 4)
        line = pto.line_of(kernel("gemm"), "pto.tmov ins(%a1")
        self.assertIn("gemm.pto:%d:7: finding: TMOV reads l1 without waiting for TLOAD" % line,
                      done.err)

    def test_attention_through_pipes(self):
        q, k, v = (self.floats(32, 32).astype(np.float16) for _ in range(3))
        o = self.run_kernel("pipes", "o", ("--set", "scale=0.125"), q=q, k=k, v=v,
                            o=np.zeros((32, 32), np.float32))
        scores = q.astype(np.float32) @ k.astype(np.float32).T * np.float32(0.125)
        weights = softmax(scores).astype(np.float16).astype(np.float32)
        np.testing.assert_allclose(o.reshape(32, 32), weights @ v.astype(np.float32), rtol=2e-2,
                                   atol=2e-3)

    def test_accumulators_sent_to_the_vector_sub_cores(self):
        a, b = (self.random.integers(-4, 5, (32, 32)).astype(np.float16) for _ in range(2))
        product = a.astype(np.float32) @ b.astype(np.float32)
        for kernel in ("sent", "shared"):
            for sync in ("auto", "inorder"):
                c = self.run_kernel(kernel, "c", ("--sync", sync), a=a, b=b,
                                    c=np.zeros_like(product))
                np.testing.assert_array_equal(c.reshape(32, 32), product + np.maximum(product, 0))

    def test_windows_of_tiles(self):
        x = np.arange(512, dtype=np.float32).reshape(8, 64)
        blocks = x.reshape(8, 4, 16)
        for first in (0, 3, 6):
            want = blocks[:, ::-1].reshape(8, 64).copy()
            want[first:first + 2] *= 2
            want[first + 1, 16:] *= 2
            for sync in ("auto", "inorder"):
                for out, value in (("y", want), ("sums", blocks.sum(axis=2))):
                    got = self.run_kernel("windows", out, ("--sync", sync, "--set",
                                                           "first=%d" % first), x=x,
                                          y=np.zeros_like(x), sums=np.zeros((8, 4), np.float32))
                    np.testing.assert_array_equal(got.reshape(value.shape), value)
        done = pto.ptovm("run", kernel("windows"), "--set", "first=7", "--in", "x=zeros", "--in",
                         "y=zeros", "--in", "sums=zeros")
        line = pto.line_of(kernel("windows"), "pto.tadd ins(%rows, %rows")
        self.assertRegex(done.err, r"windows\.pto:%d:\d+: fault: byte offset 1792" % line)

    def test_products_with_scales(self):
        a, b = (self.random.integers(0, 0x50, shape).astype(np.uint8)
                for shape in ((32, 64), (64, 32)))
        s, t = (self.random.integers(125, 130, shape).astype(np.uint8)
                for shape in ((32, 2), (2, 32)))
        def value(x):  # of f8e4m3
            return np.where(x < 8, x * 2.0 ** -9, (8 + x % 8) * 2.0 ** (x // 8 - 10.0))
        left = value(a) * np.repeat(2.0 ** (s - 127.0), 32, 1)
        right = value(b) * np.repeat(2.0 ** (t - 127.0), 32, 0)
        for sync in ("auto", "inorder"):
            c = self.run_kernel("scaled", "c", ("--sync", sync), {
                "a": "f8e4m3", "b": "f8e4m3", "s": "e8m0", "t": "e8m0"}, a=a, s=s, b=b, t=t,
                                c=np.zeros((32, 32), np.float32))
            np.testing.assert_allclose(c.reshape(32, 32), 2 * (left @ right), rtol=1e-5)

    def test_scales_lie_at_a_sixteenth_of_the_address_of_their_factor(self):
        with open(kernel("scaled"), encoding="utf-8") as file:
            text = file.read()
        for side, to in (("%a0", "left"), ("%b0", "right")):
            text = text.replace("%s = pto.alloc_tile : !pto.tile_buf<%s" % (side, to),
                                "%%at_%s = arith.constant %d : i64\n    %s = pto.alloc_tile "
                                "addr = %%at_%s : !pto.tile_buf<%s" % (
                                    to, 512 if to == "left" else 1024, side, to, to))
        for side, scale, types in (("%a0", "%s0", ("left, 32x64xf8E4M3FN, blayout=col_major, "
                                                   "slayout=row_major", "scaling, 32x2xf8E8M0FNU, "
                                                   "blayout=row_major, slayout=row_major, "
                                                   "fractal=32")),
                                   ("%b0", "%t0", ("right, 64x32xf8E4M3FN, blayout=row_major, "
                                                   "slayout=col_major", "scaling, 2x32xf8E8M0FNU, "
                                                   "blayout=col_major, slayout=col_major, "
                                                   "fractal=32"))):
            text = text.replace("    pto.tload ins(%av", "    pto.tget_scale_addr ins(%s : "
                                "!pto.tile_buf<%s>) outs(%s : !pto.tile_buf<%s>)\n"
                                "    pto.tload ins(%%av" % (side, types[0], scale, types[1]), 1)
        with open(self.path("bound.pto"), "w", encoding="utf-8") as file:
            file.write(text)
        done = pto.ptoas("-S", self.path("bound.pto"))
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertRegex(done.out, r"\.tile s0\[1\] : l0a_mx e8m0\[32, 2\].* @ 0x20 ")
        self.assertRegex(done.out, r"\.tile t0\[1\] : l0b_mx e8m0\[2, 32\].* @ 0x40 ")

    def test_convolution(self):
        x = self.random.integers(-4, 5, (8, 8, 32)).astype(np.float16)
        w = self.random.integers(-4, 5, (32, 3, 3, 32)).astype(np.float16)  # in, rows, cols, out
        around = np.pad(x.astype(np.float64), ((1, 1), (1, 1), (0, 0)))
        want = sum(around[i:i + 8, j:j + 8] @ w[:, i, j].astype(np.float64)
                   for i in range(3) for j in range(3))
        blocks = w.reshape(2, 16, 3, 3, 32).transpose(0, 2, 3, 1, 4)
        for sync in ("auto", "inorder"):
            y = self.run_kernel("conv", "y", ("--sync", sync), x=x, w=blocks.reshape(288, 32),
                                y=np.zeros((64, 32), np.float32))
            np.testing.assert_array_equal(y.reshape(8, 8, 32), want)

    def test_flow(self):
        for n, first in ((0, 1), (1, 6), (10, 27), (30, 97)):
            fibonacci, steps, value = [0, 1], 0, first
            while len(fibonacci) <= n:
                fibonacci.append(fibonacci[-1] + fibonacci[-2])
            while value > 1:
                value, steps = value * 3 + 1 if value % 2 else value // 2, steps + 1
            out = np.zeros(6, np.int32)
            out[5] = 41
            got = self.run_kernel("flow", "result", ("--set", "n=%d" % n, "--set",
                                                  "first=%d" % first), result=out)
            self.assertEqual(list(got), [fibonacci[n], steps, first - 2 ** 31 - 1,
                                         2 * first + 2, n, 42])

    def test_values_that_change_places(self):
        for n in range(7):
            given = ("--set", "n=%d" % n, "--set", "x=0.5", "--set", "y=-1.25")
            inputs = {"result": np.zeros(3, np.int32), "real": np.zeros(2, np.float32)}
            turns = n % 3
            self.assertEqual(list(self.run_kernel("swap", "result", given, **inputs)),
                             [1, 2, 3][3 - turns:] + [1, 2, 3][:3 - turns])
            self.assertEqual(list(self.run_kernel("swap", "real", given, **inputs)),
                             [0.5, -1.25][::-1 if n % 2 else 1])

    def test_locations_say_nothing(self):
        for n in (0, 7, -3):
            got = self.run_kernel("located", "result", ("--set", "n=%d" % n),
                                  result=np.zeros(1, np.int32))
            self.assertEqual(list(got), [5 * n])

    def test_unsigned_numbers(self):
        numbers = (0, 1, 5, 7, 255, 256, 2 ** 31 - 1, -2 ** 31, -2, -1)
        for a, b in itertools.product(numbers, repeat=2):
            got = self.run_kernel("unsigned", "result", ("--set", "a=%d" % a, "--set", "b=%d" % b),
                                  result=np.zeros(5, np.int32))
            x, y = a % 2 ** 32, b % 2 ** 32
            self.assertEqual(list(got), [x < y, x >= y, a % 2 ** 64 > b % 2 ** 64, a % 256,
                                         x % 2 ** 16 <= y % 2 ** 16], (a, b))

    def test_affine_maps_and_a_tile_that_is_printed(self):
        x = np.arange(128, dtype=np.float32).reshape(4, 4, 8)
        for n in (-7, 0, 4, 23):
            a, b = n % 5, n // 5
            for out, want in (("y", x[::-1].reshape(-1)),
                              ("numbers", [a, b, -(a + b) * 2 - -(-n // 3) + 7])):
                got = self.run_kernel("affine", out, ("--set", "n=%d" % n), x=x,
                                      y=np.zeros_like(x), numbers=np.zeros(3, np.int32))
                np.testing.assert_array_equal(got, want)
        done = pto.ptovm("run", kernel("affine"), "--set", "n=1", "--in", "x=iota", "--in",
                         "y=zeros", "--in", "numbers=zeros", "--set", "numbers_size=3")
        self.assertEqual(done.out.count("t: f32 {4, 8}"), 4)
        self.assertIn(" 120 121 122 123 124 125 126 127\n", done.out)

    def test_text_with_the_flags_that_were_put_in(self):
        for path in (kernel("softmax"), pto.kernel("basic/vadd.pto")):
            for mode, word in (("auto", "set_flag "), ("inorder", "pipe_barrier ALL"),
                               ("none", ".kernel ")):
                text = pto.ptoas("-S", path, "--sync", mode, "-p", "a5")
                self.assertEqual((text.code, text.err), (0, ""))
                self.assertIn(word, text.out)
                with open(self.path("own.pto"), "w") as file:
                    file.write(text.out)
                objects = []
                for source, how in ((path, mode), (self.path("own.pto"), "asis")):
                    done = pto.ptoas(source, "-p", "a5", "--sync", how, "-o", self.path("k.ptob"))
                    self.assertEqual((done.code, done.err), (0, ""))
                    with open(self.path("k.ptob"), "rb") as file:
                        objects.append(file.read())
                self.assertEqual(*objects)

    def test_choice_of_views_by_block(self):
        a, b = self.floats(6, 32), self.floats(6, 32)
        c = self.run_kernel("choice", "c", ("--cores", "6"), a=a, b=b, c=np.zeros_like(a))
        want = np.where(np.arange(6)[:, None] % 2 == 0, a, b)
        np.testing.assert_array_equal(c.reshape(6, 32), want)

    def test_window_outside_of_its_view_faults_at_its_line(self):
        done = pto.ptovm("run", kernel("choice"), "--cores", "6", "--in", "a=zeros", "--in",
                         "b=zeros", "--in", "c=zeros", "--set", "c_size=64")
        self.assertEqual(done.code, 1)
        line = pto.line_of(kernel("choice"), "pto.tstore")
        self.assertRegex(done.err, r"choice\.pto:%d:3: fault: " % line)

    def test_text_assembles_to_the_same_program(self):
        for name in ("vadd", "softmax", "gemm", "pipes", "flow", "choice"):
            text = pto.ptoas("-S", kernel(name), "--sync", "asis")
            self.assertEqual((text.code, text.err), (0, ""))
            with open(self.path("own.pto"), "w") as file:
                file.write(text.out)
            arch = "a5" if name == "softmax" else "a3"
            programs = []
            for source in (kernel(name), self.path("own.pto")):
                done = pto.ptoas(source, "-p", arch, "--sync", "asis", "-o", self.path("k.ptob"))
                self.assertEqual((done.code, done.err), (0, ""))
                plain = pto.ptoas("-d", self.path("k.ptob")).out.splitlines()
                programs.append([x for x in plain if not x.strip().startswith((".pos", ".at",
                                                                                ".file"))])
            self.assertEqual(*programs)

    def test_every_line_of_the_text_names_its_origin(self):
        text = pto.ptoas("-S", "--sync", "asis", kernel("vadd")).out
        line = pto.line_of(kernel("vadd"), "pto.tadd")
        self.assertRegex(text, r"(?m)^ +; %d: pto\.tadd .*\n +TADD c, a, b$" % line)

    def test_text_is_what_runs(self):
        """Without --sync: flags put in where the file has none, else those of the file."""
        for name, mode, word in (("vadd", "auto", "set_flag "), ("softmax", "auto", "set_flag "),
                                 ("gemm", "asis", "set_flag ")):
            text = pto.ptoas("-S", kernel(name))
            self.assertEqual((text.code, text.err), (0, ""))
            self.assertIn(word, text.out)
            self.assertEqual(text.out, pto.ptoas("-S", "--sync", mode, kernel(name)).out)

    def test_info_shows_pointers_as_objects(self):
        done = pto.ptovm("info", kernel("softmax"))
        self.assertIn("kernel softmax on a5", done.out)
        self.assertIn("inout   x : f32[x_size]", done.out)
        self.assertIn("param   rows : i64", done.out)

    def test_debugger_stops_at_imported_lines(self):
        line = pto.line_of(kernel("vadd"), "pto.tadd")
        done = pto.ptodbg(kernel("vadd"), "--in", "arg0=ones", "--in", "arg1=ones", "--in",
                          "arg2=zeros", "--batch", "-e", "break vadd.pto:%d" % line, "-e", "run")
        self.assertIn("vadd.pto:%d" % line, done.out)

    def test_function_chooses_one(self):
        done = pto.ptoas("-S", "--function", "weights", kernel("pipes"))
        self.assertNotEqual(done.code, 0)
        self.assertIn("no pipe", done.err)


if __name__ == "__main__":
    unittest.main()
