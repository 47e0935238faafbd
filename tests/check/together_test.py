"""The checker of a run that several processes share says what that of one says: every kernel of the
mutation cases, a sample of its mutants and every litmus program by processes that meet in memory,
and the command lines of docs/kernels.md by those of mpirun, to the last byte.

    together_test.py             what ctest runs
    together_test.py --sample N  one mutant of N, in place of few"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "run"))
import docs_test  # noqa: E402
import litmus_test  # noqa: E402
from pto import SOURCE, TIMEOUT, helper, sample, source  # noqa: E402
from processes import WHY_NOT, on  # noqa: E402

SAMPLE = 97


def litmus_lines():
    """Command lines of the litmus programs that run on several ranks."""
    for name in sorted(os.listdir(litmus_test.FOLDER)):
        path = os.path.join(litmus_test.FOLDER, name)
        for options, profile, _ in litmus_test.parse(path):
            if "--ranks" in options:
                yield shlex.join([path, *options, "-p", profile])


class InMemory(unittest.TestCase):
    def compare(self, cases, inputs, sample):
        done = subprocess.run([helper("together"), "--sample", str(sample), "--inputs", inputs,
                               cases], cwd=SOURCE, capture_output=True, timeout=TIMEOUT)
        text = done.stdout.decode()
        self.assertEqual(done.returncode, 0, text + done.stderr.decode())
        runs, found = (int(word) for word in text.split()[::2][:2])
        return runs, found

    def test_kernels_and_mutants(self):
        with tempfile.TemporaryDirectory(prefix="pto-together-") as inputs:
            subprocess.run([sys.executable, source("tests", "check", "mutants", "inputs.py"),
                            inputs], check=True)
            runs, found = self.compare(source("tests", "check", "mutants", "cases.txt"), inputs,
                                       SAMPLE)
        self.assertGreater(runs, 60)
        self.assertGreater(found, 10)

    def test_litmus(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as cases:
            cases.write("\n".join(litmus_lines()) + "\n")
            cases.flush()
            runs, found = self.compare(cases.name, ".", 1 << 20)
        self.assertGreater(runs, 20)
        self.assertGreater(found, 8)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class ByMpirun(unittest.TestCase):
    """Screen, exit status and report of command lines as they are."""
    def everything(self, processes, arguments):
        with tempfile.TemporaryDirectory(prefix="pto-together-") as folder:
            report = os.path.join(folder, "report")
            deal = ("--deal", "cyclic") if processes == 3 else ()
            done = on(processes, "--json=" + report, *deal, *arguments)
            with open(report, "rb") as file:
                return done.code, done.out, re.sub(r"host {10}.*\n", "", done.err), file.read()

    def compare(self, processes, *arguments):
        alone, shared = (self.everything(count, arguments) for count in (1, processes))
        self.assertEqual(shared, alone, "%d processes: %s" % (processes, " ".join(arguments)))
        return alone

    def test_pages(self):
        """What docs/kernels.md shows of the checker on several ranks."""
        shown = [(arguments, code) for arguments, code in docs_test.commands()
                 if "--ranks" in arguments and ("check" in arguments or "--check" in arguments)]
        self.assertGreater(len(shown), 8)
        for i, (arguments, code) in enumerate(sample(shown, 3)):
            ranks = int(arguments[arguments.index("--ranks") + 1])
            with self.subTest(" ".join(arguments)):
                self.assertEqual(self.compare(min(2 + i % 3, ranks), *arguments)[0], code)

    def test_options_of_the_checker(self):
        with tempfile.TemporaryDirectory(prefix="pto-together-") as folder:
            hushed = os.path.join(folder, "hushed")
            with open(hushed, "w") as file:
                file.write("race-raw *\n")
            broken = ("check", "--ranks", "4", "--cores", "1", "--in", "x=const:3",
                      "kernels/broken/ring_missing_ready.pto")
            self.assertEqual(self.compare(3, *broken, "-v", "--check-coverage")[0], 4)
            self.assertEqual(self.compare(2, *broken, "--check-rank", "3")[0], 4)
            self.assertEqual(self.compare(2, *broken, "--suppress", hushed)[0], 0)
            self.assertEqual(self.compare(3, *broken, "--error-exitcode", "9")[0], 9)

    def test_doubts_are_settled_by_all(self):
        """A run that is done again, by all processes together."""
        doubtful = os.path.join(litmus_test.FOLDER, "two_senders.pto")
        for options, profile, _ in litmus_test.parse(doubtful)[:2]:
            self.compare(2, "check", *options, "-p", profile, doubtful)

    def test_refused(self):
        done = on(2, "check", "--fix", "--ranks", "2", "kernels/broken/remote_wait.pto")
        self.assertEqual(done.code, 2)
        self.assertEqual(done.err.count("--fix makes many runs"), 1)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--sample":
        SAMPLE = int(sys.argv[2])
        del sys.argv[1:]
    unittest.main()
