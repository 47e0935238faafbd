#!/usr/bin/env bash
# Benchmarks: a table of ratios, each measured in one run on this host.  Nothing here passes or
# fails; docs/performance.md records results.
#   tests/bench/run.sh [BUILD]      (default: build)
set -euo pipefail
cd "$(dirname "$0")/../.."

build=${1:-build}
ptovm=$build/bin/ptovm
bench=tests/bench
export OPENBLAS_NUM_THREADS=1
runs=${RUNS:-7} pairs=${RUNS:-5} # RUNS=1: does every row work?
[ -x "$ptovm" ] || { echo "no $ptovm: cmake -S . -B $build && cmake --build $build" >&2; exit 2; }

# Median of runs of a command in milliseconds: processor time, which other load disturbs little,
# and wall time.
median_ms() {
    local i TIMEFORMAT='%U %S'
    for ((i = 0; i < runs; i++)); do
        { time "$@" >/dev/null 2>&1; } 2>&1
    done | awk '{print ($1 + $2) * 1000}' | sort -n | sed -n "$(((runs + 1) / 2))p"
}
median_wall_ms() {
    local i TIMEFORMAT='%R'
    for ((i = 0; i < runs; i++)); do
        { time "$@" >/dev/null 2>&1; } 2>&1
    done | awk '{print $1 * 1000}' | sort -n | sed -n "$(((runs + 1) / 2))p"
}

# Processor time of a command in milliseconds.
cpu_ms() {
    local TIMEFORMAT='%U %S'
    { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{print ($1 + $2) * 1000}'
}
# versus NAME HERE REFERENCE: two commands (names of arrays), pairs of runs in turn: median times,
# and the least, median and greatest ratio of the reference's to ours.
versus() {
    local -n here=$2 reference=$3
    local i
    for ((i = 0; i < pairs; i++)); do
        echo "$(cpu_ms "${here[@]}") $(cpu_ms "${reference[@]}")"
    done | awk -v name="$1" '
        function sort3(x, n,   i, j, t) {
            for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++)
                if (x[j] < x[i]) { t = x[i]; x[i] = x[j]; x[j] = t } }
        { a[NR] = $1; b[NR] = $2; r[NR] = $1 ? $2 / $1 : 0 }
        END { sort3(a, NR); sort3(b, NR); sort3(r, NR); m = int((NR + 1) / 2)
              printf "%-44s %11.1f ms %11.1f ms %9.2fx (%.2f to %.2f)\n", name, a[m], b[m], r[m], r[1], r[NR] }'
}
# What threads would give, from one run on one thread (docs/performance.md, "Threads").
model() {
    local name=$1
    shift
    [ -x "$build/bench/threads_model" ] || return 0
    printf '%s: ' "$name"
    "$build/bench/threads_model" -q --threads 2 "$@" 2>&1 | tail -1
}

row() { printf '%-44s %14s %14s %10s\n' "$@"; }
row "what" "here" "reference" "ratio" # of tile instructions: median, least, greatest

if [ "$runs" = 1 ]; then
    echo "(tile operations: $build/bench/ops_bench)"
elif [ -x "$build/bench/ops_bench" ]; then
    "$build/bench/ops_bench"
else
    echo "(tile operations: no ops_bench in $build)"
fi

n=5000000
base=$(median_ms "$ptovm" run $bench/scalar_a.pto --set n=1)
here=$(median_ms "$ptovm" run $bench/scalar_a.pto --set n=$n)
if command -v lua5.4 >/dev/null; then
    lua_base=$(median_ms lua5.4 $bench/scalar_a.lua 1)
    lua=$(median_ms lua5.4 $bench/scalar_a.lua $n)
    awk -v h="$here" -v hb="$base" -v l="$lua" -v lb="$lua_base" -v n=$n 'BEGIN {
        a = (h - hb) / n * 1e6; b = (l - lb) / n * 1e6
        printf "%-44s %11.1f ns %11.1f ns %9.2fx\n", "scalar loop, per iteration (Lua 5.4 = 1)", a, b, b / a }'
else
    echo "(scalar loop against Lua: install lua5.4)"
fi

if [ -x "$build/bench/register_machine" ]; then
    plain=$(median_ms "$build/bench/register_machine" $n)
    awk -v h="$here" -v hb="$base" -v p="$plain" -v n=$n 'BEGIN {
        a = (h - hb) / n * 1e6; b = p / n * 1e6
        printf "%-44s %11.1f ns %11.1f ns %9.2fx\n", "the same (a switch in C = 1)", a, b, b / a }'
fi
[ ! -x "$build/bench/queue_bench" ] || "$build/bench/queue_bench"

signals=500000
for ranks in 1 2; do
    few=$(median_ms "$ptovm" --threads 1 --cores 1 --ranks $ranks run $bench/ping_pong.pto --set n=1)
    many=$(median_ms "$ptovm" --threads 1 --cores 1 --ranks $ranks run $bench/ping_pong.pto --set n=$signals)
    awk -v a="$many" -v b="$few" -v r=$ranks -v n=$signals 'BEGIN {
        printf "%-44s %11.2f us %14s %10s\n", "notify to wake, " r " rank(s)", (a - b) / (2 * n) * 1e3, "-", "-" }'
done

tiles=300000
tiny_base=$(median_ms "$ptovm" --cores 1 run $bench/tiny_add.pto --set n=1)
tiny=$(median_ms "$ptovm" --cores 1 run $bench/tiny_add.pto --set n=$tiles)
awk -v t="$tiny" -v b="$tiny_base" -v n=$tiles 'BEGIN {
    printf "%-44s %11.1f ns %14s %10s\n", "8x8 TADD, issue to retirement", (t - b) / n * 1e6, "-", "-" }'

loops=100000
flags_base=$(median_ms "$ptovm" --cores 1 run $bench/tiny_tiles.pto --set n=1 --in a=iota)
flags=$(median_ms "$ptovm" --cores 1 run $bench/tiny_tiles.pto --set n=$loops --in a=iota)
events=$("$ptovm" --cores 1 --json run $bench/tiny_tiles.pto --set n=$loops --in a=iota |
    /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["pipe_events"])')
awk -v t="$flags" -v b="$flags_base" -v n=$loops -v e="$events" 'BEGIN {
    s = (t - b) / 1000
    printf "%-44s %11.1f ns %14s %10s\n", "8x8 load, add, store with 6 flags, per tile op", s / (3 * n) * 1e9, "-", "-"
    printf "%-44s %10.2f M/s %14s %10s\n", "pipe events", e / s / 1e6, "-", "-" }'

# Instructions of the host, which no load disturbs: differences between two lengths of a run.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$ptovm" --threads 1 --cores 1 run "$@" 2>&1 >/dev/null |
        awk '/Collected/ {print $4}'
}
if command -v valgrind >/dev/null; then
    few=$(instructions $bench/tiny_add.pto --set n=1000)
    many=$(instructions $bench/tiny_add.pto --set n=11000)
    row "8x8 TADD, instructions of the host" "$(((many - few) / 10000))" "-" "-"
    few=$(instructions $bench/tiny_tiles.pto --set n=1000 --in a=iota)
    many=$(instructions $bench/tiny_tiles.pto --set n=6000 --in a=iota)
    row "entry of the loop with 6 flags, the same" "$(((many - few) / 45000))" "-" "-"
else
    echo "(instructions of the host: install valgrind)"
fi

ring=(kernels/collective/allreduce_ring.pto --set count=1M --in x=zeros)
for ranks in 8 64; do
    one=$(median_wall_ms "$ptovm" --ranks $ranks --threads 1 run "${ring[@]}")
    two=$(median_wall_ms "$ptovm" --ranks $ranks --threads 2 run "${ring[@]}")
    awk -v r=$ranks -v a="$one" -v b="$two" 'BEGIN {
        printf "%-44s %11.0f ms %11.0f ms %9.2fx\n", "all-reduce, " r " ranks of 1 M: 2 threads, 1", b, a, a / b }'
    model "all-reduce, $ranks ranks of 1 M" --ranks $ranks run "${ring[@]}"
done
model "matmul_reduce_scatter, 8 ranks" --ranks 8 run kernels/fused/matmul_reduce_scatter.pto \
    --set m=2K --set k=512 --set n=1K --set interval=2 --in a=zeros --in b=zeros
model "GEMM f16 4096^3, one rank" run kernels/matmul/gemm_f16.pto \
    --set m=4K --set k=4K --set n=4K --in a=zeros --in b=zeros
model "attention 3072 x 3072 x 128, one rank" run kernels/attention/flash_attention.pto \
    --set s0=3K --set s1=3K --set h=128 --in q=zeros --in k=zeros --in v=zeros

# Many ranks: what a round of a lane takes with few and with more of them.
round_us() {
    local ms
    ms=$(median_ms "$ptovm" --threads 1 --ranks "$1" run kernels/collective/allreduce_ring.pto --set count=16K --in x=zeros)
    awk -v ms="$ms" -v r="$1" 'BEGIN { print ms * 1000 / (4 * r * (r - 1)) }'
}
few=$(round_us 64)
many=$(round_us 256)
awk -v a="$many" -v b="$few" 'BEGIN {
    printf "%-44s %11.2f us %11.2f us %9.2fx\n", "a round of all-reduce, 256 ranks (64 = 1)", a, b, b / a }'

# Times alone, and what the second-level cache adds to them.
times=(--threads 1 --timing-only run kernels/matmul/gemm_f16.pto --set m=6K --set k=6K --set n=6K --in a=zeros --in b=zeros)
cached=$(median_ms "$ptovm" "${times[@]}")
plain=$(median_ms "$ptovm" --profile-set l2_size=0B "${times[@]}")
awk -v a="$cached" -v b="$plain" 'BEGIN {
    printf "%-44s %11.0f ms %11.0f ms %9.2fx\n", "GEMM f16 6144^3, times alone (no cache = 1)", a, b, b / a }'

files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
for side in 1024 2048; do
    /usr/bin/python3 -c '
import sys, numpy
draw = numpy.random.default_rng(1)
for name in "ab":
    numpy.save(sys.argv[1] + "/" + name, draw.standard_normal((int(sys.argv[2]),) * 2).astype("f2"))' \
        "$files" $side
    ours=("$ptovm" --threads 1 run kernels/matmul/gemm_f16.pto --in "a=$files/a.npy"
          --in "b=$files/b.npy" --out "c=$files/c.npy")
    plain=("$build/bench/gemm_npy" "$files/a.npy" "$files/b.npy" "$files/d.npy")
    [ ! -x "$build/bench/gemm_npy" ] || versus "GEMM f16 $side^3, .npy to .npy (C, sgemm = 1)" ours plain
done

# What a user would pick instead, whole processes from zeros to the result.
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    ours=("$ptovm" --threads 1 --ranks 8 run kernels/fused/matmul_reduce_scatter.pto --set m=2K --set k=512
          --set n=1K --set interval=2 --in a=zeros --in b=zeros)
    plain=(/usr/bin/python3 $bench/numpy_rows.py matmul_reduce_scatter 8 2048 512 1024)
    versus "matmul_reduce_scatter, 8 ranks (numpy = 1)" ours plain
    ours=("$ptovm" --threads 1 run kernels/attention/flash_attention.pto --set s0=3K --set s1=3K --set h=128
          --in q=zeros --in k=zeros --in v=zeros)
    plain=(/usr/bin/python3 $bench/numpy_rows.py attention 3072 3072 128)
    versus "attention 3072 x 3072 x 128 (numpy = 1)" ours plain
else
    echo "(rows against numpy: install python3-numpy)"
fi
if command -v mpicc >/dev/null && mpicc -O2 $bench/allreduce_mpi.c -o "$files/allreduce_mpi"; then
    ours=("$ptovm" --threads 1 --ranks 8 run "${ring[@]}")
    plain=(mpirun --allow-run-as-root --oversubscribe -n 8 "$files/allreduce_mpi")
    versus "all-reduce, 8 ranks of 1 M (Open MPI = 1)" ours plain
else
    echo "(all-reduce against Open MPI: install openmpi-bin, libopenmpi-dev)"
fi

elements=16777216
for source in random:1 const:1; do
    few=$(median_ms "$ptovm" run kernels/basic/vadd.pto --set n=1 --in a=$source --in b=zeros)
    many=$(median_ms "$ptovm" run kernels/basic/vadd.pto --set n=$elements --in a=$source --in b=zeros)
    expect=$(median_ms "$ptovm" run kernels/basic/vadd.pto --set n=$elements --in a=zeros --in b=zeros --expect c=const:0)
    awk -v s=$source -v a="$few" -v b="$many" -v n=$elements 'BEGIN {
        printf "%-44s %11.2f ns %14s %10s\n", "vadd of " s ", per element", (b - a) / n * 1e6, "-", "-" }'
done
awk -v a="$few" -v b="$expect" -v n=$elements 'BEGIN {
    printf "%-44s %11.2f ns %14s %10s\n", "vadd with --expect, per element", (b - a) / n * 1e6, "-", "-" }'

moe=$(median_ms "$ptovm" --ranks 2 run kernels/moe/dispatch_ffn_combine.pto --set m=20 --set k=64 \
    --set n=64 --set top_k=2 --set experts=4 --in x=ones --in expert_idx=const:1 --in probs=const:0.5 \
    --in w1=const:0.25 --in w2=const:0.0009765625)
row "dispatch_ffn_combine, 20 tokens, 2 ranks" "$moe ms" "-" "-"
small=$(median_ms "$ptovm" run kernels/attention/flash_attention.pto --set s0=64 --set s1=64 \
    --set h=64 --in q=ones --in k=ones --in v=ones)
row "attention 64 x 64, whole process" "$small ms" "-" "-"

full=$(median_ms "$ptovm" run kernels/matmul/gemm_f16.pto --set m=2K --set k=2K --set n=2K --in a=zeros --in b=zeros)
times=$(median_ms "$ptovm" --timing-only run kernels/matmul/gemm_f16.pto --set m=2K --set k=2K --set n=2K --in a=zeros --in b=zeros)
awk -v a="$full" -v b="$times" 'BEGIN {
    printf "%-44s %11.0f ms %11.0f ms %9.0fx\n", "GEMM f16 2048^3: times alone, full run", b, a, a / b }'

plain=$(median_ms "$ptovm" run kernels/matmul/gemm_f16.pto --set m=512 --set k=512 --set n=512 --in a=zeros --in b=zeros)
traced=$(median_ms "$ptovm" --trace "$files/trace" run kernels/matmul/gemm_f16.pto --set m=512 --set k=512 --set n=512 --in a=zeros --in b=zeros)
awk -v a="$plain" -v b="$traced" 'BEGIN {
    printf "%-44s %11.0f ms %11.0f ms %9.2fx\n", "GEMM f16 512^3: with a trace, without", b, a, b / a }'

lines=100000
{
    printf '.kernel k\n.out c : f32[64]\n.core aiv\n.tile t : ub f32[1, 64]\n'
    for ((i = 0; i < lines; i++)); do echo "    TADDS t, t, 1.0"; done
} >"$files/long.pto"
text=$(median_ms "$build/bin/ptoas" "$files/long.pto" -o "$files/long.o")
awk -v a="$text" -v n=$lines 'BEGIN {
    printf "%-44s %7.0f k lines/s %11s %10s\n", "ptoas", n / a, "-", "-" }'

start=$(median_wall_ms "$ptovm" run kernels/basic/vadd.pto --set n=1000 --in a=iota --in b=iota)
row "vadd of 1000 elements, start to result" "$start ms" "-" "-"
