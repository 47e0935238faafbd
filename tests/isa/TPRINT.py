"""TPRINT: the text that it writes is tested by tests/run/cases/tprint.pto; here what it refuses,
and that it changes nothing."""
import numpy as np

from harness import faults, program, run

program("""
.kernel show
.mix 1:1
.gm a : i32[2, 8]
.core aiv
.tile t : ub i32[2, 8]
    TLOAD t, a
    TPRINT t
    TPRINT a
    TPRINT a[1, 2]{1, 3}
""", {"a": ("i32", np.arange(16, dtype=np.int32).reshape(2, 8))},
        {"a": ("i32", np.arange(16, dtype=np.int32).reshape(2, 8))},
        [("TPRINT", 0, "i32"), ("TPRINT", 1, "i32")])

PLACES = """
    .sym s : f32[2, 8]
    .tile t[2] : ub f32[2, 8]
"""
faults(PLACES + "    %s = 2\n    TPRINT t[%s]", "slot 2 of tile .t. with 2 slots")
faults(PLACES + "    %r = 3\n    TPRINT t{%r, 8}", "valid region {3, 8}")
faults(PLACES + "    TPRINT s[1, 0]{2, 8}", "leaves the object")
faults(PLACES + "    TPRINT s@(1)", "shows local memory, not 's' on rank 1", ranks=2)
run()
