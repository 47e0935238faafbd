# Profile a3: one die of an Ascend 910C package (A3).  A package is two dies, and each die is a
# device of its own like that of a2 (simpler, src/a2a3/docs/hardware.md).
base = a2
