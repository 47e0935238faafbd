"""What `ptoas --sync auto` costs: processor time by the number of instructions on pipes, for
programs of five kinds.

    tests/bench/auto_sync.py [--sizes N,N,...] [--runs N] [--profile P]

The time is that of ptoas with `--sync auto` less that with `--sync none`, the least of the runs.
Behind it, how many flags and barriers were put in."""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

HEAD = """.kernel many
.mix 1:1
.in    x : f32[4096, 16]
.inout y : f32[4096, 16]
.core aiv
"""
TILES = 20
SYNC = re.compile(r"^\s*(set_flag|pipe_barrier|dsb|dcci)\b", re.M)


def tile(number):
    return "t%d" % (number % TILES)


def work(n):
    yield "TLOAD %s, x[%d, 0]" % (tile(n), n % 1000 * 4)
    yield "TADDS %s, %s, 0.5" % (tile(n + 7), tile(n))
    yield "TADD %s, %s, %s" % (tile(n + 3), tile(n), tile(n + 7))
    yield "TSTORE y[%d, 0], %s" % (n % 1000 * 4, tile(n + 3))


def straight(count):
    """Load, add, store, in line, over tiles in turn."""
    for n in range(count // 4):
        yield from work(n)


def loop(count):
    """The same as the body of one loop."""
    yield ".for %i = 0 to 3"
    yield from straight(count)
    yield ".endfor"


def structure(count):
    """Loops in loops, with choices, of twelve instructions each."""
    for n in range(count // 12):
        yield ".for %i = 0 to 3"
        yield "TLOAD %s, x[%%i * 4, 0]" % tile(n)
        yield ".for %k = 0 to %i"
        yield ".if mod(%k, 2) == 0"
        yield from list(straight(4))[1:]
        yield ".else"
        yield "TMULS %s, %s, 0.25" % (tile(n + 5), tile(n))
        yield "TSTORE y[%d, 0], %s" % (n % 1000 * 4, tile(n + 5))
        yield ".endif"
        yield "TADDS %s, %s, 1.0" % (tile(n + 1), tile(n + 2))
        yield ".endfor"
        yield from straight(4)
        yield "TSTORE y[%d, 0], %s" % (n % 1000 * 4, tile(n + 1))
        yield ".endfor"


def nest(count, depth=6):
    """Loops six deep, with as much before as behind each inner one."""
    def level(deep, at):
        yield ".for %%i%d = 0 to 3" % deep
        yield from work(2 * deep + at)
        if deep < depth:
            yield from level(deep + 1, at)
        yield from work(2 * deep + 1 + at)
        yield ".endfor"

    for n in range(count // (8 * depth)):
        yield from level(1, 2 * depth * n)


def turns(count):
    """Slots in turn, filled and stored from in loops of sixteen instructions."""
    yield "%s = 0"
    for n in range(count // 16):
        yield ".for %i = 0 to 3"
        for k in range(4 * n, 4 * n + 4):
            yield "TLOAD d%d[%%s], x[%%i * 4, 0]" % (k % 8)
            yield "TADDS d%d[%%s], d%d[%%s], 0.5" % (k % 8, k % 8)
            yield "TADD %s, %s, d%d[%%s]" % (tile(k), tile(k), k % 8)
            yield "TSTORE y[%%i * 4, 0], d%d[%%s]" % (k % 8)
        yield "%s = 1 - %s"
        yield ".endfor"


def text(lines):
    declared = "".join(".tile t%d : ub f32[4, 16]\n" % n for n in range(TILES))
    declared += "".join(".tile d%d[2] : ub f32[4, 16]\n" % n for n in range(8))
    return HEAD + declared + "".join("    %s\n" % line for line in lines)


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="250,1000,5000")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--profile", default="a2")
    options = parser.parse_args()
    print("%-12s %13s %10s %8s" % ("program", "instructions", "seconds", "put in"))
    with tempfile.TemporaryDirectory(prefix="pto-auto-") as folder:
        path = os.path.join(folder, "many.pto")
        for kind in (straight, loop, structure, nest, turns):
            for size in map(int, options.sizes.split(",")):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text(kind(size)))
                command = [pto.program("ptoas"), "-S", "-p", options.profile, path, "--sync"]
                times = {mode: min(seconds(command + [mode])[0] for _ in range(options.runs))
                         for mode in ("none", "auto")}
                put_in = len(SYNC.findall(seconds(command + ["auto"])[1]))
                print("%-12s %13d %10.2f %8d" % (kind.__name__, size,
                                                times["auto"] - times["none"], put_in))
                sys.stdout.flush()


if __name__ == "__main__":
    main()
