"""ptoas --explain: a page for every instruction, help for names that are none."""

import sys

import table
from table import ptoas

failures = []
mnemonics = list(dict.fromkeys(r["mnemonic"] for r in table.rows()))
for mnemonic in mnemonics:
    done = ptoas("--explain", mnemonic)
    if done.code or mnemonic not in done.out or done.err or "<!--" in done.out:
        failures.append("--explain %s: exit status %d, %r" % (mnemonic, done.code,
                                                              done.err or done.out[:200]))
text = ptoas("--explain", "TADD").out
if not text.startswith("# TADD\n") or "\\" in text or '"' in text:
    failures.append("the page of TADD is not as it was written:\n" + text)
for name, words in (("TADDX", "did you mean 'TADD'?"), ("zzzzzz", "no instruction 'zzzzzz'")):
    done = ptoas("--explain", name)
    if done.code != 2 or done.out or words not in done.err:
        failures.append("--explain %s: exit status %d, %r, %r" % (name, done.code, done.out,
                                                                  done.err))
done = ptoas("--json", "a.pto")
if done.code != 2 or "--list-ops" not in done.err:
    failures.append("--json without --list-ops: exit status %d, %r" % (done.code, done.err))
for message in failures:
    print("FAIL", message)
print("%d names, %d failures" % (len(mnemonics), len(failures)))
sys.exit(1 if failures else 0)
