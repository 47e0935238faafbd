"""A slow rank is slow in everything that it does itself, and jitter reaches flags and issue."""

import re
import unittest

from harness import KernelTest, ptovm

# Every kernel prints how long its work took: clock() behind it less clock() before it.
HEAD = """.kernel k
.in  a : f32[64, 1024]
.out b : f32[64, 1024]
.gm  box : i32[16]
.signal bell[1]
.core aiv
.tile t : ub f32[1, 1024]
    .if vec_id() == 0
        %began = clock()
        {}
        %took = clock() - %began
        print "took", %took
    .endif
"""
# Costs that show: issue and flags take longer than the scalar instructions around them.
PROFILE = """base = a2
issue = 50 cycles
flag = 100 cycles
"""
WORK = {
    "scalar": ".for %i = 0 to 1000\n.endfor",
    "issue": """.for %i = 0 to 8
            TADDS t, t, 1.0
        .endfor""",
    "flags": """.for %i = 0 to 8
            set_flag  V, MTE3, %i
            wait_flag V, MTE3, %i
        .endfor
        pipe_barrier ALL""",
    "memory": """.for %i = 0 to 64
            TLOAD t, a[%i, 0]
        .endfor
        pipe_barrier ALL""",
    "loads and stores": """.for %i = 0 to 16
            st box[%i], %i
            %x = ld box[%i]
        .endfor""",
    "notifies": """.for %i = 0 to 16
            TNOTIFY bell[0], 1, add
        .endfor""",
}


class SlowRank(KernelTest):
    def took(self, work, *options):
        path = self.path("k.pto")
        with open(path, "w") as file:
            file.write(HEAD.format(WORK[work]))
        with open(self.path("costly.profile"), "w") as file:
            file.write(PROFILE)
        result = ptovm("--cores", 1, "-p", self.path("costly.profile"), *options, "run", path,
                       "--in", "a=ones")
        self.assertEqual(result.code, 0, result.err)
        return int(re.search(r"took +(\d+)", result.out + result.err).group(1))

    def test_every_kind_of_work_takes_the_factor(self):
        for work in WORK:
            with self.subTest(work):
                self.assertEqual(self.took(work, "--slow-rank", "0=8"), 8 * self.took(work))

    def test_jitter_reaches_what_the_scalar_unit_and_flags_take(self):
        for work in ("issue", "flags", "loads and stores", "notifies"):
            with self.subTest(work):
                plain = self.took(work)
                times = {self.took(work, "--jitter", seed) for seed in range(1, 7)}
                self.assertGreater(len(times), 1)
                self.assertTrue(all(0.7 * plain < time < 1.3 * plain for time in times), times)


if __name__ == "__main__":
    unittest.main()
