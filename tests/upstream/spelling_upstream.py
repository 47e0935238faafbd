"""Kernels of making.py as upstream writes them: every value has a name, windows are values."""

from making import WORDS
from meaning import Operand

COMPARED = {"==": "eq", "<": "slt", ">": "sgt"}
COMPUTED = {"+": "addi", "-": "subi", "*": "muli", "mod": "remsi", "min": "minsi", "max": "maxsi"}
SPACES = {"ub": ("vec", ""), "l1": ("mat", ", blayout=col_major, slayout=row_major"),
          "l0a": ("left", ", blayout=row_major, slayout=row_major"),
          "l0b": ("right", ", blayout=row_major, slayout=col_major"),
          "l0c": ("acc", ", blayout=col_major, slayout=row_major, fractal=1024")}


def of_tile(tile, rows=None, cols=None):
    space, rest = SPACES[tile.space]
    return "!pto.tile_buf<%s, %dx%dx%s%s>" % (space, rows or tile.rows, cols or tile.cols,
                                             WORDS[tile.dtype.name], rest)


class Upstream:
    def __init__(self, kernel):
        self.lines, self.constants, self.count = [], {}, 0
        self.arrays = kernel.inputs()
        part = (kernel.parts["aiv"] + kernel.parts["aic"])[0]
        for name, array in self.arrays.items():
            word = WORDS[str(array.dtype)]
            rows, cols = (self.constant(size) for size in array.shape)
            self.put(1, "%%v_%s = pto.make_tensor_view %%%s, shape = [%s, %s], strides = [%s, %s] "
                     ": !pto.tensor_view<?x?x%s>" % (name, name, rows, cols, cols,
                                                    self.constant(1), word))
        for tile in part.tiles + part.others:
            at = "" if tile.at is None else " addr = %s" % self.constant(tile.at, "i64")
            self.put(1, "%%%s = pto.alloc_tile%s : %s" % (tile.name, at, of_tile(tile)))
        self.block(1, (kernel.blocks["aiv"] + kernel.blocks["aic"])[0])
        arguments = ", ".join("%%%s: !pto.ptr<%s>" % (name, WORDS[str(array.dtype)])
                              for name, array in self.arrays.items())
        head = ["func.func @made(%s, %%count: i64) attributes {pto.kernel_kind = "
                "#pto.kernel_kind<%s>} {" % (arguments,
                                            "vector" if kernel.parts["aiv"] else "cube"),
                "    %n = arith.index_cast %count : i64 to index",
                "    %id = pto.get_block_idx", "    %core = arith.index_cast %id : i64 to index"]
        head += ["    %s = arith.constant %s : %s" % (name, value, word)
                 for (value, word), name in self.constants.items()]
        self.text = "\n".join(["module {"] + head + self.lines +
                              ["    return", "}", "}"]) + "\n"

    def put(self, depth, line):
        self.lines.append("    " * depth + line)

    def fresh(self):
        self.count += 1
        return "%%e%d" % self.count

    def constant(self, value, word="index"):
        return self.constants.setdefault((value, word), "%%k%d" % len(self.constants))

    def value(self, depth, e):
        if isinstance(e, int):
            return self.constant(e)
        if isinstance(e, str):
            return "%core" if e == "@core" else "%" + e
        left, right = (self.value(depth, x) for x in e[1:])
        name = self.fresh()
        self.put(depth, "%s = arith.%s %s, %s : index" % (
            name, COMPUTED[e[0]] if e[0] in COMPUTED else "cmpi %s," % COMPARED[e[0]], left, right))
        return name

    def operand(self, depth, o):
        """Name and type of a window of a tile."""
        if (o.row, o.col, o.rows, o.cols) == (0, 0, o.tile.rows, o.tile.cols):
            return "%" + o.tile.name, of_tile(o.tile)
        row, col, name = self.value(depth, o.row), self.value(depth, o.col), self.fresh()
        kind = of_tile(o.tile, o.rows, o.cols)
        self.put(depth, "%s = pto.subview %%%s[%s, %s] sizes [%d, %d] : %s -> %s" % (
            name, o.tile.name, row, col, o.rows, o.cols, of_tile(o.tile), kind))
        return name, kind

    def window(self, depth, name, row, col, o):
        """Name and type of a window of global memory of the size of an operand."""
        row, col, window = self.value(depth, row), self.value(depth, col), self.fresh()
        word = WORDS[str(self.arrays[name].dtype)]
        kind = "!pto.partition_tensor_view<%dx%dx%s>" % (o.rows, o.cols, word)
        self.put(depth, "%s = pto.partition_view %%v_%s, offsets = [%s, %s], sizes = [%s, %s] : "
                 "!pto.tensor_view<?x?x%s> -> %s" % (
                     window, name, row, col, self.constant(o.rows), self.constant(o.cols), word,
                     kind))
        return window, kind

    def operate(self, depth, name, sources, dst):
        self.put(depth, "pto.%s ins(%s : %s) outs(%s : %s)" % (
            name, ", ".join(s[0] for s in sources), ", ".join(s[1] for s in sources), *dst))

    def block(self, depth, block):
        for statement in block:
            getattr(self, "say_" + statement[0])(depth, *statement[1:])

    def say_loop(self, depth, name, first, end, step, body):
        first, end = self.value(depth, first), self.value(depth, end)
        self.put(depth, "scf.for %%%s = %s to %s step %s {" % (name, first, end,
                                                              self.constant(step)))
        self.block(depth + 1, body)
        self.put(depth, "}")

    def say_if(self, depth, condition, then, other):
        self.put(depth, "scf.if %s {" % self.value(depth, condition))
        self.block(depth + 1, then)
        if other:
            self.put(depth, "} else {")
            self.block(depth + 1, other)
        self.put(depth, "}")

    def say_set(self, depth, name, e):
        """A name that is new, and stays what it is."""
        self.put(depth, "%%%s = arith.addi %s, %s : index" % (name, self.value(depth, e),
                                                             self.constant(0)))

    def say_op(self, depth, name, dst, sources, scalar, _):
        to = self.operand(depth, dst)
        given = [self.operand(depth, o) for o in sources]
        word = WORDS[dst.tile.dtype.name]
        if scalar is not None:
            given.append((self.constant(float(scalar) if word == "f32" else scalar, word), word))
        self.operate(depth, name.lower(), given, to)

    def say_load(self, depth, dst, name, row, col):
        to = self.operand(depth, dst)
        self.operate(depth, "tload", [self.window(depth, name, row, col, dst)], to)

    def say_store(self, depth, name, row, col, src, _):
        source = self.operand(depth, src)
        self.operate(depth, "tstore", [source], self.window(depth, name, row, col, src))

    def element(self, depth, place):
        assert not isinstance(place, Operand)
        cols = self.arrays[place[0]].shape[1]
        return "%%%s[%s] : !pto.ptr<i32>" % (
            place[0], self.value(depth, ("+", ("*", place[1], cols), place[2])))

    def say_get(self, depth, name, source):
        value, place = self.fresh(), self.element(depth, source)
        self.put(depth, "%s = pto.load_scalar %s -> i32" % (value, place))
        self.put(depth, "%%%s = arith.index_cast %s : i32 to index" % (name, value))

    def say_put(self, depth, target, e):
        value, name, place = self.value(depth, e), self.fresh(), self.element(depth, target)
        self.put(depth, "%s = arith.index_cast %s : index to i32" % (name, value))
        self.put(depth, "pto.store_scalar %s, %s, i32" % (name, place))

    def say_cut(self, depth, dst, src):
        to = self.operand(depth, dst)
        self.operate(depth, "textract", [
            ("%" + src.tile.name, of_tile(src.tile)), (self.value(depth, src.row), "index"),
            (self.value(depth, src.col), "index")], to)

    def say_product(self, depth, dst, a, b, more):
        to = self.operand(depth, dst)
        given = [self.operand(depth, a), self.operand(depth, b)]
        self.operate(depth, "tmatmul.acc" if more else "tmatmul", [to] * more + given, to)
