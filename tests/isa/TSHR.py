"""TSHR: shifts to the right, arithmetic for signed types, by the counts of a tile."""
from harness import run, tilewise
from shifts import check_range, counts, in_range, right

tilewise("TSHR", right, data={"src1": counts}, repair=in_range)
check_range("TSHR", "n")
run()
