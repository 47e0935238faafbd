"""Links and ranks that change at a simulated time: what was under way, what comes later, what is
lost; all times reckoned by hand from a run in which nothing changes."""

import json
import re
import unittest

import numpy as np

from harness import KernelTest, kernel, line_of, ptodbg, ptovm

BYTES = 8192
LOAD = BYTES * 100      # picoseconds on a link of profile toy, 10 GB/s
LATENCY = 500000        # and from its one end to the other
WAY = 100000            # from the tile to the link

# Rank 0 sends a tile to rank 1, then the signal; all say when, in picoseconds.
SEND = """.kernel send
.sym box   : f32[64, 32]
.signal here[1]
.core aiv
.tile t : ub f32[64, 32]
    .if vec_id() == 0 && rank() == 0
        TEXPANDS t, 2.0
        pipe_barrier ALL
        {}
        pipe_barrier ALL
        %time = clock()
        print "left", %time
        TNOTIFY here@TARGET[0], 1, add
        dsb
        %time = clock()
        print "acknowledged", %time
    .endif
    .if vec_id() == 0 && rank() == TARGET
        TWAIT here[0], ge, 1
        %time = clock()
        print "here", %time
    .endif
"""
PUT = "TSTORE box@TARGET[0, 0], t"
ASYNC = """%event = TPUT_ASYNC box@TARGET, box
        async_wait %event"""
GET = "TLOAD t, box@TARGET"


class Changes(KernelTest):
    def words(self, *options, action=PUT, ranks=2, topology="mesh", target=1):
        with open(self.path("send.pto"), "w") as file:
            file.write(SEND.format(action).replace("TARGET", str(target)))
        return ("--ranks", ranks, "--cores", 1, "-p", "toy", "--topology", topology, *options,
                "run", self.path("send.pto"))

    def times(self, *options, **more):
        """{"left": ps, "here": ps, "acknowledged": ps}; alike whoever runs it."""
        words = self.words(*options, **more)
        out = self.run_ok(*words).out
        told = {what: int(ps) for what, ps in re.findall(r": (\w+) (\d+)$", out, re.M)}
        self.assertEqual(sorted(told), ["acknowledged", "here", "left"], out)
        for what, ps in told.items():
            self.assertIn("%s %d\n" % (what, ps), self.debug(*words).out)
        return told

    def line(self, word):
        return "send.pto:%d:" % line_of(self.path("send.pto"), word)

    def debug(self, *words):
        """The same run, instruction by instruction."""
        at = words.index("run")
        return ptodbg("--batch", "-e", "run", *words[:at], *words[at + 1:])

    def start(self):
        """When the bytes begin to leave."""
        path = self.path("trace.json")
        self.run_ok(*self.words("--trace", path))
        with open(path) as file:
            events = json.load(file)
        start, = [e["args"]["start_ps"] for e in events
                  if e.get("name") == "TSTORE" and e["ph"] == "X"]
        return start

    def report(self, *options, **more):
        self.run_ok(*self.words("--json=" + self.path("report"), *options, **more))
        with open(self.path("report")) as file:
            return json.load(file)

    def fails(self, *options, code=1, **more):
        return self.run_bad(code, *self.words(*options, **more))

    # ---- links that are slow ----

    def test_bytes_take_each_pace_for_its_while(self):
        plain, start = self.times(), self.start() + WAY
        for before, during in ((100000, None), (LOAD // 2, None), (LOAD // 4, 300000),
                               (200000, 3 * (LOAD - 200000) + 7)):
            begin = start + before
            done = LOAD - before if during is None else min(LOAD - before, during // 3)
            span = "" if during is None else "..%dps" % (begin + during)
            told = self.times("--slow-link", "0-1=3@%dps%s" % (begin, span))
            self.assertAlmostEqual(told["left"] - plain["left"], 2 * done, delta=3)
            # The signal has an end of its own: is the link as it was by then?
            late = 2 * LATENCY if during is None else 0
            self.assertAlmostEqual(told["here"] - told["left"], plain["here"] - plain["left"] +
                                   late + (2 * 4 * 100 if during is None else 0), delta=900)

    def test_the_pace_is_that_of_when_the_bytes_reach_the_link(self):
        """They come to it a while after the store has begun."""
        plain, start = self.times(), self.start()
        self.assertAlmostEqual(plain["left"], start + WAY + LOAD, delta=2000)
        for end, late in ((start + WAY // 2, 0), (start + WAY, 0), (start + WAY + 300000, 200000)):
            told = self.times("--slow-link", "0-1=3@..%dps" % end)
            self.assertAlmostEqual(told["left"], plain["left"] + late, delta=3)
        told = self.times("--slow-link", "0-1=3/1@%dps" % (start + LOAD + WAY // 2))
        self.assertAlmostEqual(told["left"], plain["left"] + WAY, delta=3)

    def test_bandwidth_alone_and_latency_alone(self):
        plain = self.times()
        told = self.times("--slow-link", "0-1=3/1")
        self.assertEqual(told["left"], plain["left"] + 2 * LOAD)
        self.assertAlmostEqual(told["here"], plain["here"] + 2 * LOAD, delta=1000)
        told = self.times("--slow-link", "0-1=1/3")
        self.assertEqual(told["left"], plain["left"])
        self.assertEqual(told["here"], plain["here"] + 2 * LATENCY)
        self.assertEqual(told["acknowledged"], plain["acknowledged"] + 4 * LATENCY)

    def test_a_message_on_its_way_goes_on_at_the_new_pace(self):
        """The signal leaves a little before the link is itself again: what it has not yet come
        along it comes in the usual time."""
        plain = self.times()
        for ahead in (1000, 300000, 1900000):
            left = self.times("--slow-link", "0-1=4")["left"]
            again = left + ahead
            told = self.times("--slow-link", "0-1=4@..%dps" % again)
            self.assertEqual(told["left"], left)
            flight = plain["here"] - plain["left"]
            self.assertAlmostEqual(told["here"] - left, flight + ahead * 3 // 4, delta=2000)

    def test_nothing_overtakes(self):
        """The tile is sent over a slow link, its signal over a fast one; the tile is there when
        the signal is."""
        text = SEND.format(PUT).replace("TARGET", "1").replace("print \"here\", %time",
                                        "TLOAD t, box\npipe_barrier ALL\nTPRINT t[0:1, 0:1]")
        left = self.times("--slow-link", "0-1=9")["left"]
        with open(self.path("order.pto"), "w") as file:
            file.write(".kernel order\n.out y : f32[64, 32]\n" +
                       text.split("\n", 1)[1].replace("TPRINT t[0:1, 0:1]", "TSTORE y, t"))
        for around in (-300000, -1000, 0, 1000, 300000):
            self.run_ok("--ranks", 2, "--cores", 1, "-p", "toy", "--slow-link",
                        "0-1=9@..%dps" % (left + around), "run", self.path("order.pto"),
                        "--out", "y=" + self.path("y_{rank}.npy"))
            self.assertEqual(np.unique(self.load("y_1.npy")).tolist(), [2.0])

    def test_a_wire_between_others(self):
        """On a ring of four the tile to rank 2 comes by rank 1, and the signal behind it."""
        ring = dict(ranks=4, topology="ring", target=2)
        plain = self.times(**ring)
        sent = plain["acknowledged"] - 4 * LATENCY  # the signal
        slow = self.times("--slow-link", "1-2=3", **ring)
        # Nothing of the first wire; the second is free when the tile has left it at its pace.
        self.assertEqual(slow["left"], plain["left"])
        free = plain["left"] + LATENCY + 2 * LOAD
        late = free + 3 * LATENCY - (sent + 2 * LATENCY)
        self.assertAlmostEqual(slow["here"], plain["here"] + late, delta=2000)
        for before in (LOAD // 4, LOAD // 2):  # of the tile are over the wire, as fast as ever
            change = plain["left"] + LATENCY - LOAD + before
            told = self.times("--slow-link", "1-2=3@%dps" % change, **ring)
            self.assertAlmostEqual(slow["here"] - told["here"], 2 * before, delta=2100)
        behind = plain["here"] + LATENCY
        self.assertEqual(self.times("--slow-link", "1-2=3@%dps" % behind, **ring)["here"],
                         plain["here"])

    def test_what_is_given_last_is_right(self):
        twice = ("--slow-link", "0-1=9", "--slow-link", "1-0=3")
        self.assertEqual(self.times(*twice), self.times("--slow-link", "0-1=3"))
        self.assertEqual(self.times("--slow-link", "0-1=3@1ps..1s"),
                         self.times("--slow-link", "0-1=3"))

    # ---- links that go down ----

    def test_when_the_first_byte_comes_to_the_next_wire(self):
        """A latency after it began to leave, at whatever pace the others follow: from then on until
        the last one has passed they are lost if that wire goes down."""
        start, far, near = self.start() + WAY, 9000000, 1000
        over = start + 3 * (LOAD - LOAD // 4)   # a quarter of the bytes is left at the usual pace
        for topology, first, second in (("ring", "0-1", "1-2"), ("switch", "0-switch", "switch-2")):
            wired = dict(ranks=4, topology=topology, target=2)
            for span, latency in (("", 3 * far), ("@..%dps" % over, far),
                                  ("@%dps..%dps" % (start + LOAD // 4, over), far)):
                slow = ("--profile-set", "link_latency=9us", "--slow-link", first + "=3" + span)
                plain, head = self.times(*slow, **wired), start + latency
                for after, lost in ((-near, False), (near, True), (LOAD, True)):
                    down = head + after
                    options = (*slow, "--link-down", "%s@%dps..%dps" % (second, down, down + 100))
                    if lost:
                        err = self.fails(*options, **wired)
                        self.assertIn("fault: what rank 0 sent to rank 2 was lost", err)
                        self.assertIn(self.line("TSTORE"), err)
                    else:
                        self.assertEqual(self.times(*options, **wired), plain)

    def test_a_link_that_goes_down_meanwhile(self):
        start, left = self.start(), self.times()["left"]
        for time in (start + 1, start + LOAD // 2 + 300, start + LOAD - 1):
            err = self.fails("--link-down", "0-1@%dps" % time)
            self.assertIn(self.line("TSTORE"), err)
            self.assertIn("fault: link 0-1 went down at %.3f us, while bytes to rank 1 were leaving"
                          % (time // 1000 / 1e3), err)
            self.assertIn("pipe MTE3, at %.3f us" % (time // 1000 / 1e3), err)
            self.assertIn("hint: choose a route that avoids this link, or be done before", err)
        err = self.fails("--link-down", "0-1@%dps" % (start - 1000))
        self.assertIn("no link from rank 0 to rank 1: link 0-1 went down at", err)
        err = self.fails("--link-down", "0-1@%dps" % (left - 10))  # the tile has left
        self.assertIn(self.line("TNOTIFY"), err)
        self.assertIn("pipe S, at", err)

    def test_the_dma_engine(self):
        plain = self.times(action=ASYNC)
        around = plain["left"] - 2 * LATENCY  # it is acknowledged before S goes on
        for back in (LOAD // 8, LOAD // 2):
            err = self.fails("--link-down", "0-1@%dps" % (around - back), action=ASYNC)
            self.assertIn(self.line("TPUT_ASYNC"), err)
            self.assertIn("while bytes to rank 1 were leaving", err)
            self.assertIn("aiv0.0, pipe DMA, at %.3f us" % ((around - back) // 1000 / 1e3), err)
        done = plain["left"] + 1000000  # the signal is on its way
        self.assertEqual(self.times("--link-down", "0-1@%dps" % done, action=ASYNC), plain)

    def test_what_has_left_arrives(self):
        plain = self.times()
        sent = plain["acknowledged"] - 2 * LATENCY
        for after in (1000, LATENCY, LATENCY + 100000):
            self.assertEqual(self.times("--link-down", "0-1@%dps" % (sent + after)), plain)

    def test_what_is_on_its_way_to_a_wire_is_lost(self):
        """The sender is told when it should have heard that the bytes have arrived."""
        ring = dict(ranks=4, topology="ring", target=2)
        plain = self.times(**ring)
        sent, over = plain["acknowledged"] - 4 * LATENCY, plain["left"] + LATENCY
        for time, word, told in ((sent + 100000, "TSTORE", plain["left"] + 4 * LATENCY),
                                 (over - 1000, "TSTORE", plain["left"] + 4 * LATENCY),
                                 (over + 2000, "TNOTIFY", plain["acknowledged"])):
            for threads in (1, 2):
                err = self.fails("--link-down", "1-2@%dps" % time, "--threads", threads, **ring)
                self.assertIn(self.line(word), err)
                self.assertIn("fault: what rank 0 sent to rank 2 was lost: link 1-2 went down at",
                              err)
                at, = re.findall(r"rank 0, aiv0.0, pipe .*, at ([0-9.]+) us", err)
                self.assertAlmostEqual(float(at) * 1e6, told, delta=3000)
        gone = plain["here"]
        self.assertEqual(self.times("--link-down", "1-2@%dps" % gone, **ring), plain)

    def test_of_an_earlier_launch(self):
        """The rank is in its next launch when it hears that bytes of the last one are lost."""
        ring = dict(ranks=4, topology="ring", target=2)
        over = self.times(**ring)["left"] + LATENCY - LOAD // 2  # half of the tile
        words = self.words("--link-down", "1-2@%dps..%dps" % (over, over + 1), **ring)
        with open(self.path("idle.pto"), "w") as file:
            file.write(".kernel idle\n.core aiv\n    .for %i = 0 to 5000\n    .endfor\n")
        with open(self.path("send.pto")) as file:
            text = file.read().replace("        dsb\n", "")
        with open(self.path("send.pto"), "w") as file:
            file.write(text)
        err = self.run_bad(1, *words, self.path("idle.pto"))
        self.assertIn(self.line("TSTORE"), err)
        self.assertIn("what rank 0 sent to rank 2 was lost: link 1-2", err)

    def test_the_way_back_of_acknowledgements(self):
        """Half way round a ring either rank takes the way upwards."""
        err = self.fails("--link-down", "2-3@1ns", ranks=4, topology="ring", target=2)
        self.assertIn(self.line("TSTORE"), err)
        self.assertIn("no link back from rank 2 to rank 0: link 2-3 went down at 0.001 us", err)

    def test_a_link_that_is_there_again(self):
        plain, start = self.times(), self.start()
        self.assertEqual(self.times("--link-down", "0-1@1ns..%dps" % (start - 100000)), plain)
        self.assertIn("went down at 0.001 us", self.fails("--link-down", "0-1@1ns..2us"))

    def test_who_reads_needs_the_way_back(self):
        """Rank 0 asks, and the answer does not leave any more."""
        plain = self.times(action=GET)
        for topology in ("mesh", "switch"):
            err = self.fails("--link-down", {"mesh": "0-1", "switch": "switch-1"}[topology] +
                             "@%dps" % (plain["left"] - LATENCY - LOAD // 2), action=GET,
                             topology=topology)
            self.assertIn(self.line("TLOAD"), err)
            self.assertIn("what rank 1 sent to rank 0 was lost: link %s went down at" %
                          {"mesh": "0-1", "switch": "1-switch"}[topology], err)
            self.assertIn("pipe MTE2", err)

    # ---- what is written ----

    def test_places_have_names(self):
        with open(self.path("racks"), "w") as file:
            file.write("link 0 left\nlink 1 right\nlink left right\n")
        topologies = {"switch": ("0-switch", "switch-1"),
                      "nodes:1": ("0-network", "node0-network", "network-node1"),
                      "file:" + self.path("racks"): ("0-left", "right-left", "right-1")}
        for topology, links in topologies.items():
            plain = self.times(topology=topology)
            for link in links:
                slow = self.times("--slow-link", link + "=4", topology=topology)
                self.assertGreater(slow["here"] - slow["left"], plain["here"] - plain["left"])
                late = self.times("--slow-link", link + "=4@1s", topology=topology)
                self.assertEqual(late, plain)
                err = self.fails("--link-down", link + "@1ns..1ms", topology=topology)
                one, other = re.search(r": link (\w+)-(\w+) went down at 0.001 us", err).groups()
                self.assertEqual({one, other}, set(link.split("-")))

    def test_what_is_refused(self):
        times = ("not a time, or one and a later one\n"
                 "  hint: write for instance @40us, or @40us..60us")
        for link in ("0-1@", "0-1@x", "0-1@-4us", "0-1@40us..", "0-1@..", "0-1@40us..40us",
                     "0-1@40us..30us", "0-1@1us..2us..3us", "0-1@1us,0-1@"):
            for option, text in (("--link-down", link), ("--slow-link", link.replace("@", "=2@"))):
                self.assertIn("%s %s: %s" % (option, text, times), self.fails(option, text, code=2))
        self.assertIn(times, self.fails("--slow-rank", "0=2@60us..40us", code=2))
        for option, text, why, hint in (
                ("--slow-link", "0-1=0.5@1us", "not a link and its factor",
                 "write for instance 0-1=4, or 0-1=4/1 for bytes and latency; factors lie between"),
                ("--slow-link", "0-1=4/", "not a link and its factor", "0-1=4/1"),
                ("--slow-link", "0-1=4/0.5@1us", "not a link and its factor", "0-1=4/1"),
                ("--slow-link", "0-1@1us", "not a link and its factor", "0-1=4"),
                ("--slow-rank", "0@1us", "not a rank and its factor", "3=2.5"),
                ("--link-down", "0-0@1us", "a rank has no link to itself", "two different ranks"),
                ("--link-down", "01@1us", "not a pair of ranks", "0-1"),
                ("--link-down", "0-7@1us", "no such rank", "--ranks 2 numbers them 0 to 1"),
                ("--link-down", "0-left@1us", "only a topology from a file, a switch and nodes "
                 "have names", "name two ranks, or give a topology that has names")):
            err = self.fails(option, text, code=2)
            self.assertIn(why, err)
            self.assertIn(hint, err)
        for topology, text, why, hint in (
                ("switch", "0-1@1us", "in topology switch the two are no neighbours",
                 "name two ranks that one wire joins, or places as in 3-switch"),
                ("switch", "2-switch", "the topology has no such link", "as in 3-switch"),
                ("nodes:1", "node2-network", "the topology has no such link", "node0-network")):
            err = self.fails("--link-down", text, code=2, topology=topology)
            self.assertIn(why, err)
            self.assertIn(hint, err)

    def test_what_is_told(self):
        options = ("--slow-link", "0-1=4@2us..1ms", "--slow-rank", "1=2@1us..2us", "--link-down",
                   "0-1@1s")
        lines = ("link 0-1: down from 1.000 s",
                 "link 0-1: 4 times slower from 2.000 us until 1.000 ms",
                 "rank 1: 2 times slower from 1.000 us until 2.000 us")
        out = self.run_ok(*self.words(*options)).out
        for line, end in zip(lines, (", after the end", "", "")):
            self.assertRegex(out, r"(?m)^change +%s$" % re.escape(line + end))
        words = self.words(*options)
        at = words.index("run")
        told = ptodbg("--batch", "-e", "run", "-e", "info link", *words[:at], *words[at + 1:]).out
        for line, now in zip(lines, ("not yet", "now", "no more")):
            self.assertIn("%s (%s)" % (line, now), told)
        self.assertNotIn("change", self.run_ok(*self.words("--slow-link", "0-1=4")).out)

    def test_what_is_told_of_many_links(self):
        """A line of a topology's file may speak of thousands: the summary has the first of them."""
        with open(self.path("wired"), "w") as file:
            file.write("mesh 0-39, slower = 2 @ 100 ms\n")
        topology = "file:" + self.path("wired")
        lines = re.findall("(?m)^change.*", self.run_ok(*self.words(ranks=40,
                                                                   topology=topology)).out)
        self.assertEqual(lines[0].split(None, 1)[1],
                         "link 0-1: 2 times slower from 100.000 ms, after the end")
        self.assertEqual(len(lines), 17)
        self.assertRegex(lines[16], "^changes +764 more, which the JSON report has$")
        self.assertEqual(len(self.report(ranks=40, topology=topology)["changes"]), 780)

    def test_what_reports_and_timelines_have(self):
        options = ("--slow-link", "0-1=4/1@2us..2500ns", "--slow-rank", "1=2@1us..1s",
                   "--link-down", "0-1@1s", "--dead-rank", "0@1s")
        path = self.path("trace.json")
        report = self.report("--trace", path, *options)
        self.assertEqual(report["changes"], [
            {"kind": "link_down", "link": "0-1", "from_ps": 10**12},
            {"kind": "slow_link", "link": "0-1", "factor": 4, "latency_factor": 1,
             "from_ps": 2000000, "to_ps": 2500000},
            {"kind": "slow_rank", "rank": "1", "factor": 2, "from_ps": 1000000, "to_ps": 10**12},
            {"kind": "dead_rank", "rank": "0", "from_ps": 10**12}])
        with open(path) as file:
            marks = sorted((e["args"]["start_ps"], e["pid"], e["args"]["message"])
                           for e in json.load(file) if e.get("name") == "change")
        slow = "link 0-1: bytes 4 times slower, latency 1 times"
        self.assertEqual(marks, [(1000000, 1, "rank 1: 2 times slower")] +
                         [(at, rank, slow + more) for at, more in ((2000000, ""),
                                                                   (2500000, " no more"))
                          for rank in (0, 1)])
        self.assertNotIn("changes", self.report())

    def test_what_a_file_says(self):
        """A line of a topology's file says what options say of the link."""
        def file(line):
            with open(self.path("wired"), "w") as out:
                out.write("link 0 left\nlink left 1%s\n" % line)
            return dict(topology="file:" + self.path("wired"))
        left = self.times(**file(""))["left"]
        for line, option in ((", slower = 2.5", "=2.5"), (", slower = 4/1", "=4/1"),
                             (", slower = 3 @ %d ps" % (left + LATENCY), "=3@%dps" %
                              (left + LATENCY)),
                             (", slower = 1 / 2.125@1 us..3 us", "=1/2.125@1us..3us"),
                             (", slower = 9, slower = 2 @ ..1 ms", "=2")):
            told = self.times(**file(line))
            self.assertNotEqual(told["here"], left)
            self.assertEqual(told, self.times("--slow-link", "left-1" + option, **file("")))
        self.assertIn("fault: no link from rank 0 to rank 1: link 1-left went down at 0.001 us",
                      self.fails(**file(", down = 1 ns..1 ms")))
        for line, why in ((", down = 3 us..2 us",
                           "not a time at which a link is down: '3 us..2 us'"),
                          (", down = soon", "not a time at which a link is down: 'soon'"),
                          (", slower = 0.5", "not a factor from 1 to 1000, or its time: '0.5'"),
                          (", slower = 4/", "or its time: '4/'"),
                          (", slower = 4 @", "or its time: '4 @'"),
                          (", slower = 2" * 17, "more than 16 changes in a line"),
                          (", faster = 2", "they have bandwidth, latency, down and slower")):
            err = self.fails(code=2, **file(line))
            self.assertIn(why, err)
            self.assertIn("wired:2:", err)
        with open(self.path("wired"), "w") as out:
            out.write("mesh 0-399%s\n" % (", slower = 2" * 16))
        self.assertIn("wired:1: error: more than 524288 links, or 1048576 changes",
                      self.fails(code=2, ranks=400, topology="file:" + self.path("wired")))

    # ---- ranks ----

    def test_a_rank_that_becomes_slow(self):
        """A thousand scalar instructions of one nanosecond each; the pace changes between two."""
        with open(self.path("loop.pto"), "w") as file:
            file.write(""".kernel loop
.core aiv
    .if vec_id() == 0
        %began = clock()
        .for %i = 0 to 1000
        .endfor
        %end = clock()
        print "loop", %began, %end
    .endif
""")
        def loop(*options, run=self.run_ok):
            out = run("--cores", 1, "-p", "toy", *options, "run", self.path("loop.pto")).out
            return [int(ps) for ps in re.search(r"loop (\d+) (\d+)", out).groups()]
        began, end = loop()
        for factor, one, other in ((5, 250000, None), (3, 1, 900000), (0.5, 400000, None)):
            first = began + one
            last = "" if other is None else "..%dps" % (began + other)
            told = loop("--slow-rank", "0=%g@%dps%s" % (factor, first, last))
            work = end - first if other is None else min(end - first, (other - one) / factor)
            self.assertEqual(told[0], began)
            self.assertAlmostEqual(told[1], end + work * (factor - 1), delta=2000 * factor)
            self.assertEqual(loop("--slow-rank", "0=%g@%dps%s" % (factor, first, last),
                                  run=self.debug), told)

    def test_what_waits_in_a_queue_begins_at_the_pace_of_its_time(self):
        with open(self.path("queue.pto"), "w") as file:
            file.write(".kernel queue\n.core aiv\n.tile t : ub f32[64, 32]\n"
                       "    .if vec_id() == 0\n        %began = clock()\n" +
                       "        TADDS t, t, 1.0\n" * 16 + "        pipe_barrier ALL\n"
                       "        %end = clock()\n        print \"queue\", %began, %end\n"
                       "    .endif\n")

        def run(*options):
            out = self.run_ok("--cores", 1, "-p", "toy", *options, "run",
                              self.path("queue.pto")).out
            return [int(ps) for ps in re.search(r"queue (\d+) (\d+)", out).groups()]
        began, end = run()
        one = (end - began) / 16
        half = run("--slow-rank", "0=5@%dps" % ((began + end) // 2))
        self.assertEqual(half[0], began)
        self.assertAlmostEqual(half[1], end + 8 * 4 * one, delta=6 * one)


if __name__ == "__main__":
    unittest.main()
