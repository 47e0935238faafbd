"""TROWEXPANDMIN: the minimum of a and b with a or b expanded along the rows of the other."""
from expanded import expanded
from harness import run
from reference import minimum

expanded("TROWEXPANDMIN", minimum)
run()
