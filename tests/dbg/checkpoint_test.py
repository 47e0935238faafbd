"""Checkpoints: who comes back to one finds the machine as it was when it was made."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
import pty_test  # noqa: E402

FOLDER = pto.source("tests", "dbg")
ADD = ["add.pto", "--set", "n=300", "--in", "a=iota", "--in", "b=ones"]
RING = ["ring.pto", "--ranks", "3"]
LOOK = ["when", "focus", "info cores all", "info registers all", "info queues", "info flags",
        "info locals", "info signals", "info events 30", "info changes", "why all"]


class Checkpoints(unittest.TestCase):
    def session(self, words, commands, *options):
        """Answers and states, one after the other."""
        done = pto.run("ptodbg", "--json", "--profile", "toy", "--cores", "1", *options, *words,
                       cwd=FOLDER, stdin="".join(command + "\n" for command in commands))
        self.assertEqual(done.err, "")
        return [json.loads(line) for line in done.out.splitlines()]

    def look(self, words, commands, look, *options):
        """What all those of `look` answer, wherever they stand among the commands."""
        lines = self.session(words, commands, *options)
        bad = [line for line in lines if not line["good"]]
        self.assertEqual(bad, [])
        answers = [line["answer"] for line in lines if line["command"] in look]
        return [answers[i:i + len(look)] for i in range(0, len(answers), len(look))]

    def check(self, words, before, away, back, *options, more=()):
        look = [*LOOK, *more]
        there, again = self.look(words, [*before, "checkpoint here", *look, *away, back, *look],
                                 look, *options)
        self.assertEqual(there, again)

    def test_back_and_on(self):
        for options in ((), ("--check",)):
            for away in ("run", "reverse-step 3", "rerun", "continue", "goto 12"):
                with self.subTest(away=away, options=options):
                    self.check(ADD, ["start", "step 9", "focus 0.aiv0.1"], [away], "restart here",
                               *options, more=["print ta[0]"])
                    self.check(RING, ["start", "step 4", "pipe"], [away], "goto here", *options,
                               more=["print box@1"])

    def test_an_altered_run_comes_back(self):
        change = ["start", "step 9", "set a[70] = 1000", "set %half = 3", "set ta[1](0, 2) = 5"]
        for steps in ([], ["step 5"], ["step 5", "set seen[1] = 77", "step 2"]):
            for away in (["run"], ["goto 5"], ["continue", "goto 5"], ["set b[2] = 9", "step"],
                         ["goto 9", "set a[70] = 2", "continue"]):
                with self.subTest(steps=steps, away=away):
                    self.check(ADD, [*change, *steps], away, "restart here",
                               more=["print a", "print ta[1]", "print seen[1]"])

    def test_what_comes_of_it_is_the_same(self):
        commands = ["start", "step 9", "set a[70] = 1000", "checkpoint here"]
        first = self.look(ADD, [*commands, "continue", "print c"], ["print c"])
        again = self.look(ADD, [*commands, "run", "restart here", "continue", "print c"],
                          ["print c"])
        plain = self.look(ADD, [*commands, "run", "print c"], ["print c"])
        self.assertEqual(first, again)
        self.assertNotEqual(first, plain)

    def test_the_list(self):
        lines = self.session(ADD, ["info checkpoints", "start", "checkpoint", "step", "checkpoint",
                                   "checkpoint two", "info checkpoints", "delete checkpoint 1",
                                   "step", "checkpoint two", "checkpoint", "info checkpoints",
                                   "delete checkpoint", "info checkpoints", "restart 1"])
        answers = [line["answer"] for line in lines]
        self.assertEqual(answers[0], "No checkpoints.\n")
        names = [[line[2:].split()[0] for line in answers[i].splitlines()] for i in (6, 11)]
        self.assertEqual(names, [["1", "2", "two"], ["2", "two", "1"]])
        marked = [line[2:].split()[0] for line in answers[6].splitlines() if line[0] == "*"]
        self.assertEqual(marked, ["2", "two"])
        self.assertIn("two is here now", answers[9])
        self.assertEqual(answers[13], "No checkpoints.\n")
        self.assertFalse(lines[14]["good"])

    def test_a_fault_has_a_moment_before_it(self):
        self.check(["fault.pto"], ["start", "step 2"], ["continue"], "restart here")

    def test_names_are_completed(self):
        t = pty_test.session(*ADD)
        t.expect(pty_test.PROMPT)
        t.command("start")
        self.assertIn("Checkpoint before-it: event 3", t.command("checkpoint before-it"))
        t.command("step 5")
        self.assertIn("event 3", t.command("restart bef\t"))
        t.command("step 5")
        self.assertIn("event 3", t.command("goto bef\t"))
        self.assertIn("before-it", t.command("info chec\t"))
        self.assertNotIn("error", t.command("delete chec\tbef\t"))
        self.assertIn("No checkpoints", t.command("info checkpoints"))
        t.send("quit\r")
        self.assertEqual(t.end(), 0)


if __name__ == "__main__":
    unittest.main()
