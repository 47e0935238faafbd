"""The C sources: which file includes which, and which room a file is in."""

import os
import re

FOLDERS = ("isa", "assembler", "vm")
ENDINGS = (".c", ".h", ".y", ".l", ".def")
# What the compiler searches behind the file's own folder, by the file's top folder.
SEARCHED = {"isa": ("isa",), "assembler": ("assembler", "isa"), "vm": ("vm", "assembler", "isa")}
GENERATED = ("parse.h", "mlir_parse.h", "manual_pages.h", "profiles_embedded.h", "report_files.h",
             "rules_embedded.h")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def files(root, folders=FOLDERS, endings=ENDINGS):
    """Paths of the sources, from the root."""
    found = []
    for folder in folders:
        for place, _, names in os.walk(os.path.join(root, folder)):
            found += [os.path.relpath(os.path.join(place, name), root) for name in names
                      if name.endswith(endings)]
    return sorted(found)


def text_of(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def target_of(root, path, name):
    """The file that an include of `path` means; None if the build makes it."""
    for folder in (os.path.dirname(path),) + SEARCHED[path.split(os.sep)[0]]:
        found = os.path.normpath(os.path.join(folder, name))
        if os.path.exists(os.path.join(root, found)):
            return found
    if name not in GENERATED:
        raise SystemExit("%s includes %s, which does not exist" % (path, name))
    return None


def includes(root):
    """{path: [paths that it includes]}"""
    graph = {}
    for path in files(root):
        named = [target_of(root, path, name) for name in INCLUDE.findall(text_of(root, path))]
        graph[path] = [target for target in named if target]
    return graph
