"""What the tests of this folder share: files, random inputs, comparisons; from pto.py how programs
are run."""

import os
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
# for test files
from pto import SOURCE, kernel, line_of, ptoas, ptodbg, ptovm, sample  # noqa: E402 F401
from pto import share, source, unbroken  # noqa: E402 F401

sys.path.insert(0, source("tests", "golden"))


class KernelTest(unittest.TestCase):
    """A test case with a folder of its own for files."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pto-test-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def save(self, name, array):
        np.save(self.path(name), array)
        return self.path(name)

    def save_ranks(self, name, arrays):
        """One file per rank; the pattern to hand to ptovm."""
        for rank, array in enumerate(arrays):
            self.save("%s_%d.npy" % (name, rank), array)
        return self.path(name + "_{rank}.npy")

    def load(self, name):
        return np.load(self.path(name))

    def load_ranks(self, name, ranks):
        return [self.load("%s_%d.npy" % (name, rank)) for rank in range(ranks)]

    def run_ok(self, *arguments):
        result = ptovm(*arguments)
        self.assertEqual(result.code, 0, "%s\n%s" % (" ".join(map(str, arguments)), result.err))
        self.assertEqual(result.err, "")
        return result

    def run_bad(self, code, *arguments):
        """A run that ends with this exit code; its messages."""
        result = ptovm(*arguments)
        self.assertEqual(result.code, code, result.out + result.err)
        return result.err

    def assert_same_bits(self, got, want, what=""):
        self.assertEqual(got.dtype, want.dtype, what)
        self.assertEqual(got.shape, want.shape, what)
        if got.tobytes() == want.tobytes():
            return
        flat_got, flat_want = got.ravel(), want.ravel()
        bad = [i for i in range(flat_got.size) if flat_got[i].tobytes() != flat_want[i].tobytes()]
        self.fail("%s: %d of %d elements differ, first at %d: %r, not %r" % (
            what, len(bad), flat_got.size, bad[0], flat_got[bad[0]], flat_want[bad[0]]))


def random_f32(seed, *shape):
    """Different magnitudes, so that the order of additions shows in the last bits."""
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(shape) * np.exp2(rng.integers(-6, 7, shape))).astype(np.float32)


def random_f16(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float16)
