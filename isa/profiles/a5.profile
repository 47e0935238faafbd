# Profile a5: Ascend 950-class device (A5), 36 AI cores on two dies; variants have 8 to 36, for
# instance 28 (simpler, src/a5/docs/hardware.md; CANN platform_config, Ascend950PR_957bx.ini).
# Sources are named as in a2; "ini" is the file just named.
# What is not here is a2's: assumed, among it extract, fix_element and l2_miss, which were measured
# there.
base = a2

cores = 36                      # simpler, src/a5/docs/hardware.md
level_a5 = yes
clock = 1.65 GHz                # ini

capacity.ub = 248 KiB           # ini: ub_size 253952; the other 8 KiB belong to the system
capacity.l0c = 256 KiB          # pto-isa, include/pto/common/buffer_limits.hpp
capacity.bt = 4 KiB             # the same
capacity.fb = 4 KiB             # the same
capacity.l0a_mx = 4 KiB          # the same (ScaleLeft)
capacity.l0b_mx = 4 KiB          # the same (ScaleRight)
layout.l0a = nz                 # pto-isa, include/pto/common/pto_tile.hpp

barrier_needed = MTE2 MTE3      # V is interlocked: pto-isa, include/pto/npu/a5, TSync

# Bandwidths: ini (second level cache for global memory).  L1 has no way to global memory
# (pto-isa, docs/isa/TSTORE.md).  Latencies as a2's in nanoseconds.
path.gm.ub = MTE2, 100 B/cycle, 388 cycles
path.gm.l1 = MTE2, 100 B/cycle, 388 cycles
path.ub.gm = MTE3, 100 B/cycle, 182 cycles
path.l1.gm = none
path.l1.l0b = MTE1, 256 B/cycle, 16 cycles
path.l1.l0a_mx = MTE1, 256 B/cycle, 16 cycles  # as l0a and l0b, assumed
path.l1.l0b_mx = MTE1, 256 B/cycle, 16 cycles
path.l0c.gm = FIX, 100 B/cycle, 182 cycles    # as the other ways out, assumed
path.l0c.l1 = FIX, 128 B/cycle, 16 cycles     # as L0C to UB, assumed
path.l0c.ub = FIX, 128 B/cycle, 16 cycles
path.ub.l1 = MTE3, 128 B/cycle, 16 cycles

# Formula of TADD on A5: 55.07 + 1.247 per repeat (pto-isa, include/pto/costmodel); the others are
# scaled by latency and throughput of their instruction in isa.csv of the same folder
# (VADD 7/2, VMUL 8/2, VDIV 17/4, VEXP 16/4, VCADD 22, VCMAX 16).
cost.v_add = 55 cycles, 1.247 cycles/repeat
cost.v_adds = 55 cycles, 1.247 cycles/repeat
cost.v_mul = 56 cycles, 1.247 cycles/repeat
cost.v_muls = 56 cycles, 1.247 cycles/repeat
cost.v_max = 55 cycles, 1.247 cycles/repeat
cost.v_maxs = 55 cycles, 1.247 cycles/repeat
cost.v_div = 65 cycles, 2.494 cycles/repeat
cost.v_exp = 64 cycles, 2.494 cycles/repeat
cost.v_log = 64 cycles, 2.494 cycles/repeat
cost.v_sqrt = 65 cycles, 2.494 cycles/repeat
cost.v_cvt = 55 cycles, 1.247 cycles/repeat
cost.v_reduce = 70 cycles, 1.247 cycles/repeat
cost.v_reduce_group = 70 cycles, 1.247 cycles/repeat
cost.v_columns = 70 cycles, 1.247 cycles/repeat
cost.v_expand = 55 cycles, 1.247 cycles/repeat
cost.v_repeat = 55 cycles, 1.247 cycles/repeat
cost.v_combine = 55 cycles, 1.247 cycles/repeat
cost.v_combine_div = 65 cycles, 2.494 cycles/repeat
cost.v_select = 55 cycles, 1.247 cycles/repeat

cross_flag = 90 ns              # half of the barrier between cores, assumed
sync_all = 183 ns               # catccos
notify = 5 ns                   # a posted store; fit: a barrier of eight ranks takes 1.298 us (catccos)
remote_wake = 0 ns              # the same fit
gm_bandwidth = 1.6 TB/s         # catccos, hardware_specs.md; what of it is reached is not known
l2_size = 128 MiB               # catccos, hardware_specs.md; the other figures of the cache are a2's
l2_bandwidth = 5.2 TB/s         # the same
link_bandwidth = 35.15 GiB/s    # catccos
link_latency = 331.35 ns        # half of the remote read round trip of 662.7 ns (catccos)
# The DMA engine is that of a2: assumed, no figures are public.
