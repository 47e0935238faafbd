"""TREDUCE: the sum, maximum or minimum over the ranks, in ascending order, at the root."""
from collective import PART, ROOT, combine, through, window
from harness import faults, misfits, run


def change(part, whole, dtype, word):
    whole[ROOT][window(0)] = combine([p[PART] for p in part], dtype, word)


through("TREDUCE", "whole[1, 3], part[1, 3]{extent}, acc, {stages}", 1, change,
        ("", ", sum", ", max", ", min"))

BOX = """
    .sym part : f32[4, 8]
    .gm own : f32[4, 8]
    .tile small : ub f32[1, 8]
    .tile t : ub f32[2, 8]
"""
misfits(BOX + "    TREDUCE own, part, small, t", "'acc' is smaller than the staging tile", ranks=2)
faults(BOX + "    TREDUCE part, own, t, t", "not symmetric", ranks=2)
run()
