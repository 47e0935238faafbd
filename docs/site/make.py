#!/usr/bin/env python3
"""The manual as a folder of HTML pages, made by pandoc.

    make.py PANDOC SOURCES OUT VERSION

SOURCES is the tree with README.md and docs.  OUT gets a page for every Markdown file, pictures, a
style and an index for searching.  A link that leads nowhere, to no page or to no place on a page,
is an error, and OUT stays as it was."""

import concurrent.futures
import html
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OUTSIDE = re.compile(r"^[a-z][a-z0-9+.-]*:")

# The pages of the navigation, in order; what is not here is found from these.
CHAPTERS = (
    ("Start", ("README.md", "docs/tutorial/first-kernel.md",
               "docs/tutorial/first-multirank-kernel.md", "docs/tutorial/symptom-to-fix.md",
               "docs/tutorial/on-the-screen.md", "docs/tutorial/from-intrinsics.md")),
    ("Write", ("docs/language.md", "docs/isa/README.md", "docs/machine.md", "docs/kernels.md",
               "docs/upstream.md", "docs/cpp.md")),
    ("Run", ("docs/ptovm.md", "docs/profiles.md", "docs/tune.md", "docs/scale.md",
             "docs/performance.md", "docs/operators.md", "docs/fidelity.md")),
    ("Find mistakes", ("docs/check.md", "docs/lint.md", "docs/explore.md", "docs/debugger.md",
                       "docs/debugging.md", "docs/validation.md")),
    ("Embed", ("docs/editors.md", "docs/python.md", "docs/c-api.md", "docs/object-format.md")),
    ("Change", ("CONTRIBUTING.md", "docs/architecture.md", "docs/extending.md", "docs/trust.md",
                "CHANGELOG.md")),
)

# Pages that end with a list of all pages of a folder: its heading, the folder.
LISTS = {"docs/isa/README.md": ("All instructions", "docs/isa/"),
         "docs/architecture.md": ("Decisions", "docs/decisions/")}


class Wrong(Exception):
    """What keeps the site from being made."""


# ---- which pages there are, and where they go --------------------------------------------------

def pages(sources):
    """{Markdown file: HTML file}, both from their tops."""
    found = {}
    for folder, _, names in os.walk(os.path.join(sources, "docs")):
        for name in names:
            if name.endswith(".md"):
                path = os.path.relpath(os.path.join(folder, name), sources)
                found[path] = re.sub(r"README\.md$|\.md$", "", path[len("docs/"):])
    found = {path: (out + "index.html" if path.endswith("README.md") else out + ".html")
             for path, out in found.items()}
    found.update({"README.md": "index.html", "CONTRIBUTING.md": "contributing.html",
                  "CHANGELOG.md": "changelog.html"})
    for _, chapter in CHAPTERS:
        for path in chapter:
            if path not in found:
                raise Wrong("the navigation names %s, which is not there" % path)
    return found


def link_target(link, page, known, sources, assets):
    """What a link of a Markdown page is on the site; None: it leads nowhere."""
    if OUTSIDE.match(link) or link.startswith("#"):
        return link
    path, mark, anchor = link.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page), path))
    here = os.path.dirname(known[page])
    if path in known:
        return os.path.relpath(known[path], here or ".") + mark + anchor
    if os.path.isfile(os.path.join(sources, path)):
        out = path[len("docs/"):] if path.startswith("docs/") else os.path.join("files", path)
        assets[path] = out
        return os.path.relpath(out, here or ".") + mark + anchor
    return None


# ---- a page ------------------------------------------------------------------------------------

def body_of(pandoc, sources, path):
    done = subprocess.run([pandoc, "-f", "gfm+gfm_auto_identifiers", "-t", "html5", "--wrap=none",
                           "--no-highlight", os.path.join(sources, path)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise Wrong("%s: %s" % (path, done.stderr.decode(errors="replace").strip()))
    return done.stdout.decode()


def with_rows(body):
    """A row of a table whose first cell is a word of code can be linked to by that word."""
    seen = set(re.findall(r'\bid="([^"]+)"', body))

    def name(match):
        if match[2] in seen:
            return match[0]
        seen.add(match[2])
        return '<tr%s id="%s">%s' % (match[1], match[2], match[3])
    return re.sub(r"<tr((?: class=\"\w+\")?)>(?=\s*<td[^>]*><code>([a-z][a-z-]*)</code></td>)(\s*)",
                  name, body)


def with_links(body, page, known, sources, assets, wrong):
    def turn(match):
        link = html.unescape(match[2])
        target = link_target(link, page, known, sources, assets)
        if target is None:
            wrong.append("%s: %s leads nowhere" % (page, link))
            target = link
        return match[1] + html.escape(target) + '"'
    return re.sub(r'((?:href|src)=")([^"]*)"', turn, body)


def title_of(body, path):
    found = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)
    return html.unescape(re.sub(r"<[^>]+>", "", found[1])).strip() if found else path


def words_of(body):
    text = html.unescape(re.sub(r"<[^>]+>", " ", body))
    return re.sub(r"\s+", " ", text).strip()


def description_of(body):
    """The beginning of the first paragraph, for the lists of search engines."""
    found = re.search(r"<p>(.*?)</p>", body, re.S)
    words = words_of(found[1]) if found else ""
    return words if len(words) <= 160 else words[:160].rpartition(" ")[0] + " ..."


def list_below(page, known, titles):
    """The list of a folder's pages that a page ends with."""
    if page not in LISTS:
        return ""
    heading, folder = LISTS[page]
    here = os.path.dirname(known[page]) or "."
    return '<h2 id="all-pages">%s</h2><ul class="all">%s</ul>' % (heading, "".join(
        '<li><a href="%s">%s</a></li>' % (os.path.relpath(known[path], here),
                                          html.escape(titles[path]))
        for path in sorted(known) if path.startswith(folder) and path != page))


def navigation(page, known, titles):
    here = os.path.dirname(known[page]) or "."
    lines = []
    for chapter, paths in CHAPTERS:
        lines.append("<h2>%s</h2><ul>" % chapter)
        for path in paths:
            mark = ' aria-current="page"' if path == page else ""
            lines.append('<li><a href="%s"%s>%s</a></li>' % (
                os.path.relpath(known[path], here), mark, html.escape(titles[path])))
        lines.append("</ul>")
    return "\n".join(lines)


# ---- checks ------------------------------------------------------------------------------------

def check_anchors(made):
    """Links between the pages, and within them, come to a place that is there."""
    places = {out: set(re.findall(r'\bid="([^"]+)"', text)) for out, text in made.items()}
    for out, text in sorted(made.items()):
        for link in re.findall(r'href="([^"]*#[^"]*)"', text):
            path, _, anchor = html.unescape(link).partition("#")
            if OUTSIDE.match(link):
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(out), path)) if path else out
            if target in places and anchor not in places[target]:
                yield "%s: there is no place '%s' on %s" % (out, anchor, target)


# ---- the whole ---------------------------------------------------------------------------------

def build(pandoc, sources, version):
    """{file: text} of all pages, {file of the sources: file of the site} of what they show."""
    known, assets, wrong = pages(sources), {}, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as crew:
        bodies = dict(zip(known, crew.map(lambda path: body_of(pandoc, sources, path), known)))
    titles = {path: title_of(body, path) for path, body in bodies.items()}
    with open(os.path.join(HERE, "page.html"), encoding="utf-8") as file:
        frame = file.read()
    made, index = {}, []
    for path in sorted(known):
        body = with_links(with_rows(bodies[path]), path, known, sources, assets, wrong)
        parts = {"title": html.escape(titles[path]),
                 "description": html.escape(description_of(bodies[path])),
                 "version": html.escape(version),
                 "body": body + list_below(path, known, titles),
                 "navigation": navigation(path, known, titles),
                 "top": os.path.relpath(".", os.path.dirname(known[path]) or ".")}
        made[known[path]] = re.sub(r"\{(\w+)\}", lambda m: parts[m[1]], frame)
        index.append([known[path], titles[path], words_of(bodies[path])])
    wrong += check_anchors(made)
    if wrong:
        raise Wrong("\n".join(wrong))
    made["search_index.js"] = "const INDEX = %s;\n" % json.dumps(index, ensure_ascii=False)
    return made, assets


def write(made, assets, sources, out):
    new = out + ".new"
    shutil.rmtree(new, ignore_errors=True)
    for name, text in made.items():
        os.makedirs(os.path.dirname(os.path.join(new, name)), exist_ok=True)
        with open(os.path.join(new, name), "w", encoding="utf-8") as file:
            file.write(text)
    for path, name in assets.items():
        os.makedirs(os.path.dirname(os.path.join(new, name)), exist_ok=True)
        shutil.copy(os.path.join(sources, path), os.path.join(new, name))
    for name in ("style.css", "search.js"):
        shutil.copy(os.path.join(HERE, name), new)
    shutil.rmtree(out, ignore_errors=True)
    os.rename(new, out)


def main():
    pandoc, sources, out, version = sys.argv[1:]
    try:
        made, assets = build(pandoc, sources, version)
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return 1
    write(made, assets, sources, out)
    print("%d pages in %s" % (len(made) - 1, out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
