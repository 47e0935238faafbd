# args: ring.pto --ranks 3 --cores 1
start
info ranks
break ring.pto:9 rank 1
break 11
continue
backtrace
print %value
next
next
step
backtrace
catch signal rank 2
catch send
catch land rank 0
info breakpoints
disable 2
ignore 4 1
continue
focus 2
why
info signals
continue
continue
info signals
info link
delete
focus 0.aiv0.0
finish
continue
print got@0
print got@2
print box@1[0]{1, 2}
info ranks
