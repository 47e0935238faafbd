#!/usr/bin/env python3
"""Manual pages and completions of the installed programs.

    make.py PROGRAMS OUT VERSION

Options come from the tables options.def, synopsis and exit statuses from `--help` of the programs
in the folder PROGRAMS, the pages of formats from docs/*.md.
OUT gets man1, man5, bash, zsh, fish."""

import json
import os
import re
import subprocess
import sys

import roff

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ROW = re.compile(r'(SECTION|OPTION)\(((?:[^()"]|"(?:[^"\\]|\\.)*")*)\)')
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')

PROGRAMS = {    # one line of what it is, the table of its options, whom the rows are for
    "ptoas": ("assembler for tile kernels", "assembler/cli/options.def", None),
    "ptovm": ("run tile kernels on simulated ranks", "vm/cli/options.def", "CLI_PTOVM"),
    "ptodbg": ("debugger for tile kernels on simulated ranks", "vm/cli/options.def", "CLI_DEBUG"),
}
FORMATS = {     # page of section 5: one line, source
    "pto": ("language of tile kernels", "docs/language.md"),
    "ptob": ("objects of assembled tile kernels", "docs/object-format.md"),
    "pto-profile": ("machine profiles", "docs/profiles.md"),
    "pto-report": ("report of a run as JSON", "docs/schema/report.schema.json"),
}


# ---- the tables --------------------------------------------------------------------------------

def masks(path):
    """{name: set of single users} of the users of vm/cli/options.h."""
    with open(os.path.join(TOP, path)) as file:
        body = re.search(r"enum cli_user \{(.*?)\};", file.read(), re.S).group(1)
    found = {}
    for name, value in re.findall(r"(CLI_\w+) = ([^,/}]+)", body):
        words = re.findall(r"CLI_\w+", value)
        found[name] = set().union(*(found[w] for w in words)) if words else {name}
    return found


def options(path, wanted):
    """[(section, [(letter, name, argument, users, help)])] of a table, for some users or all."""
    with open(os.path.join(TOP, path)) as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    users_of = masks("vm/cli/options.h")
    sections = []
    for kind, inner in ROW.findall(text):
        words = STRING.findall(inner)
        if kind == "SECTION":
            sections.append((words[0], []))
            continue
        fields = re.match(r"\s*\w+,\s*(0|'.'),\s*\"([^\"]*)\",\s*(NULL|\"[^\"]*\"),\s*([^,]*),",
                          inner)
        letter, name, argument, users = fields.groups()
        who = set().union(*(users_of.get(u.strip(), {u.strip()}) for u in users.split("|")))
        if wanted and not who & users_of[wanted]:
            continue
        sections[-1][1].append((letter.strip("'").replace("0", ""), name,
                                "" if argument == "NULL" else argument.strip('"'), who,
                                "".join(STRING.findall(inner[fields.end():]))))
    return [(title, rows) for title, rows in sections if rows]


def help_of(folder, program):
    """(usage lines, exit statuses) that the program prints."""
    text = subprocess.run([os.path.join(folder, program), "--help"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    usage = text.split("\n\n")[0].replace("usage: ", "").splitlines()
    status = " ".join(text.split("exit status:")[1].split())
    return [line.strip() for line in usage], [s.strip() for s in status.split(";")]


def commands(folder):
    """The commands of ptovm."""
    usage, _ = help_of(folder, "ptovm")
    return [re.match(r"ptovm (?:\[options\] )?(\w+)", line).group(1) for line in usage]


# ---- manual pages ------------------------------------------------------------------------------

def argument_text(argument):
    """How an option's argument is written behind its long name."""
    if not argument:
        return ""
    return "[=%s]" % argument[1:-1] if argument.startswith("[") else " " + argument


def program_page(folder, program, date, version):
    what, table, users = PROGRAMS[program]
    usage, statuses = help_of(folder, program)
    page = roff.Page(program, 1, what, date, version)
    page.section("SYNOPSIS")
    page.verbatim([re.sub(r"(\s{2,}|(?<=\.\.\.) ).*", "", line) for line in usage])
    page.section("DESCRIPTION")
    page.text("The program is described at length in %s.md of the documents." %
              {"ptoas": "language", "ptovm": "ptovm", "ptodbg": "debugger"}[program])
    page.section("OPTIONS")
    for title, rows in options(table, users):
        page.subsection(title)
        for letter, name, argument, _, text in rows:
            page.item("%s--%s%s" % ("-%s, " % letter if letter else "", name,
                                    argument_text(argument)), text)
    page.section("EXIT STATUS")
    for status in statuses:
        code, _, meaning = status.partition(" ")
        page.item(code, meaning)
    page.section("SEE ALSO")
    others = ["%s(1)" % p for p in sorted(PROGRAMS) if p != program]
    page.text(", ".join(others + ["%s(5)" % f for f in sorted(FORMATS)]))
    return page.done()


def kind_of(schema):
    """A type in words: "integer", "one of a, b", "array of integer"."""
    if "enum" in schema:
        return "one of " + ", ".join("`%s`" % json.dumps(v).strip('"') for v in schema["enum"])
    kind = schema.get("type", "object")
    if kind == "array" and "items" in schema:
        return "array of " + kind_of(schema["items"])
    return kind if isinstance(kind, str) else " or ".join(kind)


def keys_of(schema, whole, before=""):
    """(path, type, always there?) of all keys, those of arrays behind "[]"."""
    while "$ref" in schema:
        schema = whole["definitions"][schema["$ref"].rpartition("/")[2]]
    if schema.get("type") == "array":
        yield from keys_of(schema.get("items", {}), whole, before + "[]")
    for key, value in schema.get("properties", {}).items():
        path = before + ("." if before else "") + key
        yield path, kind_of(value), key in schema.get("required", [])
        yield from keys_of(value, whole, path)


def schema_text(schema):
    rows = ["| `%s` | %s | %s |" % (path, kind, "always" if always else "if there is any")
            for path, kind, always in keys_of(schema, schema)]
    return "\n".join(["# The report", "", schema["title"] + ". Keys of objects in arrays stand "
                      "behind `[]`. Times end in `_ps` and are picoseconds.", "", "## Keys", "",
                      "| key | type | there |", "|---|---|---|", *rows, ""])


def format_page(name, date, version):
    what, path = FORMATS[name]
    page = roff.Page(name, 5, what, date, version)
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        text = file.read()
    roff.from_markdown(schema_text(json.loads(text)) if path.endswith(".json") else text, page)
    page.section("SEE ALSO")
    page.text(", ".join("%s(1)" % p for p in sorted(PROGRAMS)))
    return page.done()


# ---- completions -------------------------------------------------------------------------------

def values(argument):
    """The words that an argument is one of; [] if it is anything else."""
    words = argument.strip("[]").split("|")
    return words if len(words) > 1 and all(w.islower() for w in words) else []


def all_rows(program):
    _, table, users = PROGRAMS[program]
    return [row for _, rows in options(table, users) for row in rows]


def bash(program, words):
    rows = all_rows(program)
    names = " ".join("--" + name for _, name, _, _, _ in rows)
    cases = "".join("    --%s) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n"
                    % (name, " ".join(values(argument)))
                    for _, name, argument, _, _ in rows if values(argument))
    return ("_%(p)s()\n{\n"
            "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
            "    case $before in\n%(cases)s    esac\n"
            "    if [[ $word == -* ]]; then\n"
            "        COMPREPLY=($(compgen -W '%(names)s' -- \"$word\"))\n"
            "    else\n"
            "        COMPREPLY=($(compgen -f -W '%(words)s' -- \"$word\"))\n"
            "    fi\n}\ncomplete -o filenames -F _%(p)s %(p)s\n"
            % {"p": program, "cases": cases, "names": names, "words": " ".join(words)})


def quoted(text):
    return text.replace("'", "'\\''")


def zsh(program, words):
    lines = ["#compdef " + program, "", "_arguments -s \\"]
    for letter, name, argument, _, text in all_rows(program):
        text = text.replace("[", "(").replace("]", ")").replace(":", " ")
        choice = "(%s)" % " ".join(values(argument)) if values(argument) else "_files"
        tail = ":%s:%s" % (argument.strip("[]").split("|")[0].replace(":", " ")
                           .replace("[", "(").replace("]", ")"), choice) if argument else ""
        optional = argument.startswith("[")
        equals = "=-" if optional else "=" if argument else ""
        lines.append("    '*--%s%s[%s]%s' \\" % (name, equals, quoted(text),
                                               ":" + tail if optional else tail))
        if letter:
            lines.append("    '*-%s%s[%s]%s' \\" % (letter, "+" if argument else "", quoted(text),
                                                    tail))
    if words:
        lines.append("    '1:command:(%s)' \\" % " ".join(words))
    lines.append("    '*:file:_files'")
    return "\n".join(lines) + "\n"


def fish(program, words):
    lines = []
    if words:
        lines.append("complete -c %s -n '__fish_use_subcommand' -a '%s'" % (program,
                                                                            " ".join(words)))
    for letter, name, argument, _, text in all_rows(program):
        line = "complete -c %s -l %s" % (program, name)
        line += " -s %s" % letter if letter else ""
        if argument and not argument.startswith("["):
            line += " -r"
        if values(argument):
            line += " -f -a '%s'" % " ".join(values(argument))
        lines.append(line + " -d '%s'" % text.replace("\\", "\\\\").replace("'", "\\'"))
    return "\n".join(lines) + "\n"


# ---- all of it ---------------------------------------------------------------------------------

def changed_at():
    """The date of the newest version in CHANGELOG.md."""
    with open(os.path.join(TOP, "CHANGELOG.md")) as file:
        return re.search(r"^## \S+ - (\d{4}-\d\d-\d\d)$", file.read(), re.M).group(1)


def write(out, folder, name, text):
    os.makedirs(os.path.join(out, folder), exist_ok=True)
    with open(os.path.join(out, folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def main(folder, out, version):
    date = changed_at()
    for program in PROGRAMS:
        words = commands(folder) if program == "ptovm" else []
        write(out, "man1", program + ".1", program_page(folder, program, date, version))
        write(out, "bash", program, bash(program, words))
        write(out, "zsh", "_" + program, zsh(program, words))
        write(out, "fish", program + ".fish", fish(program, words))
    for name in FORMATS:
        write(out, "man5", name + ".5", format_page(name, date, version))


if __name__ == "__main__":
    main(*sys.argv[1:])
