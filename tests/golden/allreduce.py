"""References for the all-reduces: the order of operations that a ring or a mesh fixes.

Ring, clockwise half: block b is x[b] + x[b + 1] + ... + x[b - 1] by place on the ring,
counter-clockwise half: x[b] + x[b - 1] + ... Mesh: piece q of part p is x[p] by rank and then the
others, from x[p + 1 + q] on. In two levels each level is such a mesh, of the members of a group and
then of the groups. Every operation is rounded to the element type."""

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


# The numbers of the operations, as the kernels' parameter `op` has them.
OPERATIONS = [np.add, np.multiply, np.maximum, np.minimum]


def fold(inputs, operation):
    """inputs[0] op inputs[1] op ..., from the left, rounded every time."""
    result = inputs[0]
    for x in inputs[1:]:
        result = operation(result, x)
    return result


def rotated(inputs, first, direction=1):
    """The inputs from number `first` on, once around."""
    return [inputs[(first + direction * j) % len(inputs)] for j in range(len(inputs))]


def ring_pass(by_place, operation):
    """One pass through the exchange buffer; by_place[place on the ring]."""
    ranks, count = len(by_place), len(by_place[0])
    result = np.empty(count, by_place[0].dtype)
    for half, direction in halves(count):
        for b, (offset, length) in enumerate(blocks(half.stop - half.start, ranks)):
            where = slice(half.start + offset, half.start + offset + length)
            result[where] = fold([x[where] for x in rotated(by_place, b, direction)], operation)
    return result


def allreduce(inputs, ring, operation=np.add, elements=None):
    """inputs[rank] to what every rank gets, `elements` at a time (default: all at once)."""
    by_place, count = [inputs[rank] for rank in ring], len(inputs[0])
    step = elements or max(count, 1)
    passes = [ring_pass([x[at:at + step] for x in by_place], operation)
              for at in range(0, count, step)]
    return np.concatenate(passes) if passes else inputs[0].copy()


def mesh_part(inputs, first, operation, chunk):
    """A part that inputs[first] owns, in pieces of `chunk` elements."""
    result = np.empty_like(inputs[0])
    for q, at in enumerate(range(0, len(result), chunk)):
        others = rotated(rotated(inputs, first)[1:], q) if len(inputs) > 1 else []
        result[at:at + chunk] = fold([x[at:at + chunk] for x in [inputs[first]] + others],
                                     operation)
    return result


def mesh_allreduce(inputs, operation=np.add, chunk=4096):
    """inputs[rank] to what every rank gets from the mesh in pieces of `chunk` elements."""
    return np.concatenate([mesh_part([x[at:at + size] for x in inputs], p, operation, chunk)
                           for p, (at, size) in enumerate(blocks(len(inputs[0]), len(inputs)))])


def hierarchical_allreduce(inputs, group, operation=np.add, chunk=4096):
    """inputs[rank] to what every rank gets in two levels, by groups of `group` ranks."""
    groups = [inputs[at:at + group] for at in range(0, len(inputs), group)]
    result = []
    for p, (at, size) in enumerate(blocks(len(inputs[0]), group)):
        sums = [mesh_part([x[at:at + size] for x in members], p % len(members), operation, chunk)
                for members in groups]
        result.append(mesh_allreduce(sums, operation, chunk))
    return np.concatenate(result)


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
