"""Upstream's text, written in a few calls, and its run against what numpy says."""

import os
import tempfile
import unittest

import numpy as np

import pto

SYNC = ("auto", "inorder")


def tile(place, rows, cols, element, **keys):
    """A tile_buf: `valid`, `blayout`, `slayout`, `fractal`, `pad`."""
    text = "".join(", %s=%s" % pair for pair in keys.items())
    return "!pto.tile_buf<%s, %dx%dx%s%s>" % (place, rows, cols, element, text)


def vec(rows, cols, element, **keys):
    return tile("vec", rows, cols, element, **keys)


def mat(rows, cols, element):
    return tile("mat", rows, cols, element, blayout="col_major", slayout="row_major")


def left(rows, cols, element):
    return tile("left", rows, cols, element, blayout="row_major", slayout="row_major")


def right(rows, cols, element):
    return tile("right", rows, cols, element, blayout="row_major", slayout="col_major")


def acc(rows, cols, element="f32"):
    return tile("acc", rows, cols, element, blayout="col_major", slayout="row_major", fractal=1024)


def listed(names):
    return "[" + ", ".join(names) + "]"


class Function:
    """A function on its way: values are their names, `type` knows what each of them is."""

    def __init__(self, name="k", kind=None, entry=False):
        self.name, self.kind, self.entry = name, kind, entry
        self.type, self.lines, self.arguments, self.constants = {}, [], [], {}
        self.returned = []  # names of its results

    def line(self, text):
        self.lines.append("    " + text)

    def fresh(self, kind):
        name = "%%v%d" % len(self.type)
        self.type[name] = kind
        return name

    def argument(self, name, kind):
        self.arguments.append("%%%s: %s" % (name, kind))
        self.type["%" + name] = kind
        return "%" + name

    def pointer(self, name, element):
        return self.argument(name, "!pto.ptr<%s>" % element)

    def number(self, value, kind="index"):
        if isinstance(value, str):
            return value
        if (value, kind) not in self.constants:
            name = self.fresh(kind)
            self.constants[value, kind] = name
        return self.constants[value, kind]

    def view(self, pointer, shape, strides=None, layout=None):
        if strides is None:
            strides = [int(np.prod(shape[at + 1:])) for at in range(len(shape))]
        element = self.type[pointer][len("!pto.ptr<"):-1]
        name = self.fresh("!pto.tensor_view<%s%s>" % ("?x" * len(shape), element))
        self.line("%s = pto.make_tensor_view %s, shape = %s, strides = %s%s : %s" % (
            name, pointer, listed(map(self.number, shape)), listed(map(self.number, strides)),
            " {layout = #pto.layout<%s>}" % layout if layout else "", self.type[name]))
        return name

    def part(self, view, offsets, sizes):
        sides = "".join("%sx" % ("?" if isinstance(size, str) else size) for size in sizes)
        element = self.type[view].rsplit("x", 1)[1]
        name = self.fresh("!pto.partition_tensor_view<%s%s" % (sides, element))
        self.line("%s = pto.partition_view %s, offsets = %s, sizes = %s : %s -> %s" % (
            name, view, listed(map(self.number, offsets)), listed(map(self.number, sizes)),
            self.type[view], self.type[name]))
        return name

    def whole(self, pointer, *shape):
        return self.part(self.view(pointer, shape), [0] * len(shape), shape)

    def tile(self, kind, addr=None, rows=None, cols=None):
        name = self.fresh(kind)
        self.line("%s = pto.alloc_tile%s%s%s : %s" % (
            name, "" if addr is None else " addr = " + self.number(addr, "i64"),
            " valid_row = " + rows if rows else "", " valid_col = " + cols if cols else "", kind))
        return name

    def op(self, name, ins, outs=(), inside="", behind=""):
        def group(names):
            return "%s%s : %s" % (", ".join(names), " " + inside if inside and names is ins else "",
                                  ", ".join(self.type[each] for each in names))
        self.line("pto.%s ins(%s)%s%s" % (name, group(ins),
                                          " outs(%s)" % group(outs) if outs else "", behind))

    def load(self, window, to):
        self.op("tload", [window], [to])
        return to

    def store(self, source, window, behind=""):
        self.op("tstore", [source], [window], behind=behind)

    def loaded(self, pointer, rows, cols, **keys):
        element = self.type[pointer][len("!pto.ptr<"):-1]
        return self.load(self.whole(pointer, rows, cols),
                         self.tile(vec(rows, cols, element, **keys)))

    def set_valid(self, name, rows, cols):
        self.line("pto.set_validshape %s, %s, %s : %s" % (
            name, self.number(rows), self.number(cols), self.type[name]))

    def text(self):
        said = ["pto.entry"] if self.entry else []
        if self.kind:
            said.append("pto.kernel_kind = #pto.kernel_kind<%s>" % self.kind)
        types = ", ".join(self.type[name] for name in self.returned)
        return "  func.func @%s(%s)%s%s {\n%s%s\n    return%s\n  }\n" % (
            self.name, ", ".join(self.arguments), " -> (%s)" % types if types else "",
            " attributes {%s}" % ", ".join(said) if said else "",
            "".join("    %s = arith.constant %s : %s\n" % (name, value, kind)
                    for (value, kind), name in self.constants.items()), "\n".join(self.lines),
            " %s : %s" % (", ".join(self.returned), types) if types else "")


def module(arch, *functions):
    return 'module attributes {pto.target_arch = "%s"} {\n%s}\n' % (
        arch, "".join(each if isinstance(each, str) else each.text() for each in functions))


class Case(unittest.TestCase):
    """Texts that run checked, with the flags that are put in and in order."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.random = np.random.default_rng(5)

    def path(self, name):
        return os.path.join(self.folder, name)

    def floats(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def write(self, text):
        with open(self.path("k.pto"), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path("k.pto")

    def check(self, text, given, want, *options, close=None):
        """Run `text` with the arrays `given`; its objects in `want` are those arrays then."""
        arguments = []
        for name, value in given.items():
            np.save(self.path(name), value.reshape(-1))
            arguments += ["--in", "%s=%s.npy" % (name, self.path(name))]
        for name in want:
            arguments += ["--out", "%s=%s.out.npy" % (name, self.path(name))]
        for sync in SYNC:
            done = pto.ptovm("run", self.write(text), "--check", "--sync", sync, *options,
                             *arguments)
            self.assertEqual((done.code, done.err), (0, ""), done.err)
            for name, value in want.items():
                got = np.load(self.path(name) + ".out.npy").reshape(value.shape)
                if close:
                    np.testing.assert_allclose(got, value, rtol=close, atol=close)
                else:
                    np.testing.assert_array_equal(got, value)
