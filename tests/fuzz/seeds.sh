#!/usr/bin/env bash
# seeds.sh BIN FOLDER [TARGET]: the inputs from which fuzzing starts, FOLDER/TARGET/*: the texts and
# objects of the tests, kernels, profiles, and what is kept in corpus/.  With a TARGET: its own.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=$1 out=$2 target=${3:-}

has() { [ -z "$target" ] || [ "$target" = "$1" ]; }

# copy FOLDER PREFIX FILE...: each as PREFIX_FILE
copy() {
    local folder=$1 prefix=$2 text
    shift 2
    for text in "$@"; do
        cp "$text" "$folder/${prefix}_${text##*/}"
    done
}

mkdir -p "$out"/{text,upstream,object,command,npy,npz,profile,script,topology,dap,lsp}
cp -r "$root"/tests/fuzz/corpus/. "$out"
cp "$root"/isa/profiles/*.profile "$out/profile"
cp "$root"/tests/cli/objects/*.ptob "$out/object"
cp "$root"/tests/dbg/*.cmd "$out/script"
cp -r "$root/tests/asm/include" "$out"
cp "$root"/tests/asm/good/*.pto "$out/lsp"
if has upstream; then
    for folder in kernels bad; do
        copy "$out/upstream" "$folder" "$root/tests/upstream/$folder"/*.pto
    done
fi
if has text; then
    for folder in good lint bad; do
        copy "$out/text" "$folder" "$root/tests/asm/$folder"/*.pto
    done
    rm "$out"/text/bad_{wide,limits,many_characters,many_lines,many_errors}.pto # slow: limits
fi
if has object; then
    for text in "$root"/tests/run/cases/*.pto "$root"/tests/check/litmus/*.pto \
                "$root"/kernels/{basic,matmul,collective}/*.pto; do
        name=${text##*/}
        "$bin/ptoas" -o "$out/object/${name%.pto}.ptob" "$text" >/dev/null 2>&1 || true
    done
fi
