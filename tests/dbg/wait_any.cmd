# args: wait.pto:any --cores 1
# exit: 3
run
why
