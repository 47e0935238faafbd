"""Links between pages: the file is there, and so is the heading behind '#'."""

import glob
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

PAGES = [p for f in (".", "docs", "tests") for p in sorted(glob.glob(
    pto.source(f, "**" if f != "." else "", "*.md"), recursive=True))]
LINK = re.compile(r"\[[^][]*\]\(([^()\s]+)\)")


def text_of(path):
    """The page without code, which may look like a link."""
    with open(path) as file:
        return re.sub(r"`[^`\n]*`", "`", re.sub(r"^```.*?^```", "", file.read(), flags=re.M | re.S))


def anchors(path):
    """What headings are called in links: small letters, digits, '-' for blanks, nothing else."""
    with open(path) as file:
        text = re.sub(r"^```.*?^```", "", file.read(), flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)", text, re.M)}


class Links(unittest.TestCase):
    def test_links(self):
        seen = 0
        for page in PAGES:
            for link in LINK.findall(text_of(page)):
                if re.match(r"\w+:", link):
                    continue
                seen += 1
                name, _, anchor = link.partition("#")
                target = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name \
                    else page
                where = "%s: %s" % (os.path.relpath(page, pto.SOURCE), link)
                self.assertTrue(os.path.exists(target), where)
                if anchor and target.endswith(".md"):
                    self.assertIn(anchor, anchors(target), where)
        self.assertGreater(seen, 200)


if __name__ == "__main__":
    unittest.main()
