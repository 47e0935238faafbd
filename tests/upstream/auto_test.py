"""`--sync auto`: no finding, and the bytes of `--sync inorder`, for upstream's text and ours."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402


def imported(name):
    return pto.source("tests", "upstream", "kernels", name + ".pto")


BRANCHES = """
.kernel branches
.mix 1:1
.param n : i64
.inout x : f32[64, 64]
.core aiv
.tile a : ub f32[8, 64]
.tile b : ub f32[8, 64]
.tile low : f32[4, 64] of a
    .if block_id() == 0
        TLOAD a, x[0, 0]
        .for %i = 0 to n                ; no turn at all if n is 0
            TADDS b, a, 1.0
            .if mod(%i, 2) == 1
                TLOAD a, x[8, 0]
            .else
                TMULS low, low, 0.5
            .endif
            .for %k = 0 to %i
                TADD a, a, b
            .endfor
            TSTORE x[16, 0], b
        .endfor
        TSTORE x[24, 0], a
        TLOAD b, x[16, 0]
        TSTORE x[32, 0], b
        %first = ld b(0, 0)
        st x[40, 0], %first
    .endif
"""


# A notify tells of what dsb has published, dsb publishes what has completed (PTOAS #706, #711,
# #872).
FAR = """
.kernel far
.in x : f32[8192]
.out y : f32[8192]
.sym box : f32[8192]
.signal ready[1]
.core aiv
    .tile t : ub f32[1, 8192]
    .if vec_id() == 0
        TLOAD t, x[0]
        TSTORE box@(1 - rank())[0], t
        dsb
        TNOTIFY ready@(1 - rank())[0], 1, add
        TWAIT ready[0], ge, 1
        TLOAD t, box[0]
        TSTORE y[0], t
    .endif
"""

# Stores of S, which issue does not tell pipes of: to a tile, to global memory with and without
# dcci; behind loops and within; for an instruction of several pipes.
STORES = {
    "tile": ("t(0, %i)", """
        TSTORE y[0], t
"""),
    "turns": ("t(0, %i)", """
        .for %k = 0 to 4
            pipe_barrier ALL
            st t(0, %k), 5
            TSTORE y[0], t
            .for %i = 0 to 3
                TSTORE y[0], t
            .endfor
        .endfor
"""),
    "from turn to turn": ("t(0, %i)", """
        .for %k = 0 to 4
            TSTORE y[0], t
            pipe_barrier ALL
            st t(0, %k), 5
        .endfor
"""),
    "written back": ("y[%i]", """
        dcci
        TLOAD t, y[0]
"""),
    "written back in turns": ("y[%i]", """
        .for %k = 0 to 3
            dcci
            TLOAD t, y[0]
        .endfor
"""),
    "not written back": ("y[%i]", """
        TLOAD t, y[0]
"""),
    "copied": ("y[%i]", """
        TGET z[0]{1, 8}, y[0]{1, 8}, t, u
"""),
}

STORE = """
.kernel stores
.inout y : i32[8]
.out z : i32[8]
.core aiv
    .tile t : ub i32[1, 8]
    .tile u : ub i32[1, 8]
    .if vec_id() == 0
        .for %%i = 0 to 8
            st %s, %%i
        .endfor%s    .endif
"""


# A dcci with an element: stores before it, and whether it has written them all back, so that a flag
# is enough.
LINES = {
    "one line": ("st y[3], 5\n st y[15], 6\n dcci y[0]", True),
    "line of the turn": (".for %i = 0 to 4\n st y[%i + 16], 5\n dcci y[%i + 16]\n .endfor", True),
    "index that stays": ("%k = ld y[1]\n st y[%k], 5\n %m = %k + 1\n dcci y[%k]", True),
    "second index that stays": ("%j = ld y[1]\n %k = ld y[2]\n st y[%k], 5\n %m = %k + %j\n"
                                " dcci y[%k]", True),
    "two indices": ("%j = ld y[1]\n %k = ld y[2]\n st y[%j], 5\n st y[%k], 5\n dcci y[%k]\n"
                    " dcci y[%j]", True),
    "one of two indices": ("%j = ld y[1]\n %k = ld y[2]\n st y[%j], 5\n st y[%k], 5\n"
                           " dcci y[%k]", False),
    "entire": ("st y[3], 5\n st y[40], 6\n dcci y[0], entire", True),
    "another line": ("st y[3], 5\n dcci y[16]", False),
    "one of two lines": ("st y[3], 5\n st y[16], 5\n dcci y[16]", False),
    "another object": ("st y[3], 5\n dcci z[3]", False),
    "index moved on": ("%k = 15\n st y[%k], 5\n %k = %k + 1\n dcci y[%k]", False),
    "loaded anew": ("%k = ld y[1]\n st y[%k], 5\n %k = ld y[2]\n dcci y[%k]", False),
    "last turn alone": (".for %i = 0 to 4\n st y[16 * %i], 5\n .endfor\n dcci y[48]", False),
    "not in every turn": (".for %i = 0 to 4\n st y[16 * %i], 5\n .if %i > 0\n"
                          " dcci y[16 * %i]\n TLOAD t, y[0]\n .endif\n .endfor\n dcci", False),
    "too early": ("dcci y[3]\n st y[3], 5", False),
}

LINE = """
.kernel lines
.inout y : i32[64]
.out z : i32[64]
.core aiv
    .tile t : ub i32[1, 64]
    .if vec_id() == 0
%s
    TLOAD t, y[0]
    TSTORE z[0], t
    .endif
"""


# A slot is in use while the other one is filled, if both are told apart.
SLOTS = """
.kernel slots
.in x : f32[32, 2048]
.out y : f32[32, 2048]
.core aiv
.tile t[2] : ub f32[1, 2048]
    .if vec_id() == 0
        .for %%i = 0 to 32
            TLOAD t[%s], x[%%i, 0]
            TSTORE y[%%i, 0], t[%s]
        .endfor
    .endif
"""

# Every object is stored to by windows that move with the same register, or stay.
APART = """
.kernel apart
.mix 1:1
.in all : i64[1]
%s
.core aiv
.tile t : ub f32[1, 8]
    TEXPANDS t, 1.0
    %%end = ld all[0]
    .for %%i = 0 to %%end step 8
%s    .endfor
"""

# The tile is moved into another one, behind other instructions.
MOVED = """
.kernel moved
.mix 1:1
.in x : f32[2, 16]
.out y : f32[1, 16]
.core aiv
.tile whole : ub f32[1, 16] @ 64
.tile part : ub f32[1, 8] @ 0
    TLOAD whole, x[0, 0]
    TASSIGN part, 96
    TLOAD part, x[1, 0]
    TSTORE y, whole
"""

LONG = """
.kernel long
.mix 1:1
.in x : f32[680, 64]
.out y : f32[680, 64]
.core aiv
""" + "".join(".tile t%d : ub f32[1, 64]\n" % n for n in range(4))

ARMS = """
.kernel arms
.mix 1:1
.in x : f32[8, 64]
.out y : f32[8, 64]
.core aiv
.tile a : ub f32[1, 64]
.tile b : ub f32[1, 64]
    TLOAD a, x[0, 0]
    .for %i = 0 to 8
        .if mod(%i, 2) == 0
            TLOAD b, x[%i, 0]
        .else
            TEXPANDS b, 1.0
        .endif
        TADD a, a, b
        TSTORE y[%i, 0], a
    .endfor
"""


# Kernels of one rank whose flags were written by hand, at shapes of several turns of every loop.
FLAGS_OF_THEIR_OWN = {
    "basic/vadd.pto": "--set n=1000000 --in a=random --in b=random:2 --cores 4",
    "basic/softmax.pto": "--set rows=400 --set cols=512 --in x=random --cores 2",
    "matmul/gemm.pto": "--set m=512 --set n=768 --set k=1024 --in a=random --in b=random:2 "
                       "--cores 4",
    "attention/flash_attention.pto": "--set s0=512 --set s1=1024 --set h=128 --in q=random "
                                     "--in k=random:2 --in v=random:3 --cores 4",
}


class Auto(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def result(self, path, out, options, *more):
        place = os.path.join(self.folder, "out.bin")
        done = pto.ptovm("run", path, "--check", *options, "--out", "%s=%s" % (out, place), *more)
        self.assertEqual((done.code, done.err), (0, ""), done.err)
        with open(place, "rb") as file:
            return file.read()

    def same(self, path, out, *options):
        want = self.result(path, out, options, "--sync", "inorder")
        for more in ((), ("--jitter", "1"), ("--jitter", "2")):
            self.assertEqual(self.result(path, out, options, "--sync", "auto", *more), want)

    def test_imported(self):
        inputs = {"vadd": "arg0 arg1 arg2", "gemm": "a b c", "pipes": "q k v o", "softmax": "x y"}
        for name, out, options in (("vadd", "arg2", ()), ("gemm", "c", ()),
                                   ("pipes", "o", ("--set", "scale=0.5")),
                                   ("softmax", "y", ("--set", "rows=37"))):
            given = [x for n in inputs[name].split() for x in ("--in", n + "=random")]
            for profile in ("a3", "a5"):
                self.same(imported(name), out, *options, *given, "-p", profile)

    def test_our_own_with_other_flags(self):
        self.same(pto.kernel("basic/vadd.pto"), "c", "--in", "a=random", "--in", "b=random:2",
                  "--set", "n=100000")
        self.same(pto.kernel("basic/softmax.pto"), "y", "--in", "x=random", "--set", "rows=40",
                  "--set", "cols=100")

    def test_branches_loops_without_turns_and_views(self):
        path = os.path.join(self.folder, "branches.pto")
        with open(path, "w") as file:
            file.write(BRANCHES)
        for turns in (0, 1, 2, 5):
            for profile in ("a2", "a5"):
                self.same(path, "x", "--in", "x=random", "--set", "n=%d" % turns, "-p", profile)

    def written(self, text):
        path = os.path.join(self.folder, "written.pto")
        with open(path, "w") as file:
            file.write(text)
        return path

    def checked(self, text, mode, *options):
        return pto.ptovm("check", self.written(text), "--sync", mode, *options).code

    def test_what_a_notify_tells_of(self):
        for mode, code in (("none", 4), ("auto", 0), ("inorder", 0)):
            self.assertEqual(self.checked(FAR, mode, "--ranks", "2", "--cores", "1",
                                          "--in", "x=random"), code, mode)

    def test_pull_between_ranks(self):
        done = pto.ptovm("check", pto.kernel("collective/p2p_get.pto"), "--sync", "auto",
                         "--ranks", "4", "--cores", "2", "--set", "bytes=5000",
                         "--in", "x=iota")
        self.assertEqual(done.code, 0, done.err)

    def test_stores_of_the_scalar_unit(self):
        for name, text in STORES.items():
            for mode, code in (("none", 4), ("auto", 0), ("inorder", 0)):
                with self.subTest(name=name, mode=mode):
                    self.assertEqual(self.checked(STORE % text, mode, "--cores", "1",
                                                  "--in", "y=zeros"), code)

    def test_written_back_stores_need_a_flag_alone(self):
        for name in ("tile", "written back"):
            text = pto.ptoas("-S", "--sync", "auto", self.written(STORE % STORES[name])).out
            self.assertIn("set_flag S,", text)
            self.assertNotIn("dsb", text)

    def test_lines_that_are_written_back(self):
        for name, (stores, back) in LINES.items():
            text = LINE % stores
            with self.subTest(name):
                self.assertEqual(self.checked(text, "none", "--cores", "1", "--in", "y=zeros"), 4)
                self.assertEqual(self.checked(text, "auto", "--cores", "1", "--in", "y=zeros"), 0)
                plain = pto.ptoas("-S", "--sync", "auto", self.written(text)).out
                self.assertEqual("dsb" in plain, not back)

    def test_a_tile_that_is_moved(self):
        self.same(self.written(MOVED), "y", "--in", "x=random", "--cores", "1")

    def test_arms_overlap_with_what_is_around(self):
        path = self.written(ARMS)
        self.same(path, "y", "--in", "x=random", "--cores", "1")
        self.assertNotIn("pipe_barrier ALL", pto.ptoas("-S", "--sync", "auto", path).out)

    def time(self, path, *options):
        done = pto.ptovm("run", path, *options)
        self.assertEqual(done.code, 0, done.err)
        value, unit = done.out.split("time")[1].split()[:2]
        return float(value) * {"ns": 1e-3, "us": 1, "ms": 1e3}[unit]

    def test_as_fast_as_by_hand(self):
        """Flags put in take at most 1.05 times what the kernels' own take."""
        for path, options in FLAGS_OF_THEIR_OWN.items():
            for profile in ("a2", "a5"):
                given = (pto.kernel(path), "-p", profile, *options.split())
                by_hand, auto = self.time(*given), self.time(*given, "--sync", "auto")
                self.assertLessEqual(auto, 1.05 * by_hand, (path, profile))

    def test_slots_overlap(self):
        """However a slot's number is computed, turns wait for the same slot alone."""
        options = ("--cores", "1", "--in", "x=random", "--sync", "auto")
        alone = self.time(self.written(SLOTS % ("1", "1")), *options)
        for slot in ("mod(%i, 2)", "mod(%i + 1, 2)", "mod(3 * %i + 5, 2)"):
            path = self.written(SLOTS % (slot, slot))
            self.same(path, "y", *options[:4])
            self.assertLess(self.time(path, *options), 0.75 * alone, slot)

    def test_windows_apart_need_no_order(self):
        """Each turn stores to rows of its own: no barrier on MTE3, no wait for what was stored."""
        for path in ("basic/vadd.pto", "basic/softmax.pto"):
            out = os.path.join(self.folder, "k.ptob")
            self.assertEqual(pto.ptoas("--sync", "auto", pto.kernel(path), "-o", out).code, 0)
            text = pto.ptoas("-d", out, "-o", "-").out
            self.assertIn("set_flag MTE3, MTE2", text)
            self.assertNotIn("pipe_barrier MTE3", text)

    def test_one_flag_for_all_before_it(self):
        """Who waits for the last load of a pipe waits for those before."""
        text = MOVED[:MOVED.index(".tile")].replace("moved", "loads") + "".join(
            ".tile t%d : ub f32[1, 16]\n" % n for n in range(4)) + "".join(
            "    TLOAD t%d, x[%d, 0]\n" % (n, n % 2) for n in range(3)) + "".join(
            "    TADDS t3, t%d, 1.0\n" % n for n in (2, 0, 1)) + "    TSTORE y, t3\n"
        plain = pto.ptoas("-S", "--sync", "auto", self.written(text)).out
        self.assertEqual(plain.count("set_flag MTE2, V"), 1, plain)
        self.assertEqual(self.checked(text, "auto", "--cores", "1", "--in", "x=ones"), 0)

    def test_a_long_program(self):
        """Two thousand instructions in line, over four tiles in turn, are ordered by flags."""
        lines = ["TLOAD t%d, x[%d, 0]\n TADDS t%d, t%d, 1.0\n TSTORE y[%d, 0], t%d\n" % (
            n % 4, n, n % 4, n % 4, n, n % 4) for n in range(680)]
        path = self.written(LONG + "".join(lines))
        options = ("--in", "x=random", "--cores", "1")
        self.same(path, "y", *options)
        self.assertNotIn("pipe_barrier ALL", pto.ptoas("-S", "--sync", "auto", path).out)
        in_order, auto = (self.time(path, *options, "--sync", mode)
                          for mode in ("inorder", "auto"))
        self.assertLess(auto, 0.75 * in_order)

    def test_many_windows_apart(self):
        """However many objects there are, one register tells their windows apart."""
        for count in (1, 2, 3, 5, 8):
            for index, order in (("%i", False), ("0", True)):
                text = APART % ("\n".join(".out y%d : f32[64]" % n for n in range(count)), "".join(
                    "        TSTORE y%d[%s], t\n" % (n, index) for n in range(count)))
                with self.subTest(count=count, index=index):
                    plain = pto.ptoas("-S", "--sync", "auto", self.written(text)).out
                    self.assertEqual("pipe_barrier MTE3" in plain, order)
                    self.assertEqual(self.checked(text, "auto", "--cores", "1", "--in",
                                                  "all=const:64"), 0)

    def test_order_costs_more(self):
        """Flags leave pipes free to overlap: inorder is the slower one."""
        times = []
        for mode in ("inorder", "auto"):
            done = pto.ptovm("run", imported("softmax"), "--sync", mode, "--set", "rows=160",
                             "--in", "x=random", "--in", "y=random")
            times.append(float(done.out.split("time")[1].split()[0]))
        self.assertLess(times[1], times[0])


if __name__ == "__main__":
    unittest.main()
