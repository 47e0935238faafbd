# a script inside a script; this line is a comment

tbreak 24
info break
