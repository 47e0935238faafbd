# Level a5 with the way from L1 to global memory that a2 has: lets tests see what arrives in L1.
base = a5
path.l1.gm = MTE3, 18.6 B/cycle, 204 cycles
