"""TPOP: the next slot of a ring into a tile, or only the wait for it."""
from harness import rejects, run
from rings import every_depth, every_type

every_depth(False, "tile")
every_type("TPOP", "f32 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64 f8e4m3 f8e5m2".split())

RING = """
    .fifo q : f32[8, 16] slots 2 c2v flags 0
    .tile t : ub f32[8, 16]
    .tile wide : ub f32[8, 32]
    .tile half : ub f16[8, 16]
"""
rejects(RING + "    TPOP wide, q", r"'wide' is larger than a slot of 'q', which has 8 x 16")
rejects(RING + "    TPOP wide{8, 17}, q", "'wide' is larger than a slot")
rejects(RING + "    TPOP half, q", "TPOP does not take the types f16,f32")
rejects(RING + "    TPOP q, t", "TPOP has no use for this operand")
rejects(RING + "    TPOP t, q[0, 0]", "operand 'ring' must be the bare name of a ring")
rejects(RING.replace("c2v", "v2c") + "    TPOP t, q",
        "TPOP is for the program that empties 'q': aic")
rejects(RING + "    TLOAD t, q\n    TPOP t, q", "no slot of ring 'q' was taken before this")
run()
