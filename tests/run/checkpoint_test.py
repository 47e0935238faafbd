"""A run that goes on from a checkpoint is the run that nobody interrupted: bytes, times, screen,
reports; and what does not fit to a checkpoint is refused."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np

import docs_test
import threads_test
from harness import SOURCE, KernelTest, ptovm, sample, share
from pto import TIMEOUT, Result, helper, program

TALK = threads_test.TALK
# Not with --checkpoint.
OTHERS = {"--check", "check", "--trace", "--report", "--critical-path", "--fix", "explore", "tune",
          "whatif", "info", "--check-kind", "--check-coverage", "--suppress", "--sarif"}
# Rank 1 is told something while it works, and waits for it afterwards; then both tell each other
# something that nobody waits for, and rank 1 is the last to work.
TOLD = """
.kernel told
.signal s[2]
.out seen : i64[2]
.core aiv
.tile t : ub f32[16, 256]
    .if vec_id() == 0
        .if rank() == 0
            TNOTIFY s@1[0], 5, add
        .endif
        .for %i = 0 to 60
            TEXP t, t
            pipe_barrier ALL
        .endfor
        .if rank() == 1
            TWAIT s[0], ge, 5
            %now = clock()
            st seen[0], %now
        .endif
        .for %i = 0 to 40
            TNOTIFY s@(1 - rank())[1], 1, add
            TEXP t, t
            pipe_barrier ALL
        .endfor
        %value = ld s[1]
        st seen[1], %value
        .for %i = 0 to 5 * rank()
            TEXP t, t
            pipe_barrier ALL
        .endfor
    .endif
"""
# It polls for longer than anybody waits.
LONG = """
.kernel long
.signal s[1]
.core aiv
    .for %i = 0 to 60000000
        %seen = TTEST s[0], ge, 1
    .endfor
"""
STOPS = (1, 30, 400, 5000, 40000)  # events from one stop to the next


def words(arguments):
    return [str(a) for a in arguments]


def written(file):
    """What tells one checkpoint in a file from the next, and from none."""
    try:
        found = os.stat(file)
        return found.st_ino, found.st_mtime_ns
    except FileNotFoundError:
        return None


def killed_it(run, file, rest):
    """Kill the run, `rest` seconds after it has left a checkpoint of its own; whether it was still
    there."""
    before = written(file)
    while run.poll() is None and written(file) == before:
        time.sleep(0.001)
    try:
        run.wait(timeout=rest)
        return False
    except subprocess.TimeoutExpired:
        run.kill()
        return True


class Checkpoint(KernelTest):
    def outputs(self, arguments, names=None):
        """Options for all that a run can leave, in a folder that is emptied."""
        folder = self.path("run")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        names = threads_test.results(arguments) if names is None else names
        return ["--json=%s/report" % folder] + [
            x for name in names for x in ("--out", "%s=%s/%s_{rank}.npy" % (name, folder, name))]

    def left(self, result):
        left = {"code": result.code, "out": result.out, "err": result.err}
        for name in sorted(os.listdir(self.path("run"))):
            with open(os.path.join(self.path("run"), name), "rb") as file:
                left[name] = file.read()
        return left

    def whole(self, arguments, names=None):
        """The run without interruption."""
        outputs = self.outputs(arguments, names)
        return self.left(ptovm(*arguments, *outputs, cwd=SOURCE))

    def stopping(self, arguments, stop):
        environment = dict(os.environ)
        if stop:
            environment["STOP_AT"] = str(stop)
        return Result(subprocess.run([helper("ptovm_stopping"), *words(arguments)], cwd=SOURCE,
                                     env=environment, stdin=subprocess.DEVNULL,
                                     capture_output=True, timeout=TIMEOUT))

    def in_pieces(self, arguments, names=None, threads=(1, 3)):
        """The run, stopped again and again; how often, and what it leaves."""
        file = self.path("ck")
        if os.path.exists(file):
            os.remove(file)
        stops = 0
        for i, stop in enumerate((*STOPS, None, None)):
            resume = ("--resume", file) if stops else ()
            outputs = self.outputs(arguments, names)
            done = self.stopping((*arguments, *outputs, "--checkpoint", file, "--threads",
                                  threads[i % len(threads)], *resume), stop)
            if done.code == -signal.SIGTERM:
                continue  # in the last window: nothing was left to be cut off
            if done.code != 128 + signal.SIGTERM:
                return stops, self.left(done)
            stops += 1
            self.assertIn("interrupted", done.err)
        self.fail("a run that was not stopped says so")

    def compare(self, arguments, names=None):
        arguments = tuple(words(arguments))
        whole = self.whole(arguments, names)
        stops, pieces = self.in_pieces(arguments, names)
        self.assertEqual(sorted(pieces), sorted(whole), pieces["err"])
        for name, left in whole.items():
            self.assertEqual(pieces[name], left, "%s after %d stops" % (name, stops))
        return stops, whole

    def ring(self, *options, n=40000, repeat=1):
        x = np.random.default_rng(3).standard_normal((8, n)).astype(np.float32)
        return ("--ranks", 8, "--cores", 2, "--repeat", repeat, *options, "run",
                "kernels/collective/allreduce_ring.pto", "--set", "count=%d" % n,
                "--in", "x=" + self.save_ranks("x", list(x)))

    # ---- the same as without interruption ----

    def test_all_kernels(self):
        compared = sum_of_stops = 0
        for arguments, code in sample(docs_test.commands(), 8):
            if OTHERS & {a.partition("=")[0] for a in arguments}:
                continue
            with self.subTest(" ".join(arguments)):
                stops, whole = self.compare(arguments)
                self.assertEqual(whole["code"], code, whole["err"])
                compared += 1
                sum_of_stops += stops
        self.assertGreater(compared, share(40, 8))
        self.assertGreater(sum_of_stops, 2 * compared)

    def test_ways_of_a_run(self):
        ways = ((), ("--repeat", 3, "--jitter", 5), ("--repeat", 3, "--join"),
                ("--topology", "torus:4x2"), ("--topology", "switch"), ("--topology", "nodes:4"),
                ("--slow-rank", "6=3", "--slow-link", "1-2=4"), ("--timing-only",),
                threads_test.CHANGES, ("--topology", "torus:4x2", *threads_test.CHANGES),
                ("--dead-rank", "5@30us"), ("--max-time", "60us"))
        for options in sample(ways, 3):
            with self.subTest(options):
                names = () if "--timing-only" in options else ("y", "acc", "turn")
                stops, whole = self.compare(self.ring(*options), names)
                self.assertGreater(stops, 2, whole["err"])

    def test_pipes_that_wait_for_flags_of_their_block(self):
        stops, whole = self.compare(threads_test.INTRA_BLOCK)
        self.assertEqual(whole["code"], 0, whole["err"])
        self.assertGreater(stops, 2)
        turns, me = 30, np.arange(16)
        for rank in range(2):
            with open(self.path("run/y_%d.npy" % rank), "rb") as file:
                y = np.load(file)
            np.testing.assert_array_equal(y[:, 0], turns * (me ^ 1) + turns * (turns + 1) / 2)

    def test_prints_and_faults(self):
        for bad in (2, 9):
            stops, whole = self.compare(("--ranks", 6, "run", TALK, "--set", "n=400", "--set",
                                         "bad=%d" % bad))
            self.assertEqual(whole["code"], 1 if bad == 2 else 0)
            self.assertIn("step", whole["out"])
            self.assertGreater(stops, 2)

    def test_one_rank_with_bytes_apart_from_time(self):
        arguments, _ = threads_test.Threads.crowd(self)
        stops, whole = self.compare(arguments)
        self.assertEqual(whole["code"], 0, whole["err"])
        self.assertGreater(stops, 2)

    def cut_off(self, arguments, stop, names):
        """A checkpoint is left behind so many events: the clock of then; None: there were fewer."""
        cut = self.stopping((*arguments, *self.outputs(arguments, names), "--checkpoint",
                             self.path("ck")), stop)
        if cut.code in (0, -signal.SIGTERM):
            return None
        self.assertEqual(cut.code, 128 + signal.SIGTERM, cut.err)
        with open(self.path("run/report")) as report:
            return json.load(report)["time_ps"]

    def test_while_a_signal_has_arrived_and_not_changed(self):
        """Cut off at many events: while what is waited for has arrived and is not to be seen, and
        after the end, when signals that nobody waits for are still to change."""
        late = 100000000
        with open(self.path("told.pto"), "w") as file:
            file.write(TOLD)
        arguments = ("--profile", "toy", "--ranks", "2", "--cores", "1", "--profile-set",
                     "remote_wake=%dps" % late, "run", self.path("told.pto"))
        whole = self.whole(arguments, ("seen",))
        seen, last = self.load("run/seen_1.npy")
        end = json.loads(whole["report"])["time_ps"]
        self.assertEqual(last, 0)
        self.assertLess(end, seen + late)
        clocks = []
        for stop in range(5, 5000, 50):
            clock = self.cut_off(arguments, stop, ("seen",))
            if clock is None:
                break
            clocks.append(clock)
            resumed = self.stopping((*arguments, *self.outputs(arguments, ("seen",)), "--resume",
                                     self.path("ck")), None)
            self.assertEqual(self.left(resumed), whole, "after %d events" % stop)
        self.assertGreater(sum(seen - late < clock < seen - late // 2 for clock in clocks), 5)
        self.assertGreater(sum(clock > end for clock in clocks), 1)

    # ---- killed ----

    def test_killed_at_any_moment(self):
        """Again and again, and then one comes to its end; each begins where the last one was, or
        with the file that it was about to rename (docs/trust.md)."""
        rng = random.Random(11)
        file = self.path("ck")
        for options in ((), ("--topology", "torus:4x2")):
            arguments = words(self.ring("--threads", 2, *options, repeat=120))
            whole = self.whole(arguments, ("y",))
            self.assertEqual(whole["code"], 0, whole["err"])
            killed = 0
            if os.path.exists(file):
                os.remove(file)
            for _ in range(100):
                resume = ["--resume", file] if os.path.exists(file) else []
                outputs = self.outputs(arguments, ("y",))
                with open(self.path("said"), "w+b") as out, open(self.path("err"), "w+b") as err:
                    run = subprocess.Popen(
                        [program("ptovm"), *arguments, *outputs, "--checkpoint", file, "--every",
                         "5ms", *resume], cwd=SOURCE, stdin=subprocess.DEVNULL, stdout=out,
                        stderr=err)
                    if killed < 6 and killed_it(run, file, rng.uniform(0, 0.02)):
                        killed += 1
                    run.wait(TIMEOUT)
                    out.seek(0)
                    err.seek(0)
                    done = subprocess.CompletedProcess([], run.returncode, out.read(), err.read())
                beside = [n for n in os.listdir(self.folder.name)
                          if n.startswith("ck") and n != "ck"]
                if done.returncode != -signal.SIGKILL:
                    self.assertEqual(beside, [])
                for name in beside:  # killed between the two calls that name a whole file
                    self.assertEqual(name, "ck.%d-0.tmp" % run.pid)
                    os.replace(self.path(name), file)
                if resume and done.returncode != -signal.SIGKILL:
                    break
            self.assertGreater(killed, 0)
            self.assertEqual(self.left(Result(done)), whole, "killed %d times" % killed)

    def test_a_limit_on_time_leaves_a_checkpoint(self):
        arguments = words(self.ring(repeat=400))
        file = self.path("ck")
        cut = ptovm(*arguments, "--timeout", "100ms", "--checkpoint", file, cwd=SOURCE)
        self.assertEqual(cut.code, 5, cut.err)
        whole = self.whole(arguments, ("y",))
        outputs = self.outputs(arguments, ("y",))
        self.assertEqual(self.left(ptovm(*arguments, *outputs, "--resume", file, cwd=SOURCE)),
                         whole)

    # ---- refused ----

    def checkpoint(self, arguments, stop=2000):
        file = self.path("ck")
        done = self.stopping((*arguments, "--checkpoint", file), stop)
        self.assertEqual(done.code, 128 + signal.SIGTERM, done.err)
        return file

    def refused(self, arguments, message, file=None):
        done = self.stopping((*arguments, "--resume", file or self.path("ck")), None)
        self.assertEqual(done.code, 2, done.err)
        self.assertRegex(done.err, message)
        self.assertNotIn("launches", done.out)

    def test_a_limit_on_simulated_time_behind_which_it_was_written(self):
        """What it has done cannot be taken back: it is refused.  A later limit is a limit."""
        file = self.path("run.ck")
        arguments = [self.write("long.pto", LONG), "--cores", "1"]
        cut = ptovm("run", *arguments, "--timeout", "300ms", "--checkpoint", file, "--json")
        self.assertEqual(cut.code, 5, cut.err)
        later = json.loads(cut.out)["time_ps"] * 3 // 2
        early = ptovm("run", *arguments, "--resume", file, "--max-time", "20us")
        self.assertEqual((early.code, early.out), (2, ""))
        self.assertIn("it was written later than --max-time", early.err)
        self.assertIn("hint: raise the limit", early.err)
        few = ptovm("run", *arguments, "--resume", file, "--max-insns", 1000)
        self.assertEqual((few.code, few.out), (2, ""))
        self.assertIn("than --max-insns allows", few.err)
        for way in ([], ["--resume", file]):
            late = ptovm("run", *arguments, *way, "--max-time", "%dps" % later, "--json")
            self.assertEqual(late.code, 5, late.err)
            self.assertEqual(json.loads(late.out)["time_ps"], later)

    def test_another_run(self):
        base = words(self.ring())
        file = self.checkpoint(base)
        for options, message in (
                (("--jitter", 1), "another machine"),
                (("--topology", "switch"), "another machine"),
                (("--slow-link", "0-1=2"), "another machine"),
                (("--slow-rank", "0=2"), "another machine"),
                (("--dead-rank", "0@1s"), "another machine"),
                (("--repeat", 2), "another machine"),
                (("--join",), "another machine"),
                (("--timing-only",), "another machine"),
                (("--ranks", 4), "another machine"),
                (("--cores", 4), "another machine"),
                (("--profile", "a3"), "another profile"),
                (("--profile-set", "link_latency=2us"), "another profile")):
            self.refused((*base, *options), message)
        x = np.load(self.path("x_3.npy"))
        x[7] += 1
        np.save(self.path("x_3.npy"), x)
        self.refused(base, "rank 3: 'x' does not hold what it held when the run began")
        x[7] -= 1
        other = ptovm(*base, "--resume", file, cwd=SOURCE)  # it is not the program that stops
        self.assertEqual(other.code, 2)
        self.assertIn("another build of ptovm", other.err)

    def test_other_parameters_and_kernels(self):
        base = ("--ranks", "6", "run", TALK, "--set", "n=400", "--set")
        self.checkpoint((*base, "bad=9"), 200)
        self.refused((*base, "bad=8"), "rank 0: parameters have other values than when the run "
                                       "began")
        with open(TALK) as file:
            text = file.read()
        changed = self.path("talk.pto")
        with open(changed, "w") as file:
            file.write(text.replace("step", "stop"))
        self.assertIn("step", text)
        self.refused([changed if a == TALK else a for a in (*base, "bad=9")], "other kernels")

    def test_files_that_are_none(self):
        base = ("--ranks", "6", "run", TALK, "--set", "n=400", "--set", "bad=9")
        file = self.checkpoint(base, 200)
        with open(file, "rb") as stream:
            good = stream.read()
        self.refused(base, "No such file", self.path("none"))
        self.refused(base, "it is no file", self.folder.name)
        other = self.path("other")
        rng = random.Random(5)
        cuts = [0, 1, 16, 17, 40, len(good) // 2, len(good) - 1]
        for size in cuts:
            with open(other, "wb") as stream:
                stream.write(good[:size])
            self.refused(base, "it is empty|it is no checkpoint|it is damaged", other)
        for _ in range(30):
            at = rng.randrange(len(good))
            with open(other, "wb") as stream:
                stream.write(good[:at] + bytes([good[at] ^ 1 << rng.randrange(8)]) +
                             good[at + 1:])
            self.refused(base, "it is no checkpoint|it is damaged", other)

    def test_zeros_behind_it(self):
        """As a host leaves them that goes down in the midst of writing; one of these files is a
        whole number of words."""
        file = self.path("zeros.ck")
        for letters in range(8):
            text = LONG.replace("    .for", "    print \"%s\"\n    .for" % ("a" * letters))
            base = ["--ranks", "1", "run", self.write("long.pto", text), "--cores", "1"]
            cut = ptovm(*base, "--timeout", "60ms", "--checkpoint", file)
            self.assertEqual(cut.code, 5, cut.err)
            with open(file, "ab") as stream:
                stream.write(bytes(8))
            self.refused(base, "it is damaged", file)

    def test_what_it_cannot_hold(self):
        base = ("--ranks", 2, "run", TALK, "--set", "n=4", "--set", "bad=9")
        for option in (("--check",), ("--trace", self.path("t")), ("--report", self.path("r")),
                       ("--critical-path",), ("--fix",)):
            found = ptovm(*base, *option, "--checkpoint", self.path("ck"))
            self.assertEqual(found.code, 2, found.err)
            self.assertRegex(found.err, "--checkpoint and --.*: a checkpoint holds the machine")
        found = ptovm(*base, "--every", "1s")
        self.assertIn("option '--every' says nothing without '--checkpoint'", found.err)
        for command in ("explore", "tune"):
            found = ptovm(command, *base[3:], "--resume", "x")
            self.assertEqual(found.code, 2, found.err)

    # ---- places where it cannot be written ----

    def test_where_nothing_can_be_written(self):
        base = words(self.ring(repeat=100))
        found = ptovm(*base, "--checkpoint", self.path("none/ck"), cwd=SOURCE)
        self.assertEqual(found.code, 2, found.err)
        self.assertIn("cannot write", found.err)
        clash = ptovm(*base, "--checkpoint", self.path("x_0.npy"), cwd=SOURCE)
        self.assertIn("would replace the input", clash.err)
        with open(self.path("report"), "w"):
            pass
        full = ptovm(*base, "--checkpoint", "/dev/full", "--every", "10ms",
                     "--json=" + self.path("report"), cwd=SOURCE)
        self.assertEqual(full.code, 2, full.err)
        self.assertEqual(full.err.count("cannot write '/dev/full': No space left on device"), 1)
        with open(self.path("report")) as file:
            report = json.load(file)
        whole = ptovm(*base, "--json", cwd=SOURCE)
        self.assertEqual(report["time_ps"], json.loads(whole.out)["time_ps"])


if __name__ == "__main__":
    unittest.main()
