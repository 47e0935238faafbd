"""ptovm tune: its times are those of runs, what it calls best is the least of them, and what cannot
be run is told."""

import itertools
import json
import os
import re
import unittest

from harness import KernelTest, kernel, ptovm

import schema

GATHER = ["--ranks", 2, kernel("fused/allgather_matmul.pto"), "--set", "m=256", "--set", "k=256",
          "--set", "n=512", "--in", "a=const:1", "--in", "b=const:1"]
# TIME[x] turns of a loop, then y more; 3 is not allowed.
STEPS = """.kernel steps
.param x : i64 = 1
.param y : i64 = 0
.core aiv
    .assert %x != 3, "three is refused"
    %n = (%x - 5) * (%x - 5) * 100 + %y * %y
    .for %i = 0 to %n
    .endfor
"""


class Tune(KernelTest):
    def tune(self, *words, code=0):
        result = ptovm("tune", *words, "--json")
        self.assertEqual(result.code, code, result.err)
        return schema.load(result.out, "tune")

    def steps(self):
        with open(self.path("steps.pto"), "w") as file:
            file.write(STEPS)
        return ["--cores", 1, self.path("steps.pto")]

    @staticmethod
    def values(trial):
        return {value["name"]: value["value"] for value in trial["values"]}

    def test_all_of_a_grid(self):
        report = self.tune(*GATHER, "--try", "interval=1..3", "--try", "cores=1,4")
        self.assertEqual([self.values(t) for t in report["trials"]],
                         [{"interval": i, "cores": c}
                          for i, c in itertools.product((1, 2, 3), (1, 4))])
        times = []
        for trial in report["trials"]:
            values = self.values(trial)
            run = self.run_ok("run", *GATHER, "--set", "interval=%d" % values["interval"],
                              "--cores", values["cores"], "--json")
            times.append(json.loads(run.out)["time_ps"])
        self.assertEqual([trial["time_ps"] for trial in report["trials"]], times)
        self.assertEqual(report["best"]["time_ps"], min(times))
        self.assertEqual(sum(report["best_critical_path_ps"].values()), min(times))
        given = json.loads(self.run_ok("run", *GATHER, "--json").out)["time_ps"]
        self.assertEqual(report["as_given"]["time_ps"], given)

    def test_a_time_that_is_over_at_once(self):
        words = [*self.steps(), "--try", "x=1,2", "--timeout", "1ns"]
        done = ptovm("tune", *words)
        self.assertEqual((done.code, done.out), (5, "tried         0 of 2 combinations\n"))
        self.assertIn("error: the run takes more than 1.000 ns of this host's time", done.err)
        report = self.tune(*words, code=5)
        self.assertEqual((report["trials"], report["exit_code"]), ([], 5))
        self.assertNotIn("best", report)

    def test_times_are_told_as_runs_tell_them(self):
        text = self.run_ok("tune", *GATHER, "--try", "interval=1..8", "--try", "spread=1,2").out
        rows = re.findall(r"^ +(\d+) +(\d+) +([\d.]+ us)  ", text, re.M)
        self.assertEqual(len(rows), 10)
        for interval, spread, time in rows:
            run = self.run_ok("run", *GATHER, "--set", "interval=" + interval,
                              "--set", "spread=" + spread)
            self.assertIn("time          %s simulated\n" % time, run.out)

    def test_one_parameter_at_a_time(self):
        report = self.tune(*self.steps(), "--try", "x=0..9", "--try", "y=0..9", "--runs", 40)
        self.assertEqual(self.values(report["best"]), {"x": 5, "y": 0})
        self.assertEqual(report["combinations"], 100)
        self.assertLessEqual(len(report["trials"]), 40)
        self.assertEqual(len({tuple(self.values(t).values()) for t in report["trials"]}),
                         len(report["trials"]))

    def test_the_best_is_remembered(self):
        words = [*self.steps(), "--try", "x=4,5,6", "--try", "cores=2,1"]
        text = self.run_ok("tune", *words[2:], "--best", self.path("best")).out
        self.assertIn("tried         6 of 6 combinations\n", text)
        with open(self.path("best")) as file:
            self.assertEqual(file.read(), "--set x=5\n--cores 2\n")
        run = self.run_ok("run", self.path("steps.pto"), "@" + self.path("best"), "--json")
        report = self.tune(*words[2:])
        self.assertEqual(json.loads(run.out)["time_ps"], report["best"]["time_ps"])

    def test_what_cannot_be_run(self):
        report = self.tune(*self.steps(), "--try", "x=2,3,4")
        self.assertIn("three is refused", report["trials"][1]["refused"])
        self.assertEqual(self.values(report["best"]), {"x": 4})
        text = self.run_ok("tune", *self.steps(), "--try", "x=2,3,4").out
        self.assertIn("cannot run    x=3: assertion failed: three is refused", text)
        report = self.tune(*self.steps(), "--try", "x=3", code=1)
        self.assertNotIn("best", report)
        self.assertIn("no combination can be run",
                      self.run_bad(1, "tune", *self.steps(), "--try", "x=3"))

    def test_constants_of_the_text(self):
        """Times are those of the text with -D, and what cannot be assembled is told."""
        gemm = [kernel("matmul/gemm.pto"), "--set", "m=256", "--set", "k=128", "--set", "n=512",
                "--in", "a=ones", "--in", "b=ones"]
        report = self.tune(*gemm, "--try", "BM=32,64,4096", "--try", "cores=4,24", "--best",
                           self.path("best"))
        times = []
        for trial in report["trials"]:
            values = self.values(trial)
            if values["BM"] > 64:
                self.assertIn("bytes", trial["refused"])
                continue
            run = self.run_ok("run", *gemm, "-D", "BM=%d" % values["BM"], "--cores",
                              values["cores"], "--json")
            times.append(json.loads(run.out)["time_ps"])
            self.assertEqual(trial["time_ps"], times[-1])
        self.assertEqual(len(times), 4)
        self.assertEqual(report["best"]["time_ps"], min(times))
        run = self.run_ok("run", "@" + self.path("best"), *gemm, "--json")
        self.assertEqual(json.loads(run.out)["time_ps"], min(times))
        for words, say in ((["--try", "BM=64", "-D", "BM=32"],
                            "'BM' is given with -D and is to be tried"),
                           (["--try", "BX=64"], "--try BX: no parameter")):
            self.assertIn(say, self.run_bad(2, "tune", *gemm, *words))

    def test_texts_and_inputs_from_standard_input(self):
        """What is read once is there for every run."""
        gemm = ["--set", "m=64", "--set", "k=64", "--set", "n=64", "--in", "b=ones"]
        path = kernel("matmul/gemm.pto")
        trying = ["--try", "BM=32,64"]
        want = ptovm("tune", path, *gemm, "--in", "a=ones", *trying, "--json")
        self.assertEqual(want.code, 0, want.err)
        with open(path) as file:
            text = file.read()
        done = ptovm("tune", "-", "-I", os.path.dirname(path), *gemm, "--in", "a=ones", *trying,
                     "--json", stdin=text)
        self.assertEqual((done.code, done.out), (0, want.out), done.err)
        ones = b"\x00\x3c" * 64 * 64
        done = ptovm("tune", path, *gemm, "--in", "a=-", *trying, "--json", stdin=ones)
        self.assertEqual((done.code, done.out), (0, want.out), done.err)

    def test_without_try_what_kernels_have_in_common_is_tried(self):
        report = self.tune(*GATHER, "-D", "BN=64", "--runs", 12)
        names = {name for trial in report["trials"] for name in self.values(trial)}
        self.assertEqual(names, {"interval", "BM", "COMM_ROWS", "cores"})
        self.assertLessEqual(report["best"]["time_ps"], report["as_given"]["time_ps"])
        report = self.tune(*self.steps()[2:])
        self.assertEqual([self.values(t) for t in report["trials"]],
                         [{"cores": cores} for cores in (24, 18, 12, 6)])

    def test_values(self):
        for text, values in (("7", [7]), ("3,1,3", [3, 1]), ("1..4", [1, 2, 4]),
                             ("1..8:3", [1, 4, 7]), ("1..16*2", [1, 2, 4, 8, 16]),
                             ("9,1..2", [9, 1, 2]), ("-1..1", [-1, 0, 1]), ("1K", [1024])):
            report = self.tune(*self.steps(), "--try", "x=" + text)
            tried = [self.values(t)["x"] for t in report["trials"]]
            self.assertEqual([x for x in tried if x != 3], [x for x in values if x != 3])

    def test_a_constant_that_fits_no_text(self):
        """It says why, and not that there was none."""
        text = (".define CH = 64\n.kernel k\n.in x : f32[64]\n.core aiv\n"
                ".tile a : ub f32[1, CH]\n    TLOAD a{1, 64}, x\n")
        say = self.run_bad(1, "tune", self.write("wide.pto", text), "--in", "x=zeros", "--try",
                           "CH=64K")
        self.assertIn("no combination can be run: the number of columns is 65536", say)

    def test_refused(self):
        for words, say in (([], "nothing to try"), (["--try", "x"], "name or value missing"),
                           (["--try", "x=,"], "not values to try"),
                           (["--try", "x=1..0"], "not values to try"),
                           (["--try", "x=0..8*2"], "not values to try"),
                           (["--try", "x=1..9:0"], "not values to try"),
                           (["--try", "x=1,,2"], "not values to try"),
                           (["--try", "x=1..1000000"], "not values to try"),
                           (["--try", "x=1.5"], "not values to try"),
                           (["--try", "z=1"], "--try z: no parameter"),
                           (["--try", "x=1", "--try", "x=2"], "given twice"),
                           (["--try", "cores=1", "--cores", 2], "'cores' is given with --cores"),
                           (["--set", "x=auto"], "--set x=auto: no value is searched for here"),
                           (["--try", "x=1", "--set", "x=2"],
                            "'x' is given with --set and is to be tried"),
                           (["--try", "x=1", "--best", self.path("steps.pto")], "steps.pto")):
            self.assertIn(say, self.run_bad(2, "tune", *self.steps(), *words))
        self.assertIn("--try cores: 0 cores",
                      self.run_bad(2, "tune", *self.steps()[2:], "--try", "cores=0"))


if __name__ == "__main__":
    unittest.main()
