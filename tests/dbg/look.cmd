# args: add.pto --cores 1 --set n=200 --in a=iota --in b=const:0.5
info program
info objects
list 20
start
info tiles
info registers
info locals
info flags
info cores
break TSTORE
break 25 if %off > 64
break drain core aiv0.1
tbreak add.pto:20
info breakpoints
run
step
step 2
next
next 3
info queues
why
print %off + 2 * %len
print %half
print seen[0]
print/x %n
continue
print ta[%s]{1, 6}
print ta
backtrace
disassemble
info events 6
pipe MTE2 2
pipe
when
focus aiv0.1
focus 0.aiv0.0 MTE2
info queues
until drain
info registers
disable 1 2
continue
print c{1, 8}
print c[192]{8}
x c 0 6 f32
x ub 0x100 4 u8
delete 3
continue
info cores
info breakpoints
print a[0]{1, 3}
