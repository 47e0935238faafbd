#!/usr/bin/env bash
# seeds.sh BIN FOLDER: the inputs from which fuzzing starts, FOLDER/TARGET/*: the texts and objects
# of the tests, kernels, profiles, and what is kept in corpus/.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=$1 out=$2

mkdir -p "$out"/{text,upstream,object,command,npy,npz,profile,script,topology,dap,lsp}
cp -r "$root"/tests/fuzz/corpus/. "$out"
cp "$root"/isa/profiles/*.profile "$out/profile"
cp "$root"/tests/cli/objects/*.ptob "$out/object"
cp "$root"/tests/dbg/*.cmd "$out/script"
cp -r "$root/tests/asm/include" "$out"
for folder in kernels bad; do
    for text in "$root/tests/upstream/$folder"/*.pto; do
        cp "$text" "$out/upstream/${folder}_$(basename "$text")"
    done
done
for folder in good lint bad; do
    for text in "$root/tests/asm/$folder"/*.pto; do
        cp "$text" "$out/text/${folder}_$(basename "$text")"
    done
done
cp "$root"/tests/asm/good/*.pto "$out/lsp"
rm "$out"/text/bad_{wide,limits,many_characters,many_lines,many_errors}.pto # slow: they reach limits
for text in "$root"/tests/run/cases/*.pto "$root"/tests/check/litmus/*.pto \
            "$root"/kernels/{basic,matmul,collective}/*.pto; do
    "$bin/ptoas" -o "$out/object/$(basename "$text" .pto).ptob" "$text" >/dev/null 2>&1 || true
done
