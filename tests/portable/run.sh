#!/usr/bin/env bash
# Build with several compilers, C libraries and processors, and compare what the programs make of
# the text cases and the kernels (fingerprint.py): all builds have to leave the same bits.
#
#   run.sh [BUILD...]      of: gcc gcc-O0 gcc-O3 clang musl aarch64; all of them by default
#
# gcc is what the others are compared with.  The builds are in build-portable.  What a host lacks is
# said and left out: clang; musl-gcc (Debian: musl-tools); aarch64-linux-gnu-gcc and
# qemu-aarch64-static (gcc-aarch64-linux-gnu, qemu-user-static).  Exit status 1: a build failed, or
# differs.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$root/build-portable
python=${PTO_PYTHON:-/usr/bin/python3}
builds=("$@")
[ $# -gt 0 ] || builds=(gcc-O0 gcc-O3 clang musl aarch64)

# Levels of vm/ops are compared by isa/level_*; here each build has the one of its compiler.
options_of() {
    local common="-DCMAKE_BUILD_TYPE=None -DPTO_HAS_MARCH_V4=OFF"
    local bare="-DPTO_LINE_EDITOR=none -DZIP_INCLUDE=OFF -DJANSSON_INCLUDE=OFF"
    case $1 in
    gcc)     echo "$common -DCMAKE_C_COMPILER=gcc -DCMAKE_C_FLAGS=-O2" ;;
    gcc-O0)  echo "$common -DCMAKE_C_COMPILER=gcc -DCMAKE_C_FLAGS=-O0 -DPTO_OPS_OPTIMIZE=-O0" ;;
    gcc-O3)  echo "$common -DCMAKE_C_COMPILER=gcc -DCMAKE_C_FLAGS=-O3" ;;
    clang)   echo "$common -DCMAKE_C_COMPILER=clang -DCMAKE_C_FLAGS=-O2" ;;
    musl)    echo "$common $bare -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_C_FLAGS=-O2" ;;
    aarch64) echo "$common -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_C_FLAGS=-O2" \
                  "-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64" \
                  "-DCMAKE_EXE_LINKER_FLAGS=-static $bare" ;;
    *)       echo "$0: no build '$1'" >&2; exit 2 ;;
    esac
}

needs() {
    case $1 in
    clang)   echo clang ;;
    musl)    echo musl-gcc ;;
    aarch64) echo aarch64-linux-gnu-gcc qemu-aarch64-static ;;
    *)       echo gcc ;;
    esac
}

build() {
    local folder=$work/$1 targets=(ptoas ptovm ptodbg)

    cmake -S "$root" -B "$folder" $(options_of "$1") -DBUILD_TESTING=OFF \
          ${CMAKE_C_COMPILER_LAUNCHER:+-DCMAKE_C_COMPILER_LAUNCHER="$CMAKE_C_COMPILER_LAUNCHER"} \
          >"$folder.log" 2>&1 &&
        cmake --build "$folder" -j"${PTO_JOBS:-$(nproc)}" --target "${targets[@]}" >>"$folder.log" 2>&1 ||
        { echo "$1: does not build:"
          grep -E 'error|undefined' "$folder.log" | head -n 10
          return 1; }
    if [ "$1" = aarch64 ]; then # the programs as they are found by the tests: through the emulator
        mkdir -p "$folder/run"
        for program in "${targets[@]}"; do
            printf '#!/bin/sh\nexec qemu-aarch64-static -0 %s %s "$@"\n' "$program" \
                   "$folder/bin/$program" >"$folder/run/$program"
            chmod +x "$folder/run/$program"
        done
    fi
}

fingerprint() {
    local bin=$work/$1/bin

    [ "$1" = aarch64 ] && bin=$work/$1/run
    PTO_BIN=$bin PTO_SOURCE_DIR=$root PYTHONDONTWRITEBYTECODE=1 \
        "$python" "$root/tests/portable/fingerprint.py" >"$work/$1.txt"
}

mkdir -p "$work"
build gcc && fingerprint gcc || exit 1
echo "gcc: $(wc -l <"$work/gcc.txt") objects and runs"
status=0
for name in "${builds[@]}"; do
    [ "$name" = gcc ] && continue
    lacking=
    for program in $(needs "$name"); do
        command -v "$program" >/dev/null || lacking="$lacking $program"
    done
    if [ -n "$lacking" ]; then
        echo "$name: left out, there is no$lacking"
        continue
    fi
    if ! build "$name" || ! fingerprint "$name"; then
        status=1
        continue
    fi
    differences=$(diff "$work/gcc.txt" "$work/$name.txt" | grep -c '^>')
    echo "$name: $differences differ"
    if [ "$differences" -gt 0 ]; then
        diff "$work/gcc.txt" "$work/$name.txt" | grep '^>' | head -n 20
        status=1
    fi
done
exit "$status"
