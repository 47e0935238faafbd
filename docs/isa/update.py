"""Refresh what is generated in the manual: the table of every page, the index of README.md.

    python3 docs/isa/update.py [--check]

The programs are looked for in PTO_BIN or build/bin.  A page is written by hand except for what
stands between its <!-- table --> markers; a page without markers gets them below its title.
--check changes nothing and fails if something is stale or an instruction has no page."""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "isa"))
import table  # noqa: E402

KINDS = {"int": "integer", "float": "float", "number": "integer or float",
         "int register": "integer register", "float register": "float register",
         "register": "register", "gm": "window of global memory", "memory": "element in memory",
         "ring": "ring"}


def profile_costs(name):
    """{class: text} of a built-in profile, its base included."""
    costs = {}
    with open(os.path.join(ROOT, "isa", "profiles", name + ".profile")) as file:
        for line in file:
            key, _, value = [part.strip() for part in line.split("#")[0].partition("=")]
            if key == "base":
                costs = profile_costs(value)
            if key.startswith("cost."):
                costs[key[5:]] = value
    return costs


def cost_classes():
    """{class: (the one that it costs like where a profile does not name it, meaning)}."""
    with open(os.path.join(ROOT, "isa", "cost.def")) as file:
        rows = re.findall(r'^COST(?:_LIKE)?\(\w+, "(\w+)", "\w+", (?:(\w+), )?"(.*)"\)',
                          file.read(), re.MULTILINE)
    return {name: (like.lower(), meaning) for name, like, meaning in rows}


def syntax(row):
    words = []
    destination = [o for o in row["operands"] if "register" in o["kind"] and o["write"]]
    for operand in row["operands"]:
        if operand in destination:
            continue
        text = operand["name"]
        if operand["kind"] == "keyword":
            text = "|".join(operand["keywords"])
        text = "[%s]" % text if operand["optional"] else text
        words.append((" -> " if operand["arrow"] else ", " if words else "") + text)
    prefix = "".join("%%%s = " % o["name"] for o in destination)
    return "%s%s %s" % (prefix, row["mnemonic"], "".join(words))


def access(operand):
    if operand["scratch"]:
        return "scratch"
    return " and ".join(word for word in ("read", "write") if operand[word])


def operand_line(operand):
    if operand["kind"] == "keyword":
        what = " ".join("`%s`" % k for k in operand["keywords"])
        if "preset" in operand:
            what += "; left out: `%s`" % operand["preset"]
        return "| `%s` | keyword: %s | |" % (operand["name"], what)
    what = KINDS.get(operand["kind"], operand["kind"])
    if operand["kind"] == "tile":
        what = "tile in " + " ".join(operand["spaces"])
    if operand["optional"]:
        what += ", may be left out"
    return "| `%s` | %s | %s |" % (operand["name"], what, access(operand))


def type_lines(row):
    if not table.typed_operands(row):
        return []
    lines = ["Types: %s." % ("`%s`" % row["types"] if row["types"] else "any"
                             if not row["types_a5"] else "none below level a5")]
    words = row["types_a5"].split()
    more = " ".join(w for w in words if w[0] != "-")
    lacking = " ".join(w[1:] for w in words if w[0] == "-")
    if more:
        lines[0] = lines[0][:-1] + "; level a5 also `%s`." % more
    if lacking:
        lines[0] = lines[0][:-1] + ", but not `%s`." % lacking
    if "," in row["types"] + row["types_a5"]:
        names = ",".join(o["name"] for o in table.typed_operands(row))
        lines[0] += " Several types stand for the operands `%s`." % names
    return lines


def cost_line(row):
    pipes = {"by path": "that of the path between the spaces ([profiles](../profiles.md))",
             "MTE2,MTE3": "MTE2, then MTE3, issued by S", "sync": "S",
             "DMA": "none; the DMA engine, to which S hands it over"}
    text = "Pipe: %s." % pipes.get(row["pipe"], row["pipe"])
    if row["cost"] == "move":
        return text + " Cost: latency and bytes of the path."
    if row["cost"] == "none":
        return text
    like, meaning = cost_classes()[row["cost"]]
    a2, a5 = [costs.get(row["cost"], costs.get(like, "none"))
              for costs in (profile_costs("a2"), profile_costs("a5"))]
    return text + " Cost class `%s` (%s): a2 %s; a5 %s." % (row["cost"], meaning, a2, a5)


def block(rows):
    """The generated part of a page."""
    lines = []
    for row in rows:
        lines += ["`%s`" % syntax(row).rstrip(), "", "%s." % row["meaning"].rstrip("."), ""]
        if row["operands"]:
            lines += ["| operand | what | access |", "|---|---|---|"]
            lines += [operand_line(o) for o in row["operands"]] + [""]
        lines += type_lines(row) + [cost_line(row), ""]
    return "\n".join(lines)


def with_block(page, name, text, first_line):
    """The page with this text between the markers <!-- name --> and <!-- /name -->."""
    begin, end = "<!-- %s -->" % name, "<!-- /%s -->" % name
    if begin not in page:
        title, _, rest = page.partition("\n")
        if not title.startswith(first_line):
            raise SystemExit("a page begins with '%s', not with '%s'" % (first_line, title))
        page = "%s\n\n%s\n%s\n%s" % (title, begin, end, rest)
    head, _, rest = page.partition(begin)
    _, _, tail = rest.partition(end)
    return "%s%s\n%s%s%s" % (head, begin, text, end, tail)


def families():
    """[(title, mnemonics)] by file of isa/rows, in the order of ops.def; one mnemonic per row."""
    result, documented = [], {r["mnemonic"] for r in table.rows() if table.has_page(r)}
    with open(os.path.join(ROOT, "isa", "ops.def")) as file:
        names = re.findall(r'#include "(rows/\w+\.def)"', file.read())
    for name in names:
        with open(os.path.join(ROOT, "isa", name)) as file:
            text = file.read()
        title = re.search(r"/\*\s*(.*?)\.?\s*(\*/|\n)", text).group(1)
        mnemonics = re.findall(r'_OP\(\s*\w+,\s*(?:\d+,\s*)?"(\w+)"', text)
        result.append((title, [m for m in mnemonics if m in documented]))
    return [family for family in result if family[1]]


def index():
    rows, lines = {}, []
    for row in table.rows():
        rows.setdefault(row["mnemonic"], []).append(row)
    for title, mnemonics in families():
        lines += ["**%s**" % title, "", "| instruction | meaning | pipe |", "|---|---|---|"]
        for mnemonic in mnemonics:
            if rows.get(mnemonic):  # else the sources are newer than the program
                row = rows[mnemonic].pop(0)
                lines.append("| [%s](%s.md) | %s | %s |" % (
                    mnemonic, mnemonic, row["meaning"].replace("|", "\\|"), row["pipe"]))
        lines.append("")
    return "\n".join(lines)


def refresh(path, name, text, first_line, check):
    """True if the file was as it should be."""
    with open(path) as file:
        old = file.read()
    new = with_block(old, name, text, first_line)
    if new != old and not check:
        with open(path, "w") as file:
            file.write(new)
    return new == old


def main(arguments):
    check = arguments == ["--check"]
    if arguments and not check:
        raise SystemExit(__doc__)
    stale, missing = [], []
    mnemonics = dict.fromkeys(r["mnemonic"] for r in table.rows() if table.has_page(r))
    for mnemonic in mnemonics:
        path = os.path.join(HERE, mnemonic + ".md")
        if not os.path.exists(path):
            missing.append(mnemonic)
        elif not refresh(path, "table", block(table.rows_of(mnemonic)), "# " + mnemonic, check):
            stale.append(mnemonic)
    if not refresh(os.path.join(HERE, "README.md"), "index", index(), "# ", check):
        stale.append("README")
    print("%d pages: %s %d, missing %d" % (len(mnemonics), "stale" if check else "refreshed",
                                          len(stale), len(missing)))
    for what, names in (("stale: run docs/isa/update.py", stale if check else []),
                        ("no page", missing)):
        if names:
            print("%s: %s" % (what, " ".join(names)))
    return 1 if check and (stale or missing) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
