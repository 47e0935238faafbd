"""--timing-only: the same times and reports as a full run of every kernel, with less."""

import json
import unittest

import docs_test
from harness import SOURCE, KernelTest, kernel, ptovm, sample

GEMM = ("run", kernel("matmul/gemm.pto"), "--set", "m=100", "--set", "k=100", "--set", "n=100",
        "--in", "a=ones", "--in", "b=ones")


def without(arguments, option):
    """Leave an option and its value out."""
    return [a for i, a in enumerate(arguments)
            if a != option and not (i and arguments[i - 1] == option)]


def runs():
    """Every command of docs/kernels.md as a run that neither compares results nor is checked."""
    for arguments, _ in docs_test.commands():
        for option in ("--expect", "--rtol", "--atol"):
            arguments = without(arguments, option)
        yield ["run" if a == "check" else a for a in arguments if a != "--check"]


class TimingOnly(KernelTest):
    def test_all_kernels(self):
        """The report of a run is that of the full run."""
        for arguments in sample(runs(), 3):
            with self.subTest(" ".join(arguments)):
                full = ptovm("--json", *arguments, cwd=SOURCE)
                times = ptovm("--json", "--timing-only", *arguments, cwd=SOURCE)
                self.assertEqual(times.code, full.code)
                self.assertEqual(json.loads(times.out), json.loads(full.out))
                self.assertEqual(times.err, full.err)

    def test_costs(self):
        """Where every cost is another one."""
        for arguments in sample(runs(), 3):
            arguments = ["--jitter", 5, *arguments]
            with self.subTest(" ".join(map(str, arguments))):
                full = ptovm("--json", *arguments, cwd=SOURCE)
                times = ptovm("--json", "--timing-only", *arguments, cwd=SOURCE)
                self.assertEqual(json.loads(times.out), json.loads(full.out))

    def test_payload_is_left_out(self):
        """More memory than any host has."""
        big = ("--set", "m=1M", "--set", "k=1M", "--set", "n=1M", "--max-time", "1us")
        result = ptovm("--timing-only", *without(GEMM, "--set"), *big)
        self.assertEqual(result.code, 5, result.err)
        self.assertEqual(ptovm(*without(GEMM, "--set"), *big).code, 71)

    def test_refusals(self):
        for option in ("--out", "--expect"):
            err = self.run_bad(2, "--timing-only", *GEMM, option, "c=" + self.path("c.npy"))
            self.assertIn("no time depends on 'c'", err)
        self.assertIn("--check", self.run_bad(2, "--timing-only", "--check", *GEMM))


if __name__ == "__main__":
    unittest.main()
