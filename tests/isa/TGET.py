"""TGET: a window of global memory to another rank, or from it, through staging tiles."""
from harness import faults, rejects, run
from remote import copies

copies("TGET", False)

BOX = """
    .sym box : f32[4, 8]
    .gm own : f32[4, 8]
    .tile t : ub f32[1, 8]
"""
faults(BOX + "    TGET own, box@(rank() + 1), t", "rank", ranks=2)
faults(BOX + "    TGET own{2, 8}, box@(1)[3, 0]{2, 8}, t", "leaves the object", ranks=2)
rejects(BOX + "    TGET own, own@(1), t", "not symmetric")
run()
