"""Manual pages in the macros of man(7), and what of Markdown the documents use."""

import re
import textwrap

WIDTH = 76      # of a line of input; what is verbatim keeps its own
SPECIAL = {"–": r"\(en", "—": r"\(em", "…": "...", "×": r"\(mu", "→": r"\(->", "≤": r"\(<=",
           "≥": r"\(>=", "±": r"\(+-", "·": r"\(pc", "°": r"\(de", "ⁿ": "^n", "²": "^2", "³": "^3"}


def escaped(text):
    """Text that means itself."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga")
    text = text.replace("^", r"\(ha").replace("~", r"\(ti").replace('"', r"\(dq")
    text = "".join(SPECIAL.get(c, c if ord(c) < 128 else r"\[u%04X]" % ord(c)) for c in text)
    return r"\&" + text if text.startswith(".") else text


def inline(text):
    """A paragraph of Markdown: code and strong words bold, links their words."""
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    parts = re.split(r"(`[^`]+`|\*\*[^*]+\*\*|\*[^* ][^*]*\*)", text)
    for i, part in enumerate(parts):
        if part.startswith("**") and len(part) > 4:
            parts[i] = r"\fB%s\fP" % escaped(part[2:-2])
        elif part.startswith("`") and len(part) > 2:
            parts[i] = r"\fB%s\fP" % escaped(part[1:-1])
        elif part.startswith("*") and len(part) > 2:
            parts[i] = r"\fI%s\fP" % escaped(part[1:-1])
        else:
            parts[i] = escaped(part)
    return "".join(parts)


class Page:
    def __init__(self, name, section, what, date, version):
        self.lines = ['.TH "%s" "%d" "%s" "pto %s" "PTO virtual machine"'
                      % (name.upper(), section, date, version)]
        self.section("NAME")
        self.lines.append(r"%s \- %s" % (escaped(name), what))

    def section(self, title):
        self.lines.append('.SH "%s"' % escaped(title))

    def subsection(self, title):
        self.lines.append('.SS "%s"' % escaped(title))

    def filled(self, text):
        """Lines of running text; none may begin like a request."""
        for line in textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False):
            self.lines.append(r"\&" + line if line[0] in ".'" else line)

    def paragraph(self):
        if not self.lines[-1].startswith((".SH", ".SS")):
            self.lines.append(".PP")

    def text(self, text):
        self.paragraph()
        self.filled(inline(text))

    def item(self, tag, text):
        self.lines += [".TP", r"\fB%s\fP" % escaped(tag)]
        self.filled(inline(text))

    def verbatim(self, lines):
        self.paragraph()
        self.lines += [".nf"] + [escaped(line) or r"\&" for line in lines] + [".fi"]

    def done(self):
        return "\n".join(self.lines) + "\n"


def table(rows, page):
    """A row of a table as the tag of its first cell and the others behind it."""
    cells = [[c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", row.strip("|"))]
             for row in rows]
    for row in cells[2:]:
        page.lines += [".TP", inline(row[0]) or r"\&"]
        rest = [("%s: " % head if head and len(row) > 2 else "") + cell
                for head, cell in zip(cells[0][1:], row[1:]) if cell]
        page.filled(inline("; ".join(rest)) or r"\&")


def from_markdown(text, page):
    """Add a document to a page; its title is left out."""
    lines = text.split("\n")
    while lines:
        line = lines.pop(0)
        if line.startswith("```") or line.startswith("    "):
            fenced, block = line.startswith("```"), [] if line.startswith("```") else [line[4:]]
            while lines and (not lines[0].startswith("```") if fenced
                             else lines[0].startswith("    ")):
                block.append(lines.pop(0)[0 if fenced else 4:])
            if fenced and lines:
                lines.pop(0)
            page.verbatim(block)
        elif line.startswith("# "):
            page.section("DESCRIPTION")
        elif line.startswith("## "):
            page.section(line[3:].replace("`", ""))
        elif line.startswith("### "):
            page.subsection(line[4:].replace("`", ""))
        elif line.startswith("|"):
            block = [line]
            while lines and lines[0].startswith("|"):
                block.append(lines.pop(0))
            table(block, page)
        elif line.strip():
            tag = re.match(r"(-|\d+\.) +", line)
            block = [line[tag.end():] if tag else line]
            while lines and lines[0].strip() and not re.match(r"(- |\d+\. |\||#|```)", lines[0]):
                block.append(lines.pop(0).strip())
            if tag:
                bullet = r".IP \(bu 2" if tag.group(1) == "-" else ".IP %s 4" % tag.group(1)
                page.lines.append(bullet)
                page.filled(inline(" ".join(block)))
            else:
                page.text(" ".join(block))
