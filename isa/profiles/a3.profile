# Profile a3: one die of an Ascend 910C package (A3).  A package is two dies, and each die is a
# device of its own like that of a2 (simpler, src/a2a3/docs/hardware.md).
base = a2

link_bandwidth = 14.5 GB/s      # fit: allgather_gemm on two ranks (pto-isa, README of that kernel)
