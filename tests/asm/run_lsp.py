#!/usr/bin/env python3
"""ptoas --lsp: what an editor asks and is answered, over pipes; and nothing ends it early."""
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lsp_client  # noqa: E402
import pto  # noqa: E402
from lsp_session import LINES, TEXT, URI, Session, place  # noqa: E402


class Lsp(Session):
    def test_beginning_and_end(self):
        self.assertEqual(self.editor.ask("shutdown")["error"]["code"], -32002)
        answer = self.editor.start()
        self.assertEqual(answer["serverInfo"]["name"], "ptoas")
        self.assertEqual(answer["capabilities"]["positionEncoding"], "utf-32")
        self.assertTrue(answer["capabilities"]["renameProvider"])
        self.assertEqual(self.editor.ask("initialize")["error"]["code"], -32600)
        self.assertEqual(self.editor.end(), 0)

    def test_hanging_up_is_no_success(self):
        self.editor.start()
        self.assertEqual(self.editor.close(), 1)

    def test_an_editor_that_goes_away(self):
        server = subprocess.Popen([pto.program("ptoas"), "--lsp"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        server.stdout.close()
        message = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
        for _ in range(2):
            try:
                server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(message), message))
                server.stdin.flush()
            except BrokenPipeError:
                break
        with contextlib.suppress(BrokenPipeError):
            server.stdin.close()
        self.assertEqual(server.wait(60), 1)

    def test_nul_is_a_character_of_a_text(self):
        self.open()
        self.editor.diagnostics(URI)
        good = ".kernel k\n.core aiv\n.reg %a : i64\n    mov %a, 1\n"
        self.editor.change(URI, good + "\0")
        self.assertIn("this is no text", str(self.editor.diagnostics(URI)))
        self.editor.change(URI, good)
        self.assertNotIn("no text", str(self.editor.diagnostics(URI)))
        refused = self.editor.ask("textDocument/rename", newName="b\0c", textDocument={"uri": URI},
                                  position={"line": 2, "character": 6})
        self.assertEqual(refused["error"]["code"], -32803)
        self.assertEqual(self.editor.ask("no\0method")["error"]["code"], -32601)

    def test_diagnostics_follow_the_text(self):
        self.open()
        found = self.editor.diagnostics(URI)
        self.assertEqual([(d["severity"], d["range"]["start"]["line"]) for d in found
                          if d["severity"] == 1],
                         [(1, LINES.index("    print \"t\", n"))])
        fixed = TEXT.replace("print \"t\", n", "print \"t\"")
        self.editor.change(URI, fixed)
        self.assertNotIn(1, [d["severity"] for d in self.editor.diagnostics(URI)])
        self.editor.change(URI, ".kernel k\n.core aiv\n    set_flag V, S, 0\n")
        found, = self.editor.diagnostics(URI)
        self.assertIn("[token-left]", found["message"])
        self.editor.tell("textDocument/didClose", textDocument={"uri": URI})
        self.assertEqual(self.editor.diagnostics(URI), [])

    def test_units_of_positions(self):
        text = '.kernel k\n.core aiv\n    print "\U0001f600", nothing\n'
        for encoding, column in (("utf-32", 15), ("utf-16", 16)):
            with self.subTest(encoding):
                self.open(text, encoding=encoding)
                start = self.editor.diagnostics(URI)[0]["range"]["start"]
                self.assertEqual(start, {"line": 2, "character": column})
                self.tearDown()
                self.setUp()

    def test_errors_in_includes(self):
        include = self.write("lib.inc", ".macro bad\n    oops\n.endm\n")
        main = self.write("main.pto", "")
        self.editor.start()
        self.editor.open(main, '.include "lib.inc"\n.kernel k\n.core aiv\n    bad\n')
        found, = self.editor.diagnostics(main)
        self.assertEqual(found["range"]["start"]["line"], 3)
        self.assertEqual(found["relatedInformation"][0]["location"]["uri"], include)
        self.editor.open(include, ".macro bad\n.endm\n")
        self.assertEqual(self.editor.diagnostics(main), [])
        self.assertEqual(self.editor.published[include], [])

    def test_settings(self):
        self.write("x.inc", ".equ W = 3\n")
        self.open('.include "x.inc"\n.define V = 1\n.assert V == W, "no"\n.kernel k\n.core aiv\n',
                  includePaths=[self.scratch.name], defines={"V": "3"})
        self.assertEqual(self.editor.diagnostics(URI), [])

    def test_wrong_settings(self):
        """Their errors are at the beginning of every kernel, which would look right otherwise."""
        text = ".define W = 8\n.kernel k\n.core aiv\n    print \"w\", W\n"
        for settings, message in (({"profile": "zz"}, "unknown profile 'zz'"),
                                  ({"profile": "/none.profile"}, "cannot read the profile"),
                                  ({"defines": {"W": "zz+"}}, "unexpected end of line"),
                                  ({"defines": {"W": True}}, "'true' is neither a constant"),
                                  ({"defines": {"W": 16, "OTHER": "1"}}, None)):
            with self.subTest(settings):
                self.open(text, **settings)
                found = [d for d in self.editor.diagnostics(URI) if d["severity"] == 1]
                self.assertEqual(len(found), message is not None)
                if message:
                    self.assertIn(message, found[0]["message"])
                    self.assertEqual(found[0]["range"]["start"], {"line": 0, "character": 0})
                self.tearDown()
                self.setUp()

    def test_hover(self):
        self.open()
        page = self.at("hover", place("TLOAD", "TLOAD", 2))["contents"]["value"]
        self.assertIn(pto.ptoas("--explain", "TLOAD").out, page)
        tile = self.at("hover", place("TLOAD", "t[0]"))["contents"]["value"]
        self.assertIn(".tile t[2] : ub f32[ROWS, 64]", tile)
        rows = self.at("hover", place(".tile t[2]", "ROWS"))["contents"]["value"]
        self.assertIn("constant", rows)
        self.assertIn("Rows of a piece,\nas many as fit.", rows)
        self.assertIsNone(self.at("hover", {"line": 0, "character": 3}))
        self.assertIsNone(self.at("hover", {"line": 10000, "character": 3}))

    def test_placement(self):
        self.open(TEXT.replace("print \"t\", n", "print \"t\""))
        hints = self.whole("inlayHint")
        self.assertEqual([(h["position"]["line"], h["label"]) for h in hints],
                         [(LINES.index(".tile t[2] : ub f32[ROWS, 64]"), "ub 0x0, 2 x 2048 bytes"),
                          (LINES.index(".tile v : f16[8, 64] of t"), "ub 0x0, 2 x 1024 bytes"),
                          (LINES.index(".tile t : ub i8[1, 32]"), "ub 0x0, 32 bytes")])
        self.assertIn("2 x 2048 bytes",
                      self.at("hover", place("TLOAD", "t[0]"))["contents"]["value"])

    def test_definition(self):
        self.open()
        cases = (("TLOAD", "t[0]", ".tile t[2]"), ("TLOAD", "a[", ".in    a"),
                 ("TLOAD", "%i", ".for %i"), ("        twice", "twice", ".macro twice"),
                 ("jump again", "again", "again:"), ("n + %n", "%n", ".param n"),
                 ("n + %n", "n ", ".param n"), ("    TADD tile", "tile,", ".macro twice"),
                 ("value * 2", "value", ".macro twice"), (".for %i", "%x", "%x = n"))
        for text, word, target in cases:
            with self.subTest(word):
                found = self.at("definition", place(text, word))
                self.assertEqual((found["uri"], found["range"]["start"]["line"]),
                                 (URI, place(target, target)["line"]))

    def test_definition_of_registers(self):
        """They are declared in many ways; a macro gives its own to its user, but no labels."""
        text = """.macro make wide
    %made = wide
inside:
.endm
.kernel k
.core aiv
    .reg %later : i64
    .slots %turn : 2 free MTE3 -> MTE2
    print "l", %later, %turn
    make 5
    print "m", %made, %made
    .for %row = 0 to 4
        %later = %row
    .endfor
    jump inside
"""
        lines = text.split("\n")
        self.open(text)
        for use, name, declared in (("print \"l", "%later", 6), ("print \"l", "%turn", 7),
                                    ("print \"m", "%made", 1), ("%later = %row", "%row", 11),
                                    ("%later = %row", "%later", 6), ("jump", "inside", None)):
            line = next(i for i, have in enumerate(lines) if use in have)
            found = self.at("definition", {"line": line, "character": lines[line].index(name)})
            with self.subTest(name):
                self.assertEqual(found and found["range"]["start"]["line"], declared)

    def test_definition_in_an_include(self):
        include = self.write("lib.inc", "; x\n.macro good\n.endm\n")
        main = self.write("main.pto", "")
        self.editor.start()
        self.editor.open(main, '.include "lib.inc"\n.kernel k\n.core aiv\n    good\n')
        for line, character, target in ((3, 6, 1), (0, 12, 0)):
            found = self.editor.result("textDocument/definition", textDocument={"uri": main},
                                       position={"line": line, "character": character})
            self.assertEqual((found["uri"], found["range"]["start"]["line"]), (include, target))

    def test_rename(self):
        self.open()
        renamed = self.rename(place("TLOAD", "t[0]"), "buffer")
        self.assertEqual(renamed, TEXT.replace(".tile t[2]", ".tile buffer[2]").replace(
            "of t\n", "of buffer\n").replace("%i, t\n", "%i, buffer\n").replace(
            "TLOAD t[0]", "TLOAD buffer[0]"))
        self.assertEqual(self.rename(place(".for", "%i"), "%turn"), TEXT.replace("%i", "%turn"))
        self.assertEqual(self.rename(place("n + %n", "%n"), "count").count("count"), 4)

    def test_rename_says_why_not(self):
        self.open()
        where = place("TLOAD", "t[0]")
        for position, name, why in ((where, "a", "'a' is taken, at untitled:kernel.pto:11"),
                                    (where, "ROWS", "'ROWS' is taken"), (where, "1x", "is no name"),
                                    (where, "", "is no name"), (where, "x y", "is no name"),
                                    ({"line": 0, "character": 0}, "x", "no name of this text")):
            with self.subTest(name):
                answer = self.editor.ask("textDocument/rename", textDocument={"uri": URI},
                                         position=position, newName=name)
                self.assertEqual(answer["error"]["code"], -32803)
                self.assertIn(why, answer["error"]["message"])
        self.assertTrue(self.rename(where, "fresh"))

    def test_rename_leaves_no_text_that_is_wrong(self):
        """Uses that the index cannot tell: in macros, arguments by name, fixed words."""
        twice = ".macro twice\n    TADD t, t, t\n.endm\n"
        scaled = ".macro scaled dst, src\n    TADD dst, src, src\n.endm\n"
        tile = ".kernel k\n.core aiv\n.tile t : ub f32[1, 8]\n"
        for text, line, column, why in (
                (twice + tile + "    twice\n", 5, 6, "there is no tile 't' here"),
                (scaled + tile + "    scaled src = t, dst = t\n", 0, 20, "no parameter 'src'"),
                (".kernel k\n.core aic\n.tile nz : l1 f16[16, 32] nz\n", 2, 6, "'other' is")):
            with self.subTest(why):
                self.open(text)
                self.assertEqual([d for d in self.editor.diagnostics(URI) if d["severity"] == 1],
                                 [])
                answer = self.editor.ask("textDocument/rename", textDocument={"uri": URI},
                                         position={"line": line, "character": column},
                                         newName="other")
                self.assertIn("the text would not be right any more: line ",
                              answer["error"]["message"])
                self.assertIn(why, answer["error"]["message"])
                self.tearDown()
                self.setUp()

    def test_rename_in_an_include(self):
        self.write("lib.inc", ".macro good\n.endm\n")
        main = self.write("main.pto", "")
        self.editor.start()
        self.editor.open(main, '.include "lib.inc"\n.kernel k\n.core aiv\n    good\n')
        answer = self.editor.ask("textDocument/rename", textDocument={"uri": main}, newName="x",
                                 position={"line": 3, "character": 5})
        self.assertRegex(answer["error"]["message"], "'good' is declared in .*lib.inc: rename it")

    def test_changes_of_parts(self):
        """What the server holds after every change is what the editor holds."""
        text = '.kernel k\n.core aiv\n.tile t : ub f32[1, 64]\n; \U0001f600\u20ac end\n'
        pieces = ["", "\n", "x", "; \u20ac", ";\U0001f600x", "    TADD t, t, t\n", "\r\n", ";"]
        chance = random.Random(3)
        whole = lsp_client.Editor()
        self.addCleanup(whole.end)
        self.assertEqual(self.editor.start("utf-16")["capabilities"]["textDocumentSync"],
                         {"openClose": True, "change": 2})
        whole.start("utf-16")
        self.editor.open(URI, text)
        self.editor.diagnostics(URI)
        laid_out = 0
        for turn in range(150):
            first = chance.randrange(len(text) + 1)
            last = min(len(text), first + chance.choice((0, 0, 1, 3, 30)))
            new = chance.choice(pieces)
            if "\r\n" in (text[first - 1:first + 1], text[last - 1:last + 1]):
                continue        # no place of the protocol
            self.editor.tell("textDocument/didChange", textDocument={"uri": URI}, contentChanges=[
                {"text": new, "range": {"start": self.position(text, first),
                                        "end": self.position(text, last)}}])
            text = text[:first] + new + text[last:]
            whole.open(URI, text)
            seen = [(editor.diagnostics(URI), editor.result(
                "textDocument/formatting", textDocument={"uri": URI}, options={}))
                    for editor in (self.editor, whole)]
            self.assertEqual(seen[0], seen[1], turn)
            laid_out += seen[0][1] is not None
        self.assertGreater(laid_out, 30)

    def test_changes_past_the_end(self):
        self.open(".kernel k\n.core aiv\n")
        far = {"line": 90, "character": 90}
        self.editor.tell("textDocument/didChange", textDocument={"uri": URI}, contentChanges=[
            {"range": {"start": far, "end": far}, "text": "%x = 1"},
            {"range": {"start": {"line": 2, "character": 5}, "end": {"line": 2, "character": 80}},
             "text": "2"}])
        edit, = self.whole("formatting", options={})
        self.assertEqual(edit["newText"], ".kernel k\n.core aiv\n    %x = 2\n")

    def test_changes_without_sense(self):
        """The editor is told; the text stays as it was."""
        self.open(".kernel k\n.core aiv\n    %x = 1\n")
        back = {"start": {"line": 2, "character": 0}, "end": {"line": 1, "character": 0}}
        for change in ({}, {"text": 3}, {"text": "x", "range": 3}, {"text": "x", "range": back}):
            self.editor.tell("textDocument/didChange", textDocument={"uri": URI},
                             contentChanges=[change])
            while True:
                message = self.editor.receive()
                if message.get("method") == "window/showMessage":
                    break
            self.assertIn("open it again", message["params"]["message"])
        edit, = self.whole("formatting", options={})
        self.assertEqual(edit["newText"], ".kernel k\n.core aiv\n    %x = 1\n")

    @staticmethod
    def position(text, at):
        line = text.rfind("\n", 0, at) + 1
        return {"line": text.count("\n", 0, at),
                "character": len(text[line:at].encode("utf-16-le")) // 2}


    def test_references(self):
        self.open()
        found = self.at("references", place("TLOAD", "t[0]"))
        self.assertEqual([f["range"]["start"]["line"] for f in found],
                         [place(t, t)["line"] for t in (".tile t[2]", ".tile v", "twice %i",
                                                        "TLOAD")])

    def test_completion(self):
        self.open(TEXT + "    T\n    .f\n    TADD %")
        last = len(LINES) - 1

        def offered(line, character):
            items = self.at("completion", {"line": line, "character": character})
            for item in items:
                self.assertEqual(item["textEdit"]["range"]["end"]["character"], character)
            return {item["label"] for item in items}
        names = offered(last, 5)
        self.assertTrue({"TADD", "TLOAD", "twice", "ROWS", "t", "set_flag"} <= names)
        self.assertFalse({"n", "v", "again", "value"} & names)      # of other kernels and macros
        self.assertTrue({".for", ".fifo", ".tile"} <= offered(last + 1, 6))
        self.assertEqual(offered(last + 2, 10), set())
        here = place("        twice", "twice")["line"]
        self.assertEqual(offered(here, 15), {"%x", "%i", "%n"})
        self.assertIsNone(self.at("completion", {"line": 0, "character": 6}))

    def test_symbols(self):
        self.open()
        top = self.whole("documentSymbol")
        self.assertEqual([s["name"] for s in top], ["twice", "first", "second", "ROWS"])
        first = top[1]
        self.assertEqual([s["name"] for s in first["children"]], ["aiv", "n", "a"])
        self.assertEqual([s["name"] for s in first["children"][0]["children"]],
                         ["t", "v", "again"])
        self.assertEqual(first["range"]["end"]["line"], place("jump again", "jump")["line"])

    def test_folding(self):
        self.open()
        folds = {(f["startLine"], f["endLine"], f.get("kind")) for f in self.whole("foldingRange")}
        loop = place(".for", ".for")["line"]
        self.assertIn((loop, loop + 4, None), folds)
        self.assertIn((0, 2, "comment"), folds)
        self.assertIn((4, 7, "region"), folds)

    def test_formatting(self):
        self.open(".kernel  k\n.core aiv\n%x=1")
        edit, = self.whole("formatting", options={"tabSize": 8})
        self.assertEqual(edit["newText"], ".kernel k\n.core aiv\n    %x = 1\n")
        self.assertEqual(edit["range"], {"start": {"line": 0, "character": 0},
                                         "end": {"line": 2, "character": 4}})
        self.editor.change(URI, 'print "')
        self.assertIsNone(self.whole("formatting"))

    def test_quick_fix(self):
        self.open(TEXT.replace("TLOAD t", "TLOD t"))
        line = place("TLOAD", "T")["line"]
        where = {"line": line, "character": 0}
        action, = self.whole("codeAction", range={"start": where, "end": where})
        edit, = action["edit"]["changes"][URI]
        self.assertEqual((action["title"], edit["newText"]), ("write 'TLOAD'", "TLOAD"))
        self.assertEqual(edit["range"]["start"], {"line": line, "character": 8})
        for half in ({"start": where}, {"end": where}):
            self.assertEqual(self.whole("codeAction", range=half), [])
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": len(LINES) + 9,
                                                                    "character": 0}}
        self.assertEqual(self.whole("codeAction", range=everything), [action])
        beyond = {"start": everything["end"], "end": everything["end"]}
        self.assertEqual(self.whole("codeAction", range=beyond), [])

    def test_wrong_messages(self):
        self.open()
        for message, code in ((b"{", -32700), (b"[]", -32600), (b"3", -32700), (b"{}", -32600),
                              (b'{"id": 1, "method": 7}', -32600),
                              (b'{"id": {}, "method": "shutdown"}', -32600),
                              (b'{"id": 1, "method": "no"}', -32601),
                              (b'{"id": 1, "method": "textDocument/hover"}', -32602),
                              (b"[" * 5000, -32700), (b"\xff", -32700), (b"", -32700)):
            self.editor.send(message)
            self.assertEqual(self.editor.answer()["error"]["code"], code, message[:40])
        for params in ({}, {"position": 3}, {"position": {"line": -1, "character": 1 << 40}},
                       {"position": {"line": 1e9, "character": "x"}}, {"range": []}):
            for method in ("hover", "definition", "references", "rename", "completion",
                           "inlayHint", "codeAction", "foldingRange", "documentSymbol"):
                self.editor.ask("textDocument/" + method, textDocument={"uri": URI}, **params)
        self.editor.tell("textDocument/didChange", textDocument={"uri": URI}, contentChanges=[])
        self.editor.tell("textDocument/didOpen", textDocument=[])
        self.editor.tell("$/cancelRequest", id=1)
        self.assertEqual(self.editor.end(), 0)

    def test_ends_that_are_none(self):
        """What was wrong is said, and the status tells a lost place from a client that left."""
        exits = b'{"jsonrpc":"2.0","method":"exit"}'
        for data, code, reason in (
                (b"Content-Length: many\r\n\r\n{}", 2, "Content-Length is not a number"),
                (b"Content-Length: 2\r\n\r\n{}Length 3\r\n\r\n{}", 2,
                 "a line of the header is not 'Name: value'"),
                (b"Content-Type: text\r\n\r\n{}", 2, "the header has no Content-Length"),
                (b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 2,
                 "the header has two Content-Length"),
                (b"Content-Length: 99999999999\r\n\r\n{}", 2, "Content-Length is above 64 MiB"),
                (b"Content-Length: 9\r\n\r\n{}", 2, "the input ends within a message"),
                (b"X: " + b"x" * 5000, 2, "the header has no end"),
                (b"Content-Length: %d\r\n\r\n%s" % (len(exits), exits), 1,
                 "the client said 'exit' without 'shutdown'"),
                (b"", 1, "the client hung up without 'shutdown'")):
            with self.subTest(reason):
                done = subprocess.run([pto.program("ptoas"), "--lsp"], input=data,
                                      capture_output=True, timeout=pto.TIMEOUT)
                self.assertEqual((done.returncode, done.stderr.decode()),
                                 (code, "error: --lsp: %s\n" % reason))

    def test_diagnostics_of_a_session_from_a_file(self):
        """Everything is there at once, and then nothing: what is wrong is told all the same."""
        messages = [json.dumps(message).encode() for message in (
            {"id": 1, "method": "initialize", "params": {}},
            {"method": "textDocument/didOpen",
             "params": {"textDocument": {"uri": URI, "text": ".kernel k\n.core aiv\n    oops\n"}}})]
        with tempfile.TemporaryFile() as session:
            session.write(b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(m), m)
                                   for m in messages))
            session.seek(0)
            done = subprocess.run([pto.program("ptoas"), "--lsp"], stdin=session,
                                  capture_output=True, timeout=pto.TIMEOUT)
        self.assertIn(b"publishDiagnostics", done.stdout)
        self.assertIn(b"oops", done.stdout)

    def test_hostile_texts(self):
        """Pieces of texts, torn and joined: every question is answered."""
        self.editor.start()
        chance = random.Random(7)
        pieces = TEXT.split("\n") + ["\\", ".if", ".endif", ".endm", '.include "kernel.pto"', ":",
                                     ".tile", ".kernel", "x:", "%", '"', "\u20ac\U0001f600", "",
                                     '.include ""', ".macro", ".macro m (", "a = b", "\t", "\r"]
        for turn in range(60):
            text = chance.choice(("\n", "\n", " ")).join(chance.choices(pieces, k=30))
            self.editor.open(URI, text[chance.randrange(10):])
            where = {"line": chance.randrange(30), "character": chance.randrange(30)}
            for method in ("hover", "definition", "references", "completion"):
                self.at(method, where)
            self.editor.ask("textDocument/rename", textDocument={"uri": URI}, position=where,
                            newName="fresh")
            for method in ("inlayHint", "documentSymbol", "foldingRange", "formatting"):
                self.whole(method)
            self.whole("codeAction", range={"start": where, "end": where})
        self.assertEqual(self.editor.end(), 0)

    def test_devices_are_no_texts(self):
        """What the client says is not read as a text."""
        for name in ("/dev/stdin", "/dev/fd/0", "/dev/zero"):
            with self.subTest(name):
                self.open('.include "%s"\n' % name)
                self.assertTrue(self.editor.diagnostics(URI))
                self.assertEqual(self.editor.end(), 0)
                self.tearDown()
                self.setUp()

    def test_kernels(self):
        """The kernels that are shipped give no errors."""
        self.editor.start()
        for name in ("basic/vadd.pto", "matmul/gemm.pto", "moe/dispatch.pto", "lib/gemm.inc"):
            path = pto.kernel(name)
            with open(path) as file:
                self.editor.open("file://" + path, file.read())
            self.assertNotIn(1, [d["severity"]
                                 for d in self.editor.diagnostics("file://" + path)], name)


if __name__ == "__main__":
    unittest.main()
