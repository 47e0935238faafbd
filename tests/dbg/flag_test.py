"""Watched flags, and what lands on another rank with the operands that it was sent with."""
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

TOY = ["--profile", "toy", "--cores", "1"]
PIECES = 6
KERNEL = """
.define CH = 64
.kernel sends
.in    a : f32[%d]
.sym   box : f32[%d]
.out   y : f32[%d]
.signal full[%d]

.core aic
    set_flag_dev FIX, 2, 3

.core aiv
.tile t[2] : ub f32[1, CH]
    wait_flag_dev 3
    .if vec_id() == 0
        %%next = mod(rank() + 1, nranks())
        %%s = 0
        set_flag MTE3, MTE2, 0
        set_flag MTE3, MTE2, 1
        .for %%k = 0 to %d
            wait_flag MTE3, MTE2, %%s
            TLOAD t[%%s], a[%%k * CH]
            set_flag MTE2, MTE3, %%s
            wait_flag MTE2, MTE3, %%s
            TSTORE box@%%next[%%k * CH], t[%%s]
            set_flag MTE3, MTE2, %%s
            %%s = 1 - %%s
        .endfor
        wait_flag MTE3, MTE2, 0
        wait_flag MTE3, MTE2, 1
        pipe_barrier ALL
        dsb
        .for %%k = 0 to %d
            TNOTIFY full@%%next[%%k], 1, add
        .endfor
        %%k = 77
        TWAIT full[%d], ge, 1
        TLOAD t[0]{1, 40}, box
        handoff MTE2 -> MTE3, 0
        TSTORE y, t[0]{1, 40}
    .endif
""" % (64 * PIECES, 64 * PIECES, 64 * PIECES, PIECES, PIECES, PIECES, PIECES - 1)


class Flags(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(os.path.join(self.folder.name, "sends.pto"), "w") as file:
            file.write(KERNEL)

    def ask(self, *commands, code=0):
        done = pto.run("ptodbg", *TOY, "--ranks", "2", "--in", "a=iota", "sends.pto", "--batch",
                       *[w for c in commands for w in ("-e", c)], cwd=self.folder.name)
        self.assertEqual(done.code, code, done.out + done.err)
        return done.out

    def stops(self, *commands):
        """What a watchpoint shows, from stop to stop."""
        text = self.ask(*commands, "commands 1", "continue", "end", "continue")
        return re.findall(r"^Watchpoint 1, \S+ us  (.*?)(?:  \(|$)", text, re.M)

    def events(self, kind, flag):
        """The same as catchpoints tell it, one for each kind of event."""
        text = self.ask("start", "catch %s" % kind, "commands 1", "continue", "end", "continue")
        told = re.findall(r"^Catchpoint 1, \S+ us  (rank 0 aiv0\.0 .*?)(?:  \(|$)", text, re.M)
        return [event for event in told if flag in event]

    def test_a_token_is_set_and_taken(self):
        """Every second piece: as often as the kernel sets and waits for this id."""
        for words in ("MTE2, MTE3, 1", "MTE2 MTE3 1", "mte2,mte3,1"):
            stops = self.stops("start", "focus aiv0.0", "watch flag " + words)
            kinds = [re.sub(r".* (set|taken) .*", r"\1", stop) for stop in stops]
            self.assertEqual(kinds, ["set", "taken"] * (PIECES // 2), words)
        both = self.events("set", "MTE2->MTE3 1") + self.events("taken", "MTE2->MTE3 1")
        self.assertEqual(sorted(stops), sorted(both))

    def test_rank_and_core(self):
        stops = self.stops("start", "watch flag MTE2, MTE3, 0 rank 1 core aiv0.0")
        self.assertEqual({stop.split(" MTE")[0] for stop in stops}, {"rank 1 aiv0.0"})
        text = self.ask("start", "focus 1.aiv0.0", "watch flag V, MTE3, 0", "info breakpoints")
        told = "Watchpoint 1: flag V, MTE3, 0, rank 1, core aiv0.0\n"
        self.assertEqual(text.count(told), 2, text)

    def test_between_sub_cores(self):
        stops = self.stops("start", "watch flag 3")
        self.assertEqual([re.sub(r" flag 3.*", "", stop) for stop in stops],
                         ["rank 0 aic0 FIX cross-set", "rank 0 aiv0.0 cross-taken",
                          "rank 0 aiv0.1 cross-taken"])

    def test_back(self):
        text = self.ask("start", "focus aiv0.0", "watch flag MTE2, MTE3, 0", "continue", "when",
                        "continue", "reverse-continue", "when")
        first, second = re.findall(r"^\S+ us, event (\d+);", text, re.M)
        self.assertEqual(first, second)

    def test_what_is_no_flag(self):
        for words, why in (("flag", "is no pipe"), ("flag MTE2", "is no pipe"),
                           ("flag MTE2, V", "is no event id"), ("flag V, MTE9, 0", "'MTE9'"),
                           ("flag V, MTE3, x", "'x' is no event id"), ("flag -1", "'-1' is no"),
                           ("flag V, MTE3, 0, 1", "'1' is too much here")):
            text = self.ask("start", "watch " + words, code=2)
            self.assertIn(why, text)
            self.assertIn("hint: write watch flag SOURCE, DESTINATION, ID", text)
        for command in ("rwatch", "awatch"):
            self.assertIn("flags have no bytes", self.ask(command + " flag 3", code=2))

    def test_what_lands_was_sent_with(self):
        """All stores are issued before the first one lands, and S has gone on."""
        for piece in range(PIECES):
            text = self.ask("run", "last-writer box@1[%d]" % (64 * piece + 5))
            self.assertIn("TSTORE box@1[%d], t[%d]  (" % (64 * piece, piece % 2), text)
            self.assertIn("of rank 0, aiv0.0, MTE3, ", text)
            text = self.ask("run", "last-writer full@1[%d]" % piece)
            self.assertIn("TNOTIFY full@1[%d], 1, add  (" % piece, text)

    def test_watchpoints_and_conditions_see_that_too(self):
        text = self.ask("watch box@1[%d]{4}" % 128, "run")
        self.assertIn("MTE3 writes: TSTORE box@1[128], t[0]  (", text)
        text = self.ask("watch box@1 if %k == 3", "run")
        self.assertIn("MTE3 writes: TSTORE box@1[192], t[1]  (", text)
        text = self.ask("watch full@1 if %k == 4", "run")
        self.assertIn("S writes: TNOTIFY full@1[4], 1, add  (", text)

    def test_the_valid_region_has_an_edge(self):
        """40 of 64 columns were worked on last: the 41st cell is the edge; of 64 there is none."""
        text = self.ask("run", "focus 0.aiv0.0", "print/m t[0]", "print/m t[1]",
                        "print/m t[0]{1, 40}", "print/m t[0](0, 38){1, 4}")
        maps = re.findall(r"^\|(.*)\|$", text, re.M)
        self.assertEqual([len(m) for m in maps], [64, 64, 40, 4])
        self.assertEqual([m.find("|") for m in maps], [40, -1, -1, 2])
        self.assertEqual(len(re.findall(r"last valid region: TSTORE y, t\[0\]\{1, 40\}, event "
                                        r"\d+$", text, re.M)), 2, text)


if __name__ == "__main__":
    unittest.main()
