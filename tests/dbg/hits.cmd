# args: add.pto --cores 1 --set n=200 --in a=iota --in b=const:0.5
# A stop names all that hold there, and each of them stops only once.
start
rwatch tb[0](0, 3)
watch ta[0](0, 3)
watch ta[0](0, 5) if %off > 0
watch ta[0](0, 7)
catch complete TADD
tbreak TSTORE
break TSTORE
watch %off
continue
continue
continue
continue
continue
info breakpoints
reverse-continue
