"""Editors that alter a run: setVariable, setExpression, writeMemory, goto. What comes of it is what
the kernel computes from the new values. And breakpoints at instructions, and values that a launch
leaves to a search."""
import base64
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import dap_client  # noqa: E402
import pto  # noqa: E402

ADD = pto.source("tests", "dbg", "add.pto")
INPUTS = ("--cores", "1", "--set", "n=200", "--in", "a=iota", "--in", "b=ones")


class Changing(unittest.TestCase):
    def setUp(self):
        self.client = dap_client.Client()
        self.client.launch("add.pto", *INPUTS, stopOnEnd=True)
        self.client.body("setBreakpoints", source={"path": ADD}, breakpoints=[
            {"line": 26, "condition": "%off == 64"}])
        self.client.body("configurationDone")
        self.thread = self.client.stopped()["threadId"]
        self.look()
        self.addCleanup(self.leave)

    def look(self):
        frame = self.client.body("stackTrace", threadId=self.thread)["stackFrames"][0]["id"]
        self.scope = {s["name"]: s["variablesReference"]
                      for s in self.client.body("scopes", frameId=frame)["scopes"]}

    def leave(self):
        self.assertEqual(self.client.end(), (0, ""))

    def value(self, expression):
        return self.client.body("evaluate", expression=expression, context="watch")["result"]

    def last(self, expression):
        """The last number of a window."""
        return self.value(expression).splitlines()[2].split()[-1]

    def inside(self, scope, name):
        rows = self.client.body("variables", variablesReference=self.scope[scope])["variables"]
        return next(r["variablesReference"] for r in rows if r["name"] == name)

    def set(self, reference, name, value):
        return self.client.body("setVariable", variablesReference=reference, name=name,
                                value=value)["value"]

    def refused(self, command, why, **arguments):
        message = self.client.ask(command, **arguments)
        self.assertFalse(message["success"])
        self.assertIn(why, message["message"])

    def go_on(self):
        self.client.body("continue", threadId=self.thread)
        return self.client.stopped()

    def test_values(self):
        registers = self.scope["Registers"]
        self.assertEqual(self.set(registers, "%half", "1 / 4.0"), "0.25")
        self.assertEqual(self.value("%half"), "0.25")
        self.assertEqual(self.set(self.inside("Local arrays", "seen"), "[2]", "%off + 1"), "65")
        self.assertEqual(self.value("seen[2]"), "65")
        self.assertEqual(self.set(self.inside("Tiles", "ta[1]"), "[3]", "7.5"), "7.5")
        self.assertEqual(self.last("ta[1](0, 3){1, 1}"), "7.5")
        self.assertEqual(self.set(self.inside("Global memory", "a@0"), "[130]", "1000"), "1000")
        self.assertEqual(self.client.body("setExpression", expression="a[131]",
                                          value="2000")["value"], "2000")
        self.assertEqual(self.go_on()["reason"], "end")
        self.assertEqual(self.last("c[130]{1, 1}"), "1001")
        self.assertEqual(self.last("c[131]{1, 1}"), "2001")
        self.assertEqual(self.last("c[129]{1, 1}"), "130")

    def test_another_line(self):
        """Without the addition: what was loaded is stored."""
        target = self.client.body("gotoTargets", source={"path": ADD}, line=27)["targets"]
        self.assertEqual([t["line"] for t in target], [27])
        self.client.body("goto", threadId=self.thread, targetId=target[0]["id"])
        self.assertEqual(self.client.stopped()["reason"], "goto")
        frames = self.client.body("stackTrace", threadId=self.thread)["stackFrames"]
        self.assertEqual(frames[0]["line"], 27)
        self.assertEqual(self.go_on()["reason"], "end")
        self.assertEqual(self.last("c[70]{1, 1}"), "70")
        self.assertEqual(self.last("c[63]{1, 1}"), "64")

    def write(self, reference, data, **more):
        return self.client.ask("writeMemory", memoryReference=reference,
                               data=base64.b64encode(data).decode(), **more)

    def reference(self, scope, name):
        rows = self.client.body("variables", variablesReference=self.scope[scope])["variables"]
        return next(r["memoryReference"] for r in rows if r["name"] == name)

    def test_bytes(self):
        """Three numbers of an input, at an offset, and what the kernel computes from them."""
        a = self.reference("Global memory", "a@0")
        for count in (4, 8, 12):  # all remainders of groups of three
            new = struct.pack("<3f", 1000, 2000.5, -3)[:count]
            self.assertEqual(self.write(a, new, offset=4 * 130)["body"], {"bytesWritten": count})
            got = self.client.body("readMemory", memoryReference=a, offset=4 * 130, count=count)
            self.assertEqual(base64.b64decode(got["data"]), new)
        self.assertEqual(self.go_on()["reason"], "end")
        self.assertEqual([self.last("c[%d]{1, 1}" % i) for i in (129, 130, 131, 132, 133)],
                         ["130", "1001", "2001.5", "-2", "134"])
        self.client.body("reverseContinue", threadId=self.thread)
        self.client.stopped()
        self.assertEqual(self.last("a[130]{1, 1}"), "130", "going back undoes it")

    def test_bytes_of_a_tile(self):
        self.client.body("evaluate", expression="goto-time 1.35us", context="repl")
        self.thread = self.client.stopped()["threadId"]
        self.look()
        tile = self.reference("Tiles", "tb[1]")
        self.assertTrue(self.write(tile, struct.pack("<2f", 7, 8), offset=4)["success"])
        self.assertEqual(self.value("tb[1]{1, 4}").splitlines()[2].split()[2:4], ["7", "8"])

    def test_bytes_that_cannot_be(self):
        a = self.reference("Global memory", "a@0")
        for why, reference, data, more in (
                ("there are 4 bytes", a, b"12345", {"offset": 796}),
                ("there are 0 bytes", a, b"1", {"offset": 800, "allowPartial": True}),
                ("there are 0 bytes", a, b"1", {"offset": 2 ** 62}),
                ("before the memory", a, b"1", {"offset": -1}),
                ("none that a variable", "nix@0+0", b"1", {})):
            message = self.write(reference, data, **more)
            self.assertFalse(message["success"])
            self.assertIn(why, message["message"])
        partial = self.write(a, struct.pack("<2f", 5, 6), offset=796, allowPartial=True)
        self.assertEqual(partial["body"], {"bytesWritten": 4})
        for data in ("AAA", "A===", "AA=A", "\u00e4AAA", "AAAA" * 6000000):
            self.refused("writeMemory", "no base64", memoryReference=a, data=data)
        self.assertEqual(self.client.body("writeMemory", memoryReference=a, data=""),
                         {"bytesWritten": 0})
        self.assertEqual(self.go_on()["reason"], "end")
        self.assertEqual(self.last("c[199]{1, 1}"), "6")
        self.assertIn("the program is over", self.write(a, b"1234")["message"])

    def pointer(self):
        frames = self.client.body("stackTrace", threadId=self.thread)["stackFrames"]
        return frames[0]["instructionPointerReference"]

    def test_instruction_breakpoints(self):
        self.client.body("setBreakpoints", source={"path": ADD}, breakpoints=[])
        program = self.client.body("disassemble", memoryReference=self.pointer(),
                                   instructionOffset=-50, instructionCount=100)["instructions"]
        store = next(row for row in program if row["instruction"].startswith("TSTORE"))
        rows = self.client.body("setInstructionBreakpoints", breakpoints=[
            {"instructionReference": store["address"], "condition": "%off >= 128"},
            {"instructionReference": "0x0"}, {"instructionReference": "nonsense"},
            {"instructionReference": store["address"], "offset": 5000},
            {"instructionReference": store["address"], "hitCondition": "often"}])["breakpoints"]
        self.assertEqual([row["verified"] for row in rows], [True] + 4 * [False])
        self.assertEqual(rows[0]["line"], 29)
        self.client.body("continue", threadId=self.thread)
        stop = self.client.stopped()
        self.assertEqual((stop["reason"], stop["hitBreakpointIds"]),
                         ("instruction breakpoint", [rows[0]["id"]]))
        self.assertEqual(self.pointer(), store["address"])
        self.assertGreaterEqual(int(self.value("%off")), 128)
        none = self.client.body("setInstructionBreakpoints", breakpoints=[])
        self.assertEqual(none["breakpoints"], [])

    def test_going_back_undoes_it(self):
        self.set(self.inside("Global memory", "a@0"), "[130]", "1000")
        self.assertEqual(self.go_on()["reason"], "end")
        self.client.body("reverseContinue", threadId=self.thread)
        self.assertEqual(self.client.stopped()["reason"], "step")
        self.assertEqual(self.last("a[130]{1, 1}"), "130")

    def test_what_cannot_be(self):
        registers = self.scope["Registers"]
        self.refused("setVariable", "no such reference", variablesReference=99, name="x", value="1")
        self.refused("setVariable", "no variable of this name", variablesReference=registers,
                     name="%nope", value="1")
        for value in ("", "1\nquit", "nope", "1 +"):
            self.refused("setVariable", "", variablesReference=registers, name="%off", value=value)
        self.refused("setVariable", "takes an integer", variablesReference=registers, name="%off",
                     value="0.5")
        self.refused("setVariable", "can be set", variablesReference=self.scope["Tiles"],
                     name="ta[1]", value="1")
        self.refused("setVariable", "there is no", variablesReference=self.scope["Flags"],
                     name="[0]", value="1")
        self.refused("setExpression", "only a register", expression="n + 1", value="1")
        self.refused("setExpression", "", expression="%off = 3; x", value="1")
        self.refused("gotoTargets", "this file", source={"path": "/nowhere.pto"}, line=3)
        self.refused("gotoTargets", "no such line", source={"path": ADD}, line=0)
        self.refused("gotoTargets", "no instruction comes", source={"path": ADD}, line=90)
        self.refused("goto", "", threadId=self.thread, targetId=99999)
        self.refused("goto", "no such target", threadId=self.thread)
        self.assertEqual(self.go_on()["reason"], "end")
        self.assertEqual(self.last("c[199]{1, 1}"), "200")


class Searching(unittest.TestCase):
    def test_values_that_are_searched_for(self):
        """900 elements take longer than 70; where nothing can be tried, the launch says why."""
        client = dap_client.Client()
        given = [*INPUTS[:3], "n=auto", *INPUTS[4:]]
        failed = client.ask("launch", program="add.pto", args=given)
        self.assertIn("--set n=auto: which values there are to try is not known",
                      failed["message"])
        given[3] = "n=auto:900,70"
        client.launch("add.pto", *given, stopOnEntry=True)
        client.body("configurationDone")
        client.stopped()
        self.assertIn("tuned         n=70: the best of 2 runs",
                      client.event("output")["body"]["output"])
        got = client.body("evaluate", expression="n", context="watch")["result"]
        self.assertEqual(got, "70")
        self.assertEqual(client.end(), (0, ""))


if __name__ == "__main__":
    unittest.main()
