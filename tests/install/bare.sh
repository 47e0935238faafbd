#!/usr/bin/env bash
# bare.sh [BUILD]: install the package of a build (build by default) into a bare Debian 12, use the
# programs there, and take it away again; then once more beside a compiler, Python and man, use the
# library, the Python package, the manual pages and completions, and take it away again.  Needs root, debootstrap and a mirror of Debian
# (DEBIAN_MIRROR: another one than debootstrap's), so it is no test of ctest.  PTO_BARE_ROOT: a root
# that debootstrap made already, which is copied.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
folder=$(mktemp -d)
bare=$folder/root
trap 'umount "$bare/proc" 2>/dev/null || true; rm -rf "$folder"' EXIT

inside() {
    LC_ALL=C chroot "$bare" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        DEBIAN_FRONTEND=noninteractive "$@"
}

files() {
    (cd "$bare" && find . -xdev \( -path ./proc -o -path ./var -o -path ./tmp \) -prune -o -print)
}

cpack --config "$build/CPackConfig.cmake" -B "$folder/package" >/dev/null
if [ -n "${PTO_BARE_ROOT:-}" ]; then
    cp -a "$PTO_BARE_ROOT" "$bare"
else
    debootstrap --variant=minbase bookworm "$bare" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} \
        >"$folder/log" || { tail "$folder/log"; exit 1; }
fi
mount -t proc proc "$bare/proc"
cp "$folder"/package/*.deb "$bare/tmp/pto.deb"
inside apt-get update -qq

inside apt-get install -y -qq --no-install-recommends /tmp/pto.deb >"$folder/log" 2>&1 ||
    { tail "$folder/log"; exit 1; }
echo "with it came: $(sed -n 's/^Setting up \([^ :]*\).*/\1/p' "$folder/log" | xargs)"
for program in ptoas ptovm ptodbg; do
    inside "$program" --version
done
kernels=/usr/share/pto/kernels
inside ptovm run --check --set n=1000 --in a=iota --in b=iota --out c=/tmp/c.npy \
    "$kernels/basic/vadd.pto"
test -s "$bare/tmp/c.npy"
inside ptovm --ranks 4 run --check --set count=4096 --in x=random:1 \
    "$kernels/collective/allreduce_ring.pto"
inside ptodbg --set n=100 --in a=iota --in b=iota "$kernels/basic/vadd.pto" --batch -e run
echo "no archive" >"$bare/tmp/ones.npz"
if inside ptovm run --set n=1000 --in a=/tmp/ones.npz "$kernels/basic/vadd.pto" 2>"$folder/log"
then
    echo "an archive was read without libzip"
    exit 1
fi
grep "install libzip4" "$folder/log"

take_away() {
    local left with without
    files >"$folder/with"
    inside apt-get purge -y -qq "$(dpkg-deb -f "$bare/tmp/pto.deb" Package)" >/dev/null 2>&1
    files >"$folder/without"
    left=$(grep -E '/pto|libpto' "$folder/without" || true)
    [ -z "$left" ] || { echo "left behind: $left"; exit 1; }
    with=$(wc -l <"$folder/with") without=$(wc -l <"$folder/without")
    echo "taken away: $((with - without)) files and folders, none left"
}
take_away

install() {
    inside apt-get install -y -qq --no-install-recommends "$@" >"$folder/log" 2>&1 ||
        { tail "$folder/log"; exit 1; }
}

install gcc libc6-dev cmake make pkg-config python3-numpy python3-pytest man-db bash-completion \
    libzip-dev
rm -f "$bare/etc/dpkg/dpkg.cfg.d/excludes"
install /tmp/pto.deb
for page in ptoas ptovm ptodbg pto pto-report; do
    inside man "$page" >"$folder/page"
    echo "man $page: $(wc -l <"$folder/page") lines"
done
inside bash -c '. /usr/share/bash-completion/bash_completion
    . /usr/share/bash-completion/completions/ptovm
    COMP_WORDS=(ptovm --checkp) COMP_CWORD=1; _ptovm; echo "completed: ${COMPREPLY[*]}"'

cp -r "$root/tests/install/consumer" "$root/docs/examples" "$bare/tmp"
inside sh -ec 'cc /tmp/examples/vadd.c $(pkg-config --cflags --libs pto) -o /tmp/vadd
    /tmp/vadd
    cmake -S /tmp/consumer -B /tmp/build -DEXAMPLE=/tmp/examples/vadd.c >/dev/null
    cmake --build /tmp/build >/dev/null
    /tmp/build/shared
    /tmp/build/static
    test -d "$(cat /tmp/build/kernels)"'

cat >"$bare/tmp/test_mine.py" <<'END'
import numpy as np
import pto
import pto.testing

VADD = "/usr/share/pto/kernels/basic/vadd.pto"


def test_vadd():
    a, b = np.arange(1000, dtype="f4"), np.ones(1000, "f4")
    assert (pto.run(VADD, a=a, b=b)["c"] == a + b).all()
    pto.testing.assert_results(VADD, {"c": a + b}, a=a, b=b)
END
inside python3 -m pytest -q -p no:cacheprovider /tmp/test_mine.py
inside rm -rf /usr/lib/python3/dist-packages/pto/__pycache__
take_away
