"""Scalar expressions of docs/language.md: trees, their text and their values, in Python's
arithmetic.

A tree is a number (int or float) or a tuple (operator or function, operand...); c ? a : b is
("?:", c, a, b), with a and b of one type."""

import math
import random
import struct

INTS = [0, 1, -1, 2, 3, -7, 10, 62, 63, 64, 0xff, 2**31, 2**53 + 1, 2**63 - 1, -2**63 + 1, -2**63]
FLOATS = [0.0, -0.0, 0.5, -2.5, 1.0, 3.0, 64.0, 1e-310, 1e300, 2.0**63, -2.0**63, -2.0**63 - 2048,
          math.inf, -math.inf, math.nan,
          # beside and at the middle of two f16 or bf16: rounded to f32 first, they would be at it
          2049 + 2.0**-40, 257 + 2.0**-40, 65520 - 2.0**-37, 2.0**-25]

LEVELS = [["?:"], ["||"], ["&&"], ["<", "<=", ">", ">=", "==", "!="], ["|"], ["^"], ["&"],
          ["<<", ">>"], ["+", "-"], ["*", "/"]]  # loosest first
LEVEL = {op: level for level, ops in enumerate(LEVELS) for op in ops}
COMPARISONS, LOGIC, BITS = LEVELS[3], ["&&", "||"], ["&", "|", "^", "<<", ">>"]
PREFIX = ["-", "~", "!"]
INTEGER_ONLY = BITS + ["mod", "cdiv"]
OF_INTEGER = ["~", "bits_f64", "bits_f32", "bits_f16", "bits_bf16"]  # one operand
TO_INTEGER = ["!", "int", "f64_bits", "f32_bits", "f16_bits", "bf16_bits"]
TO_FLOAT = ["sqrt", "float", "bits_f64", "bits_f32", "bits_f16", "bits_bf16"]
ANY_NUMBER = ["+", "-", "*", "/", "min", "max"]
BINARY = ANY_NUMBER + INTEGER_ONLY + COMPARISONS + LOGIC


class NoResult(Exception):
    """The message is a regular expression for what the tools say."""


# ---- values ----

def wrap(value):
    return (value + 2**63) % 2**64 - 2**63


def quotient(a, b):
    if b == 0:
        raise NoResult("division by zero")
    size = abs(a) // abs(b)
    return size if (a < 0) == (b < 0) else -size


def divide(a, b):
    result = quotient(a, b)
    if result > 2**63 - 1:
        raise NoResult("the quotient of %d and %d does not fit into 64 bits" % (a, b))
    return result


def ceiling(a, b):
    if b < 0:
        raise NoResult(r"cdiv\(\) by %d" % b)
    quotient(a, b)
    return -(-a // b)


def shift(op, a, b):
    if not 0 <= b <= 63:
        raise NoResult("shift by %d" % b)
    return wrap(a << b) if op == "<<" else a >> b


def of_integers(op, a, b):
    return {
        "+": lambda: wrap(a + b), "-": lambda: wrap(a - b), "*": lambda: wrap(a * b),
        "/": lambda: divide(a, b), "mod": lambda: a - quotient(a, b) * b,
        "cdiv": lambda: ceiling(a, b), "min": lambda: min(a, b), "max": lambda: max(a, b),
        "&": lambda: a & b, "|": lambda: a | b, "^": lambda: a ^ b,
        "<<": lambda: shift(op, a, b), ">>": lambda: shift(op, a, b),
    }[op]()


def float_quotient(a, b):
    if b:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))


def extreme(op, a, b):
    """-0 is smaller than 0; NaN if either is."""
    if math.isnan(a) or math.isnan(b):
        return math.nan
    return (min if op == "min" else max)(a, b, key=lambda x: (x, math.copysign(1, x)))


def of_floats(op, a, b):
    return {
        "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b,
        "/": lambda: float_quotient(a, b), "min": lambda: extreme(op, a, b),
        "max": lambda: extreme(op, a, b),
    }[op]()


def of_two(op, a, b):
    if op in LOGIC:
        return int(bool(a) and bool(b)) if op == "&&" else int(bool(a) or bool(b))
    floats = isinstance(a, float) or isinstance(b, float)
    if floats:
        a, b = float(a), float(b)
    if op in COMPARISONS:
        return int({"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b,
                    "!=": a != b}[op])
    return of_floats(op, a, b) if floats else of_integers(op, a, b)


def to_integer(a):
    if not isinstance(a, int) and not -2.0**63 <= a < 2.0**63:
        raise NoResult(r"int\(\) of \S+ does not fit into 64 bits")
    return int(a)


def square_root(a):
    return math.sqrt(a) if a >= 0 else math.nan


def minus(a):
    return -a if isinstance(a, float) else wrap(-a)


def recast(number, source, target):
    """The same bytes as another type of the struct module."""
    try:
        return struct.unpack("<" + target, struct.pack("<" + source, number))[0]
    except OverflowError:  # beyond f32
        return recast(math.copysign(math.inf, number), source, target)


def bf16_bits(number):
    """The nearest of all bf16, of two as near the even one: in exact fractions."""
    if number != number:
        return 0x7fc0
    sign = 0x8000 if math.copysign(1, number) < 0 else 0
    if abs(number) >= 2.0**128 - 2.0**119:
        return sign | 0x7f80
    unit = 2.0**(max(math.frexp(number)[1], -125) - 8) if number else 2.0**-133
    return sign | struct.unpack("<I", struct.pack("<f", round(abs(number) / unit) * unit))[0] >> 16


def bits(number, source, target):
    return recast(math.nan if number != number else float(number), source, target)


OF_ONE = {"-": minus, "~": lambda a: ~a, "!": lambda a: int(a == 0), "int": to_integer,
          "float": float, "sqrt": lambda a: square_root(float(a)),
          "abs": lambda a: abs(a) if isinstance(a, float) else wrap(abs(a)),
          "f64_bits": lambda a: bits(a, "d", "q"), "f32_bits": lambda a: bits(a, "f", "I"),
          "bits_f64": lambda a: recast(a, "q", "d"),
          "bits_f32": lambda a: recast(a & 0xffffffff, "I", "f"),
          "f16_bits": lambda a: bits(a, "e", "H"),
          "bits_f16": lambda a: recast(a & 0xffff, "H", "e"),
          "bf16_bits": lambda a: bf16_bits(float(a)),
          "bits_bf16": lambda a: recast((a & 0xffff) << 16, "I", "f")}


def chooses(tree):
    return isinstance(tree, tuple) and (tree[0] == "?:" or any(map(chooses, tree[1:])))


def value(tree):
    """An int or a float; NoResult where the machine faults."""
    if not isinstance(tree, tuple):
        return tree
    operands = [value(x) for x in tree[1:]]
    if tree[0] == "?:":
        return operands[1] if operands[0] != 0 else operands[2]
    return OF_ONE[tree[0]](*operands) if len(operands) == 1 else of_two(tree[0], *operands)


# ---- text ----

def text(tree, leaf=repr, level=0):
    """With parentheses only where the levels demand them."""
    if not isinstance(tree, tuple):
        return leaf(tree)
    op = tree[0]
    if op in PREFIX and len(tree) == 2:
        return op + text(tree[1], leaf, len(LEVELS))
    if op not in LEVEL:
        return "%s(%s)" % (op, ", ".join(text(x, leaf) for x in tree[1:]))
    own = LEVEL[op]
    if op == "?:":
        inside = "%s ? %s : %s" % (text(tree[1], leaf, 1), text(tree[2], leaf), text(tree[3], leaf))
        return "(%s)" % inside if level else inside
    left = own + 1 if op in COMPARISONS else own
    inside = "%s %s %s" % (text(tree[1], leaf, left), op, text(tree[2], leaf, own + 1))
    return "(%s)" % inside if own < level else inside


# ---- trees ----

def random_leaf(rng, integer):
    return rng.choice(INTS if integer or rng.random() < 0.5 else FLOATS)


def random_choice(rng, depth, integer):
    arms = [random_tree(rng, depth, True) for _ in range(2)]
    if not integer and rng.random() < 0.5:
        arms = [("float", random_tree(rng, depth)) for _ in range(2)]
    return ("?:", random_tree(rng, depth), *arms)


def random_tree(rng, depth, integer=False):
    """`integer`: its value must be an integer."""
    if depth == 0 or rng.random() < 0.1:
        return random_leaf(rng, integer)
    op = rng.choice(BINARY + ["-", "~", "abs", "?:"] + TO_INTEGER + ([] if integer else TO_FLOAT))
    if op == "?:":
        return random_choice(rng, depth - 1, integer)
    operands = 2 if op in BINARY and (op != "-" or rng.random() < 0.6) else 1
    whole = op in INTEGER_ONLY + OF_INTEGER or (integer and op in ANY_NUMBER + ["abs"])
    return (op,) + tuple(random_tree(rng, depth - 1, whole) for _ in range(operands))


def random_trees(seed, count, depth):
    rng = random.Random(seed)
    return [random_tree(rng, depth) for _ in range(count)]


def pairs():
    """Every operator on pairs of awkward numbers, every function on every number."""
    few = [0, -1, 3, 2**53 + 1, -2**63, 0.0, -0.0, 0.5, 2.0**63, math.inf, math.nan]
    trees = [(op, a) for op in OF_ONE for a in INTS + ([] if op in OF_INTEGER else FLOATS)]
    trees += [(op, a, b) for op in INTEGER_ONLY + ANY_NUMBER for a in INTS for b in INTS]
    trees += [("?:", a, *arms) for a in INTS + FLOATS for arms in ((1, 2), (0.5, -2.5))]
    return trees + [(op, a, b) for op in ANY_NUMBER + COMPARISONS + LOGIC for a in few for b in few]
