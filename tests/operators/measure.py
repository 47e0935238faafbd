"""Run a command and print, as a last line, its exit status, processor seconds and peak MiB.

A process of its own, because a child counts the memory of the process that started it as its own
until it is another program."""

import resource
import subprocess
import sys

status = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
