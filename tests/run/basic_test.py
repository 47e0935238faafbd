"""kernels/basic against numpy: sizes around the pieces, several core counts, profiles."""

import unittest

import numpy as np

from harness import KernelTest, kernel, random_f32
import basic


class Vadd(KernelTest):
    def check(self, n, *options):
        a, b = random_f32(n, n), random_f32(n + 1, n)
        self.run_ok(*options, "run", kernel("basic/vadd.pto"), "--in",
                    "a=" + self.save("a.npy", a), "--in", "b=" + self.save("b.npy", b), "--out",
                    "c=" + self.path("c.npy"))
        self.assert_same_bits(self.load("c.npy"), basic.vadd(a, b), "n=%d %s" % (n, options))

    def test_sizes(self):
        for n in (0, 1, 31, 8191, 8192, 8193, 100003):
            self.check(n)

    def test_cores(self):
        for cores in (1, 2, 3, 7, 24):
            self.check(100003, "--cores", cores)

    def test_profiles(self):
        for profile in ("a3", "a5"):
            self.check(20000, "--profile", profile)
        self.check(3000, "--profile", "toy", "-D", "CHUNK=512")

    def test_two_ranks_have_their_own_inputs(self):
        a = [random_f32(10 + r, 1000) for r in range(2)]
        b = [random_f32(20 + r, 1000) for r in range(2)]
        self.run_ok("--ranks", 2, "run", kernel("basic/vadd.pto"), "--in",
                    "a=" + self.save_ranks("a", a), "--in", "b=" + self.save_ranks("b", b), "--out",
                    "c=" + self.path("c_{rank}.npy"))
        for rank, c in enumerate(self.load_ranks("c", 2)):
            self.assert_same_bits(c, basic.vadd(a[rank], b[rank]))

    def test_not_a_number_and_infinity(self):
        a = np.array([np.inf, np.inf, -np.inf, np.nan, 3e38, -0.0, 1e-45], np.float32)
        b = np.array([1, -np.inf, -1, 1, 3e38, -0.0, 1e-45], np.float32)
        self.run_ok("run", kernel("basic/vadd.pto"), "--in", "a=" + self.save("a.npy", a), "--in",
                    "b=" + self.save("b.npy", b), "--out", "c=" + self.path("c.npy"))
        with np.errstate(invalid="ignore", over="ignore"):
            want = basic.vadd(a, b)
        want[np.isnan(want)] = np.uint32(0x7FC00000).view(np.float32)  # the machine's NaN
        self.assert_same_bits(self.load("c.npy"), want)


class Softmax(KernelTest):
    def check(self, x, *options):
        self.run_ok(*options, "run", kernel("basic/softmax.pto"), "--in",
                    "x=" + self.save("x.npy", x), "--out", "y=" + self.path("y.npy"))
        y, want = self.load("y.npy"), basic.softmax(x)
        np.testing.assert_allclose(y, want, rtol=2.0 ** -20, atol=1e-37)
        if y.size:
            np.testing.assert_allclose(y.sum(axis=1, dtype=np.float64), 1, rtol=2.0 ** -18)

    def test_shapes(self):
        for rows, cols in ((1, 1), (1, 1024), (7, 33), (8, 64), (9, 1000), (100, 17), (500, 129),
                           (0, 5), (3, 0)):
            rng = np.random.default_rng(rows + cols)
            self.check(rng.normal(0, 4, (rows, cols)).astype(np.float32))

    def test_cores_and_profiles(self):
        x = np.random.default_rng(5).normal(0, 4, (100, 200)).astype(np.float32)
        for options in (("--cores", 1), ("--cores", 3), ("--profile", "a5"),
                        ("--profile", "toy", "-D", "WIDTH=224", "-D", "ROWS=4")):
            self.check(x, *options)

    def test_large_inputs_do_not_overflow(self):
        self.check(np.array([[1e4, 1e4 - 1, -1e4], [-3e38, 0, -3e38], [5, 5, 5]], np.float32))

    def test_a_row_wider_than_a_tile_is_refused(self):
        err = self.run_bad(2, "run", kernel("basic/softmax.pto"), "--set", "rows=1", "--set",
                           "cols=1025", "--in", "x=zeros")
        self.assertIn("a row must fit into a tile", err)


if __name__ == "__main__":
    unittest.main()
