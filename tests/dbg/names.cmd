# args: names.pto --cores 1 --set n=6
# exit: 2
break 19 if n > 3 && i == n - 2
break 19 if n > 6
run
print n
print %n
print i << 4 | 1
print max(i, n) * scale
print seen[i - 1] + seen[mod(i, 4)]
print t
print %t
print -9223372036854775808 / 2
print 0.1 + 0.2
print/x -1 >> 60
print (clock() - 1) / 1000000
print p.1
print %p.2
continue
print p
