"""ptodbg --dap: what an editor asks for, over pipes, and what nobody should send."""
import base64
import os
import re
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import dap_client  # noqa: E402
import pto  # noqa: E402

ADD = ["--cores", "1", "--set", "n=200", "--in", "a=iota", "--in", "b=const:0.5"]
STUCK = ["--cores", "1", "--in", "a=ones"]
PATH = os.path.join(dap_client.FOLDER, "add.pto")


def line(text):
    return pto.line_of(PATH, text)


class Case(unittest.TestCase):
    def setUp(self):
        self.client = dap_client.Client()
        self.addCleanup(self.leave)

    def leave(self):
        if not self.client.process.stdin.closed:
            self.assertEqual(self.client.end(), (0, ""))

    def where(self):
        """The line of the innermost frame where the last stop was."""
        frames = self.client.body("stackTrace", threadId=self.thread)["stackFrames"]
        return frames[0]["line"]

    def stop(self):
        body = self.client.stopped()
        self.thread = body["threadId"]
        return body

    def go(self, command, **arguments):
        self.client.body(command, threadId=self.thread, **arguments)
        return self.stop()

    def start(self, *args, program="add.pto", **more):
        self.client.launch(program, *args, stopOnEntry=True, **more)
        self.client.body("configurationDone")
        return self.stop()

    def value(self, expression):
        return self.client.body("evaluate", expression=expression, context="watch")["result"]

    def scopes(self):
        frame = self.client.body("stackTrace", threadId=self.thread)["stackFrames"][0]["id"]
        return {s["name"]: s["variablesReference"]
                for s in self.client.body("scopes", frameId=frame)["scopes"]}

    def variables(self, reference, **page):
        return self.client.body("variables", variablesReference=reference, **page)["variables"]

    def named(self, scope):
        return {v["name"]: v for v in self.variables(self.scopes()[scope])}


class Running(Case):
    def test_lines_and_conditions(self):
        self.client.launch("add.pto", *ADD)
        got = self.client.body("setBreakpoints", source={"path": PATH}, breakpoints=[
            {"line": line("TADD"), "condition": "%off == 128"}, {"line": line("TSTORE"),
                                                                 "hitCondition": "3"},
            {"line": 4000}, {"line": line("TADD"), "condition": "%nix > 0"}])["breakpoints"]
        self.assertEqual([b["verified"] for b in got], [True, True, False, False])
        self.assertEqual(got[0]["line"], line("TADD"))
        self.assertEqual(got[0]["source"]["path"], PATH)
        self.assertIn("nix", got[3]["message"])
        self.client.body("configurationDone")
        stop = self.stop()
        self.assertEqual((stop["reason"], stop["hitBreakpointIds"]), ("breakpoint", [1]))
        self.assertEqual(self.where(), line("TADD"))
        self.assertEqual(self.value("%off"), "128")
        self.assertEqual(self.go("continue")["hitBreakpointIds"], [2])
        self.assertEqual(self.value("off"), "128")
        self.client.body("setBreakpoints", source={"path": PATH}, breakpoints=[])
        self.client.body("continue", threadId=self.thread)
        self.assertEqual(self.client.event("exited")["body"], {"exitCode": 0})
        self.client.event("terminated")

    def test_lines_that_no_instruction_comes_from(self):
        self.client.launch("add.pto", *ADD)
        got = self.client.body("setBreakpoints", source={"path": "/elsewhere/add.pto"},
                               breakpoints=[{"line": 3}])["breakpoints"]
        self.assertFalse(got[0]["verified"])
        got = self.client.body("setBreakpoints", source={"path": PATH},
                               breakpoints=[{"line": 1}])["breakpoints"]
        self.assertGreater(got[0]["line"], 1)

    def test_steps_forward_and_back(self):
        self.assertEqual(self.start(*ADD)["reason"], "entry")
        first = self.where()
        self.assertEqual(self.go("next")["reason"], "step")
        second = self.where()
        self.assertGreater(second, first)
        self.go("stepIn")
        self.go("stepBack")
        self.assertEqual(self.where(), second)
        self.go("stepIn", granularity="instruction")
        self.go("stepBack", granularity="instruction")
        self.assertEqual(self.where(), second)
        self.client.body("setFunctionBreakpoints", breakpoints=[{"name": "TADD"}])
        self.go("continue")
        self.go("continue")
        there = self.where(), self.thread
        self.go("continue")
        self.go("reverseContinue")
        self.assertEqual((self.where(), self.thread), there)
        self.assertEqual(there[0], line("TADD"))

    def test_into_and_out_of_a_macro(self):
        path = os.path.join(dap_client.FOLDER, "ring.pto")
        self.start(program="ring.pto", ranks=3, cores=1)
        self.client.body("setBreakpoints", source={"path": path}, breakpoints=[
            {"line": pto.line_of(path, "hand_on 100")}])
        self.go("continue")
        frames = self.client.body("stackTrace", threadId=self.thread)["stackFrames"]
        self.assertEqual([f["line"] for f in frames], [pto.line_of(path, "%next = mod"),
                                                       pto.line_of(path, "hand_on 100")])
        self.assertEqual([f["name"].split(":")[0] for f in frames], ["hand_on", "ring"])
        self.go("stepIn")
        self.assertEqual(self.where(), pto.line_of(path, "st t[0](0, 0), value"))
        self.go("stepOut")
        self.assertEqual(self.where(), pto.line_of(path, "TWAIT ready"))

    def test_pause_of_a_run_without_end(self):
        self.client.launch("forever.pto", "--cores", "1")
        self.client.body("configurationDone")
        self.assertEqual(len(self.client.body("threads")["threads"]), 2)
        self.assertFalse(self.client.ask("scopes", frameId=1)["success"])
        self.client.body("setFunctionBreakpoints", breakpoints=[])
        self.client.body("pause", threadId=1)
        self.assertEqual(self.stop()["reason"], "pause")
        self.client.body("continue", threadId=self.thread)
        self.client.body("terminate")
        self.client.event("exited")
        self.client.event("terminated")

    def test_disconnect_while_it_runs(self):
        self.client.launch("forever.pto", "--cores", "1")
        self.client.body("configurationDone")
        self.client.body("disconnect")
        self.client.process.wait()

    def test_end_of_the_input_while_it_runs(self):
        self.client.launch("forever.pto", "--cores", "1")
        self.client.body("configurationDone")
        self.assertEqual(self.client.end(), (0, ""))

    def test_restart_and_stop_on_end(self):
        self.start(*ADD, stopOnEnd=True)
        self.assertEqual(self.go("continue")["reason"], "end")
        self.assertEqual(self.value("c@0[3]{1, 1}").splitlines()[2].split(), ["0", "3.5"])
        self.go("stepBack")
        self.client.body("restart")
        self.assertEqual(self.stop()["reason"], "entry")

    def ends(self):
        """How often it was told up to now that the program is over."""
        self.client.ask("threads")
        return [m.get("event") for m in self.client.came].count("terminated")

    def test_an_end_is_told_once(self):
        """aic0 has no program: it makes no steps, whether it is named or in focus."""
        self.client.launch("add.pto", *ADD)
        self.client.body("configurationDone")
        self.assertIn("no such thread", self.client.ask("stepBack", threadId=1)["message"])
        self.assertEqual(self.ends(), 1)
        self.client.body("evaluate", expression="focus aic0", context="repl")
        for name in ("stepBack", "next", "stepOut"):
            self.assertIn("aic0 has no program", self.client.ask(name)["message"])
        self.assertIn("has ended", self.client.ask("continue")["message"])
        self.assertEqual(self.ends(), 1)

    def test_an_end_that_is_come_to_again_is_told_again(self):
        self.client.launch("add.pto", *ADD)
        self.client.body("configurationDone")
        self.client.event("terminated")
        self.client.body("evaluate", expression="goto 100", context="repl")
        self.client.body("continue", threadId=self.stop()["threadId"])
        self.client.event("terminated")
        self.assertFalse(self.client.ask("next", threadId=self.thread)["success"])

    def test_what_was_terminated_goes_nowhere(self):
        self.start(*ADD)
        self.client.body("terminate")
        self.client.event("terminated")
        for name in ("next", "continue", "stepBack", "reverseContinue"):
            self.assertIn("terminated", self.client.ask(name, threadId=self.thread)["message"])
        self.assertEqual(self.ends(), 0)
        self.client.body("restart")
        self.assertEqual(self.stop()["reason"], "entry")

    def test_threads_that_are_none(self):
        self.start(*ADD)
        for thread in (1, 0, -1, 4, 99, 2 ** 62, "2", None):
            self.assertFalse(self.client.ask("stackTrace", threadId=thread)["success"], thread)
        for name in ("stackTrace", "scopes"):
            self.assertFalse(self.client.ask(name, frameId=1 << 16)["success"])
        for thread in self.client.body("threads")["threads"]:
            self.client.body("stackTrace", threadId=thread["id"])

    def test_faults_and_deadlocks(self):
        self.assertEqual(self.client.begin("stuck.pto", *STUCK)["reason"], "exception")
        self.client.came.clear()
        info = self.client.body("exceptionInfo", threadId=1)
        self.assertEqual(info["exceptionId"], "deadlock")
        self.assertIn("waits for", info["details"]["message"])
        self.client.body("continue")
        self.assertEqual(self.client.event("exited")["body"], {"exitCode": 3})

    def test_findings_of_the_checker(self):
        self.client.launch("race.pto", "--in", "a=iota", cores=1, check=True)
        self.client.body("setExceptionBreakpoints", filters=["finding"])
        self.client.body("configurationDone")
        self.assertEqual(self.stop()["reason"], "exception")
        info = self.client.body("exceptionInfo", threadId=1)
        self.assertEqual(info["exceptionId"], "finding")
        self.client.body("setExceptionBreakpoints", filters=[])
        self.client.body("continue", threadId=self.thread)
        self.assertEqual(self.client.event("exited", "stopped")["body"], {"exitCode": 4})


class Looking(Case):
    def setUp(self):
        super().setUp()
        self.start(*ADD)
        self.client.body("setFunctionBreakpoints", breakpoints=[{"name": "TSTORE"}])
        self.go("continue")

    def test_windows_that_are_evaluated(self):
        window = self.client.body("evaluate", expression="a[100]{1, 60}", context="watch")
        self.assertEqual(window["indexedVariables"], 60)
        self.assertEqual(len(self.variables(window["variablesReference"])), 60)

    def test_threads(self):
        threads = self.client.body("threads")["threads"]
        self.assertEqual([t["name"] for t in threads], ["rank 0 aiv0.0", "rank 0 aiv0.1"])
        self.assertIn(self.thread, [t["id"] for t in threads])

    def test_registers_flags_and_queues(self):
        self.assertEqual(self.named("Registers")["%n"]["value"], "200")
        self.assertIn("1 token", self.named("Flags")["MTE3->MTE2 1"]["value"])
        pipe = self.named("Pipes")["V"]
        entries = self.variables(pipe["variablesReference"])
        self.assertIn("wait_flag MTE2, V, 0", entries[0]["value"])
        self.assertEqual(pipe["value"].split()[0], str(len(entries)))

    def test_elements_by_pages(self):
        a = self.named("Global memory")["a@0"]
        self.assertEqual(a["indexedVariables"], 200)
        page = self.variables(a["variablesReference"], start=190, count=4)
        self.assertEqual([(v["name"], v["value"]) for v in page],
                         [("[%d]" % i, str(i)) for i in range(190, 194)])
        self.assertEqual(len(self.variables(a["variablesReference"], start=198, count=9)), 2)
        self.assertIn("190", self.value(page[0]["evaluateName"]))
        self.assertIn("ta[1]", self.named("Tiles"))

    def test_arrays(self):
        seen = self.named("Local arrays")["seen"]
        self.assertEqual(seen["indexedVariables"], 4)
        self.assertEqual(len(self.variables(seen["variablesReference"])), 4)

    def test_references_end_where_the_machine_goes_on(self):
        reference = self.scopes()["Registers"]
        self.go("next")
        self.assertFalse(self.client.ask("variables", variablesReference=reference)["success"])

    def test_data_breakpoints(self):
        c = self.named("Global memory")["c@0"]
        info = self.client.body("dataBreakpointInfo", name="[130]",
                                variablesReference=c["variablesReference"])
        self.client.body("setFunctionBreakpoints", breakpoints=[])
        got = self.client.body("setDataBreakpoints", breakpoints=[
            {"dataId": info["dataId"], "accessType": "write"}, {"dataId": "nix"}])["breakpoints"]
        self.assertEqual([b["verified"] for b in got], [True, False])
        stop = self.go("continue")
        self.assertEqual((stop["reason"], stop["hitBreakpointIds"]),
                         ("data breakpoint", [got[0]["id"]]))
        self.assertIn("130.5", self.value("c@0[130]{1, 1}"))
        for name, reference, key, value in (("V", self.scopes()["Pipes"], "dataId", None),
                                            ("%off", 0, "accessTypes", ["write"])):
            info = self.client.body("dataBreakpointInfo", name=name, variablesReference=reference)
            self.assertEqual(info[key], value)

    def test_memory(self):
        """Bytes of an object, of a tile, and beyond their ends."""
        a = self.named("Global memory")["a@0"]["memoryReference"]
        got = self.client.body("readMemory", memoryReference=a, offset=400, count=12)
        self.assertEqual(base64.b64decode(got["data"]), struct.pack("<3f", 100, 101, 102))
        self.assertEqual(int(got["address"], 16), 400)
        self.assertNotIn("unreadableBytes", got)
        got = self.client.body("readMemory", memoryReference=a, count=12)
        self.assertEqual((base64.b64decode(got["data"]), int(got["address"], 16)),
                         (struct.pack("<3f", 0, 1, 2), 0))
        for count in range(5):  # all remainders of groups of three
            got = self.client.body("readMemory", memoryReference=a, offset=400, count=count)
            self.assertEqual(base64.b64decode(got.get("data", "")),
                             struct.pack("<2f", 100, 101)[:count])
        got = self.client.body("readMemory", memoryReference=a, offset=796, count=10)
        self.assertEqual(base64.b64decode(got["data"]), struct.pack("<f", 199))
        self.assertEqual(got["unreadableBytes"], 6)
        got = self.client.body("readMemory", memoryReference=a, offset=800, count=10)
        self.assertEqual((got.get("data"), got["unreadableBytes"]), (None, 10))
        window = self.client.body("evaluate", expression="a[100]{1, 60}", context="watch")
        got = self.client.body("readMemory", memoryReference=window["memoryReference"],
                               offset=-4, count=8)
        self.assertEqual(base64.b64decode(got["data"]), struct.pack("<2f", 99, 100))

    def test_memory_of_tiles(self):
        self.client.body("setFunctionBreakpoints", breakpoints=[])
        self.client.body("evaluate", expression="goto-time 1.35us", context="repl")
        self.stop()
        tile = self.named("Tiles")["ta[1]"]
        rows = self.variables(tile["variablesReference"], count=8)
        got = self.client.body("readMemory", memoryReference=tile["memoryReference"], count=32)
        values = struct.unpack("<8f", base64.b64decode(got["data"]))
        self.assertEqual([float(v["value"]) for v in rows], list(values))
        self.assertEqual(values[:3], (128.5, 129.5, 130.5))

    def test_references_that_are_none(self):
        a = self.named("Global memory")["a@0"]["memoryReference"]
        for reference in (None, "", "a", "a@0", "a@1+0", "a@-1+0", "nix@0+0", "a@0+-1", "a@0+1x",
                          "ub@0.aiv9.9+0", "nix@0.aiv0.0+0", "@+", "a@+0", "x" * 5000 + "@0+0"):
            self.assertFalse(self.client.ask("readMemory", memoryReference=reference,
                                             count=1)["success"], reference)
        for more in ({}, {"count": -1}, {"count": 2 ** 40}, {"count": 1, "offset": -1},
                     {"count": 1, "offset": -2 ** 63}):
            self.assertFalse(self.client.ask("readMemory", memoryReference=a, **more)["success"])
        big = self.client.body("readMemory", memoryReference=a, offset=2 ** 62, count=3)
        self.assertEqual(big["unreadableBytes"], 3)
        pc = self.pointer()
        for reference in (None, "", "0x0", "5", "0xffffffffffff", "0x1", pc + "g"):
            self.assertFalse(self.client.ask("disassemble", memoryReference=reference,
                                             instructionCount=1)["success"], reference)
        for more in ({}, {"instructionCount": -1}, {"instructionCount": 2 ** 40},
                     {"instructionCount": 1, "instructionOffset": 2 ** 62},
                     {"instructionCount": 1, "offset": -2 ** 63}):
            self.assertFalse(self.client.ask("disassemble", memoryReference=pc,
                                             **more)["success"], more)

    def pointer(self):
        frames = self.client.body("stackTrace", threadId=self.thread)["stackFrames"]
        return frames[0]["instructionPointerReference"]

    def test_instructions(self):
        """They are those that the command lists, with what is before the first and behind the
        last one as such."""
        text = self.client.body("evaluate", expression="disassemble all", context="repl")["result"]
        listed = re.findall(r"^(?:=>|  ) +(\d+)  (.*)  ; add\.pto:(\d+)$", text, re.M)
        here = int(re.search(r"^=> +(\d+) ", text, re.M).group(1))
        got = self.client.body("disassemble", memoryReference=self.pointer(),
                               instructionOffset=-here - 2,
                               instructionCount=len(listed) + 4)["instructions"]
        self.assertEqual([g.get("presentationHint") for g in got],
                         ["invalid"] * 2 + [None] * len(listed) + ["invalid"] * 2)
        self.assertEqual([(g["instruction"], g["line"]) for g in got[2:-2]],
                         [(insn, int(number)) for _, insn, number in listed])
        self.assertEqual(got[2 + here]["address"], self.pointer())
        self.assertIn("TSTORE", got[2 + here]["instruction"])
        self.assertEqual(got[2]["location"]["path"], PATH)
        addresses = [int(g["address"], 16) for g in got]
        self.assertEqual(addresses, list(range(addresses[0], addresses[0] + len(got))))
        again = self.client.body("disassemble", memoryReference=got[3]["address"],
                                 instructionCount=1)["instructions"]
        self.assertEqual(again, [got[3]])

    def complete(self, text, column):
        return [(t["label"], t["start"], t["length"]) for t in
                self.client.body("completions", text=text, column=column)["targets"]]

    def test_completions(self):
        self.assertEqual(self.complete("disas", 6), [("disassemble", 1, 5)])
        self.assertEqual(self.complete("info reg", 9), [("registers", 6, 3)])
        self.assertEqual(self.complete("info regXX", 9), [("registers", 6, 3)])
        self.assertEqual(self.complete("p %of", 6), [("%off", 3, 3)])
        self.assertEqual(self.complete("ü𐀀 info", 5), [])
        self.assertEqual(self.complete("info ü𐀀", 9), [])
        self.assertEqual(self.complete("disas", 100), [("disassemble", 1, 5)])
        for wrong in ({}, {"text": "x"}, {"text": "x", "column": 0}, {"text": 5, "column": 1},
                      {"text": "x", "column": -2 ** 63}):
            self.assertFalse(self.client.ask("completions", **wrong)["success"], wrong)

    def test_what_cannot_be_is_refused_with_a_reason(self):
        self.assertIn("no request 'attach'", self.client.ask("attach")["message"])
        self.assertIn("\"memoryReference\"", self.client.ask("writeMemory")["message"])

    def test_console(self):
        answer = self.client.body("evaluate", expression="info flags", context="repl")["result"]
        self.assertIn("MTE3->MTE2 1", answer)
        self.client.body("evaluate", expression="delete", context="repl")
        self.client.body("evaluate", expression="step 2", context="repl")
        self.assertEqual(self.stop()["reason"], "step")
        failed = self.client.ask("evaluate", expression="define mine", context="repl")
        self.assertIn("no lines that follow", failed["message"])
        self.client.body("evaluate", expression="source define.gdb", context="repl")
        answer = self.client.body("evaluate", expression="more 1 2", context="repl")["result"]
        self.assertIn("1 + 2 = 3", answer)
        failed = self.client.ask("evaluate", expression="print nix", context="repl")
        self.assertIn("nothing is called 'nix'", failed["message"])


class Hostile(Case):
    def refused(self, data, reason):
        self.client.raw(data)
        code, err = self.client.end()
        self.assertEqual((code, err), (2, "error: %s\n" % reason))

    def test_lengths_that_are_none(self):
        self.refused(b"Content-Length: -5\r\n\r\n{}", "Content-Length is not a number")

    def test_more_than_anybody_needs(self):
        self.refused(b"Content-Length: 99999999999\r\n\r\n", "Content-Length is above 64 MiB")

    def test_a_client_that_goes_away(self):
        self.client.process.stdout.close()
        # In one piece: the adapter may be gone before a second one is written.
        self.client.raw(2 * dap_client.frame({"seq": 1, "type": "request", "command": "threads"}))
        self.client.process.stdin.close()
        self.assertEqual(self.client.process.wait(), 2)
        self.assertIn(b"the client does not take what it is sent",
                      self.client.process.stderr.read())
        self.client.process.stderr.close()
        self.client.timer.cancel()

    def test_half_a_message(self):
        self.refused(b"Content-Length: 100\r\n\r\n{}", "the input ends within a message")

    def test_no_header(self):
        self.refused(b'{"seq": 1}\n', "a line of the header is not 'Name: value'")

    def test_what_is_no_request(self):
        for data in (b"", b"{", b"[]", b"null", b"{}", b"\xff\xfe", b"[" * 100000, b'{"a": 1e999}',
                     b'{"type": "request"}', b'{"type": "request", "command": 5, "seq": 1}',
                     b'{"type": "request", "command": "threads", "seq": "1"}'):
            self.client.raw(dap_client.frame(data))
            self.assertEqual(self.client.read()["event"], "output", data[:40])
        self.client.body("initialize")

    def test_requests_without_a_program(self):
        for name in ("threads", "continue", "setBreakpoints", "evaluate", "nonsense", "", "%s%n"):
            self.assertFalse(self.client.ask(name)["success"], name)

    def test_launches_that_cannot_be(self):
        for arguments in ({}, {"program": 5}, {"program": "nowhere.pto"}, {"args": "text"},
                          {"program": "add.pto", "ranks": -1}, {"args": [5]},
                          {"program": "golden_test.py"}, {"program": "add.pto", "cwd": "/nowhere"},
                          *({"program": "add.pto", "args": [word, *ADD]}
                            for word in ("--frobnicate", "--batch", "--tui", "--core=x"))):
            self.assertFalse(self.client.ask("launch", **arguments)["success"], arguments)
        self.client.launch("add.pto", *ADD)
        for name in ("launch", "continue"):
            self.assertFalse(self.client.ask(name, program="add.pto", threadId=1)["success"])

    def test_a_failed_launch_keeps_nothing_of_its_options(self):
        self.assertFalse(self.client.ask("launch", program="golden_test.py", args=ADD)["success"])
        self.leave()

    def test_what_is_over_does_not_begin(self):
        self.client.launch("add.pto", *ADD)
        self.client.body("terminate")
        self.client.event("terminated")
        self.assertFalse(self.client.ask("configurationDone")["success"])

    def test_arguments_that_are_none(self):
        self.start(*ADD)
        big = 2 ** 62
        for name, arguments in (
                ("setBreakpoints", {}), ("setBreakpoints", {"source": {"path": 5}}),
                ("stackTrace", {"threadId": big}), ("stackTrace", {"threadId": -1}),
                ("scopes", {"frameId": -big}), ("variables", {"variablesReference": big}),
                ("variables", {"variablesReference": "x"}), ("variables", {}),
                ("evaluate", {}), ("evaluate", {"expression": "1 +"}),
                ("evaluate", {"expression": "(" * 5000}), ("evaluate", {"expression": "a\nb"}),
                ("evaluate", {"expression": "x" * 100000}), ("next", {"threadId": 0}),
                ("next", {"threadId": "x"}), ("a\0b", {}), ("evaluate", {"expression": "1\0"}),
                ("exceptionInfo", {})):
            self.assertFalse(self.client.ask(name, **arguments)["success"], (name, arguments))
        for name, arguments in (
                ("setBreakpoints", {"source": {"path": PATH}, "breakpoints": [
                    5, {}, {"line": -1}, {"line": big}, {"line": 20, "hitCondition": "x"},
                    {"line": 20, "condition": "x" * 5000}]}),
                ("setFunctionBreakpoints", {"breakpoints": [
                    {"name": "a b"}, {"name": "\n"}, {}, None, {"name": "x" * 9000}]}),
                ("setDataBreakpoints", {"breakpoints": [{}, {"dataId": "1"}, {"dataId": "99 %n"}]}),
                ("setExceptionBreakpoints", {"filters": [5, "nix"]})):
            rows = self.client.body(name, **arguments)["breakpoints"]
            self.assertFalse(any(row["verified"] for row in rows), (name, rows))
            self.assertTrue(all(row["message"] for row in rows))


if __name__ == "__main__":
    unittest.main()
