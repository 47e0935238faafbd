#!/usr/bin/env python3
"""ptoas --lsp: which word a place means, at its ends and behind strings."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lsp_session import LINES, URI, Session, place  # noqa: E402


class Places(Session):
    def test_the_end_of_a_word_means_the_word(self):
        self.open()
        for number, line in enumerate(LINES):
            for word in re.finditer(r"[%.]?\w+", line.split(";")[0]):
                for method in ("hover", "definition", "references"):
                    with self.subTest(line=line, word=word.group(), method=method):
                        inside, behind = (
                            self.at(method, {"line": number, "character": character})
                            for character in (word.end() - 1, word.end()))
                        self.assertEqual(behind, inside)
        for text, word in (("TLOAD", "t["), ("TLOAD", "a["), ("TLOAD", "%i]"), ("again:", "again:"),
                           ("twice %i", "%i,")):
            with self.subTest(rename=word):
                renamed = self.rename(place(text, word, len(word) - 1), "other")
                self.assertIn("other", renamed)
                self.assertEqual(renamed, self.rename(place(text, word), "other"))

    def test_completion_behind_strings(self):
        begin = LINES[:LINES.index("    .endfor")]
        for string in ("ä€\U0001f600", "a;b", "a\\\"b"):
            line = '    print "%s", %%' % string
            self.editor.start()
            self.editor.open(URI, "\n".join(begin + [line, ""]))
            items = self.at("completion", {"line": len(begin), "character": len(line)})
            self.assertIn("%n", [item["label"] for item in items])
            edit = items[0]["textEdit"]["range"]
            self.assertEqual(edit["start"]["character"], len(line) - 1)
            self.assertIsNone(self.at("completion", {"line": len(begin),
                                                     "character": line.index('"') + 2}))
            self.tearDown()
            self.setUp()


if __name__ == "__main__":
    unittest.main()
