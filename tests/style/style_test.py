"""The sources keep the rules of rooms.py and rules.py."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import pto  # noqa: E402
import rooms  # noqa: E402
import rules  # noqa: E402


class Style(unittest.TestCase):
    def holds(self, violations):
        lines = ["%s: %s" % violation for violation in violations]
        self.assertFalse(lines, "\n  ".join(["", *lines]))

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
