"""TADDC: the sum of three tiles, from left to right."""
from harness import run, tilewise
from reference import f32

tilewise("TADDC", lambda a, b, c: f32(f32(a + b) + c))
run()
