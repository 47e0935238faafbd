"""TMOV: between spaces and layouts; into buffers of the cube through a unit matrix."""
from cube import out_of_l0c, through_cube
from fixpipe import outlets
from harness import misfits, rejects, run
from moves import moves
from windows import through_ub

SAME = [(t, t) for t in "f32 f16 bf16 i8 u8 i16 u16 i32 u32 f8e4m3 f8e5m2 e8m0 f4e2m1x2 "
        "f4e1m2x2".split()]
OLD = [("s4x2", "s4x2")]  # not on level a5

moves("TMOV", [(("ub", to), ("ub", of)) for to in ("nd", "dn") for of in ("nd", "dn")],
      types=SAME + OLD)
moves("TMOV", [(("ub", to), ("ub", of)) for to, of in (("nz", "nd"), ("nd", "nz"), ("nz", "dn"),
                                                       ("nz", "nz"))], types=SAME, base="a5")
for side in ("l0a", "l0b"):
    for layout in ("nd", "dn", "nz", "zn"):
        for dtype in ("f32", "f16", "bf16", "i8"):
            through_cube("TMOV", dtype, side, layout)
        for dtype in ("f8e4m3", "f8e5m2", "f16"):
            through_cube("TMOV", dtype, side, layout, profile="a5")
for layout in ("nd", "nz"):
    for dtype in ("f32", "f16", "bf16"):
        out_of_l0c("TMOV", dtype, layout)

TILES = """
    .tile d : ub f16[4, 16]
    .tile s : ub f32[4, 16]
"""
rejects(TILES + "    TMOV d, s", "only from f32 in l0c")
misfits(TILES.replace("f32", "f16") + "    TMOV d, s{3, 16}", "3 x 16 valid elements where 4 x 16")
rejects(TILES.replace("f32", "i32") + "    TMOV d, s", "types f16,i32")
rejects(TILES.replace("f32", "f16").replace("d : ub", "d : l1") + "    TMOV d, s", "has no l1")
for dtype in ("f32", "f16", "i8"):
    through_ub(dtype)
outlets("TMOV", 0, None)
outlets("TMOV", 1, "number")
run()
