"""The barrier over all cores of all ranks: nobody leaves before everybody has come."""

import json
import unittest

from harness import KernelTest, kernel, ptovm


class Barrier(KernelTest):
    def times(self, name, ranks, *options):
        """enter[rank, phase, core] and leave[...] in picoseconds."""
        self.run_ok("--ranks", ranks, *options, "run", kernel(name), "--out",
                    "enter=" + self.path("enter_{rank}.npy"), "--out",
                    "leave=" + self.path("leave_{rank}.npy"))
        return [[times[..., 0] for times in self.load_ranks(name, ranks)]
                for name in ("enter", "leave")]

    def early_leavers(self, enter, leave):
        """Phases in which someone left before the last one came."""
        return [phase for phase in range(enter[0].shape[0])
                if min(l[phase].min() for l in leave) < max(e[phase].max() for e in enter)]

    def test_nobody_leaves_early(self):
        for ranks in (1, 2, 3, 4, 8):
            for cores in (1, 2, 4):
                enter, leave = self.times("collective/device_barrier.pto", ranks, "--cores", cores)
                self.assertEqual(enter[0].shape, (3, 2 * cores))
                self.assertEqual(self.early_leavers(enter, leave), [], (ranks, cores))

    def test_many_phases_repeated_and_perturbed(self):
        for options in (("--repeat", 3), ("--slow-rank", "1=4"), ("--jitter", 3), ("--join",),
                        ("--profile", "toy")):
            enter, leave = self.times("collective/device_barrier.pto", 3, "--cores", 2, "--set",
                                      "phases=10", *options)
            self.assertEqual(self.early_leavers(enter, leave), [], options)

    def test_regions_of_signals_in_turn(self):
        """One region for every phase, fewer than phases, and more."""
        for regions in (2, 3, 5):
            for options in (("--repeat", 3), ("--slow-rank", "2=4", "--repeat", 2)):
                enter, leave = self.times("collective/device_barrier.pto", 3, "--cores", 2, "--set",
                                          "regions=%d" % regions, *options)
                self.assertEqual(self.early_leavers(enter, leave), [], (regions, options))
        for ranks in (1, 3):
            result = ptovm("check", "--ranks", ranks, "--cores", 2, "--repeat", 3, "--jitter", 1,
                           kernel("collective/device_barrier.pto"), "--set", "regions=3")
            self.assertEqual((result.code, result.err), (0, ""))

    def test_many_ranks_go_by_steps(self):
        """By links that lie so far apart that an early leaver would show; as many messages as the
        steps have, and no findings."""
        for ranks, fan in ((3, 2), (5, 2), (8, 2), (9, 3), (11, 4), (40, 32)):
            for options in ((), ("--slow-rank", "1=50"), ("--jitter", 3)):
                enter, leave = self.times("collective/device_barrier.pto", ranks, "--cores", 1,
                                          "-D", "BARRIER_FAN=%d" % fan, "--repeat", 2, *options)
                self.assertEqual(self.early_leavers(enter, leave), [], (ranks, fan, options))
            arguments = ("--ranks", ranks, "--cores", 1, kernel("collective/device_barrier.pto"),
                         "-D", "BARRIER_FAN=%d" % fan, "--set", "phases=1")
            report = json.loads(self.run_ok("run", "--json", *arguments).out)
            told, far = 0, 1
            while far < ranks:
                told += len(range(far, min(far * fan, ranks), far))
                far *= fan
            self.assertEqual(sum(link["messages"] for link in report["links"]), ranks * told)
            checked = ptovm("check", "--repeat", 2, *arguments)
            self.assertEqual((checked.code, checked.err), (0, ""), (ranks, fan))

    def test_steps_need_no_more_links_than_they_use(self):
        """Of eight ranks with a fan of two nobody tells the rank three ahead."""
        self.times("collective/device_barrier.pto", 8, "-D", "BARRIER_FAN=2", "--link-down", "0-3")
        self.run_bad(1, "--ranks", 8, "--link-down", "0-3", "run",
                     kernel("collective/device_barrier.pto"))

    def test_a_fan_of_one_is_refused(self):
        err = self.run_bad(1, "run", kernel("collective/device_barrier.pto"), "-D",
                           "BARRIER_FAN=1")
        self.assertIn("choose a BARRIER_FAN above 1", err)

    def test_no_region_is_refused(self):
        err = self.run_bad(2, "run", kernel("collective/device_barrier.pto"), "--set", "regions=0")
        self.assertIn("a barrier needs a region of signals", err)

    def test_the_literal_version_lets_go_early(self):
        enter, leave = self.times("broken/device_barrier_literal.pto", 2, "--cores", 2)
        early = self.early_leavers(enter, leave)
        self.assertNotIn(0, early)
        self.assertNotEqual(early, [])


if __name__ == "__main__":
    unittest.main()
