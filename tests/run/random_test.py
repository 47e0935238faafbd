"""--in x=random:SEED: the same numbers on every host, splitmix64's of the seed, the rank and the
place (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014)."""

import unittest

import numpy as np

from harness import KernelTest, ptovm

MASK = (1 << 64) - 1
COUNT = 3 * 512 + 37  # the last piece is a short one


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def golden(dtype, seed, rank):
    """Floats of 24 bits from -1 to 1, rounded to the type; integers of 4 bits."""
    key = mix(mix(seed) ^ rank)
    bits = [mix(key ^ place) for place in range(COUNT)]
    if dtype.startswith("f"):
        values = [((x >> 40) - (1 << 23)) / (1 << 23) for x in bits]
    else:
        values = [(x >> 60) - (8 if dtype.startswith("i") else 0) for x in bits]
    return np.array(values).astype({"f": "f", "i": "i", "u": "u"}[dtype[0]] +
                                   str(int(dtype[1:]) // 8))


class Random(KernelTest):
    def test_numbers(self):
        for dtype in ("f32", "f16", "i8", "u8", "i16", "u16", "i32", "u32", "i64"):
            name = self.write("k.pto", ".kernel k\n.inout x : %s[%d]\n.core aiv\n    end\n"
                                       % (dtype, COUNT))
            done = ptovm("--ranks", 2, "run", name, "--in", "x=random:7", "--out",
                         "x=" + self.path("x.{rank}.npy"))
            self.assertEqual(done.code, 0, done.err)
            for rank in range(2):
                np.testing.assert_array_equal(np.load(self.path("x.%d.npy" % rank)),
                                              golden(dtype, 7, rank), dtype)


if __name__ == "__main__":
    unittest.main()
