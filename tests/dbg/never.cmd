# args: ../check/litmus/event_reused.pto --cores 1 --in a=iota --check
# A wait that a finding names did not run yet: it has no time.
run
info findings 1
