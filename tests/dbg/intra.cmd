# args: intra.pto --cores 1 --profile a5
# exit: 3
run
why
focus aiv0.1
why
info queues
info flags
why all
