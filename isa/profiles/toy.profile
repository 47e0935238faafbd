# Profile toy: a small machine with round figures, for lessons and tests.  Nothing is measured.
# One cycle is one nanosecond; every transfer runs at a round number of bytes a cycle.
cores = 2
vectors_per_core = 2
level_a5 = no
clock = 1 GHz

capacity.ub = 16 KiB
capacity.l1 = 32 KiB
capacity.l0a = 4 KiB
capacity.l0b = 4 KiB
capacity.l0c = 8 KiB
capacity.bt = 1 KiB
capacity.fb = 1 KiB
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

pipes.aic = S MTE1 MTE2 M FIX MTE3
pipes.aiv = S MTE2 V MTE3
barrier_needed = V MTE3

events = 8
flag_depth = 1
queue_depth = 4
cross_flags = 16
cross_flags_user = 11
cross_flag_limit = 15

path.gm.ub = MTE2, 32 B/cycle, 100 cycles
path.gm.l1 = MTE2, 32 B/cycle, 100 cycles
path.ub.gm = MTE3, 32 B/cycle, 100 cycles
path.l1.gm = MTE3, 32 B/cycle, 100 cycles
path.l1.l0a = MTE1, 64 B/cycle, 10 cycles
path.l1.l0b = MTE1, 64 B/cycle, 10 cycles
path.l1.bt = MTE1, 32 B/cycle, 10 cycles
path.l1.fb = FIX, 32 B/cycle, 10 cycles
path.l0c.gm = FIX, 32 B/cycle, 100 cycles
path.l0c.l1 = FIX, 64 B/cycle, 10 cycles
path.ub.ub = V, 256 B/cycle, 10 cycles

cost.v_add = 10 cycles, 1 cycle/repeat
cost.v_mul = 10 cycles, 1 cycle/repeat
cost.v_max = 10 cycles, 1 cycle/repeat
cost.v_div = 20 cycles, 4 cycles/repeat
cost.v_exp = 20 cycles, 4 cycles/repeat
cost.v_log = 20 cycles, 4 cycles/repeat
cost.v_sqrt = 20 cycles, 4 cycles/repeat
cost.v_cvt = 10 cycles, 1 cycle/repeat
cost.v_reduce = 20 cycles, 2 cycles/repeat
cost.v_expand = 10 cycles, 2 cycles/repeat
cost.v_select = 10 cycles, 1 cycle/repeat
cost.v_gather = 20 cycles, 8 cycles/repeat
cost.v_sort = 20 cycles, 50 cycles/repeat
cost.v_trans = 10 cycles, 2 cycles/repeat
cost.cube = 10 cycles, 1 cycle/fractal
cube_f32_factor = 2

scalar = 1 cycle
issue = 1 cycle
flag = 1 cycle
load = 100 ns
store = 10 ns
notify = 100 ns
wake = 100 ns
test = 100 ns
cross_flag = 100 ns
sync_all = 500 ns
launch = 1 us

gm_bandwidth = 100 GB/s
link_bandwidth = 10 GB/s
link_latency = 500 ns
network_bandwidth = 5 GB/s
network_latency = 1 us
network_oversubscription = 1
async_startup = 1 us
async_bandwidth = 10 GB/s
async_limit = 4                 # few, to see S stall
