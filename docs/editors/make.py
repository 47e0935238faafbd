#!/usr/bin/env python3
"""What editors know of the language, from the tables of the assembler.

    make.py PTOAS OUT VERSION

Instructions are those of `PTOAS --list-ops --json`, the rest comes from the tables of the sources.
OUT gets `vscode`, an extension ready to be packed, and `vim`, a folder for its runtime path."""

import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")


# ---- the tables --------------------------------------------------------------------------------

def found(path, pattern):
    """What a pattern finds in a file of the sources, each once, in order."""
    with open(os.path.join(TOP, path)) as file:
        return list(dict.fromkeys(re.findall(pattern, file.read())))


def words():
    """{kind of word: words}"""
    reader = "assembler/text/reader.c"
    with open(os.path.join(TOP, reader)) as file:
        table = re.search(r"\} directives\[\] = \{(.*?)\n\};", file.read(), re.S).group(1)
    entries = re.findall(r'\{"(\w+)", (TK_\w+)', table)
    return {
        "directive": [name for name, kind in entries if kind.startswith("TK_D_")],
        "keyword": list(dict.fromkeys(n for n, kind in entries if not kind.startswith("TK_D_"))) +
        ["optional", "uniform", "flat", "c2v", "v2c", "rows", "cols", "none"],
        "type": found("isa/dtype.def", r'DTYPE\(\w+, \d+, "(\w+)"') + ["f64"],
        "memory": found("isa/space.def", r'"(\w+)"') + found("isa/layout.def", r'"(\w+)"'),
        "constant": found("isa/enums.def", r'ENUM_VALUE\(\w+, \w+, "(\w+)"') +
        found("isa/round.def", r'ROUND\(\w+, \d+, "(\w+)"'),
        "function": found("isa/sys.def", r'SYS\(\w+, \d+, "(\w+)"') +
        ["min", "max", "abs", "cdiv", "mod", "sqrt", "float", "int", "f64_bits", "f32_bits",
         "bits_f64", "bits_f32", "f16_bits", "bits_f16", "bf16_bits", "bits_bf16", "fmatrix",
         "present", "clock", "sizeof"],
    }


def instructions(ptoas):
    """Rows of the instruction table, the first of each mnemonic."""
    done = subprocess.run([ptoas, "--list-ops", "--json"], stdout=subprocess.PIPE, check=True)
    rows = {}
    for row in json.loads(done.stdout):
        rows.setdefault(row["mnemonic"], row)
    return rows


# ---- TextMate ----------------------------------------------------------------------------------

def any_of(names):
    return "(?:" + "|".join(sorted(names, key=lambda name: (-len(name), name))) + ")"


def grammar(table, rows):
    def rule(name, pattern):
        return {"name": name + ".pto", "match": pattern}
    string = {"name": "string.quoted.double.pto", "begin": '"', "end": '"|$', "patterns": [
        rule("constant.character.escape", r"\\(?:[nrt\"\\]|x[0-9a-fA-F]{2})")]}
    return {
        "name": "PTO", "scopeName": "source.pto", "fileTypes": ["pto"], "patterns": [
            rule("comment.line.semicolon", ";.*$"), string,
            {"match": r"(\.macro|\.kernel)\s+(\w+)", "captures": {
                "1": {"name": "keyword.control.directive.pto"},
                "2": {"name": "entity.name.function.pto"}}},
            rule("entity.name.label", r"^\s*[A-Za-z_]\w*(?=:)"),
            rule("keyword.control.directive", r"\." + any_of(table["directive"]) + r"\b"),
            rule("variable.other.register", r"%[A-Za-z_]\w*(?:\.[0-9]+)?"),
            rule("support.function.builtin", r"\b" + any_of(table["function"]) + r"(?=\()"),
            rule("keyword.operator.instruction", r"\b" + any_of(rows) + r"\b"),
            rule("storage.type", r"\b" + any_of(table["type"]) + r"\b"),
            rule("storage.modifier", r"\b" + any_of(table["memory"]) + r"\b"),
            rule("keyword.other", r"\b" + any_of(table["keyword"]) + r"\b"),
            rule("constant.language", r"\b" + any_of(table["constant"]) + r"\b"),
            rule("constant.numeric", r"\b(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|"
                 r"[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+|[KMG])?)\b"),
            rule("keyword.operator", r"->|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/&|^~!<>=?]"),
        ]}


BLOCKS = {
    "for": [".for %${1:i} = ${2:0} to ${3:n}", "    $0", ".endfor"],
    "while": [".while ${1:%x > 0}", "    $0", ".endwhile"],
    "if": [".if ${1:%x}", "    $0", ".endif"],
    "ordered": [".ordered", "    $0", ".endordered"],
    "macro": [".macro ${1:name} ${2:parameters}", "    $0", ".endm"],
    "kernel": [".kernel ${1:name}", ".param n : i64", ".in    a : f32[n]", ".out   b : f32[n]", "",
               ".core aiv", "    $0"],
}


def snippets(rows):
    """Blocks, and every instruction with the operands that it must have."""
    result = {"." + name: {"prefix": "." + name, "body": body} for name, body in BLOCKS.items()}
    for mnemonic, row in rows.items():
        needed = [o for o in row["operands"] if not o["optional"]]
        body = mnemonic
        for i, operand in enumerate(needed, 1):
            body += " " if i == 1 else " -> " if operand["arrow"] else ", "
            body += "${%d:%s}" % (i, operand["name"])
        result[mnemonic] = {"prefix": mnemonic, "body": [body], "description": row["meaning"]}
    return result


# ---- Vim ---------------------------------------------------------------------------------------

def vim(table, rows):
    lines = ['" Made from the tables of the assembler by docs/editors/make.py.',
             "if exists('b:current_syntax') | finish | endif", "syn case match",
             "setlocal iskeyword=@,48-57,_", "setlocal commentstring=;\\ %s"]
    groups = {"Statement": rows, "Type": table["type"], "StorageClass": table["memory"],
              "Keyword": table["keyword"], "Constant": table["constant"],
              "Function": table["function"]}
    taken = set()
    for group, names in groups.items():
        names = [name for name in sorted(names) if name not in taken]
        taken.update(names)
        for i in range(0, len(names), 10):
            lines.append("syn keyword pto%s %s" % (group, " ".join(names[i:i + 10])))
        lines.append("hi def link pto%s %s" % (group, group))
    for group, pattern in (("PreProc", r"\.\(%s\)\>" % r"\|".join(table["directive"])),
                           ("Identifier", r"%\h\w*"), ("Label", r"^\s*\h\w*:"),
                           ("Number", r"\<\d[0-9A-Za-z_.]*")):
        lines.append("syn match pto%s /%s/" % (group, pattern))
        lines.append("hi def link pto%s %s" % (group, group))
    lines += ['syn region ptoString start=/"/ skip=/\\\\./ end=/"/ oneline',
              "hi def link ptoString String", "syn match ptoComment /;.*$/",
              "hi def link ptoComment Comment", "let b:current_syntax = 'pto'"]
    return "\n".join(lines) + "\n"


# ---- the whole ---------------------------------------------------------------------------------

def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text if isinstance(text, str) else json.dumps(text, indent=1) + "\n")


def main():
    ptoas, out, version = sys.argv[1:]
    table, rows = words(), instructions(ptoas)
    code = os.path.join(out, "vscode")
    shutil.copytree(os.path.join(HERE, "vscode"), code, dirs_exist_ok=True)
    with open(os.path.join(code, "package.json")) as file:
        package = json.load(file)
    package["version"] = version
    write(os.path.join(code, "package.json"), package)
    write(os.path.join(code, "syntaxes", "pto.tmLanguage.json"), grammar(table, rows))
    write(os.path.join(code, "snippets", "pto.json"), snippets(rows))
    shutil.copy(os.path.join(TOP, "LICENSE"), code)
    write(os.path.join(out, "vim", "syntax", "pto.vim"), vim(table, rows))
    write(os.path.join(out, "vim", "ftdetect", "pto.vim"),
          "au BufRead,BufNewFile *.pto,*/kernels/*.inc setfiletype pto\n")


if __name__ == "__main__":
    main()
