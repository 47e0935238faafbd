"""TPUT: a window of global memory to another rank, or from it, through staging tiles."""
from harness import faults, misfits, rejects, run
from remote import copies

copies("TPUT", True)

BOX = """
    .sym box : f32[4, 8]
    .gm own : f32[4, 8]
    .tile t : ub f32[1, 8]
"""
faults(BOX + "    TPUT box@(2)[0, 0], own, t", "rank", ranks=2)
misfits(BOX + "    TPUT box@(1)[0, 0]{3, 8}, own{2, 8}, t",
       r"{3, 8} of the destination and {2, 8} of the source differ", ranks=2)
faults(BOX + "    TPUT box@(1)[1, 0]{4, 8}, own, t", "leaves the object", ranks=2)
rejects(BOX + "    TPUT own@(1), box, t", "not symmetric")
rejects(BOX.replace("t : ub f32", "t : ub f16") + "    TPUT box@(1), own, t", "types")
run()
