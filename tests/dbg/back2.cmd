# args: ring.pto --ranks 3 --cores 1
# Macro uses as steps, forward and back; instructions by number; events of one pipe.
start
break 11
continue
finish
reverse-next
reverse-next
delete
break ring.pto:15 rank 1
continue
reverse-finish
backtrace
delete
break *13
continue
delete
catch set S
catch taken MTE3 0
catch stall > 1us
catch complete TSTORE MTE3 > 100ns rank 2
info breakpoints
rerun
continue
continue
continue
continue
