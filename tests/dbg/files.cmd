# args: add.pto --cores 1 --set n=200 --in a=iota --in b=const:0.5
# Maps, what is displayed at every stop, and commands about windows that cannot be.
display %off
display nix
break TSTORE
run
display/x %n
display ta[0]{1, 4}
continue
undisplay 1
display
undisplay
continue
print/m ta[0]
print/m c[0]{1, 130}
print/m a
print/m c[0]{0}
