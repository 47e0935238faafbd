"""The map in docs/architecture.md, drawn from the includes: map.py [--write]

Without --write nothing is changed; the exit status is 1 if the map is not what the includes say."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
import rooms  # noqa: E402

PAGE = pto.source("docs", "architecture.md")
MAP = re.compile(r"(<!-- map -->\n\n).*?(\n<!-- /map -->)", re.S)


def redrawn(page):
    """The page with the map of today."""
    new, count = MAP.subn(lambda m: m[1] + rooms.drawn(rooms.load(pto.SOURCE)) + m[2], page)
    if count != 1:
        raise SystemExit("docs/architecture.md has %d maps" % count)
    return new


def main():
    with open(PAGE) as file:
        page = file.read()
    new = redrawn(page)
    if "--write" in sys.argv:
        with open(PAGE, "w") as file:
            file.write(new)
    elif new != page:
        print("docs/architecture.md: the map is not what the includes say;\n"
              "tests/style/map.py --write draws\n" + MAP.search(new)[0])
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
