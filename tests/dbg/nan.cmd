# args: nan.pto --cores 1 --in a=iota
catch nan
catch nan TSTORE
run
print u{1, 4}
delete 1
continue
