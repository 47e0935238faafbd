"""TSUBSC: a tile minus a scalar plus a tile."""
from harness import run, tilewise
from reference import f32

tilewise("TSUBSC", lambda a, s, c: f32(f32(a - s) + c))
run()
