"""TSHL: shifts to the left, by the counts of a tile."""
from harness import run, tilewise
from shifts import check_range, counts, in_range, left

tilewise("TSHL", left, data={"src1": counts}, repair=in_range)
check_range("TSHL", "n")
run()
