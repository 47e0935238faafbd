"""TMMAD: c = a * b or c + a * b, in ascending k with one rounding a step."""
from cube import cube, product
from harness import misfits, rejects, run

cube("TMMAD", lambda c, a, b, init: product(a, b, 0 if init else c), scalars={"init": [1, 0, -7]})

TILES = """
    .tile c : l0c f32[16, 16]
    .tile a : l0a f16[16, 32]
    .tile b : l0b f16[32, 16]
"""
misfits(TILES + "    TMMAD c, a, b{16, 16}, 1", "shapes do not fit", core="aic")
misfits(TILES + "    TMMAD c{16, 8}, a, b, 1", "shapes do not fit", core="aic")
rejects(TILES.replace("f32", "i32") + "    TMMAD c, a, b, 1", "types i32,f16,f16", core="aic")
rejects(TILES + "    TMMAD c, b, a, 1", "l0b|l0a", core="aic")
run()
