"""What the assembler refuses because operands do not fit would fault, and what it accepts does not
fault for that reason: every row of the table with random extents, scalars and keywords as literals,
some of them in registers, and, where that is refused, once more with all numbers in registers."""

import os
import random
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import table
from cases import Folder, kernel_text
from harness import MOST_MESSAGES, in_registers
from table import SANITIZED, ptovm, sample

# Of each row; sanitizers look for other faults, at ten times the time.
CASES = 10 if SANITIZED else 20
CUBE = {"l1": (64, 64), "l0a": (64, 64), "l0b": (64, 64), "l0c": (64, 64),
        "bt": (1, 64), "fb": (1, 64)}
SHAPES = ((1, 8), (1, 64), (2, 32), (3, 20), (4, 64), (8, 8), (33, 40), (2, 300), (1, 512))
SIDES = (0, 1, 1, 2, 3, 4, 7, 8, 16, 20, 31, 32, 33, 64, 256)
INTEGERS = (-1, 0, 0, 1, 2, 7, 10, 16, 31, 32, 64, 100, 128, 300, 70000)
# Faults for reasons that the assembler knows where numbers are literals.
KNOWN = (r"valid elements where|valid rows|valid columns|valid bytes|shapes do not fit|"
         r"ends outside|give \{|scratch operand|out of the range of|is no \w+ value|by zero|"
         r"shift count|they must agree|must be equal|extents|has an extent|"
         r"differ in shape|smaller than|multiple of|rounds|runs of|BYTE|elements, dst only|"
         r"empty valid region|lie within|"
         r"one row of records|a column or a row of|a feature map has|"
         r"are the map")
# What depends on keywords and on the order of sizes, or on bytes, is left to the machine.
LEFT = {"TGATHER": "too few for dst|names no valid", "TSCATTER": "too few for dst|names no valid",
        "MGATHER": "idx has|the table|idx\\(", "MSCATTER": "idx has|the table|idx\\(",
        "TCONCAT": "a column or a row of|count ", "THISTOGRAM": "idx has", "TGATHERB": "offs\\(",
        "TMRGSORT": "one row of records",
        "TFILLPAD_INPLACE": "not the same bytes",
        "TSHL": "shift count", "TSHR": "shift count", "TPOW": "negative power",
        "TPOWS": "negative power"}
LEFT.update((name, "the other lie within") for name in (
    "TPARTADD", "TPARTMUL", "TPARTMAX", "TPARTMIN", "TPARTARGMAX", "TPARTARGMIN"))


class Writer:
    """One random instruction with its declarations."""

    def __init__(self, row, rng):
        self.row, self.rng, self.objects, self.lines = row, rng, [], []
        self.cube = any("ub" not in o["spaces"] for o in row["operands"] if o["kind"] == "tile")
        self.pool = [rng.choice(SIDES) for _ in range(3)] + [1]
        self.shape = rng.choice(SHAPES)
        self.profile = "a2" if row["types"] or not row["types_a5"] else "a5"

    def types(self):
        typed = table.typed_operands(self.row)
        text = self.row["types"] or self.row["types_a5"]
        choice = table.alternatives(text, len(typed)) or [("f32",) * len(typed)]
        chosen = dict(zip([o["name"] for o in typed], self.rng.choice(choice)))
        return {name: "f32" if dtype == "*" else dtype for name, dtype in chosen.items()}

    def side(self, most):
        side = self.rng.choice(SIDES if self.rng.random() < 0.15 else self.pool + [most])
        return min(most, side)

    def extent(self, shape, chance):
        if self.rng.random() > chance:
            return ""
        return "{%d, %d}" % (self.side(shape[0]), self.side(shape[1]))

    def tile(self, operand, dtype):
        space = self.rng.choice([s for s in operand["spaces"] if (s != "ub") == self.cube])
        shape = CUBE.get(space) or (self.shape if self.rng.random() < 0.7
                                    else self.rng.choice(SHAPES))
        layout = self.rng.choice(("nd", "nd", "dn")) if space == "ub" else ""
        if self.row["mnemonic"] == "TFILLPAD_INPLACE":  # the same bytes
            shape, layout = self.shape, "nd @ 0"
        self.lines.append(".tile %s : %s %s[%d, %d] %s" % (operand["name"], space, dtype, *shape,
                                                           layout))
        window = operand["name"] in ("src", "dst") and re.match("TEXTRACT|TINSERT", self.row[
            "mnemonic"]) and (operand["name"] == "src") == (self.row["mnemonic"][1] == "E")
        place = "(%d, %d)" % (self.side(shape[0] - 1), self.side(shape[1] - 1)) if window else ""
        return operand["name"] + place + self.extent(shape, 0.75)

    def operand(self, operand, types):
        kind = operand["kind"]
        if kind == "tile":
            return self.tile(operand, types.get(operand["name"], "f32"))
        if kind == "gm":
            self.objects.append(".sym %s : %s[64, 512]" % (operand["name"], types[operand["name"]]))
            return operand["name"] + self.extent(self.shape, 0.4)
        if kind == "keyword":
            return self.rng.choice(operand["keywords"])
        if kind == "float":
            return "0.5"
        if kind == "number" and self.rng.random() < 0.3:
            return self.rng.choice(("1.5", "2.0", "-1.0", "1e30"))
        return str(self.rng.choice(INTEGERS))

    def write(self):
        """Objects and body; the instruction is the last line."""
        types, words = self.types(), []
        for operand in self.row["operands"]:
            if operand["kind"] == "int register":
                words.append("%event")
            elif not operand["optional"] or self.rng.random() < 0.3:
                words.append(self.operand(operand, types))
        return "\n".join(self.lines + ["    %s %s" % (self.row["mnemonic"], ", ".join(words))])


def outcome(folder, name, writer, body):
    """"runs", or the error or fault."""
    path = folder.write(name + ".pto", kernel_text("aic" if writer.cube else "aiv", writer.objects,
                                                   body.split("\n")))
    done = ptovm("--profile", writer.profile, "--cores", 1, "-q", "run", path)
    found = re.search(r"(error|fault): .*", done.err)
    return ("runs" if done.code == 0 else found[0] if found else
            "status %d: %s" % (done.code, done.err))


def judge(folder, number, row, seed):
    """What became of one case, and a failure or None."""
    writer = Writer(row, random.Random(seed))
    body, mnemonic = writer.write(), row["mnemonic"]
    mixed = writer.rng.random() < 0.4
    early = in_registers(body, lambda: writer.rng.random() < 0.5) if mixed else body
    literal = outcome(folder, "case_%s" % number, writer, early)
    if literal == "runs":
        return "runs", None
    if literal.startswith("fault: "):
        bad = not mixed and re.search(KNOWN, literal)
        bad = bad and not re.search(LEFT.get(mnemonic, "^$"), literal)
        bad = bad and not re.search(r"{0, |, 0}", body)  # some instructions do nothing then
        return "faults", "%s: could have been refused:\n%s" % (literal, body) if bad else None
    if not literal.startswith("error: %s: " % mnemonic):
        return ("skipped", None) if literal.startswith("error: ") else ("", literal + "\n" + body)
    late = outcome(folder, "late_%s" % number, writer, in_registers(body))
    if late == "runs":
        return "refused", "%s, but it runs:\n%s" % (literal, early)
    if late.startswith("error: "):
        return "always known", None
    return "refused", None if re.search(KNOWN, late) else "%s, but then %s\n%s" % (literal, late,
                                                                                   body)


def main():
    folder = Folder()
    every = [row for row in table.rows() if row["class"] in ("tile", "macro")]
    numbered = sample(enumerate(every), 2)
    tasks = [(folder, "%d_%d" % (n, k), row, "%s %d %d" % (row["mnemonic"], n, k))
             for n, row in numbered for k in range(CASES)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda task: judge(*task), tasks))
    counts, failures = {}, [message for _, message in results if message]
    for kind, _ in results:
        counts[kind] = counts.get(kind, 0) + 1
    for at, (_, row) in enumerate(numbered):
        kinds = {kind for kind, _ in results[at * CASES:(at + 1) * CASES]}
        tiles = sum(o["kind"] == "tile" and not o["scratch"] for o in row["operands"])
        if tiles > 1 and "refused" not in kinds and row["mnemonic"] not in LEFT:
            failures.append("no case of %s (%s) was refused" % (row["mnemonic"], row["meaning"]))
    for message in failures[:MOST_MESSAGES]:
        print("FAIL", message)
    print("%s, %d failures" % (", ".join("%d %s" % (counts[k], k) for k in sorted(counts)),
                               len(failures)))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
