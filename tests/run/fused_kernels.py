"""What the tests of kernels/fused share: small tiles, inputs, runs on many ranks."""

import os

import numpy as np

from harness import SOURCE, KernelTest, kernel, ptovm

TILE = (32, 32)  # rows and columns of a tile of the product
BLOCK = 16       # rows of a block that is exchanged
SMALL = ("-D", "BM=32", "-D", "BN=32", "-D", "BK=64", "-D", "STEP=32", "-D", "COPY_ROWS=16", "-D",
         "COPY_COLS=32")

READERS = os.path.join(SOURCE, "tests", "run", "kernels", "read_results.pto")

# Other orders of events: profiles, accumulators, costs, launches without reset.
ORDERS = (("--profile", "a5"), ("-D", "ACCS=2"),
          ("--jitter", 3, "--repeat", 3), ("--jitter", 8, "--repeat", 3),
          ("--repeat", 3, "--slow-rank", "1=6"), ("--repeat", 3, "--slow-rank", "0=4", "--join"))


def random_operands(ranks, m, k, n):
    """a[m, k] and b[k, n] in f16, different on every rank."""
    rng = np.random.default_rng([ranks, m, k, n])
    return ([rng.uniform(-1, 1, (m, k)).astype(np.float16) for _ in range(ranks)],
            [rng.uniform(-1, 1, (k, n)).astype(np.float16) for _ in range(ranks)])


def exact_operands(ranks, m, k, n):
    """Small integers: every sum is exact in f16 whatever the order."""
    rng = np.random.default_rng([ranks, m, k, n, 1])
    return ([rng.integers(-2, 3, (m, k)).astype(np.float16) for _ in range(ranks)],
            [rng.integers(-2, 3, (k, n)).astype(np.float16) for _ in range(ranks)])


def quantised_operands(ranks, m, k, n, high=16):
    """a[m, k] and b[k, n] in i8 from -high to high - 1, different on every rank."""
    rng = np.random.default_rng([ranks, m, k, n, 2])
    return ([rng.integers(-high, high, (m, k)).astype(np.int8) for _ in range(ranks)],
            [rng.integers(-high, high, (k, n)).astype(np.int8) for _ in range(ranks)])


class FusedTest(KernelTest):
    """Tests of one kernel; `name` is its file in kernels/fused, `small` sets its constants."""

    name = None
    then = ()       # what is launched behind the kernel
    stored = {}     # which operands are stored transposed unless a test says otherwise
    types = {}      # inputs whose files need their type named
    small = SMALL + ("-D", "COMM_ROWS=%d" % BLOCK)

    def arguments(self, inputs, options, shape):
        """`inputs` by name, an array for every rank; `shape`: parameters. Those of the product
        follow from a and b, which are stored transposed if `shape` says so."""
        (m, k), n = inputs["a"][0].shape, inputs["b"][0].shape[1]
        shape = {"m": m, "k": k, "n": n, **self.stored, **shape}
        inputs = {name: [x.T if shape.get("trans_" + name) == 1 else x for x in arrays]
                  for name, arrays in inputs.items()}
        arguments = ["--ranks", len(next(iter(inputs.values()))), *self.small, *options,
                     kernel("fused/%s.pto" % self.name), *self.then]
        for key, arrays in inputs.items():
            arguments += ["--in", "%s=%s%s" % (key, self.save_ranks(key, arrays),
                                               self.types.get(key, ""))]
        for key, value in shape.items():
            arguments += ["--set", "%s=%d" % (key, value)]
        return arguments

    def run_kernel(self, inputs, options=(), out=("d",), **shape):
        """The outputs of a run: a list over the ranks, for several names a tuple of them."""
        arguments = self.arguments(inputs, options, shape)
        for key in out:
            arguments += ["--out", "%s=%s" % (key, self.path(key + "_{rank}.npy"))]
        self.run_ok("run", *arguments)
        ranks = len(next(iter(inputs.values())))
        results = tuple(self.load_ranks(key, ranks) for key in out)
        return results if len(out) > 1 else results[0]

    def assert_ranks(self, got, want, what=""):
        for rank, (g, w) in enumerate(zip(got, want)):
            self.assert_same_bits(g, w, "rank %d, %s" % (rank, what))

    def assert_clean(self, inputs, *options, **shape):
        """No finding on a2 and a5, with and without jitter."""
        arguments = self.arguments(inputs, options, shape)
        for profile in ("a2", "a5"):
            for jitter in (0, 5):
                result = ptovm("check", "--profile", profile, "--jitter", jitter, *arguments)
                self.assertEqual((result.code, result.err), (0, ""), (profile, jitter, options))

    def refused(self, reason, inputs, *options, **shape):
        """The launch is refused with this reason."""
        err = self.run_bad(2, "run", *self.arguments(inputs, options, shape))
        self.assertIn(reason, err)
