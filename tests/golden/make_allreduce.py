"""Write inputs and the expected result of the ring all-reduce as files.

    make_allreduce.py DIRECTORY RANKS COUNT

makes x_0.npy ... (random f32, different on every rank) and golden.npy."""

import sys

import numpy as np

import allreduce


def main():
    directory, ranks, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    inputs = [np.random.default_rng(rank).standard_normal(count).astype(np.float32)
              for rank in range(ranks)]
    for rank, x in enumerate(inputs):
        np.save(f"{directory}/x_{rank}.npy", x)
    np.save(f"{directory}/golden.npy", allreduce.allreduce(inputs, allreduce.twisted_ring(ranks)))


main()
