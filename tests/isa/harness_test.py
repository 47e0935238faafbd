"""The harness itself: its number formats against numpy's, and that it notices what is wrong."""

import os
import subprocess
import sys
import unittest

import numpy as np

import harness
import values
from cases import Folder, offsets

HERE = os.path.dirname(os.path.abspath(__file__))


class Values(unittest.TestCase):
    def test_f16_and_f32_are_those_of_numpy(self):
        bits = np.random.default_rng(1).integers(0, 2 ** 32, 100000, np.uint64).astype(np.uint32)
        bits = np.concatenate([bits, values.specials("f32")])
        wide = bits.view(np.float32)
        with np.errstate(all="ignore"):
            half = values.canonical(wide.astype(np.float16).view(np.uint16), "f16")
            np.testing.assert_array_equal(values.decode(bits, "f32"), wide.astype(np.float64))
        np.testing.assert_array_equal(values.encode(values.decode(bits, "f32"), "f16"), half)

    def test_small_formats_survive_the_way_to_values_and_back(self):
        for dtype in ("f16", "bf16", "f8e4m3", "f8e5m2", "i8", "u16"):
            bits = values.every(dtype)
            np.testing.assert_array_equal(values.encode(values.decode(bits, dtype), dtype),
                                          values.canonical(bits, dtype))

    def test_values_of_the_formats(self):
        for dtype, bits, value in (("bf16", 0x3F80, 1), ("bf16", 1, 2.0 ** -133),
                                   ("f8e4m3", 0x7E, 448), ("f8e4m3", 1, 2.0 ** -9),
                                   ("f8e5m2", 0x7B, 57344), ("f8e5m2", 0x7C, np.inf)):
            self.assertEqual(values.decode(bits, dtype), value, (dtype, hex(bits)))

    def test_rounding_modes(self):
        x = np.array([1 + 3 * 2.0 ** -11, -(1 + 3 * 2.0 ** -11), 1 + 2.0 ** -11, 1e9])
        for mode, want in (("rint", (0x3C02, 0xBC02, 0x3C00)), ("round", (0x3C02, 0xBC02, 0x3C01)),
                           ("floor", (0x3C01, 0xBC02, 0x3C00)), ("ceil", (0x3C02, 0xBC01, 0x3C01)),
                           ("trunc", (0x3C01, 0xBC01, 0x3C00)), ("odd", (0x3C01, 0xBC01, 0x3C01))):
            got = values.to_float(x, "f16", mode)
            self.assertEqual(tuple(map(int, got)), want + (0x7C00,), mode)

    def test_ulp_error(self):
        one = np.array([0x3F800001, 0x7F800000, 0x80000000], np.uint32)
        error = values.ulp_error(one, np.longdouble([1, 3.5e38, 0]), "f32")
        self.assertEqual(error[0], 1)
        self.assertLess(error[1], 1e6)
        self.assertEqual(error[2], np.inf)

    def test_layouts_place_every_element_once(self):
        for layout in ("nd", "dn", "nz", "zz", "zn"):
            places = offsets((32, 64), "f16", layout)
            self.assertEqual(sorted(places.ravel()), list(range(32 * 64)), layout)
        self.assertEqual(offsets((32, 64), "f16", "nz")[17, 18], 32 * 16 + 16 * 16 + 16 + 2)


class Notices(unittest.TestCase):
    """A test file that is wrong fails, and says why."""

    def fails(self, name, body, words):
        folder = Folder()
        if folder.temporary:
            self.addCleanup(folder.temporary.cleanup)
        path = folder.write(name + ".py", body)
        done = subprocess.run([sys.executable, path], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300,
                              env={**os.environ, "PYTHONPATH": HERE})
        self.assertEqual(done.returncode, 1, done.stdout.decode())
        self.assertIn(words, done.stdout.decode())

    def test_wrong_value(self):
        self.fails("TADD", "from harness import *\n"
                   "tilewise('TADD', lambda a, b: a + b + (a == 3))\nrun()\n",
                   "elements of dst differ")

    def test_type_without_a_case(self):
        self.fails("TADD", "from harness import *\nrun()\n", "not covered by any case")

    def test_write_outside_the_valid_region(self):
        self.fails("TADD", "from harness import *\nimport harness\n"
                   "old = harness.Plan.set_want\n"
                   "def narrow(self, tile, result):\n"
                   "    old(self, tile, result)\n"
                   "    if tile.valid[1] == 7:\n"
                   "        tile.want[:, 6] = tile.bits[:, 6]\n"
                   "harness.Plan.set_want = narrow\n"
                   "tilewise('TADD', lambda a, b: a + b)\nrun()\n", "elements of dst differ")

    def test_error_that_does_not_come(self):
        self.fails("TADD", "from harness import *\ntilewise('TADD', lambda a, b: a + b)\n"
                   "rejects('    pipe_barrier V', 'anything')\nrun()\n", "no error that matches")

    def test_misfit_that_fits(self):
        self.fails("TADD", "from harness import *\ntilewise('TADD', lambda a, b: a + b)\n"
                   "misfits('.tile a : ub f32[1, 8]\\n    TADD a, a, a', 'needed')\nrun()\n",
                   "no error that matches")

    def test_numbers_in_registers(self):
        text = ".tile a : ub f32[1, 8]\n    TEXTRACT a, b[1](2, 3), -1.5, x[0]{4, 5}, P0101"
        self.assertEqual(harness.in_registers(text).split("\n")[1:], [
            "    %n0 = 1", "    %n1 = 8", "    %n2 = 2", "    %n3 = 3", "    %n4 = -1.5",
            "    %n5 = 4", "    %n6 = 5",
            "    TEXTRACT a{%n0, %n1}, b[1](%n2, %n3), %n4, x[0]{%n5, %n6}, P0101"])


unittest.main()
