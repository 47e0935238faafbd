"""TRANDOM: Philox 4x32 against the published answers and a reference with 64-bit integers."""
import numpy as np

import values
from harness import faults, run, tilewise

MASK = 2 ** 32 - 1


def philox(counter, key, rounds):
    x, k = list(counter), list(key)
    for _ in range(rounds):
        a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [b >> 32 ^ x[1] ^ k[0], b & MASK, a >> 32 ^ x[3] ^ k[1], a & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return x


def random(key, counter, rounds=10, size=None):
    if not size[0] or not size[1]:
        return None
    words, first = [], sum(int(c) << 32 * i for i, c in enumerate(counter[0]))
    for block in range((size[0] * size[1] + 3) // 4):
        now = (first + block) % 2 ** 128
        words += philox([now >> 32 * i & MASK for i in range(4)], [int(k) for k in key[0]],
                        int(rounds))
    return np.array(words[:size[0] * size[1]], np.uint32).reshape(size)


# answers that the authors of Philox publish (Random123, kat_vectors)
assert philox([0] * 4, [0] * 2, 10) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([MASK] * 4, [MASK] * 2, 7) == [0x5207DDC2, 0x45165E59, 0x4D8EE751, 0x8C52F662]


def high(draw):
    """Counters that carry."""
    return np.where(draw.rng.integers(0, 2, draw.shape), MASK - draw.rng.integers(0, 9, draw.shape),
                    draw.rng.integers(0, 2 ** 32, draw.shape))


common = dict(shapes={"key": lambda r, c: (1, 2), "counter": lambda r, c: (1, 4)},
              round_scalars=False, alias=False)
tilewise("TRANDOM", random, scalars={"rounds": [10, 7]}, **common)
tilewise("TRANDOM", random, scalars={"rounds": [7, 10]}, data={"counter": high}, **common)
run()
