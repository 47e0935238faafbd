# Profile a2 as if all of global memory lay in the second-level cache: for products, which read
# their operands several times. CANN documentation, Ascend C best practices: 192 MB of cache; "L2
# Cache Tiling" has 7 TB/s for reads and writes mixed, against 1.6 TB/s of global memory, "Matmul
# High-level API Enabling L2 Cache Tiling" three to four times global memory's rate for reads.
base = a2
gm_bandwidth = 5 TB/s
