"""TOR: bitwise or."""
from harness import run, tilewise

tilewise("TOR", lambda a, b: a | b)
run()
