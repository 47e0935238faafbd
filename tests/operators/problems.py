"""Problems for the operators: random inputs, different on every rank, and how the results are
judged. A function makes a Problem from a shape; the references are those of tests/golden, with
products by BLAS in f32 in place of the bit-exact ones, so that large shapes are feasible.

Tolerances are those of the sources. For f16 that is the rule of hicann/catccos, verify_result.py:
every element within 2^-8 (k < 2048) or 2^-7 of max(1, |reference|), and a mean error of at most
2^-10. It is meant for results without cancellation, the data of the source being the same on all
ranks. With data of their own, sums over the ranks are scaled to a standard deviation of 1/2: what
f16 additions round off on the way is then small against 1, a missing or doubled share is not."""

import dataclasses
import functools
import typing

import numpy as np

import all2all
import allreduce
import attention
import ffn_int8
import grouped
import moe

WORK = 2e11     # operations of one reference; beyond that it is made for a sample of the rows


@dataclasses.dataclass
class Verdict:
    good: bool
    error: str
    text: str


@dataclasses.dataclass
class Problem:
    settings: dict
    inputs: dict                        # arrays, or lists with one for every rank
    outputs: tuple
    judge: typing.Callable              # of the outputs by name, lists over the ranks
    time: typing.Callable = None        # of the outputs: picoseconds, if not those of the run


# ------------------------------------------------------------------------------------- inputs --

def generator(*key):
    return np.random.default_rng(key)


def uniform(key, *shape, scale=1.0):
    values = generator(*key).random(shape, np.float32)
    values -= np.float32(0.5)
    values *= np.float32(2 * scale)
    return values.astype(np.float16)


def normal(key, *shape, scale=1.0):
    return (generator(*key).standard_normal(shape, np.float32) * np.float32(scale)).astype(
        np.float16)


def operands(ranks, m, k, n, size=1.0):
    """a[m, k] and b[k, n] of every rank; `size` is the standard deviation of their product."""
    return ([uniform((1, r), m, k) for r in range(ranks)],
            [uniform((2, r), k, n, scale=3 * size / k ** 0.5) for r in range(ranks)])


def small_integers(key, *shape):
    return generator(*key).integers(-16, 16, shape, np.int8)


class Made:
    """A list over the ranks whose arrays are made anew every time, not kept."""

    def __init__(self, ranks, make):
        self.ranks, self.make = ranks, make

    def __getitem__(self, rank):
        if rank >= self.ranks:
            raise IndexError
        return self.make(rank)


# ----------------------------------------------------------------------------------- verdicts --

def product32(a, b):
    return a.astype(np.float32, copy=False) @ b.astype(np.float32, copy=False)


def product16(a, b):
    return product32(a, b).astype(np.float16)


grouped.product = product16     # its references multiply through this name


def integer_product(a, b):
    """Exact: no partial sum of such products leaves the 24 bits of f32."""
    assert a.shape[1] * 16 * 16 < 2 ** 24
    return product32(a, b)


class Worst:
    """Collects the worst error relative to max(1, |reference|), and the mean error."""

    def __init__(self):
        self.error, self.sum, self.count = 0.0, 0.0, 0

    def add(self, got, want):
        if got.size:
            off = (got.astype(np.float32) - want) / np.maximum(1, np.abs(want))
            self.error = max(self.error, float(np.abs(off).max()), key=lambda x: (x != x, x))
            self.sum += float(off.sum(dtype=np.float64))
            self.count += off.size

    def verdict(self, bound, bias=2.0 ** -10, what="ok"):
        """Good within the bounds; NaN is within none."""
        good = self.error <= bound and abs(self.sum) <= bias * self.count
        return Verdict(good, "%.1e of %.1e" % (self.error, bound), what if good else "WRONG")


def bound16(k):
    return 2.0 ** -8 if k < 2048 else 2.0 ** -7


def judge_f16(k, wanted):
    """wanted(): pairs (result, reference) from the outputs."""
    def judge(out):
        worst = Worst()
        for got, want in wanted(out):
            worst.add(got, want)
        return worst.verdict(bound16(k))
    return judge


def exact(pairs):
    """All pairs of arrays are equal to the last bit."""
    bad = 0
    for got, want in pairs:
        if got.dtype != want.dtype or got.shape != want.shape:
            return Verdict(False, "%s%s" % (got.dtype, got.shape), "WRONG: not %s%s" % (
                want.dtype, want.shape))
        kind = "u%d" % want.dtype.itemsize
        bad += np.count_nonzero(np.ascontiguousarray(got).view(kind) !=
                                np.ascontiguousarray(want).view(kind))
    return Verdict(bad == 0, "0, bits" if bad == 0 else "%d differ" % bad,
                   "ok" if bad == 0 else "WRONG")


def sample(key, rows, work_of_a_row):
    """Which rows the reference is made for, in order, and words for it."""
    most = max(1, int(WORK / max(1, work_of_a_row)))
    if rows <= most:
        return np.arange(rows), "ok"
    chosen = np.sort(generator(9, key).choice(rows, most, replace=False))
    return chosen, "ok (%.0f %% of the rows)" % (100 * most / rows)


# --------------------------------------------------------------------------------- collective --

def barrier(phases):
    def last_of(times):
        return np.stack(times)[..., 0].max(axis=(0, 2))

    def problem(ranks):
        def judge(out):
            enter, leave = (last_of(out[name]) for name in ("enter", "leave"))
            first = np.stack(out["leave"])[..., 0].min(axis=(0, 2))
            good = bool((first >= enter).all())
            return Verdict(good, "-", "ok" if good else "WRONG: left early")

        def time(out):
            """From the last one's coming to the last one's leaving, mean."""
            enter, leave = (last_of(out[name]) for name in ("enter", "leave"))
            return float((leave - enter).mean())
        return Problem({"phases": phases, "delay": 0}, {}, ("enter", "leave"), judge, time)
    return problem


def ring(count, dtype=np.float32, **settings):
    def problem(ranks):
        x = [generator(3, r).standard_normal(count, np.float32).astype(dtype)
             for r in range(ranks)]

        def judge(out):
            want = allreduce.allreduce(x, allreduce.twisted_ring(ranks),
                                       elements=settings.get("pass"))
            return exact((y, want) for y in out["y"])
        return Problem({"count": count, **settings}, {"x": x}, ("y",), judge)
    return problem


def mesh(count, **settings):
    def problem(ranks):
        x = [generator(4, r).standard_normal(count, np.float32) for r in range(ranks)]

        def judge(out):
            want = allreduce.mesh_allreduce(x)
            return exact((y, want) for y in out["y"])
        return Problem({"count": count, **settings}, {"x": x}, ("y",), judge)
    return problem


def transfer(size):
    """Rank 0 to the last rank, one sub-core; the time is that of the copy, without the launch."""
    def problem(ranks):
        x = [generator(5, r).integers(0, 256, size, np.uint8) for r in range(ranks)]
        return Problem({"bytes": size}, {"x": x}, ("y", "time"),
                       lambda out: exact([(out["y"][-1], x[0])]),
                       lambda out: max(int(t[0, 0]) for t in out["time"]))
    return problem


# -------------------------------------------------------------------------------------- fused --

def gemm(m, k, n):
    def problem(ranks):
        (a,), (b,) = operands(1, m, k, n)

        def judge(out):
            worst = Worst()
            worst.add(out["c"][0], product32(a, b))
            if out["c"][0].dtype == np.float16:
                return worst.verdict(bound16(k))
            return worst.verdict(2.0 ** -11 if k < 2048 else 2.0 ** -10, 2.0 ** -14)
        return Problem({}, {"a": a, "b": b}, ("c",), judge)
    return problem


def summed_products(m, k, n, result, trans_b=False, scattered=False, **settings):
    """The sum over all ranks of their products: on every rank, or a part of the rows each."""
    def problem(ranks):
        a, b = operands(ranks, m, k, n, 0.5 / ranks ** 0.5)

        def judge(out):
            rows, text = sample(m, m, 2 * k * n * ranks)
            want = sum(product32(x[rows], y) for x, y in zip(a, b))
            worst = Worst()
            for got in [np.concatenate(out[result])] if scattered else out[result]:
                worst.add(got[rows], want)
            return worst.verdict(bound16(k), what=text)
        stored = [np.ascontiguousarray(y.T) for y in b] if trans_b else b
        return Problem({"m": m, "k": k, "n": n, **settings}, {"a": a, "b": stored}, (result,),
                       judge)
    return problem


def gathered_products(m, k, n, **settings):
    def problem(ranks):
        a, b = operands(ranks, m, k, n)

        def judge(out):
            rows, text = sample(m, ranks * m, 2 * k * n * ranks)
            left = np.vstack(a)[rows].astype(np.float32)
            worst = Worst()
            for c, right in zip(out["c"], b):
                worst.add(c[rows], left @ right.astype(np.float32))
            return worst.verdict(bound16(k), what=text)
        return Problem({"m": m, "k": k, "n": n, **settings}, {"a": a, "b": b}, ("c",), judge)
    return problem


def quantised_operands(ranks, m, k, n):
    return ([small_integers((1, r), m, k) for r in range(ranks)],
            [small_integers((2, r), k, n) for r in range(ranks)],
            [generator(3, r).integers(-65536, 65537, n).astype(np.int32) for r in range(ranks)])


def gathered_integers(m, k, n, **settings):
    """Exact: integers, one rounding to f32 for the scale, one to f16."""
    def problem(ranks):
        a, b, bias = quantised_operands(ranks, m, k, n)
        scale = [generator(4, r).uniform(1e-4, 1e-3, n).astype(np.float32) for r in range(ranks)]

        def judge(out):
            rows, text = sample(m, ranks * m, 2 * k * n * ranks)
            left = np.vstack(a)[rows]
            verdict = exact((d[rows], ((integer_product(left, b[r]) + bias[r].astype(np.float32)) *
                                       scale[r]).astype(np.float16))
                            for r, d in enumerate(out["d"]))
            return dataclasses.replace(verdict, text=text) if verdict.good else verdict
        return Problem({"m": m, "k": k, "n": n, **settings},
                       {"a": a, "b": b, "bias": bias, "scale_n": scale}, ("d",), judge)
    return problem


def scattered_integers(m, k, n, **settings):
    def problem(ranks):
        a, b, bias = quantised_operands(ranks, m, k, n)
        rows = [generator(5, r).uniform(0.5, 1, m).astype(np.float32) for r in range(ranks)]
        columns = [(generator(6, r).uniform(0.5, 1, n) / 65536).astype(np.float32)
                   for r in range(ranks)]

        def judge(out):
            chosen, text = sample(m, m, 2 * k * n * ranks)
            want = np.zeros((len(chosen), n), np.float32)
            for r in range(ranks):
                sums = integer_product(a[r][chosen], b[r])
                if r == 0:
                    sums = sums + bias[0].astype(np.float32)
                want += sums * rows[r][chosen, None] * columns[r]
            worst = Worst()
            worst.add(np.concatenate(out["d"])[chosen], want)
            return worst.verdict(bound16(k), what=text)
        return Problem({"m": m, "k": k, "n": n, **settings},
                       {"a": a, "b": b, "bias": bias, "scale_m": rows, "scale_n": columns}, ("d",),
                       judge)
    return problem


# ---------------------------------------------------------------------------------------- moe --

def distinct(rng, tokens, top_k, experts):
    """Different experts for every token."""
    return np.argsort(rng.random((tokens, experts)), axis=1)[:, :top_k].astype(np.int32)


def row_counts(ranks, experts, m):
    """Rows of every rank for every expert, m in all."""
    rng = generator(7, ranks, experts, m)
    return np.stack([np.bincount(rng.integers(0, experts, m), minlength=experts)
                     for _ in range(ranks)]).astype(np.int32)


def grouped_product(direction, m, k, n, experts):
    """direction `in`: rows travel to their experts, then the product; `out`: the other way."""
    def problem(ranks):
        counts = row_counts(ranks, experts, m)
        ep = ranks
        held = counts.sum(axis=0).reshape(ep, experts // ep).sum(axis=1)
        height = m if direction == "in" else int(held.max())
        a = [uniform((1, r), height, k) for r in range(ranks)]
        b = [uniform((2, r), experts // ep, k, n, scale=3 / k ** 0.5) for r in range(ranks)]
        result = "c" if direction == "in" else "out"
        reference = grouped.alltoallv_grouped_matmul if direction == "in" else \
            grouped.grouped_matmul_alltoallv

        def wanted(out):
            want = reference(a, b, counts, ep)
            return [(y[:len(w)], w.astype(np.float32)) for y, w in zip(out[result], want)]
        settings = {"experts": experts, "rows": int(held.max())} if direction == "in" else \
            {"experts": experts, "m": m}
        return Problem(settings, {"a": a, "b": b, "counts": counts}, (result,),
                       judge_f16(k, wanted))
    return problem


def weighted_sum(x, idx, probs, experts, network):
    """Of every token, over its experts; network(e) is the function of expert e."""
    totals = [np.zeros(tokens.shape, np.float32) for tokens in x]
    for e in range(experts):
        places = [np.nonzero(chosen == e) for chosen in idx]        # (token, j) by rank
        rows = np.concatenate([tokens[token] for tokens, (token, _) in zip(x, places)])
        ends = np.cumsum([len(token) for token, _ in places])
        parts = np.split(network(e)(rows).astype(np.float32), ends[:-1])
        for total, prob, (token, j), part in zip(totals, probs, places, parts):
            total[token] += prob[token, j, None] * part
    return totals


def mixture_inputs(ranks, m, k, top_k, experts):
    return {"x": [normal((1, r), m, k) for r in range(ranks)],
            "expert_idx": [distinct(generator(2, r), m, top_k, experts) for r in range(ranks)],
            "probs": [generator(3, r).integers(0, 257, (m, top_k)).astype(np.float32) / 256
                      for r in range(ranks)]}


def mixture(m, k, n, top_k, experts):
    """Dispatch, feed-forward network, combine."""
    def problem(ranks):
        local = experts // ranks
        inputs = mixture_inputs(ranks, m, k, top_k, experts)
        w1 = [normal((4, r), local, k, n, scale=k ** -0.5) for r in range(ranks)]
        w2 = [normal((5, r), local, n // 2, k, scale=n ** -0.5) for r in range(ranks)]

        def network(e):
            up, down = w1[e // local][e % local], w2[e // local][e % local]
            return lambda rows: grouped.ffn(rows, up, down)
        return Problem({"experts": experts}, {**inputs, "w1": w1, "w2": w2}, ("out",), judge_f16(
            k, lambda out: zip(out["out"], weighted_sum(*inputs.values(), experts, network))))
    return problem


def integer_product64(a, b, scale):
    """ffn_int8.product by BLAS: sums of products of i8 are exact in f64."""
    sums = a.astype(np.float64) @ b.astype(np.float64)
    cut = (scale.view(np.uint32) & np.uint32(0xffffe000)).view(np.float32)
    return (sums.astype(np.float32) * cut).astype(np.float16)


ffn_int8.product = integer_product64


def mixture_int8(m, k, n, top_k, experts):
    """The same in 8-bit integers, a factor for each column of the weights."""
    def problem(ranks):
        local = experts // ranks
        inputs = mixture_inputs(ranks, m, k, top_k, experts)

        def integers(key, *shape):
            return Made(ranks, functools.lru_cache(1)(lambda r: np.frombuffer(
                generator(key, r).bytes(local * shape[0] * shape[1]), np.int8).reshape(
                    local, *shape)))

        def factors(key, width, size):
            return [(generator(key, r).uniform(0.5, 1.5, (local, width)) / (74 * size ** 0.5))
                    .astype(np.float32) for r in range(ranks)]
        weights = {"w1": integers(4, k, n), "w2": integers(5, n // 2, k),
                   "scale1": factors(6, n, k), "scale2": factors(7, k, n)}

        def network(e):
            mine = {name: w[e // local][e % local] for name, w in weights.items()}
            return lambda rows: ffn_int8.ffn(rows, **mine)
        return Problem({"experts": experts}, {**inputs, **weights}, ("out",), judge_f16(
            k, lambda out: zip(out["out"], weighted_sum(*inputs.values(), experts, network))))
    return problem


def dispatch(bs, hidden, top_k, experts, shared=0, quantised=True, combined=True):
    """Dispatch alone, or followed by a combine of rows that the experts are taken to return."""
    def problem(ranks):
        world = moe.World(ranks, experts, top_k, shared, shared)
        x = [normal((1, r), bs, hidden) for r in range(ranks)]
        ids = [distinct(generator(2, r), bs, top_k, experts) for r in range(ranks)]
        active = [np.ones((bs, top_k), np.uint8)] * ranks
        want = moe.dispatch(world, x, ids, active, quantised=quantised)
        names = ("triples", "ep_recv_counts", "expert_token_nums", "expand_x") + (
            ("dynamic_scales",) if quantised else ())
        inputs = {"x": x, "expert_ids": ids}

        def pairs(out):
            for rank, expected in enumerate(want):
                for name in names:
                    yield out[name][rank][:len(expected[name])], expected[name]

        def all_pairs(out):
            yield from pairs(out)
            rows = {tuple(triple): returned[rank][i] for rank in range(ranks)
                    for i, triple in enumerate(want[rank]["triples"].tolist())}
            y = moe.combine(world, rows, weights, ids, active, hidden)
            yield from zip(out["y"], y)

        if combined:
            capacity = [bs * (ranks if r < shared else ranks * min(world.each, top_k))
                        for r in range(ranks)]
            returned = [np.zeros((rows, hidden), np.float16) for rows in capacity]
            for r, result in enumerate(want):
                rows = len(result["triples"])
                returned[r][:rows] = normal((3, r), rows, hidden)
            weights = [generator(4, r).random((bs, top_k), np.float32) for r in range(ranks)]
            inputs.update(expert_out=returned, expert_scales=weights)
        settings = {"hidden": hidden, "topk": top_k, "experts": experts, "shared": shared,
                    "shared_ranks": shared, "bs": bs}
        return Problem(settings, inputs, names + (("y",) if combined else ()),
                       lambda out: exact((all_pairs if combined else pairs)(out)))
    return problem


def all_to_all(experts, k, hidden, most, seed, **settings):
    """The task of gpu-mode: 1 to most - 1 tokens on a rank, different experts for each."""
    def problem(ranks):
        rng = generator(seed)
        tokens = rng.integers(1, most, ranks)
        x = [normal((seed, r), tokens[r], hidden) for r in range(ranks)]
        topk = [distinct(rng, tokens[r], k, experts) for r in range(ranks)]
        weights = [rng.random((tokens[r], k), np.float32) for r in range(ranks)]
        return Problem({"tokens": tokens.astype(np.int64), "k": k, "hidden": hidden,
                        "experts": experts, "max_tokens": most, **settings},
                       {"x": x, "topk": topk, "weights": weights}, ("y",),
                       lambda out: exact((y, all2all.combine(x[r], topk[r], weights[r],
                                                             experts // ranks))
                                         for r, y in enumerate(out["y"])))
    return problem


# ---------------------------------------------------------------------------------- attention --

def attend(s0, s1, h, causal=0):
    """Queries and keys of every rank; for one rank this is plain attention. Tolerance 1e-3, that of
    hw-native-sys/pto-isa, kernels/manual/common/flash_atten."""
    def problem(ranks):
        q, k, v = ([normal((i, r), size, h) for r in range(ranks)]
                   for i, size in ((1, s0), (2, s1), (3, s1)))

        def judge(out):
            worst, keys, values = Worst(), np.concatenate(k), np.concatenate(v)
            for rank, o in enumerate(out["o"]):
                rows, text = sample(rank, s0, 4 * 2 * len(keys) * h * ranks)
                for part in np.array_split(rows, max(1, len(rows) // 256)):
                    # Place of every query in the whole sequence, less its place in `part`.
                    first = (rank * s0 + part - np.arange(len(part)))[:, None]
                    worst.add(o[part], attention.attention(q[rank][part], keys, values, causal,
                                                           first=first))
            return worst.verdict(1e-3, what=text)
        return Problem({"s0": s0, "s1": s1, "h": h, "causal": causal}, {"q": q, "k": k, "v": v},
                       ("o",), judge)
    return problem
