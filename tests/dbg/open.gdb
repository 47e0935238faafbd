define open
print 1
