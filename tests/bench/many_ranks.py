#!/usr/bin/env python3
"""What an event costs the host, by the number of ranks.

    many_ranks.py [--instructions] [--ranks 64,128] PROGRAM [ANOTHER PROGRAM]

A PROGRAM is build/bench/window_times. It runs the ring all-reduce of 16 K f32, times alone, on one
thread: the longer the ring, the fewer elements in a step, and the mixture of events stays the same.
Each window counts with the least time of several runs, the programs in turn, so that it matters
little what else the host does; a run takes 20 s with 1,024 ranks.

With --instructions it prints what callgrind counts in a part of the run, as the difference of two
runs that end at different times, so that nothing of the start is in it."""

import argparse
import os
import re
import subprocess
import tempfile

RING = os.path.join(os.path.dirname(__file__), "../../kernels/collective/allreduce_ring.pto")
# Ranks, runs, and the part of which the instructions are counted (us).
ROWS = ((64, 9, 100, 1300), (128, 9, 100, 700), (256, 7, 80, 380), (512, 5, 60, 210),
        (1024, 3, 50, 125))


def command(program, ranks, end_us=None):
    end = ["--max-time", f"{end_us}us"] if end_us else []
    return [program, "-v", "--threads", "1", "--ranks", str(ranks), "--timing-only", *end, "run",
            RING, "--set", "count=16K", "--in", "x=zeros"]


def run(words, **options):
    done = subprocess.run(words, capture_output=True, text=True, **options)
    return done.stdout + done.stderr


def events_of(output):
    return int(re.search(r"(\d+) pipe events", output).group(1))


def window_times(program, ranks, place):
    """The events of a run, and the nanoseconds of each of its windows."""
    file = os.path.join(place, "times")
    output = run(command(program, ranks), env=dict(os.environ, WINDOW_TIMES=file))
    with open(file) as times:
        return events_of(output), [int(line) for line in times]


def nanoseconds(programs, ranks, runs, place):
    least = {}
    for _ in range(runs):
        for program in programs:
            events, times = window_times(program, ranks, place)
            before = least.get(program, times)
            least[program] = [min(pair) for pair in zip(before, times)]
    return events, [sum(least[program]) / events for program in programs]


def counted(words, place):
    output = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={place}/out"] + words)
    return events_of(output), int(re.search(r"Collected : (\d+)", output).group(1))


def instructions(programs, ranks, first, last, place):
    figures = []
    for program in programs:
        events, count = counted(command(program, ranks, last), place)
        events_before, count_before = counted(command(program, ranks, first), place)
        events -= events_before
        figures.append((count - count_before) / events)
    return events, figures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--ranks", help="only these numbers of ranks, with commas between them")
    parser.add_argument("program", nargs="+")
    given = parser.parse_args()
    wanted = [int(ranks) for ranks in given.ranks.split(",")] if given.ranks else None
    unit = "instructions" if given.instructions else "ns"
    with tempfile.TemporaryDirectory() as place:
        for ranks, runs, first, last in ROWS:
            if wanted and ranks not in wanted:
                continue
            events, figures = (instructions(given.program, ranks, first, last, place)
                               if given.instructions
                               else nanoseconds(given.program, ranks, runs, place))
            print(f"{ranks:5} ranks {events:9} events", *(f"{figure:8.0f}" for figure in figures),
                  f"{unit} each", flush=True)


if __name__ == "__main__":
    main()
