# args: add.pto --cores 1 --set n=200 --in a=iota --in b=const:0.5
# Watchpoints on values and bytes, and who wrote what.
start
watch c[130]
watch %off
awatch ta[0](0, 3) if %off == 0
info breakpoints
continue
continue
delete 2
continue
continue
continue
delete
rerun
reverse-step 20
watch seen[1]
rwatch tb[1]{1, 2} core aiv0.0
continue
continue
reverse-continue
delete
continue
last-writer c[130]
last-writer
last-writer
origin c[130]
last-writer ub+0x40
last-writer ub+0xf00,4
watch UB+0x40,4
