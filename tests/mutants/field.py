"""The field: one build with all faults asleep in it, and what each test passes of them."""
import concurrent.futures
import json
import os

import build
import plant
import together

SLOWEST = 600    # seconds; a test that takes longer is left out
BYTES = 4096     # of the file that notes what was passed: as many faults as planted.c has room for


class Field:
    """`drawn`: all faults, [(key, fault)]; a fault's number is its place there.  `alone` are the
    numbers of those that cannot sleep beside others."""

    def __init__(self, folder, drawn):
        assert len(drawn) <= BYTES
        self.place, self.drawn = build.Place(folder), drawn
        self.alone, self.passed, self.cpu = set(), {}, {}
        self.sources = {}
        for file in {fault.file for _, fault in drawn}:
            with open(os.path.join(build.ROOT, file)) as source:
                self.sources[file] = source.read()

    def sow(self, say):
        """Plant all, and build."""
        path, key = self.place.path("sown.json"), self.key()
        sown = build.load(path)
        if not sown or sown["key"] != key:
            build.copy_tree(self.place.tree, {})
            self.place.configure()
            texts = {file: self.text(file) for file in sorted(self.sources)}
            sown = {"key": key, "texts": texts, "alone": sorted(self.alone)}
            build.store(path, sown)
        texts, self.alone = sown["texts"], set(sown["alone"])
        say("%d faults sleep in %d files, %d do not" % (
            len(self.drawn) - len(self.alone), len(texts), len(self.alone)))
        build.copy_tree(self.place.tree, texts)
        self.place.configure()
        if not self.place.make(jobs=int(os.environ.get("PTO_JOBS", os.cpu_count()))):
            raise SystemExit("the field does not build: see %s" % self.place.path("make.log"))
        self.tests = self.place.tests()

    def key(self):
        """What the field depends on."""
        return build.digest(plant.FOLDERS) + "|".join(key for key, _ in self.drawn)

    def text(self, file):
        """The text of a file with all of its faults that compile."""
        numbered = [(n, fault) for n, (_, fault) in enumerate(self.drawn) if fault.file == file]
        good = numbered
        # A file that includes what only the build makes does not compile without faults either.
        if not self.fits(file, numbered) and self.fits(file, []):
            good = [pair for pair in numbered if self.fits(file, [pair])]
            if not self.fits(file, good):
                good = []
        others = [pair for pair in numbered if pair not in good]
        text, without = together.planted(self.sources[file], good)
        rest = others + [(n, self.drawn[n][1]) for n in without]
        self.alone.update(n for n, _ in rest)
        good = [pair for pair in good if pair[0] not in without]
        probed, _ = together.planted(self.sources[file], good, rest)
        return probed if self.fits(file, good, rest) else text

    def fits(self, file, faults, probes=()):
        text, _ = together.planted(self.sources[file], faults, probes)
        self.write(file, text)
        return self.place.compiles(file)

    def write(self, file, text):
        with open(os.path.join(self.place.tree, file), "w") as out:
            out.write(text)

    def walk(self, wanted, jobs, say):
        """Run the tests whose name `wanted` takes, and note what they pass, unless that was done
        with the same files."""
        os.makedirs(self.place.path("map"), exist_ok=True)
        sources, names = self.key(), [name for name in sorted(self.tests) if wanted(name)]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for name, found in zip(names, pool.map(lambda n: self.map_of(n, sources), names)):
                if found["status"] == 0:
                    self.passed[name], self.cpu[name] = set(found["passed"]), found["cpu"]
                else:
                    say("%s ends with %s without a fault and is left out" % (
                        name, found["status"]))

    def map_of(self, name, sources):
        path = self.place.path("map", name.replace("/", "-") + ".json")
        key = [sources, build.digest([os.path.join("tests", name.split("/")[0])])]
        found = build.load(path)
        if not found or found["key"] != key:
            found = {"key": key, **self.walked(self.tests[name], path + ".passed")}
            build.store(path, found)
        return found

    def walked(self, test, path):
        with open(path, "wb") as file:
            file.write(bytes(BYTES))
        ended = self.place.run(test, SLOWEST, 4 * SLOWEST, {"PTO_PLANTED_PASSED": path})
        with open(path, "rb") as file:
            passed = [n for n, byte in enumerate(file.read()) if byte]
        os.unlink(path)
        return {"status": ended.status, "cpu": ended.cpu, "passed": passed}

    def tests_of(self, number):
        return [name for name in self.passed if number in self.passed[name]]

    def wake(self, name, numbers):
        """Run a test with some faults awake: (whether it passed, seconds of processor)."""
        usual = self.cpu[name]
        ended = self.place.run(self.tests[name], 3 + 2 * usual, 30 + 20 * usual,
                               {"PTO_PLANTED": ",".join(map(str, numbers))} if numbers else {})
        return ended.status == 0, ended.cpu

    def same_code(self, number):
        """Does the optimiser make the same of the file with the fault and without?"""
        fault = self.drawn[number][1]
        path = os.path.join(self.place.tree, fault.file)
        status = os.stat(path)
        with open(path) as file:
            planted = file.read()
        made = []
        for text in (self.sources[fault.file], plant.planted(self.sources[fault.file], fault)):
            self.write(fault.file, text)
            made.append(self.place.optimised(fault.file))
        self.write(fault.file, planted)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        return made[0] == made[1]
