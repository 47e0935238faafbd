# args: fault.pto --cores 1
catch launch
run
delete
trace focus
continue
print %x
info registers
why
rerun
trace off
reverse-step
