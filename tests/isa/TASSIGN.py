"""TASSIGN: where a tile and its views lie from now on."""
import numpy as np

from harness import faults, misfits, program, rejects, run

program("""
.kernel assign
.mix 1:1
.gm a : i32[2, 8]
.gm c : i32[2, 8]
.gm d : i32[2, 8]
.core aiv
.tile t : ub i32[2, 8]
.tile v : i32[1, 8] of t
.tile fixed : ub i32[2, 8] @ 0x400
    TLOAD t, a
    set_flag MTE2, V, 0
    wait_flag MTE2, V, 0
    TASSIGN t, 0x400
    TEXPANDS t, 7
    TEXPANDS v{1, 3}, 9
    %at = 0
    TASSIGN t, %at
    set_flag V, MTE3, 0
    wait_flag V, MTE3, 0
    TSTORE c, t
    TSTORE d, fixed
""", {"a": ("i32", np.arange(16, dtype=np.int32).reshape(2, 8))},
        {"c": ("i32", np.arange(16, dtype=np.int32).reshape(2, 8)),
         "d": ("i32", np.array([[9] * 3 + [7] * 5, [7] * 8], np.int32))}, [("TASSIGN", 0, "i32")])

TILES = """
    .tile t[2] : ub f32[2, 8]
    .tile v : f32[1, 8] of t
"""
misfits(TILES + "    TASSIGN t, 100", "address 100 is no multiple of 32")
faults(TILES + "    %a = -32\n    TASSIGN t, %a", "address -32 is no multiple of 32")
misfits(TILES + "    TASSIGN t, 192 * 1024 - 96", "of 128 bytes at 196512 leaves ub with 196608")
rejects(TILES + "    TASSIGN v, 0", "'v' views the bytes of 't'")
rejects(TILES + "    TASSIGN t[1], 0", "without slot, offset and extent")
run()
