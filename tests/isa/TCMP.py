"""TCMP: comparison of two tiles into packed bits."""
from harness import misfits, rejects, run, tilewise
from masks import close, compare, shape

tilewise("TCMP", compare, shapes={"mask": shape})
tilewise("TCMP", compare, shapes={"mask": shape}, data={"src0": close, "src1": close},
         special=False, empty=False, layouts=({"mask": "dn"}, {"src0": "dn", "src1": "nd"}))

TILES = """
    .tile m : ub u8[4, 32] @ %d
    .tile a : ub f32[4, 64] @ 0
    TEXPANDS a, 1
    pipe_barrier V
"""
misfits(TILES % 4096 + "    TCMP m{4, 7}, a, a, lt",
        "mask has 4 x 7 valid elements where 4 x 8 are")
misfits(TILES % 4096 + "    TCMP m{4, 8}, a, a{4, 63}, lt", "src1 has 4 x 63 valid")
rejects(TILES % 4096 + "    TCMP m{4, 8}, a, a", "comparison")
rejects(TILES.replace("u8", "u32") % 4096 + "    TCMP m{4, 8}, a, a, lt", "types u32,f32,f32")
run()
