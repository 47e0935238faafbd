# args: add.pto --cores 2 --set n=300 --in a=iota --in b=ones --jitter 7
# Two copies end in one step: both are told, and what is to be done at the stop is done once.
start
catch complete TLOAD rank 0 core aiv0.1
commands 1
set $stops = $stops + 1
end
set $stops = 0
continue
print $stops
info breakpoints
