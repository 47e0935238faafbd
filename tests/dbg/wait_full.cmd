# args: wait.pto:full --cores 1
# exit: 3
run
why
info queues
info flags
