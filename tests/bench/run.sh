#!/usr/bin/env bash
# Benchmarks: a table of ratios, each measured in one run on this host.  Nothing here passes or
# fails; docs/performance.md records results.
#   tests/bench/run.sh [BUILD]      (default: build)
set -euo pipefail
cd "$(dirname "$0")/../.."

build=${1:-build}
ptovm=$build/bin/ptovm
bench=tests/bench
[ -x "$ptovm" ] || { echo "no $ptovm: cmake -S . -B $build && cmake --build $build" >&2; exit 2; }

# Median of 7 runs of a command in milliseconds: processor time, which other load disturbs little,
# and wall time.
median_ms() {
    local TIMEFORMAT='%U %S'
    for _ in 1 2 3 4 5 6 7; do
        { time "$@" >/dev/null 2>&1; } 2>&1
    done | awk '{print ($1 + $2) * 1000}' | sort -n | sed -n 4p
}
median_wall_ms() {
    local TIMEFORMAT='%R'
    for _ in 1 2 3 4 5 6 7; do
        { time "$@" >/dev/null 2>&1; } 2>&1
    done | awk '{print $1 * 1000}' | sort -n | sed -n 4p
}

row() { printf '%-44s %14s %14s %10s\n' "$@"; }
row "what" "here" "reference" "ratio" # of tile instructions: median, least, greatest

if [ -x "$build/bench/ops_bench" ]; then
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

ring=(kernels/collective/allreduce_ring.pto --set count=1M --in x=zeros)
for ranks in 8 64; do
    one=$(median_wall_ms "$ptovm" --ranks $ranks --threads 1 run "${ring[@]}")
    two=$(median_wall_ms "$ptovm" --ranks $ranks --threads 2 run "${ring[@]}")
    awk -v r=$ranks -v a="$one" -v b="$two" 'BEGIN {
        printf "%-44s %11.0f ms %11.0f ms %9.2fx\n", "all-reduce, " r " ranks of 1 M: 2 threads, 1", b, a, a / b }'
    if [ -x "$build/bench/threads_model" ]; then
        "$build/bench/threads_model" -q --ranks $ranks --threads 2 run "${ring[@]}"
    fi
done

full=$(median_ms "$ptovm" run kernels/matmul/gemm_f16.pto --set m=2K --set k=2K --set n=2K --in a=zeros --in b=zeros)
times=$(median_ms "$ptovm" --timing-only run kernels/matmul/gemm_f16.pto --set m=2K --set k=2K --set n=2K --in a=zeros --in b=zeros)
awk -v a="$full" -v b="$times" 'BEGIN {
    printf "%-44s %11.0f ms %11.0f ms %9.0fx\n", "GEMM f16 2048^3: times alone, full run", b, a, a / b }'

start=$(median_wall_ms "$ptovm" run kernels/basic/vadd.pto --set n=1000 --in a=iota --in b=iota)
row "vadd of 1000 elements, start to result" "$start ms" "-" "-"
