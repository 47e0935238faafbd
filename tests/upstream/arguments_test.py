"""What is bound to the arguments of upstream's kernels."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
from writing import Case, Function, module  # noqa: E402


def doubled(rows, cols, machine="a3"):
    f = Function()
    x, y = f.pointer("x", "f32"), f.pointer("y", "f32")
    t = f.loaded(x, rows, cols)
    f.op("tadd", [t, t], [t])
    f.store(t, f.whole(y, rows, cols))
    return module(machine, f)


class Arguments(Case):
    def bind(self, x, y, *options):
        np.save(self.path("x"), x)
        np.save(self.path("y"), y)
        return pto.ptovm("run", self.write(doubled(8, 32)), "--in", "x=%s.npy" % self.path("x"),
                         "--in", "y=%s.npy" % self.path("y"), *options)

    def test_a_pointer_takes_arrays_of_any_shape(self):
        given = self.floats(8, 32)
        for shape in ((8, 32), (256,), (2, 4, 32), (1, 256), (2, 2, 2, 2, 4, 4)):
            for order in "CF":
                np.save(self.path("want"), 2 * given.reshape(shape))
                done = self.bind(np.asarray(given.reshape(shape), order=order),
                                 np.zeros((32, 8), np.float32), "--out",
                                 "y=%s.npy" % self.path("out"), "--expect",
                                 "y=%s.npy" % self.path("want"))
                self.assertEqual((done.code, done.err), (0, ""))
                np.testing.assert_array_equal(np.load(self.path("out.npy")),
                                              2 * given.reshape(-1))

    def test_elements_have_to_be_of_its_type_and_enough(self):
        zeros = np.zeros((8, 32), np.float32)
        done = self.bind(np.zeros((8, 32), np.int32), zeros)
        self.assertEqual(done.code, 2)
        self.assertRegex(done.err, "x.npy holds i32, but 'x' is f32\n.*if these are the bits")
        done = self.bind(np.zeros((4, 32), np.float32), zeros)
        self.assertEqual(done.code, 2)
        self.assertIn("view 'x_view' reaches byte 1024 of 'x', which has 512", done.err)
        done = self.bind(zeros, zeros, "--set", "x_size=300")
        self.assertEqual(done.code, 2)
        self.assertRegex(done.err, r"'x' is declared f32\[300\] and was given f32\[8, 32\]")

    def test_an_expectation_has_as_many_elements(self):
        np.save(self.path("want"), np.zeros((8, 31), np.float32))
        done = self.bind(np.zeros((8, 32), np.float32), np.zeros(256, np.float32), "--expect",
                         "y=%s.npy" % self.path("want"))
        self.assertEqual(done.code, 2)
        self.assertIn("it holds f32[8, 31], but 'y' is f32[256]", done.err)

    def test_the_text_names_its_machine(self):
        """What -S prints runs where the file runs."""
        path = self.write(doubled(8, 32, "a5"))
        for sync in ("asis", "auto"):
            text = pto.ptoas("-S", "--sync", sync, path).out
            self.assertEqual(text.splitlines()[0], '.assembled_for "a5"')
            with open(self.path("plain.pto"), "w", encoding="utf-8") as file:
                file.write(text)
            again = pto.ptoas("-o", self.path("plain.ptob"), self.path("plain.pto"))
            self.assertEqual((again.code, again.err), (0, ""))
            back = pto.ptoas("-d", self.path("plain.ptob")).out
            self.assertIn('.assembled_for "a5"\n', back)

    def test_private_functions_are_no_kernels_of_their_own(self):
        text = doubled(8, 32)
        begin, end = text.index("  func.func"), text.rindex("}")
        left_over = text[begin:end].replace(".func @k(", ".func private @left_over(")
        path = self.write(text[:end] + left_over + "}\n")
        self.assertEqual(pto.ptoas("-S", path).out.count("\n.kernel "), 1)
        done = pto.ptoas("-S", "--function", "left_over", path)
        self.assertEqual((done.code, done.out.count("\n.kernel left_over\n")), (0, 1))
        done = pto.ptoas("-S", self.write(text[:begin] + left_over + "}\n"))
        self.assertEqual(done.code, 1)
        self.assertIn("k.pto:2:3: error: '@left_over' is private, and no function here calls it: "
                      "it is no kernel", done.err)
        self.assertIn("hint: --function left_over takes it", done.err)


if __name__ == "__main__":
    unittest.main()
