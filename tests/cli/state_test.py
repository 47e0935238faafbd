"""ptovm diff --state: two runs, and the first write that is not the same in both."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import npy  # noqa: E402
import pto  # noqa: E402

N = 256
TOY = ["--profile", "toy", "--cores", "1"]
FIRST = [*TOY, "--set", "n=%d" % N, "--in", "x=iota"]
KERNELS = pto.source("kernels")


class State(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        with open(pto.source("tests", "dbg", "first.pto")) as file:
            text = file.read()
        self.write("bad.pto", text)
        self.write("good.pto", text.replace("TADDS t, t, 2.0", "TADDS t, t, 1.0"))

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def save(self, name, descr, values):
        npy.save(os.path.join(self.folder, name), descr, [len(values)], values)

    def run_it(self, *words, code=0):
        done = pto.run("ptovm", *words, cwd=self.folder)
        self.assertEqual(done.code, code, done.out + done.err)
        return done.out + done.err

    def record(self, name, *words, code=0):
        self.run_it("run", "-q", "--record", name, *words, code=code)

    def diff(self, *words, code=1):
        return self.run_it("diff", "--state", *words, code=code)

    def test_a_planted_difference(self):
        text = self.diff("good.pto", "bad.pto", *FIRST)
        self.assertRegex(text, r"A = good.pto: 20 writes up to \S+ us, ok\n")
        self.assertIn("the first difference is the 4th write of rank 0, aiv0.1, V:\n", text)
        self.assertIn("\n  A  TADDS t, t, 1.0  (good.pto:22), event ", text)
        self.assertIn("\n  B  TADDS t, t, 2.0  (bad.pto:22), event ", text)
        self.assertRegex(text, r"\n  ub\+0x\w+: 193 in A, 194 in B\n")
        self.assertIn("results that differ at the end: y@0\n", text)

    def test_events_are_those_of_the_debugger(self):
        text = self.diff("good.pto", "bad.pto", *FIRST)
        event = int(re.search(r"B .*, event (\d+),", text).group(1))
        words = ["ptodbg", "bad.pto", *FIRST, "--batch"]
        before = pto.run(*words, "-e", "goto %d" % (event - 1), "-e", "print t[0]{1, 1}", "-e",
                         "goto %d" % event, "-e", "focus aiv0.1", "-e", "print t[0]{1, 1}",
                         cwd=self.folder).out
        self.assertEqual(re.findall(r"^ +0 +(\S+)$", before, re.M)[-1], "194", before)
        told = pto.run(*words, "-e", "run", "-e", "info events 1000", cwd=self.folder).out
        self.assertRegex(told, r"(?m)^ *%d .*aiv0.1 V complete.*TADDS t, t, 2.0" % event)

    def test_registers_that_differ(self):
        """Told by name at the first difference; not those that are the same, or of one alone."""
        with open(os.path.join(self.folder, "good.pto")) as file:
            text = file.read().replace("TADDS t, t, 1.0", "TADDS t, t, %add")
        start = "    set_flag MTE3, MTE2, 0\n    .for"
        self.assertIn(start, text)
        for name, lines in (("one.pto", "%add = 1.0\n%turn = 7\n%mine = 3\n"),
                            ("two.pto", "%add = 1.5\n%turn = -7\n%other = 4\n")):
            self.write(name, text.replace(start, lines + start))
        text = self.diff("one.pto", "two.pto", *FIRST)
        self.assertIn("\n  registers: %add 1 in A, 1.5 in B; %turn 7 in A, -7 in B\n", text)
        report = json.loads(self.diff("one.pto", "two.pto", *FIRST, "--json"))
        self.assertEqual(report["first_difference"]["registers"],
                         [{"name": "add", "a": "1", "b": "1.5"},
                          {"name": "turn", "a": "7", "b": "-7"}])
        self.assertNotIn("registers:", self.diff("good.pto", "bad.pto", *FIRST))

    def test_the_same(self):
        for other in ("good.pto", "./good.pto"):
            text = self.diff("good.pto", other, *FIRST, code=0)
            self.assertIn("all writes are the same\n", text)
            self.assertNotIn("differ at the end", text)

    def test_times_alone_are_no_difference(self):
        ring = [os.path.join(KERNELS, "collective", "allreduce_ring.pto"), "--ranks", "4",
                "--cores", "1", "--set", "count=500", "--in", "x=iota"]
        self.record("a", *ring)
        self.record("b", *ring, "--jitter", "7")
        self.record("c", *ring, "--profile", "a5")
        text = self.diff("a", "b", code=0)
        ends = re.findall(r"up to (\S+) us, ok", text)
        self.assertNotEqual(ends[0], ends[1])
        self.assertIn("all writes are the same", self.diff("a", "c", code=0))

    def test_inputs_of_one_rank(self):
        """The first to see other numbers is who loads them; then they travel."""
        x = [float(i) for i in range(1000)]
        for rank in range(2):
            self.save("x%d.npy" % rank, "<f4", x)
            self.save("y%d.npy" % rank, "<f4", x[:600] + [600.0 + rank] + x[601:])
        put = [os.path.join(KERNELS, "collective", "allreduce_ring.pto"), "--ranks", "2", "--cores",
               "1", "--set", "count=1000"]
        self.record("a", *put, "--in", "x=x{rank}.npy")
        self.record("b", *put, "--in", "x=y{rank}.npy")
        text = self.diff("a", "b")
        self.assertRegex(text, r"write of rank 1, aiv0.\d, MTE2:")
        self.assertIn(": 600 in A, 601 in B", text)
        self.assertIn("results that differ at the end: y@0, y@1", text)

    def test_what_lands_elsewhere(self):
        """Bytes that the DMA engine reads are seen first where they arrive."""
        x = [i % 256 for i in range(12000)]
        for rank in range(2):
            self.save("x%d.npy" % rank, "|u1", x)
            self.save("y%d.npy" % rank, "|u1", x[:8000] + [x[8000] + (rank == 0)] + x[8001:])
        put = [os.path.join(KERNELS, "collective", "p2p_put_async.pto"), "--ranks", "2", "--cores",
               "1", "--set", "bytes=12000"]
        self.record("a", *put, "--in", "x=x{rank}.npy")
        self.record("b", *put, "--in", "x=y{rank}.npy")
        text = self.diff("a", "b")
        self.assertRegex(text, r"write of rank 0, \S+, DMA that lands on rank 1:")

    def test_one_of_them_hangs(self):
        vadd = [os.path.join(KERNELS, *path) for path in
                (("basic", "vadd.pto"), ("broken", "vadd_missing_set.pto"))]
        text = self.diff(*vadd, "--cores", "1", "--set", "n=9000", "--in", "a=iota", "--in",
                         "b=ones")
        self.assertRegex(text, r"B = .*: 4 writes up to \S+ us, deadlock: ")
        self.assertIn("B  nothing: it writes no more", text)
        text = self.diff(*vadd[::-1], "--cores", "1", "--set", "n=9000", "--in", "a=iota", "--in",
                         "b=ones")
        self.assertIn("A  nothing: it writes no more", text)

    def test_a_run_that_went_wrong_leaves_what_is_needed(self):
        done = pto.run("ptovm", "run", "-q", "--core", "bad.core", "bad.pto", *FIRST, "--expect",
                       "y=ones", cwd=self.folder)
        self.assertEqual(done.code, 6)
        text = self.diff("good.pto", "bad.core", *FIRST)
        self.assertIn("194 in B", text)

    def test_a_record_opens_in_the_debugger(self):
        self.record("end", "bad.pto", *FIRST)
        done = pto.run("ptodbg", "--core", os.path.join(self.folder, "end"), "--batch", "-e",
                       "print y[192]{1, 1}", "-e", "reverse-step", "-e", "when")
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("The program ended at", done.out)
        self.assertRegex(done.out, r"(?m)^ +0 194$")

    def test_signals_and_atomics_have_no_order(self):
        """Who comes first is a matter of times: the values that counters have on the way are."""
        kernel = [os.path.join(KERNELS, "collective", "allreduce_mesh.pto"), "--ranks", "4",
                  "--cores", "1", "--set", "count=500", "--in", "x=iota"]
        self.record("a", *kernel)
        for seed in ("1", "2", "3"):
            self.record("b", *kernel, "--jitter", seed)
            self.assertIn("all writes are the same", self.diff("a", "b", code=0))

    def test_for_programs(self):
        data = json.loads(self.diff("good.pto", "bad.pto", *FIRST, "--json"))
        with open(pto.source("docs", "schema", "state.schema.json")) as file:
            schema = json.load(file)
        self.assertEqual(set(data), set(schema["required"]))
        self.assertEqual(data["schema"], schema["properties"]["schema"]["enum"][0])
        self.assertEqual(set(data["a"]), set(schema["definitions"]["side"]["required"]))
        first = data["first_difference"]
        self.assertEqual((first["rank"], first["core"], first["pipe"], first["write"]),
                         (0, "aiv0.1", "V", 4))
        self.assertLessEqual(set(first), set(schema["definitions"]["difference"]["properties"]))
        self.assertEqual(set(first["b"]), set(schema["definitions"]["write"]["properties"]))
        self.assertEqual((first["a"]["value"], first["b"]["value"]), ("193", "194"))
        self.assertEqual(data["results"], [{"object": "y", "rank": 0}])
        data = json.loads(self.diff("good.pto", "good.pto", *FIRST, "--json", code=0))
        self.assertTrue(data["same"])
        self.assertIsNone(data["first_difference"])
        self.diff("good.pto", "bad.pto", *FIRST, "--json=report.json")
        with open(os.path.join(self.folder, "report.json")) as file:
            self.assertFalse(json.load(file)["same"])

    def test_what_cannot_be(self):
        self.record("a", "good.pto", *FIRST)
        for words, wanted in ((["a"], "needs two core files or kernels"),
                              (["a", "a", "a"], "does not take 'a'"),
                              (["a", "nowhere"], "cannot read 'nowhere'"),
                              (["a", "a", "--ranks", "2"], "which have options of their own"),
                              (["good.pto", "bad.pto"], "'n'"),
                              (["good.pto", "bad.pto", *FIRST, "--out", "y=y.npy"], "'--out'"),
                              (["a", "bad.pto", *FIRST, "--json=a"], "would replace"),
                              (["good.pto", "bad.pto", *FIRST, "--trace", "t"], "'--trace'")):
            with self.subTest(words):
                self.assertIn(wanted, self.diff(*words, code=2))
        self.assertIn("'--ranks'", self.run_it("diff", "a.json", "b.json", "--ranks", "2", code=2))
        with open(os.path.join(self.folder, "good.pto"), "a") as file:
            file.write("; more\n")
        self.assertIn("is not what it was", self.diff("a", "bad.pto", *FIRST, code=2))
        self.write("broken.pto", ".kernel\n")
        self.assertIn("broken.pto:1", self.diff("bad.pto", "broken.pto", *FIRST, code=1))

    def test_a_folder_that_is_gone(self):
        """Kernels need none; a core file, whose folder is another one, needs a way back."""
        self.record("a", "good.pto", *FIRST)
        good, bad, core = (os.path.join(self.folder, name) for name in ("good.pto", "bad.pto", "a"))
        gone = os.path.join(self.folder, "gone")
        script = 'mkdir %s; cd %s; rmdir %s; exec "$@"' % (gone, gone, gone)

        def diff(*words):
            done = pto.Result(subprocess.run(
                ["sh", "-c", script, "sh", pto.program("ptovm"), "diff", "--state", *words],
                capture_output=True, timeout=pto.TIMEOUT))
            return done.code, done.out + done.err

        code, text = diff(good, bad, *FIRST)
        self.assertEqual(code, 1, text)
        self.assertIn("the first difference is", text)
        code, text = diff(core, bad, *FIRST)
        self.assertEqual(code, 2, text)
        self.assertIn("no way back from the folder of '%s'" % core, text)


if __name__ == "__main__":
    unittest.main()
