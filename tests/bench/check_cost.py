"""What the checker costs: host time of a checked run over the time of the run itself, and the
memory on top.  Start, inputs and outputs are left out: what counts is the difference between
many launches and one.  Medians of runs in turn.

    check_cost.py [RUNS]"""

import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

LAUNCHES = 8
CASES = (
    ("allreduce_ring, 8 ranks, 1 M elements", 2.2,
     ["kernels/collective/allreduce_ring.pto", "--ranks", "8", "--set", "count=1M", "--in",
      "x=const:1"]),
    ("gemm, 1024 x 1024 x 1024", 1.12,
     ["kernels/matmul/gemm.pto", "--set", "m=1024", "--set", "k=1024", "--set", "n=1024", "--in",
      "a=const:1", "--in", "b=const:1"]),
)


def measure(command, arguments):
    process = subprocess.Popen([pto.program("ptovm"), command, "-q"] + arguments, cwd=pto.SOURCE)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit("%s %s failed" % (command, " ".join(arguments)))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def launches(command, arguments):
    """Seconds of a launch, and kilobytes."""
    one, _ = measure(command, arguments)
    many, memory = measure(command, arguments + ["--repeat", str(1 + LAUNCHES)])
    return (many - one) / LAUNCHES, memory


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print("| kernel | launch | checked | factor | goal | memory |")
    print("|---|---|---|---|---|---|")
    for name, goal, arguments in CASES:
        plain, checked = [], []
        for _ in range(runs):
            plain.append(launches("run", arguments))
            checked.append(launches("check", arguments))
        off = statistics.median(t for t, _ in plain)
        on = statistics.median(t for t, _ in checked)
        more = statistics.median(m for _, m in checked) - statistics.median(m for _, m in plain)
        print("| %s | %.3f s | %.3f s | x %.2f | x %.2f | + %.1f MB |" % (
            name, off, on, on / off, goal, more / 1024))


if __name__ == "__main__":
    main()
