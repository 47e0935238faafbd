"""TROWEXPANDADD: a + b with a or b expanded along the rows of the other."""
from expanded import expanded
from harness import run

expanded("TROWEXPANDADD", lambda a, b: a + b)
run()
