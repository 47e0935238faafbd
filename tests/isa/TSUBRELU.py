"""TSUBRELU: the larger of the difference and 0."""
from harness import run, tilewise
from reference import f32, relu

tilewise("TSUBRELU", lambda a, b: relu(f32(a - b)))
run()
