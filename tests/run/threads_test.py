"""Threads change nothing that can be seen: results, screen, reports and traces of every kernel."""

import json
import os
import re
import unittest

import numpy as np

import docs_test
from harness import SOURCE, KernelTest, ptovm, sample

THREADS = sample((3, 2, 8), 3)
TALK = os.path.join(SOURCE, "tests", "run", "kernels", "talk.pto")
# Links and ranks that become slow and fast again while a ring of 8 ranks is at work.
CHANGES = ("--slow-rank", "6=3@8us..30us", "--slow-rank", "2=2@12us", "--slow-link", "1-2=4@6us",
           "--slow-link", "4-5=9@15us..40us")
# Pipes wait for flags of their blocks in every turn.
INTRA_BLOCK = ("run", "--cores", "8", "--ranks", "2", "--set", "turns=30",
               os.path.join(SOURCE, "tests", "run", "kernels", "intra_block.pto"))
CROWD = os.path.join(SOURCE, "tests", "run", "kernels", "crowd.pto")


def results(arguments):
    """Objects of the kernels in a command line that a run can give."""
    includes = [a for i, a in enumerate(arguments) if a == "-D" or i and arguments[i - 1] == "-D"]
    names = set()
    for file in {a.partition(":")[0] for a in arguments if re.search(r"\.pto\b", a)}:
        info = ptovm("--json", *includes, "info", file, cwd=SOURCE)
        for kernel in json.loads(info.out)["kernels"]:
            if any(a in (file, file + ":" + kernel["name"]) for a in arguments):
                names |= {o["name"] for o in kernel["objects"] if o["kind"] not in ("in", "view")}
    return sorted(names)


class Threads(KernelTest):
    def everything(self, arguments, threads, names):
        """What a run leaves behind: exit status, screen and files by name."""
        folder = self.path("run")
        os.mkdir(folder)
        outputs = [x for name in names
                   for x in ("--out", "%s=%s/%s_{rank}.npy" % (name, folder, name))]
        result = ptovm("--threads", threads, "--json=%s/report" % folder, "--trace",
                       folder + "/trace", "--trace-max-events", 50000, *arguments, *outputs,
                       cwd=SOURCE)
        left = {"code": result.code, "out": result.out, "err": result.err}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                left[name] = file.read()
            os.remove(os.path.join(folder, name))
        os.rmdir(folder)
        return left

    def compare(self, arguments):
        names = results(arguments)
        alone = self.everything(arguments, 1, names)
        self.assertGreater(len(alone["trace"]), 500)
        for threads in THREADS:
            shared = self.everything(arguments, threads, names)
            self.assertEqual(sorted(shared), sorted(alone))
            for name, left in alone.items():
                self.assertEqual(shared[name], left, "%s with %d threads" % (name, threads))
        return alone

    def test_all_kernels(self):
        for arguments, code in docs_test.commands():
            with self.subTest(" ".join(arguments)):
                self.assertEqual(self.compare(arguments)["code"], code)

    def test_flags_inside_blocks(self):
        alone = self.compare(INTRA_BLOCK)
        self.assertEqual(alone["code"], 0, alone["err"])

    def test_prints(self):
        alone = self.compare(("--ranks", "6", "run", TALK, "--set", "n=400", "--set", "bad=6"))
        self.assertEqual(alone["code"], 0, alone["err"])
        self.assertEqual(alone["out"].count("step"), 6 * 8)
        lines = re.findall(r"rank (\d+), .*, at ([0-9.]+) us: step", alone["out"])
        self.assertEqual(lines, sorted(lines, key=lambda line: (float(line[1]), int(line[0]))))

    def test_faults(self):
        alone = self.compare(("--ranks", "6", "run", TALK, "--set", "n=400", "--set", "bad=2"))
        self.assertEqual(alone["code"], 1)
        self.assertIn("rank 2", alone["err"])

    def test_limits(self):
        alone = self.compare(("--ranks", "6", "--max-insns", "100K", "run", TALK, "--set",
                              "n=100000", "--set", "bad=9"))
        self.assertEqual(alone["code"], 5)

    def test_links_and_ranks_that_change(self):
        x = np.random.default_rng(7).standard_normal((8, 4000)).astype(np.float32)
        for i in range(8):
            np.save(self.path("x_%d.npy" % i), x[i])
        ring = ("run", "kernels/collective/allreduce_ring.pto", "--set", "count=4000", "--in",
                "x=" + self.path("x_{rank}.npy"), "--ranks", "8", "--cores", "2")
        for topology in ("mesh", "torus:4x2", "nodes:4"):
            words = (*ring, "--topology", topology)
            plain = self.everything(words, 1, ())
            extra = {"mesh": "2-3=2@9us..31us", "torus:4x2": "2-6=2@9us..31us",
                     "nodes:4": "node1-network=2@9us..31us"}[topology]
            changes = (*CHANGES, "--slow-link", extra)
            alone = self.compare((*words, *changes))
            self.assertEqual(alone["code"], 0, alone["err"])
            self.assertNotEqual(*(json.loads(r["report"])["time_ps"] for r in (plain, alone)))

    def test_many_ranks(self):
        """One thread fetches ahead what the ranks will touch, several fetch nothing."""
        arguments = ("--ranks", 200, "--cores", 1, "--json", "run",
                     os.path.join(SOURCE, "kernels", "collective", "allreduce_ring.pto"),
                     "--set", "count=500", "--in", "x=random:1")
        alone = self.run_ok("--threads", 1, *arguments)
        shared = self.run_ok("--threads", 2, *arguments)
        self.assertEqual(shared.out, alone.out)
        self.assertEqual(json.loads(alone.out)["ranks"], 200)

    def crowd(self, *options):
        """The options of a run in which sub-cores meet in global memory, and its input."""
        x = np.random.default_rng(5).standard_normal((48 * 64, 64)).astype(np.float32)
        np.save(self.path("x.npy"), x)
        return ("run", CROWD, "--set", "rounds=8", "--in", "x=" + self.path("x.npy"), *options), x

    def test_bytes_that_move_later(self):
        arguments, x = self.crowd()
        looked = []
        want = {"place": x.reshape(48, 64, 64), "sum": np.zeros((64, 64), np.float32)}
        for i in range(8):
            a = (x + np.float32(i)).reshape(48, 64, 64)
            line = want["line"] = a + np.abs(a)
            want["place"] = want["place"] + np.roll(line, -1, axis=0)
            looked.extend(([line[-1, 0, 3]], [line[0, 1, 2]], line[-1, 0, :4],
                           line[0, 0, :4])[i % 4])
            for one in line if i % 4 == 3 else ():  # in the order of sub-cores: the sums show it
                want["sum"] = want["sum"] + one
        want["wide"] = np.hstack(want["line"])
        for threads in (1, 2, 4):
            for check in ((), ("--check",)):
                outputs = [o for name in want
                           for o in ("--out", name + "=" + self.path(name + ".npy"))]
                result = ptovm(*check, "--threads", threads, *arguments, *outputs)
                self.assertEqual(result.code, 0, result.err)
                seen = re.findall(r"(?:line|tile|us: ) +(-?[\d.][-+.\de]*(?: -?[\d.][-+.\de]*)*)$",
                                  result.out, re.M)
                np.testing.assert_allclose([float(v) for s in seen for v in s.split()], looked,
                                           rtol=1e-7)
                for name, values in want.items():
                    got = np.load(self.path(name + ".npy")).reshape(values.shape)
                    self.assertTrue(np.array_equal(got, values), name)

    def test_faults_at_their_time(self):
        """Two ranks are shared whole: there bytes move when instructions complete."""
        arguments, _ = self.crowd("--set", "bad=5")
        alone, beside = (ptovm("--ranks", ranks, *arguments) for ranks in (1, 2))
        where = re.compile(r"rank 0, aiv0\.1, pipe V, at (\S+) us")
        self.assertEqual((alone.code, beside.code), (1, 1))
        self.assertEqual(where.search(alone.err).group(1), where.search(beside.err).group(1))
        self.assertIn("TGATHER", alone.err)

    def test_one_rank(self):
        self.assertEqual(self.compare(self.crowd()[0])["code"], 0)
        self.assertEqual(self.compare(self.crowd("--set", "bad=2")[0])["code"], 1)
        attention = ("kernels/attention/flash_attention.pto", "--set", "s0=400", "--set", "s1=300",
                     "--set", "h=72", "--in", "q=random:1", "--in", "k=random:2", "--in",
                     "v=random:3")
        for options in ((), ("--check",), ("--set", "causal=1")):
            self.assertEqual(self.compare((*options, "run", *attention))["code"], 0)
        self.assertEqual(self.compare(("run", "kernels/matmul/gemm_f16.pto", "--set", "m=400",
                                       "--set", "n=600", "--set", "k=200", "--in", "a=random:1",
                                       "--in", "b=random:2"))["code"], 0)


if __name__ == "__main__":
    unittest.main()
