"""Run tile kernels from Python: numpy arrays in, numpy arrays out.

    import numpy, pto
    c = pto.run("vadd.pto", a=numpy.ones(1000, "f4"), b=numpy.ones(1000, "f4"))["c"]

See docs/python.md.  Inputs that are contiguous are not copied; results are the machine's own bytes
and keep it alive."""

import html

from ._library import VERSION as __version__, installed_kernels
from .errors import (DeadlockError, FindingsError, LimitError, Message, ProgramError, PtoError,
                     UsageError)
from .findings import Finding, Findings, Party
from .given import Bits, INTEGERS, PerRank, shown, wrong
from .job import Job
from .timeline import Timeline

__all__ = ["run", "check", "bits", "per_rank", "kernels", "Result", "Findings", "Finding", "Party",
           "Message", "PtoError", "ProgramError", "UsageError", "DeadlockError", "LimitError",
           "FindingsError", "Job", "Timeline", "__version__"]

RESULTS = ("out", "inout")
# Options of ptovm that are keywords here, with "_" for "-"; what else a kernel is given by its own
# names.
OPTIONS = ("profile", "cores", "jitter", "repeat", "max_time", "max_insns", "threads", "max_memory",
           "schedule", "sync", "function", "topology", "flag_key")
FLAGS = ("join", "timing_only", "check_coverage")
ARGUMENTS = ("ranks", "check", "define", "inputs", "observe", "printer", "timeline")
REPEATED = ("link_down", "slow_link", "slow_rank", "dead_rank", "include", "profile_set")


def bits(array, dtype):
    """Elements of numpy's uint16 or uint8 that are the bits of "bf16", "f8e4m3" or "f8e5m2"."""
    return Bits(array, dtype)


def per_rank(values):
    """One value (array or number) for each rank, instead of the same for all."""
    return PerRank(values)


def kernels():
    """The folder of the installed kernels, or None."""
    return installed_kernels()


class Result(dict):
    """Results by name: an array, or a list with an array for each rank if there are several.

    time_ps: simulated time; statistics: counts; report: everything, as a dict; summary: as ptovm
    prints it; findings: of a checked run; timeline: if asked for, else None."""

    def __init__(self, job, timeline):
        ranks = job.ranks()
        by_rank = [job.arrays(rank, RESULTS) for rank in range(ranks)]
        super().__init__((name, by_rank[0][name] if ranks == 1 else [r[name] for r in by_rank])
                         for name in by_rank[0])
        self.job, self.timeline = job, timeline
        self.findings = job.findings()
        self.statistics = job.statistics()
        self.time_ps = self.statistics["time_ps"]

    def __missing__(self, name):
        raise KeyError("no result %r; there are: %s" % (name, ", ".join(self) or "none"))

    @property
    def report(self):
        return self.job.report()

    @property
    def summary(self):
        return self.job.summary()

    def objects(self, rank=0):
        """All objects of a rank, scratch memory and signals included."""
        if not 0 <= rank < self.job.ranks():
            raise IndexError("no rank %r; there are 0 to %d" % (rank, self.job.ranks() - 1))
        return self.job.arrays(rank, ("in", "out", "inout", "gm", "sym", "signal"))

    def _repr_html_(self):
        picture = self.timeline.svg() if self.timeline else ""
        found = self.findings._repr_html_() if self.findings else ""
        return "<pre>%s</pre>%s%s" % (html.escape(self.summary), found, picture)


def _print_line(rank, core, time_ps, line):
    print("rank %d, %s, at %.3f us: %s" % (rank, core, time_ps * 1e-6, line))


def _prepare(kernel, values, ranks, check, define, printer):
    job = Job(OPTIONS + FLAGS + REPEATED + ARGUMENTS)
    options = {name: values.pop(name) for name in OPTIONS + FLAGS + REPEATED if name in values}
    for one in kernel if isinstance(kernel, (list, tuple)) else [kernel]:
        job.kernel(one)
    job.option("ranks", 1 if ranks is None else ranks)
    for name, value in options.items():
        word = name.replace("_", "-")
        if name in FLAGS:
            if _flag(name, value):
                job.option(word)
            continue
        for one in value if name in REPEATED and isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                job.option(word, one)
    job.include_installed()
    for name, value in _mapping("define", define).items():
        job.option("define", "%s=%s" % (name, value))
    if _flag("check", check):
        job.option("check")
    job.printer(_callable("printer", printer or _print_line))
    return job


def _flag(name, value):
    if not isinstance(value, (type(None), *INTEGERS)):
        raise wrong("%s: True or False is wanted, not %s" % (name, shown(value)))
    return bool(value)


def _mapping(name, value):
    if value is not None and not hasattr(value, "items"):
        raise wrong("%s: a dict is wanted, not %s" % (name, shown(value)))
    return value or {}


def _callable(name, value):
    if not callable(value):
        raise wrong("%s: a function is wanted, not %s" % (name, shown(value)))
    return value


def run(kernel, *, ranks=1, check=False, define=None, inputs=None, observe=None, printer=None,
        timeline=False, **values):
    """Run a kernel - a path, "path:kernel", a text of several lines, or a list of them - and return
    its results.

    values: parameters and inputs by name - a number, an array, "random:1", "iota", a file name,
    per_rank([...]) -, and options: profile, cores, jitter, repeat, join, max_time, max_insns,
    threads, max_memory, timing_only, schedule, sync, function, topology, link_down, slow_link,
    slow_rank, dead_rank, profile_set, include, and with `check` flag_key and check_coverage.
    An option that is None is as if it were not given.
    inputs: a dict of the same, for names that are options here.
    define: constants of the assembly; observe(event): sees every event; printer(rank, core,
    time_ps, line): gets what kernels print; timeline: keep what the pipes did, for notebooks.

    Raises ProgramError, UsageError, DeadlockError or LimitError; findings of `check` do not raise,
    they are in the result."""
    seen = Timeline() if _flag("timeline", timeline) else None
    job = _prepare(kernel, values, ranks, check, define, printer)
    for name, value in [*values.items(), *_mapping("inputs", inputs).items()]:
        job.give(name, value)
    if seen:
        job.observe(seen.see)
    if observe is not None:
        job.observe(_callable("observe", observe))
    job.run()
    return Result(job, seen)


def check(kernel, **arguments):
    """Run under the checker, as `run`, and return the findings: an empty list if it is clean."""
    return run(kernel, check=True, **arguments).findings
