"""Plants small faults in the sources and tells which of them no test sees.

    run.py [--sample N] [--only FILE[:LINE]]... [--resume]

Faults are drawn by a seed (plant.py) and sleep in one build (together.py, field.py).  Each is
woken by itself for the tests that pass its place, those that are likely to see it at little cost
first, until one fails or the budget is spent; what is left runs through all other tests together,
and a test that fails tells whom by halves.  What survived is printed, and whether explained.txt
tells why it may.  The work lies in build-mutants, the results in its results.json, which
--resume goes on with."""
import argparse
import collections
import concurrent.futures
import hashlib
import math
import os
import re
import sys
import threading

import build
import field
import plant

# Tests that have their own builds, look at the sources, or measure memory.
LEFT_OUT = r"style/|fuzz/minute|install/|isa/level_|trust/(builds|memory|failures)"
KILLED, SURVIVED, UNREACHED = "killed", "survived", "unreached"
SAME, STILLBORN = "same", "stillborn"    # the same code, no code
SPARE = 8    # of so many drawn faults one may be stillborn


class Campaign:
    """Faults, what became of them, and where that is written."""

    def __init__(self, options):
        self.options = options
        self.path = os.path.join(options.work, "results.json")
        self.results = (build.load(self.path) or {}) if options.resume else {}
        self.killers = {}    # of an earlier verdict, by key
        if options.anew:
            former = build.load(self.path) or {}
            self.killers = {key: result.get("by") for key, result in former.items()}
        if options.again:
            self.results = {key: result for key, result in self.results.items()
                            if result["outcome"] in (KILLED, SAME, STILLBORN)}
        self.lock = threading.Lock()
        drawn = self.draw()[:options.sample + options.sample // SPARE + 1]
        self.field = field.Field(os.path.join(options.work, "field"), drawn)
        self.drawn = drawn
        keys = {key for key, _ in drawn}    # what was judged and is no more does not count
        self.results = {key: result for key, result in self.results.items() if key in keys}
        self.kills, self.runs = collections.Counter(), collections.Counter()
        self.learn()

    def learn(self):
        """What tests found of the faults that were judged before."""
        for result in self.results.values():
            for name in result["ran"]:
                for folder in None, os.path.dirname(result["file"]):
                    self.runs[name, folder] += 1
                    self.kills[name, folder] += name == result.get("by")

    def draw(self):
        """All faults in the order of the draw: (key, fault)."""
        drawn, seen = [], {}
        for file in plant.sources(build.ROOT):
            with open(os.path.join(build.ROOT, file)) as source:
                lines = source.read().split("\n")
            for fault in plant.faults(build.ROOT, file):
                told = (file, lines[fault.line - 1], fault.at, fault.before, fault.after)
                seen[told] = seen.get(told, -1) + 1
                text = "|".join(map(str, (self.options.seed, *told, seen[told])))
                if self.wanted("%s:%d" % (file, fault.line)):
                    drawn.append((hashlib.sha256(text.encode()).hexdigest()[:16], fault))
        return sorted(drawn)

    def wanted(self, place):
        only = self.options.only
        return not only or any(re.search(pattern, place) for pattern in only)

    def result(self, number):
        """What is known of a fault; begins with nothing."""
        key, fault = self.drawn[number]
        if key not in self.results:
            text = self.field.sources[fault.file].split("\n")[fault.line - 1].strip()
            self.results[key] = {"file": fault.file, "text": text, "before": fault.before,
                                 "after": fault.after, "kind": fault.kind, "outcome": None,
                                 "ran": [], "cpu": 0}
        self.results[key]["line"] = fault.line
        return self.results[key]

    def settle(self, number, outcome, by=None):
        with self.lock:
            result = self.result(number)
            result.update(outcome=outcome, by=by, of=len(self.field.tests_of(number)))
            print(line_of(result), flush=True)
            build.store(self.path, self.results)

    def note(self, number, name, passed, cpu):
        with self.lock:
            result = self.result(number)
            result["ran"].append(name)
            result["cpu"] = round(result["cpu"] + cpu, 2)
            for folder in None, os.path.dirname(result["file"]):
                self.runs[name, folder] += 1
                self.kills[name, folder] += not passed

    def next_test(self, number, most):
        """The test that is likely to see a fault at the least cost, which is at most so much."""
        result = self.result(number)
        ran = collections.Counter(label_of(name) for name in result["ran"])
        left = [name for name in self.field.tests_of(number)
                if name not in result["ran"] and self.field.cpu[name] <= most]
        killer = self.killers.get(self.drawn[number][0])
        if killer in left:
            return killer
        return min(left, default=None, key=lambda name: (
            self.price(name, os.path.dirname(result["file"])) * (1 + ran[label_of(name)])))

    def price(self, name, folder=None):
        """Seconds for a fault that a test finds, by what it found so far: in the sources of a
        folder, where two faults count as if they had gone as elsewhere."""
        share = (self.kills[name, None] + 0.5) / (self.runs[name, None] + 2)
        if folder:
            share = (self.kills[name, folder] + 2 * share) / (self.runs[name, folder] + 2)
        return self.field.cpu[name] / share


def label_of(name):
    return name.split("/")[0]


def one_by_one(campaign, number):
    """Wake one fault for test after test within its budget."""
    budget = campaign.options.budget
    while campaign.result(number)["cpu"] < budget:
        name = campaign.next_test(number, max(budget - campaign.result(number)["cpu"], budget / 2))
        if not name:
            return
        passed, cpu = campaign.field.wake(name, [number])
        campaign.note(number, name, passed, cpu)
        if not passed:
            campaign.settle(number, KILLED, name)
            return


def by_halves(campaign, name, numbers):
    """Wake faults together for a test; if it fails, halves of them, down to who made it fail."""
    numbers = [n for n in numbers if campaign.result(n)["outcome"] is None]
    if not numbers:
        return
    passed, cpu = campaign.field.wake(name, numbers)
    if passed or len(numbers) == 1:
        for number in numbers:
            campaign.note(number, name, passed, cpu / len(numbers))
            if not passed:
                campaign.settle(number, KILLED, name)
        return
    middle = len(numbers) // 2
    by_halves(campaign, name, numbers[:middle])
    by_halves(campaign, name, numbers[middle:])


def all_together(campaign, numbers):
    """What is left, through all tests.  Faults of a file are likely to be found together."""
    def one(name):
        left = [n for n in numbers if campaign.result(n)["outcome"] is None
                and n in campaign.field.passed[name] and name not in campaign.result(n)["ran"]]
        if left:
            print("%d together in %s" % (len(left), name), flush=True)
        by_halves(campaign, name, sorted(left, key=lambda n: campaign.drawn[n][1]))

    with concurrent.futures.ThreadPoolExecutor(campaign.options.jobs) as pool:
        list(pool.map(one, sorted(campaign.field.passed, key=campaign.price)))


def alone(campaign, number):
    """Build with one fault that cannot sleep, and run the tests that enter its function."""
    place, fault = campaign.field.place, campaign.drawn[number][1]
    path = os.path.join(place.tree, fault.file)
    with open(path) as file:
        sleeping = file.read()
    try:
        campaign.field.write(fault.file, plant.planted(campaign.field.sources[fault.file], fault))
        if not place.compiles(fault.file) or not place.make(build.PROGRAMS):
            campaign.settle(number, STILLBORN)
            return
        while campaign.result(number)["cpu"] < 3 * campaign.options.budget:
            name = campaign.next_test(number, math.inf)
            if not name:
                break
            place.make(campaign.field.tests[name].targets)
            passed, cpu = campaign.field.wake(name, [])
            campaign.note(number, name, passed, cpu)
            if not passed:
                campaign.settle(number, KILLED, name)
                return
    finally:
        campaign.field.write(fault.file, sleeping)


def work(campaign):
    """Judge as many faults that compile as are wanted."""
    options = campaign.options
    numbers = range(len(campaign.drawn))[:options.most]
    left = [n for n in numbers if campaign.result(n)["outcome"] is None
            and n not in campaign.field.alone]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda n: one_by_one(campaign, n), left))
    all_together(campaign, left)
    for number in numbers:
        if number in campaign.field.alone and campaign.result(number)["outcome"] is None:
            alone(campaign, number)
    born = [n for n in numbers if campaign.result(n)["outcome"] != STILLBORN][:options.sample]
    for number in set(numbers) - set(born):
        campaign.results.pop(campaign.drawn[number][0], None)
    for number in born:
        if campaign.result(number)["outcome"] is None:
            same = campaign.field.same_code(number)
            reached = campaign.field.tests_of(number)
            campaign.settle(number, SAME if same else SURVIVED if reached else UNREACHED)


def line_of(result):
    return "%-10s %s:%d: %s -> %s  %s" % (
        result["outcome"], result["file"], result["line"], result["before"],
        result["after"] or "(nothing)", result.get("by") or "")


def explanations():
    """[(file, text, fault, reason)] of explained.txt; each of the first three a pattern."""
    with open(os.path.join(build.HERE, "explained.txt")) as file:
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
    results = [r for _, r in sorted(campaign.results.items()) if r["outcome"] not in
               (STILLBORN, None)]
    alive = [r for r in results if r["outcome"] in (SURVIVED, UNREACHED)]
    for r in sorted(alive, key=lambda r: (r["file"], r["line"])):
        print("| %s:%d | `%s` | %s -> %s | %s | %s |" % (
            r["file"], r["line"], r["text"][:70], r["before"][:40], r["after"] or "nothing",
            "no test" if r["outcome"] == UNREACHED else "%d of %d" % (len(r["ran"]), r["of"]),
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
    parser.add_argument("--most", type=int, help="judge only so many, the first of the draw")
    parser.add_argument("--only", action="append", metavar="FILE[:LINE]",
                        help="a pattern; repeatable")
    parser.add_argument("--tests", default="", help="a pattern of the tests that run")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budget", type=float, default=10, metavar="SECONDS",
                        help="of tests for one fault by itself")
    parser.add_argument("--resume", action="store_true", help="go on with the results there are")
    parser.add_argument("--again", action="store_true", help="and plant again what survived")
    parser.add_argument("--anew", action="store_true",
                        help="judge all again, each first by the test that found it before")
    parser.add_argument("--report", action="store_true", help="only print the results there are")
    parser.add_argument("--work", default=os.path.join(build.ROOT, "build-mutants"))
    options = parser.parse_args()
    options.resume = options.resume or options.again or options.report
    options.work = os.path.abspath(options.work)

    campaign = Campaign(options)
    if not options.report:
        campaign.field.sow(print)
        campaign.field.walk(lambda name: re.search(options.tests, name)
                            and not re.match(LEFT_OUT, name), options.jobs, print)
        work(campaign)
    sys.exit(1 if report(campaign) else 0)


if __name__ == "__main__":
    main()
