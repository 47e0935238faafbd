#!/usr/bin/env bash
# full.sh notices results that are wrong, runs that fail, and names that do not exist.  A script in
# the place of ptovm runs the real one and then spoils the last element of a result.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
real=${PTO_BIN:-$here/../../build/bin}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# expect STATUS TEXT ARGUMENT...: full.sh ends so and says that.
expect() {
    local status=$1 text=$2 got=0
    shift 2
    "$here/full.sh" "$@" >"$folder/log" 2>&1 || got=$?
    if [ "$got" != "$status" ] || ! grep -q -- "$text" "$folder/log"; then
        echo "full.sh $*: status $got, not $status, or no text '$text':"
        cat "$folder/log"
        exit 1
    fi
}

export PTO_BIN=$real
expect 0 'not run: 24 GiB' 'gemm/200' 'allreduce_ring/1_GiB'
expect 1 "no case has a name like 'nothing'" nothing

export PTO_BIN=$folder
cat >"$folder/ptovm" <<SCRIPT
#!/usr/bin/env bash
"$real/ptovm" "\$@"
for word; do
    case \$word in c=*|y=*|d=*|out=*|o=*)
        file=\${word#*=}
        file=\${file//\{rank\}/0}
        size=\$(stat -c %s "\$file")
        printf '\x55\x55' | dd of="\$file" bs=1 seek=\$((size - 2)) conv=notrunc status=none ;;
    esac
done
SCRIPT
chmod +x "$folder/ptovm"
expect 1 '^4 cases .* 4 failed' 'gemm/200' 'allreduce_ring/1_KiB,_link' 'all2all_v9/16' \
    'dispatch_ffn_combine_int8/20'

printf '#!/bin/sh\necho a reason; exit 3\n' >"$folder/ptovm"
expect 1 'exit status 3: a reason' 'gemm/200'
echo "ok"
