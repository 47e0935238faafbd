"""TLOAD: windows of global memory into UB and L1, in every layout."""
from harness import faults, rejects, run
from moves import moves

GM = (("gm", "nd"), ("gm", "dn"))
moves("TLOAD", [(("ub", layout), gm) for layout in ("nd", "dn") for gm in GM])
moves("TLOAD", [(("l1", layout), gm) for layout in ("nd", "dn", "nz", "zn") for gm in GM],
      profiles=("a2",))
rejects("""
    .in x : f32[4, 8]
    .tile t : ub f16[4, 16]
    TLOAD t, x""", "types f16,f32")
faults("""
    .in x : f32[4, 8]
    .tile t : ub f32[4, 8]
    TLOAD t, x[1, 0]""", "leaves the object")
run()
