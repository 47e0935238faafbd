# args: leave.pto --ranks 2 --cores 1 --in a=iota
# The session ends where bytes that another rank sent wait for their instruction to complete.
catch land
ignore 1 5
continue
focus 1.aiv0.0 MTE2
info queues
quit
