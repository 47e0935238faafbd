"""Input files of the mutation cases, where the generators of ptovm do not do: routing tables,
counts, anything whose values steer a kernel, and integers where a sum must be exact.

    inputs.py FOLDER     write them all; cases.txt names them as $INPUTS/NAME.npy"""

import os
import sys

import numpy

INPUTS = {}


def made(name):
    """Decorator: the function returns the array of NAME.npy."""
    def register(function):
        INPUTS[name] = function
        return function
    return register


def made_for_ranks(name, ranks):
    """Decorator: the function returns the array of NAME_{rank}.npy, given the rank."""
    def register(function):
        for rank in range(ranks):
            INPUTS["%s_%d" % (name, rank)] = lambda rank=rank: function(rank)
        return function
    return register


# ---- all-to-all ----

TOKENS = (4, 2, 3)  # by rank


@made("tokens")
def tokens():
    return numpy.array(TOKENS, numpy.int64)


@made_for_ranks("topk", len(TOKENS))
def topk(rank):
    """[token, j]: two different experts of 6 for every token."""
    random = numpy.random.default_rng(rank)
    return numpy.stack([random.permutation(6)[:2] for _ in range(TOKENS[rank])]).astype(
        numpy.int32)


@made("all2all_topk")
def all2all_topk():
    """[token, j]: experts of 4, two different ones for each of 5 tokens."""
    return numpy.array([[0, 1], [2, 1], [3, 0], [0, 1], [1, 0]], numpy.int32)


# ---- dispatch, network, combine ----

@made("ffn_experts")
def ffn_experts():
    """Two different experts of six for each of five tokens; one slot has none."""
    return numpy.array([[0, 3], [5, 1], [2, 4], [3, -1], [4, 0]], numpy.int32)


# ---- matrix products whose ranks add atomically ----

def integers(seed, rows, cols):
    """f16 adds the products of small integers exactly, in any order."""
    return numpy.random.default_rng(seed).integers(-3, 4, (rows, cols)).astype(numpy.float16)


for case, (m, k, n) in (("scatter", (207, 70, 90)), ("queue", (70, 70, 90)),
                        ("queues", (130, 70, 50))):
    made_for_ranks(case + "_a", 3)(lambda rank, m=m, k=k: integers(rank, m, k))
    made_for_ranks(case + "_b", 3)(lambda rank, k=k, n=n: integers(rank + 3, k, n))


def write(folder):
    for name, function in INPUTS.items():
        numpy.save(os.path.join(folder, name + ".npy"), function())


if __name__ == "__main__":
    write(sys.argv[1])
