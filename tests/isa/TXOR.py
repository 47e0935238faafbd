"""TXOR: bitwise exclusive or, without and with upstream's scratch tile."""
from harness import run, tilewise

for scratch in (None, True):
    tilewise("TXOR", lambda a, b: a ^ b, scratch=scratch)
run()
