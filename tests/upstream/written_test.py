"""More kernels in upstream's text against numpy: with the flags that are put in and in order, under
the checker; what each of them is about stands in its first line."""

import os
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402


class Written(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.random = np.random.default_rng(11)

    def floats(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def run_kernel(self, name, out, *options, **inputs):
        path = pto.source("tests", "upstream", "kernels", name + ".pto")
        given, results, result = [], [], os.path.join(self.folder, "result.npy")
        for key, value in inputs.items():
            np.save(os.path.join(self.folder, key + ".npy"), value.reshape(-1))
            given += ["--in", "%s=%s" % (key, os.path.join(self.folder, key + ".npy"))]
        for sync in ("auto", "inorder"):
            done = pto.ptovm("run", path, "--check", "--sync", sync, "--jitter", "3", *options,
                             *given, "--out", "%s=%s" % (out, result))
            self.assertEqual((done.code, done.err), (0, ""), done.err)
            results.append(np.load(result))
        np.testing.assert_array_equal(*results)
        return results[0]

    def test_layernorm(self):
        x, g = self.floats(16, 64), self.floats(1, 64)
        y = self.run_kernel("layernorm", "y", "--set", "rows=16", "--set", "eps=0.001", x=x, g=g,
                            y=np.zeros_like(x))
        centred = x - x.mean(1, keepdims=True)
        want = centred / np.sqrt((centred * centred).mean(1, keepdims=True) + 1e-3) * g
        np.testing.assert_allclose(y.reshape(x.shape), want, rtol=1e-4, atol=1e-5)

    def test_expand_first(self):
        a, b = self.floats(8, 8), self.floats(8, 32)
        c = self.run_kernel("expand_first", "c", a=a, b=b, c=np.zeros_like(b))
        np.testing.assert_array_equal(c.reshape(b.shape), np.tile(a, (1, 4)) - b)

    def test_sort(self):
        x = self.random.permutation(128).astype(np.float32)
        records = self.run_kernel("sort", "o", x=x, i=np.arange(128, dtype=np.uint32),
                                  o=np.zeros(256, np.float32))
        np.testing.assert_array_equal(records[::2], np.sort(x)[::-1])
        np.testing.assert_array_equal(records.view(np.uint32)[1::2], np.argsort(-x))

    def test_names(self):
        for n in (1, 2, 5):
            end = (n + 2, n + 1) if n % 2 else (n + 1, n + 2)
            want = np.zeros(24, np.int32)
            want[:8] = [n, 2 * n, 2, *end, 2 * n, 2 * (n + 2) + n + 3, 4 * (n - 1)]
            want[n + (7 if n % 2 else 6)] = n * n
            done = self.run_kernel("names", "y", "--set", "n=%d" % n,
                                   y=np.zeros(24, np.int32))
            np.testing.assert_array_equal(done, want)

    def test_maps(self):
        for n in (-4, 0, 7):
            got = self.run_kernel("maps", "res", "--set", "n=%d" % n, res=np.zeros(2, np.int32))
            self.assertEqual(list(got), [n * 3 + 1, n % 3 + (n * 3 + 1) // 2])

    def launched_together(self, kernel):
        x, w = self.floats(64, 32).astype(np.float16), self.floats(32, 16).astype(np.float16)
        y = self.run_kernel(kernel, "y", "--cores", "2", x=x, w=w,
                            y=np.zeros((64, 16), np.float32))
        want = np.maximum(x.astype(np.float64) @ w.astype(np.float64), 0)
        np.testing.assert_allclose(y.reshape(64, 16), want, rtol=1e-4, atol=1e-4)

    def test_launched_together(self):
        self.launched_together("launched")

    def test_launched_together_on_a5(self):
        self.launched_together("launched_a5")

    def test_pingpong(self):
        for n in (1, 2, 5):
            x = self.floats(n * 256)
            y = self.run_kernel("pingpong", "y", "--set", "n=%d" % n, x=x, y=np.zeros_like(x))
            np.testing.assert_array_equal(y, 2 * x)

    def test_select(self):
        x = self.floats(4, 64)
        y = self.run_kernel("select", "y", "--set", "limit=0.25", x=x, y=np.ones_like(x))
        np.testing.assert_array_equal(y.reshape(x.shape), np.where(x >= 0.25, x, 0))

    def test_dynamic_shapes(self):
        for m, n, stride in ((37, 50, 64), (16, 32, 32), (1, 1, 16)):
            x = self.floats(m, stride).astype(np.float16)
            y = self.run_kernel("dynamic", "y", "--set", "m=%d" % m, "--set", "n=%d" % n, "--set",
                                "ld=%d" % stride, x=x, y=np.zeros((m, n), np.float32))
            np.testing.assert_array_equal(y.reshape(m, n), np.abs(x[:, :n]).astype(np.float32))

    def test_carried(self):
        x, counts = self.floats(4, 64), np.array([3, 9, 1, 20, 0], np.int32)
        y = self.run_kernel("carried", "y", x=x, y=np.zeros(64, np.float32), counts=counts)
        np.testing.assert_array_equal(y, x[0] + x[2])
        got = self.run_kernel("carried", "counts", x=x, y=np.zeros(64, np.float32), counts=counts)
        self.assertEqual(list(got), [3, 9, 1, 20, 7 + 9 + 7 + 20])

    def test_bias(self):
        a, b = self.floats(16, 48).astype(np.float16), self.floats(48, 32).astype(np.float16)
        bias = self.floats(1, 32)
        c = self.run_kernel("bias", "c", a=a, b=b, bias=bias, c=np.zeros((16, 32), np.float32))
        want = a.astype(np.float64) @ b.astype(np.float64) + bias
        np.testing.assert_allclose(c.reshape(16, 32), want, rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    unittest.main()
