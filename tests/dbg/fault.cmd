# args: fault.pto --cores 1
catch launch
run
delete
trace focus
continue
print %x
info registers
rerun
trace off
reverse-step
