"""Plants small faults in the sources, one at a time, and tells which of them no test sees.

    run.py [--sample N] [--only FILE[:LINE]]... [--resume]

Faults are drawn by a seed (plant.py).  For each, what depends on its file is compiled, and the
tests that reach its line run, the cheapest first, until one fails.  What survived is printed, and
whether explained.txt tells why it may.  The work lies in build-mutants, the results in its
results.json, which --resume goes on with."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import queue
import re
import shlex
import subprocess
import sys
import threading

import build
import plant
import reach

# Tests that have their own builds, look at the sources, or measure memory.
LEFT_OUT = r"style/|fuzz/minute|isa/level_|trust/(builds|memory|failures)"
KILLED, SURVIVED, UNREACHED = "killed", "survived", "unreached"
SAME, STILLBORN = "same", "stillborn"    # the same code, no code
BEFORE_COMPARING = 10    # tests, before it is asked whether the fault changes the code at all


class Campaign:
    """Faults, what became of them, and where that is written."""

    def __init__(self, options, reached):
        self.options, self.reached = options, reached
        self.path = os.path.join(options.work, "results.json")
        self.results = (reach.load(self.path) or {}) if options.resume else {}
        self.lock = threading.Lock()
        self.trusted = {}

    def faults(self):
        """All faults in the order of the draw: (key, fault)."""
        root = self.reached.place.tree
        drawn, seen = [], {}
        for file in plant.sources(root):
            with open(os.path.join(root, file)) as source:
                lines = source.read().split("\n")
            for fault in plant.faults(root, file):
                told = (file, lines[fault.line - 1], fault.at, fault.before, fault.after)
                seen[told] = seen.get(told, -1) + 1
                text = "|".join(map(str, (self.options.seed, *told, seen[told])))
                if self.wanted("%s:%d" % (file, fault.line)):
                    drawn.append((hashlib.sha256(text.encode()).hexdigest()[:16], fault))
        return sorted(drawn)

    def wanted(self, place):
        only = self.options.only
        return not only or any(re.search(pattern, place) for pattern in only)

    def kept(self, key):
        """Is the result of an earlier run still one?"""
        outcome = self.results.get(key, {}).get("outcome")
        return outcome and not (self.options.again and outcome in (SURVIVED, UNREACHED))

    def record(self, key, result):
        with self.lock:
            self.results[key] = result
            with open(self.path + ".new", "w") as file:
                json.dump(self.results, file, indent=0)
            os.replace(self.path + ".new", self.path)


class Worker:
    """Plants faults in a copy of the tree."""

    def __init__(self, campaign, number):
        self.campaign = campaign
        self.place = build.Place(os.path.join(campaign.options.work, "worker-%d" % number))
        self.place.prepare(campaign.reached.place.tree)
        self.tests = self.place.tests()
        self.fresh = set()    # targets that have been built since a source changed

    def judge(self, fault):
        path = os.path.join(self.place.tree, fault.file)
        with open(path) as file:
            whole = file.read()
        result = {"file": fault.file, "line": fault.line, "kind": fault.kind,
                  "before": fault.before, "after": fault.after,
                  "text": whole.split("\n")[fault.line - 1].strip(), "tests": 0, "cpu": 0}
        try:
            self.write(path, plant.planted(whole, fault))
            result["outcome"] = self.outcome(fault, whole, result)
        finally:
            self.write(path, whole)
        if result["outcome"] == KILLED and not self.passes(result["by"]):
            return self.judge(fault)
        return result

    def write(self, path, text):
        with open(path, "w") as file:
            file.write(text)
        self.fresh = set()

    def make(self, targets):
        wanted = set(targets) - self.fresh
        self.fresh |= wanted
        return not wanted or self.place.make(sorted(wanted))

    def outcome(self, fault, whole, result):
        names = [name for name in self.campaign.reached.tests_of(fault)
                 if name in self.tests and self.campaign.trusted.get(name) is not False]
        result["of"] = len(names)
        if not self.make(build.PROGRAMS):
            return STILLBORN
        if not names:
            return SAME if self.same_code(fault, whole) else UNREACHED
        for name in names:
            if result["tests"] == BEFORE_COMPARING and self.same_code(fault, whole):
                return SAME
            if result["cpu"] > self.campaign.options.budget:
                return SURVIVED
            if not self.passed(name, result):
                result["by"] = name
                return KILLED
        return SAME if self.same_code(fault, whole) else SURVIVED

    def passed(self, name, result):
        test, usual = self.tests[name], self.campaign.reached.maps[name]["cpu"]
        if not self.make(test.targets):
            raise SystemExit("%s does not build" % ", ".join(test.targets))
        ended = self.place.run(test, int(4 + 3 * usual), 60 + 30 * usual)
        result["tests"] += 1
        result["cpu"] = round(result["cpu"] + ended.cpu, 2)
        return ended.status == 0

    def passes(self, name):
        """Does a test that killed pass without a fault?  Asked once; if not, it is not used."""
        trusted = self.campaign.trusted
        if name not in trusted:
            trusted[name] = self.passed(name, {"tests": 0, "cpu": 0})
            if not trusted[name]:
                print("%s fails without a fault and is left out" % name, flush=True)
        return trusted[name]

    def same_code(self, fault, whole):
        """Does the optimiser make the same of the file with the fault and without?"""
        path = os.path.join(self.place.tree, fault.file)
        with open(path) as file:
            faulty = file.read()
        with_fault = self.optimised(fault.file)
        self.write(path, whole)
        without = self.optimised(fault.file)
        self.write(path, faulty)
        return with_fault == without

    def optimised(self, file):
        commands = reach.load(os.path.join(self.place.build, "compile_commands.json"))
        path, out = os.path.join(self.place.tree, file), self.place.path("same.o")
        command = next(c for c in commands if c["file"] == path)
        words = [w for w in shlex.split(command["command"]) if os.path.basename(w) != "ccache"]
        words[words.index("-o") + 1] = out
        subprocess.run(words + ["-O2", "-g0"], cwd=command["directory"], check=True,
                       stderr=subprocess.DEVNULL)
        with open(out, "rb") as made:
            return made.read()


def work(campaign, workers):
    """Judge faults until as many have compiled as are wanted."""
    faults, wanted = campaign.faults(), campaign.options.sample
    free = queue.Queue()
    for worker in workers:
        free.put(worker)

    def one(key, fault):
        worker = free.get()
        try:
            result = worker.judge(fault)
            campaign.record(key, result)
            print(line_of(result), flush=True)
        finally:
            free.put(worker)
        return result["outcome"] != STILLBORN

    with concurrent.futures.ThreadPoolExecutor(len(workers)) as pool:
        while wanted > 0 and faults:
            batch, faults = faults[:wanted], faults[wanted:]
            known = [key for key, _ in batch if campaign.kept(key)]
            wanted -= sum(campaign.results[key]["outcome"] != STILLBORN for key in known)
            wanted -= sum(pool.map(lambda pair: one(*pair),
                                   [pair for pair in batch if pair[0] not in known]))


def line_of(result):
    return "%-10s %s:%d: %s -> %s  %s" % (
        result["outcome"], result["file"], result["line"], result["before"],
        result["after"] or "(nothing)", result.get("by", ""))


def explanations():
    """[(file, text, fault, reason)] of explained.txt; each of the first three a pattern."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "explained.txt")
    with open(path) as file:
        rows = [line.rstrip("\n").split(" || ") for line in file
                if line.strip() and not line.startswith("#")]
    wrong = [row for row in rows if len(row) != 4]
    if wrong:
        raise SystemExit("explained.txt: not four columns: %s" % wrong[0])
    return rows


def reason(result, rows):
    change = "%s -> %s" % (result["before"], result["after"])
    return next((why for file, text, fault, why in rows
                 if re.search(file, result["file"]) and re.search(text, result["text"])
                 and re.search(fault, change)), None)


def report(campaign, out=sys.stdout):
    """The survivors, then the sums; how many are left to explain."""
    rows = explanations()
    results = [r for _, r in sorted(campaign.results.items()) if r["outcome"] != STILLBORN]
    alive = [r for r in results if r["outcome"] in (SURVIVED, UNREACHED)]
    for r in sorted(alive, key=lambda r: (r["file"], r["line"])):
        print("| %s:%d | `%s` | %s -> %s | %s | %s |" % (
            r["file"], r["line"], r["text"][:70], r["before"][:40], r["after"] or "nothing",
            "no test" if r["outcome"] == UNREACHED else "%d of %d" % (r["tests"], r["of"]),
            reason(r, rows) or ""), file=out)
    explained = sum(reason(r, rows) is not None for r in alive)
    same = sum(r["outcome"] == SAME for r in results)
    killed = sum(r["outcome"] == KILLED for r in results)
    print("%d planted, %d the same code, %d killed, %d survived (%d of them explained): "
          "%.1f %% of those that could be" % (
              len(results), same, killed, len(alive), explained,
              100 * killed / max(1, len(results) - same - explained)), file=out)
    return len(alive) - explained


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sample", type=int, default=400, help="so many faults that compile")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", action="append", metavar="FILE[:LINE]",
                        help="a pattern; repeatable")
    parser.add_argument("--tests", default="", help="a pattern of the tests that run")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budget", type=float, default=120, metavar="SECONDS",
                        help="of tests for one fault, which has survived then")
    parser.add_argument("--resume", action="store_true", help="go on with the results there are")
    parser.add_argument("--again", action="store_true", help="and plant again what survived")
    parser.add_argument("--report", action="store_true", help="only print the results there are")
    parser.add_argument("--work", default=os.path.join(build.ROOT, "build-mutants"))
    options = parser.parse_args()
    options.resume = options.resume or options.again or options.report
    options.work = os.path.abspath(options.work)

    reached = reach.Reach(os.path.join(options.work, "reach"))
    campaign = Campaign(options, reached)
    if not options.report:
        reached.measure(lambda name: re.search(options.tests, name)
                        and not re.match(LEFT_OUT, name), print)
        work(campaign, [Worker(campaign, number) for number in range(options.jobs)])
    sys.exit(1 if report(campaign) else 0)


if __name__ == "__main__":
    main()
