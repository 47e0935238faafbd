"""Programs of which fix_test takes something away."""

PIECES = """.include "piece.inc"
.kernel pieces
.param n : i64
.in  x : f32[n]
.out y : f32[n]
.mix 1:1
.core aiv
.tile t : ub f32[1, 64]
    .for %at = 0 to n step 64
        piece t, y[%at], \\
              x[%at], min(64, n - %at)
        handoff MTE3 -> MTE2, 0
    .endfor
"""
PIECE = """.macro piece tile, to, from, length
    TLOAD tile{1, length}, \\
          from
    handoff MTE2 -> MTE3, 0     ; loaded
    TSTORE to, tile{1, length}
.endm
"""

# Every rank sends to all others, in blocks of which each has one statement.
EXCHANGE = """.kernel exchange
.mix 1:1
.sym box : f32[nranks(), 32]
.out y : f32[nranks(), 32]
.signal come[nranks()]
.macro tell who
    TNOTIFY come@who[rank()], 1, add
.endm
.core aiv
.tile t : ub f32[1, 32]
    TEXPANDS t, 1.0
    handoff V -> MTE3, 0
    .for %p = 0 to nranks()
        TSTORE box@%p[rank(), 0], t
    .endfor
    pipe_barrier ALL
    dsb
    .for %p = 0 to nranks()
        .if %p != rank()
            tell %p
        .endif
    .endfor
    .for %p = 0 to nranks()
        .if %p != rank()
            TWAIT come[%p], ge, launch() + 1
        .endif
    .endfor
    .for %p = 0 to nranks()
        TLOAD t, box[%p, 0]
        handoff MTE2 -> MTE3, 0
        TSTORE y[%p, 0], t
        handoff MTE3 -> MTE2, 0
    .endfor
"""
ASKING = """.kernel asking
.mix 1:1
.signal come[1]
.core aiv
    %other = 1 - rank()
    TNOTIFY come@%other[0], 1, add
ask:
    %there = TTEST come[0], ge, launch() + 1
    bf %there, ask
"""
# The last one out reads what all have written: its fetch_add proves that they are done.
LAST = """.kernel last
.mix 1:1
.gm part : f32[vec_count(), 8]
.sym count : i32[1]
.out y : f32[vec_count(), 8]
.core aiv
.tile t : ub f32[1, 8]
    TEXPANDS t, 2.0
    handoff V -> MTE3, 0
    TSTORE part[vec_id(), 0], t
    pipe_barrier ALL
    dsb
    %n = fetch_add count[0], 1
    .if %n == vec_count() - 1
        .for %i = 0 to vec_count()
            TLOAD t, part[%i, 0]
            handoff MTE2 -> MTE3, 0
            TSTORE y[%i, 0], t
            handoff MTE3 -> MTE2, 0
        .endfor
    .endif
"""
# What the next one stores beside it has to find in memory: written back, and completely.
FLUSHED = """.kernel flushed
.mix 1:1
.gm word : i32[32]
.core aiv
    .if block_id() == 0
        st word[0], 7
        dcci
        dsb
    .endif
    sync_all aiv
    .if block_id() == 1
        dcci
        st word[1], 8
    .endif
"""
# The number of the signal stands behind the rank, which has brackets of its own.
NUMBERED = """.kernel numbered
.mix 1:1
.signal come[4]
.sym box : f32[1, 8]
.out y : f32[1, 8]
.core aiv
.tile t : ub f32[1, 8]
    TEXPANDS t, 1.0
    handoff V -> MTE3, 0
    TSTORE box@(1 - rank()), t
    pipe_barrier ALL
    dsb
    TNOTIFY come@(1 - rank())[2], 1, add
    TWAIT come[2], ge, launch() + 1
    TLOAD t, box
    handoff MTE2 -> MTE3, 0
    TSTORE y, t
"""
# One wait for a row of signals: one for each of them would take three.
ROW = """.kernel rows
.mix 1:1
.sym box : f32[3, 32]
.out y : f32[3, 32]
.signal spare[2]
.signal come[2, 3]
.core aiv
.tile t : ub f32[1, 32]
.tile all : ub f32[3, 32]
    TEXPANDS t, 1.0
    handoff V -> MTE3, 0
    TSTORE box@0[rank(), 0], t
    TSTORE box@1[rank(), 0], t
    TSTORE box@2[rank(), 0], t
    pipe_barrier ALL
    dsb
    TNOTIFY come@0[1, rank()], 1, add
    TNOTIFY come@1[1, rank()], 1, add
    TNOTIFY come@2[1, rank()], 1, add
    TWAIT come[1, 0]{1, 3}, ge, launch() + 1
    TLOAD all, box[0, 0]
    handoff MTE2 -> MTE3, 0
    TSTORE y[0, 0], all
"""
# What is told carries a stamp; how much comes with it only the sender knows.
STAMPED = """.kernel stamped
.mix 1:1
.signal count[2, nranks()]
.out y : i64[2]
.core aiv
    %other = 1 - rank()
    %epoch = 1 + launch()
    TNOTIFY count@%other[1, rank()], %epoch * (9 + 1) + 3 * rank(), set
    TWAIT count[1, %other], ge, %epoch * (9 + 1)
    %n = ld count[1, %other]
    st y[0], %n - %epoch * (9 + 1)
"""
SEMAPHORE = """.kernel semaphore
.mix 1:1
.signal free[1]
.signal full[1]
.sym box : i32[1, 8]
.out y : i32[4, 8]
.core aiv
.tile t : ub i32[1, 8]
    .if rank() == 0
        TEXPANDS t, 5
        handoff V -> MTE3, 0
        .for %i = 0 to 4
            TSTORE box@1[0, 0], t
            pipe_barrier ALL
            dsb
            TNOTIFY full@1[0], 1, add
            TWAIT free[0], ge, launch() * 4 + %i + 1
        .endfor
    .else
        .for %i = 0 to 4
            TWAIT full[0], ge, 1
            TLOAD t, box[0, 0]
            handoff MTE2 -> MTE3, 0
            TSTORE y[%i, 0], t
            handoff MTE3 -> MTE2, 0
            pipe_barrier ALL
            TNOTIFY full[0], -1, add
            TNOTIFY free@0[0], 1, add
        .endfor
    .endif
"""

# The sub-cores meet twice in a launch: each meeting counts one notify more.
MEETINGS = """.kernel meetings
.mix 1:1
.sym box : i32[nranks(), 16]
.signal at[nranks()]
.out y : i32[nranks(), 16]
.core aiv
.tile t : ub i32[1, 16]
    %base = launch() * 2
    TEXPANDS t, rank() + 10 * launch()
    handoff V -> MTE3, 0
    .for %p = 0 to nranks()
        TSTORE box@%p[rank(), 0], t
    .endfor
    pipe_barrier ALL
    dsb
    .for %p = 0 to nranks()
        TNOTIFY at@%p[rank()], 1, add
    .endfor
    .for %p = 0 to nranks()
        TWAIT at[%p], ge, %base + 1
    .endfor
    .for %p = 0 to nranks()
        TLOAD t, box[%p, 0]
        handoff MTE2 -> MTE3, 1
        TSTORE y[%p, 0], t
        handoff MTE3 -> MTE2, 1
    .endfor
    pipe_barrier ALL
    .for %p = 0 to nranks()
        TNOTIFY at@%p[rank()], 1, add
    .endfor
    .for %p = 0 to nranks()
        TWAIT at[%p], ge, %base + 2
    .endfor
"""
# The vector sub-cores give two slots back, each once.
GIVEN_BACK = """.kernel given_back
.mix 1:2
.core aic
    .for %i = 0 to 4
        .if %i >= 2
            wait_flag_dev 1
        .endif
        set_flag_dev FIX, 2, 0
    .endfor
    wait_flag_dev 1
    wait_flag_dev 1
.core aiv
    .for %i = 0 to 4
        wait_flag_dev 0
        set_flag_dev MTE2, 2, 1
    .endfor
"""

# The wait for whoever has filled its part is missing in the loop over them.
COLLECTED = """.kernel collected
.mix 1:1
.in  x : f32[32]
.sym part : f32[32]
.signal ready[nranks()]
.signal read[1]
.out y : f32[nranks(), 32]
.core aiv
.tile t : ub f32[1, 32]
    TLOAD t, x
    handoff MTE2 -> MTE3, 0
    TSTORE part, t
    pipe_barrier ALL
    dsb
    .for %p = 0 to nranks()
        TNOTIFY ready@%p[rank()], 1, add
    .endfor
    .for %p = 0 to nranks()
        TLOAD t, part@%p
        handoff MTE2 -> MTE3, 0
        TSTORE y[%p, 0], t
        handoff MTE3 -> MTE2, 0
        handoff MTE2 -> S, 5
        TNOTIFY read@%p[0], 1, add
    .endfor
    TWAIT read[0], ge, nranks() * (launch() + 1)
"""
