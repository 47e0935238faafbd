"""What the checker found."""

import html
from typing import NamedTuple, Optional

from ._library import text


class Party(NamedTuple):
    """One of the two instructions of a finding."""
    mnemonic: str
    file: Optional[str]
    line: int
    column: int
    rank: int
    core: Optional[str]
    pipe: Optional[str]
    time_ps: int

    def __str__(self):
        return "%s:%d %s on rank %d, %s, pipe %s" % (self.file, self.line, self.mnemonic, self.rank,
                                                     self.core, self.pipe)


class Finding(NamedTuple):
    kind: str                   # "race-raw", "uninitialised-read", ...
    text: str
    advice: Optional[str]
    where: Optional[str]        # the space: "ub"
    offset: int                 # of the first occurrence, bytes
    bytes: int
    count: int                  # occurrences
    earlier: Optional[Party]
    later: Optional[Party]

    def __repr__(self):
        return "<%s at %s:%s: %s>" % (self.kind, self.later and self.later.file,
                                      self.later and self.later.line, self.text)


def _party(party):
    if party.mnemonic is None:
        return None
    return Party(text(party.mnemonic), text(party.file), party.line, party.column, party.rank,
                 text(party.core), text(party.pipe), party.time_ps)


class Findings(list):
    """Findings in the order that ptovm shows them; str() is its text.  Empty: the run is clean."""

    def __init__(self, found, explanation):
        super().__init__(Finding(text(f.kind), text(f.text), text(f.advice), text(f.where),
                                 f.offset, f.bytes, f.count, _party(f.earlier), _party(f.later))
                         for f in found)
        self.explanation = explanation

    def __str__(self):
        return self.explanation if self else "no findings"

    def _repr_html_(self):
        if not self:
            return "<p>no findings</p>"
        rows = "".join(
            "<tr>%s</tr>" % "".join("<td style='text-align:left'>%s</td>" % html.escape(str(cell))
                                    for cell in (f.kind, f.text, f.earlier or "", f.later or "",
                                                 f.advice or "", f.count))
            for f in self)
        head = "".join("<th>%s</th>" % h
                       for h in ("kind", "finding", "earlier", "later", "advice", "times"))
        return "<table><tr>%s</tr>%s</table>" % (head, rows)
