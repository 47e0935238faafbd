"""TFUSEDMULADD: src0 * dst + src1, fused."""
from harness import run, tilewise
from reference import cancelling, fma

tilewise("TFUSEDMULADD", lambda d, a, b: fma(a, d, b))
tilewise("TFUSEDMULADD", lambda d, a, b: fma(a, d, b), data=cancelling("src0", "dst", "src1"),
         special=False, layouts=(), empty=False)
run()
