"""Sorted lists of upstream's text that become one, and where elements compare with a number."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402,F401
from writing import Case, Function, module, vec  # noqa: E402

KINDS = {"f32": np.float32, "f16": np.float16}
RECORD = 8  # bytes


class Merged(Case):
    def records(self, element, count, first):
        """Sorted values with their numbers, as columns of a tile; many of them are equal."""
        value = np.sort(self.random.integers(-9, 9, count))[::-1].astype(KINDS[element])
        record = np.zeros(count, [("value", KINDS[element]),
                                  ("rest", np.uint8, 4 - value.itemsize), ("index", np.uint32)])
        record["value"], record["index"] = value, np.arange(first, first + count)
        return record

    def merged(self, lists, length, exhausted):
        """By closed form: a stable order of all of them, cut where the merge ends."""
        every = np.concatenate(lists)
        origin = np.repeat(np.arange(len(lists)), [len(each) for each in lists])
        order = np.argsort(-every["value"].astype(np.float64), kind="stable")
        ends = [np.flatnonzero(origin[order] == at)[-1] + 1 for at in range(len(lists))]
        return every[order][:min(length, min(ends) if exhausted else len(every))]

    def check_merge(self, arch, element, counts, length, exhausted, older=False, made=False):
        columns = RECORD // np.dtype(KINDS[element]).itemsize
        f, given, lists = Function(), {}, []
        f.line("%ex = arith.constant dense<0> : vector<4xi16>")
        f.type["%ex"] = "vector<4xi16>"
        for at, count in enumerate(counts):
            lists.append(self.records(element, count, 1000 * at))
            given["x%d" % at] = lists[-1].view(KINDS[element])
        sources = [f.loaded(f.pointer(name, element), 1, value.size)
                   for name, value in given.items()]
        y = f.pointer("y", element)
        dst, scratch = (f.tile(vec(1, length * columns, element)) for _ in range(2))
        f.op("texpands", [f.number(0.0, element)], [dst])
        ins, outs = (sources, [dst, scratch, "%ex"]) if older else (
            sources + ([] if made else [scratch]), [dst, "%ex"])
        f.op("tmrgsort", ins, outs, inside="%s{exhausted = %s}" % (
            "no_tmp " if made else "", "true" if exhausted else "false"))
        f.store(dst, f.whole(y, 1, length * columns))
        got = self.merged(lists, length, exhausted)
        want = np.zeros(length, got.dtype)
        want[:len(got)] = got
        zeros = np.zeros(length * columns, KINDS[element])
        self.check(module(arch, f), {**given, "y": zeros}, {"y": want.view(KINDS[element])})

    def test_two_to_four_lists(self):
        for arch in ("a3", "a5"):
            for element in KINDS:
                for counts in ((32, 32), (64, 8, 16), (4, 32, 100, 8)):
                    for length, exhausted in ((sum(counts), False), (24, False),
                                              (sum(counts), True)):
                        with self.subTest(arch=arch, element=element, counts=counts,
                                          length=length, exhausted=exhausted):
                            self.check_merge(arch, element, counts, length, exhausted)

    def test_scratch_among_the_destinations(self):
        """As files before v0.26 have it."""
        self.check_merge("a3", "f32", (32, 64), 96, False, older=True)
        self.check_merge("a5", "f16", (32, 64, 8), 40, True, older=True)

    def test_scratch_that_is_left_out(self):
        """`no_tmp`, in newer files: then the last of the ins is a list, too."""
        self.check_merge("a3", "f32", (32, 64), 96, False, made=True)
        self.check_merge("a3", "f16", (4, 32, 100, 8), 144, True, made=True)
        self.check_merge("a5", "f32", (32, 64, 8), 40, False, made=True)

    def test_counts_of_two_merges(self):
        """One vector serves both, in a loop, too."""
        for arch in ("a3", "a5"):
            f, lists = Function(), [self.records("f32", 16, 100 * at) for at in range(4)]
            f.line("%ex = arith.constant dense<0> : vector<4xi16>")
            f.type["%ex"] = "vector<4xi16>"
            x, y = f.pointer("x", "f32"), f.pointer("y", "f32")
            view, half = f.view(x, [4, 32]), vec(1, 64, "f32")
            a, b = (f.tile(vec(1, 32, "f32")) for _ in range(2))
            c, d, scratch = (f.tile(half) for _ in range(3))
            f.line("scf.for %%i = %s to %s step %s {" % tuple(map(f.number, (0, 2, 1))))
            for row, total in ((0, c), (2, d)):
                f.load(f.part(view, [row, 0], [1, 32]), a)
                f.load(f.part(view, [row + 1, 0], [1, 32]), b)
                f.op("tmrgsort", [a, b, scratch], [total, "%ex"], inside="{exhausted = false}")
            whole, last = (f.tile(vec(1, 128, "f32")) for _ in range(2))
            f.op("tmrgsort", [c, d, last], [whole, "%ex"])
            f.store(whole, f.whole(y, 1, 128))
            f.line("}")
            given = np.concatenate(lists).view(np.float32)
            want = self.merged([self.merged(lists[:2], 32, False),
                                self.merged(lists[2:], 32, False)], 64, False)
            self.check(module(arch, f), {"x": given, "y": np.zeros_like(given)},
                       {"y": want.view(np.float32)})


class Compared(Case):
    """`tgather` of the columns that compare with a number, and how many there are in each row."""

    ELEMENTS = {"f32": np.float32, "f16": np.float16, "i32": np.int32}

    def columns(self, given, number, mode, offset, width):
        places = np.full((given.shape[0], width), -1, np.int32)
        counts = np.zeros((given.shape[0], 8), np.int32)
        for row, values in enumerate(given):
            found = np.flatnonzero(values > number if mode == "gt" else values == number)
            places[row, :min(width, len(found))] = found[:width] + offset
            counts[row, 0] = len(found)
        return places, counts

    def check_columns(self, arch, element, mode, offset, kind, turns=1):
        given = self.random.integers(-4, 5, (8, 64)).astype(self.ELEMENTS[element])
        f = Function()
        x, y, c, n = (f.pointer("x", element), f.pointer("y", "i32"), f.pointer("c", "i32"),
                      f.argument("n", kind))
        f.line("scf.for %%i = %s to %s step %s {" % tuple(map(f.number, (0, turns, 1))))
        found, counts = f.tile(vec(8, 16, "i32")), f.tile(vec(8, 8, "i32"))
        for each, value in ((found, -1), (counts, 0)):
            f.op("texpands", [f.number(value, "i32")], [each])
        f.op("tgather", [f.loaded(x, 8, 64), n, f.tile(vec(8, 64, element))], [found, counts],
             behind=" {cmpMode = #pto.cmp<%s>%s}" % (mode, ", offset = %d : i32" % offset
                                                    if offset else ""))
        f.store(found, f.whole(y, 8, 16))
        f.store(counts, f.whole(c, 8, 8))
        f.line("}")
        places, many = self.columns(given, 2, mode, offset, 16)
        self.check(module(arch, f), {"x": given, "y": np.zeros_like(places),
                                     "c": np.zeros_like(many)}, {"y": places, "c": many},
                   "--set", "n=2")

    def test_columns(self):
        for arch in ("a3", "a5"):
            for element, mode, offset, kind in (
                    ("f32", "gt", 0, "f32"), ("f32", "eq", 7, "i32"), ("f16", "gt", -3, "f16"),
                    ("i32", "eq", 100, "i32")):
                with self.subTest(arch=arch, element=element):
                    self.check_columns(arch, element, mode, offset, kind)

    def test_in_a_loop(self):
        self.check_columns("a3", "f32", "gt", 5, "f32", turns=3)


if __name__ == "__main__":
    unittest.main()
