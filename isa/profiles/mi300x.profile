# Profile mi300x: an AMD Instinct MI300X of a mesh of eight, for the all-to-all kernels that were
# written for it (kernels/moe/all2all_*.pto). A GPU is no machine of tiles, so this is a stand-in:
# a vector sub-core is a compute unit (CU) that runs one workgroup, UB is what the workgroup holds
# in registers and local data share, a tile instruction is a loop of its wavefronts. There is no
# cube: the matrix cores are not modelled. Figures without a source are assumed.
# ROCm: rocm.docs.amd.com, ROCm Compute Profiler (Omniperf), conceptual, compute unit and pipeline
# descriptions. C&C: chipsandcheese.com, "Testing AMD's Giant MI300X".

cores = 152                     # 304 CUs (C&C: 8 dies of 38), two of them count as one AI core,
vectors_per_core = 2            # so that kernels with two vector sub-cores in a block run too
level_a5 = no
clock = 2.1 GHz                 # peak engine clock: AMD, data sheet of the MI300X

capacity.ub = 576 KiB           # of a CU: 4 x 128 KiB of vector registers and 64 KiB of LDS (ROCm)
capacity.l1 = 0 KiB
capacity.l0a = 0 KiB
capacity.l0b = 0 KiB
capacity.l0c = 0 KiB
capacity.bt = 0 KiB
capacity.fb = 0 KiB
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
layout.l0a = zz

pipes.aic = S
pipes.aiv = S MTE2 V MTE3
barrier_needed = V MTE3         # waves of a workgroup need s_waitcnt or s_barrier in between

events = 8
flag_depth = 1
queue_depth = 32
cross_flags = 16
cross_flags_user = 11
cross_flag_limit = 15

# A CU moves 64 bytes a cycle to and from its vector cache (ROCm).  Latencies assumed: 350 ns for
# a read of HBM, 200 ns for a write.
path.gm.ub = MTE2, 64 B/cycle, 735 cycles
path.ub.gm = MTE3, 64 B/cycle, 420 cycles
path.ub.ub = V, 128 B/cycle, 64 cycles          # LDS, 128 bytes a cycle (ROCm)

# 256 bytes are one instruction of a wavefront of 64 lanes; four SIMDs of 16 lanes (ROCm) finish
# one a cycle.  Transcendental functions and division run at a quarter of that.  Latencies assumed.
cost.v_add = 8 cycles, 1 cycle/repeat
cost.v_mul = 8 cycles, 1 cycle/repeat
cost.v_max = 8 cycles, 1 cycle/repeat
cost.v_div = 40 cycles, 8 cycles/repeat
cost.v_exp = 16 cycles, 4 cycles/repeat
cost.v_log = 16 cycles, 4 cycles/repeat
cost.v_sqrt = 16 cycles, 4 cycles/repeat
cost.v_cvt = 8 cycles, 1 cycle/repeat
cost.v_reduce = 48 cycles, 2 cycles/repeat
cost.v_expand = 8 cycles, 1 cycle/repeat
cost.v_select = 8 cycles, 1 cycle/repeat
cost.v_gather = 64 cycles, 4 cycles/repeat
cost.v_sort = 64 cycles, 64 cycles/repeat
cost.v_trans = 64 cycles, 4 cycles/repeat
cost.cube = 0 cycles, 0 cycles/fractal          # no cube
cube_f32_factor = 1

scalar = 4 cycles               # a wavefront issues every fourth cycle (ROCm: the scheduler)
issue = 4 cycles
flag = 4 cycles
load = 120 ns                   # assumed: hit in the second level cache
store = 5 ns                    # assumed: posted
notify = 100 ns                 # assumed: a store with system-wide release
wake = 350 ns                   # assumed: one more look, past the caches
test = 350 ns                   # the same
cross_flag = 200 ns             # assumed
sync_all = 2 us                 # assumed: barrier of a grid through atomics
launch = 4 us                   # assumed; 4.9 us are left of the published speed of light of
                                # gpu-mode/reference-kernels, all2all, if there are no data

gm_bandwidth = 5.3 TB/s         # HBM3 (C&C)
# Second-level caches (4 MiB for each of eight dies) and the 256 MiB in front of memory are not
# modelled: the all-to-all kernels read their rows once.
link_bandwidth = 25 GB/s        # xGMI: 64 GB/s a direction and link at peak; what the senders of
                                # gau-nernst/gpu-mode-kernels, amd-distributed/all2all, reach in
                                # their author's trace: 176 GB/s out of one rank
link_latency = 700 ns           # assumed
network_bandwidth = 50 GB/s     # assumed: a card of 400 Gbit/s a GPU
network_latency = 2 us          # assumed
network_oversubscription = 1
async_startup = 2 us            # assumed: from the submission to an SDMA queue to the first byte
async_bandwidth = 48 GB/s       # assumed: one SDMA engine keeps one link busy
async_limit = 64                # assumed, as a2
