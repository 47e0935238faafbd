"""TMULADDDST: src0 * src1 + dst, fused."""
from harness import run, tilewise
from reference import cancelling, fma

tilewise("TMULADDDST", lambda d, a, b: fma(a, b, d))
tilewise("TMULADDDST", lambda d, a, b: fma(a, b, d), data=cancelling("src0", "src1", "dst"),
         special=False, layouts=(), empty=False)
run()
