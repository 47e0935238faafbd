"""TAXPY: src * scalar + dst, fused; f16 sources into f32, too."""
from harness import run, tilewise
from reference import fma

tilewise("TAXPY", lambda d, a, s: fma(a, s, d), scalar_as="src")
run()
