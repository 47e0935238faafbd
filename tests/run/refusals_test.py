"""What kernels refuse: arguments out of range, and arguments that differ between ranks but must
not.  Without the refusal each of these runs ends with a wrong result, NaN or a bare deadlock."""

import os
import unittest

import numpy as np

from harness import KernelTest, kernel, ptovm, random_f16, random_f32
import attention

GROUPED = ("-D", "BM=32", "-D", "BN=32", "-D", "BK=64", "-D", "STEP=32", "-D", "ROWS=4", "-D",
           "COLS=64")


class Refusals(KernelTest):
    def on_ranks(self, *values):
        """One value of a parameter for every rank."""
        return "@" + self.save("values.npy", np.array(values, np.int64))

    def refused(self, words, *arguments, code=2):
        self.assertIn(words, self.run_bad(code, *arguments))

    # attention

    def attention(self, name, h=8):
        inputs = [random_f16(i, 8, h) for i in range(3)]
        return ["run", kernel("attention/%s_attention.pto" % name)] + [
            word for n, x in zip("qkv", inputs) for word in ("--in", n + "=" + self.save(n, x) +
                                                            ".npy")]

    def test_scale(self):
        """0 times the -inf that a row's maximum begins with is NaN; so is infinity times 0."""
        for name in ("flash", "ring"):
            for scale in ("0", "-0.5", "1e-50", "9e-36", "1e39"):
                self.refused("scale is a positive number", "--cores", 1, *self.attention(name),
                             "--set", "scale=" + scale)
            self.run_ok("--cores", 1, *self.attention(name), "--set", "scale=1e-35")

    def test_the_smallest_scale_masks(self):
        """The first query sees the first key alone, whose value is 0."""
        v = np.ones((8, 8), np.float16)
        v[0] = 0
        for name in ("flash", "ring"):
            command = self.attention(name)
            self.save("v.npy", v)
            self.run_ok("--cores", 1, *command, "--set", "causal=1", "--set", "scale=1e-35",
                        "--out", "o=" + self.path("o.npy"))
            np.testing.assert_allclose(self.load("o.npy"), np.arange(8)[:, None] /
                                       np.arange(1, 9)[:, None] * np.ones(8), atol=1e-3)

    def test_constants_out_of_range(self):
        for words, name, define in (
                ("BM of COMM_ROWS", "fused/matmul_reduce_scatter", "COMM_ROWS=-64"),
                ("BM of COMM_ROWS", "fused/matmul_allreduce", "COMM_ROWS=-64"),
                ("ACCS and GRID are at least 1", "matmul/gemm", "GRID=-1"),
                ("SWIZZLE is at least 1", "fused/matmul_reduce_scatter", "SWIZZLE=-1"),
                ("LANE_PIECES is at least 1", "collective/allreduce_ring", "LANE_PIECES=-1"),
                ("AHEAD is 1 to 15", "moe/grouped_matmul_alltoallv", "AHEAD=0"),
                ("JOINED and HELD are", "moe/dispatch_ffn_combine", "JOINED=-1"),
                ("GROUPS is 0 or 1", "moe/dispatch_ffn_combine", "GROUPS=2"),
                ("AHEAD is 1 to 15", "moe/alltoallv_grouped_matmul", "AHEAD=16")):
            sizes = {"gemm": "mkn", "allreduce_ring": ("count",)}
            shape = [word for key in sizes.get(os.path.basename(name), "mkn")
                     for word in ("--set", key + "=64")]
            done = ptovm("info", "--ranks", 2, "-D", define, kernel(name + ".pto"), *shape)
            self.assertIn(words, done.err, (name, define))

    def test_no_keys(self):
        """What is said is true of negative numbers, too."""
        for name in ("flash", "ring"):
            for keys in (0, -128):
                self.refused("s1, the number of keys, has to be above 0", "run",
                             kernel("attention/%s_attention.pto" % name), "--set", "s0=8", "--set",
                             "s1=%d" % keys, "--set", "h=8", "--in", "q=ones", "--in", "k=ones",
                             "--in", "v=ones")

    def test_the_hint_about_large_heads_names_all_that_must_be_set(self):
        for name in ("flash", "ring"):
            for h, hint in ((256, "-D HEAD=256 -D BM=64"),
                            (512, "HEAD=512 BN=512 BM=32 BK=128 STEP=32")):
                command = self.attention(name, h)
                self.refused(hint, "--cores", 1, *command)
                choice = [w for part in hint.replace("-D", "").split() for w in ("-D", part)]
                self.run_ok("--cores", 1, *choice, *command, "--out", "o=" + self.path("o.npy"))
                q, k, v = (self.load(n + ".npy") for n in "qkv")
                np.testing.assert_allclose(self.load("o.npy"), attention.attention(q, k, v),
                                           atol=2e-3, rtol=1e-3)

    def test_causal_must_agree(self):
        self.refused("'causal' of kernel ring_attention must be the same on all ranks: it is 0 on "
                     "rank 0 and 1 on rank 1", "--ranks", 2, "--cores", 1,
                     *self.attention("ring"), "--set", "causal=" + self.on_ranks(0, 1))

    # grouped products

    def grouped(self, name, counts):
        """`counts`: a table for every rank."""
        return ["--ranks", 2, "--cores", 1, *GROUPED, "run", kernel("moe/%s.pto" % name), "--set",
                "m=8", "--set", "k=4", "--set", "n=4", "--set", "experts=4", "--set", "rows=16",
                "--in", "a=iota", "--in", "b=iota", "--in",
                "counts=" + self.save_ranks("counts", [np.array(c, np.int32) for c in counts])]

    def test_negative_counts(self):
        for name in ("alltoallv_grouped_matmul", "grouped_matmul_alltoallv"):
            for place in range(8):
                counts = np.ones((2, 4), int)
                counts[place // 4, place % 4] = -1
                self.refused("`counts` is negative", *self.grouped(name, [counts, counts]), code=1)
            counts = np.ones((2, 4), int)
            self.run_ok(*self.grouped(name, [counts, counts]))

    def test_counts_must_agree(self):
        for name in ("alltoallv_grouped_matmul", "grouped_matmul_alltoallv"):
            counts = [[1, 2, 0, 1], [2, 0, 1, 1]], [[1, 2, 0, 1], [2, 0, 2, 1]]
            self.refused("'counts' must be the same on all ranks: [1, 2] is 1 on rank 0 and 2 on "
                         "rank 1", *self.grouped(name, counts))

    # collectives, fused

    def test_operation_must_agree(self):
        for name in ("allreduce_ring", "allreduce_mesh", "allreduce_hierarchical"):
            self.refused("'op' of kernel %s must be the same on all ranks: it is 2 on rank 0 and 0 "
                         "on rank 2" % name, "--ranks", 3, "--cores", 1, "run",
                         kernel("collective/%s.pto" % name), "--set", "count=10", "--in",
                         "x=iota", "--set", "op=" + self.on_ranks(2, 2, 0))

    def test_ring_must_agree(self):
        order = self.save_ranks("ring", [np.array(r, np.int32) for r in ([0, 1, 2], [0, 2, 1],
                                                                        [0, 1, 2])])
        self.refused("'ring' must be the same on all ranks: [1] is 1 on rank 0 and 2 on rank 1",
                     "--ranks", 3, "--cores", 1, "run", kernel("collective/allreduce_ring.pto"),
                     "--set", "count=10", "--in", "x=iota", "--in", "ring=" + order)

    def test_shapes_must_agree(self):
        for name, values in (("ag_gemm", ("m", "k")), ("allgather_gemm", ("m", "k")),
                             ("allgather_matmul", ("m", "k")),
                             ("allgather_matmul_get", ("m", "k")), ("alltoall_matmul", ("m", "k")),
                             ("gemm_rs", ("m", "n")), ("matmul_reduce_scatter", ("m", "n")),
                             ("matmul_allreduce", ("m", "n")), ("matmul_alltoall", ("m", "n")),
                             ("gemm_ar", ("m", "n"))):
            for differs in values:
                shape = {"m": 4, "k": 4, "n": 4, differs: self.on_ranks(4, 8)}
                self.refused("'%s' of kernel %s must be the same on all ranks: it is 4 on rank 0 "
                             "and 8 on rank 1" % (differs, name), "--ranks", 2, "--cores", 2,
                             "run", kernel("fused/%s.pto" % name), "--in", "b=iota",
                             *([] if name in ("allgather_matmul_get", "alltoall_matmul")
                               else ["--in", "a=iota"]),
                             *(w for p, v in shape.items() for w in ("--set", "%s=%s" % (p, v))))

    def test_deterministic_is_0_or_1(self):
        for name in ("matmul_reduce_scatter", "matmul_allreduce", "gemm_rs"):
            self.refused("deterministic is 0 or 1", "--ranks", 2, "--cores", 2, "run",
                         kernel("fused/%s.pto" % name), "--set", "m=4", "--set", "k=4", "--set",
                         "n=4", "--in", "a=iota", "--in", "b=iota", "--set", "deterministic=2")

    # mixture of experts

    def dispatch(self, ids, mask, *more):
        return ["--ranks", 2, "--cores", 1, "run", kernel("moe/dispatch.pto"), "--set",
                "hidden=32", "--set", "bs=2", "--set", "experts=2", "--in",
                "x=" + self.save("x.npy", random_f32(1, 2, 32).astype(np.float16)), "--in",
                "expert_ids=" + self.save("ids.npy", np.array(ids, np.int32)), "--in",
                "active_mask=" + self.save("mask.npy", np.array(mask, np.uint8)), *more]

    def test_nobody_looks_at_the_expert_of_a_token_that_is_masked(self):
        for wrong in (2, -1, 1 << 30):
            ids = [[0], [wrong]]
            self.run_ok(*self.dispatch(ids, [1, 0], "--set", "topk=1"))
            self.refused("names an expert that does not exist",
                         *self.dispatch(ids, [0, 1], "--set", "topk=1"), code=1)

    def test_topk_must_agree(self):
        self.refused("'topk' of kernel dispatch must be the same on all ranks: it is 1 on rank 0 "
                     "and 2 on rank 1", *self.dispatch([[0], [1]], [1, 1], "--set",
                                                       "topk=" + self.on_ranks(1, 2)))


if __name__ == "__main__":
    unittest.main()
