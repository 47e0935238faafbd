"""TNOT: every bit the other way."""
from harness import run, tilewise

tilewise("TNOT", lambda a: ~a, exhaustive=True)
run()
