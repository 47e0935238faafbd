"""`--sync auto` and `inorder`: loads of the scalar unit from global memory that its cache may
answer with old bytes have a dcci in front of them, others none."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

# Body of the kernel, what a run without synchronisation finds, and how many dcci are put in.
LOADS = {
    "what a pipe has stored": ("TSTORE y[0], t\n %x = ld y[3]\n st z[0], %x", 4, 1),
    "in an earlier turn": (".for %i = 0 to 3\n %x = ld y[3]\n st t(0, 3), %x + 1\n"
                           " TSTORE y[0], t\n .endfor", 4, 1),
    "in an arm": (".if vec_count() > 1\n TSTORE y[0], t\n .endif\n %x = ld y[3]\n st z[0], %x",
                  4, 1),
    "by a fetch_add": ("%x = fetch_add y[3], 1\n %x = ld y[3]\n st z[0], %x", 4, 1),
    "fetch_add of what S has stored": ("st y[3], 5\n %x = fetch_add y[3], 1\n st z[0], %x", 4, 1),
    "several words": ("TSTORE y[0], t\n %x = ld y[3]\n %y = ld y[4]\n st z[0], %x + %y", 4, 1),
    "several windows": ("TSTORE y[0], t\n TSTORE y[64], t\n %x = ld y[3]\n %y = ld y[70]\n"
                        " st z[0], %x + %y", 4, 2),
    "behind a dcci, but not behind the wait": ("TSTORE y[0], t\n dcci\n %x = ld y[3]\n"
                                               " st z[0], %x", 4, 1),
    "fetch_add behind a dcci": ("%x = fetch_add y[3], 1\n dcci y[3]\n %x = ld y[3]\n"
                                " st z[0], %x", 0, 0),
    "fetch_add behind a dcci of another line": ("%x = fetch_add y[3], 1\n dcci y[16]\n"
                                                " %x = ld y[3]\n st z[0], %x", 4, 1),
    "line of the turn": (".for %i = 0 to 4\n %x = fetch_add y[%i * 16], 1\n dcci y[%i * 16]\n"
                         " %x = ld y[%i * 16]\n st z[0], %x\n .endfor", 0, 0),
    "before the store": ("%x = ld y[3]\n st t(0, 3), %x\n TSTORE y[0], t", 4, 0),
    "what S has stored itself": ("st y[3], 5\n %x = ld y[3]\n st z[0], %x", 0, 0),
    "another object": ("TSTORE y[0], t\n %x = ld x[3]\n st z[0], %x", 4, 0),
    "other words": ("TSTORE y[0], t\n %x = ld y[64]\n st z[0], %x", 4, 0),
}

KERNEL = """
.kernel loads
.mix 1:1
.in x : i32[64]
.inout y : i32[128]
.out z : i32[16]
.core aiv
    .tile t : ub i32[1, 64]
    TEXPANDS t, 7
    pipe_barrier ALL
    .if vec_id() == 0
%s
    .endif
"""

# Another sub-core has stored what is loaded behind the barrier.
PHASES = """
.kernel phases
.mix 1:1
.inout y : i32[2, 64]
.out z : i32[2, 16]
.core aiv
    .tile t : ub i32[1, 64]
    TEXPANDS t, 7
    TSTORE y[vec_id(), 0], t
    sync_all aiv
    %x = ld y[1 - vec_id(), 3]
    st z[vec_id(), 0], %x
"""


class Loads(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "loads.pto")

    def checked(self, mode, *options):
        done = pto.ptovm("check", self.path, "--sync", mode, *options, "--in", "y=iota")
        return done.code

    def write(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def put_in(self):
        plain = [pto.ptoas("-S", "--sync", mode, self.path).out for mode in ("auto", "none")]
        return plain[0].count("dcci") - plain[1].count("dcci")

    def test_each(self):
        for name, (body, bare, count) in LOADS.items():
            with self.subTest(name):
                self.write(KERNEL % body)
                for mode, code in (("none", bare), ("auto", 0), ("inorder", 0)):
                    self.assertEqual(self.checked(mode, "--cores", "2", "--in", "x=iota"), code,
                                     mode)
                self.assertEqual(self.put_in(), count)

    def test_what_others_have_stored(self):
        self.write(PHASES)
        for mode, code in (("none", 4), ("auto", 0), ("inorder", 0)):
            self.assertEqual(self.checked(mode, "--cores", "2"), code, mode)


if __name__ == "__main__":
    unittest.main()
