"""TMATMUL_BIAS: c = bias + a * b, in ascending k with one rounding a step."""
from cube import cube, product
from harness import misfits, rejects, run

cube("TMATMUL_BIAS", lambda c, a, b, bias: product(a, b, bias))

TILES = """
    .tile c : l0c f32[16, 16]
    .tile a : l0a f16[16, 32]
    .tile b : l0b f16[32, 16]
    .tile t : bt f32[1, 16]
"""
misfits(TILES + "    TMATMUL_BIAS c, a, b, t{1, 15}", "bias has 1 x 15 valid elements where 1 x 16",
       core="aic")
misfits(TILES + "    TMATMUL_BIAS c{15, 16}, a, b, t", "shapes do not fit", core="aic")
rejects(TILES.replace("bt f32", "bt i32") + "    TMATMUL_BIAS c, a, b, t", "types f32,f16,f16,i32",
        core="aic")
rejects(TILES + "    TMATMUL_BIAS c, a, b, c", "bt|l0c", core="aic")
run()
