"""TEXTRACT_FP: out of an accumulator with a scale per column."""
from fixpipe import outlets
from harness import misfits, rejects, run

outlets("TEXTRACT_FP", 0, "row")

TILES = """
    .gm x : i8[16, 16]
    .tile d : l1 i8[16, 32]
    .tile c : l0c i32[16, 16]
    .tile s : fb f32[1, 16]
"""
misfits(TILES + "    TEXTRACT_FP d{16, 16}, c(0, 0), s{1, 15}",
        "fp has 1 x 15 valid elements where 1 x 16", core="aic")
rejects(TILES.replace("fb f32", "fb i32") + "    TEXTRACT_FP d{16, 16}, c(0, 0), s",
        "types i8,i32,i32", core="aic")
rejects(TILES.replace("fb f32", "bt f32") + "    TEXTRACT_FP d{16, 16}, c(0, 0), s",
        "bt", core="aic")
misfits(TILES + "    TEXTRACT_FP d{16, 16}, c(1, 0), s", "ends outside src", core="aic")
run()
