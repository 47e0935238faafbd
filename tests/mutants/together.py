"""Many faults in one source, each of which sleeps until its number is called (planted.c).

What a fault is in - an expression, or a statement that is one - is written once for each fault and
once without: `a < b` becomes `(pto_planted(7) ? (a <= b) : (a < b))`.  A fault that stands where
there is no such choice (a declaration, a label, a table) has none."""
import bisect
import os
import re

import plant

HEADER = '#include "%s"\n' % os.path.join(os.path.dirname(os.path.abspath(__file__)), "planted.h")
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\w+|::|[^\s\w]')
OPEN, CLOSE = "([{", ")]}"
# What a declaration begins with, or two words, or a word, stars and a name that is given a value.
DECLARATION = re.compile(
    r"(?:const|static|struct|enum|union|unsigned|signed|register|_Thread_local|typedef)\b"
    r"|(?!return|goto|else|case|sizeof)[A-Za-z_]\w*\s+[A-Za-z_]\w*\s*[=;,\[(]"
    r"|[A-Za-z_]\w*\s*\*+\s*(?:const\s+)?[A-Za-z_]\w*\s*[=;,\[]")


class Regions:
    """The expressions and statements of a text that can be written twice: [(start, end, whole)],
    in order and apart; whole: a jump, which is no expression."""

    def __init__(self, text):
        self.text = hidden(text)
        self.tokens = [(m.start(), m[0]) for m in TOKEN.finditer(self.text)]
        self.starts = [at for at, _ in self.tokens]
        self.found = []
        self.functions = []
        at = 0
        for match in re.finditer(r"^\{$", self.text, re.M):
            if match.start() >= at:
                self.functions.append(match.end())
                at = self.offset(self.block(bisect.bisect_left(self.starts, match.start())))
        self.found.sort()

    def offset(self, i):
        return self.starts[i] if i < len(self.starts) else len(self.text)

    def token(self, i):
        return self.tokens[i][1] if i < len(self.tokens) else ""

    def matching(self, i):
        """The bracket that closes the one at i."""
        depth = 0
        while i < len(self.tokens):
            depth += (self.token(i) in OPEN) - (self.token(i) in CLOSE)
            if depth == 0:
                return i
            i += 1
        return i

    def until(self, i, ends):
        """The first of some tokens at or after i that is in no bracket opened since."""
        while i < len(self.tokens) and self.token(i) not in ends:
            i = self.matching(i) + 1 if self.token(i) in OPEN else i + 1
        return i

    def keep(self, first, end, whole=False):
        if first < end:
            self.found.append((self.offset(first), self.offset(end), whole))

    def block(self, i):
        end = self.matching(i)
        i += 1
        while i < end:
            i = self.statement(i)
        return end + 1

    def statement(self, i):
        word = self.token(i)
        if word == "{":
            return self.block(i)
        if word in ("if", "while", "switch"):
            return self.headed(i)
        if word == "for":
            return self.loop(i)
        if word in ("else", "do"):
            return i + 1
        if word in ("case", "default") or self.token(i + 1) == ":":
            return self.until(i, (":",)) + 1
        end = self.until(i, (";", "}"))
        if word == "return":
            self.keep(i + 1, end)
        elif word in ("break", "continue", "goto"):
            self.keep(i, end, True)
        else:
            self.plain(i, end)
        return end + 1

    def plain(self, i, end):
        """A declaration or an expression, which ends before the token `end`."""
        if DECLARATION.match(self.text, self.offset(i)):
            self.declaration(i, end)
        else:
            self.keep(i, end)

    def headed(self, i):
        end = self.matching(i + 1)
        self.keep(i + 2, end)
        return end + 1

    def loop(self, i):
        end = self.matching(i + 1)
        first = self.until(i + 2, (";",))
        second = self.until(first + 1, (";",))
        self.plain(i + 2, first)
        self.keep(first + 1, second)
        self.keep(second + 1, end)
        return end + 1

    def declaration(self, i, end):
        while i < end:
            stop = self.until(i, (",", ";", "}"))
            value = self.until(i, ("=", ",", ";", "}"))
            if self.token(value) == "=":
                self.value(value + 1, stop)
            i = stop + 1

    def value(self, i, end):
        """What a name or an element is given: an expression, or a list in braces."""
        if self.token(i) != "{":
            self.keep(i, end)
            return
        i, end = i + 1, self.matching(i)
        while i < end:
            stop = min(self.until(i, (",",)), end)
            if self.token(i) in ".[":
                i = self.until(i, ("=", ",")) + 1
            self.value(i, stop)
            i = stop + 1

    def around(self, fault, at):
        """The region that a fault at an offset lies in, or None."""
        i = bisect.bisect_right(self.found, (at, len(self.text) + 1, True)) - 1
        if i < 0:
            return None
        start, end, whole = self.found[i]
        statement = fault.kind == "statement"
        if not start <= at < at + len(fault.before) <= end:
            return None
        return None if statement and (start, end) != (at, at + len(fault.before)) else self.found[i]


def hidden(text):
    """The text without comments and preprocessor lines, everything where it was."""
    text = plant.uncommented(text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", plant.blank, text, flags=re.M)


def planted(text, faults, probes=()):
    """The text of a file with sleeping faults ([(number, fault)]).  `probes`: faults of which only
    is noted that their function began.  Returns the text and the numbers of what has no region."""
    regions, lines, without = Regions(text), offsets(text), []
    variants, begun = {}, {}
    for number, fault in faults:
        at = lines[fault.line - 1] + fault.at
        region = regions.around(fault, at)
        if region:
            variants.setdefault(region, []).append((number, fault, at))
        else:
            without.append(number)
    for number, fault in probes:
        body = [at for at in regions.functions if at <= lines[fault.line - 1]]
        if body:
            begun.setdefault(body[-1], []).append("(void)pto_planted(%d);" % number)
    edits = [(*region[:2], choice(text, region, faults)) for region, faults in variants.items()]
    edits += [(at, at, " ".join(calls)) for at, calls in begun.items()]
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return HEADER + text, without


def choice(text, region, faults):
    start, end, whole = region
    new = text[start:end]
    if whole:
        for number, _, _ in faults:
            new = "if (!pto_planted(%d)) %s" % (number, new)
        return new
    value = not any(fault.kind == "statement" for _, fault, _ in faults)
    new = "(%s)" % new
    void = "" if value else "(void)"
    for number, fault, at in faults:
        faulty = text[start:at] + fault.after + text[at + len(fault.before):end]
        new = "(pto_planted(%d) ? %s(%s) : %s%s)" % (number, void, faulty.strip() or "0", void, new)
    return new


def offsets(text):
    """Where each line begins."""
    found = [0]
    for line in text.split("\n"):
        found.append(found[-1] + len(line) + 1)
    return found
