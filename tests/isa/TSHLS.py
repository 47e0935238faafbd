"""TSHLS: shifts to the left, by a scalar."""
from harness import run, tilewise
from shifts import check_range, left, scalar_counts

tilewise("TSHLS", left, scalars={"scalar": scalar_counts})
check_range("TSHLS", "%d")
run()
