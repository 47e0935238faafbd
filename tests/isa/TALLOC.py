"""TALLOC: a free slot of a ring, which is then filled as global memory and handed over."""
from harness import rejects, run
from rings import every_depth

every_depth(True, "slot")

RING = """
    .fifo q : f32[8, 16] slots 2 v2c flags 0
    .tile t : ub f32[8, 16]
"""
rejects(RING + "    TSTORE q, t\n    TALLOC q", "no slot of ring 'q' was taken before this")
rejects(RING + "    TALLOC q\n    TSTORE q[8, 0]{1, 16}, t{1, 16}", "row 8 is outside of 'q'")
rejects(RING + "    TALLOC q\n    TSTORE q[0], t", r"written q\[row, column\]")
rejects(RING + "    TALLOC q\n    TSTORE q@(0)[0, 0], t", "'q' is a ring and exists on this rank")
rejects(RING + "    TALLOC t", "operand 'ring' must be the bare name of a ring")
rejects(RING.replace("v2c", "c2v") + "    TALLOC q",
        "TALLOC is for the program that fills 'q': aic")
run()
