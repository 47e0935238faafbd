"""The instruction table, as `ptoas --list-ops --json` prints it."""

import functools
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pto import SANITIZED, ptoas, ptovm, sample, source  # noqa: E402 F401 (for the other files)


@functools.lru_cache(None)
def rows():
    return json.loads(ptoas("--list-ops", "--json").out)


def rows_of(mnemonic):
    """All rows of a mnemonic, in the table's order."""
    found = [row for row in rows() if row["mnemonic"] == mnemonic]
    if not found:
        raise SystemExit("no instruction is called %s" % mnemonic)
    return found


def is_tile_instruction(row):
    """Instructions with a test file of their own: what the tables write in upper case."""
    return row["mnemonic"][0].isupper()


# Rows of the scalar unit with a page of their own; the others are arithmetic and branches, which
# the assembler makes from expressions and control flow (docs/language.md).
SCALAR_PAGES = ("ld", "st", "fetch_add", "clock", "print", "trace_begin", "trace_end",
                "handoff")


def has_page(row):
    """Instructions that the manual has a page for."""
    return (is_tile_instruction(row) or row["pipe"] == "sync"
            or row["mnemonic"] in SCALAR_PAGES)


def typed_operands(row):
    """Operands that the alternatives of `types` speak of."""
    return [o for o in row["operands"]
            if o["kind"] in ("tile", "gm", "memory", "ring") and not o["scratch"]]


def alternatives(text, count):
    """A list of types as tuples of one type per operand, without those that a level lacks."""
    result = []
    for word in text.split():
        if word.startswith("-"):
            continue
        types = tuple(word.split(","))
        result.append(types * count if len(types) == 1 else types)
    return result
