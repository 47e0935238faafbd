"""TFUSEDMULADDRELU: the larger of src0 * dst + src1, fused, and 0."""
from harness import run, tilewise
from reference import fma, relu

tilewise("TFUSEDMULADDRELU", lambda d, a, b: relu(fma(a, d, b)))
run()
