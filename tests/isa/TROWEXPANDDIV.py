"""TROWEXPANDDIV: a / b with a or b expanded along the rows of the other."""
from expanded import expanded
from harness import run
from reference import divide, divisible

expanded("TROWEXPANDDIV", divide, repair=divisible)
run()
