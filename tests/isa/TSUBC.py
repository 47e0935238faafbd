"""TSUBC: the difference of two tiles plus a third."""
from harness import run, tilewise
from reference import f32

tilewise("TSUBC", lambda a, b, c: f32(f32(a - b) + c))
run()
