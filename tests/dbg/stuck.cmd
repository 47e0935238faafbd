# args: stuck.pto --cores 1 --in a=ones
run
why
focus aiv0.1
why
why all
info flags
focus aiv0.0 V
why
print t{1, 4}
reverse-step
list
