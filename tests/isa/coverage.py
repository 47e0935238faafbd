"""Every tile instruction has a test file, and a page of the manual with a fresh table."""

import os
import sys

import table
from table import source

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, source("docs", "isa"))
import update  # noqa: E402

mnemonics = dict.fromkeys(r["mnemonic"] for r in table.rows() if table.is_tile_instruction(r))
untested = [m for m in mnemonics if not os.path.exists(os.path.join(HERE, m + ".py"))]
if untested:
    print("no test file:", " ".join(untested))
sys.exit(update.main(["--check"]) or bool(untested))
