"""What programs of the generator in making.py mean: a tree of statements, run over numpy arrays.

An expression is a number, the name of a register, one of "@core", "@block" and "@sub" (which
sub-core this is, in all and in its block) or (operator, left, right).  A statement is a tuple that
begins with its kind."""

import numpy as np

OPERATORS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
             "mod": lambda a, b: a % b, "min": min, "max": max,
             "==": lambda a, b: int(a == b), "<": lambda a, b: int(a < b),
             ">": lambda a, b: int(a > b)}


class Operand:
    """A rectangle of a tile's slot; the slot, the first row and the first column may be
    expressions."""

    def __init__(self, tile, slot, rows, cols, row=0, col=0):
        self.tile, self.slot, self.rows, self.cols = tile, slot, rows, cols
        self.row, self.col = row, col


class Tile:
    def __init__(self, name, space, dtype, rows, cols, slots=1, at=None):
        self.name, self.space, self.dtype = name, space, np.dtype(dtype)
        self.rows, self.cols, self.slots, self.at = rows, cols, slots, at


class Left(Exception):
    """A loop is left, or its turn ended."""


class Leave(Left):
    pass


class Next(Left):
    pass


VECTOR = {
    "TADD": lambda s, k: s[0] + s[1], "TSUB": lambda s, k: s[0] - s[1],
    "TMAX": lambda s, k: np.maximum(s[0], s[1]), "TMIN": lambda s, k: np.minimum(s[0], s[1]),
    "TADDS": lambda s, k: s[0] + k, "TMULS": lambda s, k: s[0] * k,
    "TMAXS": lambda s, k: np.maximum(s[0], k), "TMOV": lambda s, k: s[0],
    "TROWMAX": lambda s, k: s[0].max(axis=1, keepdims=True),
    "TCOLMAX": lambda s, k: s[0].max(axis=0, keepdims=True),
    "TROWEXPAND": lambda s, k: s[0],    # of one column, which numpy spreads
    "TROWEXPANDADD": lambda s, k: s[0] + s[1],
}


class Machine:
    """One sub-core: registers, tiles, and the objects that all share."""

    def __init__(self, core, mix, tiles, objects, registers):
        self.objects, self.registers = objects, dict(registers)
        self.names = {"@core": core, "@block": core // mix, "@sub": core % mix}
        self.popped = 0
        self.memory = {t.name: np.zeros((t.slots, t.rows, t.cols), t.dtype) for t in tiles}

    def value(self, e):
        if isinstance(e, int):
            return e
        if isinstance(e, str):
            return self.names[e] if e in self.names else self.registers[e]
        return int(OPERATORS[e[0]](self.value(e[1]), self.value(e[2])))

    def window(self, o):
        row, col = self.value(o.row), self.value(o.col)
        slot = self.memory[o.tile.name][self.value(o.slot)]
        assert row + o.rows <= o.tile.rows and col + o.cols <= o.tile.cols
        return slot[row:row + o.rows, col:col + o.cols]

    def place(self, name, row, col, rows, cols):
        row, col = self.value(row), self.value(col)
        found = self.objects[name][row:row + rows, col:col + cols]
        assert found.shape == (rows, cols)
        return found

    def run(self, block):
        for statement in block:
            getattr(self, "do_" + statement[0])(*statement[1:])

    def turns(self, name, values, body):
        for value in values:
            self.registers[name] = value
            try:
                self.run(body)
            except Next:
                continue
            except Leave:
                break

    def do_loop(self, name, first, end, step, body):
        self.turns(name, range(self.value(first), self.value(end), step), body)

    def do_down(self, name, first, end, step, body):
        self.turns(name, range(self.value(first), self.value(end), -step), body)

    def do_while(self, name, end, body):
        self.registers[name] = 0
        while self.registers[name] < self.value(end):
            try:
                self.run(body)
            except Leave:
                break
            self.registers[name] += 1

    def do_if(self, condition, then, other):
        self.run(then if self.value(condition) else other)

    def do_set(self, name, e):
        self.registers[name] = self.value(e)

    def do_leave(self):
        raise Leave

    def do_next(self):
        raise Next

    def do_op(self, name, dst, sources, scalar, scratch):
        out = self.window(dst)
        if name == "TEXPANDS":
            out[:] = scalar
            return
        values = [self.window(s).copy() for s in sources]
        with np.errstate(all="ignore"):
            out[:] = VECTOR[name](values, None if scalar is None else out.dtype.type(scalar))

    def do_load(self, dst, name, row, col):
        self.window(dst)[:] = self.place(name, row, col, dst.rows, dst.cols)

    def do_store(self, name, row, col, src, mode):
        to, values = self.place(name, row, col, src.rows, src.cols), self.window(src)
        if mode == "relu":
            values = np.maximum(values, 0)
        to[:] = values

    def do_get(self, name, source):
        if isinstance(source, Operand):
            self.registers[name] = int(self.window(source)[0, 0])
        else:
            self.registers[name] = int(self.place(*source, 1, 1)[0, 0])

    def do_put(self, target, e):
        to = self.window(target) if isinstance(target, Operand) else self.place(*target, 1, 1)
        to[0, 0] = self.value(e)

    def do_cut(self, dst, src):
        self.window(dst)[:] = self.window(src)

    def do_product(self, dst, a, b, more):
        out = self.window(dst)
        result = self.window(a).astype(np.float32) @ self.window(b).astype(np.float32)
        out[:] = out + result if more else result

    def do_count(self, name, place, e):
        word = self.place(*place, 1, 1)
        self.registers[name] = int(word[0, 0])
        word[0, 0] += self.value(e)

    def ring(self):
        return self.objects.setdefault("ring %d" % self.names["@block"], [])

    def do_push(self, src):
        self.ring().append(self.window(src).copy())

    def do_pop(self, dst):
        """The next matrix, or this sub-core's share of its rows."""
        matrix = self.ring()[self.popped]
        self.popped += 1
        first = self.names["@sub"] * dst.rows
        self.window(dst)[:] = matrix[first:first + dst.rows]

    def do_tell(self):
        """A cross-core flag, or a wait for one: here all cube sub-cores run first."""

    do_hear = do_tell
