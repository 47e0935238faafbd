"""Core files: what ptovm leaves where a run goes wrong, ptodbg opens there."""
import os
import shutil
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

TOY = ["--profile", "toy", "--cores", "1"]


class Core(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("stuck", "fault", "race", "forever", "add"):
            shutil.copy(pto.source("tests", "dbg", name + ".pto"), self.folder)
        self.core = os.path.join(self.folder, "core")

    def run_it(self, *words, code, command="run"):
        done = pto.run("ptovm", "--core", "core", *TOY, command, *words, cwd=self.folder)
        self.assertEqual(done.code, code, done.err)
        return done

    def open_it(self, *commands, code=0, options=(), cwd=None):
        words = [w for c in commands for w in ("-e", c)]
        done = pto.run("ptodbg", "--core", self.core, "--batch", *options, *words,
                       cwd=cwd or pto.SOURCE)
        self.assertEqual(done.code, code, done.out + done.err)
        return done.out + done.err

    def test_a_run_that_ends_well_leaves_none(self):
        self.run_it("stuck.pto", "--in", "a=ones", code=3)
        os.remove(self.core)
        self.run_it("add.pto", "--set", "n=64", "--in", "a=ones", "--in", "b=ones", code=0)
        self.run_it("nowhere.pto", code=2)
        self.assertFalse(os.path.exists(self.core))

    def test_a_deadlock_and_the_way_back(self):
        self.run_it("stuck.pto", "--in", "a=ones", code=3)
        text = self.open_it("why", "reverse-step", "when")
        self.assertIn("deadlock: nothing can run", text)
        self.assertIn("waits for the token", text)
        self.assertEqual(self.open_it("why", code=3).count("deadlock: "), 1)

    def test_a_fault(self):
        self.run_it("fault.pto", code=1)
        self.assertIn("fault.pto:7:13: fault: division by zero", self.open_it(code=1))

    def test_findings(self):
        self.run_it("race.pto", "--in", "a=iota", code=4, command="check")
        self.assertIn("Catchpoint 1, ", self.open_it())

    def test_a_limit(self):
        self.run_it("forever.pto", "--max-time", "2us", code=5)
        self.assertIn("limit: ", self.open_it(code=5))

    def test_a_run_that_was_stopped(self):
        self.run_it("forever.pto", "--timeout", "300ms", "--json=report.json", code=5)
        text = self.open_it("when", "print %i > 0", options=("--json",))
        self.assertTrue(all(line.startswith("{") for line in text.splitlines()), text)
        self.assertIn("%i > 0 = 1", text)

    def test_results_that_are_not_as_expected(self):
        np.save(os.path.join(self.folder, "a.npy"), np.arange(64, dtype=np.float32))
        self.run_it("add.pto", "--set", "n=64", "--in", "a=a.npy", "--in", "b=ones", "--expect",
                    "c=iota", "-q", code=6)
        self.assertIn("%d" % 64, self.open_it("print c[63]{1, 1}"))
        np.save(os.path.join(self.folder, "a.npy"), np.ones(64, dtype=np.float32))
        self.assertIn("a.npy' is not what it was", self.open_it(code=2))

    def test_scripts_and_names_are_found(self):
        self.run_it("stuck.pto", "--in", "a=ones", code=3)
        other = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, other)
        with open(os.path.join(other, "some.cmd"), "w") as file:
            file.write("info ranks\n")
        self.assertIn("rank 0: stuck", self.open_it(options=("-x", "some.cmd"), cwd=other,
                                                    code=3))

    def test_what_has_changed(self):
        self.run_it("stuck.pto", "--in", "a=ones", code=3)
        with open(os.path.join(self.folder, "stuck.pto"), "a") as file:
            file.write("; another line\n")
        self.assertIn("stuck.pto' is not what it was when the core file was written",
                      self.open_it(code=2))

    def test_a_folder_that_is_gone(self):
        self.run_it("forever.pto", "--max-time", "2us", code=5)
        with open(self.core, "rb") as file:
            data = file.read()
        with open(self.core, "wb") as file:
            file.write(data.replace(self.folder.encode(), b"x" * len(self.folder)))
        self.open_it(code=2)

    def test_an_input_that_changed(self):
        path = os.path.join(self.folder, "a.npy")
        np.save(path, np.ones(64, np.float32))
        self.run_it("stuck.pto", "--in", "a=a.npy", code=3)
        np.save(path, np.zeros(64, np.float32))
        self.assertIn("a.npy' is not what it was when the core file was written",
                      self.open_it(code=2))

    def test_what_else_leads_there(self):
        """Files of options decide where a run ends as well."""
        for name, text in (("mine.profile", "base = toy\n"), ("links", "link 0 1\n"),
                           ("hide", "* nowhere.pto\n"), ("n.raw", "\0" * 8)):
            with open(os.path.join(self.folder, name), "w") as file:
                file.write(text)
        run = [["stuck.pto", "--in", "a=ones", "--ranks", "2", *words] for words in (
            ["--profile", "mine.profile"], ["--topology", "file:links"], ["--suppress", "hide"])]
        run.append(["lost.pto", "--set", "n=@n.raw", "--in", "a=ones"])
        with open(os.path.join(self.folder, "stuck.pto")) as file, \
                open(os.path.join(self.folder, "lost.pto"), "w") as lost:
            lost.write(file.read().replace(".kernel stuck\n", ".kernel stuck\n.param n : i64\n"))
        for words, name in zip(run, ("mine.profile", "links", "hide", "n.raw")):
            with self.subTest(name):
                self.run_it(*words, code=3, command="check" if name == "hide" else "run")
                self.assertNotIn("is not what it was", self.open_it(code=3))
                with open(os.path.join(self.folder, name), "ab") as file:
                    file.write(b"\n")
                self.assertIn("%s' is not what it was when the core file was written" % name,
                              self.open_it(code=2))

    def test_what_is_no_core_file(self):
        self.run_it("stuck.pto", "--in", "a=ones", code=3)
        with open(self.core, "rb") as file:
            good = file.read()
        bad = [b"", b"pto core 1\n", good[:-1], good[:-20], good[:30], good + b"x", good[11:],
               b"pto core 1\nword 99999999999999999999\nx\n", b"pto core 1\nword 5\nab\n",
               b"pto core 1\nfile 3\n1 2\n", b"pto core 1\nfolder 1\n/\nfile 3\n1 2\n",
               b"pto core 1\nnonsense 1\nx\n", b"pto core 1\n" + b"w" * 5000]
        for data in bad:
            with open(self.core, "wb") as file:
                file.write(data)
            text = self.open_it(code=2)
            self.assertIn("error: ", text, data[:60])
        self.core = "nowhere.core"
        self.assertIn("cannot read 'nowhere.core'", self.open_it(code=2))

    def test_no_kernel_beside_it(self):
        self.run_it("fault.pto", code=1)
        self.assertIn("the file names the kernel", self.open_it(options=("fault.pto",), code=2))


if __name__ == "__main__":
    unittest.main()
