"""TWAIT: S goes on when every element compares true; all comparisons, from either side."""
import operator

import numpy as np

from harness import faults, program, rejects, run

COMPARE = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
           "gt": operator.gt, "ge": operator.ge}
VALUE = 4


def scenario(name, first, last):
    """The signals pass from `first` to `last`; only `last` satisfies the comparison.  What was seen
    after the wait is the proof that it waited."""
    program("""
.kernel wait
.mix 1:1
.sym flags : i32[3]
.out seen : i32[3]
.core aiv
    .if rank() == 0
        TNOTIFY flags@(1)[0], %d, set
        TNOTIFY flags@(1)[1], %d, set
        TNOTIFY flags@(1)[2], %d, set
        TWAIT flags, ge, -2147483648
    .else
        TWAIT flags, %s, %d
    .endif
    .for %%i = 0 to 3
        %%x = ld flags[%%i]
        st seen[%%i], %%x
    .endfor
""" % (*last, name, VALUE), {"flags": ("i32", np.array(first, np.int32))},
            {"seen": ("i32", [np.array(first, np.int32), np.array(last, np.int32)])},
            [("TWAIT", 0, "i32")], ranks=2)


# Sub-cores that wait in one object, for elements that are a multiple of 64 apart and for all of
# them: each goes on with its own, and has seen what was set until then.
program("""
.kernel apart
.sym flags : i32[3, 64]
.sym all   : i32[130]
.out seen  : i32[5, 4]
.core aiv
    %me = vec_id()
    .if %me < 3
        TWAIT flags[%me, 5], ge, 1
    .elif %me == 3
        TWAIT all, ge, 1
    .elif %me == 4
        %which = TWAIT_ANY flags[0, 5], ge, 1, flags[1, 5], ge, 1
    .elif %me == 5
        .for %i = 0 to 3
            .for %pause = 0 to 2000
            .endfor
            TNOTIFY all[%i * 64], 1, set
            TNOTIFY flags[2 - %i, 5], 1, set
        .endfor
        .for %pause = 0 to 2000
        .endfor
        TNOTIFY all, 1, set
    .endif
    .if %me < 5
        .for %i = 0 to 3
            %x = ld flags[%i, 5]
            st seen[%me, %i], %x
        .endfor
        %x = ld all[129]
        st seen[%me, 3], %x
    .endif
""", {"flags": ("i32", np.zeros((3, 64), np.int32)), "all": ("i32", np.zeros(130, np.int32))},
        {"seen": ("i32", [np.array([[1, 1, 1, 0], [0, 1, 1, 0], [0, 0, 1, 0], [1, 1, 1, 1],
                                    [0, 1, 1, 0]], np.int32)])},
        [("TWAIT", 0, "i32")], cores=3)

CANDIDATES = (-9, 3, 4, 5)
for name, compare in COMPARE.items():
    true = [v for v in CANDIDATES if compare(v, VALUE)]
    false = [v for v in CANDIDATES if not compare(v, VALUE)]
    scenario(name, [false[0]] * 3, [true[-1]] * 3)
    scenario(name, [true[0], true[0], false[-1]], [true[-1], true[0], true[-1]])

SIGNALS = """
    .sym flags : i32[4]
    .sym numbers : i64[4]
"""
rejects(SIGNALS + "    TWAIT numbers[0], eq, 1", "i64")
rejects(SIGNALS + "    TWAIT flags[0], above, 1", "above")
faults(SIGNALS + "    TWAIT flags@(1)[0], eq, 1", "reads local signals only", ranks=2)
run()
