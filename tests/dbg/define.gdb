define more
print $1 + $2
end
