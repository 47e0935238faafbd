"""Litmus programs: small shapes of right and wrong order, with the verdict of the checker.

    litmus_test.py [--part I/N] [NAME...]     only the programs whose file name contains a name

A program of litmus/ begins with comments: `; run: OPTIONS`, and for every profile to try it under
`; PROFILE: VERDICT`.  A verdict is `none`, `fault`, or a kind of finding with the lines of its
accesses (without: whatever they are), alternatives separated by `|`, and perhaps `advice=TEXT` that
the advice must contain.  There must be no other finding that does not follow from it.

Every verdict must be the same under twenty sets of costs: jitter, slow ranks, and profiles in which
links, signals, the scalar unit or pipes are out of proportion; with sanitizers under every tenth of
them."""

import argparse
import json
import os
import re
import shlex
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from heads import BadCase, read  # noqa: E402
from pto import ptovm, sample, source  # noqa: E402

FOLDER = source("tests", "check", "litmus")
# Profiles with other costs, by what they change of the one that a verdict is for.
COSTS = {
    "links": "link_latency = 9 us\nlink_bandwidth = 1 GB/s\n",
    "signals": "notify = 3 us\nwake = 1 ns\ntest = 1 ns\nlink_latency = 10 ns\n",
    "wakes": "notify = 1 ns\nwake = 7 us\ntest = 5 us\nload = 1 ns\nstore = 2 us\n",
    "scalar": "scalar = 300 cycles\nissue = 100 cycles\nflag = 50 cycles\n",
    "pipes": "path.gm.ub = MTE2, 1 B/cycle, 9000 cycles\n"
             "cost.v_add = 5000 cycles, 100 cycles/repeat\n"
             "cost.v_expand = 1 cycle, 1 cycle/repeat\n",
}
WORDS = {"none", "fault", "deadlock", "limit"}


def kinds():
    with open(source("docs", "schema", "report.schema.json")) as file:
        return set(json.load(file)["definitions"]["finding"]["properties"]["kind"]["enum"])


def profiles():
    return tuple(sorted(name[:-len(".profile")] for name in os.listdir(source("isa", "profiles"))))


def judge(verdict):
    """A verdict that is none is an error."""
    wanted, marked, advice = verdict.partition(" advice=")
    if bool(marked) != bool(advice):
        raise BadCase("no advice in %r" % verdict)
    for one in re.split(r"[|,]", wanted):
        word, *lines = one.split() or [""]
        if word not in WORDS | kinds() or not all(line.isdecimal() for line in lines):
            raise BadCase("%r is no verdict" % one)
    return verdict


def parse(path):
    """[(options, profile, verdict)] of a program."""
    tries, runs = [], []
    for _, key, _, value in read(path, ("run",) + profiles()):
        if key == "run":
            runs.append(shlex.split(value))
        elif not runs:
            raise BadCase("a verdict before the first run")
        else:
            tries.append((runs[-1], key, judge(value)))
    if not runs or any(run not in [options for options, _, _ in tries] for run in runs):
        raise BadCase("a run without a verdict")
    return tries


def settings(profile, options, folder):
    """Twenty ways to say what things cost: [options of ptovm]."""
    ranks = int(options[options.index("--ranks") + 1]) if "--ranks" in options else 1
    made = [["-p", profile, "--jitter", str(seed)] for seed in range(9)]
    for rank in range(4):
        slow = ["--slow-rank", "%d=5" % (rank % ranks)]
        made.append(["-p", profile, "--jitter", str(10 * (rank // ranks))] + slow)
        if rank < 2:
            made.append(["-p", profile, "--jitter", str(20 + rank)] + slow)
    for name, text in COSTS.items():
        path = os.path.join(folder, "%s_%s.profile" % (profile, name))
        if not os.path.exists(path):
            with open(path, "w") as file:
                file.write("base = %s\n%s" % (profile, text))
        made.append(["-p", path])
    return made


def verdict_of(path, options, costs):
    done = ptovm("check", "--json", *costs, *options, path)
    if not done.out:
        return "error: " + done.err, ""
    report = json.loads(done.out)
    findings = report.get("findings")
    if findings is None:
        return "error: " + done.err, ""
    if not findings:
        return ("none" if report["status"] == "ok" else report["status"]), ""
    findings = [f for f in findings if "follows" not in f]
    texts = [" ".join([f["kind"]] + [str(a["line"]) for a in f["accesses"]]) for f in findings]
    return ", ".join(sorted(texts)), "; ".join(f["advice"] or "" for f in findings)


def agrees(got, wanted):
    kinds = ", ".join(sorted(set(text.split()[0] for text in got.split(", "))))
    return any(one.strip() in (got, kinds) for one in wanted.split("|"))


def check(path, options, profile, verdict, folder):
    wanted, _, advice = verdict.partition(" advice=")
    for costs in sample(settings(profile, options, folder), 10):
        got, said = verdict_of(path, options, costs)
        if not agrees(got, wanted) or advice not in said:
            return "%s: %s%s" % (" ".join(costs), got,
                                 " (advice: %s)" % said if advice else "")
    return None


def unshown():
    """Kinds of findings that no program shows, or that the manual leaves out."""
    verdicts = ""
    for name in os.listdir(FOLDER):
        verdicts += " ".join(verdict for _, _, verdict in parse(os.path.join(FOLDER, name))) + " "
    with open(source("docs", "check.md")) as file:
        manual = file.read()
    for kind in sorted(kinds()):
        if kind not in verdicts.split():
            yield "no program shows " + kind
        if "| `%s` |" % kind not in manual:
            yield "docs/check.md has no row for " + kind


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", default="0/1")
    parser.add_argument("name", nargs="*")
    arguments = parser.parse_args()
    part, parts = (int(number) for number in arguments.part.split("/"))
    tried = failed = 0
    with tempfile.TemporaryDirectory(prefix="pto-litmus-") as folder:
        for name in sorted(os.listdir(FOLDER))[part::parts]:
            if arguments.name and not any(word in name for word in arguments.name):
                continue
            path = os.path.join(FOLDER, name)
            try:
                tries = parse(path)
            except BadCase as error:
                failed += 1
                print("%s: %s" % (name, error))
                continue
            for options, profile, verdict in tries:
                tried += 1
                wrong = check(path, options, profile, verdict, folder)
                if wrong:
                    failed += 1
                    print("%s %s on %s: expected %s, got %s" % (
                        name, " ".join(options), profile, verdict, wrong))
    if not arguments.name and part == 0:
        for complaint in unshown():
            failed += 1
            print(complaint)
    print("%d verdicts, %d wrong" % (tried, failed))
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
