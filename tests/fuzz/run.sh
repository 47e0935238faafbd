#!/usr/bin/env bash
# Fuzz with libFuzzer, all targets one after the other.  Needs clang.
#
#   run.sh HOURS [TARGET...]       nights
#   run.sh --minute BUILD          the first 2000 inputs of each, at most ten seconds, the same ones
#                                  every time; exit status 77: there is no libFuzzer
#
# The build is in build-fuzz (or BUILD/fuzz), found inputs in its found/TARGET.  An input that breaks
# a promise stays in its folder as crash-*, slow-* or oom-*: reduce it with -minimize_crash=1, make a
# test of it, and put it into corpus/TARGET when it is mended.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
targets=(object text upstream command npy npz profile script topology dap lsp)

if [ "${1:-}" = --minute ]; then
    build=$2/fuzz
    limits=(-seed=1 -runs=2000 -max_total_time=10)
    rm -rf "$build/found"
else
    build=$root/build-fuzz
    [ $# -gt 1 ] && targets=("${@:2}")
    limits=(-max_total_time="$(awk -v hours="${1:?how many hours?}" -v n="${#targets[@]}" \
        'BEGIN { printf "%d", hours * 3600 / n }')")
fi

probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return 0 * (d && n); }' >"$probe/a.c"
if ! clang -fsanitize=fuzzer "$probe/a.c" -o "$probe/a" 2>/dev/null; then
    echo "skipped: no clang with libFuzzer here (Debian: clang, libclang-rt-14-dev)"
    exit 77
fi

cmake -S "$root" -B "$build" -DCMAKE_C_COMPILER=clang -DPTO_FUZZ=ON -DBUILD_TESTING=ON \
      ${CMAKE_C_COMPILER_LAUNCHER:+-DCMAKE_C_COMPILER_LAUNCHER="$CMAKE_C_COMPILER_LAUNCHER"} >/dev/null
cmake --build "$build" -j"$(nproc)" --target ptoas fuzz_targets >"$probe/log" ||
    { tail -n 40 "$probe/log"; exit 1; }
"$root/tests/fuzz/seeds.sh" "$build/bin" "$probe/seeds"

status=0
export PTO_SOURCE_DIR=$root
for target in "${targets[@]}"; do
    [ -x "$build/tests/fuzz_$target" ] || { echo "$target: left out, this host has not what it needs"
                                            continue; }
    mkdir -p "$build/found/$target"
    cd "$build/found/$target"
    echo "$target:"
    "$build/tests/fuzz_$target" "${limits[@]}" -timeout=20 -rss_limit_mb=2048 \
        -max_len=65536 -print_final_stats=1 . "$probe/seeds/$target" >"$probe/log" 2>&1 || status=1
    grep -E 'number_of_executed_units|ERROR|SUMMARY|Assertion|Test unit written' "$probe/log" || true
done
exit "$status"
