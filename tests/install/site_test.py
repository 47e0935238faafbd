"""The manual as a site: all pages, every link, the search, and what SARIF files link to."""

import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import browser  # noqa: E402
import pto  # noqa: E402

PANDOC = shutil.which("pandoc")
MAKE = pto.source("docs", "site", "make.py")
VADD = ("--set", "n=100", "--in", "a=ones", "--in", "b=ones")


def maker():
    """docs/site/make.py as a module."""
    spec = importlib.util.spec_from_file_location("make_site", MAKE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


@unittest.skipUnless(PANDOC, "there is no pandoc on this host")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="pto-site-")
        cls.site = os.path.join(cls.folder, "site")
        subprocess.run([sys.executable, MAKE, PANDOC, pto.source("."), cls.site, "9.9"],
                       check=True, stdout=subprocess.PIPE)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_every_page_is_reached(self):
        """From the first page, by links, and nothing but links."""
        todo, seen = ["index.html"], set()
        while todo:
            page = todo.pop()
            if page in seen or not page.endswith(".html"):
                continue
            seen.add(page)
            for link in re.findall(r'href="([^"#]+)', read(self.site, page)):
                if not re.match("[a-z]+:", link):
                    todo.append(os.path.normpath(os.path.join(os.path.dirname(page),
                                                              html.unescape(link))))
        made = {os.path.relpath(os.path.join(folder, name), self.site)
                for folder, _, names in os.walk(self.site) for name in names}
        self.assertEqual(seen, {name for name in made if name.endswith(".html")})
        self.assertGreater(len(seen), 200)

    def test_pages(self):
        page = read(self.site, "isa", "TADD.html")
        self.assertIn('<link rel="stylesheet" href="../style.css">', page)
        self.assertIn("PTO 9.9", page)
        self.assertIn('<meta name="description" content="', page)
        self.assertIn('<tr class="odd" id="race-raw">', read(self.site, "check.html"))
        for name in re.findall(r'<img src="([^"]+)"', read(self.site, "ptovm.html")):
            self.assertTrue(os.path.isfile(os.path.join(self.site, name)), name)

    def test_help_of_rules(self):
        """A program beside the site links every rule to a place that is there."""
        programs = os.path.join(self.folder, "bin")
        os.makedirs(programs, exist_ok=True)
        log = os.path.join(self.folder, "log.sarif")
        for name, *words in (("ptoas", "--lint"), ("ptovm", "check", *VADD)):
            shutil.copy(pto.program(name), programs)
            subprocess.run([os.path.join(programs, name), *words, "--sarif", log,
                            pto.kernel("broken/vadd_missing_wait.pto")],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            run, = json.loads(read(log))["runs"]
            for rule in run["tool"]["driver"]["rules"]:
                page, _, place = rule["helpUri"].partition("#")
                self.assertTrue(page.startswith("file://" + os.path.realpath(self.site)), page)
                text = read(page[len("file://"):])
                if place:
                    self.assertIn('id="%s"' % place, text, rule["helpUri"])

    @unittest.skipUnless(browser.PROGRAM, "there is no chromium on this host")
    def test_search(self):
        def found(words):
            dom = browser.look("file://%s/index.html?q=%s" % (self.site, words))
            return dom[dom.index('<ol id="found">'):dom.index("</ol>")]
        self.assertIn('href="./isa/TROWEXPANDDIV.html"', found("trowexpanddiv"))
        self.assertIn("Nothing has all of these words.", found("deadlock%20xylophone"))


@unittest.skipUnless(PANDOC, "there is no pandoc on this host")
class Links(unittest.TestCase):
    """A small tree of which links lead nowhere."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pto-links-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.make = maker()
        self.make.CHAPTERS = (("All", ("README.md", "docs/a.md")),)
        self.write("CONTRIBUTING.md", "# C\n")
        self.write("CHANGELOG.md", "# Changes\n")
        self.write("docs/a.md", "# A\n\n## A place\n\n"
                                "| rule | what |\n|---|---|\n| `odd-one` | x |\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def test_good(self):
        self.write("README.md", "# R\n[a](docs/a.md#a-place) [b](docs/a.md#odd-one) [c](x.pto)\n")
        self.write("x.pto", "; text\n")
        made, assets = self.make.build(PANDOC, self.folder, "1")
        self.assertIn('href="a.html#odd-one"', made["index.html"])
        self.assertEqual(assets, {"x.pto": "files/x.pto"})

    def test_bad(self):
        self.write("README.md", "# R\n[a](docs/b.md) [b](docs/a.md#nowhere) [c](#there)\n")
        with self.assertRaises(self.make.Wrong) as caught:
            self.make.build(PANDOC, self.folder, "1")
        self.assertEqual(str(caught.exception).split("\n"), [
            "README.md: docs/b.md leads nowhere",
            "index.html: there is no place 'nowhere' on a.html",
            "index.html: there is no place 'there' on index.html"])

    def test_what_was_made_stays(self):
        self.write("README.md", "# R\n[a](docs/b.md)\n")
        out = os.path.join(self.folder, "out")
        os.mkdir(out)
        done = subprocess.run([sys.executable, MAKE, PANDOC, self.folder, out, "1"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(os.listdir(self.folder).count("out.new"), 0)
        self.assertTrue(os.path.isdir(out))


if __name__ == "__main__":
    unittest.main()
