"""`ptoas --to cpp`, kernels of several ranks: what they say to each other and move between them."""

import subprocess
import unittest

import numpy as np

from cpp_host import CXX, HEADERS, Host, imported, pto

# What kernels of several ranks say to each other; the host refuses a transfer whose events 0 and 1
# are in use.
TALK = """
.kernel talk
.mix 1:1
.param turned : i64 uniform
.in x : f32[turned ? 8 : 4, turned ? 4 : 8]
.view way : f32[4, 8] of x strides turned ? 1 : 8, turned ? 4 : 1
.in extra : i32[8] optional
.sym box : f32[4, 8]
.sym copy : f32[4, 8]
.signal told[2, 3]
.out y : f32[4, 8]
.out seen : i64[8]
.core aiv
.tile t : ub f32[4, 8]
.tile stage : ub f32[2, 8]
.tile line : ub i32[1, 8]
    %next = mod(rank() + 1, nranks())
    TLOAD t, way
    set_flag MTE2, MTE3, 0
    wait_flag MTE2, MTE3, 0
    TSTORE copy, t
    pipe_barrier ALL
    set_flag MTE2, MTE3, 1
    TPUT box@%next[0, 0]{4, 8}, copy, stage, atomic_add
    TPUT box@%next[1, 0]{2, 8}, copy[1, 0], stage, atomic_add
    wait_flag MTE2, MTE3, 1
    pipe_barrier ALL
    dsb
    %early = TTEST told, ge, 1
    TNOTIFY told@%next[1, 2], 1, add
    TNOTIFY told@%next[1, 2], 3, set
    TNOTIFY told@%next[1, 0], 1, add
    TNOTIFY told@%next[1, 0], 1, add
    %which = 5
    %which = TWAIT_ANY told[0, 0]{1, 3}, eq, %which, told[1, 2], eq, %which - 2
    TWAIT told[1, 0], eq, 2
    dcci
    %later = TTEST told[1, 0]{1, 3}, ge, 0
    %never = TTEST told, eq, 0
    TGET copy, box@%next, stage
    pipe_barrier ALL
    TLOAD t, copy
    set_flag MTE2, S, 0
    wait_flag MTE2, S, 0
    %half = ld t(2, 3)
    st t(3, 1), %half * 0.5
    st line(0, 5), 7
    %seven = ld line(0, 5)
    set_flag S, MTE3, 0
    wait_flag S, MTE3, 0
    TSTORE y, t
    st seen[0], %early
    st seen[1], %which
    st seen[2], %later
    st seen[3], %never
    st seen[4], %seven
    st seen[5], present(extra)
    st seen[6], nranks()
"""


class Ranks(Host):
    def test_operators_of_several_ranks(self):
        for kernel in ("collective/device_barrier", "fused/allgather_matmul",
                       "fused/matmul_alltoall", "moe/combine", "moe/all2all_v4",
                       "moe/alltoallv_grouped_matmul", "moe/grouped_matmul_alltoallv"):
            self.export(pto.kernel(kernel + ".pto"))
        for kernel in ("collective/allreduce_ring", "collective/allreduce_hierarchical",
                       "fused/allgather_gemm", "fused/gemm_ar", "fused/matmul_allreduce",
                       "fused/matmul_dequant_reduce_scatter", "moe/all2all_v9",
                       "moe/dispatch_ffn_combine"):
            with self.subTest(kernel):
                self.export(pto.kernel(kernel + ".pto"))
                self.compile("", "-fsyntax-only")

    def test_what_the_user_has_to_give(self):
        self.export(pto.kernel("collective/p2p_put.pto"))
        with open(self.path("alone.cpp"), "w") as file:
            file.write('#include "intrinsics.hpp"\n#include "%s"\n' % self.path("kernel.cpp"))
        done = subprocess.run([CXX, "-std=c++20", "-w", "-I", HEADERS, "-fsyntax-only",
                               self.path("alone.cpp")], stderr=subprocess.PIPE, text=True)
        self.assertNotEqual(done.returncode, 0)
        for name in ("PTO_FETCH_ADD(pointer, number)", "PTO_CLOCK()"):
            self.assertIn("define " + name, done.stderr)

    def test_ring_of_ranks(self):
        self.export(imported("ring_sum"))
        for ranks in (1, 2, 5):
            x = self.random.integers(-9, 9, (ranks, 16, 64)).astype(np.float32)
            got = self.run_ranks("ring_sum", 1024, 1024, 1024 * ranks, 1, x, np.zeros_like(x),
                                 np.zeros((ranks, ranks * 1024), np.float32),
                                 np.zeros((ranks, 1), np.int32))
            for y in got[1]:
                np.testing.assert_array_equal(y, x.sum(axis=0))

    def test_reduction_over_ranks(self):
        count = 5000
        for ranks in (1, 2, 4):
            x = self.random.integers(-9, 9, (ranks, count)).astype(np.float32)
            y, turn = np.zeros_like(x), np.zeros((ranks, 1), np.int32)
            self.export(pto.kernel("collective/allreduce_mesh.pto"))
            got = self.run_ranks("allreduce_mesh", count, 0, -1, -1, x, y, y,
                                 np.zeros((ranks, 2, -(-count // ranks)), np.float32),
                                 np.zeros((ranks, 1, ranks), np.int32), turn)
            np.testing.assert_array_equal(got[1], np.tile(x.sum(axis=0), (ranks, 1)))

    def test_copies_between_ranks(self):
        count = 70000
        x = self.random.integers(0, 255, (3, count)).astype(np.uint8)
        box, line = np.zeros_like(x), np.zeros((3, 1, 8), np.int64)
        word = np.zeros((3, 1), np.int32)
        for kernel, *own in ("p2p_put",), ("p2p_get", box):
            self.export(pto.kernel("collective/%s.pto" % kernel))
            got = self.run_ranks(kernel, count, 0, 2, 1, x, box, box, line, word, word, word, *own)
            np.testing.assert_array_equal(got[1], [box[0], box[1], x[0]])
            np.testing.assert_array_equal(got[6][:, 0], [1, 1, 1])

    def test_talk_between_ranks(self):
        with open(self.path("talk.pto"), "w") as file:
            file.write(TALK)
        self.export(self.path("talk.pto"))
        x = self.random.integers(-9, 9, (3, 4, 8)).astype(np.float32)
        box = x.copy()
        box[:, 1:3] += x[:, 1:3]
        for turned in 0, 1:
            given = np.ascontiguousarray(x.transpose(0, 2, 1)) if turned else x
            for extra in "nullptr", np.zeros((3, 8), np.int32):
                got = self.run_ranks("talk", turned, given, extra, 0 * x, 0 * x,
                                     np.zeros((3, 2, 3), np.int32), 0 * x,
                                     np.zeros((3, 8), np.int64))
                np.testing.assert_array_equal(got[-5], np.roll(box, 1, axis=0))
                y = x.copy()
                y[:, :2] = box[:, :2] # the transfer back has the rows of its tile
                y[:, 3, 1] = y[:, 2, 3] / 2
                np.testing.assert_array_equal(got[-2], y)
                seen = [0, 1, 1, 0, 7, not isinstance(extra, str), 3, 0]
                np.testing.assert_array_equal(got[-1], [seen] * 3)

    def test_products_that_ranks_share(self):
        m, k, n = 64, 48, 80
        a = self.random.integers(-3, 3, (2, m, k)).astype(np.float16)
        b = self.random.integers(-3, 3, (2, k, n)).astype(np.float16)
        want = np.matmul(a.astype(np.float64), b.astype(np.float64)).sum(axis=0)
        self.export(pto.kernel("fused/matmul_reduce_scatter.pto"))
        for turned in 0, 1:
            left = np.ascontiguousarray(a.transpose(0, 2, 1)) if turned else a
            got = self.run_ranks("matmul_reduce_scatter", m, k, n, 10, 1, 1, turned, 0, left, b,
                                 np.zeros((2, m // 2, n), np.float16),
                                 np.zeros((2, 2560, 256), np.float16), np.zeros((2, 4), np.int32),
                                 np.zeros((2, 1), np.int32))
            np.testing.assert_array_equal(np.concatenate(got[2]), want)


if __name__ == "__main__":
    unittest.main()
