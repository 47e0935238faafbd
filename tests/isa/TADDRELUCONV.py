"""TADDRELUCONV: the larger of the sum and 0 in a type half as wide, clamped."""
from harness import run, tilewise
from reference import relu_narrow, signed_wide

tilewise("TADDRELUCONV",
         lambda a, b, types: relu_narrow(signed_wide(a) + signed_wide(b), types["dst"]))
run()
