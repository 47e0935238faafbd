"""The rooms of the sources and the arrows between them: who may include whom.

A room is a folder; a file in a top folder is a room of its own kind.  A new arrow is a decision: it
is added here, with a page in docs/decisions if it turns a direction around."""

import collections
import os

import sources

# Room: the rooms that its files may include.  Nothing but what stands here.
MAY = {
    "isa": (),
    "isa/tool": ("isa",),               # the command line, of programs only
    "vm/ops": ("isa",),
    "vm/vm.h": ("isa",),                # the public words of the machine: types and functions
    "vm/machine": ("vm/ops", "vm/vm.h", "isa"),
    "vm/units": ("vm/machine", "vm/ops", "isa"),
    "vm/look": ("vm/machine", "vm/vm.h", "isa"),
    "vm/run": ("vm/units", "vm/machine", "vm/ops", "vm/vm.h", "isa"),
    "vm/check": ("vm/look", "vm/machine", "vm/vm.h", "isa"),
    "assembler/text": ("isa",),
    "assembler/formula": ("assembler/text", "isa"),     # what expressions are worth
    "assembler/program": ("assembler/formula", "assembler/text", "isa"),
    "assembler/mlir": ("isa",),         # upstream's text to text of this language
    "assembler/sync": ("isa",),         # flags and barriers of assembled programs
    "assembler/cpp": ("isa",),          # programs as C++ for the chip
    "assembler/lint": ("isa",),         # any verified program, wherever it comes from
    "assembler/format": ("assembler/text", "isa"),      # lines laid out
    "assembler": ("assembler/program", "assembler/format", "assembler/mlir", "assembler/sync",
                  "assembler/text", "isa"),
    "assembler/lsp": ("assembler", "assembler/lint", "assembler/text", "isa/tool", "isa"),
    "assembler/cli": ("assembler", "assembler/lsp", "assembler/cpp", "assembler/lint", "isa/tool",
                      "isa"),
    "vm/data": ("vm/vm.h", "isa/tool", "isa"),  # arrays in files and archives, and made ones
    "vm/cli": ("assembler", "vm/data", "vm/check", "vm/look", "vm/vm.h", "isa/tool", "isa"),
    "vm/trace": ("vm/cli", "vm/data", "vm/look", "vm/vm.h", "isa/tool", "isa"),     # timelines
    "vm/report": ("vm/cli", "vm/look", "vm/vm.h", "isa/tool", "isa"),   # what one run was like
    "vm/search": ("vm/report", "vm/cli", "vm/data", "vm/check", "vm/look", "vm/vm.h", "isa/tool",
                  "isa"),               # runs again and again: explore, tune, whatif, --fix
    "vm/dbg": ("assembler/formula", "assembler/text", "assembler", "vm/search", "vm/report",
               "vm/cli", "vm/data", "vm/check", "vm/look", "vm/vm.h", "isa/tool", "isa"),
    "vm/dap": ("assembler/formula", "vm/dbg", "vm/cli", "vm/look", "vm/vm.h", "isa"),
    "vm/tui": ("assembler/formula", "vm/dbg", "vm/cli", "vm/look", "vm/vm.h", "isa"),
    "vm/api": ("vm/report", "vm/cli", "vm/check", "vm/vm.h", "isa"),    # the library
    "vm/diff": ("vm/report", "vm/cli", "isa"),  # two reports, side by side
    "vm/twin": ("vm/search", "vm/trace", "vm/report", "vm/cli", "vm/data", "vm/look", "vm/vm.h",
                "isa"),                 # two runs, side by side
    "vm": ("vm/diff", "vm/twin", "vm/search", "vm/trace", "vm/report", "vm/cli", "vm/data",
           "vm/dbg", "vm/dap", "vm/tui", "vm/look", "vm/vm.h", "isa/tool",
           "isa"),                      # ptovm.c, ptodbg.c
}
# Where no file may include, through others, a file that includes it; in assembler/ that holds for
# rooms.  A file is a .c with its .h.
FILES_WITHOUT_CIRCLES = ("isa", "vm")


def room_of(path):
    """The folder of a file, or what it belongs to: isa/rows is a part of isa."""
    if path in MAY:
        return path
    room = os.path.dirname(path)
    return "isa" if room.startswith("isa/") and room not in MAY else room


def arrows(graph):
    """{(room, room): [(file, file)]} of the includes that leave a room."""
    found = collections.defaultdict(list)
    for path, targets in graph.items():
        for target in targets:
            if room_of(path) != room_of(target):
                found[room_of(path), room_of(target)].append((path, target))
    return found


def wrong_arrows(graph):
    """Violations: (rule, what is wrong)."""
    for path in graph:
        if room_of(path) not in MAY:
            yield "room", "%s is in no room of tests/style/rooms.py" % path
    for (source, target), places in sorted(arrows(graph).items()):
        if target not in MAY.get(source, ()):
            for path, included in places:
                yield "arrow %s -> %s" % (source, target), "%s includes %s" % (path, included)


def merged(graph, name_of):
    """The graph of what `name_of` makes of the files, without arrows from a name to itself."""
    result = {}
    for path, targets in graph.items():
        names = result.setdefault(name_of(path), set())
        names.update(name_of(target) for target in targets)
        names.discard(name_of(path))
    return result


def reached(graph, start):
    """What can be reached from a node by at least one arrow."""
    seen, todo = set(), [start]
    while todo:
        for target in graph.get(todo.pop(), ()):
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def circles(graph):
    """Sorted lists of nodes that reach one another."""
    reach = {node: reached(graph, node) for node in graph}
    found = {tuple(sorted(other for other in reach[node] if node in reach.get(other, ())))
             for node in graph if node in reach[node]}
    return sorted(map(list, found))


def wrong_circles(graph):
    stems = merged(graph, lambda path: os.path.splitext(path)[0])
    for circle in circles(stems):
        top = circle[0].split(os.sep)[0]
        if top in FILES_WITHOUT_CIRCLES:
            for stem in circle:
                yield "circle in " + top, "%s is in a circle of %s" % (stem, ", ".join(circle))
    for circle in circles(merged(graph, room_of)):
        yield "circle of rooms", ", ".join(circle)


def levels(arrows_of):
    """Rooms from the bottom: a room stands above all that it includes."""
    level = {}

    def of(room, above=()):
        if room in above:
            return 0
        if room not in level:
            level[room] = 1 + max([of(r, above + (room,)) for r in arrows_of[room]] or [-1])
        return level[room]

    for room in arrows_of:
        of(room)
    return level


def drawn(graph):
    """The map of docs/architecture.md: rooms from the bottom, and the rooms that each includes."""
    rooms = merged(graph, room_of)
    level = levels(rooms)
    order = sorted(rooms, key=lambda room: (level[room], list(MAY).index(room)))
    width = max(map(len, rooms))
    lines = []
    for room in order:
        included = sorted(rooms[room], key=order.index, reverse=True)
        lines.append(("    %-*s  ->  %s" % (width, room, ", ".join(included))).rstrip(" ->"))
    return "\n".join(lines) + "\n"


def load(root):
    return sources.includes(root)
