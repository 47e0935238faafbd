"""A test's conversation with ptoas --lsp about one text."""
import os
import tempfile
import unittest

import lsp_client

URI = "untitled:kernel.pto"
TEXT = """; a first line
; Rows of a piece,
; as many as fit.
.equ ROWS = 8
.macro twice value, tile
    %x = value * 2
    TADD tile, tile, tile
.endm
.kernel first
.param n : i64
.in    a : f32[n]
.core aiv
.tile t[2] : ub f32[ROWS, 64]
.tile v : f16[8, 64] of t
    %x = n + %n
    .for %i = 0 to %x
        twice %i, t
        TLOAD t[0]{1, 8}, a[%i]
        set_flag MTE2, V, 0
        wait_flag MTE2, V, 0
    .endfor
again:
    jump again
.kernel second
.core aiv
.tile t : ub i8[1, 32]
    print "t", n
"""
LINES = TEXT.split("\n")


def place(text, word, after=0):
    """Position of a word in the first line that holds a text."""
    line = next(i for i, have in enumerate(LINES) if text in have)
    return {"line": line, "character": LINES[line].index(word) + after}


class Session(unittest.TestCase):
    def setUp(self):
        self.editor = lsp_client.Editor()
        self.scratch = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.editor.process.kill()
        self.editor.process.wait()
        self.editor.process.stdin.close()
        self.editor.process.stdout.close()
        self.scratch.cleanup()

    def open(self, text=TEXT, uri=URI, **settings):
        self.editor.start(**settings)
        self.editor.open(uri, text)

    def at(self, method, position, **more):
        return self.editor.result("textDocument/" + method, textDocument={"uri": URI},
                                  position=position, **more)

    def whole(self, method, **more):
        return self.editor.result("textDocument/" + method, textDocument={"uri": URI}, **more)

    def write(self, name, text):
        path = os.path.join(self.scratch.name, name)
        with open(path, "w") as file:
            file.write(text)
        return "file://" + path

    def rename(self, position, name):
        answer = self.at("rename", position, newName=name)
        if answer is None:
            return None
        lines = list(LINES)
        for edit in reversed(answer["changes"][URI]):
            start, end = edit["range"]["start"], edit["range"]["end"]
            line = lines[start["line"]]
            lines[start["line"]] = (line[:start["character"]] + edit["newText"] +
                                    line[end["character"]:])
        return "\n".join(lines)
