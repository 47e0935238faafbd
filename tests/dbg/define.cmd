# args: add.pto --cores 1 --set n=200 --in a=iota --in b=const:0.5
# Commands of the session's own, with arguments, in one another, and replaced; apropos.
define
define sum
  # a comment, and an empty line

  print $1 + $2
end
sum 40 2
define twice
sum $1 $1
sum $1 $2
end
twice 3 4
define show
print $*
end
show 1 + 2 * 3
define to
tbreak $1
run
end
to TADD
print %off
define sum
print $1 - $2
end
twice 3 4
define
apropos input
apropos zebra
