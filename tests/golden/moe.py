"""References for kernels/moe: dispatch and combine of a mixture of experts.

A World says how experts are dealt to ranks; everything else follows from the definitions: rows are
listed by expert, source rank, token and k, without any slot, window or core."""

import numpy as np

TINY = np.float32(2.0 ** -24)  # least maximum of a quantised row


class World:
    """ranks, of which the first shared_ranks serve `shared` shared experts, the others the
    `experts` routed ones; a token has topk of these."""

    def __init__(self, ranks, experts, topk, shared=0, shared_ranks=0):
        self.ranks, self.experts, self.topk = ranks, experts, topk
        self.shared, self.shared_ranks = shared, shared_ranks
        self.each = experts // (ranks - shared_ranks)

    def local(self, rank):
        """Numbers of the experts of a rank; shared expert j is experts + j."""
        if rank < self.shared_ranks:
            return [self.experts + rank // (self.shared_ranks // self.shared)]
        first = (rank - self.shared_ranks) * self.each
        return list(range(first, first + self.each))

    def serves(self, rank, source):
        """Does this rank take rows of that source? One of the ranks of a shared expert does."""
        if rank >= self.shared_ranks:
            return True
        group = self.shared_ranks // self.shared
        return source % group == rank % group

    def routes(self, ids, active):
        """(token, k, expert) of all rows of a rank, in order. active[t, k]; a shared expert gets
        the tokens of which any row is active."""
        for t in range(len(ids)):
            for k in range(self.topk):
                if active[t, k]:
                    yield t, k, int(ids[t, k])
            for j in range(self.shared):
                if active[t].any():
                    yield t, self.topk + j, self.experts + j


def quantise(row, factor=None):
    """f16 row, f32 factors: int8 elements and f32 scale, every step rounded to f32, elements
    rounded half to even."""
    wide = row.astype(np.float32)
    if factor is not None:
        wide = wide * factor
    scale = np.maximum(np.abs(wide).max(), TINY) / np.float32(127)
    return np.clip(np.rint(wide / scale), -128, 127).astype(np.int8), scale


def dispatch(world, x, ids, active, scales=None, quantised=True, prefix_sums=False):
    """Lists by rank of x, ids, active[t, k] and scales (shared experts first) to a list by rank of
    expand_x, dynamic_scales, triples, ep_recv_counts and expert_token_nums."""
    sent = [list(world.routes(ids[s], active[s])) for s in range(world.ranks)]
    results = []
    for rank in range(world.ranks):
        rows, counts, ends = [], [], []
        for expert in world.local(rank):
            before = len(rows)
            for source in range(world.ranks):
                if world.serves(rank, source):
                    rows += [(source, t, k) for t, k, e in sent[source] if e == expert]
                ends.append(len(rows))
            counts.append(len(rows) if prefix_sums else len(rows) - before)
        hidden = x[0].shape[1]
        data = np.zeros((len(rows), hidden), np.int8 if quantised else np.float16)
        steps = np.zeros(len(rows), np.float32)
        for i, (source, t, k) in enumerate(rows):
            if quantised:
                factor = None
                if scales is not None:
                    j = k - world.topk if k >= world.topk else world.shared + ids[source][t, k]
                    factor = scales[source][j]
                data[i], steps[i] = quantise(x[source][t], factor)
            else:
                data[i] = x[source][t]
        results.append({
            "expand_x": data, "dynamic_scales": steps,
            "triples": np.array(rows, np.int32).reshape(-1, 3),
            "ep_recv_counts": np.array(ends, np.int32),
            "expert_token_nums": np.array(counts, np.int64)})
    return results


def combine(world, rows, weights, ids, active, hidden):
    """rows[(rank, t, k)] = f16 row that the expert returned. y by rank: f32 sums from 0 on, k
    ascending, then the shared experts with weight 1."""
    results = []
    for rank in range(world.ranks):
        total = np.zeros((len(ids[rank]), hidden), np.float32)
        for t, k, _ in world.routes(ids[rank], active[rank]):
            wide = rows[(rank, t, k)].astype(np.float32)
            total[t] += wide * (weights[rank][t, k] if k < world.topk else np.float32(1))
        results.append(total.astype(np.float16))
    return results


def expert_output(world, rank, dispatched):
    """What tests/run/kernels/moe_expert.pto computes, by row: x times the scale times
    (1 + expert) / 8, every step in f32, rounded to f16."""
    triples = dispatched["triples"]
    out = dispatched["expand_x"].astype(np.float32)
    if dispatched["expand_x"].dtype == np.int8:
        out = out * dispatched["dynamic_scales"][:, None]
    starts = [0] + list(dispatched["ep_recv_counts"][world.ranks - 1::world.ranks])
    for place, expert in enumerate(world.local(rank)):
        out[starts[place]:starts[place + 1]] *= np.float32((1 + expert) / 8)
    return {tuple(triple): row for triple, row in zip(triples.tolist(), out.astype(np.float16))}
