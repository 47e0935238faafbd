"""TSHRS: shifts to the right, arithmetic for signed types, by a scalar."""
from harness import run, tilewise
from shifts import check_range, right, scalar_counts

tilewise("TSHRS", right, scalars={"scalar": scalar_counts})
check_range("TSHRS", "%d")
run()
