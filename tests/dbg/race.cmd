# args: race.pto --cores 1 --in a=iota --check
# exit: 4
# Findings of the checker stop the run where they happen.
info breakpoints
info findings
run
why
print ta{1, 4}
info findings
continue
info findings 2
delete 1
catch finding race-waw
rerun
delete
continue
goto finding 1
when
info findings
catch finding
continue
reverse-continue
delete
continue
