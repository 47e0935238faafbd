"""TPREFETCH: takes the time of a load and moves nothing."""
from harness import faults, rejects, run
from moves import moves


def nothing(bits, old, types):
    return old


TYPES = [(t, t) for t in "f32 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64 f8e4m3 f8e5m2 s4x2 e8m0 "
         "f4e2m1x2 f4e1m2x2".split()]
moves("TPREFETCH", [(("ub", "nd"), ("gm", "nd")), (("ub", "dn"), ("gm", "dn"))], types=TYPES,
      reference=nothing)
moves("TPREFETCH", [(("l1", "nz"), ("gm", "nd"))], types=TYPES, reference=nothing, profiles=("a2",))

TILES = """
    .gm x : f32[4, 16]
    .tile t : ub f32[8, 16]
"""
faults(TILES + "    TPREFETCH t, x", r"window \{8, 16\} of 'x' leaves the object")
rejects(TILES.replace("ub f32", "ub f16") + "    TPREFETCH t, x", "types f16,f32")
run()
