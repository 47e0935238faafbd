# args: add.pto --cores 1 --set n=200 --in a=iota --in b=const:0.5
break TADD
run
when
reverse-step
reverse-step 3
step 4
continue
continue
reverse-continue
reverse-continue
goto 20
goto-time 200ns
info registers
delete
continue
reverse-step 2
goto 1
reverse-continue
rs 5
