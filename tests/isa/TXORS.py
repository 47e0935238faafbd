"""TXORS: bitwise exclusive or with a scalar, without and with upstream's scratch tile."""
from harness import run, tilewise

for scratch in (None, True):
    tilewise("TXORS", lambda a, s: a ^ s, scratch=scratch)
run()
