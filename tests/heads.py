"""The head of a text case: comments that say what the case is about, then lines `; KEY: VALUE` or
`; KEY NAME: VALUE`.

Nothing of it is ignored: from the first key on, every comment of the head has to be a key that the
kind of case knows, and behind the head no comment may look like one.  A misspelt key is an
error."""

import re

LINE = re.compile(r"; *([a-z][a-z0-9-]*)(| [\w@]+): *(.*)$")


class BadCase(Exception):
    """The case itself is wrong."""


def read(path, keys):
    """[(number of the line, key, name, value)] of the head of a file."""
    found, head = [], True
    with open(path) as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip()
            head = head and line.startswith(";")
            match = LINE.match(line)
            known = match and match.group(1) in keys
            misspelt = match and (not match.group(2) or match.group(1).startswith("expect"))
            if head and known:
                found.append((number, match.group(1), match.group(2).strip(), match.group(3)))
            elif head and (found or misspelt):
                raise BadCase("line %d is none of %s: %s" % (number, ", ".join(keys), line))
            elif not head and known:
                raise BadCase("line %d stands behind the head: %s" % (number, line))
    return found
