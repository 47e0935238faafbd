"""What all Python tests share: where the programs and the sources are, and how a program is run.

PTO_BIN is the folder of the programs, PTO_SOURCE_DIR the top of the sources; ctest sets both.  By
hand they are build/bin and the tree that this file lies in."""

import inspect
import itertools
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback

SOURCE = os.path.abspath(os.environ.get("PTO_SOURCE_DIR") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), ".."))
BIN = os.path.abspath(os.environ.get("PTO_BIN") or os.path.join(SOURCE, "build", "bin"))
TIMEOUT = 300  # seconds of one run; generous, for builds with sanitizers
SANITIZED = bool(os.environ.get("PTO_SANITIZED"))
LEAKS_EVERY = 4  # runs: looking for leaks takes as long as all else that a small run does
started = itertools.count()


def sample(cases, step):
    """All cases; every step-th with sanitizers, which take several times as long and look for
    something else."""
    cases = list(cases)
    return cases[::step] if SANITIZED else cases


def share(count, step):
    """What of a count over all cases a sample has to come to."""
    return count // step if SANITIZED else count


def program(name):
    """Path of ptoas, ptovm or ptodbg."""
    path = os.path.join(BIN, name)
    if not os.path.exists(path):
        raise SystemExit("no %s: build it, or set PTO_BIN to the folder of the programs" % path)
    return path


def helper(name):
    """Path of a program that only tests use."""
    return os.path.join(BIN, "..", "tests", name)


def options_of(path):
    """Options of the assembler that the first line of a text names: `; ptoas: OPTIONS`."""
    with open(path, encoding="utf-8", errors="replace") as file:
        match = re.match(r"; ptoas: (.*)", file.readline())
    return match.group(1).split() if match else []


def source(*parts):
    return os.path.join(SOURCE, *parts)


def kernel(name):
    return source("kernels", name)


def line_of(path, text, comments=True):
    """Number of the first line of a kernel that contains a text, perhaps outside of comments."""
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if text in (line if comments else line.split(";")[0]):
                return number
    raise ValueError("no line of %s contains %r" % (path, text))


def handles(pid, number):
    """Does the process have a handler for the signal by now?"""
    with open("/proc/%d/status" % pid) as file:
        caught = next(line.split()[1] for line in file if line.startswith("SigCgt:"))
    return int(caught, 16) >> number - 1 & 1


def stat_of(pid):
    """What /proc says of a process behind its name: its state first."""
    with open("/proc/%d/stat" % pid) as file:
        return file.read().rpartition(")")[2].split()


def rests(pid):
    """Does it wait for something?"""
    return stat_of(pid)[0] == "S"


def work_of(pid):
    """Seconds of a processor that it had.  The wall's clock says nothing on a busy machine."""
    fields = stat_of(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def has_worked(pid, seconds):
    return work_of(pid) >= seconds


def wait_until(condition):
    """Until the condition holds, for a minute at most."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "waited for a minute"
        time.sleep(0.01)


class Result:
    """Exit status of a run, and what it printed: `out` and `err` as text, `raw` is the bytes of
    standard output."""

    def __init__(self, done):
        self.code, self.raw = done.returncode, done.stdout
        self.out = done.stdout.decode(errors="replace")
        self.err = done.stderr.decode(errors="replace")


def run(name, *arguments, cwd=None, stdin=None, env=None):
    """Run a program on arguments of any type.  `stdin`: text or bytes to read, nothing by default;
    `env`: variables on top of the caller's, whose language does not matter, and who is
    not to find among the searches of ptovm those of tests."""
    environment = {k: v for k, v in os.environ.items() if k not in ("LC_ALL", "LANG")}
    environment["PTO_TUNED"] = ""
    if SANITIZED and next(started) % LEAKS_EVERY:
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    stdin = stdin.encode() if isinstance(stdin, str) else stdin or b""
    return Result(subprocess.run([program(name)] + [a if isinstance(a, bytes) else str(a)
                                                    for a in arguments],
                                 cwd=cwd, input=stdin, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, timeout=TIMEOUT,
                                 env={**environment, **(env or {})}))


def ptoas(*arguments, **options):
    return run("ptoas", *arguments, **options)


def ptovm(*arguments, **options):
    return run("ptovm", *arguments, **options)


def ptodbg(*arguments, **options):
    return run("ptodbg", *arguments, **options)


def unbroken(text):
    """Messages with their long details in one line again: they went on where the next word had no
    room, which depends on how long the paths are."""
    lines, before = [], ""
    for line in text.split("\n"):
        words = line.split()
        if words and before.startswith("  ") and line.startswith(" " * 6) and \
                len(before) + 1 + len(words[0]) > 160:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
        before = line
    return "\n".join(lines)


def run_tests(module, bench):
    """Run the functions test_* of a module (its globals()), or those named at the command line,
    each with the bench of an empty folder; exit 1 if one fails by an exception, or there are
    none."""
    wanted = sys.argv[1:]
    tests = [(name, f) for name, f in module.items()
             if name.startswith("test_") and inspect.isfunction(f)
             and (not wanted or name in wanted)]
    failed = 0
    for name, function in tests:
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(bench(folder))
            except Exception:
                failed += 1
                print("FAILED %s" % name)
                traceback.print_exc(file=sys.stdout)
    print("%d of %d tests passed" % (len(tests) - failed, len(tests)))
    sys.exit(1 if failed or not tests else 0)
