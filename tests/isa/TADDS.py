"""TADDS: the sum of a tile and a scalar."""
from harness import misfits, rejects, run, tilewise

tilewise("TADDS", lambda a, s: a + s)

TILES = """
    .tile d : ub i16[4, 8]
    .tile a : ub i16[4, 8]
"""
misfits(TILES + "    TADDS d, a, 32768", "out of the range of i16")
misfits(TILES + "    TADDS d, a, 0.5", "no i16 value")
misfits(TILES + "    TADDS d{3, 8}, a{2, 8}, 1", "2 x 8 valid elements where 3 x 8 are needed")
rejects(TILES + "    TADDS d, a", "TADDS")
run()
