"""Rules for single files: headers that compile alone, exports that are used, sizes."""

import ast
import collections
import os
import re
import subprocess

import sources

MOST_LINES, MOST_OF_A_FUNCTION, MOST_COLUMNS = 500, 60, 100
WRITTEN = (".c", ".h", ".y", ".l", ".def", ".py", ".cmake", "CMakeLists.txt")
FOLDERS = sources.FOLDERS + ("tests", "docs")


def written_files(root):
    """Everything that is written in C, tables, CMake and Python."""
    return sources.files(root, FOLDERS, WRITTEN) + ["CMakeLists.txt"]


# ---- sizes -----------------------------------------------------------------------------------

def wrong_sizes(root):
    for path in written_files(root):
        lines = sources.text_of(root, path).split("\n")
        if len(lines) - 1 > MOST_LINES:
            yield "long file", "%s has %d lines" % (path, len(lines) - 1)
        for number, line in enumerate(lines, 1):
            if len(line) > MOST_COLUMNS:
                yield "wide line", "%s:%d has %d columns" % (path, number, len(line))
        for number, name, length in functions(path, lines):
            if length > MOST_OF_A_FUNCTION:
                yield "long function", "%s:%d: %s has %d lines" % (path, number, name, length)


def functions(path, lines):
    """(line, name, lines) of the functions of a file."""
    if path.endswith(".py"):
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, ast.FunctionDef):
                yield node.lineno, node.name, node.end_lineno - node.lineno + 1
    elif path.endswith((".c", ".h", ".y", ".l")):
        yield from c_functions(lines)


def c_functions(lines):
    """A function begins where its head does and ends at a brace in the first column."""
    for opened, line in enumerate(lines):
        if line != "{":
            continue
        first = opened
        while first and not re.match(r"$|[#/}]| \*", lines[first - 1]):
            first -= 1
        closed = lines.index("}", opened) if "}" in lines[opened:] else len(lines)
        yield first + 1, lines[first], closed - first + 1


# ---- headers ---------------------------------------------------------------------------------

# Included more than once, each time with other macros set: no headers of their own.
TEMPLATES = ("vm/ops/cube_kernel.h",)


def wrong_headers(root, compiler, generated):
    """Headers that do not compile alone.  `generated`: folder with what flex and bison made."""
    for folder in sources.FOLDERS:
        headers = [path for path in sources.files(root, (folder,), (".h",))
                   if path not in TEMPLATES]
        search = ["-I" + f for f in sources.SEARCHED[folder] + (generated,)]
        if not headers:
            continue
        done = subprocess.run(
            [compiler, "-std=gnu11", "-D_GNU_SOURCE", "-fsyntax-only", "-Wall", "-Wextra", *search,
             "-x", "c", *headers], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = done.stdout.decode(errors="replace")
        wrong = {path: message for path, message in re.findall(
            r"^([^\s:]+\.h):\d+.*?: (?:error|warning): (.*)", text, re.M)}
        for path, message in sorted(wrong.items()):
            if "pragma once in main file" not in message:
                yield "header alone", "%s: %s" % (path, message)
        if done.returncode and not wrong:
            yield "header alone", text


# ---- exports ---------------------------------------------------------------------------------

COMMENT = re.compile(r"/\*.*?\*/", re.S)
DECLARATION = re.compile(r"^(?!static|typedef|struct \w+ *\{|#)[a-z][\w \*]*?[ \*](\w+)\(", re.M)


def declared(text):
    """{function: the comment above it} of a header."""
    found = {}
    for match in DECLARATION.finditer(COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)):
        comments = [c for c in COMMENT.finditer(text) if c.end() <= match.start()]
        near = comments and not text[comments[-1].end():match.start()].strip()
        found[match.group(1)] = comments[-1].group(0) if near else ""
    return found


def wrong_exports(root):
    """Functions of a header that no other file uses.  A test alone is a use only if the comment
    above the function says that it is there for tests."""
    texts = {path: sources.text_of(root, path) for path in sources.files(root)}
    words = {path: collections.Counter(re.findall(r"\w+", COMMENT.sub("", text)))
             for path, text in texts.items()}
    users = collections.defaultdict(set)
    for path in words:
        for word in words[path]:
            users[word].add(os.path.splitext(path)[0])
    for header in sources.files(root, endings=(".h",)):
        for name, comment in declared(texts[header]).items():
            inline = words[header][name] > 1    # by an inline function or macro of the header
            if users[name] <= {os.path.splitext(header)[0]} and not inline and \
                    " tests" not in comment:
                yield "unused export", "%s: %s" % (header, name)
