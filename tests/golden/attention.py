"""Reference for kernels/attention: the untiled formula in f64."""

import numpy as np


def attention(q, k, v, causal=False, scale=None, first=0):
    """q[s0, h], k[s1, h], v[s1, h] to [s0, h]; causal: query i sees the keys 0 to first + i."""
    scale = scale or 1 / np.sqrt(q.shape[1])
    x = q.astype(np.float64) @ k.astype(np.float64).T * scale
    if causal:
        x = np.where(np.arange(len(k)) <= first + np.arange(len(q))[:, None], x, -np.inf)
    p = np.exp(x - x.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True) @ v.astype(np.float64)


def ring_attention(q, k, v, causal=False):
    """Lists by rank: every rank's queries against the keys of all."""
    keys, values = np.concatenate(k), np.concatenate(v)
    return [attention(part, keys, values, causal, first=rank * len(part))
            for rank, part in enumerate(q)]
