"""Topologies: which wires a message takes, how long it is on them, and whom it meets there."""

import json
import os
import re
import unittest

import numpy as np

from harness import KernelTest, kernel, ptodbg, ptovm

BYTES = 8192
LINK, LATENCY = 10, 500             # of profile toy: bytes a nanosecond, nanoseconds
NIC, FAR = 5, 1000
LOAD = BYTES / LINK

# Where `to` names a rank, a tile of BYTES goes there, then the signal; who gets `comes` tiles says
# when the last is there; the sender when everything is acknowledged.
SEND = """.kernel send
.in  to    : i32[1]
.in  comes : i32[1]
.sym box   : f32[64, 32]
.signal here[1]
.core aiv
.tile t : ub f32[64, 32]
    .if vec_id() == 0
        %to = ld to[0]
        %comes = ld comes[0]
        pipe_barrier ALL
        %began = clock()
        .if %to >= 0
            TSTORE box@%to[0, 0], t
            pipe_barrier ALL
            TNOTIFY here@%to[0], 1, add
            dsb
            %end = clock() - %began
            print "acknowledged", %end
        .endif
        .if %comes > 0
            TWAIT here[0], ge, %comes
            %end = clock() - %began
            print "here", %end
        .endif
    .endif
"""


class Topology(KernelTest):
    def send(self, topology, *pairs, ranks=8, options=()):
        """All pairs (from, to) send at once: {"here": {rank: ns}, "acknowledged": {rank: ns}}."""
        to, comes = np.full((ranks, 1), -1, np.int32), np.zeros((ranks, 1), np.int32)
        for a, b in pairs:
            to[a], comes[b] = b, comes[b] + 1
        with open(self.path("send.pto"), "w") as file:
            file.write(SEND)
        result = self.run_ok("--ranks", ranks, "--cores", 1, "-p", "toy", "--topology", topology,
                             *options, "run", self.path("send.pto"),
                             "--in", "to=" + self.save_ranks("to", to),
                             "--in", "comes=" + self.save_ranks("comes", comes))
        times = {"here": {}, "acknowledged": {}}
        for rank, what, time in re.findall(
                r"rank (\d+), .*: (\w+) (\d+)", result.out):
            times[what][int(rank)] = int(time) / 1000
        return times

    def assert_here(self, topology, times, *pairs, **more):
        """The last tile is at each of these ranks so many nanoseconds after one that meets nobody
        on a mesh; the signal is behind it by less than 2."""
        alone = self.send("mesh", (0, 1))["here"][1]
        here = self.send(topology, *pairs, **more)["here"]
        self.assertEqual(sorted(here), sorted(times))
        for rank, time in times.items():
            self.assertAlmostEqual(here[rank], alone + time, delta=2, msg=(topology, pairs, rank))

    def test_mesh_is_the_default(self):
        self.assert_here("mesh", {7: 0, 6: 0}, (0, 7), (1, 6))
        self.assert_here("mesh", {2: 0}, (0, 2), (1, 2))

    def test_ring_takes_the_shorter_way(self):
        for to, wires in ((1, 1), (2, 2), (4, 4), (5, 3), (7, 1)):
            self.assert_here("ring", {to: (wires - 1) * LATENCY}, (0, to))
        self.assert_here("ring", {0: LATENCY}, (6, 0))
        self.assert_here("ring", {1: 0}, (0, 1), ranks=2)

    def test_torus_counts_both_directions(self):
        for to, wires in ((1, 1), (3, 1), (2, 2), (4, 1), (6, 3), (7, 2)):
            self.assert_here("torus:4x2", {to: (wires - 1) * LATENCY}, (0, to))
        self.assert_here("torus:3x4", {8: 2 * LATENCY}, (0, 8), ranks=12)

    def test_a_wire_in_use(self):
        """The messages of 0 and 1 leave at one instant: that of 0 has the wire to 2 first, when
        its head is at 1."""
        self.assert_here("ring", {2: LATENCY + LOAD}, (0, 2), (1, 2))
        self.assert_here("ring", {2: LATENCY, 1: LATENCY}, (0, 2), (3, 1))

    def test_switch(self):
        self.assert_here("switch", {3: 0, 5: 0}, (0, 3), (2, 5))
        self.assert_here("switch", {3: LOAD}, (0, 3), (1, 3))
        self.assert_here("switch", {3: 3 * LOAD}, (0, 3), (1, 3), (2, 3), (7, 3))

    def test_nodes(self):
        far = BYTES / NIC - LOAD + FAR - LATENCY
        self.assert_here("nodes:4", {3: 0}, (0, 3))
        self.assert_here("nodes:4", {4: far}, (0, 4))
        self.assert_here("nodes:4", {4: far, 5: far, 6: far, 7: far},
                         (0, 4), (1, 5), (2, 6), (3, 7))
        self.assert_here("nodes:3", {7: far}, (0, 7))

    def test_oversubscription(self):
        """Four NICs share what leaves a node, a quarter of what they carry.  The signals queue
        behind the bytes of all."""
        with open(self.path("thin.profile"), "w") as file:
            file.write("base = toy\nnetwork_oversubscription = 4\n")
        here = self.send("nodes:4", (0, 4), (1, 5), (2, 6), (3, 7),
                         options=("-p", self.path("thin.profile")))["here"]
        alone = self.send("nodes:4", (0, 4))["here"][4]
        for time in here.values():
            self.assertAlmostEqual(time, alone + 3 * BYTES / NIC, delta=4)

    def test_dsb_waits_for_what_met_others(self):
        """The way back of the acknowledgement meets nobody."""
        alone = self.send("switch", (0, 3))["acknowledged"][0]
        last = max(self.send("switch", (0, 3), (1, 3))["acknowledged"].values())
        self.assertAlmostEqual(last, alone + LOAD, delta=2)

    def test_a_scalar_unit_is_busy_or_waits(self):
        """Also at a dsb, whatever the way of what it waits for."""
        path = os.path.join(self.folder.name, "fence.pto")
        with open(path, "w") as file:
            file.write(""".kernel fence
.mix 1:1
.sym box : f32[64, 32]
.core aiv
.tile t : ub f32[64, 32]
    .if rank() == 0
        TSTORE box@3[0, 0], t
        pipe_barrier ALL
        dsb
    .endif
""")
        launch = set()
        for topology in ("mesh", "ring", "torus:4x2", "switch", "nodes:4"):
            told = json.loads(self.run_ok("--ranks", 8, "--cores", 1, "--topology", topology, "run",
                                          path, "--json").out)["per_rank"][0]
            scalar, = [pipe for pipe in told["pipes"] if pipe["pipe"] == "S"]
            launch.add(told["end_ps"] - scalar["busy_ps"] - scalar["wait_ps"])
        self.assertEqual(len(launch), 1, launch)

    def wiring(self, text):
        with open(self.path("own.topology"), "w") as file:
            file.write(text)
        return "file:" + self.path("own.topology")

    def test_a_file(self):
        """Two racks of four: the place between them carries half as much, and is three times as
        far."""
        racks = self.wiring("""# two racks
            mesh 0-3
            mesh 4-7
            link 0-3 left
            link 4-7 right,latency=500 ns
            link left right, bandwidth = 5 GB/s , latency = 1.5 us  # the slow one
            """)
        far = 2 * LATENCY + 1500 - LATENCY + LOAD
        self.assert_here(racks, {3: 0, 7: 0}, (0, 3), (4, 7))
        self.assert_here(racks, {5: far}, (0, 5))
        self.assert_here(racks, {5: far + 2 * LOAD}, (0, 5), (1, 5))
        self.assert_here(racks, {5: far, 3: far}, (0, 5), (6, 3))

    def test_a_file_says_the_same_as_a_name(self):
        ring = "".join("link %d %d\n" % (i, (i + 1) % 8) for i in range(8))
        for pairs in ([(0, 2), (1, 2)], [(0, 2), (3, 1)], [(6, 0)]):
            self.assertEqual(self.send(self.wiring(ring), *pairs), self.send("ring", *pairs))

    def test_of_ways_of_one_length_the_lowest(self):
        """From 0 to 3 by 1 or by 2: what goes to 3 meets what goes to 1, behind whose bytes its
        signal queues, not what goes to 2."""
        square = self.wiring("link 0 1-2\nlink 3 1-2\nlink 4-7 0")
        self.assert_here(square, {3: LATENCY + LOAD, 1: LOAD}, (0, 3), (4, 1))
        self.assert_here(square, {3: LATENCY, 2: LATENCY}, (0, 3), (4, 2))

    def test_a_slow_link_between_places(self):
        """The way in and the way out of a file's places have names, too."""
        racks = self.wiring("mesh 0-3\nmesh 4-7\nlink 0-3 left-hand\nlink 4-7 right\n"
                            "link left-hand right\n")
        far = 2 * LATENCY
        self.assert_here(racks, {5: far}, (0, 5))
        self.assert_here(racks, {5: far + 2 * (LOAD + LATENCY), 1: 0}, (0, 5), (2, 1),
                         options=("--slow-link", "left-hand-right=3"))
        self.assert_here(racks, {0: far + 2 * (LOAD + LATENCY)}, (5, 0),
                         options=("--slow-link", "right-left-hand=3"))
        self.assert_here(racks, {5: far + LOAD + LATENCY, 1: 0}, (0, 5), (2, 1),
                         options=("--slow-link", "5-right=2"))
        for topology, link, say in ((racks, "left-hand-5", "no such link"),
                                    (racks, "left-up", "no such link"),
                                    ("ring", "left-right", "only a topology from a file")):
            error = self.run_bad(2, "--ranks", 8, "--topology", topology, "--slow-link",
                                 link + "=2", "run", kernel("collective/allreduce_ring.pto"),
                                 "--set", "count=8", "--in", "x=ones")
            self.assertIn(say, error)

    def test_a_slow_link(self):
        slow = ("--slow-link", "0-1=3")
        self.assert_here("mesh", {1: 2 * LOAD + 2 * LATENCY, 2: 0}, (0, 1), (3, 2), options=slow)
        self.assert_here("mesh", {0: 2 * LOAD + 2 * LATENCY}, (1, 0), options=slow)
        self.assert_here("ring", {2: LATENCY + 2 * LOAD + 2 * LATENCY}, (0, 2), options=slow)
        self.assert_here("ring", {2: LATENCY + 2 * LOAD + 2 * LATENCY}, (0, 2),
                         options=("--slow-link", "2-1=3"))

    def test_long_times_do_not_wrap(self):
        """32 MiB at 1 MB/s: half a minute, and a thousand times that."""
        wire = self.wiring("link 0 1, bandwidth = 1 MB/s")
        times = []
        for factor in (1, 1000):
            run = self.run_ok("--ranks", 2, "--topology", wire, "--timing-only", "--json",
                              "--slow-link", "0-1=%d" % factor, "--max-time", "1000000s",
                              "run", kernel("collective/p2p_put_async.pto"), "--set", "source=0",
                              "--set", "target=1", "--set", "bytes=33554432", "--set", "lanes=1",
                              "--in", "x=zeros")
            times.append(json.loads(run.out)["time_ps"])
        self.assertAlmostEqual(times[1] / times[0], 1000, delta=0.1)

    def test_bounds_of_links(self):
        """What is just within them is taken."""
        for text in ("bandwidth = 1000 TB/s", "bandwidth = 1 MB/s", "latency = 4000 ms",
                     "latency = 1 ps"):
            self.run_ok("--ranks", 2, "--topology", self.wiring("link 0 1, " + text), "run",
                        kernel("collective/allreduce_ring.pto"), "--set", "count=8", "--in",
                        "x=ones", "--max-time", "1000000s")

    def test_refused_files(self):
        for text, say in (("link 0 8", "not a rank of this run, ranks or a name: '8'"),
                          ("link 3-1 a", "not ranks of this run in their order: '3-1'"),
                          ("link 0-3x a", "in their order: '0-3x'"),
                          ("\nlink 0", "own.topology:2: error: not a line of a topology: 'link'"),
                          ("ring 0-3", "not a line of a topology: 'ring'"),
                          ("link 0 1 2", "one word too many: '2'"),
                          ("mesh 0-7, speed = 3 GB/s", "no such property: 'speed'"),
                          ("mesh 0-7, speed = 3\nring 0-3", "no such property: 'speed'"),
                          ("mesh 0-7, latency", "not a property: ' latency'"),
                          ("mesh 0-7, latency = 1 us, latency = 2 us", "given twice: 'latency'"),
                          ("mesh 0-7, latency = 3", "not a latency from 1 ps to 4000 ms: '3'"),
                          ("mesh 0-7, latency = 4000000000001 ps", "not a latency"),
                          ("mesh 0-7, bandwidth = 0 GB/s", "not a bandwidth"),
                          ("mesh 0-7, bandwidth = 1000001 GB/s", "not a bandwidth"),
                          ("link 1 1", "no link to itself: '1'"),
                          ("mesh 0-7\nlink 1 0", "two links between the same places: '0 1'"),
                          ("".join("link 0 n%d\n" % i for i in range(4097)),
                           "4097: error: more than 4096 places with names: 'n4096'"),
                          ("mesh 0-6", "no links lead from one rank to the other: '7 to 0'"),
                          ("", "this topology has no lines"),
                          ("\0mesh 0-7", "the topology is not a text file")):
            error = self.run_bad(2, "--ranks", 8, "--topology", self.wiring(text), "run",
                                 kernel("collective/allreduce_ring.pto"), "--set", "count=8",
                                 "--in", "x=ones")
            self.assertIn(say, error)
            self.assertEqual(error.count("error:"), 1, error)
        for words, say in ((["--topology", "file:"], "error: topology 'file:' is none of mesh"),
                           (["--topology", "file:nowhere"], "nowhere: error: cannot read"),
                           (["--slow-link", "0-1=0.5"], "not a link and its factor"),
                           (["--slow-link", "0=2"], "not a pair of ranks"),
                           (["--slow-link", "0-9=2"], "--slow-link 9: no such rank"),
                           (["--topology", "ring", "--slow-link", "0-4=2"], "no neighbours")):
            error = self.run_bad(2, "--ranks", 8, *words, "run",
                                 kernel("collective/allreduce_ring.pto"), "--set", "count=8",
                                 "--in", "x=ones")
            self.assertIn(say, error)

    def test_an_empty_file_is_no_topology(self):
        for ranks in (1, 2):
            for text in ("", "\n\n", "# only words\n  # of others"):
                error = self.run_bad(2, "--ranks", ranks, "--topology", self.wiring(text), "run",
                                     kernel("basic/vadd.pto"), "--set", "n=8", "--in", "a=ones",
                                     "--in", "b=ones")
                self.assertIn("this topology has no lines", error)
                self.assertEqual(error.count("error:"), 1, error)

    def test_kernels_are_right_on_every_topology(self):
        self.save("order.npy", np.arange(6, dtype=np.int32))
        runs = [["allreduce_ring.pto", "--set", "count=10007", "--in", "x=const:2",
                 "--expect", "y=const:12"],
                ["allreduce_mesh.pto", "--set", "count=10007", "--in", "x=const:2",
                 "--expect", "y=const:12"],
                ["allreduce_hierarchical.pto", "--set", "count=10007", "--in", "x=const:2",
                 "--expect", "y=const:12"]]
        star = self.wiring("link 0-5 hub")
        for topology in ("mesh", "ring", "torus:3x2", "torus:2x3", "switch", "nodes:2", "nodes:4",
                         star):
            for run in runs:
                words = ["--ranks", 6, "--topology", topology, "--jitter", 3, "run",
                         kernel("collective/" + run[0]), *run[1:]]
                one = self.run_ok("--threads", 1, *words).out
                self.assertEqual(self.run_ok("--threads", 3, *words).out, one)
                self.assertEqual(self.run_ok("--check", *words).code, 0)

    def test_a_ring_on_a_ring(self):
        """Neighbours of the algorithm are neighbours of the wiring: no different from a mesh."""
        order = self.save("order.npy", np.arange(8, dtype=np.int32))
        times = set()
        for topology in ("mesh", "ring", "nodes:8"):
            out = self.run_ok("--ranks", 8, "--topology", topology, "run",
                              kernel("collective/allreduce_ring.pto"), "--set", "count=100003",
                              "--in", "ring=" + order, "--in", "x=const:2").out
            times.add(re.search(r"^time +(.*)", out, re.M).group(1))
        self.assertEqual(len(times), 1, times)

    def test_a_step_at_a_time(self):
        """A debugger's machine takes one instant after the other instead of windows."""
        for topology, profile in (("switch", "a2"), ("ring", "a2"), ("ring", "a5"),
                                  ("torus:3x2", "a2"), ("nodes:4", "a5")):
            words = ["--ranks", 6, "-p", profile, "--topology", topology, "--set", "count=10007",
                     "--in", "x=const:2", "--jitter", 99, "--cores", 3]
            mesh = kernel("collective/allreduce_mesh.pto")
            whole = self.run_ok("run", *words, mesh).out
            time = re.search(r"^time +([0-9.]+ us)", whole, re.M).group(1)
            stepped = ptodbg("--batch", "-e", "run", *words, mesh).out
            self.assertIn(time, stepped, topology)
            traced = self.run_ok("run", *words, mesh, "--trace", self.path("trace")).out
            self.assertIn("time          " + time, traced, topology)

    def test_what_an_earlier_launch_sent(self):
        """Two senders to one rank, and the next launch before they know that it has arrived: its
        dsb waits for its own messages."""
        options = ("--profile-set", "launch=1ns")
        self.send("switch", (0, 2), (1, 2), options=options)
        words = ["--ranks", 8, "--cores", 1, "-p", "toy", "--topology", "switch", *options,
                 "--repeat", 2, self.path("send.pto"),
                 "--in", "to=" + self.path("to_{rank}.npy"),
                 "--in", "comes=" + self.path("comes_{rank}.npy")]
        time = re.search(r"^time +([0-9.]+ us)", self.run_ok("run", *words).out, re.M).group(1)
        self.assertIn(time, ptodbg("--batch", "-e", "run", *words).out)

    def test_links_that_are_down(self):
        words = ["--ranks", 4, "--cores", 1, "-p", "toy"]
        self.send("ring", (3, 0), ranks=4, options=("--link-down", "0-1"))
        run = ["run", self.path("send.pto"), "--in", "comes=zeros", "--in", "to=const:2"]
        for topology, link, ends in (("ring", "1-2", "0 to rank 2"), ("torus:2x2", "1-3", None),
                                     ("torus:2x2", "0-2", "0 to rank 2"), ("mesh", "0-1", None)):
            result = ptovm(*words, "--topology", topology, "--link-down", link, *run)
            self.assertEqual("no link from rank %s" % ends in result.err, ends is not None,
                             result.err)
        for topology in ("ring", "switch"):
            err = self.run_bad(2, *words, "--topology", topology, "--link-down", "0-2", *run)
            self.assertIn("link 0-2: in topology %s the two are no neighbours" % topology, err)
            self.assertIn("hint: name two ranks that one wire joins", err)

    def test_what_is_no_topology(self):
        words = ["run", kernel("collective/allreduce_mesh.pto"), "--set", "count=4", "--in",
                 "x=const:2"]
        for text in ("", "star", "ring:2", "torus", "torus:", "torus:4", "torus:0x8", "torus:4x2x1",
                     "torus:99999999999x1", "nodes:-1", "nodes:4 ", "Mesh"):
            err = self.run_bad(2, "--ranks", 8, "--topology", text, *words)
            self.assertIn("is none of mesh, ring, torus:XxY, switch, nodes:N, file:PATH",
                          err, text)
        for text in ("torus:3x3", "nodes:9"):
            err = self.run_bad(2, "--ranks", 8, "--topology", text, *words)
            self.assertIn("does not fit 8 ranks", err)


if __name__ == "__main__":
    unittest.main()
