#!/usr/bin/env bash
# All instruction tests with the auditing ptovm: about four minutes on two cores.  BUILD: the build
# folder, by default build/ at the top.
set -u
cd "$(dirname "$0")/../isa"
export PTO_SOURCE_DIR=$(cd ../.. && pwd)
export PTO_BIN=${1:-$PTO_SOURCE_DIR/build}/audit
ls [TM][A-Z]*.py | xargs -P "$(nproc)" -I{} sh -c '/usr/bin/python3 {} >/dev/null 2>&1 || echo "failed: {}"' |
    tee /dev/stderr | wc -l | sed 's/$/ failed/'
