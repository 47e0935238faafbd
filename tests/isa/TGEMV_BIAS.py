"""TGEMV_BIAS: c = bias + a * b with one row."""
from cube import ROW_SIZES, cube, product
from harness import misfits, rejects, run

cube("TGEMV_BIAS", lambda c, a, b, bias: product(a, b, bias), sizes=ROW_SIZES)

TILES = """
    .tile c : l0c f32[16, 16]
    .tile a : l0a f16[16, 32]
    .tile b : l0b f16[32, 16]
    .tile t : bt f32[1, 16]
"""
misfits(TILES + "    TGEMV_BIAS c{2, 16}, a{2, 32}, b, t", "a has 2 valid rows", core="aic")
misfits(TILES + "    TGEMV_BIAS c{1, 8}, a{1, 32}, b, t", "shapes do not fit", core="aic")
rejects(TILES.replace("c : l0c f32", "c : l0c i32") + "    TGEMV_BIAS c, a, b, t",
        "types i32,f16,f16", core="aic")
run()
