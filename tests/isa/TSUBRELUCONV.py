"""TSUBRELUCONV: the larger of the difference and 0 in a type half as wide, clamped."""
from harness import run, tilewise
from reference import relu_narrow, signed_wide

tilewise("TSUBRELUCONV",
         lambda a, b, types: relu_narrow(signed_wide(a) - signed_wide(b), types["dst"]))
run()
