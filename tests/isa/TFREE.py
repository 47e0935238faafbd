"""TFREE: a slot that was emptied as global memory is given back."""
import numpy as np

from harness import program, rejects, run
from rings import every_depth

every_depth(False, "slot")

# Elements of a slot are read one at a time; what was sent under a condition arrives in order.
PICK = """
.kernel pick
.mix 1:1
.in  x : i32[40, 1, 8]
.out y : i32[40]
.fifo q : i32[1, 8] slots 3 c2v flags 5
.core aic
.tile t : l1 i32[1, 8] nd
    .for %i = 0 to 40
        %odd = ld x[%i, 0, 0]
        .if %odd & 1
            pipe_barrier ALL
            TLOAD t, x[%i, 0, 0]
            set_flag  MTE2, MTE3, 0
            wait_flag MTE2, MTE3, 0
            TPUSH q, t
        .endif
    .endfor
.core aiv
    .for %i = 0 to 40
        %odd = ld x[%i, 0, 0]
        .if %odd & 1
            TPOP q
            dcci                ; what the scalar unit reads may be in its cache
            %sum = 0
            .for %k = 0 to 8
                %v = ld q[0, %k]
                %sum = %sum + %v
            .endfor
            TFREE q
            st y[%i], %sum
        .else
            st y[%i], 0
        .endif
    .endfor
"""
x = np.random.default_rng(1).integers(-1000, 1000, (40, 1, 8)).astype(np.int32)
y = np.where(x[:, 0, 0] & 1, x.sum((1, 2)), 0)
program(PICK, {"x": ("i32", x)}, {"y": ("i32", y)}, options=["--check", "--repeat", 3])

RING = "    .fifo q : f32[8, 16] slots 2 c2v flags 0\n"
rejects(RING + "    TFREE q", "TFREE hands over a slot of 'q' that TPOP took: there is none before")
rejects(RING.replace("c2v", "v2c") + "    TFREE q",
        "TFREE is for the program that empties 'q': aic")
run()
