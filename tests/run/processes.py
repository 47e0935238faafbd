"""Runs of several processes of this host, through mpirun."""

import os
import re
import shutil
import subprocess
import unittest

import numpy as np

import threads_test
from harness import SOURCE, KernelTest, ptovm
from pto import TIMEOUT, Result, program

MPIRUN = shutil.which("mpirun")
TALK = threads_test.TALK
# More processes than processors, as whoever: this is one machine of a test.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none",  # containers forbid it
                   OMPI_MCA_mpi_yield_when_idle="1",  # who waits leaves the processor to others
                   # one that ends with an error is the last to do anything, and mpirun
                   # would wait for two seconds before it ends the others
                   OMPI_MCA_odls_base_sigkill_timeout="0",
                   ASAN_OPTIONS="detect_leaks=0")  # MPI keeps what it has


def together(*words, **environment):
    """mpirun with these words: its exit status and what was printed."""
    return Result(subprocess.run([MPIRUN, "-q", "--oversubscribe", *map(str, words)], cwd=SOURCE,
                                 env={**ENVIRONMENT, **environment}, stdin=subprocess.DEVNULL,
                                 capture_output=True, timeout=TIMEOUT))


def on(processes, *arguments):
    if processes == 1:
        return ptovm(*arguments, cwd=SOURCE)
    return together("-n", processes, program("ptovm"), *arguments)


def why_not():
    if not MPIRUN:
        return "no mpirun here: install openmpi-bin"
    found = on(2, "--ranks", 2, "run", TALK, "--set", "n=1", "--set", "bad=9")
    return "built without Open MPI" if "built without" in found.err else None


WHY_NOT = why_not()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class ProcessTest(KernelTest):
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

    def ring(self, *options, n=4000):
        x = np.random.default_rng(3).standard_normal((8, n)).astype(np.float32)
        return ("--ranks", 8, "--cores", 2, *options, "run",
                "kernels/collective/allreduce_ring.pto", "--set", "count=%d" % n,
                "--in", "x=" + self.save_ranks("x", list(x)))

    def deal(self, text, name="deal"):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)
