"""Processes that share the ranks of a run change nothing that can be seen: results, screen,
reports, traces.  Skipped where there is no mpirun, or no Open MPI when the programs were built."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np

import docs_test
import threads_test
from harness import SOURCE, KernelTest, ptovm, source
from pto import TIMEOUT, Result, handles, program, wait_until

MPIRUN = shutil.which("mpirun")
TALK = threads_test.TALK
CHANGES = threads_test.CHANGES
# More processes than processors, as whoever: this is one machine of a test.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none",  # containers forbid it
                   OMPI_MCA_mpi_yield_when_idle="1",  # who waits leaves the processor to others
                   ASAN_OPTIONS="detect_leaks=0")  # MPI keeps what it has


def together(*words):
    """mpirun with these words: its exit status and what was printed."""
    return Result(subprocess.run([MPIRUN, "-q", "--oversubscribe", *map(str, words)], cwd=SOURCE,
                                 env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True,
                                 timeout=TIMEOUT))


def on(processes, *arguments):
    if processes == 1:
        return ptovm(*arguments, cwd=SOURCE)
    return together("-n", processes, program("ptovm"), *arguments)


def lives(pid):
    """Does a process run?  One that ended may have nobody who asks how."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def why_not():
    if not MPIRUN:
        return "no mpirun here: install openmpi-bin"
    found = on(2, "--ranks", 2, "run", TALK, "--set", "n=1", "--set", "bad=9")
    return "built without Open MPI" if "built without" in found.err else None


WHY_NOT = why_not()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Processes(KernelTest):
    def everything(self, processes, arguments, names, traced=True):
        """What a run leaves behind: exit status, screen and files by name."""
        folder = self.path("run")
        os.mkdir(folder)
        outputs = [x for name in names
                   for x in ("--out", "%s=%s/%s_{rank}.npy" % (name, folder, name))]
        trace = ("-v", "--trace", folder + "/trace", "--trace-max-events", 20000) if traced else ()
        result = on(processes, "--json=%s/report" % folder, *trace, *arguments, *outputs)
        left = {"code": result.code, "out": result.out,
                "err": re.sub(r"host {10}.*\n", "", result.err)}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                left[name] = file.read()
        shutil.rmtree(folder)
        return left

    def compare(self, arguments, counts=(2, 3, 4), names=None):
        arguments = tuple(map(str, arguments))
        names = threads_test.results(arguments) if names is None else names
        alone = self.everything(1, arguments, names)
        for processes in counts:
            shared = self.everything(processes, arguments, names)
            what = "%d processes: %s" % (processes, " ".join(map(str, arguments)))
            self.assertEqual(sorted(shared), sorted(alone), what + shared["err"])
            for name, left in alone.items():
                self.assertEqual(shared[name], left, name + " with " + what)
        return alone

    # ---- what they have in common with one ----

    def test_all_kernels(self):
        several = [(a, c) for a, c in docs_test.commands() if "--ranks" in a]
        self.assertGreater(len(several), 20)
        for i, (arguments, code) in enumerate(several):
            if "--check" in arguments or "check" in arguments:
                continue
            ranks = int(arguments[arguments.index("--ranks") + 1])
            with self.subTest(" ".join(arguments)):
                alone = self.compare(arguments, (min(2 + i % 3, ranks),))
                self.assertEqual(alone["code"], code)

    def ring(self, *options, n=4000):
        x = np.random.default_rng(3).standard_normal((8, n)).astype(np.float32)
        return ("--ranks", 8, "--cores", 2, *options, "run",
                "kernels/collective/allreduce_ring.pto", "--set", "count=%d" % n,
                "--in", "x=" + self.save_ranks("x", list(x)))

    def test_ways_of_a_run(self):
        ways = ((), CHANGES, ("--repeat", 3, "--jitter", 5), ("--repeat", 3, "--join"),
                ("--topology", "torus:4x2"), ("--topology", "switch"), ("--topology", "nodes:4"),
                ("--threads", 2, "--slow-rank", "6=3"), ("--timing-only",),
                ("--topology", "torus:4x2", *CHANGES), ("--link-down", "3-4@9us", *CHANGES))
        for i, options in enumerate(ways):
            with self.subTest(options):
                names = () if "--timing-only" in options else ("y", "acc", "turn")
                alone = self.compare(self.ring(*options), (2 + i % 3,), names)
                self.assertEqual(alone["code"], int("--link-down" in options), alone["err"])

    def test_prints_come_in_order(self):
        alone = self.compare(("--ranks", 6, "run", TALK, "--set", "n=400", "--set", "bad=6"))
        self.assertEqual(alone["code"], 0, alone["err"])
        self.assertEqual(alone["out"].count("step"), 6 * 8)

    def test_causes(self):
        """The longest chain of a run goes through ranks of all processes; so does a page."""
        arguments = self.ring("--critical-path", "--report", self.path("page"))
        alone = self.compare(arguments, (1,), ())
        with open(self.path("page"), "rb") as file:
            page = file.read()
        for processes in (2, 4):
            os.remove(self.path("page"))
            self.assertEqual(self.everything(processes, list(map(str, arguments)), ()), alone)
            with open(self.path("page"), "rb") as file:
                self.assertEqual(file.read(), page)

    def test_comparisons(self):
        arguments = self.ring()
        want = np.zeros(4000, np.float32)
        alone = self.compare((*arguments, "--expect", "y=" + self.save("w.npy", want)), (3,), ())
        self.assertEqual(alone["code"], 6)

    def test_inputs_that_are_asked_for(self):
        """An input goes out as it came in: of each rank from a file, for all, and generated."""
        alone = self.compare(self.ring(), (3,), ("x", "y"))
        for rank in range(8):
            with open(self.path("x_%d.npy" % rank), "rb") as file:
                self.assertEqual(alone["x_%d.npy" % rank], file.read())
        for given in ("x=" + self.path("x_0.npy"), "x=random:7"):
            arguments = self.ring()
            self.compare((*arguments[:-1], given), (3,), ("x", "y"))

    # ---- ends ----

    def test_faults(self):
        for bad in range(6):
            alone = self.compare(("--ranks", 6, "run", TALK, "--set", "n=400", "--set",
                                  "bad=%d" % bad), (3,))
            self.assertEqual(alone["code"], 1)
            self.assertIn("rank %d" % bad, alone["err"])

    def test_limits(self):
        alone = self.compare(("--ranks", "6", "--max-insns", "100K", "run", TALK, "--set",
                              "n=100000", "--set", "bad=9"))
        self.assertEqual(alone["code"], 5)

    def test_deadlocks(self):
        """Who waits for what, and what nearly came, on ranks of all processes."""
        graph = self.path("waits.dot")
        dead = self.ring("--dead-rank", "5@9us", "--wait-graph", graph)
        alone = self.compare(dead, (1,), ())
        with open(graph) as file:
            drawn = file.read()
        self.assertEqual(alone["code"], 3, alone["err"])
        for processes in (2, 3, 8):
            os.remove(graph)
            self.compare(dead, (processes,), ())
            with open(graph) as file:
                self.assertEqual(file.read(), drawn)

    def test_missing_links(self):
        x = self.save_ranks("x", [np.full(1000, r, np.float32) for r in range(8)])
        naive = ("--ranks", 8, "--link-down", "4-5", "run",
                 "kernels/broken/allreduce_naive_ring.pto", "--set", "count=1000", "--in", "x=" + x)
        self.assertEqual(self.compare(naive, (3,), ())["code"], 1)

    # ---- who has which ranks ----

    def deal(self, text):
        with open(self.path("deal"), "w") as file:
            file.write(text)
        return self.path("deal")

    def test_deals(self):
        arguments = tuple(map(str, self.ring("--repeat", 2, "--topology", "torus:4x2")))
        alone = self.everything(1, arguments, ("y", "acc", "turn"))
        self.assertEqual(alone["code"], 0, alone["err"])
        file = self.deal("# who has what\n2: 0, 3-4\n\n0: 7\n1: 1 - 2, 5,6  # the rest\n")
        for deal in ("blocks", "cyclic", file):
            self.assertEqual(self.everything(3, (*arguments, "--deal", deal),
                                             ("y", "acc", "turn")), alone, deal)

    def test_deals_that_are_none(self):
        for text, message in (
                ("0: 0-1\n1: 2\n", "{}: error: rank 3 is dealt to no process"),
                ("0: 0-3\n", "{}: error: process 1 of 2 has no rank"),
                ("0: 0-2\n1: 3, 1\n",
                 "{}:2:7: error: rank 1 has been dealt to process 0 already"),
                ("0: 0-7\n", "{}:1:6: error: rank 7: there are 0 to 3"),
                ("2: 0\n", "{}:1:1: error: process 2: there are 0 to 1"),
                ("0: 99999999999999999999\n", "{}:1:4: error: rank 99999999999999999999: "),
                ("x: 3\n", "{}:1:1: error: the number of a process is wanted here"),
                ("0; 3\n", "{}:1:2: error: ':' is wanted behind the number of the process"),
                ("\n0: 3-1\n", "{}:2:4: error: the last rank comes before the first"),
                ("0: 1,\n", "{}:1:6: error: the number of a rank is wanted here"),
                ("0: 1 2\n", "{}:1:6: error: ',' or the end of the line is wanted here")):
            file = self.deal(text)
            found = on(2, "--ranks", 4, "--deal", file, "run", TALK, "--set", "n=4", "--set",
                       "bad=9")
            self.assertEqual(found.code, 2, found.err)
            self.assertEqual(found.err.count(message.format(file)), 1, text + found.err)
        talk = ("--ranks", 4, "run", TALK, "--set", "n=4", "--set", "bad=9")
        found = on(2, "--deal", self.path("none"), *talk)
        self.assertEqual(found.code, 2)
        self.assertEqual(found.err.count("cannot read --deal"), 1, found.err)
        found = on(1, "--deal", "cyclic", *talk)
        self.assertEqual(found.code, 2)
        self.assertIn("--deal says nothing to one process", found.err)

    # ---- going on later ----

    def wait_for(self, file):
        for _ in range(1200):
            if os.path.exists(file):
                return
            time.sleep(0.1)
        self.fail("no checkpoint was written")

    def test_killed_and_resumed_by_others(self):
        """A run of three processes, killed, goes on with any number of them, and once more."""
        file = self.path("ck")
        arguments = list(map(str, self.ring("--repeat", 10, "--topology", "torus:4x2", "--join")))
        alone = self.everything(1, [*arguments, "-q"], ("y",), traced=False)
        self.assertEqual(alone["code"], 0, alone["err"])
        run = subprocess.Popen([MPIRUN, "-q", "--oversubscribe", "-n", "3", program("ptovm"),
                                *arguments, "--checkpoint", file, "--every", "20ms"], cwd=SOURCE,
                               env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for(file)
        try:
            os.kill(self.children(run, 3)[1], signal.SIGKILL)
        except (AssertionError, ProcessLookupError):
            pass  # it was faster; what it left is as good
        run.wait(timeout=TIMEOUT)
        for processes in (4, 1, 2):
            left = self.everything(processes, [*arguments, "-q", "--resume", file], ("y",),
                                   traced=False)
            self.assertEqual(left, alone, "with %d processes" % processes)

    def test_a_signal_leaves_a_checkpoint(self):
        """SIGUSR1 to mpirun, which passes it on: one checkpoint, one report, and the run goes
        on."""
        file = self.path("ck")
        run = self.long_run("--checkpoint", file, "--every", "1s")
        try:
            self.wait_for(file)
            run.send_signal(signal.SIGUSR1)
            err = run.communicate(timeout=120)[1].decode()
        finally:
            run.kill()
        self.assertEqual(err.count("interrupted"), 1, err)
        with open(self.path("report")) as report:
            first = json.load(report)
        self.assertEqual(first["status"], "interrupted")
        more = on(2, "--ranks", 8, "--resume", file, "--timeout", "2s", "--json", "run", TALK,
                  "--set", "n=1000000000", "--set", "bad=9")
        self.assertEqual(more.code, 5, more.err)
        self.assertGreater(json.loads(more.out)["time_ps"], first["time_ps"])
        other = on(2, "--ranks", 8, "--resume", file, "run", TALK, "--set", "n=1000000000",
                   "--set", "bad=8")
        self.assertEqual(other.code, 2, other.err)
        self.assertEqual(other.err.count("rank 0: parameters have other values"), 1)

    # ---- before a run ----

    def test_errors_are_told_once(self):
        for arguments in (("--ranks", 4, "run", "kernels/no_such.pto"),
                          ("--ranks", 4, "run", TALK, "--set", "m=4"),
                          ("--ranks", 4, "run", TALK, "--frobnicate"),
                          ("--ranks", 4, "--topology", "file:/no/such", "run", TALK)):
            alone = self.compare(arguments, (3,), ())
            self.assertEqual(alone["code"], 2)
        for x in (np.zeros(3999, np.float32), np.zeros(4000, np.float16)):
            arguments = self.ring()
            np.save(self.path("x_6.npy"), x)
            alone = self.compare(arguments, (3,), ())
            self.assertEqual(alone["code"], 2)
            self.assertIn("x_6.npy" if x.dtype == np.float32 else "x_{rank}.npy", alone["err"])
            os.remove(self.path("x_6.npy"))
            alone = self.compare(arguments, (3,), ())
            self.assertIn("x_6.npy", alone["err"])

    def test_uniform_inputs(self):
        """What ranks of several processes must agree on, from a file that is mapped and from one
        that is copied."""
        for suffix in (".npy", ".bin"):
            for rank in range(8):
                ring = np.arange(8, dtype=np.int32)
                ring[3] += rank == 6
                if suffix == ".npy":
                    np.save(self.path("ring_%d.npy" % rank), ring)
                else:
                    ring.tofile(self.path("ring_%d.bin" % rank))
            arguments = self.ring() + ("--in", "ring=" + self.path("ring_{rank}" + suffix))
            for processes in (2, 3, 8):
                alone = self.compare(arguments, (processes,), ())
            self.assertEqual(alone["code"], 2)
            self.assertIn("'ring' must be the same on all ranks: [3] is 3 on rank 0 and 4 on "
                          "rank 6", alone["err"])

    def test_more_processes_than_ranks(self):
        found = on(4, "--ranks", 3, "run", TALK, "--set", "n=4", "--set", "bad=9")
        self.assertEqual(found.code, 2)
        self.assertEqual(found.err.count("4 processes for 3 ranks: each needs one at least"), 1)

    def test_what_several_cannot_do(self):
        talk = (TALK, "--set", "n=4", "--set", "bad=9")
        for words in (("--fix", "run"), ("explore",),
                      ("tune", "--try", "n=1,2"), ("whatif", "--set-cost", "v=2x")):
            found = on(2, "--ranks", 2, *words, *talk)
            self.assertEqual(found.code, 2, found.err)
            self.assertEqual(found.err.count("several processes cannot do that yet"), 1)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_processes_that_are_not_alike(self):
        talk = (program("ptovm"), "--ranks", 4, "run", TALK, "--set", "n=4", "--set")
        found = together("-n", 1, *talk, "bad=9", ":", "-n", 1, *talk, "bad=8")
        self.assertEqual(found.code, 2, found.err)
        self.assertRegex(found.err,
                         r"error: process 1 on host \S+ has other arguments than process 0")

    def test_builds_that_are_not_alike(self):
        other = self.path("ptovm")
        shutil.copy(program("ptovm"), other)
        with open(other, "ab") as file:
            file.write(b"!")
        talk = ("--ranks", 4, "run", TALK, "--set", "n=4", "--set", "bad=9")
        found = together("-n", 1, program("ptovm"), *talk, ":", "-n", 1, other, *talk)
        self.assertEqual(found.code, 2, found.err)
        self.assertRegex(found.err,
                         r"error: process 1 on host \S+ has another build of ptovm than process 0")

    def test_files_that_are_not_alike(self):
        """The same names in the folders of two hosts, and not the same in them."""
        with open(TALK) as file:
            text = file.read()
        for changed, message in (("talk.pto", "other kernels"),
                                 ("deal", "another file of --deal")):
            folders = [self.path("%s-%d" % (changed, i)) for i in range(2)]
            for i, folder in enumerate(folders):
                other = i == 1
                os.mkdir(folder)
                with open(os.path.join(folder, "talk.pto"), "w") as file:
                    file.write(text.replace("step", "stop")
                               if other and changed == "talk.pto" else text)
                with open(os.path.join(folder, "deal"), "w") as file:
                    file.write("0: 0\n1: 1-3\n" if other and changed == "deal"
                               else "0: 0-1\n1: 2-3\n")
            words = (program("ptovm"), "--ranks", 4, "--deal", "deal", "run", "talk.pto", "--set",
                     "n=4", "--set", "bad=9")
            found = together("-n", 1, "-wdir", folders[0], *words, ":", "-n", 1, "-wdir",
                             folders[1], *words)
            self.assertEqual(found.code, 2, found.err)
            self.assertEqual(found.err.count(message + " than process 0"), 1, found.err)

    def test_a_full_disk(self):
        """Process 0 writes: what it cannot write is told as by one process."""
        arguments = ("--json=/dev/full", *self.ring())
        alone, shared = on(1, *arguments), on(3, *arguments)
        self.assertEqual(alone.code, 2, alone.err)
        self.assertIn("No space left on device", alone.err)
        self.assertEqual((shared.code, shared.err), (alone.code, alone.err))

    def test_help_is_shown_once(self):
        self.assertEqual(on(3, "--version").out, on(1, "--version").out)
        self.assertEqual(on(3, "--help").out, on(1, "--help").out)

    # ---- from outside ----

    def long_run(self, *options):
        """An endless run of four processes in a group of its own."""
        return subprocess.Popen(
            [MPIRUN, "-q", "--oversubscribe", "-n", "4", program("ptovm"), "--ranks", "8",
             "--json=" + self.path("report"), *options, "run", TALK, "--set", "n=1000000000",
             "--set", "bad=9"], cwd=SOURCE, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)

    def children(self, run, processes=4):
        """The processes that a mpirun has started, once there are as many."""
        for _ in range(600):
            if run.poll() is not None:
                break
            found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(run.pid)],
                                   capture_output=True, text=True).stdout.split()
            if len(found) == processes:
                return [int(pid) for pid in found]
            time.sleep(0.1)
        self.fail("mpirun started no processes")

    def test_a_process_that_dies_ends_all(self):
        run = self.long_run()
        try:
            pids = self.children(run)
            time.sleep(1)
            os.kill(pids[2], signal.SIGKILL)
            err = run.communicate(timeout=60)[1].decode()
        finally:
            run.kill()
        self.assertNotEqual(run.returncode, 0)
        for _ in range(600): # mpirun does not wait for those that it kills
            if not any(map(lives, pids)):
                break
            time.sleep(0.1)
        self.assertFalse([pid for pid in pids if lives(pid)], err)
        self.assertFalse(os.path.exists(self.path("report")), err)

    def test_a_signal_to_one_ends_all(self):
        run = self.long_run()
        try:
            pids = self.children(run)
            wait_until(lambda: all(handles(pid, signal.SIGTERM) for pid in pids))
            os.kill(pids[2], signal.SIGTERM)
            err = run.communicate(timeout=120)[1].decode()
        finally:
            run.kill()
        self.assertEqual(err.count("interrupted"), 1, err)
        with open(self.path("report")) as file:
            self.assertEqual(json.load(file)["status"], "interrupted")

    def test_signals_through_mpirun(self):
        """SIGTERM and SIGINT: what was done so far is reported, once, and nobody is left."""
        arguments = list(map(str, self.ring("--repeat", 20000)))
        for number in (signal.SIGTERM, signal.SIGINT):
            report, file = self.path("report"), self.path("ck")
            for old in (report, file):
                if os.path.exists(old):
                    os.remove(old)
            run = subprocess.Popen(
                [MPIRUN, "-q", "--mca", "odls_base_sigkill_timeout", "10", "--oversubscribe",
                 "-n", "3", program("ptovm"), "--json=" + report, "--checkpoint", file, "--every",
                 "1s", *arguments], cwd=SOURCE, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
            try:
                self.wait_for(file)
                pids = self.children(run, 3)
                run.send_signal(number)
                err = run.communicate(timeout=120)[1].decode()
            finally:
                run.kill()
            with open(report) as stream:
                left = json.load(stream)
            self.assertEqual((left["status"], left["partial"]), ("interrupted", True), err)
            self.assertEqual(err.count("interrupted"), 1, err)
            for pid in pids:
                self.assertFalse(lives(pid), err)

    def test_a_limit_on_time_ends_all(self):
        run = self.long_run("--timeout", "2s")
        err = run.communicate(timeout=120)[1].decode()
        self.assertEqual(run.returncode, 5, err)
        self.assertEqual(err.count("the run takes more than 2.000 s of this host's time"), 1)
        with open(self.path("report")) as file:
            self.assertEqual(json.load(file)["status"], "limit")


@unittest.skipIf(MPIRUN, "there is an mpirun")
class Note(unittest.TestCase):
    def test_skipped(self):
        self.skipTest("no mpirun: runs of several processes were not tested")


if __name__ == "__main__":
    unittest.main()
