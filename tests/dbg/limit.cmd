# args: forever.pto --cores 1 --max-time 1100ns
# exit: 5
break again
run
continue 3
info breakpoints
step 3
delete
continue
print %i > 10
