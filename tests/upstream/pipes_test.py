"""Frontend pipes of upstream's text: what each push says of its pipe, its split and its shape; and
flags between sub-cores."""

import copy
import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
from writing import Case, Function, acc, left, mat, module, right, vec  # noqa: E402

TURNS = 11


class Pipes(Case):
    """A cube that multiplies, and vector sub-cores that store: o0 = a0 b0, o1 = a1 b1."""

    def setUp(self):
        super().setUp()
        self.cube, self.vector = Function("cube", "cube"), Function("vector", "vector")
        self.given, self.want = {}, {}
        self.vector.line('%room = pto.reserve_buffer {name = "f", size = 16384, location = '
                         '#pto.address_space<vec>, auto = true} -> i32')
        self.cube.line('%room = pto.import_reserved_buffer {name = "f", peer_func = @vector} '
                       '-> i32')
        sub = self.vector.fresh("i64")
        self.vector.line("%s = pto.get_subblock_idx" % sub)
        self.vector.line("%%sub = arith.index_cast %s : i64 to index" % sub)

    def pipe(self, **said):
        for function, side in ((self.cube, "aic"), (self.vector, "aiv")):
            function.line("pto.%s_initialize_pipe {%sdir_mask = 1, slot_size = 4096} "
                          "(c2v_consumer_buf = %%room : i32, v2c_consumer_buf = %%room : i32)" % (
                              side, "".join("%s = %s : i32, " % pair for pair in said.items())))

    def product(self, at, rows=32):
        f = self.cube
        a, b = (self.random.integers(-4, 5, shape).astype(np.float16)
                for shape in ((rows, 32), (32, 32)))
        self.given.update({"a%d" % at: a, "b%d" % at: b,
                           "o%d" % at: np.zeros((rows, 32), np.float32)})
        self.want["o%d" % at] = a.astype(np.float32) @ b.astype(np.float32)
        factors = []
        for name, size, kind in (("a", rows, left), ("b", 32, right)):
            pointer = f.pointer("%s%d" % (name, at), "f16")
            factors.append(f.tile(kind(size, 32, "f16")))
            f.op("tmov", [f.load(f.whole(pointer, size, 32), f.tile(mat(size, 32, "f16")))],
                 [factors[-1]])
        result = f.tile(acc(rows, 32))
        f.op("tmatmul", factors, [result])
        return result

    def push(self, tile, said):
        self.cube.line("pto.tpush_to_aiv(%s : %s) {%s}" % (tile, self.cube.type[tile], said))

    def pop(self, said, rows, cols):
        name = self.vector.fresh(vec(rows, cols, "f32"))
        self.vector.line("%s = pto.tpop_from_aic {%s} -> %s" % (name, said,
                                                                self.vector.type[name]))
        return name

    def store(self, tile, at, said, by_cols=False, rows=32):
        f = self.vector
        sides = [rows, 16] if by_cols else [rows // 2, 32]
        first = f.fresh("index")
        f.line("%s = arith.muli %%sub, %s : index" % (
            first, f.number(16 if by_cols else rows // 2)))
        f.store(tile, f.part(f.view(f.pointer("o%d" % at, "f32"), [rows, 32]),
                             [0, first] if by_cols else [first, 0], sides))
        f.line("pto.tfree_from_aic {%s}" % said)

    def run_both(self):
        entry = Function("k", entry=True)
        entry.arguments = self.cube.arguments + self.vector.arguments
        for each in (self.cube, self.vector):
            names, types = zip(*(pair.split(": ", 1) for pair in each.arguments))
            entry.line("call @%s(%s) : (%s) -> ()" % (each.name, ", ".join(names),
                                                      ", ".join(types)))
        for arch in ("a3", "a5"):
            with self.subTest(arch):
                self.check(module(arch, self.cube, self.vector, entry), self.given, self.want)

    def run_without_entry(self, *arguments, cube="cube", vector="vector"):
        """Two functions that nobody calls are one kernel."""
        self.cube.name, self.vector.name = cube, vector
        self.cube.lines = [line.replace("@vector", "@" + vector) for line in self.cube.lines]
        for order in ((self.cube, self.vector), (self.vector, self.cube)):
            with self.subTest(first=order[0].name):
                self.check(module("a3", *order), self.given, self.want, *arguments)

    def one_product(self):
        self.pipe()
        self.push(self.product(0), "split = 1")
        self.store(self.pop("split = 1", 16, 32), 0, "split = 1")

    def test_peers_are_launched_together(self):
        self.one_product()
        self.run_without_entry()

    def test_the_kernel_of_peers_has_their_name(self):
        self.one_product()
        for name in ("product", "product_aic", "product_aiv"):
            self.run_without_entry("--function", name, cube="product_aic", vector="product_aiv")
        done = pto.ptovm("info", self.write(module("a3", self.cube, self.vector)))
        self.assertRegex(done.out, r"(?m)^kernel +product\b")

    def test_arguments_of_peers_by_name(self):
        """Those of one name are one, and have one type."""
        self.one_product()
        self.vector.arguments.append("%a0: !pto.ptr<f16>")
        self.run_without_entry()
        self.vector.arguments[-1] = "%a0: !pto.ptr<f32>"
        done = pto.ptovm("info", self.write(module("a3", self.cube, self.vector)))
        self.assertEqual(done.code, 1)
        self.assertIn("'%a0' has another type in '@cube', which is launched together with "
                      "'@vector'", done.err)

    def test_a_second_peer_is_not_passed_over(self):
        """Only one can be launched with the cube's function: the other is told."""
        self.one_product()
        third = copy.deepcopy(self.vector)
        third.name = "waits"
        third.line('%more = pto.import_reserved_buffer {name = "f", peer_func = @cube} -> i32')
        for order in ((self.cube, self.vector, third), (third, self.vector, self.cube)):
            with self.subTest(first=order[0].name):
                done = pto.ptovm("info", self.write(module("a3", *order)))
                self.assertEqual(done.code, 1)
                self.assertIn("no pipe is initialised for 'pto.tpop_from_aic'", done.err)

    def test_many_arguments_of_peers(self):
        self.one_product()
        self.vector.arguments += ["%%more%d: !pto.ptr<f32>" % i for i in range(40)]
        self.given.update({"more%d" % i: np.zeros(1, np.float32) for i in range(40)})
        self.run_without_entry()

    def test_pipes_have_orders_of_their_own(self):
        for at in range(2):
            self.pipe(id=at)
        tiles = [self.product(0), self.product(1)]
        for at in (0, 1):
            self.push(tiles[at], "id = %d, split = 1" % at)
        for at in (1, 0):
            self.store(self.pop("id = %d, split = 1" % at, 16, 32), at, "id = %d, split = 1" % at)
        self.run_both()

    def test_each_push_says_its_split(self):
        self.pipe()
        tiles = [self.product(0), self.product(1)]
        for at in (0, 1):
            self.push(tiles[at], "split = %d" % (at + 1))
        self.store(self.pop("split = 1", 16, 32), 0, "split = 1")
        self.store(self.pop("split = 2", 32, 16), 1, "split = 2", by_cols=True)
        self.run_both()

    def test_tiles_of_two_shapes(self):
        self.pipe()
        tiles = [self.product(0), self.product(1, rows=16)]
        for at in (1, 0, 1):
            self.push(tiles[at], "split = 1")
        self.store(self.pop("split = 1", 8, 32), 1, "split = 1", rows=16)
        self.store(self.pop("split = 1", 16, 32), 0, "split = 1")
        self.vector.line("pto.tfree_from_aic {split = 1}")
        self.pop("split = 1", 8, 32)
        self.vector.line("pto.tfree_from_aic {split = 1}")
        self.run_both()

    def test_more_turns_than_slots(self):
        self.pipe(slot_num=3)
        tile = self.product(0)
        loop = "scf.for %%i = %s to %s step %s {"
        f = self.cube
        f.line(loop % (f.number(0), f.number(TURNS), f.number(1)))
        self.push(tile, "split = 1")
        f.line("}")
        f = self.vector
        total = f.tile(vec(16, 32, "f32"))
        f.op("texpands", [f.number(0.0, "f32")], [total])
        f.line(loop % (f.number(0), f.number(TURNS), f.number(1)))
        f.op("tadd", [total, self.pop("split = 1", 16, 32)], [total])
        f.line("pto.tfree_from_aic {split = 1}")
        f.line("}")
        self.store(total, 0, "split = 1")
        f.lines.pop()
        self.want["o0"] = TURNS * self.want["o0"]
        self.run_both()

    def test_a_popped_tile_goes_to_a_window_of_three_dimensions(self):
        self.pipe(slot_num=2)
        for at in range(3):
            self.push(self.product(at), "split = 1")
        f = self.vector
        f.line("%%first = arith.muli %%sub, %s : index" % f.number(4))
        for at in range(3):
            tile = self.pop("split = 1", 16, 32)
            out = f.view(f.pointer("o%d" % at, "f32"), (8, 4, 32))
            f.store(tile, f.part(out, ("%first", 0, 0), (4, 4, 32)))
            f.line("pto.tfree_from_aic {split = 1}")
        self.run_both()

    def test_a_split_that_nobody_pushes(self):
        self.pipe()
        self.push(self.product(0), "split = 1")
        self.pop("split = 2", 32, 16)
        done = pto.ptoas("-S", self.write(module(
            "a5", self.cube, self.vector, "  func.func @k(%s) attributes {pto.entry} {\n"
            "    call @cube(%%a0, %%b0) : (!pto.ptr<f16>, !pto.ptr<f16>) -> ()\n"
            "    call @vector() : () -> ()\n    return\n  }\n" % ", ".join(self.cube.arguments))))
        line = pto.line_of(self.path("k.pto"), "pto.tpop_from_aic")
        self.assertRegex(done.err, r"k\.pto:%d:\d+: error: the cube's side of this pipe has no "
                         "tile of this shape and split\n" % line)


class CrossFlags(Case):
    def rotated(self, mode):
        """Each vector sub-core stores its row, tells the others, and loads the next one's."""
        f = Function(kind="vector")
        x, mid, y = (f.pointer(name, "f32") for name in ("x", "mid", "y"))
        for name, call in (("%b", "idx"), ("%n", "num")):
            f.line("%s64 = pto.get_block_%s" % (name, call))
            f.line("%s = arith.index_cast %s64 : i64 to index" % (name, name))
        f.line("%%next = arith.addi %%b, %s : index" % f.number(1))
        f.line("%other = arith.remui %next, %n : index")
        t = f.tile(vec(1, 32, "f32"))
        f.load(f.part(f.view(x, [4, 32]), ["%b", 0], [1, 32]), t)
        f.op("tadds", [t, f.number(1.0, "f32")], [t])
        between = f.view(mid, [4, 32])
        f.store(t, f.part(between, ["%b", 0], [1, 32]))
        f.line("pto.sync.set <PIPE_MTE3>, 4 {ffts_mode = %d : i32}" % mode)
        f.line("pto.sync.wait <PIPE_MTE2>, 4")
        f.load(f.part(between, ["%other", 0], [1, 32]), t)
        f.store(t, f.part(f.view(y, [4, 32]), ["%b", 0], [1, 32]))
        return module("a3", f)

    def test_all_vector_sub_cores_wait_for_each_other(self):
        given = self.floats(4, 32)
        moved = given + np.float32(1)
        self.check(self.rotated(0), {"x": given, "mid": 0 * given, "y": 0 * given},
                   {"mid": moved, "y": np.roll(moved, -1, axis=0)}, "--cores", "4")

    def test_those_of_a_block_do_not_wait_for_other_blocks(self):
        given = self.floats(4, 32)
        arguments = [word for name in ("x", "mid", "y") for word in ("--in", name + "=ones")]
        done = pto.ptovm("run", self.write(self.rotated(1)), "--check", "--cores", "4", *arguments)
        self.assertEqual(done.code, 4, done.err)
        self.assertIn("race-raw", done.err)


if __name__ == "__main__":
    unittest.main()
