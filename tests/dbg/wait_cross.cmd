# args: wait.pto:cross --cores 1
# exit: 3
run
why
info queues
info flags
focus aiv0.0
why
backtrace
