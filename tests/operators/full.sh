#!/usr/bin/env bash
# The shipped operators at the shapes of the repositories that they come from: every case is run
# with random inputs that differ from rank to rank, checked against numpy, and becomes a row of a
# table in Markdown. docs/operators.md has a recorded one.
#
#   tests/operators/full.sh [--list] [--quick] [--heavy] [PATTERN]...
#
# PATTERN: the beginning of names of cases, with wildcards: gemm_ar, 'all2all_v?/8_experts'.
# --list names the cases, --quick chooses small ones, --heavy also runs those that take very long.
# PTO_BIN is the folder of ptovm, by default build/bin. Exit status: 1 if a case fails.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export PTO_SOURCE_DIR=${PTO_SOURCE_DIR:-$(cd "$here/../.." && pwd)}
export PTO_BIN=${PTO_BIN:-$PTO_SOURCE_DIR/build/bin}
export PYTHONDONTWRITEBYTECODE=1

if [ ! -x "$PTO_BIN/ptovm" ]; then
    echo "no ptovm in $PTO_BIN: cmake -S . -B build && cmake --build build, or set PTO_BIN" >&2
    exit 2
fi

# OpenBLAS falls back to slow kernels on processors that are newer than itself.
if [ -z "${OPENBLAS_CORETYPE:-}" ] && grep -qs '^flags.*avx512vl' /proc/cpuinfo; then
    export OPENBLAS_CORETYPE=SkylakeX
fi

for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' 2>/dev/null; then
        exec "$python" "$here/full.py" "$@"
    fi
done
echo "python3 with numpy is needed: apt-get install python3-numpy" >&2
exit 2
