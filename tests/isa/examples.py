"""Run and check the examples of the manual: every page has one that uses its instruction, and none
lacks a sync.

An example is a kernel in a ```pto block, whose info string may hold options of ptovm, and a ```data
block with its inputs and the results that it must give (docs/isa/README.md says how)."""

import glob
import os
import re
import sys

import numpy as np

import values
from cases import Folder
from table import ptovm, source

PAGES = source("docs", "isa", "*.md")
FENCE = re.compile(r"^```(pto|data)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"(in|out)\s+(\w+)(?:@(\d+))?\s*=\s*(.*)$")


def examples(page):
    """[(options, kernel, data)] of a page."""
    found, kernel = [], None
    for kind, info, text in FENCE.findall(page):
        if kind == "pto":
            kernel = info.split(), text
        elif kernel:
            found.append((*kernel, text))
            kernel = None
    return found


def types_of(kernel):
    """{object: element type} of what a kernel declares."""
    types = dict(re.findall(r"^\s*\.(?:in|out|inout|gm|sym)\s+(\w+)\s*:\s*(\w+)", kernel,
                            re.MULTILINE))
    types.update(dict.fromkeys(re.findall(r"^\s*\.signal\s+(\w+)", kernel, re.MULTILINE), "i32"))
    return types


def number(text, dtype):
    return float(text) if values.is_float(dtype) else int(text, 0)


def bits_of(text, dtype):
    numbers = [number(word, dtype) for word in text.split()]
    return values.encode(np.array(numbers, float if values.is_float(dtype) else object)
                         if values.is_float(dtype) else
                         np.array([n % 2 ** 64 for n in numbers], np.uint64), dtype)


def show(bits, dtype):
    return " ".join("%.9g" % v if values.is_float(dtype) else str(v)
                    for v in values.decode(bits, dtype))


def run_example(folder, options, kernel, data):
    """Messages about what is wrong."""
    types, ranks = types_of(kernel), 1
    if "--ranks" in options:
        ranks = int(options[options.index("--ranks") + 1])
    command = ["--cores", "1", "-q", *options, "check", folder.write("example.pto", kernel)]
    inputs, outputs = {}, []
    for line in filter(None, map(str.strip, data.split("\n"))):
        match = LINE.match(line)
        if not match or match.group(2) not in types:
            return ["no line of a data block: " + line]
        kind, name, rank, text = match.groups()
        if kind == "out":
            outputs.append((name, int(rank or 0), text))
            continue
        if re.match(r"[a-z]+(:|$)", text) and text not in ("inf", "nan"):
            inputs[name] = text
            continue
        for r in [int(rank)] if rank else range(ranks):
            folder.write("%s_%d.bin" % (name, r), bits_of(text, types[name]).tobytes())
        inputs[name] = "%s:%s" % (folder.path(name + "_{rank}.bin"), types[name])
    for name, given in inputs.items():
        command += ["--in", "%s=%s" % (name, given)]
    for name in dict.fromkeys(o[0] for o in outputs):
        command += ["--out", "%s=%s" % (name, folder.path(name + "_out_{rank}.bin"))]
    done = ptovm(*command)
    if done.code:
        return ["exit status %d\n%s" % (done.code, done.err)]
    return compare(folder, outputs, types)


def compare(folder, outputs, types):
    messages = [] if outputs else ["the example shows no result"]
    for name, rank, text in outputs:
        got = np.fromfile(folder.path("%s_out_%d.bin" % (name, rank)),
                          values.bits_type(types[name]))
        want = bits_of(text, types[name])
        if not np.array_equal(values.canonical(got, types[name]), want):
            messages.append("got\nout %s = %s\nwant\nout %s = %s" % (
                name, show(got, types[name]), name, show(want, types[name])))
    return messages


def main(names):
    folder, failures, count = Folder(), [], 0
    for path in sorted(glob.glob(PAGES)):
        mnemonic = os.path.splitext(os.path.basename(path))[0]
        if mnemonic == "README" or (names and mnemonic not in names):
            continue
        with open(path) as file:
            found = examples(file.read())
        if not any(re.search(r"\b%s\b" % mnemonic, kernel) for _, kernel, _ in found):
            failures.append("%s: no example uses the instruction" % path)
        for example in found:
            count += 1
            failures += ["%s: %s" % (path, m) for m in run_example(folder, *example)]
    for message in failures:
        print("FAIL", message)
    print("%d examples, %d failures" % (count, len(failures)))
    return 1 if failures else 0


sys.exit(main(sys.argv[1:]))
