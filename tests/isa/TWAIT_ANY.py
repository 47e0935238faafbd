"""TWAIT_ANY: S goes on when one of the conditions holds, and learns which: the lowest of them."""
import itertools
import operator

import numpy as np

from harness import faults, program, rejects, run

COMPARE = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
           "gt": operator.gt, "ge": operator.ge}
VALUE = 4
CANDIDATES = (-9, 3, 4, 5)


def at_once():
    """All three signals are there: the first that compares true counts, of two and of three."""
    lines, want, tested = [], [], 0
    for name, other in (("eq", "lt"), ("ge", "ne"), ("le", "gt")):
        for values in itertools.product(CANDIDATES, repeat=2):
            results = [COMPARE[name](values[0], VALUE), COMPARE[other](values[1], VALUE), True]
            text = "flags[%%d], %s, %d, flags[%%d], %s, %d" % (name, VALUE, other, VALUE)
            place = tuple(CANDIDATES.index(v) for v in values)
            lines += ["    %%x = TWAIT_ANY %s, flags, lt, 6" % (text % place),
                      "    st seen[%d], %%x" % len(want)]
            want.append(results.index(True))
            if any(results[:2]):
                lines += ["    %%x = TWAIT_ANY %s" % (text % place),
                          "    st seen[%d], %%x" % len(want)]
                want.append(results.index(True))
                tested += 1
    assert tested > 20
    program("""
.kernel any
.mix 1:1
.sym flags : i32[4]
.out seen : i32[%d]
.core aiv
%s
""" % (len(want), "\n".join(lines)), {"flags": ("i32", np.array(CANDIDATES, np.int32))},
            {"seen": ("i32", np.array(want, np.int32))},
            [("TWAIT_ANY", 0, "i32", "i32"), ("TWAIT_ANY", 1, "i32", "i32", "i32")])


def one_by_one(order):
    """Signals come in an order of their own, each when the one before has been seen."""
    sends = ["        TNOTIFY come@(1)[%d], 1, set\n        TWAIT seen[0], ge, %d\n"
             "        st order[%d], -1" % (signal, i + 1, i) for i, signal in enumerate(order)]
    program("""
.kernel any
.mix 1:1
.signal come[3]
.signal seen[1]
.out order : i32[3]
.core aiv
    .if rank() == 0
%s
    .else
        .for %%i = 0 to 3
            %%x = TWAIT_ANY come[0], ge, 1, come[1], ge, 1, come[2], ge, 1
            st order[%%i], %%x
            TNOTIFY come[%%x], 0, set
            TNOTIFY seen@(0)[0], 1, add
        .endfor
    .endif
""" % "\n".join(sends), {}, {"order": ("i32", [np.full(3, -1, np.int32),
                                               np.array(order, np.int32)])},
            [("TWAIT_ANY", 1, "i32", "i32", "i32")], ranks=2)


def same_instant(conditions, want):
    """One landing writes two signals that are waited for: the lowest number counts."""
    program("""
.kernel any
.mix 1:1
.sym pair : i32[2]
.signal never[1]
.out which : i32[1]
.core aiv
.tile ones : ub i32[1, 8]
    .if rank() == 0
        TEXPANDS ones, 1
        handoff V -> MTE3, 0
        TSTORE pair@(1)[0]{1, 2}, ones
        st which[0], -1
    .else
        %%x = TWAIT_ANY %s
        st which[0], %%x
    .endif
""" % conditions, {}, {"which": ("i32", [np.array([-1], np.int32), np.array([want], np.int32)])},
            [("TWAIT_ANY", 0, "i32", "i32")], ranks=2)


at_once()
for order in itertools.permutations(range(3)):
    one_by_one(order)
same_instant("pair[0], ge, 1, pair[1], ge, 1", 0)
same_instant("pair[1], ge, 1, pair[0], ge, 1", 0)
same_instant("never[0], ge, 1, pair[1], ge, 1, pair, ge, 1", 1)
same_instant("pair[1], ge, 2, pair, ge, 1", 1)

SIGNALS = """
    .signal a[2]
    .signal b[2]
    .sym numbers : i64[4]
    .gm private : i32[4]
"""
rejects(SIGNALS + "    %x = TWAIT_ANY a[0], eq, 1, numbers[0], eq, 1", "i64")
rejects(SIGNALS + "    %x = TWAIT_ANY a[0], eq, 1, private[0], eq, 1", "neither .signal nor .sym")
rejects(SIGNALS + "    %x = TWAIT_ANY a[0], eq, 1", "lacks its operand 'signal1'")
rejects(SIGNALS + "    %x = TWAIT_ANY a[0], eq, 1, b[0], above, 1", "above")
rejects(SIGNALS + "    %x = TWAIT_ANY a[0], eq, 1, b[0], eq, 1, a[1], eq, 1, b[1], eq, 1",
        "at most|no use")
faults(SIGNALS + "    %x = TWAIT_ANY a[0], eq, 1, b@(1)[0], eq, 1", "reads local signals only",
       ranks=2)
faults(SIGNALS + "    %x = TWAIT_ANY a[0], eq, 1, b[2], eq, 1", "b", ranks=2)
run()
