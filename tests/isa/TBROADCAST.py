"""TBROADCAST: the root's window to every rank."""
from collective import PART, ROOT, through, window
from harness import faults, rejects, run


def change(part, whole, dtype, word):
    for p in part:
        p[PART] = whole[ROOT][window(0)]


through("TBROADCAST", "part[1, 3]{extent}, whole[1, 3], {stages}", 1, change)

BOX = """
    .sym part : f32[4, 8]
    .gm own : f32[4, 8]
    .tile t : ub f32[1, 8]
"""
faults(BOX + "    TBROADCAST own, part, t", "not symmetric", ranks=2)
faults(BOX + "    TBROADCAST part@(1), own, t", "goes through all ranks by itself", ranks=2)
faults(BOX + "    TBROADCAST part[1, 0]{4, 8}, own, t", "leaves the object", ranks=2)
rejects(BOX.replace("t : ub f32", "t : ub f16") + "    TBROADCAST part, own, t", "types")
run()
