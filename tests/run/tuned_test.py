"""--set NAME=auto: the run is the one with the value that `ptovm tune` calls best, whether it is
searched for or remembered, and nothing that times depend on is taken for something else."""

import json
import os
import signal
import subprocess
import time
import unittest

from harness import KernelTest, kernel, ptodbg, ptovm
from pto import program

import schema

GATHER = ["--ranks", 2, kernel("fused/allgather_matmul.pto"), "--set", "m=256", "--set", "k=256",
          "--set", "n=512", "--in", "a=const:1", "--in", "b=const:1"]
GEMM = [kernel("matmul/gemm.pto"), "--set", "m=256", "--set", "k=128", "--set", "n=512"]
ONES = ["--in", "a=ones", "--in", "b=ones"]
# (x - BEST)^2 turns of a loop for each 100 that `long` holds.
STEPS = """.include "best.inc"
.kernel steps
.param x : i64 = 1
.in long : i64[1]
.core aiv
    %turns = ld long[0]
    %n = (%x - BEST) * (%x - BEST) * %turns
    .for %i = 0 to %n
    .endfor
"""


class Tuned(KernelTest):
    def setUp(self):
        super().setUp()
        self.memory = self.path("tuned")
        self.write("best.inc", ".define BEST = 5\n")
        self.write("steps.pto", STEPS)
        self.steps = ["--cores", 1, self.path("steps.pto"), "--in", "long=const:100"]

    def lines(self):
        with open(self.memory) as file:
            return file.read().splitlines()[1:]

    def run_auto(self, *words, code=0, command="run"):
        done = ptovm(command, *words, "--json", env={"PTO_TUNED": self.memory})
        self.assertEqual(done.code, code, done.err)
        return json.loads(done.out)

    def found(self, *words):
        report = self.run_auto(*words)
        return {value["name"]: value["value"] for value in report["tuned"]["values"]}

    def test_the_best_of_tune_is_what_runs(self):
        best = json.loads(self.run_ok("tune", *GATHER, "--try", "interval=1..3", "--try",
                                      "cores=1,4", "--json").out)["best"]
        report = schema.load(self.run_ok("run", *GATHER, "--set", "interval=auto:1..3", "--set",
                                         "cores=auto:1,4", "--json").out, "report")
        self.assertEqual(report["tuned"]["values"], best["values"])
        self.assertEqual((report["time_ps"], report["tuned"]["time_ps"]), 2 * (best["time_ps"],))
        self.assertEqual(report["tuned"]["runs"], 6)
        given = json.loads(self.run_ok("run", *GATHER, "--json").out)["time_ps"]
        self.assertEqual(report["tuned"]["as_given_ps"], given)
        values = {value["name"]: value["value"] for value in best["values"]}
        plain = json.loads(self.run_ok("run", *GATHER, "--set", "interval=%d" % values["interval"],
                                       "--cores", values["cores"], "--json").out)
        del report["tuned"]
        self.assertEqual(report, plain)

    def test_constants_of_the_text_and_known_values(self):
        best = json.loads(self.run_ok("tune", *GEMM, *ONES, "--json").out)["best"]
        report = self.run_auto(*GEMM, *ONES, "--set", "BM=auto", "--set", "BN=auto", "--set",
                               "cores=auto", "--expect", "c=const:128")
        self.assertEqual(report["tuned"]["values"], best["values"])
        self.assertEqual(report["time_ps"], best["time_ps"])
        self.assertEqual(self.found(*GEMM, *ONES, "--set", "BM=auto:4096,64"), {"BM": 64})

    def test_what_is_remembered_is_not_searched_again(self):
        words = [*self.steps, "--set", "x=auto:0..9"]
        first = self.run_auto(*words)
        self.assertEqual(first["tuned"]["values"], [{"name": "x", "value": 5}])
        self.assertEqual(len(self.lines()), 1)
        self.assertEqual(self.run_auto(*words), first)
        with open(self.memory) as file:
            text = file.read()
        self.write("tuned", text.replace("x=5", "x=7"))
        self.assertEqual(self.found(*words), {"x": 7})  # it was read, and not searched for

    def test_tune_remembers_for_auto(self):
        done = ptovm("tune", *self.steps, "--try", "x=3..6", env={"PTO_TUNED": self.memory})
        self.assertEqual(done.out.splitlines()[-1], "remembered    --set x=auto:3..6")
        self.assertEqual(len(self.lines()), 1)
        self.assertEqual(self.found(*self.steps, "--set", "x=auto:3..6"), {"x": 5})
        self.assertEqual(len(self.lines()), 1)

    def test_anything_that_counts_makes_it_another_search(self):
        words = [*self.steps, "--set", "x=auto:0..9"]
        self.assertEqual(self.found(*words), {"x": 5})
        changes = [["--profile", "a3"], ["--profile-set", "scalar=2 cycles"], ["--jitter", 3],
                   ["--repeat", 2], ["--slow-rank", "0=2"], ["--max-time", "1ms"]]
        for number, change in enumerate(changes):
            self.found(*words, *change)
            self.assertEqual(len(self.lines()), number + 2, change)
        self.write("best.inc", ".define BEST = 2\n")
        self.assertEqual(self.found(*words), {"x": 2})
        self.assertEqual(self.found(*self.steps, "--set", "x=auto:4..9"), {"x": 4})
        count = len(self.lines())
        for turns in (7, 8):  # what an input holds, not what its file is called
            with open(self.path("long.bin"), "wb") as file:
                file.write(turns.to_bytes(8, "little"))
            self.found(self.path("steps.pto"), "--in", "long=" + self.path("long.bin"), "--set",
                       "x=auto:0..9")
            count += 1
            self.assertEqual(len(self.lines()), count)
        for turns in (7, 8, 8):
            done = ptovm("run", self.path("steps.pto"), "--in", "long=-", "--set", "x=auto:0..9",
                         stdin=turns.to_bytes(8, "little"), env={"PTO_TUNED": self.memory})
            self.assertEqual(done.code, 0, done.err)
        self.assertEqual(len(self.lines()), count + 2)

    def test_results_of_the_run_are_written(self):
        self.run_auto(*GEMM, *ONES, "--set", "BM=auto:32,64", "--out", "c=" + self.path("c.npy"),
                      "--check")
        self.assertEqual(self.load("c.npy").min(), 128)

    def test_other_commands(self):
        words = [*self.steps, "--set", "x=auto:0..9"]
        five = [*self.steps, "--set", "x=5"]
        change = ["--set-cost", "scalar=2x"]
        self.assertEqual(self.run_auto(*words, *change, command="whatif"),
                         self.run_auto(*five, *change, command="whatif"))
        self.assertEqual(self.run_auto(*words, command="explore"),
                         self.run_auto(*five, command="explore"))
        done = ptodbg("--batch", *words, "-e", "run", "-e", "print x")
        self.assertIn("tuned         x=5: the best of 10 runs", done.out)
        self.assertIn("= 5", done.out)

    def test_two_runs_have_the_values_of_the_first(self):
        """Alone, the second would take 8. A core file says itself what it ran with."""
        out = ".out y : i64[1]\n.core aiv\n    st y[0], %x\n"
        self.write("steps.pto", STEPS.replace(".core aiv\n", out))
        first, second, core = self.steps[2], self.path("late.pto"), self.path("core")
        with open(first) as file:
            self.write("late.pto", file.read().replace("BEST)", "8)"))
        words = [*self.steps[:2], *self.steps[3:], "--set", "x=auto:0..9"]
        self.run_ok("run", *self.steps, "--set", "x=5", "--record", core)
        for a, b, x in ((first, second, 5), (second, first, 8), (core, first, 5),
                        (first, core, 5), (core, second, 8)):
            done = ptovm("diff", "--state", a, b, *words, env={"PTO_TUNED": self.memory})
            self.assertEqual(done.code, x != 5 and core == a, done.err)
            self.assertIn("tuned         x=%d: the best of 10 runs" % x, done.out)
        report = schema.load(self.run_ok("diff", "--state", first, second, *words, "--json").out,
                             "state")
        self.assertEqual(report["tuned"]["values"], [{"name": "x", "value": 5}])
        self.assertIn("both are core files", self.run_bad(
            2, "diff", "--state", core, core, "--set", "x=auto:0..9"))

    def test_core_files_say_what_was_found(self):
        core = self.path("core")
        for name, found in (("x=auto:0..9", 5), ("x=auto:4", 4)):
            self.run_auto(*self.steps, "--set", name, "--record", core)
            done = ptodbg("--core", core, "--batch", "-e", "print x")
            self.assertIn("= %d" % found, done.out, done.err)
            self.assertNotIn("the best of", done.out)
            done = ptovm("diff", "--state", core, core)
            self.assertEqual(done.code, 0, done.err)

    def test_refused(self):
        steps = self.steps
        for words, say in (
                (["--set", "x=auto"], "--set x=auto: which values there are to try is not known"),
                (["--set", "z=auto:1"], "--set z: no parameter 'z'"),
                (["--set", "x=auto:"], "is not known"),
                (["--set", "x=auto:1.."], "--set x=auto:1..: not values to try"),
                (["--set", "x=auto:1", "--set", "x=2"], "'x' is given with --set and is to be"),
                (["--set", "x=auto:1", "--set", "x=auto:2"], "--set x=... is given twice"),
                (["--set", "x=automatic"], "not an integer"),
                (["--set", "cores=auto:1"], "'cores' is given with --cores and is to be tried")):
            self.assertIn(say, self.run_bad(2, "run", *steps, *words))
        for command in ("info", "tune"):
            self.assertIn("no value is searched for here",
                          self.run_bad(2, command, steps[2], "--set", "x=auto:1,2"))
        for text, say in (("", "1: error: this is no file of values"),
                          ("pto-tuned 2\n", "1: error: this is no file of values"),
                          ("pto-tuned 1\nx", "1: error: this is no file of values"),
                          ("pto-tuned 1\n\0\n", "1: error: this is no file of values")):
            self.write("tuned", text)
            done = ptovm("run", *steps, "--set", "x=auto:0..9", env={"PTO_TUNED": self.memory})
            self.assertEqual(done.code, 2)
            self.assertIn(self.memory + ":" + say, done.err)
            with open(self.memory) as file:
                self.assertEqual(file.read(), text)
        os.remove(self.memory)
        self.found(*steps, "--set", "x=auto:0..9")
        with open(self.memory) as file:
            good = file.read()
        for bad in (good.replace("x=5", "x=50"), good.replace("x=5", "y=5"),
                    good.replace(" x=5", ""), good.replace("x=5", "x=5 x=5"),
                    good[:30] + "x" + good[31:]):
            self.write("tuned", bad)
            done = ptovm("run", *steps, "--set", "x=auto:0..9", env={"PTO_TUNED": self.memory})
            self.assertEqual(done.code, 2, bad)
            self.assertIn(self.memory + ":2: error: this line is damaged", done.err)

    def test_a_place_that_cannot_be_written(self):
        done = ptovm("run", *self.steps, "--set", "x=auto:0..9",
                     env={"PTO_TUNED": self.path("no/such/folder")})
        self.assertEqual(done.code, 0)
        self.assertIn("warning: " + self.path("no/such/folder") + " is not written", done.err)

    def test_where_it_lies_unless_told(self):
        environment = {k: v for k, v in os.environ.items() if k != "PTO_TUNED"}
        for variable, name in (("XDG_CACHE_HOME", "pto/tuned"), ("HOME", ".cache/pto/tuned")):
            place = self.path(variable)
            os.mkdir(place)
            clean = {k: v for k, v in environment.items() if k not in ("XDG_CACHE_HOME", "HOME")}
            subprocess.run([program("ptovm"), "run", "-q", *map(str, self.steps), "--set",
                            "x=auto:0..9"], check=True, env={**clean, variable: place})
            self.assertTrue(os.path.exists(os.path.join(place, name)))

    def test_a_search_that_is_cut_short_is_not_remembered(self):
        slow = [*self.steps[:3], "--in", "long=const:4000000", "--set", "x=auto:100..600"]
        done = ptovm("run", *slow, "--timeout", "300ms", env={"PTO_TUNED": self.memory})
        self.assertEqual(done.code, 5, done.err)
        self.assertFalse(os.path.exists(self.memory))
        # Short runs end between two of them, in one of which nobody is stopped.
        self.write("short.pto", ".kernel short\n.param x : i64\n.param y : i64\n.core aiv\n"
                                "    end\n")
        many = ["--try", "x=1..1000", "--try", "y=1..1000", "--runs", 1000000, "--timeout", "1s"]
        done = ptovm("tune", self.path("short.pto"), *many, env={"PTO_TUNED": self.memory})
        self.assertEqual(done.code, 5, done.err)
        self.assertIn("the run takes more than 1.000 s of this host's time", done.err)
        self.assertNotIn("remembered", done.out)
        self.assertFalse(os.path.exists(self.memory))
        run = subprocess.Popen([program("ptovm"), "run", *map(str, slow)],
                               env={**os.environ, "PTO_TUNED": self.memory},
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.2)  # the search is under way, or begins: the signal ends it in either case
        run.send_signal(signal.SIGINT)
        self.assertIn(run.wait(60), (130, -signal.SIGINT))
        run.communicate()
        self.assertFalse(os.path.exists(self.memory))


if __name__ == "__main__":
    unittest.main()
