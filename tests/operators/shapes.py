"""The cases: operators at the shapes of the repositories that they come from, with the times
published there. docs/operators.md names the sources."""

import dataclasses
import typing

import numpy as np

import problems as make


@dataclasses.dataclass(eq=False)
class Case:
    operator: str
    shape: str
    problem: typing.Callable
    files: tuple
    ranks: int = 1
    profile: str = "a2"
    options: tuple = ()
    published: str = ""     # microseconds
    heavy: str = ""         # why it is not run unless asked for
    quick: bool = False

    @property
    def name(self):
        return ("%s/%s@%sx%d" % (self.operator, self.shape, self.profile, self.ranks)).replace(
            " ", "_")


CASES = []


def add(operator, shape, problem, file, **more):
    files = (file,) if isinstance(file, str) else file
    CASES.append(Case(operator, shape, problem, tuple("kernels/" + f for f in files), **more))


def words(*sizes):
    return "x".join(map(str, sizes))


# ------------------------------------------------------------------------- products, attention --

for size, us in ((1536, "38.8 (A3)"), (6144, "1506 (A3)")):
    add("gemm", words(size, size, size), make.gemm(size, size, size), "matmul/gemm.pto",
        profile="a3", published=us)
add("gemm", "200x300x100", make.gemm(200, 300, 100), "matmul/gemm.pto", quick=True)
add("gemm_f16", "5416x6144x1408", make.gemm(5416, 6144, 1408), "matmul/gemm_f16.pto",
    published="368.1 (gemm_ar, product alone)")

for size, us in ((1024, "20.96 (910B2)"), (4096, "88.90 (910B2)"), (16384, "909.1 (910B2)")):
    add("flash_attention", words(size, size, 128), make.attend(size, size, 128),
        "attention/flash_attention.pto", published=us)
for cores, s0, s1, us in ((1, 128, 1024, "42.08"), (1, 128, 2048, "51.44"), (1, 128, 8192, "74.54"),
                          (4, 512, 1024, "41.72"), (4, 512, 8192, "86.32"),
                          (8, 1024, 1024, "63.72"), (8, 1024, 8192, "107.3")):
    add("flash_attention", "%s, %d core%s" % (words(s0, s1, 128), cores, "s" * (cores > 1)),
        make.attend(s0, s1, 128), "attention/flash_attention.pto", options=("--cores", cores),
        published=us)
add("flash_attention", "4096x4096x128 causal", make.attend(4096, 4096, 128, 1),
    "attention/flash_attention.pto")
add("flash_attention", "100x200x64", make.attend(100, 200, 64), "attention/flash_attention.pto",
    quick=True)
add("ring_attention", "1024x1024x128 a rank", make.attend(1024, 1024, 128),
    "attention/ring_attention.pto", ranks=8, options=("--link-down", "0-1"))
add("ring_attention", "1024x1024x128 a rank, causal", make.attend(1024, 1024, 128, 1),
    "attention/ring_attention.pto", ranks=8, options=("--link-down", "0-1"))

# --------------------------------------------------------------------------------- collectives --

for profile, us in (("a2", "6.7"), ("a5", "1.298")):
    add("device_barrier", "10 barriers", make.barrier(10), "collective/device_barrier.pto", ranks=8,
        profile=profile, published=us, quick=profile == "a2")

SIZES = ((256, "1 KiB"), (256 << 10, "1 MiB"), (16 << 20, "64 MiB"))
CUT = ("--link-down", "0-1")
for count, size in SIZES:
    add("allreduce_ring", size + ", link 0-1 down", make.ring(count),
        "collective/allreduce_ring.pto", ranks=8, options=CUT, quick=count == 256)
for count, size in SIZES[:2]:
    add("allreduce_ring", size + ", light, link 0-1 down", make.ring(count, light=1),
        "collective/allreduce_ring.pto", ranks=8, options=CUT)
add("allreduce_ring", "64 MiB in 6 passes, link 0-1 down", make.ring(16 << 20, **{"pass": 3 << 20}),
    "collective/allreduce_ring.pto", ranks=8, options=CUT)
add("allreduce_ring", "1 GiB, link 0-1 down", make.ring(256 << 20),
    "collective/allreduce_ring.pto", ranks=8, options=CUT,
    heavy="24 GiB of data for 8 ranks")
add("allreduce_ring_f16", "2 MiB, link 0-1 down", make.ring(1 << 20, np.float16),
    "collective/allreduce_ring.pto", ranks=8, options=CUT + ("-D", "TYPE=f16"))
for count, size in SIZES:
    add("allreduce_mesh", size, make.mesh(count), "collective/allreduce_mesh.pto", ranks=8)
    add("allreduce_mesh", size + ", link 0-1 down", make.mesh(count, cut_a=0, cut_b=1),
        "collective/allreduce_mesh.pto", ranks=8, options=CUT)

COUNTERS = {"p2p_get": (36.28, 149.98, 579.62, 2409.72, 9317.93, 37924.12),
            "p2p_get_async": (136.51, 161.40, 277.25, 745.54, 2624.24, 10273.68)}
for kernel in ("p2p_get", "p2p_get_async", "p2p_put", "p2p_put_async"):
    for place, kib in enumerate((4, 16, 64, 256, 1024, 4096)):
        us = "%.4g" % (COUNTERS[kernel][place] / 50) if kernel in COUNTERS else ""  # of 50 MHz
        if us or kib in (4, 4096):
            add(kernel, "%d KiB" % kib, make.transfer(kib << 10), "collective/%s.pto" % kernel,
                ranks=2, published=us, quick=kib == 4)

# --------------------------------------------------------------------------------------- fused --

SMALL, LARGE = (1792, 768, 1280), (5416, 6144, 1408)    # m, k, n of hicann/catccos, test_shapes.csv
TWENTY = ("--cores", 20)                                # AI cores that hicann/catccos uses
for shape in SMALL, LARGE:
    reduced = make.summed_products(*shape, "d", scattered=True)
    loose = make.summed_products(*shape, "d", scattered=True, deterministic=0)
    add("matmul_reduce_scatter", words(*shape), reduced, "fused/matmul_reduce_scatter.pto", ranks=8,
        options=TWENTY)
    add("matmul_reduce_scatter", words(*shape) + ", deterministic=0", loose,
        "fused/matmul_reduce_scatter.pto", ranks=8, options=TWENTY)
    add("matmul_dequant_reduce_scatter", words(*shape), make.scattered_integers(*shape),
        "fused/matmul_dequant_reduce_scatter.pto", ranks=8, options=TWENTY)
    add("matmul_allreduce", words(*shape), make.summed_products(*shape, "d"),
        "fused/matmul_allreduce.pto", ranks=8, options=TWENTY)
    for variant in "allgather_matmul", "allgather_matmul_get":
        for ranks in 2, 8:
            if (shape, ranks) != (LARGE, 8):
                add(variant, words(*shape), make.gathered_products(*shape),
                    "fused/%s.pto" % variant, ranks=ranks, options=TWENTY)
add("allgather_matmul", words(*LARGE), make.gathered_products(*LARGE), "fused/allgather_matmul.pto",
    ranks=8, options=TWENTY, heavy="6 * 10^12 operations")

for interval in 2, 30:
    add("matmul_reduce_scatter", words(*LARGE) + ", interval %d" % interval,
        make.summed_products(*LARGE, "d", scattered=True, interval=interval),
        "fused/matmul_reduce_scatter.pto", ranks=8, options=TWENTY)

for k, what, us in (LARGE[1], "", "560.6 (910B)"), (16, " (communication)", "437.3 (alone)"):
    add("gemm_ar", words(LARGE[0], k, LARGE[2]) + what,
        make.summed_products(LARGE[0], k, LARGE[2], "c", trans_b=True), "fused/gemm_ar.pto",
        ranks=8, published=us)
add("gemm_ar", words(*LARGE), make.summed_products(*LARGE, "c", trans_b=True, comm=24),
    "fused/gemm_ar.pto", ranks=2, profile="a5", options=("--cores", 32),
    published="580.2 (950PR)")
add("gemm_f16", words(*LARGE) + ", 32 cores", make.gemm(*LARGE), "matmul/gemm_f16.pto",
    profile="a5", options=("--cores", 32), published="323.2 (950PR, gemm_ar, product alone)")

# Streaming all-gather and product of hw-native-sys/pto-isa: m is that of all ranks.
for ranks, m, k, n, us in ((2, 2048, 2048, 1024, "297"), (2, 4096, 4096, 4096, "1231"),
                           (8, 8192, 4096, 4096, "1439")):
    for variant in "allgather_matmul", "allgather_matmul_get":
        add(variant, words(m // ranks, k, n) + " a rank",
            make.gathered_products(m // ranks, k, n), "fused/%s.pto" % variant, ranks=ranks,
            profile="a3", published=us + " (A3)")

# The list of hicann/catccos for A2, 8 ranks: fused, product alone, all-gather alone.
for m, k, n, us, heavy in (
        (256, 640, 640, (32.6, 17.0, 28.5), ""), (128, 8192, 4096, (197.1, 151.4, 71.7), ""),
        (1794, 3072, 1536, (415.2, 339.4, 357.9), ""),
        (4084, 2048, 4096, (1175.2, 1152.3, 789.0), ""),
        (65536, 128, 128, (746.4, 108.8, 738.4), ""),
        (4096, 8192, 4096, (4520.1, 4487.2, 3689.2), "18 * 10^12 operations"),
        (16384, 8192, 3072, (14678, 14352, 12363), "53 * 10^12 operations")):
    more = {"file": "fused/allgather_matmul_dequant.pto", "options": TWENTY}
    add("allgather_matmul_dequant", words(m, k, n), make.gathered_integers(m, k, n), ranks=8,
        published="%.4g" % us[0], heavy=heavy, **more)
    if not heavy:
        add("allgather_matmul_dequant", words(m, k, 1) + " (all-gather)",
            make.gathered_integers(m, k, 1), "fused/allgather_matmul_dequant.pto", ranks=8,
            options=TWENTY, published="%.4g (alone)" % us[2])
for n, what, us in (128, "", "746.4"), (1, " (all-gather)", "738.4 (alone)"):
    add("allgather_matmul_dequant", words(65536, 128, n) + ", interval 24" + what,
        make.gathered_integers(65536, 128, n, interval=24), "fused/allgather_matmul_dequant.pto",
        ranks=8, options=TWENTY, published=us)
add("allgather_matmul_dequant", "100x64x50", make.gathered_integers(100, 64, 50),
    "fused/allgather_matmul_dequant.pto", ranks=2, options=("--cores", 4), quick=True)
add("matmul_reduce_scatter", "256x64x256", make.summed_products(256, 64, 256, "d", scattered=True),
    "fused/matmul_reduce_scatter.pto", ranks=2, options=("--cores", 4), quick=True)
add("gemm_ar", "256x128x512", make.summed_products(256, 128, 512, "c", trans_b=True),
    "fused/gemm_ar.pto", ranks=2, options=("--cores", 4), quick=True)

# ------------------------------------------------------------------------------ grouped products --

for kernel, direction, ranks, m, k, n, experts in (
        ("alltoallv_grouped_matmul", "in", 2, 1024, 1024, 1024, 4),
        ("alltoallv_grouped_matmul", "in", 4, 1024, 1024, 1024, 4),
        ("alltoallv_grouped_matmul", "in", 2, 32768, 4000, 4000, 4),
        ("grouped_matmul_alltoallv", "out", 2, 3120, 2254, 1586, 8),
        ("grouped_matmul_alltoallv", "out", 8, 3120, 2254, 1586, 8),
        ("grouped_matmul_alltoallv", "out", 2, 4328, 1582, 8359, 8)):
    add(kernel, "%s, %d experts" % (words(m, k, n), experts),
        make.grouped_product(direction, m, k, n, experts), "moe/%s.pto" % kernel, ranks=ranks,
        options=TWENTY)
add("alltoallv_grouped_matmul", "64x100x40, 4 experts", make.grouped_product("in", 64, 100, 40, 4),
    "moe/alltoallv_grouped_matmul.pto", ranks=2, options=("--cores", 4), quick=True)

for ranks, m, k, n, top_k, experts, profile in (
        (2, 256, 7168, 1024, 4, 4, "a2"), (4, 256, 7168, 1024, 4, 4, "a2"),
        (8, 64, 7168, 4096, 6, 16, "a5"), (8, 256, 7168, 1024, 6, 16, "a5")):
    add("dispatch_ffn_combine", "%s, top %d of %d" % (words(m, k, n), top_k, experts),
        make.mixture(m, k, n, top_k, experts), "moe/dispatch_ffn_combine.pto", ranks=ranks,
        profile=profile)
for m, us in ((16, "573.1"), (128, "696.0"), (512, "1234")):
    add("dispatch_ffn_combine_int8", "%s, top 8 of 128" % words(m, 7168, 4096),
        make.mixture_int8(m, 7168, 4096, 8, 128), "moe/dispatch_ffn_combine_int8.pto", ranks=8,
        published=us, heavy="a reference of 3 * 10^12 operations in f64" if m == 512 else "")
add("dispatch_ffn_combine_int8", "20x64x64, top 2 of 4", make.mixture_int8(20, 64, 64, 2, 4),
    "moe/dispatch_ffn_combine_int8.pto", ranks=2, options=("--cores", 4), quick=True)

# -------------------------------------------------------------------------- dispatch and combine --

for ranks, bs, hidden, top_k, experts, shared in (
        (8, 8, 7168, 3, 7, 1), (2, 64, 128, 1, 2, 0), (4, 64, 128, 1, 4, 0),
        (8, 32, 7168, 8, 64, 0), (16, 64, 7168, 8, 240, 1)):
    shape = "%d tokens, hidden %d, top %d of %d%s" % (bs, hidden, top_k, experts,
                                                      ", 1 shared" * shared)
    quick = hidden == 128 and ranks == 2
    for kernel, quantised in (("dispatch", True), ("dispatch_f16", False)):
        if ranks == 8 or quantised:
            add(kernel, shape, make.dispatch(bs, hidden, top_k, experts, shared, quantised, False),
                "moe/%s.pto" % kernel, ranks=ranks)
            add(kernel + " + combine", shape,
                make.dispatch(bs, hidden, top_k, experts, shared, quantised),
                ("moe/%s.pto" % kernel, "moe/combine.pto"), ranks=ranks, quick=quick)

LAUNCHES = {"v4": ("dispatch", "compute", "combine"), "v5": ("dispatch", "compute", "combine"),
            "v7": ("dispatch", "combine"), "v9": ("dispatch", "combine")}
MEASURED = {"v7": "487 (stages)", "v9": "288 to 325 (trace)"}
for experts, k, hidden, most, seed, light in (
        (8, 2, 6144, 16, 6635, 6.33), (64, 6, 2048, 32, 1234, 7.37), (128, 4, 2880, 128, 51, 14.98),
        (128, 8, 4096, 256, 175, 61.78), (256, 8, 7168, 256, 4, 104.36)):
    for version, launches in LAUNCHES.items():
        us = MEASURED.get(version, "") if experts == 256 else ""
        shape = "%d experts, top %d, hidden %d, max %d" % (experts, k, hidden, most)
        add("all2all_" + version, shape,
            make.all_to_all(experts, k, hidden, most, seed),
            ["moe/all2all_%s.pto:%s" % (version, launch) for launch in launches], ranks=8,
            profile="mi300x", published=us or ("%.4g (speed of light)" % light if
                                               version == "v9" else ""))
add("all2all_v4", "256 experts, top 8, hidden 7168, max 256, one lock a rank",
    make.all_to_all(256, 8, 7168, 256, 4, coarse=1),
    ["moe/all2all_v4.pto:" + launch for launch in LAUNCHES["v4"]], ranks=8, profile="mi300x")
add("all2all_v9", "16 experts, top 4, hidden 64, max 8", make.all_to_all(16, 4, 64, 8, 1),
    ["moe/all2all_v9.pto:" + launch for launch in LAUNCHES["v9"]], ranks=4, profile="mi300x",
    options=("--cores", 8), quick=True)
