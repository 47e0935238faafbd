"""TGEMV_ACC: c = c + a * b with one row."""
from cube import ROW_SIZES, cube, product
from harness import misfits, rejects, run

cube("TGEMV_ACC", lambda c, a, b: product(a, b, c), sizes=ROW_SIZES)

TILES = """
    .tile c : l0c f32[16, 16]
    .tile a : l0a f16[16, 32]
    .tile b : l0b f16[32, 16]
"""
misfits(TILES + "    TGEMV_ACC c{2, 16}, a{2, 32}, b", "a has 2 valid rows", core="aic")
misfits(TILES + "    TGEMV_ACC c{1, 8}, a{1, 32}, b", "shapes do not fit", core="aic")
rejects(TILES.replace("c : l0c f32", "c : l0c i32") + "    TGEMV_ACC c, a, b",
        "types i32,f16,f16", core="aic")
run()
