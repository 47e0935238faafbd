"""What nobody has written reads as poison, all bits set, however large it is: global memory and
memory on chip, on all ranks, and again in every launch on chip. Windows read as zeros."""

import unittest

import numpy as np

from harness import KernelTest

WIDE = 8192  # a tile of 32 KiB, as a row
TEXT = """
.kernel scratch
.out  large  : i32[%(rows)d, %(wide)d]
.out  copied : i32[9, %(wide)d]
.out  chip   : i32[2, %(wide)d]
.sym  window : i32[17, 1000]
.out  blank  : i32[17, 1000]
.core aiv
.tile t[4] : ub i32[1, %(wide)d]
.tile odd  : ub i32[1, 1000]
    .if vec_id() == 0
        TEXPANDS t[1], 5
        set_flag V, MTE3, 0
        wait_flag V, MTE3, 0
        TSTORE large[11, 0], t[1]
        TSTORE chip[0, 0], t[1]
        TSTORE chip[1, 0], t[3]
        set_flag MTE3, MTE2, 0
        wait_flag MTE3, MTE2, 0
        .for %%row = 0 to 9
            TLOAD t[0], large[%%row * 4 + 3, 0]
            set_flag MTE2, MTE3, 0
            wait_flag MTE2, MTE3, 0
            TSTORE copied[%%row, 0], t[0]
            set_flag MTE3, MTE2, 1
            wait_flag MTE3, MTE2, 1
        .endfor
        .for %%row = 0 to 17
            TLOAD odd, window[%%row, 0]
            set_flag MTE2, MTE3, 2
            wait_flag MTE2, MTE3, 2
            TSTORE blank[%%row, 0], odd
            set_flag MTE3, MTE2, 3
            wait_flag MTE3, MTE2, 3
        .endfor
        set_flag MTE3, V, 0
        wait_flag MTE3, V, 0
        TEXPANDS t[3], 7    ; what the next launch must not find
    .endif
"""


class Poison(KernelTest):
    def test_large_memories_are_poison_where_nobody_writes(self):
        self.check(37)

    def test_so_are_those_of_more_ranks_than_have_large_pages(self):
        self.check(37, 66)

    def test_so_are_those_of_a_rank_with_large_results(self):
        self.check(140)

    def check(self, rows, ranks=3):
        with open(self.path("scratch.pto"), "w") as file:
            file.write(TEXT % {"wide": WIDE, "rows": rows})
        outputs = [x for name in ("large", "copied", "chip", "blank")
                   for x in ("--out", "%s=%s" % (name, self.path(name + "_{rank}.npy")))]
        self.run_ok("--ranks", ranks, "--cores", 2, "--repeat", 2, "run", self.path("scratch.pto"),
                    *outputs)
        large = np.full((rows, WIDE), -1, np.int32)
        large[11] = 5
        for rank in range(ranks):
            self.assert_same_bits(self.load("large_%d.npy" % rank), large)
            self.assert_same_bits(self.load("copied_%d.npy" % rank), large[3:36:4])
            self.assert_same_bits(self.load("chip_%d.npy" % rank),
                                  np.repeat(np.array([[5], [-1]], np.int32), WIDE, axis=1))
            self.assert_same_bits(self.load("blank_%d.npy" % rank),
                                  np.zeros((17, 1000), np.int32))


if __name__ == "__main__":
    unittest.main()
