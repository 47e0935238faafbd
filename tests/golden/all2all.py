"""Reference for the all-to-all of a mixture of experts (gpu-mode/reference-kernels,
problems/amd_distributed/all2all).

Every rank has rows x (f16), their experts topk and weights (f32). Expert e lives on rank e // local
and makes f16(row * (1 + that rank)) of a row."""

import numpy as np


def expert_rows(x, topk, local):
    """[token, j, :]: what the expert of route j makes of the token's row, in f16."""
    factor = (1 + topk // local).astype(np.float32)
    return (x.astype(np.float32)[:, None, :] * factor[:, :, None]).astype(np.float16)


def combine(x, topk, weights, local):
    """The sum by weights as the kernels form it: f32 products and sums in ascending j, each
    rounded; one rounding to f16."""
    rows = expert_rows(x, topk, local).astype(np.float32)
    total = rows[:, 0] * weights[:, 0, None]
    for j in range(1, topk.shape[1]):
        total = total + rows[:, j] * weights[:, j, None]
    return total.astype(np.float16)


def combine_literal(x, topk, weights, local):
    """The task's own reference: a running sum in f16, in ascending expert."""
    rows = expert_rows(x, topk, local)
    total = np.zeros_like(x)
    for token in range(len(x)):
        for j in np.argsort(topk[token], kind="stable"):
            product = rows[token, j].astype(np.float32) * weights[token, j]
            total[token] = (total[token].astype(np.float32) + product).astype(np.float16)
    return total


# How close the task wants a result to its reference.
TOLERANCE = {"rtol": 1e-2, "atol": 5e-3}
