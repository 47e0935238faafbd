"""References for the grouped matrix products of kernels/moe.

counts[s, e] = rows of rank s for expert e. Experts are dealt to the first `ep` ranks; the next ep
ranks are replicas of those, and so on."""

import numpy as np

import matmul


def offsets(counts):
    """First row of every rank for every expert: exclusive sums along the experts."""
    return np.concatenate([np.zeros((len(counts), 1), int), np.cumsum(counts, axis=1)], axis=1)


def product(a, b):
    return matmul.gemm(a, b).astype(np.float16)


def alltoallv_grouped_matmul(a, b, counts, ep):
    """a[s]: rows of rank s by expert; b[r][local expert]. What every rank gets."""
    ranks, local = len(a), counts.shape[1] // ep
    first = offsets(counts)
    results = []
    for r in range(ranks):
        parts = []
        for le in range(local):
            e = r % ep * local + le
            parts += [product(a[s][first[s, e]:first[s, e + 1]], b[r][le]) for s in range(ranks)]
        results.append(np.concatenate(parts))
    return results


def grouped_matmul_alltoallv(a, b, counts, ep):
    """a[r]: rows by local expert, then by the rank where they go. What every rank gets back."""
    ranks, local = len(a), counts.shape[1] // ep
    parts = [[] for _ in range(ranks)]
    for owner in range(ep):
        row = 0
        for le in range(local):
            for s in range(ranks):
                count = counts[s, owner * local + le]
                parts[s].append(product(a[owner][row:row + count], b[owner][le]))
                row += count
    return [np.concatenate(p) for p in parts]


def swiglu(h):
    """u * sigmoid(u) * g in f32, the result in f16."""
    u, g = np.split(h.astype(np.float32), 2, axis=1)
    with np.errstate(over="ignore"):
        return (u / (1 + np.exp(-u)) * g).astype(np.float16)


def ffn(x, w1, w2):
    return product(swiglu(product(x, w1)), w2)


def dispatch_ffn_combine(x, expert_idx, probs, w1, w2):
    """Lists by rank; w1 and w2 by global expert. Weights are applied in f32, one fused
    multiply-add each: give such as have exact products, and this is exact, too."""
    results = []
    for tokens, idx, prob in zip(x, expert_idx, probs):
        total = np.zeros(tokens.shape, np.float32)
        for j in range(idx.shape[1]):
            for e in np.unique(idx[:, j]):
                if e >= 0:
                    mine = idx[:, j] == e
                    total[mine] += prob[mine, j, None] * ffn(tokens[mine], w1[e], w2[e]).astype(
                        np.float32)
        results.append(total.astype(np.float16))
    return results
