"""Text cases and litmus programs that are wrong are told from those that pass: misspelt keys, lost
lines, expectations that nothing could fail."""

import os
import sys
import unittest

from harness import KernelTest, source
from heads import BadCase
import cases_test

sys.path.insert(0, source("tests", "check"))
import litmus_test  # noqa: E402

KERNEL = """.kernel five
.out c : i32[2]
.core aiv
    .if vec_id() == 0
        st c[0], 5
        st c[1], 6
    .endif
"""
FAULT = KERNEL.replace("        st c[1], 6\n", "        st c[2], 6          ; @outside\n")
RULE = "; because: machine.md, Numbers: indices out of range fault\n"
RIGHT = "; run: --cores 1\n; expect-out c: 5 6\n"


class Format(KernelTest):
    def write(self, head, kernel=KERNEL):
        path = self.path("case.pto")
        with open(path, "w") as file:
            file.write(head + kernel)
        return path

    def run_case(self, head, kernel=KERNEL):
        """How many scenarios ran, and how many complaints there were."""
        sys.stdout, out = open(os.devnull, "w"), sys.stdout
        try:
            return cases_test.run_case(self.write(head, kernel))
        finally:
            sys.stdout.close()
            sys.stdout = out

    def refused(self, words, head, kernel=KERNEL):
        with self.assertRaisesRegex(BadCase, words):
            cases_test.parse(self.write(head, kernel))

    def test_right(self):
        self.assertEqual(self.run_case("; Words: about it.\n" + RIGHT), (1, 0))
        self.assertEqual(self.run_case(
            RULE + "; run: --cores 1\n; expect-exit: 1\n"
            "; expect-stderr: ^{file}:{outside}:.*fault: index 2\n", FAULT), (1, 0))

    def test_wrong_expectations_fail(self):
        for head in ("; expect-out c: 5 7\n", "; expect-out c: 5\n", "; expect-out c: 5 6 7\n",
                     "; expect-out c: 6 ...\n", "; expect-out c@0: _ 5\n",
                     "; expect-out c: 5 6\n; expect-stdout: nothing like it\n",
                     RULE + "; expect-exit: 1\n; expect-stderr: fault\n"):
            with self.subTest(head):
                self.assertEqual(self.run_case("; run: --cores 1\n" + head), (1, 1))

    def test_messages_and_places(self):
        head = RULE + "; run: --cores 1\n; expect-exit: 1\n; expect-stderr: "
        for pattern in (":{outside}:.*index 3", "^{file}:{outside}:\\d+: error"):
            self.assertEqual(self.run_case(head + pattern + "\n", FAULT), (1, 1))

    def test_misspelt(self):
        for line in ("; expect-otu c: 5 6", "; expects-out c: 5 6", "; expect_out c: 5 6",
                     "; expect-output c: 5 6", "; Expect-out c: 5 6", "; kernel: five",
                     "; ruun: --cores 1", "; 5 6 expect-out c: 5 6", ";", "; more words"):
            with self.subTest(line):
                self.refused("is none of", RIGHT + line + "\n")
        self.refused("is none of", "; ruun: --cores 1\n" + RIGHT)
        self.refused("is none of", "; expect-exti 0: 1\n" + RIGHT)

    def test_lost(self):
        self.refused("stands behind the head", RIGHT + "\n; expect-out c: 5 6\n")
        self.refused("stands behind the head", RIGHT, KERNEL + "; run: --cores 2\n")
        self.refused("before the first 'run'", "; expect-out c: 5 6\n" + RIGHT)
        self.refused("no 'run' line", "; Words.\n")
        self.refused("at the marker @outside", RIGHT, FAULT)

    def test_nothing_to_fail(self):
        self.refused("nothing is expected", "; run: --cores 1\n")
        self.refused("run 2: nothing is expected", RIGHT + "; run: --cores 2\n")
        self.refused("no because", "; run: --cores 1\n; expect-stdout: cores\n")
        self.refused("needs expect-stderr", RULE + "; run: --cores 1\n; expect-exit: 1\n")
        self.refused("writes no results", RIGHT + "; expect-exit: 1\n; expect-stderr: fault\n")
        self.refused("wants NAME: VALUES", "; run: --cores 1\n; expect-out c:\n")

    def test_reasons(self):
        for rule, words in (("because so", "because wants"),
                            ("machine.md, Nonsense: x", "has no heading"),
                            ("machine.md, Numbers:", "because wants")):
            self.refused(words, "; because: %s\n%s" % (rule, RIGHT))

    def test_verdicts(self):
        def parsed(head):
            return litmus_test.parse(self.write(head))

        self.assertEqual(parsed("; run: --cores 1\n; a2: race-raw 3 4 | none\n"),
                         [(["--cores", "1"], "a2", "race-raw 3 4 | none")])
        for verdict in ("non", "race-rwa 3 4", "race-raw 3 x", "none advice=", "", "none |"):
            with self.subTest(verdict), self.assertRaisesRegex(BadCase, "verdict|advice"):
                parsed("; run: --cores 1\n; a2: %s\n" % verdict)
        for head in ("; a2: none\n; run: --cores 1\n", "; run: --cores 1\n", "; Words.\n",
                     "; run: --cores 1\n; a6: none\n", "; run: --cores 1\n; a2 none\n",
                     "; run: --cores 1\n; run: --cores 2\n; a2: none\n"):
            with self.subTest(head), self.assertRaises(BadCase):
                parsed(head)


if __name__ == "__main__":
    unittest.main()
