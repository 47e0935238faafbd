# args: add.pto --cores 1 --set n=200 --in a=iota --in b=ones
# Variables of the session, and lines that are carried out at every stop of a breakpoint.
set $sum = 0
set $half = 0.5
break TADD
commands
  silent

  # elements that go through V: 200 in all
  set $sum = $sum + %len
  continue
  print this line is never reached
end
info breakpoints
run
print $sum
print $half * $sum
print $_ + 1
info variables
# two at one instruction: both are carried out, and the stop is told, since one is not silent
break TADD if $_event > 60
commands 2
print $_stop
end
commands 1
silent
print %off + 0
end
run
continue
# once, and in a definition with lines of its own
define once
tbreak $1
commands
silent
print %off + 1
end
end
once TSTORE
delete 1 2
continue
info breakpoints
# none any longer
break TSTORE
commands
print 1 / 0
end
commands
end
continue
print $_breakpoint
