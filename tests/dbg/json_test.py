"""ptodbg --json: a line for every command, whatever it answers."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

FOLDER = pto.source("tests", "dbg")
ADD = ["--profile", "toy", "--cores", "1", "--set", "n=200", "--in", "a=iota", "--in",
       "b=const:0.5"]
STUCK = ["--profile", "toy", "--cores", "1", "--in", "a=ones"]


class Lines(unittest.TestCase):
    def session(self, commands, *options, kernel="add.pto", given=ADD, code=0):
        done = pto.run("ptodbg", "--json", *given, *options, kernel, cwd=FOLDER,
                       stdin="".join(command + "\n" for command in commands))
        self.assertEqual(done.code, code, done.err)
        lines = [json.loads(line) for line in done.out.splitlines()]
        return {line["command"]: line for line in lines}, lines

    def test_definitions(self):
        by, lines = self.session(["define add", "print $1 + 1", "end", "add 4"])
        self.assertEqual([line["answer"] for line in lines[:3]], ["", "", ""])
        self.assertIn("4 + 1 = 5", "".join(line["answer"] for line in lines[3:]))
        self.session(["define add", "print 1"], code=2)

    def test_where_it_stands(self):
        by, lines = self.session(["print 1 + 1", "start", "break TADD", "break TADD if %off == 0",
                                  "continue"])
        self.assertEqual([line["command"] for line in lines],
                         ["print 1 + 1", "start", "break TADD", "break TADD if %off == 0",
                          "continue"])
        self.assertEqual(lines[0]["state"], "not started")
        self.assertEqual(lines[0]["answer"], "1 + 1 = 2\n")
        self.assertTrue(by["break TADD"]["answer"].startswith("Breakpoint 1: "))
        self.assertEqual(lines[1]["event"], 3)
        stop = by["continue"]
        self.assertEqual(stop["breakpoints"], [1, 2])
        self.assertEqual((stop["state"], stop["rank"], stop["core"], stop["file"]),
                         ("stopped", 0, "aiv0.0", "add.pto"))
        self.assertEqual(stop["line"], pto.line_of(os.path.join(FOLDER, "add.pto"), "TADD"))
        self.assertIn("Breakpoint 1, Breakpoint 2", stop["answer"])
        self.assertEqual(stop["time_ps"], 1019000)

    def test_a_command_that_fails_does_not_end_it(self):
        by, lines = self.session(["nonsense", "print nix", "\u00e4\u0001", "run"])
        self.assertEqual([line["good"] for line in lines], [False, False, False, True])
        self.assertIn("no command", by["nonsense"]["answer"])
        self.assertEqual(by["run"]["state"], "ended")

    def test_a_script_that_fails_does(self):
        _, lines = self.session([], "-e", "print nix", "-e", "run", code=2)
        self.assertEqual([line["command"] for line in lines], ["print nix"])

    def test_lines_of_a_script(self):
        _, lines = self.session(["source more.gdb"])
        self.assertEqual(lines[-1]["command"], "source more.gdb")
        self.assertGreater(len(lines), 1)

    def test_scripts_one_after_another(self):
        """Only those inside of one another count for how deep they may be."""
        by, lines = self.session(["source more.gdb"] * 20)
        self.assertTrue(by["source more.gdb"]["good"], lines[-1])

    def test_what_is_wrong_with_the_program(self):
        by, _ = self.session(["run"], kernel="stuck.pto", given=STUCK, code=3)
        self.assertEqual(by["run"]["state"], "dead")
        self.assertIn("deadlock", by["run"]["answer"])


if __name__ == "__main__":
    unittest.main()
