"""`--sync auto` and `inorder` of this project's language: what others are told of is published."""

import os
import re
import shutil
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

# Each sub-core stores here and on the next rank; the first one tells the next rank of all.
PULL = """
.kernel pull
.mix 1:1
.in x : f32[block_num(), 64]
.sym box : f32[block_num(), 64]
.sym there : f32[block_num(), 64]
.signal ready[2]
.out y : f32[block_num(), 64]
.out z : f32[block_num(), 64]
.core aiv
.tile t : ub f32[1, 64]
    %next = mod(rank() + 1, nranks())
    %before = mod(rank() + nranks() - 1, nranks())
    TLOAD t, x[block_id(), 0]
    TSTORE box[block_id(), 0], t
    TADDS t, t, 1
    TSTORE there@%next[block_id(), 0], t
    sync_all aiv
    .if block_id() == 0
        .for %i = 0 to 2
            TNOTIFY ready@%next[%i], 1, add
        .endfor
    .endif
    TWAIT ready, ge, 1
    TLOAD t, box@%before[block_id(), 0]
    TSTORE y[block_id(), 0], t
    TLOAD t, there[block_id(), 0]
    TSTORE z[block_id(), 0], t
"""

# What S has stored, told by a barrier and by a signal in a loop that stores anew.
WORDS = """
.kernel words
.mix 1:1
.sym word : i32[block_num(), 16]
.sym turn : i32[4, 16]
.signal ready[1]
.out y : i32[block_num(), 16]
.out z : i32[4, 16]
.core aiv
    %next = mod(rank() + 1, nranks())
    st word[block_id(), 0], 100 * rank() + block_id()
    sync_all aiv
    %x = ld word[mod(block_id() + 1, block_num()), 0]
    st y[block_id(), 0], %x
    .if block_id() == 0
        .for %i = 0 to 4
            st turn[%i, 0], 10 * rank() + %i
            TNOTIFY ready@%next[0], 1, add
            TWAIT ready[0], ge, %i + 1
        .endfor
        .for %i = 0 to 4
            %x = ld turn[%i, 0]
            st z[%i, 0], %x
        .endfor
    .endif
"""

# Stores of S that the text writes back, one of them by a dcci of another line; a loop by hand whose
# first instruction an arm in front of it goes to.
BACK = """
.kernel back
.mix 1:1
.sym word : i32[block_num(), 16]
.sym last : i32[2, 16]
.signal ready[1]
.out y : i32[block_num(), 16]
.out z : i32[16]
.core aiv
    %next = mod(rank() + 1, nranks())
    st word[block_id(), 0], 100 * rank() + block_id()
    dcci
    sync_all aiv
    %x = ld word[mod(block_id() + 1, block_num()), 0]
    st y[block_id(), 0], %x
    .if block_id() == 0
        %k = 0
        .if rank() == 1
            st last[1, 0], 7
        .endif
    again:
        TNOTIFY ready@%next[0], 1, add
        %k = %k + 1
        blt %k, 3, again
        TWAIT ready[0], ge, 3
        st last[1, 0], rank()
        dcci last[0, 0]
        TNOTIFY ready@%next[0], 1, add
        TWAIT ready[0], ge, 4
        %x = ld last[1, 0]
        st z[0], %x
    .endif
"""

# The cube's product, of which its vector sub-core tells the next rank.
SHARED = """
.kernel shared
.mix 1:1
.in a : f16[16, 16]
.in b : f16[16, 16]
.sym c : f32[16, 16]
.signal ready[1]
.out y : f32[16, 16]
.core aic
.tile a1 : l1 f16[16, 16]
.tile b1 : l1 f16[16, 16]
.tile a0 : l0a f16[16, 16]
.tile b0 : l0b f16[16, 16]
.tile c0 : l0c f32[16, 16]
    .if block_id() == 0
        TLOAD a1, a
        TLOAD b1, b
        TMOV a0, a1
        TMOV b0, b1
        TMATMUL c0, a0, b0
        TSTORE c, c0
        set_flag_dev FIX, 2, 3
    .endif
.core aiv
.tile t : ub f32[16, 16]
    .if block_id() == 0
        wait_flag_dev 3
        TNOTIFY ready@(mod(rank() + 1, nranks()))[0], 1, add
        TWAIT ready[0], ge, 1
        TLOAD t, c@(mod(rank() + nranks() - 1, nranks()))
        TSTORE y, t
    .endif
"""

# Kernels of this project, whose dsb are taken out, and how long they may take.
SHIPPED = (("collective/allreduce_mesh", ("count=20000",), ("x",), 1.05),
           ("collective/allreduce_ring", ("count=20000",), ("x",), 1.05),
           ("collective/device_barrier", (), (), 1.05),
           ("collective/p2p_put", ("bytes=50000",), ("x",), 1.05),
           ("fused/gemm_ar", ("m=256", "n=256", "k=128"), ("a", "b"), 1.05),
           ("fused/matmul_allreduce", ("m=256", "n=256", "k=128"), ("a", "b"), 1.1))


class Told(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def written(self, text):
        path = os.path.join(self.folder, "told.pto")
        with open(path, "w") as file:
            file.write(text)
        return path

    def check(self, path, mode, *options, ranks=3):
        done = pto.ptovm("--ranks", str(ranks), "check", "-q", "--sync", mode, path, *options)
        self.assertEqual((done.code, done.out), (0, ""), done.out + done.err)

    def result(self, name, ranks=3):
        return np.array([np.load(os.path.join(self.folder, "%s%d.npy" % (name, rank)))
                         for rank in range(ranks)])

    def out(self, name):
        return "--out", "%s=%s" % (name, os.path.join(self.folder, name + "{rank}.npy"))

    def test_stores_of_pipes(self):
        x = np.random.default_rng(5).integers(-9, 9, (3, 4, 64)).astype(np.float32)
        for rank in range(3):
            np.save(os.path.join(self.folder, "x%d.npy" % rank), x[rank])
        path = self.written(PULL)
        for mode in "auto", "inorder":
            self.check(path, mode, "--cores", "4", "--in",
                       "x=" + os.path.join(self.folder, "x{rank}.npy"), *self.out("y"),
                       *self.out("z"))
            np.testing.assert_array_equal(self.result("y"), np.roll(x, 1, axis=0))
            np.testing.assert_array_equal(self.result("z"), np.roll(x, 1, axis=0) + 1)

    def test_one_dsb_for_a_loop_of_signals(self):
        text = pto.ptoas("-S", "--sync", "auto", self.written(PULL)).out
        lines = [line.split()[0] for line in text.split(".core aiv")[1].splitlines()
                 if line.split() and line.split()[0] in ("dsb", "sync_all", "mov", "TNOTIFY")]
        self.assertEqual(lines, ["dsb", "sync_all", "mov", "dsb", "TNOTIFY"])

    def test_stores_of_the_scalar_unit(self):
        path = self.written(WORDS)
        for mode in "auto", "inorder":
            self.check(path, mode, "--cores", "2", *self.out("y"), *self.out("z"))
            y, z = self.result("y")[:, :, 0], self.result("z")[:, :, 0]
            np.testing.assert_array_equal(y, 100 * np.arange(3)[:, None] + [1, 0])
            np.testing.assert_array_equal(z, 10 * np.arange(3)[:, None] + np.arange(4))

    def test_stores_that_are_written_back(self):
        path = self.written(BACK)
        for mode in "auto", "inorder":
            self.check(path, mode, "--cores", "2", *self.out("y"), *self.out("z"))
            np.testing.assert_array_equal(self.result("y")[:, :, 0],
                                          100 * np.arange(3)[:, None] + [1, 0])
        text = pto.ptoas("-S", "--sync", "auto", path).out
        last = text[text.index("dcci last"):]
        self.assertRegex(last, r"(?s)dcci entire\s+dsb\s+TNOTIFY")
        self.assertRegex(text, r"\.L\d+:\n    \.at \d+\n    dcci entire\n    dsb\nagain:\n")

    def test_stores_of_another_sub_core(self):
        a = np.random.default_rng(6).integers(-3, 3, (2, 3, 16, 16)).astype(np.float16)
        for name, arrays in zip("ab", a):
            for rank in range(3):
                np.save(os.path.join(self.folder, "%s%d.npy" % (name, rank)), arrays[rank])
        path = self.written(SHARED)
        for mode in "auto", "inorder":
            self.check(path, mode, "--cores", "1", *self.out("y"), *(
                word for name in "ab"
                for word in ("--in", name + "=" + os.path.join(self.folder, name + "{rank}.npy"))))
            np.testing.assert_array_equal(self.result("y"),
                                          np.roll(np.matmul(a[0], a[1]), 1, axis=0))

    def time(self, path, *options):
        done = pto.ptovm("--ranks", "4", "run", "--timing-only", path, *options)
        self.assertEqual(done.code, 0, done.err)
        return float(re.search(r"time +([0-9.]+) us", done.out)[1])

    def test_our_own_without_any(self):
        copies = os.path.join(self.folder, "kernels")
        shutil.copytree(pto.source("kernels"), copies)
        for folder, _, names in os.walk(copies):
            for name in names:
                path = os.path.join(folder, name)
                with open(path) as file:
                    text = file.read()
                with open(path, "w") as file:
                    file.write(re.sub(r"(?m)^ +dsb *(;.*)?\n", "", text))
        for kernel, sets, arrays, most in SHIPPED:
            options = ["--cores", "2"] + [w for s in sets for w in ("--set", s)] + [
                w for a in arrays for w in ("--in", a + "=zeros")]
            path = os.path.join(copies, kernel + ".pto")
            with self.subTest(kernel):
                self.check(path, "auto", *options, ranks=4)
                self.assertLessEqual(
                    self.time(path, "--sync", "auto", *options),
                    most * self.time(pto.kernel(kernel + ".pto"), *options))


if __name__ == "__main__":
    unittest.main()
