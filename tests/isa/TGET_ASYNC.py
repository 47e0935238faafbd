"""TGET_ASYNC: a window of another rank that lies in one piece to here, by the DMA engine."""
from harness import faults, rejects, run
from remote import async_copies

async_copies("TGET_ASYNC", False)

BOX = """
    .sym box : i32[4, 8]
    .sym cells : i32[32]
    .gm own : i32[4, 8]
    .gm small : i16[4, 8]
    .signal s[4]
"""
faults(BOX + "    TGET_ASYNC %e, own, box@(5)", "rank 5", ranks=2)
faults(BOX + "    TGET_ASYNC %e, own, box@(1)[1, 4]", r"{3, 4} of 'own' does not", ranks=2)
faults(BOX + "    TGET_ASYNC %e, own[0, 0]{1, 4}, s@(1)", r"{1, 4} of 's' does not", ranks=2)
faults(BOX + "    TGET_ASYNC %e, own[3, 0]{2, 8}, cells@(1)[0]{1, 16}",
       "leaves the object", ranks=2)
faults(BOX + "    TGET_ASYNC %e, box@(1), own", "destination of TGET_ASYNC is on rank 1", ranks=2)
rejects(BOX + "    TGET_ASYNC %e, box, own@(1)", "not symmetric")
rejects(BOX + "    TGET_ASYNC %e, small, box@(1)", "types")
run()
