# Profile a3: one die of an Ascend 910C package (A3).  A package is two dies, and each die is a
# device of its own like that of a2 (simpler, src/a2a3/docs/hardware.md).
base = a2

# Fit: the least of the greater errors of two shapes of allgather_gemm on two ranks (pto-isa, README
# of that kernel).
link_bandwidth = 15.5 GB/s

# Fit: the least of the greater errors of two mixtures of experts that read every weight about once,
# 16 tokens on each of 16 ranks and 128 on each of 8 (pto-isa, mega-MoE, measured on A3).
gm_bandwidth = 1.38 TB/s
