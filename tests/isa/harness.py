"""What a test file of an instruction uses.  tests/isa/README.md says how to write one.

`tilewise` covers instructions on UB tiles, `rejects` and `faults` what must not work, `program`
whole kernels; `run` at the end of the file does the work."""

import collections
import os
import re
import sys

import numpy as np

import table
import values
from cases import Folder, batches, kernel_text, run_batch
from plan import Plan, scalars_of  # scalars_of for test files
from table import ptoas, ptovm
from values import canonical, decode, encode, every, is_float  # for test files

SIZES = ((1, 1), (1, 7), (3, 5), (16, 16), (5, 33), (2, 300), (33, 8))
FEW_SIZES = ((3, 5), (17, 9))
MOST_MESSAGES = 5
# At a level of the host that is not its best, every third case of each row and its types: what the
# levels compute is compared whole in tests/unit/ops_*, and what is refused depends on none.
OF_A_KIND = 3

_cases, _programs, _refusals = [], [], []
_covered, _wanted = set(), set()


def tilewise(mnemonic, reference, row=0, *, shapes=None, layouts=("dn", "pitched"), alias=True,
             scalars=None, words=None, data=None, repair=None, raw=False, ulp=None, sizes=SIZES,
             few_sizes=FEW_SIZES, exhaustive=False, special=True, empty=True, scratch=None,
             any_types=values.DTYPES, exact_shape=None, whole=None, only=None, round_scalars=True,
             scalar_as=None):
    """Test a row of the table whose operands are UB tiles, over all its types.

    reference  values of the sources in operand order (scalars already in the type of dst), keywords
               by name, and `types`, `size`, `old` (dst before) if it has such parameters -> values
               of dst (None: unchanged), or a tuple for several destinations.  Floats are float64,
               results are rounded to nearest even; NaN results are canonical.
    row        which of several rows of the mnemonic
    shapes     {operand: function of dst's (rows, cols), and `types` if it has such a parameter, ->
               its (rows, cols)}; default: the same
    layouts    further layouts for all operands, or {operand: layout} each
    alias      True: dst over every source of its type and shape; False; or pairs of names
    scalars    {operand: list, or function of the type -> list}
    words      {operand: keywords to go through, None: left out}
    data       {operand: function of a Draw -> values, or None for the usual ones}
    repair     function of all tile sources -> the same without what faults (None: unchanged)
    raw        reference takes and gives bits
    ulp        allowed error; reference then returns long doubles
    exhaustive all inputs of types of one and two bytes (one source)
    scalar_as  operand to whose type scalars are converted; default: dst
    scratch    also give the scratch operands: True, or their type
    whole      {operand: function of dst's (rows, cols) -> rows and columns of the whole tile}
    only       function of the types by operand -> are these types to be tested here?
    """
    options = dict(locals())
    for name in ("mnemonic", "reference", "row"):
        del options[name]
    plan = Plan(mnemonic, reference, row, options)
    for types, profile in plan.all_types():
        _wanted.add((mnemonic,) + plan.kind(types))
        if only and not only(types):
            continue
        _cases.extend(plan.cases_of(types, profile))
        if profile == "a5":
            refused = plan.make(types, (2, 2), "a2", words=plan.first_words(), scalars={
                k: v[0] for k, v in plan.scalar_values(types).items()})
            rejects_case(refused)


def add(case):
    """Run this case, too."""
    _cases.append(case)


# ---- what must not work --------------------------------------------------------------------------


def rejects_case(case):
    body = [t.declaration("") for t in case.tiles] + ["    " + case.instruction()]
    rejects("\n".join(body), "types|type", case.profile)


def split_objects(text):
    objects, lines = [], []
    for line in text.strip("\n").split("\n"):
        is_object = re.match(r"\s*\.(in|out|inout|gm|sym|signal|view|param|fifo)\b", line)
        (objects if is_object else lines).append(line)
    return objects, lines


def rejects(text, message, profile="a2", core="aiv"):
    """The assembler refuses a body with an error that matches the pattern `message`."""
    def check(folder):
        objects, lines = split_objects(text)
        path = folder.write("bad.pto", kernel_text(core, objects, lines))
        done = ptoas("--profile", profile, path, "-o", folder.path("bad.ptob"))
        return expect_message(text, done, "error: ", message)
    _refusals.append(check)


def faults(text, message, profile="a2", core="aiv", ranks=1):
    """The body assembles, and running it is a fault that matches the pattern `message`."""
    def check(folder):
        objects, lines = split_objects(text)
        path = folder.write("bad.pto", kernel_text(core, objects, lines))
        options = ["--profile", profile, "--cores", 1, "-q"] + (
            ["--ranks", ranks] if ranks > 1 else [])
        for found in re.findall(r"\.(?:in|inout)\s+(\w+)", text):
            options += ["--in", found + "=zeros"]
        return expect_message(text, ptovm(*options, "run", path), "fault: ", message)
    _refusals.append(check)


def misfits(text, message, profile="a2", core="aiv", ranks=1):
    """What the last line says can be known to be wrong before it runs: with its numbers as literals
    the assembler refuses it, with the same numbers in registers it faults with `message`."""
    mnemonic = text.strip().split("\n")[-1].split()[0]
    rejects(text, " %s: " % mnemonic, profile, core)
    faults(in_registers(text), message, profile, core, ranks)


def in_registers(text, keep=lambda: False):
    """The body with the numbers of its last line in registers: extents, also those that its tiles
    have by their declaration, offsets and scalars; without those that `keep` wants to keep."""
    lines = text.rstrip("\n").split("\n")
    shapes = {m[1]: m[2] for m in map(re.compile(
        r"\s*\.tile (\w+) : [^\[]*\[([^\]]*)\]").match, lines) if m}
    mnemonic, operands = lines.pop().split(None, 1)
    registers, result = [], []

    def register(match):
        if keep():
            return match[0]
        registers.append("    %%n%d = %s" % (len(registers), match[0].strip()))
        return "%%n%d" % (len(registers) - 1)

    def numbers(match):
        return match[1] + re.sub(r"-?\d[^,]*", register, match[2])

    for operand in re.split(r",\s*(?![^(\[{]*[)\]}])", operands.strip()):
        if operand in shapes and mnemonic != "TASSIGN":
            operand += "{%s}" % shapes[operand]
        operand = re.sub(r"^()(-?\d.*)$|([({])([^)}@]*)(?=[)}])", lambda m: numbers(
            m if m[2] else re.match(r"(.)(.*)", m[0])), operand)
        result.append(operand)
    return "\n".join(lines + registers + ["    %s %s" % (mnemonic, ", ".join(result))])


def expect_message(text, done, label, message):
    found = [line for line in done.err.split("\n") if label in line]
    if done.code == 1 and any(re.search(message, line) for line in found):
        return []
    return ["exit status %d (wanted 1) and no %s that matches %r for\n%s\n%s" % (
        done.code, label.strip(": "), message, text, done.err)]


# ---- whole kernels -------------------------------------------------------------------------------


def program(text, inputs, outputs, covers=(), profile="a2", ranks=1, cores=1, options=()):
    """Run a kernel.  `inputs` and `outputs`: {object: (type, bits or values)}, with several ranks a
    list of arrays; values are encoded.  `covers`: (mnemonic, row, types...) that it tests."""
    for mnemonic, row, *types in covers:
        _covered.add((mnemonic, row, tuple(types)))

    def check(folder):
        path = folder.write("program.pto", text)
        command = ["--profile", profile, "--cores", cores, "-q", *options, "run", path]
        if ranks > 1:
            command = ["--ranks", ranks] + command
        for name, (dtype, arrays) in inputs.items():
            for rank, array in enumerate(per_rank(arrays, ranks)):
                folder.write("%s_%d.bin" % (name, rank), as_bits(array, dtype).tobytes())
            command += ["--in", "%s=%s:%s" % (name, folder.path(name + "_{rank}.bin"), dtype)]
        for name in outputs:
            command += ["--out", "%s=%s" % (name, folder.path(name + "_out_{rank}.bin"))]
        done = ptovm(*command)
        if done.code:
            return ["exit status %d of\n%s\n%s" % (done.code, text, done.err)]
        return [m for name, (dtype, arrays) in outputs.items()
                for rank, want in enumerate(per_rank(arrays, ranks))
                for m in compare_object(folder, text, name, rank, dtype, as_bits(want, dtype))]
    _programs.append(check)


def per_rank(arrays, ranks):
    return arrays if isinstance(arrays, list) else [arrays] * ranks


def as_bits(array, dtype):
    """Unsigned arrays of the element's size are bits already."""
    array = np.asarray(array)
    return array if array.dtype == values.bits_type(dtype) else encode(array, dtype)


def compare_object(folder, text, name, rank, dtype, want):
    got = np.fromfile(folder.path("%s_out_%d.bin" % (name, rank)), values.bits_type(dtype))
    if got.size != want.size:
        return ["%s has %d elements, %d are wanted, in\n%s" % (name, got.size, want.size, text)]
    bad = np.argwhere(got.reshape(want.shape) != want)
    if not len(bad):
        return []
    place = tuple(bad[0])
    return ["%d of %d elements of %s on rank %d differ, first at %s: got %s, want %s, in\n%s" % (
        len(bad), want.size, name, rank, list(map(int, place)),
        values.show(got.reshape(want.shape)[place], dtype), values.show(want[place], dtype), text)]


# ---- running -------------------------------------------------------------------------------------


def need_rows(mnemonic):
    """Every alternative of every row of the mnemonic has to be covered."""
    for number, row in enumerate(table.rows_of(mnemonic)):
        for text in (row["types"], row["types_a5"]):
            for types in table.alternatives(text, len(table.typed_operands(row))):
                if "*" not in types:
                    _wanted.add((mnemonic, number, types))


def some_of_each_kind(cases):
    seen, some = collections.Counter(), []
    for case in cases:
        kind = case.mnemonic, case.kind
        if seen[kind] % OF_A_KIND == 0:
            some.append(case)
        seen[kind] += 1
    return some


def run():
    """Run what the file has declared; exit status 1 if anything differs."""
    folder, failures = Folder(), []
    need_rows(os.path.splitext(os.path.basename(sys.argv[0]))[0])
    cases = sorted(_cases, key=lambda c: (c.profile, c.core))
    checks = _programs + _refusals
    if "PTO_CPU_LEVEL" in os.environ:
        cases, checks = some_of_each_kind(cases), _programs
    for batch in batches(cases):
        for case, messages in run_batch(folder, batch):
            failures += ["%s on %s: %s" % (case.instruction(), case.profile, m) for m in messages]
            _covered.add((case.mnemonic,) + case.kind)
    for check in checks:
        failures += check(folder)
    failures += ["%s, row %d, types %s: not covered by any case" % wanted
                 for wanted in sorted(_wanted - _covered)]
    for message in failures[:MOST_MESSAGES]:
        print("FAIL", message)
    print("%d cases, %d other checks, %d failures" % (len(cases), len(checks), len(failures)))
    sys.exit(1 if failures else 0)
