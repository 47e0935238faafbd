#!/usr/bin/env python3
"""What somebody who has numpy would run in place of two kernels, from zeros to the result.

    numpy_rows.py matmul_reduce_scatter RANKS M K N   every rank's product, and the sum of all
    numpy_rows.py attention QUERIES KEYS WIDTH        softmax(q k^T / sqrt(width)) v

f16 operands are widened, as the machine does; products and sums are f32.
"""
import sys

import numpy


def matmul_reduce_scatter(ranks, m, k, n):
    total = numpy.zeros((m, n), "f4")
    for _ in range(ranks):
        a, b = numpy.zeros((m, k), "f2"), numpy.zeros((k, n), "f2")
        total += a.astype("f4") @ b.astype("f4")
    return total


def attention(queries, keys, width):
    q, k, v = (numpy.zeros((rows, width), "f2").astype("f4") for rows in (queries, keys, keys))
    scores = q @ k.T / numpy.float32(width) ** 0.5
    weights = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    return weights @ v / weights.sum(axis=1, keepdims=True)


if __name__ == "__main__":
    {"matmul_reduce_scatter": matmul_reduce_scatter, "attention": attention}[sys.argv[1]](
        *map(int, sys.argv[2:]))
