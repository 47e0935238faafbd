"""TROWEXPAND: a column repeated along the rows, bit by bit."""
from harness import misfits, run, tilewise
from reference import column

tilewise("TROWEXPAND", lambda a: a, shapes={"src": column}, raw=True)
# A column is wanted where there are columns to fill, whether or not there are rows.
misfits("""
    .tile d : ub f32[8, 16]
    .tile a : ub f32[8, 8]
    TROWEXPAND d{4, 0}, a{4, 0}
    TROWEXPAND d{4, 8}, a{4, 0}""", "src has .*4 x 0 valid elements|src has 0 valid columns")
run()
