"""What several processes say before a run, or in place of one: once, whoever of them has to say
it."""

import os
import shutil
import unittest

import numpy as np

from processes import TALK, ProcessTest, on, together
from pto import program


class Refused(ProcessTest):
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
        for suffix, counts in ((".npy", (2, 8)), (".bin", (3,))):
            for rank in range(8):
                ring = np.arange(8, dtype=np.int32)
                ring[3] += rank == 6
                if suffix == ".npy":
                    np.save(self.path("ring_%d.npy" % rank), ring)
                else:
                    ring.tofile(self.path("ring_%d.bin" % rank))
            arguments = self.ring() + ("--in", "ring=" + self.path("ring_{rank}" + suffix))
            alone = self.compare(arguments, counts, ())
            self.assertEqual(alone["code"], 2)
            self.assertIn("'ring' must be the same on all ranks: [3] is 3 on rank 0 and 4 on "
                          "rank 6", alone["err"])

    def test_more_processes_than_ranks(self):
        found = on(4, "--ranks", 3, "run", TALK, "--set", "n=4", "--set", "bad=9")
        self.assertEqual(found.code, 2)
        self.assertEqual(found.err.count("4 processes for 3 ranks: each needs one at least"), 1)

    def test_what_several_cannot_do(self):
        talk = (TALK, "--set", "n=4", "--set", "bad=9")
        for what, words in (("--fix", ("--fix", "run", *talk)), ("explore", ("explore", *talk)),
                            ("tune", ("tune", "--try", "n=1,2", *talk)),
                            ("whatif", ("whatif", "--set-cost", "v=2x", *talk)),
                            ("diff --state", ("diff", "--state", TALK, TALK)),
                            ("--set NAME=auto", ("run", TALK, "--set", "n=auto"))):
            found = on(2, "--ranks", 2, *words)
            self.assertEqual(found.code, 2, found.err)
            self.assertEqual(found.err.count(what + " makes many runs, and several processes "
                                             "share one\n  hint: "), 1, found.err)
            self.assertEqual(found.err.count("error: "), 1, found.err)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_standard_input(self):
        ring = self.ring()
        for name, words in (
                ("-", ("run", "-")), ("/dev/stdin:k", ("run", "/dev/stdin:k")),
                ("/dev/stdin", ("--deal", "/dev/stdin", *ring)),
                ("/dev/fd/0", ("-p", "/dev/fd/0", *ring)),
                ("/dev/stdin", ("--topology", "file:/dev/stdin", *ring)),
                ("-", (*ring[:-1], "x=-")), ("/dev/stdin", (*ring, "--set", "count=@/dev/stdin"))):
            found = on(2, "--ranks", 8, *words)
            self.assertEqual(found.code, 2, (words, found.err))
            self.assertIn("error: %s: standard input goes to one process, and each needs what it "
                          "holds\n" % name, found.err)

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
            talk = file.read()
        alike = {"talk.pto": talk, "deal": "0: 0-1\n1: 2-3\n", "n.bin": np.full(4, 4),
                 "my.profile": "base = a2\nlink_latency = 5 us\n",
                 "wires": "mesh 0-3\n"}
        files = "another profile, topology or file of --set"
        for changed, text, message in (
                ("talk.pto", talk.replace("step", "stop"), "other kernels"),
                ("deal", "0: 0\n1: 1-3\n", "another file of --deal"),
                ("n.bin", np.full(4, 5), files),
                ("my.profile", "base = a2\nlink_latency = 7 us\n", files),
                ("wires", "mesh 0-3, latency = 9 us\n", files)):
            folders = [self.path("%s-%d" % (changed, i)) for i in range(2)]
            for folder, other in zip(folders, ({}, {changed: text})):
                os.mkdir(folder)
                for name, content in {**alike, **other}.items():
                    with open(os.path.join(folder, name), "wb") as file:
                        file.write(content.encode() if isinstance(content, str)
                                   else content.tobytes())
            words = (program("ptovm"), "--ranks", 4, "--deal", "deal", "-p", "my.profile",
                     "--topology", "file:wires", "run", "talk.pto", "--set", "n=@n.bin", "--set",
                     "bad=9")
            found = together("-n", 1, "-wdir", folders[0], *words, ":", "-n", 1, "-wdir",
                             folders[1], *words)
            self.assertEqual(found.code, 2, (changed, found.err))
            self.assertEqual(found.err.count(message + " than process 0"), 1, found.err)

    def test_a_full_disk(self):
        """Process 0 writes: what it cannot write is told as by one process."""
        arguments = ("--json=/dev/full", *self.ring())
        alone, shared = on(1, *arguments), on(3, *arguments)
        self.assertEqual(alone.code, 2, alone.err)
        self.assertIn("No space left on device", alone.err)
        self.assertEqual((shared.code, shared.err), (alone.code, alone.err))

    def test_what_one_tells_for_all(self):
        for words in (("--version",), ("--help",), ("profiles",),
                      ("info", TALK), ("diff", "/no/such", "/no/other")):
            alone, shared = on(1, *words), on(3, *words)
            self.assertEqual((shared.code, shared.out, shared.err),
                             (alone.code, alone.out, alone.err))

    def test_commands_that_are_not_alike(self):
        """Nobody waits for one that has something else to do, whoever of them is process 0."""
        talk = ("--ranks", 2, "run", TALK, "--set", "n=4", "--set", "bad=9")
        tells, lists, tunes = ("--help",), ("profiles",), ("tune", TALK)
        for first, second in ((tells, lists), (lists, tunes), (tunes, talk), (talk, tunes),
                              (talk, tells), (tells, talk)):
            found = together("-n", 1, program("ptovm"), *first, ":", "-n", 1, program("ptovm"),
                             *second)
            self.assertEqual(found.code, 2, found.err)
            self.assertEqual(found.err.count("error: "), 1, found.err)


if __name__ == "__main__":
    unittest.main()
