"""Reference for kernels/moe/dispatch_ffn_combine_int8.pto.

Sums of products are integers and exact; everything else is f32, one rounding an operation, so that
only exp leaves room for other bits."""

import numpy as np

import moe


def quantise(rows):
    """i8 rows and an f32 scale for each, as in moe.quantise."""
    if not len(rows):
        return rows.astype(np.int8), np.zeros(0, np.float32)
    elements, scales = zip(*map(moe.quantise, rows))
    return np.stack(elements), np.array(scales, np.float32)


def product(a, b, scale):
    """i8 x i8 in integers, then a factor for each column: its upper 19 bits, as FIX takes them."""
    sums = a.astype(np.int64) @ b.astype(np.int64)
    assert np.abs(sums).max(initial=0) < 2 ** 31
    cut = (scale.view(np.uint32) & np.uint32(0xffffe000)).view(np.float32)
    return (sums.astype(np.float32) * cut).astype(np.float16)


def swiglu(h, scales):
    """u * sigmoid(u) * g of rows times their scales, in f32."""
    u, g = np.split(h.astype(np.float32) * scales[:, None], 2, axis=1)
    with np.errstate(over="ignore"):
        return u / (1 + np.exp(-u)) * g


def ffn(x, w1, scale1, w2, scale2):
    elements, scales = quantise(x)
    gated, gated_scales = quantise(swiglu(product(elements, w1, scale1), scales))
    y = product(gated, w2, scale2)
    return (y.astype(np.float32) * gated_scales[:, None]).astype(np.float16)


def ffn_f64(x, w1, scale1, w2, scale2):
    """What is meant: nothing rounded or quantised but the weights."""
    u, g = np.split(x.astype(np.float64) @ (w1 * scale1.astype(np.float64)), 2, axis=1)
    with np.errstate(over="ignore"):
        return (u / (1 + np.exp(-u)) * g) @ (w2 * scale2.astype(np.float64))


def combine(x, expert_idx, probs, weights, network=ffn):
    """Lists by rank; weights by global expert: (w1, scale1, w2, scale2). Results of the network are
    multiplied by their probability and added in f32 (of `ffn_f64` in f64), by one fused
    multiply-add each: with probabilities that have exact products, this is exact, too."""
    results = []
    for tokens, idx, prob in zip(x, expert_idx, probs):
        total = np.zeros(tokens.shape, np.float32 if network is ffn else np.float64)
        for j in range(idx.shape[1]):
            for e in np.unique(idx[idx[:, j] >= 0, j]):
                mine = idx[:, j] == e
                y = network(tokens[mine], *weights[e])
                total[mine] += prob[mine, j, None] * y.astype(total.dtype)
        results.append(total.astype(np.float16))
    return results
