"""TNOTIFY: add to a signal or set it, here and on another rank."""
import numpy as np

from harness import program, rejects, run

START = np.array([5, -7, 2 ** 31 - 1, 0], np.int32)

program("""
.kernel notify
.mix 1:1
.sym flags : i32[4]
.core aiv
    %other = 1 - rank()
    TNOTIFY flags@%other[0], 10 * (rank() + 1), add
    TNOTIFY flags@%other[1], rank() - 3, set
    TNOTIFY flags[2], 1, add
    TNOTIFY flags@%other[3], -1, add
    TNOTIFY flags@%other[3], 5, set
    TNOTIFY flags@%other[3], -2, add
""", {"flags": ("i32", START)},
        {"flags": ("i32", [np.array([25, -2, -2 ** 31, 3], np.int32),
                           np.array([15, -3, -2 ** 31, 3], np.int32)])},
        [("TNOTIFY", 0, "i32")], ranks=2)

SIGNALS = """
    .sym flags : i32[4]
    .sym numbers : f32[4]
    .gm own : i32[4]
"""
rejects(SIGNALS + "    TNOTIFY numbers[0], 1, add", "f32")
rejects(SIGNALS + "    TNOTIFY own[0], 1, add", "own")
rejects(SIGNALS + "    TNOTIFY flags[0], 1, sub", "sub")
rejects(SIGNALS + "    TNOTIFY flags[0], 1", "operation|TNOTIFY")
run()
