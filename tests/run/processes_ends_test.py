"""What ends a run of several processes before its time - signals, limits, a process that dies - and
what it leaves: one report, or a checkpoint with which others go on."""

import contextlib
import json
import os
import signal
import subprocess
import time
import unittest

from harness import SOURCE
from processes import ENVIRONMENT, MPIRUN, TALK, ProcessTest, on, together
from pto import TIMEOUT, handles, has_worked, helper, program, wait_until

ENDLESS = (TALK, "--set", "n=1000000000", "--set", "bad=9")
PATIENCE = 60  # seconds, for which mpirun sleeps before and after it sends SIGTERM


def lives(pid):
    """Does a process run?  One that ended may have nobody who asks how."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):  # before it is opened, or read
        return False


class Ends(ProcessTest):
    def start(self, processes, *arguments, patience=0):
        """mpirun of so many, in a group of its own."""
        run = subprocess.Popen(
            [MPIRUN, "-q", "--mca", "odls_base_sigkill_timeout", str(patience), "--oversubscribe",
             "-n", str(processes), program("ptovm"), "--json=" + self.path("report"),
             *map(str, arguments)], cwd=SOURCE, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(run.kill)
        return run

    def long_run(self, *options, command="run"):
        """An endless run of four processes."""
        return self.start(4, "--ranks", 8, *options, command, *ENDLESS)

    def children(self, run, processes=4):
        """The processes that a mpirun has started, once there are as many."""
        pids = []

        def are_there():
            self.assertIsNone(run.poll(), "mpirun has ended")
            pids[:] = map(int, subprocess.run(["ps", "-o", "pid=", "--ppid", str(run.pid)],
                                              capture_output=True, text=True).stdout.split())
            return len(pids) == processes

        wait_until(are_there)
        return pids

    def at_work(self, run, processes=4):
        """The same, once all of them listen to signals and have done something."""
        pids = self.children(run, processes)
        wait_until(lambda: all(handles(pid, signal.SIGTERM) for pid in pids))
        wait_until(lambda: all(has_worked(pid, 0.3) for pid in pids))
        return pids

    def said(self, run):
        return run.communicate(timeout=TIMEOUT)[1].decode()

    def check_interrupted(self, err):
        """What a run leaves that a signal has cut off: told once."""
        self.assertEqual(err.count("interrupted"), 1, err)
        with open(self.path("report")) as file:
            left = json.load(file)
        os.remove(self.path("report"))
        self.assertEqual((left["status"], left["partial"]), ("interrupted", True), err)
        return left

    # ---- from outside ----

    def test_a_process_that_dies_ends_all(self):
        run = self.long_run()
        pids = self.at_work(run)
        os.kill(pids[2], signal.SIGKILL)
        err = self.said(run)
        self.assertNotEqual(run.returncode, 0)
        wait_until(lambda: not any(map(lives, pids)))  # mpirun does not wait for those it kills
        self.assertFalse(os.path.exists(self.path("report")), err)

    def test_a_signal_to_one_ends_all(self):
        run = self.long_run()
        os.kill(self.at_work(run)[2], signal.SIGTERM)
        self.check_interrupted(self.said(run))

    def test_signals_that_come_late(self):
        """Hosts get a signal at different times, and mpirun sends it more than once: what arrives
        when one has stopped already, or all have, takes nothing away."""
        for command in ("run", "check"):
            run = self.long_run(command=command)
            pids = self.at_work(run)
            ends = time.monotonic() + TIMEOUT
            while run.poll() is None and time.monotonic() < ends:
                for pid in filter(lives, pids):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGTERM)
                time.sleep(0.001)
            self.check_interrupted(self.said(run))

    def test_signals_through_mpirun(self):
        """SIGTERM and SIGINT: what was done so far is reported, once, and nobody is left."""
        for command, number in (("check", signal.SIGTERM), ("run", signal.SIGINT)):
            with self.subTest(command, number=number):
                self.stop_through_mpirun(command, number)

    def stop_through_mpirun(self, command, number):
        """Both sleeps of mpirun are long, so that nobody is killed on a busy machine.  They are
        made short again by signals, of which each takes off what is left of a second: of the first
        sleep all but a few, of the second only when the processes have ended."""
        arguments = list(self.ring("--repeat", 20000))
        arguments[arguments.index("run")] = command
        run = self.start(3, *arguments, patience=PATIENCE)
        pids = self.at_work(run, 3)
        run.send_signal(number)
        for _ in range(PATIENCE - 3):
            time.sleep(0.02)
            run.send_signal(signal.SIGCHLD)
        wait_until(lambda: not any(map(lives, pids)))
        ends = time.monotonic() + TIMEOUT
        while run.poll() is None and time.monotonic() < ends:
            time.sleep(0.02)
            run.send_signal(signal.SIGCHLD)
        left = self.check_interrupted(self.said(run))
        self.assertEqual("findings" in left, command == "check")

    def test_a_limit_on_time_ends_all(self):
        run = self.long_run("--timeout", "1s")
        err = self.said(run)
        self.assertEqual(run.returncode, 5, err)
        self.assertEqual(err.count("the run takes more than 1.000 s of this host's time"), 1)
        with open(self.path("report")) as file:
            self.assertEqual(json.load(file)["status"], "limit")

    # ---- going on later ----

    def test_killed_and_resumed_by_others(self):
        """A run of several processes, killed, goes on with any number of them, and once more."""
        for processes, others, topology in ((3, 4, ("torus:4x2", "--join")), (4, 2, ("nodes:2",))):
            with self.subTest(topology):
                self.kill_and_resume(processes, (others, 1), "--topology", *topology)

    def kill_and_resume(self, processes, counts, *options):
        file = self.path("ck")
        arguments = tuple(map(str, self.ring("--repeat", 6, *options)))
        alone = self.everything(1, (*arguments, "-q"), ("y",), traced=False)
        self.assertEqual(alone["code"], 0, alone["err"])
        run = self.start(processes, *arguments, "--checkpoint", file, "--every", "1ms")
        wait_until(lambda: os.path.exists(file) or run.poll() is not None)
        with contextlib.suppress(AssertionError, ProcessLookupError):
            # else what it left is as good
            os.kill(self.children(run, processes)[1], signal.SIGKILL)
        self.said(run)
        for others in counts:
            left = self.everything(others, (*arguments, "-q", "--resume", file), ("y",),
                                   traced=False)
            self.assertEqual(left, alone, "with %d processes" % others)
        os.remove(file)

    def test_ports_are_in_checkpoints(self):
        """Messages of all processes that wait for a wire go on waiting, behind any event."""
        file, report = self.path("ck"), self.path("report")

        def told(processes, *options, code=0, **environment):
            done = together("-n", processes, helper("ptovm_stopping"), "-q", "--json=" + report,
                            *options, *arguments, **environment)
            self.assertEqual(done.code, code, done.err)
            with open(report) as left:
                return left.read()

        for topology in ("nodes:2", "torus:4x2"):
            arguments = self.ring("--topology", topology, n=100000)
            alone = told(1)
            for stop in ("4000", "8000"):
                told(4, "--checkpoint", file, code=128 + signal.SIGTERM, STOP_AT=stop)
                self.assertEqual(told(1, "--resume", file), alone, (topology, stop))

    def test_a_signal_leaves_a_checkpoint(self):
        """SIGUSR1 to mpirun, which passes it on: one checkpoint, one report, and the run goes
        on."""
        file = self.path("ck")
        run = self.long_run("--checkpoint", file, "--every", "100ms")
        wait_until(lambda: os.path.exists(file))
        run.send_signal(signal.SIGUSR1)
        first = self.check_interrupted(self.said(run))["time_ps"]
        more = on(2, "--ranks", 8, "--resume", file, "--max-time", "%dps" % (first + 10 ** 7),
                  "--json", "run", *ENDLESS)
        self.assertEqual(more.code, 5, more.err)
        self.assertGreater(json.loads(more.out)["time_ps"], first)
        other = on(2, "--ranks", 8, "--resume", file, "run", *ENDLESS[:-1], "bad=8")
        self.assertEqual(other.code, 2, other.err)
        self.assertEqual(other.err.count("rank 0: parameters have other values"), 1)


if __name__ == "__main__":
    unittest.main()
