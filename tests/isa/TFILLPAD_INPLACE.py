"""TFILLPAD_INPLACE: a margin around elements that stay where they are."""
from harness import faults, run
from pads import test_pads

test_pads("TFILLPAD_INPLACE", whole=lambda r, c: (r + 2, c + 3), in_place=True)
faults("""
    .tile d : ub f32[4, 8]
    .tile a : ub f32[4, 8]
    TFILLPAD_INPLACE d, a, zero""", "dst and src are not the same bytes")
run()
