# args: --check whys.pto:lost --ranks 2 --cores 1
# What only the end of the run shows can be gone to as well: to its later party.
run
goto finding 1
info findings
continue
why
last-writer full[0]
goto finding 1
