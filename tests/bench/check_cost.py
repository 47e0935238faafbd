"""What the checker costs: processor time, or instructions, of a checked run over those of the run
itself, and the memory on top.  Start, inputs and outputs are left out: what counts is the
difference between a large load and a small one.

    check_cost.py [--runs N] [--instructions] [NAME...]

Least times of runs in turn.  With --instructions valgrind counts, once: slow, but the same on a
busy machine.  NAME: only loads whose name contains it."""

import argparse
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

REPEAT = ("--repeat 1", "--repeat 5")
LOADS = "tests/bench/check/"
# name, goal of the factor, arguments, those of the small and of the large load
CASES = (
    ("all-reduce, 8 ranks, 1 M elements", 1.25,
     "kernels/collective/allreduce_ring.pto --ranks 8 --set count=1M --in x=const:1", REPEAT),
    ("product, 1024 cubed", 1.12,
     "kernels/matmul/gemm.pto --set m=1024 --set k=1024 --set n=1024 --in a=const:1 "
     "--in b=const:1", REPEAT),
    ("experts, 8 ranks", 1.25,
     "kernels/moe/dispatch.pto --ranks 8 --cores 4 --set hidden=1024 --set topk=1 "
     "--set experts=16 --set shared=0 --set bs=64 --in x=random:1 --in scales=random:4 "
     "--in expert_ids=const:3 --in active_mask_2d=random:5", REPEAT),
    ("experts and their products, 8 ranks", 1.25,
     "kernels/moe/dispatch_ffn_combine.pto --ranks 8 --set m=128 --set k=256 --set n=256 "
     "--set top_k=2 --set experts=16 --in x=random:1 --in expert_idx=const:3 "
     "--in probs=const:0.5 --in w1=const:0.25 --in w2=const:0.0009765625", REPEAT),
    ("flash attention", 1.25,
     "kernels/attention/flash_attention.pto --cores 2 --set s0=512 --set s1=512 --set h=128 "
     "--set causal=0 --in q=random:1 --in k=random:2 --in v=random:3", REPEAT),
    ("load, add, store of 8 x 8", 3,
     LOADS + "tiles.pto --cores 1", ("--set n=100", "--set n=50000")),
    ("scalar loads and stores", 3,
     LOADS + "scalar.pto --cores 1", ("--set n=100", "--set n=200000")),
    ("every second f32", 3,
     LOADS + "strided.pto --cores 1", ("--set n=1", "--set n=500")),
    ("columns of 4 bytes", 3,
     LOADS + "columns.pto --cores 1", ("--set n=1", "--set n=40")),
    ("barriers, 64 ranks", 3,
     LOADS + "barrier.pto --ranks 64 --cores 1", ("--set n=10", "--set n=100")),
    ("barriers, 128 ranks", 3,
     LOADS + "barrier.pto --ranks 128 --cores 1", ("--set n=10", "--set n=50")),
    ("barriers, 2 ranks", 3,
     LOADS + "barrier.pto --ranks 2 --cores 1", ("--set n=100", "--set n=20000")),
    ("ticket lock, 6 cores", 3,
     LOADS + "lock.pto --cores 6", ("--set rounds=10", "--set rounds=400")),
    ("ticket lock, 24 cores", 3,
     LOADS + "lock.pto --cores 24", ("--set rounds=10", "--set rounds=200")),
)
COUNTER = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]


def seconds(command, arguments):
    """Processor time, and kilobytes."""
    process = subprocess.Popen([pto.program("ptovm"), command, "-q"] + arguments, cwd=pto.SOURCE)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit("%s %s failed" % (command, " ".join(arguments)))
    return usage.ru_utime, usage.ru_maxrss


def instructions(command, arguments):
    done = subprocess.run(COUNTER + [pto.program("ptovm"), command, "-q"] + arguments,
                          cwd=pto.SOURCE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("%s %s failed" % (command, " ".join(arguments)))
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1)) / 1e9, 0


def least(measure, runs, arguments, sizes):
    """[off, on] of [small, large], each (cost, kilobytes)."""
    best = {}
    for _ in range(runs):
        for command in ("run", "check"):
            for size in sizes:
                got = measure(command, arguments + size.split())
                key = command, size
                best[key] = min(best.get(key, got), got)
    return [[best[command, size] for size in sizes] for command in ("run", "check")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("name", nargs="*")
    chosen = parser.parse_args()
    measure = instructions if chosen.instructions else seconds
    print("| load | %s | checked | factor | goal | memory |" % (
        "10^9 instructions" if chosen.instructions else "seconds"))
    print("|---|---|---|---|---|---|")
    for name, goal, arguments, sizes in CASES:
        if chosen.name and not any(word in name for word in chosen.name):
            continue
        off, on = least(measure, 1 if chosen.instructions else chosen.runs, arguments.split(),
                        sizes)
        plain, checked = off[1][0] - off[0][0], on[1][0] - on[0][0]
        more = "" if chosen.instructions else "+ %.1f MB" % ((on[1][1] - off[1][1]) / 1024)
        print("| %s | %.3f | %.3f | x %.2f | x %.2f | %s |" % (
            name, plain, checked, checked / max(plain, 1e-3), goal, more), flush=True)


if __name__ == "__main__":
    main()
