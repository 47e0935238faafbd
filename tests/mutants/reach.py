"""Which lines each test reaches: every test runs once with a build for gcov."""
import hashlib
import json
import os
import shutil
import subprocess

import build
import plant

SLOWEST = 600    # seconds; a test that takes longer is left out


class Reach:
    """What the tests reach, kept in `folder`/map, a file for each test."""

    def __init__(self, folder):
        self.place = build.Place(folder, "--coverage")
        os.makedirs(self.place.path("map"), exist_ok=True)
        self.maps = {}

    def measure(self, wanted, say):
        """Run the tests whose name `wanted` takes, unless that was done with the same files."""
        self.place.prepare()
        sources = digest(self.place.tree, plant.FOLDERS)
        tests = [test for name, test in sorted(self.place.tests().items()) if wanted(name)]
        for test in tests:
            path = self.place.path("map", test.name.replace("/", "-") + ".json")
            key = sources + digest(self.place.tree, [os.path.join("tests", folder_of(test.name))])
            found = load(path)
            if not found or found["key"] != key:
                say("what %s reaches" % test.name)
                found = {"key": key, **self.reached(test)}
                with open(path + ".new", "w") as file:
                    json.dump(found, file)
                os.replace(path + ".new", path)
            if found["status"] == 0:
                self.maps[test.name] = found
            else:
                say("%s ends with %s and is left out" % (test.name, found["status"]))

    def reached(self, test):
        prefix = self.place.path("counts")
        shutil.rmtree(prefix, ignore_errors=True)
        ended = self.place.run(test, SLOWEST, SLOWEST, {"GCOV_PREFIX": prefix})
        lines = counted(prefix, self.place.tree)
        shutil.rmtree(prefix, ignore_errors=True)
        return {"status": ended.status, "cpu": ended.cpu, "lines": lines}

    def tests_of(self, fault):
        """Names of the tests that reach the line of a fault, the cheapest first."""
        found = [name for name in self.maps if self.has(name, fault.file, fault.line)]
        return sorted(found, key=lambda name: self.maps[name]["cpu"])

    def has(self, name, file, line):
        """Lines that gcov does not count belong to the statement above them."""
        counts = self.maps[name]["lines"].get(file, {})
        code = int(counts.get("code", "0"), 16)
        while line and not code >> line & 1:
            line -= 1
        return bool(int(counts.get("hit", "0"), 16) >> line & 1)


def counted(prefix, tree):
    """{file: {code, hit}}, bit sets in hexadecimal of the numbers of lines."""
    found = {}
    for path, _, names in os.walk(prefix):
        data = [name for name in names if name.endswith(".gcda")]
        for name in data:
            notes = name[:-4] + "gcno"
            os.symlink(os.path.join("/", os.path.relpath(path, prefix), notes),
                       os.path.join(path, notes))
        if data:
            read_counts(path, data, tree, found)
    return {file: {"code": "%x" % code, "hit": "%x" % hit} for file, (code, hit) in found.items()}


def read_counts(path, data, tree, found):
    shown = subprocess.run(["gcov", "--json-format", "--stdout", *data], cwd=path,
                           capture_output=True, text=True).stdout
    for text in shown.splitlines():
        unit = json.loads(text)
        for file in unit["files"]:
            name = os.path.relpath(os.path.join(unit["current_working_directory"], file["file"]),
                                   tree)
            if name.split(os.sep)[0] not in plant.FOLDERS:
                continue
            code, hit = found.get(name, (0, 0))
            for line in file["lines"]:
                code |= 1 << line["line_number"]
                hit |= bool(line["count"]) << line["line_number"]
            found[name] = code, hit


def digest(tree, folders):
    """Of all files in some folders of the tree."""
    files = sorted(os.path.join(path, name) for folder in folders
                   for path, _, names in os.walk(os.path.join(tree, folder)) for name in names
                   if not name.endswith(".pyc"))
    sum_ = hashlib.sha256()
    for name in files:
        with open(name, "rb") as file:
            sum_.update(os.path.relpath(name, tree).encode() + b"\0" + file.read())
    return sum_.hexdigest()[:20]


def folder_of(name):
    return name.split("/")[0]


def load(path):
    try:
        with open(path) as file:
            return json.load(file)
    except FileNotFoundError:
        return None
