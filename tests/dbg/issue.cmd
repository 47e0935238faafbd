# args: add.pto --cores 1 --set n=300 --in a=iota --in b=ones
# Entries show, and conditions see, the registers as they were when S issued them.
catch start TADD if %off == 0
catch complete TSTORE if %off == 256
run
info registers
continue
info events 3
catch issue TLOAD if %off == 64
rerun
