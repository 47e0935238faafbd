"""A copy of the tree, built with faults in it, and its tests."""
import collections
import hashlib
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
PROGRAMS = ["ptoas", "ptovm", "ptodbg"]
# Helpers of the tests of a label, beside the programs.
HELPERS = {"check": ["mutate"], "effect": ["ptovm_audit"], "api": ["pto"]}
# One level of vm/ops, which is compiled as quickly as all else.
OPTIONS = ["-DBUILD_TESTING=ON", "-DPTO_HAS_MARCH_V4=OFF", "-DPTO_OPS_OPTIMIZE=-O1",
           "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O1 -w"]
MEMORY = 4 << 30    # bytes of address space a faulty program may have
LOOK = 1            # seconds between two looks at the processor time of a test
# What ends a test at its first failure.
EARLY = {"CMOCKA_TEST_ABORT": "1", "PYTHONPATH": os.path.join(HERE, "early")}

Test = collections.namedtuple("Test", "name command folder env targets")
Ended = collections.namedtuple("Ended", "status cpu")    # status None: it took too long


class Place:
    """A copy of the tree in `folder`/tree, built in `folder`/build."""

    def __init__(self, folder):
        self.folder = os.path.realpath(folder)
        self.tree, self.build = (os.path.realpath(self.path(name)) for name in ("tree", "build"))
        self.runtime = self.path("planted.a")
        os.makedirs(self.tree, exist_ok=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def configure(self):
        """With what sleeping faults need (planted.c) in all programs."""
        made = self.path("planted.o")
        subprocess.run(["cc", "-O2", "-fPIC", "-c", os.path.join(HERE, "planted.c"), "-o", made],
                       check=True)
        subprocess.run(["ar", "rcs", self.runtime, made], check=True)
        command = ["cmake", "-S", self.tree, "-B", self.build, *OPTIONS,
                   "-DCMAKE_C_STANDARD_LIBRARIES=" + self.runtime]
        if shutil.which("ninja"):
            command += ["-G", "Ninja"]
        if shutil.which("ccache"):
            command += ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        self.commands = {c["file"]: c for c in load(os.path.join(self.build,
                                                                 "compile_commands.json"))}

    def make(self, targets=(), jobs=1):
        """Build targets, or all; whether that went well."""
        command = ["cmake", "--build", self.build, "-j%d" % jobs]
        for target in targets:
            command += ["--target", target]
        env = {**os.environ, "CCACHE_BASEDIR": self.folder, "CCACHE_NOHASHDIR": "1"}
        with open(self.path("make.log"), "w") as log:
            return subprocess.run(command, env=env, stdout=log, stderr=log).returncode == 0

    def compiler(self, file):
        """The words that compile a file of the tree, without its output, and their folder."""
        command = self.commands.get(os.path.join(self.tree, file))
        if not command:
            return None, None
        words = [w for w in shlex.split(command["command"]) if os.path.basename(w) != "ccache"]
        at = words.index("-o")
        return words[:at] + words[at + 2:], command["directory"]

    def compiles(self, file):
        words, folder = self.compiler(file)
        return bool(words) and subprocess.run(words + ["-fsyntax-only"], cwd=folder,
                                              stderr=subprocess.DEVNULL).returncode == 0

    def optimised(self, file):
        """The bytes that the optimiser makes of a file."""
        words, folder = self.compiler(file)
        out = self.path("same.o")
        subprocess.run(words + ["-o", out, "-O2", "-g0"], cwd=folder, check=True,
                       stderr=subprocess.DEVNULL)
        with open(out, "rb") as made:
            return made.read()

    def tests(self):
        """{name: Test}, as ctest has them."""
        shown = subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"],
                               check=True, capture_output=True, text=True).stdout
        return {test["name"]: as_test(test) for test in json.loads(shown)["tests"]
                if "command" in test}

    def run(self, test, most_cpu, most_time, more={}):
        """Run a test, all of whose processes together may take `most_cpu` seconds of processors,
        and as many as `most_time` may pass."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (int(most_cpu) + 1, int(most_cpu) + 2))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))

        with tempfile.TemporaryDirectory(dir=self.folder, ignore_cleanup_errors=True) as folder:
            process = subprocess.Popen(test.command, cwd=test.folder, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env={**os.environ, **test.env, **EARLY, "TMPDIR": folder,
                                            **more},
                                       start_new_session=True, preexec_fn=limit)
            ended = wait(process, most_cpu, time.monotonic() + most_time)
            end_all("TMPDIR=" + folder)
            return ended


def wait(process, most_cpu, until):
    """Wait for a process, and end what is left of its session."""
    pid, look, late = 0, time.monotonic() + LOOK, False
    while not pid and not late:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if not pid:
            time.sleep(0.05)
        if time.monotonic() > look:
            look = time.monotonic() + LOOK
            late = look > until or cpu_of(process.pid) > most_cpu
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if not pid:
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Ended(process.returncode if pid else None, used.ru_utime + used.ru_stime)


def end_all(variable):
    """End the processes that have a variable in their environment: those of a test that made a
    session of their own, as terminals do."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as file:
                if variable.encode() in file.read().split(b"\0"):
                    os.kill(int(pid), signal.SIGKILL)
        except OSError:
            continue


def cpu_of(session):
    """Seconds of processors that the processes of a session and their children took."""
    ticks = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid) as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def as_test(test):
    properties = {p["name"]: p["value"] for p in test["properties"]}
    label, name = test["name"].split("/")
    program = os.path.basename(test["command"][0])
    targets = [program] if label == "unit" else PROGRAMS + HELPERS.get(label, [])
    if label == "fuzz":
        targets = ["ptoas", "fuzz_" + name]
    return Test(test["name"], test["command"], properties["WORKING_DIRECTORY"],
                dict(pair.split("=", 1) for pair in properties["ENVIRONMENT"]), targets)


def files_of_git():
    """What git has of this tree, or would add."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                            check=True, capture_output=True, text=True).stdout.split("\0")
    return {name for name in listed if name and os.path.isfile(os.path.join(ROOT, name))}


def copy_tree(to, texts):
    """Make `to` a copy of this tree, with other texts for some of its files; what is as it was
    keeps its time."""
    names = files_of_git()
    for name in names:
        origin = os.path.join(ROOT, name)
        with open(origin, "rb") as file:
            data = file.read()
        put(os.path.join(to, name), texts[name].encode() if name in texts else data)
        shutil.copymode(origin, os.path.join(to, name))
    for path, _, found in os.walk(to):
        for name in found:
            if os.path.relpath(os.path.join(path, name), to) not in names:
                os.unlink(os.path.join(path, name))


def put(path, data):
    """Write a file unless it says so already."""
    if os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() == data:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def digest(folders):
    """Of all files in some folders of this tree."""
    files = sorted(os.path.join(path, name) for folder in folders
                   for path, _, names in os.walk(os.path.join(ROOT, folder)) for name in names
                   if not name.endswith(".pyc"))
    sum_ = hashlib.sha256()
    for name in files:
        with open(name, "rb") as file:
            sum_.update(os.path.relpath(name, ROOT).encode() + b"\0" + file.read())
    return sum_.hexdigest()[:20]


def load(path):
    try:
        with open(path) as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def store(path, value):
    with open(path + ".new", "w") as file:
        json.dump(value, file, indent=0)
    os.replace(path + ".new", path)
