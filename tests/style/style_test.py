"""The sources keep the rules of rooms.py and rules.py, but for what known.py counts."""

import collections
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import known  # noqa: E402
import pto  # noqa: E402
import rooms  # noqa: E402
import rules  # noqa: E402


class Style(unittest.TestCase):
    def holds(self, violations):
        """No more violations of a rule than are known. What is left over of a number is told."""
        found = collections.defaultdict(list)
        for rule, text in violations:
            found[rule].append(text)
        for rule, texts in sorted(found.items()):
            with self.subTest(rule=rule):
                self.assertLessEqual(len(texts), known.KNOWN.get(rule, 0),
                                     "\n%s:\n  %s" % (rule, "\n  ".join(texts)))
            if len(texts) < known.KNOWN.get(rule, 0):
                print("known.py: %s: %d, and no more" % (rule, len(texts)))
        return set(found)

    def test_rooms(self):
        graph = rooms.load(pto.SOURCE)
        self.assertGreater(sum(map(len, graph.values())), 300)
        self.holds(rooms.wrong_arrows(graph))

    def test_circles(self):
        self.holds(rooms.wrong_circles(rooms.load(pto.SOURCE)))

    def test_sizes(self):
        self.assertGreater(len(rules.written_files(pto.SOURCE)), 300)
        self.holds(rules.wrong_sizes(pto.SOURCE))

    def test_headers(self):
        self.holds(rules.wrong_headers(pto.SOURCE, os.environ.get("CC", "cc"),
                                       os.path.join(pto.BIN, "..", "assembler", "generated")))

    def test_exports(self):
        self.holds(rules.wrong_exports(pto.SOURCE))


if __name__ == "__main__":
    unittest.main()
