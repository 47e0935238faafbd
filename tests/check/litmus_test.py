"""Litmus programs: small shapes of right and wrong order, with the verdict of the checker.

    litmus_test.py [NAME...]     only the programs whose file name contains one of the names

A program of litmus/ begins with comments: `; run: OPTIONS`, and for every profile to try it under
`; PROFILE: VERDICT`.  A verdict is `none`, `fault`, or a kind of finding with the lines of its
accesses (without: whatever they are), alternatives separated by `|`, and perhaps `advice=TEXT` that
the advice must contain.  There must be no other finding that does not follow from it, with every
seed of jitter tried."""

import json
import os
import re
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from heads import BadCase, read  # noqa: E402
from pto import ptovm, source  # noqa: E402

FOLDER = source("tests", "check", "litmus")
SEEDS = (0, 1, 2)


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


def verdict_of(path, options, profile, seed):
    done = ptovm("check", "--json", "-p", profile, "--jitter", seed, *options, path)
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


def check(path, options, profile, verdict):
    wanted, _, advice = verdict.partition(" advice=")
    for seed in SEEDS:
        got, said = verdict_of(path, options, profile, seed)
        if not agrees(got, wanted) or advice not in said:
            return "jitter %d: %s%s" % (seed, got, " (advice: %s)" % said if advice else "")
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
    tried = failed = 0
    for name in sorted(os.listdir(FOLDER)):
        if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
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
            wrong = check(path, options, profile, verdict)
            if wrong:
                failed += 1
                print("%s %s on %s: expected %s, got %s" % (
                    name, " ".join(options), profile, verdict, wrong))
    if not sys.argv[1:]:
        for complaint in unshown():
            failed += 1
            print(complaint)
    print("%d verdicts, %d wrong" % (tried, failed))
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
