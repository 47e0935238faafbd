"""TSYNC: pipe_barrier by upstream's name; a store waits for its own pipe's earlier work."""
import numpy as np

from harness import program, rejects, run

program("""
.kernel sync
.mix 1:1
.gm a : i32[8]
.gm c : i32[8]
.core aiv
.tile t : ub i32[1, 8]
    TLOAD t, a
    set_flag MTE2, V, 0
    wait_flag MTE2, V, 0
    TADDS t, t, 1
    TSYNC V
    TADDS t, t, 1
    TSYNC ALL
    TSTORE c, t
""", {"a": ("i32", np.arange(8, dtype=np.int32))},
        {"c": ("i32", np.arange(2, 10, dtype=np.int32))}, [("TSYNC", 0)])
rejects("    TSYNC S", "barrier of its own")
rejects("    TSYNC M", "pipe")
run()
