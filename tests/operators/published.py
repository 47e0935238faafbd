"""Every published time that the operators are held against: what is run for it, what was published,
and what the row is there for. docs/operators.md and docs/fidelity.md name the sources.

kind    `fit`: a parameter of a profile was chosen by this row; `check`: none was
method  `device`: measured by counters or a profiler of the chip; `host`: by the host around launch
        and synchronisation, whose time (HOST_US) is added to the simulated one"""

import dataclasses
import typing

import numpy as np

HOST_US = {"a2": 20.0, "a3": 20.0, "a5": 20.0, "mi300x": 191.0}
LARGE = {"m": 5504, "k": 6144, "n": 1536, "trans_b": 1}  # 5416 x 1408, padded as the source does


@dataclasses.dataclass(eq=False)
class Row:
    family: str
    what: str
    published: float            # microseconds, the ratio or percentage itself; 0: part of a row
    kind: str = "check"
    method: str = "device"
    profile: str = "a2"
    kernels: tuple = ()
    settings: dict = dataclasses.field(default_factory=dict)
    inputs: tuple = ()          # zeros
    made: typing.Callable = None        # real inputs: {name: an array for every rank}
    ranks: int = 1
    options: tuple = ()
    choices: tuple = ({},)      # settings (constants: upper case) of which the fastest counts, as
                                # the source searches, too
    warm: bool = False          # the second of two launches counts: the source measures behind
                                # launches that it does not count
    measure: str = "end"        # or: name of an output with picoseconds; `barrier`; or a pipe,
                                # whose busy share is published, in percent
    why_not: str = ""           # not run: the reason
    derived: typing.Callable = None     # of other rows' times by name, instead of a run

    @property
    def name(self):
        return "%s: %s" % (self.family, self.what)


ROWS = []


def in_turn(rank, tokens, top_k, experts):
    """Experts of a rank's tokens as scripts/gen_data.py of pto-isa's mega-MoE chooses them: all in
    turn, from token to token and from rank to rank, so that all get the same."""
    return ((rank * tokens + np.arange(tokens))[:, None] * top_k + np.arange(top_k)) % experts


def add(family, what, published, kernel=None, **more):
    kernels = (kernel,) if isinstance(kernel, str) else tuple(kernel or ())
    ROWS.append(Row(family, what, published, kernels=tuple("kernels/" + k for k in kernels),
                    **more))


# ------------------------------------------------------------------------------ products --

for size, us in ((1536, 38.8), (6144, 1506.0)):
    add("product", "%d^3, A3" % size, us, "matmul/gemm.pto", kind="fit", profile="a3",
        settings={"m": size, "k": size, "n": size}, inputs=("a", "b"))
for size, shares in ((1536, (54.5, 72.2, 42.2, 7.7)), (6144, (86.7, 95.2, 68.1, 3.1))):
    for pipe, share in zip(("M", "MTE2", "MTE1", "FIX"), shares):
        add("busy pipes", "%d^3, A3, %s" % (size, pipe), share, "matmul/gemm.pto", profile="a3",
            kind="fit" if (size, pipe) == (6144, "MTE1") else "check", measure=pipe,
            settings={"m": size, "k": size, "n": size}, inputs=("a", "b"))

GEMM_AR = ("-D", "AS_SOURCE=1", "-D", "COPY_ROWS=64")
for profile, us, options in (("a2", 371.6, ()), ("a5", 325.8, ("--cores", 32))):
    add("gemm_ar", "product alone, %s" % profile, us, "fused/gemm_ar.pto", method="host",
        profile=profile, settings=LARGE, inputs=("a", "b"), options=("-D", "ALONE=1", *options))
for profile, ranks, apart, piped, options, comm in (("a2", 8, 437.3, 560.6, (), 24),
                                                   ("a5", 2, 530.8, 580.2, ("--cores", 32), 24)):
    for what, us, k in (("communication alone", apart, 16), ("pipelined", piped, 6144)):
        add("gemm_ar", "%s, %s" % (what, profile), us, "fused/gemm_ar.pto", method="host",
            kind="fit" if (profile, k) == ("a2", 16) else "check",
            profile=profile, ranks=ranks, settings={**LARGE, "k": k, "comm": comm},
            inputs=("a", "b"), options=(*GEMM_AR, *options))
for profile, gain in (("a2", 1.443), ("a5", 1.476)):
    add("gemm_ar", "gain of pipelining, %s" % profile, gain, profile=profile,
        derived=lambda us, p=profile: (us["gemm_ar: product alone, " + p] +
                                     us["gemm_ar: communication alone, " + p]) /
        us["gemm_ar: pipelined, " + p])

# --------------------------------------------------------------------------- all-gather --

for ranks, m, k, n, us, kind in ((2, 2048, 2048, 1024, 297.0, "fit"),
                                 (2, 4096, 4096, 4096, 1231.0, "fit"),
                                 (2, 8192, 4096, 4096, 2519.0, "check"),
                                 (8, 8192, 4096, 4096, 1439.0, "check")):
    add("allgather_gemm", "%dx%dx%d, %d ranks" % (m, k, n, ranks), us, "fused/allgather_gemm.pto",
        kind=kind, method="host", profile="a3", ranks=ranks,
        settings={"m": m // ranks, "k": k, "n": n}, inputs=("a", "b"))

# hicann/catccos, tests/dynamic_tiling: the best of all tilings of its list (here half of the
# intervals), measured behind launches that only warm the chip. b is stored as the table says.
SHAPES = ({"BM": 128, "BN": 256}, {"BM": 256, "BN": 128})
TILINGS = tuple({"interval": tiles, **shape} for tiles in (2, 4, 8, 14) for shape in SHAPES)
I8_TILES = ("-D", "BK=512", "-D", "STEP=128")       # as much of k as f16 has in bytes
for m, k, n, trans_b, a2, a3 in (
        (256, 640, 640, 1, (32.6, 17.0, 28.5), (42.0, 15.7, 38.1)),
        (128, 8192, 4096, 1, (197.1, 151.4, 71.7), (205.1, 135.3, 104.6)),
        (1794, 3072, 1536, 0, (415.2, 339.4, 357.9), (423.8, 251.6, 382.4)),
        (4084, 2048, 4096, 0, (1175.2, 1152.3, 789.0), (1012.8, 964.0, 696.9)),
        (4096, 8192, 4096, 1, (4520.1, 4487.2, 3689.2), (3860.1, 3792.0, 2718.7)),
        (16384, 8192, 3072, 1, (14678.0, 14352.0, 12363.0), (12351.0, 12270.0, 10035.0)),
        (65536, 128, 128, 1, (746.4, 108.8, 738.4), (755.4, 113.2, 742.6))):
    for profile, published in (("a2", a2), ("a3", a3)):
        cores = 20 if profile == "a2" else 24
        shape = "%dx%dx%d, %s" % (m, k, n, profile)
        for what, us, ranks, rows, columns, choices in (
                ("total", published[0], 8, m, n, TILINGS),
                ("product alone", published[1], 1, 8 * m, n, SHAPES),
                ("all-gather alone", published[2], 8, m, 0, TILINGS)):
            heavy = m * k * n > 3e11 and ranks == 8
            bound = us == published[2] and published[2] < 0.9 * published[1]
            add("all-gather and product", "%s, %s" % (shape, what), us,
                "fused/allgather_matmul_scaled.pto", profile=profile, ranks=ranks, warm=True,
                settings={"m": rows, "k": k, "n": columns, "trans_b": trans_b},
                inputs=("a", "b", "scale_n"), options=("--cores", cores, *I8_TILES),
                choices=choices,
                why_not="the tiling was chosen for the total, which the product bounds" if bound
                else "not run: minutes of processor time" if heavy else "")

# ------------------------------------------------------------------------------- copies --

COUNTERS = {"p2p_get": (36.28, 149.98, 579.62, 2409.72, 9317.93, 37924.12),
            "p2p_get_async": (136.51, 161.40, 277.25, 745.54, 2624.24, 10273.68)}
for kernel, counters in COUNTERS.items():
    staged = ("-D", "STAGES=1", "-D", "CHUNK=4K") if kernel == "p2p_get" else ()
    for kib, ticks in zip((4, 16, 64, 256, 1024, 4096), counters):
        add("TGET" if staged else "TGET_ASYNC", "%d KiB" % kib, ticks / 50,     # of 50 MHz
            "collective/%s.pto" % kernel, ranks=2, settings={"bytes": kib << 10}, inputs=("x",),
            options=staged, measure="time",
            kind="fit" if not staged and kib in (4, 64, 4096) else "check")

for profile, us in (("a2", 6.7), ("a5", 1.298)):
    add("barrier", "eight ranks, %s" % profile, us, "collective/device_barrier.pto", kind="fit",
        profile=profile, ranks=8, settings={"phases": 10, "delay": 0}, measure="barrier")

# ---------------------------------------------------------------------------- attention --

AS_PUBLISHED = ("-D", "ACCS=2", "-D", "LATE=3", "-D", "BM=128", "-D", "BN=128", "-D", "TILE=128",
                "-D", "BK=128")
for size, us in ((1024, 20.96), (2048, 32.461), (4096, 88.90), (8192, 292.626), (16384, 909.06),
                 (32768, 3262.645)):
    add("attention", "%d square, 24 cores" % size, us, "attention/flash_attention.pto",
        settings={"s0": size, "s1": size, "h": 128}, inputs=("q", "k", "v"),
        options=AS_PUBLISHED)
for cores, times in ((1, (42.08, 51.44, 43.80, 74.54)), (2, (33.201, 44.101, 43.521, 75.162)),
                     (4, (41.721, 55.441, 46.621, 86.322)), (8, (63.72, 85.882, 64.461, 107.342))):
    for keys, us in zip((1024, 2048, 4096, 8192), times):
        add("attention", "%d queries, %d keys, %d cores" % (128 * cores, keys, cores), us,
            why_not="the two published tables contradict each other: 1024 square takes 63.7 us on "
            "8 cores here and 20.96 us there, and 4096 keys less than 2048")

# ------------------------------------------------------------------- mixture of experts --

# As the source's program; HELD by tokens as in its table (overview_v1.md).
MEGA_MOE = ("-D", "GROUPS=1", "-D", "BK=512", "-D", "STEP=128")
HELD = {16: 3, 128: 3, 1024: 2, 2048: 2}
EP8 = (573.08, 588.30, 627.77, 696.04, 1234.03, 2016.18, 3756.88)
EP16 = (579.02, 600.38, 636.46, 707.30, 1190.04, 1964.26, 3714.16)
for ranks, times in ((8, EP8), (16, EP16)):
    for tokens, us in zip((16, 32, 64, 128, 512, 1024, 2048), times):
        add("mixture of experts", "%d tokens, %d ranks" % (tokens, ranks), us,
            "moe/dispatch_ffn_combine_int8.pto", profile="a3", ranks=ranks,
            options=(*MEGA_MOE, "-D", "HELD=%d" % HELD.get(tokens, 0)),
            kind="fit" if (tokens, ranks) in ((16, 8), (16, 16), (128, 8)) else "check", settings={
                "m": tokens, "k": 7168, "n": 4096, "top_k": 8, "experts": 16 * ranks},
            made=lambda m=tokens, r=ranks: {
                "expert_idx": [in_turn(rank, m, 8, 16 * r).astype(np.int32) for rank in range(r)]},
            inputs=("x", "probs", "w1", "w2", "scale1", "scale2"))

# --------------------------------------------------------------------------- all-to-all --

LAUNCHES = {"v4": ("dispatch", "compute", "combine"), "v5": ("dispatch", "compute", "combine"),
            "v7": ("dispatch", "combine"), "v9": ("dispatch", "combine")}
TASK = ((8, 2, 6144, 16, 6635), (64, 6, 2048, 32, 1234), (128, 4, 2880, 128, 51),
        (128, 8, 4096, 256, 175), (256, 8, 7168, 256, 4))


def routed(experts, k, hidden, most, seed):
    """The numbers of tokens of eight ranks and their experts, as problems.all_to_all makes them."""
    del hidden
    rng = np.random.default_rng((seed,))
    tokens = rng.integers(1, most, 8)
    return tokens, [np.argsort(rng.random((t, experts)), axis=1)[:, :k].astype(np.int32)
                    for t in tokens]


def all2all_inputs(shape):
    tokens, chosen = routed(*shape)
    return {"tokens": tokens.astype(np.int64), "topk": chosen}


LADDER = []                     # (version, names of its five rows, geometric mean published)


def geometric_mean(us):
    return float(np.exp(np.mean(np.log(us))))


for version, us in (("v5", 517.0), ("v7", 345.0), ("v9", 292.0)):
    parts = []
    for shape in TASK:
        experts, k, hidden, most, _ = shape
        largest = shape == TASK[-1] and version == "v9"
        add("all-to-all", "%s, %d experts, hidden %d, on the device" % (version, experts, hidden),
            325.0 if largest else 0,
            ["moe/all2all_%s.pto:%s" % (version, launch) for launch in LAUNCHES[version]],
            profile="mi300x", ranks=8, made=lambda shape=shape: all2all_inputs(shape),
            options=("-D", "PADDED=1") if version == "v5" else (),
            settings={"k": k, "hidden": hidden, "experts": experts, "max_tokens": most},
            inputs=("x", "weights"))
        parts.append(ROWS[-1].name)
    add("all-to-all", "%s, geometric mean of five shapes" % version, us, method="host",
        kind="fit" if version == "v9" else "check", profile="mi300x",
        derived=lambda times, parts=parts: geometric_mean(
            [times[part] + HOST_US["mi300x"] for part in parts]))
    LADDER.append((version, parts, us))
add("all-to-all", "v4, geometric mean of five shapes", 116000.0,
    why_not="its author could not explain it either; nothing in the kernel or the machine makes a "
    "hundredth of it")
