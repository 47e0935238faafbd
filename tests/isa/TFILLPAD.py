"""TFILLPAD: a copy with a margin of a given value."""
from harness import misfits, rejects, run
from pads import test_pads

test_pads("TFILLPAD", whole=lambda r, c: (r + 2, c + 3))
rejects("""
    .tile d : ub f32[8, 8]
    .tile a : ub f32[4, 8]
    TFILLPAD d, a, zero""", "dst has 8 rows, src needs exactly 4")
misfits("""
    .tile d : ub f32[4, 8]
    .tile a : ub f32[4, 8]
    TFILLPAD d{3, 8}, a{4, 8}, zero""", "src has 4 x 8 valid elements, dst only 3 x 8")
misfits("""
    .tile d : ub i8[4, 32]
    .tile a : ub i8[4, 32]
    TFILLPAD d, a, 128""", "out of the range of i8")
run()
