"""What the programs of a build (PTO_BIN) make of the text cases and of the kernels: one line for
each run with a digest of all that it leaves: exit status, screen, results, report, trace.

    fingerprint.py [NAME...]     only runs whose line contains one of the names

Two builds are alike if these lines are."""
import hashlib
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "run"))
import cases_test  # noqa: E402
import docs_test  # noqa: E402
import threads_test  # noqa: E402
from harness import SOURCE, ptoas, ptovm  # noqa: E402

TRACE_EVENTS = 20000


def runs():
    """(name, arguments, objects to write) of every run, from the top of the sources."""
    for name in sorted(os.listdir(cases_test.CASES)):
        path = os.path.join("tests", "run", "cases", name)
        if name.endswith(".pto"):
            for scenario in cases_test.scenarios_of(os.path.join(SOURCE, path)):
                kernels = [path + ":" + kernel for kernel in scenario.kernels] or [path]
                written = dict.fromkeys(name for name, _, _ in scenario.outputs)
                yield path, scenario.options + ["run"] + kernels, written
    for arguments, _ in docs_test.commands():
        yield "docs/kernels.md", arguments, threads_test.results(arguments)


def digest(arguments, written, folder):
    outputs = [x for name in written
               for x in ("--out", "%s=%s/%s_{rank}.npy" % (name, folder, name))]
    done = ptovm("--json=%s/report" % folder, "--trace", folder + "/trace", "--trace-max-events",
                 TRACE_EVENTS, *arguments, *outputs, cwd=SOURCE)
    whole = hashlib.sha256()
    for part in (str(done.code), done.out, done.err):
        whole.update(part.replace(folder, "FOLDER").encode() + b"\0")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            whole.update(name.encode() + b"\0" + file.read().replace(folder.encode(), b"FOLDER"))
    return whole.hexdigest()[:24]


def objects():
    """(name, digest) of the object of every kernel file."""
    for path, _, names in sorted(os.walk(os.path.join(SOURCE, "kernels"))):
        for name in sorted(names):
            if name.endswith(".pto"):
                text = os.path.relpath(os.path.join(path, name), SOURCE)
                with tempfile.TemporaryDirectory() as folder:
                    out = os.path.join(folder, "object")
                    made = ptoas(text, "-o", out, cwd=SOURCE)
                    data = b""
                    if made.code == 0:
                        with open(out, "rb") as file:
                            data = file.read()
                yield text, hashlib.sha256(made.err.encode() + data).hexdigest()[:24]


def wanted(line):
    return not sys.argv[1:] or any(name in line for name in sys.argv[1:])


def main():
    os.environ["TZ"], os.environ["COLUMNS"] = "UTC", "100"
    for name, sum_ in objects():
        if wanted(name):
            print(sum_, name, flush=True)
    for name, arguments, written in runs():
        line = "%s: %s" % (name, " ".join(arguments))
        if wanted(line):
            with tempfile.TemporaryDirectory() as folder:
                print(digest(arguments, written, folder), line, flush=True)


if __name__ == "__main__":
    main()
