"""TCOLEXPAND: a row repeated down the columns, bit by bit."""
from folds import column_result
from harness import misfits, run, tilewise

tilewise("TCOLEXPAND", lambda a: a, shapes={"src": column_result}, raw=True)
misfits("""
    .tile d : ub f32[4, 8]
    .tile a : ub f32[1, 8]
    TCOLEXPAND d, a{0, 8}""", "0 x 8 valid elements where 1 x 8 are needed")
run()
