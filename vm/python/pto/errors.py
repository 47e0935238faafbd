"""What can go wrong, with what the library has to say about it."""

from typing import NamedTuple, Optional


class Message(NamedTuple):
    """One diagnostic: where, what, and what to do about it."""
    severity: str               # "error", "warning", "note", "fault", "deadlock", "limit"
    file: Optional[str]
    line: int                   # from 1; 0: unknown
    column: int
    text: str
    hint: Optional[str]

    def __str__(self):
        place = "%s:%d:%d: " % (self.file, self.line, self.column) if self.file else ""
        hint = "\n  hint: %s" % self.hint if self.hint else ""
        return "%s%s: %s%s" % (place, self.severity, self.text, hint)


class PtoError(Exception):
    """A job that did not end well.

    messages: the diagnostics, as Message; report: the whole report as a dict (schema pto-report/1);
    findings: what the checker had found by then.
    str() is the text that ptovm prints, with source lines and carets."""

    def __init__(self, explanation, messages=(), report=None, findings=()):
        super().__init__(explanation.rstrip("\n"))
        self.messages = list(messages)
        self.report = report or {}
        self.findings = findings


class ProgramError(PtoError):
    """The kernel is wrong: it does not assemble, or the run faulted."""


class UsageError(PtoError):
    """Options, names, types or shapes are wrong."""


class DeadlockError(PtoError):
    """Nothing can go on and somebody has not ended."""


class LimitError(PtoError):
    """A limit on simulated time, instructions or memory was reached."""


class FindingsError(PtoError, AssertionError):
    """The checker found something: see `findings`."""

    def __init__(self, findings):
        super().__init__(str(findings), findings=findings)


BY_RESULT = {1: ProgramError, 2: UsageError, 3: DeadlockError, 5: LimitError, 71: LimitError}
