"""Copies of the tree, built without optimisation, and their tests."""
import collections
import json
import os
import resource
import shutil
import signal
import subprocess
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PROGRAMS = ["ptoas", "ptovm", "ptodbg"]
# Helpers of the tests of a label, beside the programs.
HELPERS = {"check": ["mutate"], "effect": ["ptovm_audit"]}
# One level of vm/ops, which is compiled as quickly as all else.
OPTIONS = ["-DBUILD_TESTING=ON", "-DPTO_HAS_MARCH_V4=OFF", "-DPTO_OPS_OPTIMIZE=-O0",
           "-DCMAKE_BUILD_TYPE=None"]
MEMORY = 4 << 30    # bytes of address space a faulty program may have

Test = collections.namedtuple("Test", "name command folder env targets")
Ended = collections.namedtuple("Ended", "status cpu")    # status None: it took too long


class Place:
    """A copy of the tree in `folder`/tree, built in `folder`/build."""

    def __init__(self, folder, flags=""):
        self.folder = os.path.realpath(folder)
        self.tree, self.build = (os.path.realpath(self.path(name)) for name in ("tree", "build"))
        self.flags = "-O0 -w " + flags
        os.makedirs(self.path("tmp"), exist_ok=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def prepare(self, origin=ROOT):
        """Copy the sources, or those of another place, and build everything."""
        copy_tree(origin, self.tree)
        if not os.path.exists(os.path.join(self.build, "CMakeCache.txt")):
            command = ["cmake", "-S", self.tree, "-B", self.build, *OPTIONS,
                       "-DCMAKE_C_FLAGS=" + self.flags]
            if shutil.which("ninja"):
                command += ["-G", "Ninja"]
            if shutil.which("ccache"):
                command += ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        if not self.make([], jobs=os.cpu_count()):
            raise SystemExit("%s does not build" % self.build)

    def make(self, targets, jobs=1):
        """Build targets, or all; whether that went well."""
        command = ["cmake", "--build", self.build, "-j%d" % jobs]
        for target in targets:
            command += ["--target", target]
        env = {**os.environ, "CCACHE_BASEDIR": self.folder, "CCACHE_NOHASHDIR": "1"}
        return subprocess.run(command, env=env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0

    def tests(self):
        """{name: Test}, as ctest has them."""
        shown = subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"],
                               check=True, capture_output=True, text=True).stdout
        return {test["name"]: as_test(test) for test in json.loads(shown)["tests"]
                if "command" in test}

    def run(self, test, most_cpu, most_time, more={}):
        """Run a test: no process of it may take more than `most_cpu` seconds, nor the whole more
        than `most_time`."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (most_cpu, most_cpu + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))

        process = subprocess.Popen(test.command, cwd=test.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, **test.env, "TMPDIR": self.path("tmp"),
                                        **more},
                                   start_new_session=True, preexec_fn=limit)
        ended = wait(process, time.monotonic() + most_time)
        shutil.rmtree(self.path("tmp"), ignore_errors=True)
        os.makedirs(self.path("tmp"), exist_ok=True)
        return ended


def wait(process, until):
    """Wait for a process, and end what is left of its session."""
    pid = 0
    while not pid and time.monotonic() < until:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if not pid:
            time.sleep(0.01)
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if pid:
        process.returncode = os.waitstatus_to_exitcode(status)
        return Ended(process.returncode, used.ru_utime + used.ru_stime)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Ended(None, used.ru_utime + used.ru_stime)


def as_test(test):
    properties = {p["name"]: p["value"] for p in test["properties"]}
    label, name = test["name"].split("/")
    program = os.path.basename(test["command"][0])
    targets = [program] if label == "unit" else PROGRAMS + HELPERS.get(label, [])
    if label == "fuzz":
        targets = ["ptoas", "fuzz_" + name]
    return Test(test["name"], test["command"], properties["WORKING_DIRECTORY"],
                dict(pair.split("=", 1) for pair in properties["ENVIRONMENT"]), targets)


def files_of(tree):
    return {os.path.relpath(os.path.join(path, name), tree)
            for path, _, names in os.walk(tree) for name in names}


def files_of_git():
    """What git has of this tree, or would add."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                            check=True, capture_output=True, text=True).stdout.split("\0")
    return {name for name in listed if name and os.path.isfile(os.path.join(ROOT, name))}


def copy_tree(origin, to):
    """Make `to` a copy of `origin`; unchanged files keep their times."""
    names = files_of_git() if origin == ROOT else files_of(origin)
    for name in names:
        with open(os.path.join(origin, name), "rb") as file:
            data = file.read()
        put(os.path.join(to, name), data)
        shutil.copymode(os.path.join(origin, name), os.path.join(to, name))
    for name in files_of(to) - names:
        os.unlink(os.path.join(to, name))


def put(path, data):
    """Write a file unless it says so already."""
    if os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() == data:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
