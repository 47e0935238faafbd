# args: map.pto --cores 1 --in a=ones
# Which tiles lie where, and which event ids are pending.  A slot takes rows x columns x bytes of its
# type; where it is not said, the assembler puts a tile behind the last one of its memory.
start
info map
info map bt
info events live
focus aiv0.0
info map ub
run
info events live
goto 12
focus aiv0.0
info events live
