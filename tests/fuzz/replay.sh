#!/usr/bin/env bash
# replay.sh BIN TARGET MUTANTS: a target without libFuzzer, over its seeds and mutants of them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$here/seeds.sh" "$1" "$folder" "$2"
cd "$folder"
LC_ALL=C
"$1/../tests/fuzz_$2" "$3" "$2"/*
