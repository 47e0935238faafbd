"""Correct kernels have no finding, whatever the ranks, cores, costs and launches; broken ones have
exactly theirs.  Then the options that filter, suppress and report."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ.get("PTO_SOURCE_DIR") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests", "cli"))
import schema  # noqa: E402

BIN = os.environ.get("PTO_BIN") or os.path.join(SOURCE, "build", "bin")


def kernel(name):
    return os.path.join(SOURCE, "kernels", name + ".pto")


def line_of(name, text):
    """Number of the first line of a kernel that contains a text."""
    with open(kernel(name)) as file:
        for number, line in enumerate(file, 1):
            if text in line.split(";")[0]:
                return number
    raise ValueError("no line of %s contains %r" % (name, text))


def ptovm(*arguments):
    command = [os.path.join(BIN, "ptovm")] + [str(a) for a in arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)


def check(*arguments):
    """Exit status and report of a checked run."""
    done = ptovm("check", "--json", *arguments)
    if not done.stdout:
        raise AssertionError(done.stderr.decode())
    report = json.loads(done.stdout.decode())
    with open(os.path.join(SOURCE, "docs", "schema", "report.schema.json")) as file:
        schema.check(report, json.load(file))
    return done.returncode, report


def texts(report):
    return [" ".join([f["kind"]] + [str(a["line"]) for a in f["accesses"]])
            for f in report["findings"]]


VADD = ["--in", "a=iota", "--in", "b=iota", "--cores", 2]


class Correct(unittest.TestCase):
    def clean(self, name, *arguments):
        for jitter in (0, 7):
            for profile in ("a2", "a5"):
                options = ["--jitter", jitter, "-p", profile, *arguments]
                with self.subTest(name=name, options=options):
                    code, report = check(kernel(name), *options)
                    self.assertEqual((code, texts(report)), (0, []))

    def test_basic(self):
        for n in (1, 8191, 100001):
            self.clean("basic/vadd", "--set", "n=%d" % n, *VADD)
        self.clean("basic/softmax", "--set", "rows=45", "--set", "cols=33", "--in", "x=random",
                   "--cores", 2, "--repeat", 2)

    def test_matmul(self):
        for name in ("matmul/gemm", "matmul/gemm_f16"):
            self.clean(name, "--set", "m=130", "--set", "k=300", "--set", "n=270", "--in",
                       "a=random", "--in", "b=random", "--cores", 2)

    def test_allreduce(self):
        for ranks in (1, 2, 3, 5, 8):
            for cores in (1, 3):
                self.clean("collective/allreduce_ring", "--ranks", ranks, "--cores", cores,
                           "--set", "count=30011", "--in", "x=random", "--repeat", 2)
        self.clean("collective/allreduce_ring_f16", "--ranks", 4, "--cores", 2, "--set",
                   "count=10007", "--set", "snapshots=3", "--in", "x=random", "--slow-rank", "1=4",
                   "--join", "--repeat", 2)

    def test_barrier(self):
        for ranks in (1, 2, 4):
            self.clean("collective/device_barrier", "--ranks", ranks, "--cores", 3, "--repeat", 2)


class Broken(unittest.TestCase):
    def test_missing_sync(self):
        name = "broken/vadd_missing_sync"
        code, report = check(kernel(name), "--set", "n=5000", *VADD)
        second = line_of(name, "TLOAD  tb")
        add = line_of(name, "TADD")
        self.assertEqual(code, 4)
        self.assertEqual(report["status"], "findings")
        for finding in report["findings"]:
            self.assertEqual(finding["kind"], "race-raw")
            self.assertEqual(finding["accesses"][1]["line"], add)
            self.assertIn(finding["accesses"][0]["line"], (second - 1, second))
            self.assertRegex(finding["advice"], r"set_flag MTE2, V, 0 after .*:\d+ and "
                                                r"wait_flag MTE2, V, 0 before .*:%d$" % add)
        self.assertIn(second, [f["accesses"][0]["line"] for f in report["findings"]])

    def test_missing_wait(self):
        name = "broken/vadd_missing_wait"
        code, report = check(kernel(name), "--set", "n=5000", *VADD)
        self.assertEqual(code, 1)
        kinds = {f["kind"] for f in report["findings"]}
        self.assertEqual(kinds, {"race-raw", "token-left"})
        left = [f for f in report["findings"] if f["kind"] == "token-left"]
        self.assertEqual([f["accesses"][0]["line"] for f in left],
                         [line_of(name, "set_flag  MTE2, V")])

    def test_missing_set(self):
        code, report = check(kernel("broken/vadd_missing_set"), "--set", "n=5000", *VADD)
        self.assertEqual((code, report["status"], report["findings"]), (3, "deadlock", []))

    def test_barrier_literal(self):
        name = "broken/device_barrier_literal"
        code, report = check(kernel(name), "--ranks", 3, "--cores", 2)
        self.assertEqual((code, texts(report)),
                         (4, ["signal-reused %d" % line_of(name, "TWAIT sync[%p]")]))
        self.assertEqual((report["findings"][0]["ranks"], report["findings"][0]["cores"]), (3, 3))


class Options(unittest.TestCase):
    broken = (kernel("broken/vadd_missing_sync"), "--set", "n=5000") + tuple(VADD)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pto-check-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def test_off(self):
        self.assertEqual(ptovm("run", *self.broken).returncode, 0)

    def test_on(self):
        done = ptovm("--check", "run", *self.broken)
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"[race-raw]", done.stderr)
        self.assertIn(b"advice: set_flag MTE2, V, 0", done.stderr)

    def test_verbose_shows_more(self):
        few = ptovm("check", *self.broken).stderr.count(b"finding: ")
        more = ptovm("check", "-v", *self.broken).stderr.count(b"finding: ")
        self.assertGreater(more, few)

    def test_redundant(self):
        softmax = [kernel("basic/softmax"), "--set", "rows=20", "--set", "cols=64", "--in",
                   "x=iota"]
        for profile, notes in (("a2", 0), ("a5", 4)):
            done = ptovm("check", "-v", "-p", profile, *softmax)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count(b"note: pipe_barrier adds no order"), notes)

    def test_error_exitcode(self):
        self.assertEqual(ptovm("check", "--error-exitcode", 77, *self.broken).returncode, 77)
        self.assertEqual(ptovm("check", "--error-exitcode", 0, *self.broken).returncode, 0)

    def test_suppress(self):
        add = line_of("broken/vadd_missing_sync", "TADD")
        some = self.write("some", "# known\nrace-raw vadd_missing_sync.pto:%d\n" % add)
        other = self.write("other", "race-war *\n")
        wrong = self.write("wrong", "race-raw\n")
        self.assertEqual(ptovm("check", "--suppress", some, *self.broken).returncode, 0)
        self.assertEqual(ptovm("check", "--suppress", other, *self.broken).returncode, 4)
        done = ptovm("check", "--suppress", wrong, *self.broken)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"wrong:1:1: error:", done.stderr)

    def test_filters(self):
        for options, code in ((["--check-kind", "race-raw"], 4), (["--check-kind", "race-war"], 0),
                              (["--check-rank", 0], 4), (["--check-rank", 1], 2),
                              (["--check-kernel", "vadd_missing_sync"], 4),
                              (["--check-kernel", "other"], 2), (["--check-kind", "race"], 2)):
            with self.subTest(options=options):
                self.assertEqual(ptovm("check", *options, *self.broken).returncode, code)

    def test_wait_graph(self):
        path = self.path("waits.dot")
        done = ptovm("run", "--wait-graph", path, kernel("broken/vadd_missing_set"),
                     *self.broken[1:])
        self.assertEqual(done.returncode, 3)
        with open(path) as file:
            text = file.read()
        self.assertTrue(text.startswith("digraph waits {") and text.endswith("}\n"))
        self.assertIn('"r0 aiv0.0 V" -> "r0 aiv0.0 MTE2" [label="(MTE2, V, 0)"];', text)
        self.assertIn('"r0 aiv0.0 MTE3" -> "r0 aiv0.0 V"', text)

    def test_sarif(self):
        path = self.path("report.sarif")
        ptovm("check", "--sarif", path, *self.broken)
        with open(path) as file:
            run = json.load(file)["runs"][0]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertTrue(run["results"])
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])
            place = result["locations"][0]["physicalLocation"]
            self.assertEqual(place["region"]["startLine"],
                             line_of("broken/vadd_missing_sync", "TADD"))


if __name__ == "__main__":
    unittest.main()
