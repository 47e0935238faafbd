"""TTEST: does every element compare true now?  All comparisons."""
import operator

import numpy as np

from harness import program, rejects, run

COMPARE = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
           "gt": operator.gt, "ge": operator.ge}
FLAGS = np.array([[-2 ** 31, -1, 0], [4, 4, 4], [3, 4, 5], [2 ** 31 - 1, 5, 5]], np.int32)
VALUE = 4

lines, want = [], []
for name, compare in COMPARE.items():
    for row in range(4):
        lines += ["    %%x = TTEST flags[%d, 0]{1, 3}, %s, %d" % (row, name, VALUE),
                  "    st seen[%d], %%x" % len(want)]
        want.append(bool(compare(FLAGS[row], VALUE).all()))
    lines += ["    %%x = TTEST flags[2, 1]{1, 1}, %s, %d" % (name, VALUE),
              "    st seen[%d], %%x" % len(want)]
    want.append(bool(compare(FLAGS[2, 1], VALUE)))
program("""
.kernel test
.mix 1:1
.sym flags : i32[4, 3]
.out seen : i32[%d]
.core aiv
%s
""" % (len(want), "\n".join(lines)), {"flags": ("i32", FLAGS)},
        {"seen": ("i32", np.array(want, np.int32))}, [("TTEST", 0, "i32")])
rejects("""
    .sym flags : u32[4]
    %x = TTEST flags[0], eq, 1""", "u32")
run()
