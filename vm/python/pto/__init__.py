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
from .job import Bits, Job, PerRank
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
REPEATED = ("link_down", "slow_rank", "include", "profile_set")


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
        return self.job.arrays(rank, ("in", "out", "inout", "gm", "sym", "signal"))

    def _repr_html_(self):
        picture = self.timeline.svg() if self.timeline else ""
        found = self.findings._repr_html_() if self.findings else ""
        return "<pre>%s</pre>%s%s" % (html.escape(self.summary), found, picture)


def _print_line(rank, core, time_ps, line):
    print("rank %d, %s, at %.3f us: %s" % (rank, core, time_ps * 1e-6, line))


def _prepare(kernel, values, ranks, check, define, printer):
    job = Job()
    options = {name: values.pop(name) for name in OPTIONS + FLAGS + REPEATED if name in values}
    for one in kernel if isinstance(kernel, (list, tuple)) else [kernel]:
        job.kernel(one)
    job.option("ranks", ranks)
    for name, value in options.items():
        for one in value if name in REPEATED and isinstance(value, (list, tuple)) else [value]:
            if name not in FLAGS:
                job.option(name.replace("_", "-"), one)
            elif one:
                job.option(name.replace("_", "-"))
    job.include_installed()
    for name, value in (define or {}).items():
        job.option("define", "%s=%s" % (name, value))
    if check:
        job.option("check")
    job.printer(printer or _print_line)
    return job


def run(kernel, *, ranks=1, check=False, define=None, inputs=None, observe=None, printer=None,
        timeline=False, **values):
    """Run a kernel - a path, "path:kernel", a text of several lines, or a list of them - and return
    its results.

    values: parameters and inputs by name - a number, an array, "random:1", "iota", a file name,
    per_rank([...]) -, and options: profile, cores, jitter, repeat, join, max_time, max_insns,
    threads, max_memory, timing_only, schedule, sync, function, topology, link_down, slow_rank,
    profile_set, include, and with `check` flag_key and check_coverage.
    inputs: a dict of the same, for names that are options here.
    define: constants of the assembly; observe(event): sees every event; printer(rank, core,
    time_ps, line): gets what kernels print; timeline: keep what the pipes did, for notebooks.

    Raises ProgramError, UsageError, DeadlockError or LimitError; findings of `check` do not raise,
    they are in the result."""
    seen = Timeline() if timeline else None
    job = _prepare(kernel, values, ranks, check, define, printer)
    for name, value in {**values, **(inputs or {})}.items():
        job.give(name, value)
    if seen:
        job.observe(seen.see)
    if observe:
        job.observe(observe)
    job.run()
    return Result(job, seen)


def check(kernel, **arguments):
    """Run under the checker, as `run`, and return the findings: an empty list if it is clean."""
    return run(kernel, check=True, **arguments).findings
