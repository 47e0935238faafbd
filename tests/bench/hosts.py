"""What a run would take on several hosts, by a LogGP model of their network, from what
`mpirun -n N ptovm -v` says of its meetings and from the time that one processor needs for the whole
run (docs/scale.md).

    hosts.py --seconds S [--hosts H] [--cores C] [--processes P] [--share F] < standard error of -v

Prints a table: what each part of the time is. Network: --latency, --overhead, --gap (us) and
--rate (GB/s); --share is how much of the work can be done side by side, --uneven how much longer
the slowest process takes in a window than the average."""

import argparse
import json
import math
import re
import sys

HEAD = 56  # bytes of news that each tells each


def predict(told, seconds, processes, threads, net):
    """Seconds: {part: seconds} of the run by so many processes."""
    def scaled(name):
        """Between more processes more crosses: what is not inside one of them."""
        return told[name] * (1 - 1 / processes) / (1 - 1 / told["processes"])

    steps = math.ceil(math.log2(processes))
    meetings = told["meetings"] / 1e6
    parcels = min(scaled("messages"), told["meetings"] * processes * (processes - 1)) / processes
    busy = seconds * ((1 - net.share) + net.share / (processes * threads)) * net.uneven
    return {
        "work": busy,
        "news, time on the way": meetings * steps * (net.latency + 2 * net.overhead),
        "news, bytes": told["meetings"] * steps * processes / 2 * HEAD / (net.rate * 1e9),
        "parcels, number": parcels / 1e6 * max(net.gap, 2 * net.overhead) + meetings * net.latency,
        "parcels, bytes": scaled("bytes") / processes / (net.rate * 1e9),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--hosts", type=int, default=16)
    parser.add_argument("--cores", type=int, default=64)
    parser.add_argument("--processes", type=int, help="in all; default: one a host")
    parser.add_argument("--share", type=float, default=0.98)
    parser.add_argument("--uneven", type=float, default=1.3)
    parser.add_argument("--latency", type=float, default=1.5)
    parser.add_argument("--overhead", type=float, default=0.4)
    parser.add_argument("--gap", type=float, default=0.3)
    parser.add_argument("--rate", type=float, default=12.0)
    net = parser.parse_args()
    found = re.search(r"^host +meetings (.*)$", sys.stdin.read(), re.MULTILINE)
    if not found:
        parser.error("standard input has no line 'host meetings': run several processes with -v")
    told = json.loads(found.group(1))
    processes = net.processes or net.hosts
    if processes < 2:
        parser.error("one process meets nobody")
    parts = predict(told, net.seconds, processes, max(1, net.hosts * net.cores // processes), net)
    print("%d processes, %d windows, %d meetings" % (processes, told["windows"], told["meetings"]))
    for name, value in (*parts.items(), ("all", sum(parts.values()))):
        print("%-24s %12.6f s %5.1f %%" % (name, value, 100 * value / sum(parts.values())))


if __name__ == "__main__":
    main()
