"""kernels/broken, mistakes between ranks: what a run shows, and what the checker says whatever the
costs."""

import json
import unittest

import numpy as np

from harness import KernelTest, kernel, line_of, ptovm, random_f32


class BrokenSignals(KernelTest):
    def arguments(self, name, ranks, n, *options):
        self.x = [random_f32(rank, n) for rank in range(ranks)]
        return ("--ranks", ranks, "--cores", 1, *options, "run", kernel(name), "--in",
                "x=" + self.save_ranks("x", self.x))

    def outputs(self, name, ranks, n, output, *options):
        self.run_ok(*self.arguments(name, ranks, n, *options), "--out",
                    output + "=" + self.path(output + "_{rank}.npy"))
        return self.load_ranks(output, ranks)

    def findings(self, name, ranks, n, *options):
        """{kind: lines of the kernel that its findings name, in macros the line of their use}."""
        result = ptovm("--check", "--json", *self.arguments(name, ranks, n, *options))
        self.assertEqual(result.code, 4, result.err)
        kinds = {}
        for finding in json.loads(result.out)["findings"]:
            kinds.setdefault(finding["kind"], set()).update(
                access["line"] for access in finding["accesses"])
        return kinds

    def advice(self, name, ranks, n, *options):
        result = ptovm("--check", *self.arguments(name, ranks, n, *options))
        self.assertEqual(result.code, 4, result.err)
        return result.err

    def lines(self, name, *texts):
        return {line_of(kernel(name), text) for text in texts}

    def from_the_left(self):
        return self.x[-1:] + self.x[:-1]

    def test_a_ring_without_announcements(self):
        name = "broken/ring_missing_ready.pto"
        for got in self.outputs(name, 4, 1000, "all"):       # by luck
            np.testing.assert_array_equal(got, self.x)
        late = self.outputs(name, 4, 1000, "all", "--slow-rank", "1=20")
        self.assertTrue(any(not np.array_equal(got, self.x) for got in late))
        for options in ((), ("--slow-rank", "1=20"), ("-p", "a5")):
            self.assertIn("race-raw", self.findings(name, 4, 1000, *options))
            self.assertRegex(self.advice(name, 4, 1000, *options), r"%s:%d:\d+: finding" % (
                name, line_of(kernel(name), "is it there?")))

    def test_a_signal_overtakes_the_payload(self):
        name = "broken/put_missing_publish.pto"
        got = self.outputs(name, 3, 5000, "y", "-p", "a5")      # on a2 signals wake too late
        for y, x in zip(got, self.from_the_left()):
            self.assertFalse(np.array_equal(y, x))
            self.assertTrue((y[:1024] == 0).all())          # not one byte of the first chunk yet
        for options in ((), ("--jitter", 3), ("-p", "a5")):
            found = self.findings(name, 3, 5000, *options)
            self.assertIn("race-raw", found)
            self.assertEqual(found["race-raw"],
                             self.lines(name, "TPUT box", "TLOAD ping"))

    def test_a_missing_dsb_is_found_although_it_shows_nowhere(self):
        name = "broken/pull_missing_dsb.pto"
        for options in ((), ("--slow-rank", "1=20")):
            got = self.outputs(name, 3, 1000, "y", *options)
            for y, x in zip(got, self.from_the_left()):
                self.assert_same_bits(y, x)
            self.assertEqual(self.findings(name, 3, 1000, *options),
                             {"race-raw": self.lines(name, "TSTORE own", "TLOAD t{1, n}, own")})
        self.assertIn("advice: dsb after %s:%d" % (kernel(name),
                                                   line_of(kernel(name), "TSTORE own")),
                      self.advice(name, 3, 1000))

    def test_a_signal_set_twice(self):
        name = "broken/signal_set_twice.pto"
        for rank, y in enumerate(self.outputs(name, 2, 1000, "y", "-p", "a5")):    # by luck
            np.testing.assert_array_equal(y, [self.x[1 - rank], 2 * self.x[1 - rank]])
        y = self.outputs(name, 2, 1000, "y", "--slow-rank", "1=20")[1]
        np.testing.assert_array_equal(y, [2 * self.x[0], 2 * self.x[0]])
        err = self.run_bad(3, *self.arguments(name, 2, 1000), "--set", "delay=10000")
        self.assertIn("pipe S TWAIT for full[0] to be eq 1, its value is 2", err)
        self.assertIn("%s:%d:" % (kernel(name), line_of(kernel(name), "TWAIT full")), err)
        again = line_of(kernel(name), "has the first one been read?")
        found = self.findings(name, 2, 1000)
        self.assertEqual(set(found), {"race-raw", "could-hang"})
        self.assertEqual(found["race-raw"], {again, *self.lines(name, "TLOAD theirs")})
        self.assertLessEqual(self.lines(name, "TWAIT full"), found["could-hang"])

    def test_a_signal_used_again(self):
        name = "broken/signal_reused.pto"
        wait = self.lines(name, "true since the first launch")
        for y, x in zip(self.outputs(name, 3, 1000, "y"), self.from_the_left()):
            self.assert_same_bits(y, x)
        result = ptovm("--check", *self.arguments(name, 3, 1000))
        self.assertEqual((result.code, result.err), (0, ""))               # one launch is right
        got = self.outputs(name, 3, 1000, "y", "--repeat", 2, "--slow-rank", "1=20")
        self.assert_same_bits(got[2], self.x[1])                           # of the first launch
        for options in ((), ("--slow-rank", "1=20"), ("-p", "a5")):
            self.assertEqual(self.findings(name, 3, 1000, "--repeat", 2, *options)["signal-reused"],
                             wait)


if __name__ == "__main__":
    unittest.main()
