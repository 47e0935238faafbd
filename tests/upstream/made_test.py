"""`--sync auto` on kernels without any synchronisation (making.py), in this project's language and
in upstream's: the values that numpy says, no finding of the checker, an end.

    made_test.py [--first SEED] [--count N] [--costs N] [--surplus]

Kernels SEED.. of each kind under N of twenty sets of costs; --surplus also counts what of the flags
and barriers put in could be left out: dropped one at a time, the runs stay clean and right."""

import argparse
import json
import os
import re
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, ".."), os.path.join(HERE, "..", "check")]
import pto  # noqa: E402
from litmus_test import settings  # noqa: E402
from making import Kernel  # noqa: E402
from spelling import Native  # noqa: E402
from spelling_upstream import Upstream  # noqa: E402

TURNS = (0, 3)      # of the loops whose number of turns is given
SYNC = re.compile(r"\s*(set_flag|pipe_barrier|dsb|dcci)\b")


class Trial:
    """One kernel in a folder, and how it is run."""

    def __init__(self, seed, upstream, folder):
        self.kernel, self.folder = Kernel(seed, upstream), folder
        self.upstream, self.seed = upstream, seed
        self.profile = "a5" if seed % 3 == 0 else "a2"
        self.path = os.path.join(folder, "made.pto")
        self.write((Upstream if upstream else Native)(self.kernel).text)
        self.inputs = []
        for name, array in self.kernel.inputs().items():
            place = os.path.join(folder, name + ".npy")
            np.save(place, array.reshape(-1) if upstream else array)
            self.inputs += ["--in", "%s=%s" % (name, place)]

    def write(self, text):
        self.text = text
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def result(self, name):
        return os.path.join(self.folder, name + "_out.npy")

    def wrong(self, turns, want, costs, sync="auto", more=()):
        """What is not as it should be, None: nothing; and the run."""
        done = pto.ptovm("check", self.path, "--cores", self.kernel.cores, "--sync", sync, "--set",
                         "%s=%d" % ("count" if self.upstream else "n", turns), "--max-time", "1s",
                         *self.inputs, *["--out=%s=%s" % (name, self.result(name))
                                         for name in want], *costs, *more)
        if done.code or done.err:
            return "exit %d, %s" % (done.code, done.err), done
        for name, array in want.items():
            got = np.load(self.result(name)).reshape(array.shape)
            if not np.array_equal(got, array, equal_nan=array.dtype.kind == "f"):
                return "other values in %s, first at %s" % (
                    name, np.argwhere(got != array)[0].tolist()), done
        return None, done

    def complaint(self, costs):
        """The first thing wrong under any of the costs, None: nothing."""
        for turns in TURNS:
            want = self.kernel.golden(turns)
            for number, cost in enumerate(settings(self.profile, [], self.folder)):
                if (number + self.seed) % 20 >= costs:
                    continue
                found, _ = self.wrong(turns, want, cost)
                if found:
                    return "n = %d, %s: %s" % (turns, " ".join(cost), found)
        return None

    def surplus(self):
        """How many flags and barriers were put in, and which could be left out."""
        plain = pto.ptoas("-S", "--sync", "auto", "--profile", self.profile, self.path).out
        plain = re.sub(r"^ *\.(file|pos|at) .*\n", "", plain, flags=re.M)  # lines are its own
        runs = [(turns, self.kernel.golden(turns)) for turns in TURNS + (1, 2, 4)]
        self.write(plain)
        named = set()
        for turns, want in runs:
            _, done = self.wrong(turns, want, ["-p", self.profile], "asis", ["--json"])
            for note in json.loads(done.out)["notes"]:
                if note["kind"] == "redundant-sync":
                    named.add(tuple(sorted({line["line"] for line in note["lines"]})))
        left_out = [lines for lines in sorted(named) if self.is_surplus(plain, lines, runs)]
        return sum(bool(SYNC.match(line)) for line in plain.splitlines()), left_out

    def is_surplus(self, plain, lines, runs):
        kept = [line for number, line in enumerate(plain.splitlines(), 1) if number not in lines]
        self.write("\n".join(kept) + "\n")
        return all(not self.wrong(turns, want, ["-p", self.profile], "asis")[0]
                   for turns, want in runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10 if pto.SANITIZED else 40)
    parser.add_argument("--costs", type=int, default=1)
    parser.add_argument("--surplus", action="store_true")
    options = parser.parse_args()
    failed = put_in = left_out = 0
    with tempfile.TemporaryDirectory(prefix="pto-made-") as folder:
        for seed in range(options.first, options.first + options.count):
            for upstream in (False, True):
                trial = Trial(seed, upstream, folder)
                found = trial.complaint(options.costs)
                if found:
                    failed += 1
                    print("seed %d%s, %s\n%s" % (seed, " in upstream's text" * upstream, found,
                                                 trial.text))
                elif options.surplus:
                    count, lines = trial.surplus()
                    put_in, left_out = put_in + count, left_out + len(lines)
                    if lines:
                        print("seed %d%s: lines %s" % (seed, " in upstream's text" * upstream,
                                                       lines))
    print("%d kernels, %d wrong" % (2 * options.count, failed))
    if options.surplus:
        print("%d flags and barriers put in, %d could be left out" % (put_in, left_out))
    return 1 if failed or not options.count else 0


if __name__ == "__main__":
    sys.exit(main())
