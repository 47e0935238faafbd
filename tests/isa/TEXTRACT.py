"""TEXTRACT: a window of a tile at an offset; into the cube's buffers through a unit matrix."""
from cube import out_of_l0c, through_cube
from fixpipe import outlets
from harness import misfits, rejects, run
from moves import moves

SAME = [(t, t) for t in "f32 f16 bf16 i8 u8 i16 u16 i32 u32 f8e4m3 f8e5m2 e8m0 f4e2m1x2 "
        "f4e1m2x2".split()]

moves("TEXTRACT", [(("ub", to), ("ub", of)) for to in ("nd", "dn") for of in ("nd", "dn")],
      types=SAME, source_offset=True)
for side in ("l0a", "l0b"):
    for layout in ("nd", "dn", "nz", "zn"):
        for dtype in ("f32", "f16", "bf16", "i8"):
            through_cube("TEXTRACT", dtype, side, layout, (5, 40))
        for dtype in ("f8e4m3", "f8e5m2", "f16"):
            through_cube("TEXTRACT", dtype, side, layout, (32, 16), profile="a5")
for dtype in ("f32", "f16", "bf16"):
    out_of_l0c("TEXTRACT", dtype, "nz", (16, 3))

TILES = """
    .tile d : ub f16[4, 16]
    .tile s : ub f16[8, 32]
"""
misfits(TILES + "    TEXTRACT d, s(5, 0)", r"a window of 4 x 16 at \(5, 0\) ends outside src")
misfits(TILES + "    TEXTRACT d, s(0, 17)", r"a window of 4 x 16 at \(0, 17\) ends outside src")
rejects(TILES + "    TEXTRACT d, s(8, 0)", "row|rows|out of range")
outlets("TEXTRACT", 0, None)
outlets("TEXTRACT", 1, "number")
run()
