"""TINSERT: a tile to a window of another at an offset; out of L0C with a cast, a scale and ReLU."""
from fixpipe import outlets
from harness import misfits, rejects, run
from moves import moves

SAME = [(t, t) for t in "f32 f16 bf16 i8 i32 f8e4m3 f8e5m2".split()]

moves("TINSERT", [(("ub", to), ("ub", of)) for to in ("nd", "dn") for of in ("nd", "dn")],
      types=SAME, into_offset=True)
outlets("TINSERT", 0, None)
outlets("TINSERT", 1, "number")

TILES = """
    .tile d : ub f16[8, 32]
    .tile s : ub f16[4, 16]
"""
misfits(TILES + "    TINSERT d(5, 0), s", r"a window of 4 x 16 at \(5, 0\) ends outside dst")
misfits(TILES + "    TINSERT d(0, 17), s", r"a window of 4 x 16 at \(0, 17\) ends outside dst")
misfits(TILES + "    TINSERT d(0, 0){5, 16}, s", "4 x 16 valid elements where 5 x 16")
rejects(TILES + "    TINSERT d(0, 0), s, relu", "relu applies only to what leaves l0c")
rejects(TILES + "    TINSERT d(8, 0), s", "row|rows|out of range")
rejects(TILES + "    TINSERT d, s(0, 0)", "no offset")
run()
