"""kernels/lib/swizzle.inc: every tile and every exchange comes once, in the promised order."""

import os
import unittest

from harness import SOURCE, KernelTest
import fused as golden

KERNEL = os.path.join(SOURCE, "tests", "run", "kernels", "swizzle.pto")


class Swizzle(KernelTest):
    def run_swizzle(self, *options, **parameters):
        """tiles, (places, lanes, spread), turns of rank 0."""
        arguments = [*options, KERNEL]
        for name, value in parameters.items():
            arguments += ["--set", "%s=%d" % (name, value)]
        for name in ("tiles", "dealt", "turns"):
            arguments += ["--out", "%s=%s" % (name, self.path(name + "_{rank}.npy"))]
        self.run_ok("run", *arguments)
        return tuple(self.load(name + "_0.npy").tolist() for name in ("tiles", "dealt", "turns"))

    def test_tiles(self):
        for down, across in ((1, 1), (5, 3), (3, 7), (4, 8), (2, 20), (1, 15), (43, 6)):
            tiles, _, _ = self.run_swizzle("--cores", 1, down=down, across=across)
            self.assertEqual([tuple(t) for t in tiles], golden.swizzle(down, across))
            self.assertEqual(len(set(golden.swizzle(down, across))), down * across)

    def test_neighbours(self):
        """Two tiles that follow each other share a row or a column, but where a row of a group
        wraps around."""
        tiles, _, _ = self.run_swizzle("--cores", 1, down=4, across=14)
        jumps = sum(1 for p, q in zip(tiles, tiles[1:]) if p[0] != q[0] and p[1] != q[1])
        self.assertEqual(jumps, 2 * 3)

    def steps(self, ranks, cores, blocks, fixed, wanted=1):
        """For every step of all cores the exchanges (core, block, rank) that take place."""
        _, (places, _, spread), turns = self.run_swizzle(
            "--ranks", ranks, "--cores", cores, blocks=blocks, fixed=fixed, wanted=wanted)
        turns = [tuple(t) for t in turns[:places * ranks]]
        real = [t for t in turns if t[0] < blocks]
        self.assertEqual(sorted(real), [(b, r) for b in range(blocks) for r in range(ranks)])
        self.assertEqual(spread, 1 if fixed else wanted)
        return [[(core, *t) for core, t in enumerate(turns[at:at + cores])]
                for at in range(0, len(turns), cores)]

    def test_fixed_order(self):
        """One core exchanges a block with all ranks, beginning with the block's number."""
        for ranks, cores, blocks in ((4, 12, 16), (3, 2, 5), (8, 20, 50), (1, 2, 3), (5, 7, 3)):
            served = {}
            for step in self.steps(ranks, cores, blocks, 1):
                for core, block, rank in step:
                    served.setdefault(block, []).append((core, rank))
            for block, turns in served.items():
                self.assertEqual(turns, [(turns[0][0], (block + j) % ranks) for j in range(ranks)])

    def test_ranks_are_busy_side_by_side(self):
        """In every step all ranks are talked to, about equally often."""
        for ranks, cores, blocks, fixed, wanted in ((4, 4, 16, 0, 1), (8, 20, 50, 1, 1),
                                                    (8, 20, 50, 0, 1), (4, 8, 16, 0, 2),
                                                    (4, 12, 12, 0, 4), (8, 8, 10, 0, 8)):
            for step in self.steps(ranks, cores, blocks, fixed, wanted):
                count = [sum(1 for _, _, rank in step if rank == r) for r in range(ranks)]
                self.assertGreaterEqual(min(count), 1, (ranks, cores, blocks, step))
                self.assertLessEqual(max(count) - min(count), 2, (ranks, cores, blocks, step))

    def test_price_of_the_fixed_order(self):
        """hicann/catccos' example, 16 blocks on 4 ranks with 12 cores, takes 8 steps, not 6; a
        round of 200 tiles on 8 ranks with 20 cores 24, not 20."""
        for ranks, cores, blocks, plain, fixed in ((4, 12, 16, 6, 8), (8, 20, 50, 20, 24)):
            self.assertEqual(len(self.steps(ranks, cores, blocks, 0)), plain)
            self.assertEqual(len(self.steps(ranks, cores, blocks, 1)), fixed)


if __name__ == "__main__":
    unittest.main()
