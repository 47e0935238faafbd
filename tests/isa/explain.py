"""ptoas --explain: a page for every instruction, help for names that are none."""

import sys

import table
from cases import tool

failures = []
mnemonics = list(dict.fromkeys(r["mnemonic"] for r in table.rows()))
for mnemonic in mnemonics:
    code, text, errors = tool("ptoas", "--explain", mnemonic)
    if code or mnemonic not in text or errors or "<!--" in text:
        failures.append("--explain %s: exit status %d, %r" % (mnemonic, code, errors or text[:200]))
code, text, errors = tool("ptoas", "--explain", "TADD")
if not text.startswith("# TADD\n") or "\\" in text or '"' in text:
    failures.append("the page of TADD is not as it was written:\n" + text)
for name, words in (("TADDX", "did you mean 'TADD'?"), ("zzzzzz", "no instruction 'zzzzzz'\n")):
    code, text, errors = tool("ptoas", "--explain", name)
    if code != 2 or text or words not in errors:
        failures.append("--explain %s: exit status %d, %r, %r" % (name, code, text, errors))
code, _, errors = tool("ptoas", "--json", "a.pto")
if code != 2 or "--list-ops" not in errors:
    failures.append("--json without --list-ops: exit status %d, %r" % (code, errors))
for message in failures:
    print("FAIL", message)
print("%d names, %d failures" % (len(mnemonics), len(failures)))
sys.exit(1 if failures else 0)
