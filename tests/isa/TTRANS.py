"""TTRANS: rows become columns, bit by bit."""
from harness import misfits, run, tilewise

LAYOUTS = ("dn", {"dst": "dn"}, {"src": "dn"})
for scratch in (None, True):
    tilewise("TTRANS", lambda a: a.T, shapes={"src": lambda r, c: (c, r)}, raw=True,
             layouts=LAYOUTS, scratch=scratch, alias=[("dst", "src")], few_sizes=((8, 8), (33, 33)))
misfits("""
    .tile d : ub f32[4, 8]
    .tile a : ub f32[4, 8]
    TTRANS d, a""", "src has 4 x 8 valid elements where 8 x 4 are needed")
run()
