"""Reference for the ring all-reduce: the order of additions that the ring fixes.

Clockwise half: block b is x[b] + x[b + 1] + ... + x[b - 1] by place on the ring, counter-clockwise
half: x[b] + x[b - 1] + ...; every addition is rounded to the element type."""

import numpy as np


def twisted_ring(ranks):
    """ring[place] = rank; from four ranks on 0 and 1 are not neighbours."""
    if ranks == 1:
        return [0]
    return list(range(1, ranks - 1)) + [0, ranks - 1]


def blocks(size, parts):
    """(offset, length) of every part: the first size % parts ones are longer by one."""
    base, rest = divmod(size, parts)
    return [(b * base + min(b, rest), base + (b < rest)) for b in range(parts)]


def halves(count):
    """(slice, direction) of the clockwise and the counter-clockwise half."""
    cut = -(-count // 2)
    return [(slice(0, cut), 1), (slice(cut, count), -1)]


def allreduce(inputs, ring):
    """inputs[rank] to the sum that every rank gets."""
    ranks, count = len(ring), len(inputs[0])
    by_place = [inputs[rank] for rank in ring]
    result = np.empty(count, inputs[0].dtype)
    for half, direction in halves(count):
        for b, (offset, length) in enumerate(blocks(half.stop - half.start, ranks)):
            where = slice(half.start + offset, half.start + offset + length)
            total = by_place[b][where]
            for j in range(1, ranks):
                total = total + by_place[(b + direction * j) % ranks][where]
            result[where] = total
    return result


# Four ranks, every input 2: the value of each block of the clockwise half, by place on the ring,
# after 0, 1, ... rounds; three rounds of reduce-scatter, then three of all-gather.
CLOCKWISE_STATES = [
    ["2222", "2222", "2222", "2222"],
    ["2224", "4222", "2422", "2242"],
    ["2264", "4226", "6422", "2642"],
    ["2864", "4286", "6428", "8642"],
    ["8864", "4886", "6488", "8648"],
    ["8868", "8886", "6888", "8688"],
    ["8888", "8888", "8888", "8888"],
]
# The counter-clockwise half after reduce-scatter: the owner of a block is the place above.
COUNTER_CLOCKWISE_REDUCED = ["2468", "8246", "6824", "4682"]
