"""TPUT_ASYNC: a window of global memory that lies in one piece to another rank, by the DMA
engine."""
from harness import faults, rejects, run
from remote import async_copies

async_copies("TPUT_ASYNC", True)

BOX = """
    .sym box : f32[4, 8]
    .sym wide : f32[4, 8]
    .view columns : f32[8, 4] of wide strides 1, 8
    .gm own : f32[4, 8]
    .gm half : f16[4, 8]
"""
faults(BOX + "    TPUT_ASYNC %e, box@(2), own", "rank 2", ranks=2)
faults(BOX + "    TPUT_ASYNC %e, box@(1)[0, 0]{2, 7}, own", r"{2, 7} of 'box' does not", ranks=2)
faults(BOX + "    TPUT_ASYNC %e, box[0, 0]{1, 14}, own[0, 0]{2, 7}", "leaves the object")
faults(BOX + "    TPUT_ASYNC %e, box, columns[0, 0]{1, 4}", r"one piece, and {1, 4} of 'columns'")
faults(BOX + "    TPUT_ASYNC %e, box[0, 0]{1, 8}, own[0, 0]{2, 8}",
       "destination has 8 elements and the source 16")
faults(BOX + "    TPUT_ASYNC %e, box, wide@(1)", "source of TPUT_ASYNC is on rank 1", ranks=2)
rejects(BOX + "    TPUT_ASYNC %e, own@(1), box", "not symmetric")
rejects(BOX + "    TPUT_ASYNC %e, box@(1), half", "types")
rejects(BOX + "    TPUT_ASYNC box@(1), own", "operand|event|register")
run()
