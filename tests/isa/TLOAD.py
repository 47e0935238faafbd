"""TLOAD: windows of global memory into UB and L1, in every layout."""
from harness import faults, rejects, run
from moves import moves
from windows import through_l1

GM = (("gm", "nd"), ("gm", "dn"))
moves("TLOAD", [(("ub", layout), gm) for layout in ("nd", "dn") for gm in GM])
moves("TLOAD", [(("l1", layout), gm) for layout in ("nd", "dn", "nz", "zn") for gm in GM],
      profiles=("a2",))
for dtype in ("f32", "f16", "i8"):
    for layout in ("nz", "zn"):
        through_l1(dtype, layout, (1, 2), (2, 1))
        through_l1(dtype, layout, (0, 0), (3, 2))
rejects("""
    .in x : f32[4, 8]
    .tile t : ub f16[4, 16]
    TLOAD t, x""", "types f16,f32")
faults("""
    .in x : f32[4, 8]
    .tile t : ub f32[4, 8]
    TLOAD t, x[1, 0]""", "leaves the object")
run()
