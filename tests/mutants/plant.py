"""Where faults can be planted in a C source, and what they are: one operator, constant or
statement at a time.  Preprocessor lines, asserts and everything outside of functions stay."""
import collections
import os
import re

FOLDERS = ("isa", "assembler", "vm")

# `before` at columns [at, at + len(before)) of a line becomes `after`.
Fault = collections.namedtuple("Fault", "file line at before after kind")

OPERATORS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
    "^": "|", "+=": "-=", "-=": "+=", "*=": "+=", "|=": "&=", "&=": "|=", "++": "--", "--": "++"}
# A sign, an address and a pointer are spelt like these, but without spaces around them.
SPACED = set("+-*&<>")

TOKEN = re.compile(r"""
    (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>\b(?:0[xX][0-9a-fA-F]+|\d+)(?P<suffix>[uUlL]*)\b(?!\.))
  | (?P<word>[A-Za-z_]\w*)
  | (?P<operator><<=|>>=|->|\+\+|--|[-+*/%&|^]=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^<>!])
""", re.X)
COMMENT = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|/\*.*?\*/|//[^\n]*""", re.S)
LEFT = r"\*?\w+(?:(?:->|\.)\w+|\[[^\]]*\])*"
ASSIGNMENT = LEFT + r" (?:[-+*/%|&^]|<<|>>)?= .*"
CALL = r"(?!return|if|for|while|switch|do|else|sizeof)\w+\(.*\)"
STATEMENT = re.compile(r"^\s+(?P<whole>%s|%s|%s(?:\+\+|--)|break|continue);$"
                       % (ASSIGNMENT, CALL, LEFT))


def sources(root):
    """The files that faults are planted in, relative to `root`."""
    found = []
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(root, folder)):
            found += [os.path.relpath(os.path.join(path, name), root)
                      for name in names if name.endswith(".c")]
    return sorted(found)


def faults(root, file):
    """All faults of a file, in the order of its text."""
    with open(os.path.join(root, file)) as source:
        lines = uncommented(source.read()).split("\n")
    for number in code_lines(lines):
        yield from of_line(file, number, lines[number - 1])


def uncommented(text):
    """The text with spaces in place of comments."""
    return COMMENT.sub(lambda match: match[1] or blank(match), text)


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def code_lines(lines):
    """Numbers of the lines inside of functions that faults may be planted in."""
    inside = asserting = False
    for number, line in enumerate(lines, 1):
        if line == "{" or line == "}":
            inside = line == "{"
            continue
        asserting = asserting or bool(re.search(r"\b(?:static_)?assert\(", line))
        if inside and not asserting and not line.startswith("#") and not line.endswith("\\"):
            yield number
        asserting = asserting and not line.endswith(";")


def of_line(file, number, line):
    whole = STATEMENT.match(line)
    if whole:
        yield Fault(file, number, whole.start("whole"), whole["whole"], "", "statement")
    for token in TOKEN.finditer(line):
        after = changed(line, token)
        if after is not None:
            kind = "operator" if token["operator"] else "constant"
            yield Fault(file, number, token.start(), token[0], after, kind)


def changed(line, token):
    """What stands for a token in the faulty line, or None."""
    if token["number"]:
        digits = token[0][:len(token[0]) - len(token["suffix"])]
        value = int(digits, 8 if re.match("0[0-7]", digits) else 0)
        return str(0 if value == 1 else value + 1) + token["suffix"]
    if token["word"]:
        return {"true": "false", "false": "true"}.get(token[0])
    if not token["operator"]:
        return None
    if token[0] == "!":
        return ""
    spaced = line[:token.start()].endswith(" ") and line[token.end():token.end() + 1] in (" ", "")
    if token[0] in SPACED and (not spaced or not line[:token.start()].strip()):
        return None
    return OPERATORS.get(token[0])


def planted(text, fault):
    """The text of the file with the fault in it."""
    lines = text.split("\n")
    line = lines[fault.line - 1]
    assert line[fault.at:].startswith(fault.before), (fault, line)
    lines[fault.line - 1] = line[:fault.at] + fault.after + line[fault.at + len(fault.before):]
    return "\n".join(lines)
