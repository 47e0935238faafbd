# args: wait.pto:scalar --cores 1
# exit: 3
run
why
info queues
info flags
focus aiv0.1
why
list
