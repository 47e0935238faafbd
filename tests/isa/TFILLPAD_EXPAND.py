"""TFILLPAD_EXPAND: a copy with a margin in a tile that may be larger."""
from harness import rejects, run
from pads import test_pads

test_pads("TFILLPAD_EXPAND", whole=lambda r, c: (r + 1, c + 1))
rejects("""
    .tile d : ub f32[4, 8]
    .tile a : ub f32[5, 8]
    TFILLPAD_EXPAND d, a{4, 8}, zero""", "dst has 4 rows, src needs 5")
run()
