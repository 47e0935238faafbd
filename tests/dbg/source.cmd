# args: add.pto --cores 1 --set n=70 --in a=ones --in b=ones
source more.gdb
help step
help until
set width 50
set rows 3
set
trace
run
print c{1, 20}
quit
nothing after quit
