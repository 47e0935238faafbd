"""What processes give each other: counts that follow from the links of the simulated machine.
Skipped where there is no mpirun, or no Open MPI when the programs were built."""

import json
import re
import unittest

from harness import KernelTest
from processes import WHY_NOT, on, together
from pto import program


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Meetings(KernelTest):
    def run_ring(self, processes, *options):
        done = on(processes, "-v", "--json=" + self.path("report"), "--ranks", 8, "--cores", 2,
                  *options, "run", "kernels/collective/allreduce_ring.pto", "--set", "count=4000",
                  "--in", "x=random:3")
        self.assertEqual(done.code, 0, done.err)
        with open(self.path("report")) as file:
            links = json.load(file)["links"]
        lines = re.findall(r"^host {10}meetings (.*)$", done.err, re.MULTILINE)
        return [json.loads(line) for line in lines], links

    def test_counts_are_those_of_the_links(self):
        for processes, options in ((2, ()), (4, ()), (2, ("--topology", "nodes:4"))):
            with self.subTest(processes=processes, options=options):
                (told,), links = self.run_ring(processes, *options)
                crossing = [link for link in links if link["from"] * processes // 8 !=
                            link["to"] * processes // 8]
                self.assertEqual(told["processes"], processes)
                self.assertEqual(told["messages"], sum(link["messages"] for link in crossing))
                self.assertEqual(told["payload"], sum(link["bytes"] for link in crossing))
                self.assertGreater(told["bytes"], told["payload"])
                self.assertLessEqual(told["parcels"], told["most_parcels"])
                self.assertEqual(told["most_parcels"],
                                 told["meetings"] * processes * (processes - 1))

    def windows(self, processes, *options):
        (told,), _ = self.run_ring(processes, "--topology", "nodes:4", *options)
        return told["windows"]

    def test_whole_nodes_meet_less_often(self):
        """The network takes eight times as long as a link.  Who looks on is told window by
        window, and --join asks where all stand."""
        apart = self.windows(4)
        self.assertLess(self.windows(2), apart / 2)
        self.assertEqual(self.windows(2, "--trace", self.path("trace")), apart)
        self.assertEqual(self.windows(2, "--join"), apart)
        self.assertEqual(self.windows(2, "--profile-set", "network_latency=250ns"),
                         self.windows(4, "--profile-set", "network_latency=250ns"))

    def test_what_stays_in_a_node_is_not_announced(self):
        """Bytes are those of what leaves a process, twice: announced, and sent."""
        (told,), _ = self.run_ring(2, "--topology", "nodes:4")
        self.assertLess(told["bytes"], told["payload"] + 300 * told["messages"])

    def test_one_process_has_none(self):
        self.assertEqual(self.run_ring(1)[0], [])

    def test_an_option_that_one_process_does_not_know(self):
        """It ends before the others meet, and does not leave them waiting."""
        words = ("--ranks", 4, "run", "kernels/collective/device_barrier.pto")
        for first, second in (((), ("--frobnicate",)), (("--frobnicate",), ())):
            done = together("-n", 1, program("ptovm"), *first, *words, ":", "-n", 1,
                            program("ptovm"), *second, *words)
            self.assertEqual(done.code, 2, done.err)
            self.assertEqual(done.err.count("error: unknown option '--frobnicate'"), 1, done.err)


if __name__ == "__main__":
    unittest.main()
