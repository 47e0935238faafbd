# Profile a2: one die of an Ascend 910B-class device (A2), 24 AI cores.
# Where a figure is public, its source stands beside it; "assumed" marks those that are not.
# pto-isa: github.com/hw-native-sys/pto-isa; simpler: github.com/hw-native-sys/simpler;
# catccos: github.com/hicann/catccos, cost-model constants of tests/dynamic_tiling.

cores = 24                      # simpler, src/a2a3/docs/hardware.md
vectors_per_core = 2            # simpler, src/a2a3/docs/hardware.md
level_a5 = no
clock = 1.85 GHz                # pto-isa, include/pto/costmodel, arch_config.hpp

# pto-isa, include/pto/common/buffer_limits.hpp
capacity.ub = 192 KiB
capacity.l1 = 512 KiB
capacity.l0a = 64 KiB
capacity.l0b = 64 KiB
capacity.l0c = 128 KiB
capacity.bt = 1 KiB
capacity.fb = 2 KiB
capacity.l0a_mx = 0 KiB
capacity.l0b_mx = 0 KiB
alignment.ub = 32 B
alignment.l1 = 32 B
alignment.l0a = 32 B
alignment.l0b = 32 B
alignment.l0c = 32 B
alignment.bt = 32 B
alignment.fb = 32 B
alignment.l0a_mx = 32 B
alignment.l0b_mx = 32 B
layout.l0a = zz                 # pto-isa, include/pto/common/pto_tile.hpp

pipes.aic = S MTE1 MTE2 M FIX MTE3
pipes.aiv = S MTE2 V MTE3
barrier_needed = V MTE3         # pto-isa, docs/isa/machine-model/ordering-and-synchronization.md

events = 8                      # pto-isa, include/pto/common/event.hpp
flag_depth = 1                  # a flag is one bit: CANN, CCE intrinsic set_flag
queue_depth = 32                # assumed
cross_flags = 16                # pto-isa, include/pto/npu/a2a3/TSync.hpp: four bits
cross_flags_user = 11           # pto-isa, docs/isa/SYNCALL.md: 11 to 14 are sync_all's
cross_flag_limit = 15           # a counter of four bits

# Pipe, bandwidth of one core, latency.  Bandwidths: pto-isa, include/pto/costmodel,
# arch_config.hpp, GiB/s at 1.85 GHz.  Latency of global memory: 235 ns, the round trip of a read
# that misses the cache (catccos), for reads and 110 ns, a hit, for writes.  On chip: assumed.
# gm to l1: what a core reads from the cache, 91 bytes a cycle at 1.8 GHz (catccos, cost_model.h).
path.gm.ub = MTE2, 58.6 B/cycle, 435 cycles
path.gm.l1 = MTE2, 88.5 B/cycle, 435 cycles
path.ub.gm = MTE3, 109.4 B/cycle, 204 cycles
path.l1.gm = MTE3, 18.6 B/cycle, 204 cycles
path.l1.l0a = MTE1, 256 B/cycle, 16 cycles
path.l1.l0b = MTE1, 128 B/cycle, 16 cycles
path.l1.bt = MTE1, 18.6 B/cycle, 16 cycles
path.l1.fb = FIX, 18.6 B/cycle, 16 cycles
path.l0c.gm = FIX, 40.6 B/cycle, 204 cycles
path.l0c.l1 = FIX, 74.3 B/cycle, 16 cycles
path.ub.ub = V, 594 B/cycle, 16 cycles
extract = 40 cycles             # fit: MTE1 busy 68.1 % of the 6144^3 product (pto-isa, gemm README)
fix_element = 2 B               # pto-isa, arch_config.hpp: the rate above is 20.3 elements a cycle

# Latency (head and tail) and slope per repeat of 256 bytes: pto-isa, include/pto/costmodel,
# intrinsics of the A2/A3 stub, named behind each line.
cost.v_add = 24 cycles, 2 cycles/repeat      # vadd
cost.v_adds = 24 cycles, 1 cycle/repeat      # vadds
cost.v_mul = 25 cycles, 2 cycles/repeat      # vmul
cost.v_muls = 25 cycles, 1 cycle/repeat      # vmuls
cost.v_max = 24 cycles, 2 cycles/repeat      # vmax
cost.v_maxs = 24 cycles, 1 cycle/repeat      # vmaxs
cost.v_div = 30 cycles, 4 cycles/repeat      # vdiv
cost.v_exp = 31 cycles, 2 cycles/repeat      # vexp
cost.v_log = 33 cycles, 2 cycles/repeat      # vln
cost.v_sqrt = 39 cycles, 2 cycles/repeat     # vsqrt
cost.v_cvt = 32 cycles, 2 cycles/repeat      # vconv
# By shape: formula_params.csv (TROWSUM 0.1094 and TROWEXPAND 0.2187 for each f32 of rows of 64, that
# is 7 and 14 a row), TRowReduceOps.hpp, TRowExpandBinOp.hpp of the same folder.
cost.v_reduce = 46 cycles, 1.4 cycles/repeat, 5.6 cycles/row
cost.v_reduce_group = 46 cycles, 1.25 cycles/repeat
cost.v_columns = 46 cycles, 2 cycles/repeat, 17 cycles/row
cost.v_expand = 37 cycles, 2 cycles/repeat, 12 cycles/row
cost.v_repeat = 37 cycles, 2 cycles/repeat
cost.v_combine = 25 cycles, 2 cycles/repeat      # as vmul
cost.v_combine_div = 30 cycles, 4 cycles/repeat  # as vdiv
cost.v_select = 27 cycles, 2 cycles/repeat   # vsel
cost.v_gather = 24 cycles, 2 cycles/repeat   # vgather
cost.v_sort = 20 cycles, 78 cycles/repeat    # vmrgsort4
cost.v_trans = 6 cycles, 2 cycles/repeat     # default of the stub
cost.cube = 6 cycles, 1 cycle/fractal        # 6 + steps; 4096 f16 products a cycle
cube_f32_factor = 2                          # 1024 f32 products a cycle: K steps of 8, twice

scalar = 1 cycle                # pto-isa, perf_sim, fallback cost
issue = 1 cycle                 # assumed
flag = 1 cycle                  # pto-isa, include/pto/costmodel: set_flag, wait_flag, pipe_barrier
load = 110 ns                   # catccos: global memory round trip, hit
store = 5 ns                    # simpler, docs/hardware/mmio-performance.md: posted store
notify = 150 ns                 # simpler, same page: publish of one cache line, 150 to 300 ns
wake = 110 ns                   # one more look at the signal: a load
test = 110 ns                   # a load
cross_flag = 180 ns             # simpler, same page: fastest signal between cores
sync_all = 1.03 us              # catccos: barrier between the cores
launch = 6.47 us                # catccos

# Of 1.8 TB/s (catccos, hardware_specs.md) what reads and writes of all cores reach: fit, the weights
# that a mixture of experts with 16 tokens on each of 8 ranks reads once (pto-isa, mega-MoE).
gm_bandwidth = 1.5 TB/s
# catccos, knowledge base and hardware_specs.md; ways assumed.  Latency and the time of a missed
# line, 512 bytes at 113.8 GB/s: catccos, cost_model.h.  The way to UB, for which pto-isa has
# 58.6 bytes a cycle, 108 GB/s, is slower than that: there hits and misses take their pipe alike.
l2_size = 192 MiB
l2_line = 512 B
l2_ways = 16
l2_bandwidth = 7.86 TB/s
l2_latency = 110 ns
l2_miss = 4.5 ns                # 512 bytes at 113.8 GB/s
link_bandwidth = 19.5 GiB/s     # catccos: one HCCS link
# Requests of several sub-cores alternate: assumed, fit: the communication of gemm_ar (pto-isa).
link_turns = yes
link_latency = 250 ns           # half of the remote read round trip of 500 ns (catccos)
remote_wake = 4.93 us           # fit: a barrier of eight ranks takes 6.7 us (catccos)
network_bandwidth = 25 GB/s     # assumed: a port of 200 Gbit/s a chip
network_latency = 2 us          # assumed
network_oversubscription = 1    # assumed

# The DMA engine beside the pipes (SDMA).  The counters of pto-isa, kernels/manual/a2a3/
# tget_bandwidth (4 KB in 2.73 us, 64 KB in 5.5 us, 4 MB in 205 us) fit 2.6 us and 20.5 GB/s; of the
# 2.6 us, 0.5 us are the round trip over the link and 0.2 us S's look at the event, counted above.
async_startup = 1.9 us
async_bandwidth = 20.5 GB/s
async_limit = 64                # pto-isa, docs/isa/comm: outstanding submissions of a session
