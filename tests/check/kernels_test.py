"""Correct kernels have no finding, whatever the ranks, cores, costs and launches; broken ones have
exactly theirs.  Then the options that filter, suppress and report."""

import json
import os
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
import schema  # noqa: E402
from pto import ptovm  # noqa: E402


def kernel(name):
    return pto.kernel(name + ".pto")


def tests_of(*parts):
    return pto.source("tests", "check", *parts)


def line_of(name, text):
    return pto.line_of(kernel(name), text, comments=False)


def check(*arguments):
    """Exit status and report of a checked run."""
    done = ptovm("check", "--json", *arguments)
    if not done.out:
        raise AssertionError(done.err)
    return done.code, schema.load(done.out, "report")


def leading(report):
    """The findings that the text shows without -v."""
    return [f for f in report["findings"] if "follows" not in f]


def texts(report):
    return [" ".join([f["kind"]] + [str(a["line"]) for a in f["accesses"]])
            for f in leading(report)]


VADD = ["--in", "a=iota", "--in", "b=iota", "--cores", 2]


class Correct(unittest.TestCase):
    def clean(self, name, *arguments):
        for jitter in (0, 7):
            for profile in ("a2", "a5"):
                options = ["--jitter", jitter, "-p", profile, *arguments]
                with self.subTest(name=name, options=options):
                    code, report = check(kernel(name), *options)
                    self.assertEqual((code, texts(report)), (0, []))

    def test_basic(self):
        for n in (1, 8191, 100001):
            self.clean("basic/vadd", "--set", "n=%d" % n, *VADD)
        self.clean("basic/softmax", "--set", "rows=45", "--set", "cols=33", "--in", "x=random",
                   "--cores", 2, "--repeat", 2)

    def test_matmul(self):
        for name in ("matmul/gemm", "matmul/gemm_f16"):
            self.clean(name, "--set", "m=130", "--set", "k=300", "--set", "n=270", "--in",
                       "a=random", "--in", "b=random", "--cores", 2)

    def test_allreduce(self):
        for ranks in (1, 2, 3, 5, 8):
            for cores in (1, 3):
                self.clean("collective/allreduce_ring", "--ranks", ranks, "--cores", cores,
                           "--set", "count=30011", "--in", "x=random", "--repeat", 2)
        self.clean("collective/allreduce_ring", "-D", "TYPE=f16", "--ranks", 4, "--cores", 2,
                   "--set", "count=10007", "--set", "snapshots=3", "--in", "x=random",
                   "--slow-rank", "1=4", "--join", "--repeat", 2)

    def test_barrier(self):
        for ranks in (1, 2, 4):
            self.clean("collective/device_barrier", "--ranks", ranks, "--cores", 3, "--repeat", 2)


class Broken(unittest.TestCase):
    def test_missing_sync(self):
        name = "broken/vadd_missing_sync"
        code, report = check(kernel(name), "--set", "n=5000", *VADD)
        second = line_of(name, "TLOAD  tb")
        add = line_of(name, "TADD")
        self.assertEqual(code, 4)
        self.assertEqual(report["status"], "findings")
        for finding in leading(report):
            self.assertEqual(finding["kind"], "race-raw")
            self.assertEqual(finding["accesses"][1]["line"], add)
            self.assertIn(finding["accesses"][0]["line"], (second - 1, second))
            self.assertRegex(finding["advice"], r"set_flag MTE2, V, %%s after .*:\d+ and "
                                                r"wait_flag MTE2, V, %%s before .*:%d$" % add)
        self.assertIn(second, [f["accesses"][0]["line"] for f in leading(report)])

    def test_missing_wait(self):
        name = "broken/vadd_missing_wait"
        code, report = check(kernel(name), "--set", "n=5000", *VADD)
        self.assertEqual(code, 1)
        kinds = {f["kind"] for f in leading(report)}
        self.assertEqual(kinds, {"race-raw", "token-left"})
        left = [f for f in report["findings"] if f["kind"] == "token-left"]
        self.assertEqual([f["accesses"][0]["line"] for f in left],
                         [line_of(name, "set_flag  MTE2, V")])

    def test_missing_set(self):
        code, report = check(kernel("broken/vadd_missing_set"), "--set", "n=5000", *VADD)
        self.assertEqual((code, report["status"], report["findings"]), (3, "deadlock", []))

    def test_barrier_literal(self):
        name = "broken/device_barrier_literal"
        code, report = check(kernel(name), "--ranks", 3, "--cores", 2)
        self.assertEqual((code, texts(report)),
                         (4, ["signal-reused %d" % line_of(name, "TWAIT sync[%p]")]))
        self.assertEqual((report["findings"][0]["ranks"], report["findings"][0]["cores"]), (3, 3))


# Each instruction needs the one before it: on a2 a barrier between them, on a5 none.
CHAIN = (".kernel chain\n.mix 1:1\n.core aiv\n.tile t : ub f32[1, 8]\n    TEXPANDS t, 1.0\n" +
         "    pipe_barrier V\n    TADDS t, t, 1.0\n" * 4)

CROSSED = """.kernel crossed
.in  x : f32[1, 8]
.out y : f32[1, 8]
.core aiv
.tile t : ub f32[1, 8]
    TLOAD t, x
    set_flag  MTE2, MTE3, 0
    wait_flag MTE2, %s, 0
    TSTORE y, t
"""

BARRIER = """.kernel barrier
.mix 1:1
.signal come[1]
.core aiv
    .if block_id() == 0
        sync_all aiv
    .else
        TWAIT come, ge, 1
    .endif
"""

CROSS = """.kernel cross
.mix 1:1
.core aiv
    .if block_id() == 0
        set_flag_dev MTE3, 0, 3
        wait_flag_dev 3
    .else
        wait_flag_dev 4
    .endif
"""


class Deadlock(unittest.TestCase):
    """What nearly ended a wait, and what everybody did last."""

    def waits(self, text, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".pto") as file:
            file.write(text)
            file.flush()
            code, report = check(file.name, *options)
            self.assertEqual(code, 3)
            shown = ptovm("run", file.name, *options).err
        return {(w["core"], w["pipe"]): w for w in report["waits"]}, shown

    def test_other_pipe(self):
        waits, shown = self.waits(CROSSED % "V", "--in", "x=iota", "--cores", 1)
        pipe = waits["aiv0.0", "V"]
        self.assertEqual((pipe["state"], pipe["wants"], pipe["at"]["line"]),
                         ("waits", "set_flag MTE2, V, 0", 8))
        self.assertEqual(pipe["nearest"][0]["text"], "a token MTE2, MTE3, 0 is set")
        self.assertEqual(pipe["nearest"][0]["at"]["line"], 7)
        self.assertNotIn("last", pipe)
        self.assertEqual(waits["aiv0.0", "MTE3"]["last"]["instruction"], "TSTORE")
        self.assertRegex(shown, r"pipe V at .*:8; nearest: a token MTE2, MTE3, 0 is set at .*:7")

    def test_set_behind(self):
        text = CROSSED.replace("set_flag  MTE2, MTE3, 0", "").replace(
            "    TSTORE", "    wait_flag S, V, 1\n    set_flag MTE2, V, 0\n    TSTORE")
        waits, _ = self.waits((text % "S").replace("S, 0", "S, 3"), "--in", "x=iota",
                              "--cores", 1)
        scalar = waits["aiv0.0", "S"]
        self.assertEqual(scalar["wants"], "set_flag MTE2, S, 3")
        self.assertEqual(scalar["nearest"],
                         [{"text": "no instruction sets it, nor a flag that differs in one part"}])
        self.assertEqual(waits["aiv0.0", "MTE2"]["state"], "idle")
        self.assertEqual(waits["aiv0.0", "MTE2"]["last"]["instruction"], "TLOAD")

    def test_barrier(self):
        waits, shown = self.waits(BARRIER, "--cores", 2)
        first, second = waits["aiv0.0", "S"], waits["aiv1.0", "S"]
        self.assertEqual(first["wants"], "sync_all aiv")
        self.assertEqual([n["text"] for n in first["nearest"]], ["aiv1.0 has not come"])
        self.assertEqual(first["nearest"][0]["at"]["line"], 8)
        self.assertEqual(second["wants"], "come[0] ge 1, which is 0")
        self.assertEqual(second["nearest"],
                         [{"text": "no instruction of this kernel notifies 'come'"}])
        self.assertIn("nearest: aiv1.0 has not come at", shown)

    def test_cross(self):
        waits, _ = self.waits(CROSS, "--cores", 2)
        self.assertEqual([n["text"] for n in waits["aiv0.0", "S"]["nearest"]],
                         ["aiv0.0 has set it; its partners have not"])
        self.assertEqual(waits["aiv1.0", "S"]["wants"], "cross-core flag 4")

    def test_ended(self):
        text = BARRIER.replace("sync_all aiv", "mov %x, 1")
        waits, _ = self.waits(text, "--ranks", 2, "--cores", 2)
        self.assertEqual(waits["aiv0.0", "S"]["state"], "ended")


class Options(unittest.TestCase):
    broken = (kernel("broken/vadd_missing_sync"), "--set", "n=5000") + tuple(VADD)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pto-check-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def test_off(self):
        self.assertEqual(ptovm("run", *self.broken).code, 0)

    def test_on(self):
        done = ptovm("--check", "run", *self.broken)
        self.assertEqual(done.code, 4)
        self.assertIn("[race-raw]", done.err)
        self.assertIn("advice: set_flag MTE2, V, %s", done.err)

    def test_round_a_loop(self):
        back = pto.source("tests", "check", "litmus", "double_buffer_back_edge.pto")
        done = ptovm("check", "--cores", 1, "--in", "a=iota", back)
        self.assertRegex(done.err, r":13:9: finding: TLOAD writes ub in the next turn without "
                                   r"waiting for TADDS, which reads what was there")
        self.assertNotIn("next turn", ptovm("check", *self.broken).err)

    def test_verbose_shows_more(self):
        few = ptovm("check", *self.broken).err.count("finding: ")
        more = ptovm("check", "-v", *self.broken).err.count("finding: ")
        self.assertGreater(more, few)

    def test_redundant(self):
        path = self.write("chain.pto", CHAIN)
        for profile, notes in (("a2", 0), ("a5", 4)):
            done = ptovm("check", "-v", "-p", profile, path)
            self.assertEqual(done.code, 0)
            self.assertEqual(done.err.count("note: pipe_barrier adds no order"), notes)

    def test_notes(self):
        path = self.path("notes.sarif")
        _, report = check(self.write("chain.pto", CHAIN), "-p", "a5", "--sarif", path)
        notes = [(n["kind"], n["line"]) for n in report["notes"]]
        with open(path) as file:
            run = json.load(file)["runs"][0]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        found = [(r["ruleId"], r["locations"][0]["physicalLocation"]["region"]["startLine"])
                 for r in run["results"]]
        self.assertEqual(len([n for n in report["notes"]
                              if n["message"].startswith("pipe_barrier ")]), 4)
        self.assertEqual(found, notes)
        for result in run["results"]:
            self.assertEqual(result["level"], "note")
            self.assertEqual(rules[result["ruleIndex"]], "redundant-sync")

    def test_notes_waited(self):
        text = CROSSED.replace("TSTORE y, t", "TSTORE y, t\n    set_flag MTE2, MTE3, 1\n"
                               "    wait_flag MTE2, MTE3, 1") % "MTE3"
        _, report = check(self.write("twice.pto", text), "--in", "x=iota", "--cores", 1)
        self.assertEqual([(n["kind"], n["line"], n["count"] > 0, n["waited_ps"])
                          for n in report["notes"]], [("redundant-sync", 11, True, 0)])

    def test_redundant_as_a_whole(self):
        """What round a loop adds no order is named with all that has to go with it, and can go; a
        drain that adds none, but takes a token that the loop needs, is not named."""
        path = tests_of("advice", "vadd_flags.pto")
        with open(path) as file:
            text = file.read()
        options = ["-D", "CHUNK=64", "--set", "n=700", *VADD]
        _, report = check(path, *options)
        self.assertEqual(report["notes"], [])
        twice = text
        for flag, first in (("set_flag MTE3, MTE2, %d", False), ("wait_flag MTE3, MTE2, %d", False),
                            ("wait_flag MTE3, MTE2, %%%s", True),
                            ("set_flag MTE3, MTE2, %%%s", True)):
            for old, new in (("s", "t"),) if first else ((0, 4), (1, 5)):
                line = "    " + flag % old
                at = twice.index(line) + len(line)
                twice = twice[:at] + "\n    " + flag % new + twice[at:]
        twice = twice.replace("        wait_flag MTE3, MTE2, %s\n    wait",
                              "        %t = %s + 4\n        wait_flag MTE3, MTE2, %s\n    wait")
        path = self.write("twice.pto", twice)
        lines = [i for i, line in enumerate(twice.split("\n"), 1)
                 if re.search(r"MTE3, MTE2, (4|5|%t)\b", line)]
        code, report = check(path, *options)
        self.assertEqual((code, len(lines)), (0, 6), twice)
        for note in report["notes"]:
            self.assertIn(note["line"], lines)
            for line in lines:
                self.assertIn("%s:%d" % (path, line), note["message"] + "%s:%d" % (
                    path, note["line"]))
        self.assertEqual(len(report["notes"]), 3)
        rest = [line for i, line in enumerate(twice.split("\n"), 1) if i not in lines]
        self.assertEqual(check(self.write("rest.pto", "\n".join(rest)), *options)[0], 0)

    def test_late_store(self):
        text = (".kernel late\n.mix 1:1\n.param told : i64\n.sym box : f32[1, 8]\n.signal come[1]\n"
                ".core aiv\n.tile t : ub f32[1, 8]\n    TEXPANDS t, 1.0\n"
                "    set_flag V, MTE3, 0\n    wait_flag V, MTE3, 0\n"
                "    TSTORE box@(1 - rank()), t\n    pipe_barrier ALL\n    dsb\n    .if told\n"
                "        TNOTIFY come@(1 - rank())[0], 1, set\n        TWAIT come, ge, 1\n"
                "    .endif\n")
        path = self.write("late.pto", text)
        for told, notes in ((1, []), (0, [("late-store", 11)])):
            code, report = check(path, "--ranks", 2, "--cores", 1, "--set", "told=%d" % told)
            self.assertEqual(code, 0)
            self.assertEqual([(n["kind"], n["line"]) for n in report["notes"]
                              if n["kind"] == "late-store"], notes)

    def test_error_exitcode(self):
        self.assertEqual(ptovm("check", "--error-exitcode", 77, *self.broken).code, 77)
        self.assertEqual(ptovm("check", "--error-exitcode", 0, *self.broken).code, 0)

    def test_suppress(self):
        add = line_of("broken/vadd_missing_sync", "TADD")
        some = self.write("some", "# known\nrace-raw vadd_missing_sync.pto:%d\n" % add)
        other = self.write("other", "race-war *\n")
        every = self.write("every", "* broken/vadd_missing_sync.pto\n")
        part = self.write("part", "* sync.pto\n")
        line = self.write("line", "* vadd_missing_sync.pto:%d\n" % (add + 100))
        self.assertEqual(ptovm("check", "--suppress", every, *self.broken).code, 0)
        self.assertEqual(ptovm("check", "--suppress", other, *self.broken).code, 4)
        self.assertEqual(ptovm("check", "--suppress", part, *self.broken).code, 4)
        self.assertEqual(ptovm("check", "--suppress", line, *self.broken).code, 4)
        code, report = check("--suppress", some, *self.broken)
        self.assertEqual(code, 4)
        self.assertNotIn(("race-raw", add), [(f["kind"], f["accesses"][-1]["line"])
                                             for f in report["findings"]])
        self.assertTrue(leading(report))
        for text, at in (("race-raw", 1), *(("* sync.pto:" + line, 12) for line in (
                "", "x", "17x", "0", "-1", "4294967296", "0x11", "1K"))):
            done = ptovm("check", "--suppress", self.write("wrong", text + "\n"), *self.broken)
            self.assertEqual((done.code, "wrong:1:%d: error:" % at in done.err), (2, True), text)

    def test_filters(self):
        for options, code in ((["--check-kind", "race-raw"], 4), (["--check-kind", "race-war"], 0),
                              (["--check-rank", 0], 4), (["--check-rank", 1], 2),
                              (["--check-kernel", "vadd_missing_sync"], 4),
                              (["--check-kernel", "other"], 2), (["--check-kind", "race"], 2)):
            with self.subTest(options=options):
                self.assertEqual(ptovm("check", *options, *self.broken).code, code)

    def test_a_filter_leaves_what_follows_from_others(self):
        for kind in ("race-waw", "uninitialised-read", "set-on-pending"):
            code, report = check("--check-kind", kind, *self.broken)
            self.assertEqual((code, [f["kind"] for f in leading(report)]), (4, [kind]))
        code, report = check(*self.broken)
        self.assertEqual({f["kind"] for f in leading(report)}, {"race-raw"})

    def test_pending_token_of_other_pipes_leads(self):
        text = (".kernel pending\n.mix 1:1\n.in x : f32[1, 8]\n.out y : f32[1, 8]\n.core aiv\n"
                ".tile t : ub f32[1, 8]\n    TLOAD t, x\n    TSTORE y, t\n"
                "    .for %i = 0 to 2\n        set_flag S, V, 0\n        wait_flag S, V, 0\n"
                "    .endfor\n")
        path = self.write("pending.pto", text)
        _, report = check(path, "--in", "x=iota", "--cores", 1)
        self.assertEqual(sorted(texts(report)), ["race-raw 7 8", "set-on-pending 11 10"])

    def test_rank_of_a_later_occurrence(self):
        put = (kernel("broken/put_missing_publish"), "--ranks", 3, "--set", "n=5000", "--in",
               "x=iota")
        for rank in range(3):
            self.assertEqual(check(*put, "--check-rank", rank)[0], 4)

    def test_kernel_of_a_leftover(self):
        left = (kernel("broken/vadd_missing_wait"), "--set", "n=5000") + tuple(VADD)
        _, report = check(*left, "--check-kernel", "vadd_missing_wait")
        self.assertEqual({f["kind"] for f in leading(report)}, {"race-raw", "token-left"})

    def test_wait_graph(self):
        path = self.path("waits.dot")
        done = ptovm("run", "--wait-graph", path, kernel("broken/vadd_missing_set"),
                     *self.broken[1:])
        self.assertEqual(done.code, 3)
        with open(path) as file:
            text = file.read()
        self.assertTrue(text.startswith("digraph waits {") and text.endswith("}\n"))
        self.assertIn('"r0 aiv0.0 V" -> "r0 aiv0.0 MTE2" [label="(MTE2, V, 0)"];', text)
        self.assertIn('"r0 aiv0.0 MTE3" -> "r0 aiv0.0 V"', text)

    def test_sarif(self):
        path = self.path("report.sarif")
        ptovm("check", "--sarif", path, *self.broken)
        with open(path) as file:
            run = json.load(file)["runs"][0]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        findings = [result for result in run["results"] if result["level"] == "error"]
        leading = [result for result in findings if "properties" not in result]
        self.assertTrue(leading)
        for result in findings:
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])
            if "properties" in result:
                self.assertIn(findings[result["properties"]["follows"]], leading)
        for result in leading:
            place = result["locations"][0]["physicalLocation"]
            self.assertEqual(place["region"]["startLine"],
                             line_of("broken/vadd_missing_sync", "TADD"))

    def sarif(self, *arguments):
        path = self.path("report.sarif")
        code = ptovm("check", "--sarif", path, *arguments).code
        with open(path) as file:
            run = json.load(file)["runs"][0]
        self.assertEqual(run["invocations"][0]["exitCode"], code)
        for result in run["results"]:
            self.assertEqual(run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"],
                             result["ruleId"])
        return run

    def place(self, result):
        place = result["locations"][0]["physicalLocation"]
        return place["artifactLocation"]["uri"], place["region"]["startLine"]

    def test_sarif_of_runs_that_end_early(self):
        text = ".kernel ends\n.mix 1:1\n.signal come[1]\n.core aiv\n    %s\n"
        for what, end in (("TWAIT come, ge, 1", "deadlock"),
                          ("%x = rank() + 9\n    TWAIT come[%x], ge, 1", "fault"),
                          (".for %i = 0 to 100000\n    .endfor", "limit")):
            path = self.write("%s ends.pto" % end, text % what)
            run = self.sarif(path, "--cores", 1, "--max-insns", 10000)
            with self.subTest(end=end):
                self.assertEqual([r["ruleId"] for r in run["results"] if r["level"] == "error"],
                                 [end])
                self.assertFalse(run["invocations"][0]["executionSuccessful"])
                self.assertEqual(run["invocations"][0]["exitCodeDescription"], end)
                uri = self.place(run["results"][0])[0]
                self.assertTrue(uri.startswith("file:///") and
                                uri.endswith("/%s%%20ends.pto" % end), uri)

    def test_sarif_rules_and_paths(self):
        """Every kind says what it is about; places end, and lie in the repository."""
        os.mkdir(self.path(".git"))
        os.mkdir(self.path("sub"))
        shutil.copy(kernel("broken/vadd_missing_sync"), self.path("sub/k.pto"))
        run = self.sarif(self.path("sub/k.pto"), *self.broken[1:])
        for rule in run["tool"]["driver"]["rules"]:
            self.assertTrue(rule["fullDescription"]["text"].endswith("."), rule)
            self.assertRegex(rule["help"]["text"], r"docs/\w+\.md")
        kinds = {r["id"]: r for r in run["tool"]["driver"]["rules"]}
        self.assertEqual(kinds["race-raw"]["fullDescription"]["text"],
                         "A read does not wait for the write that it needs.")
        self.assertEqual([kinds[k]["defaultConfiguration"]["level"]
                          for k in ("race-raw", "redundant-sync", "deadlock")],
                         ["error", "note", "error"])
        place = run["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"], {"uri": "sub/k.pto", "uriBaseId": "SRCROOT"})
        self.assertEqual(place["region"]["endColumn"] - place["region"]["startColumn"], len("TADD"))
        self.assertEqual(run["originalUriBaseIds"]["SRCROOT"]["uri"],
                         "file://%s/" % os.path.realpath(self.path("")).rstrip("/"))

    def test_sarif_of_no_run(self):
        run = self.sarif(self.write("no.pto", ".kernel\n"))
        notes = run["invocations"][0]["toolConfigurationNotifications"]
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        self.assertEqual([self.place(note)[1] for note in notes], [1])

    def test_sarif_of_leftovers(self):
        run = self.sarif(kernel("broken/vadd_missing_wait"), "--set", "n=5000", *VADD)
        self.assertTrue(run["invocations"][0]["executionSuccessful"])
        self.assertNotIn("fault", [r["ruleId"] for r in run["results"]])

    def test_fingerprints(self):
        """A finding is recognised when the text before it grows, and no two are alike."""
        with open(kernel("broken/vadd_missing_sync")) as file:
            text = file.read()
        prints, lines = [], []
        for before in ("", "; one more line\n"):
            run = self.sarif(self.write("again.pto", before + text), *self.broken[1:])
            prints.append([r["partialFingerprints"]["primaryLocationLineHash"]
                           for r in run["results"]])
            lines.append([self.place(r)[1] for r in run["results"]])
        self.assertEqual(prints[0], prints[1])
        self.assertEqual(len(set(prints[0])), len(prints[0]))
        self.assertEqual([line + 1 for line in lines[0]], lines[1])


if __name__ == "__main__":
    unittest.main()
