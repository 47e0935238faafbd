"""Kernels without any synchronisation, from seeds, and what numpy says of them: loops up, down and
by conditions, choices, slots in turn, windows of tiles, scratch that shares bytes, scalar loads and
stores, products in the cube, phases with a barrier of all sub-cores between."""

import random

import numpy as np

from meaning import Machine, Operand, Tile

ROWS, COLS = 8, 32          # of a tile
OWN = 32                    # rows of a result that belong to one sub-core
WORDS = {"int32": "i32", "float32": "f32", "float16": "f16"}


class Scope:
    """What a place of the program knows: registers that count, how deep it is."""

    def __init__(self, depth=0, counters=(), looped=False):
        self.depth, self.counters, self.looped = depth, tuple(counters), looped


class Part:
    """What all random parts share: registers, blocks, loops and choices."""

    def __init__(self, rng, plain):
        self.rng, self.plain = rng, plain       # plain: what upstream's text can say
        self.count, self.turning, self.tiles = 0, {}, []
        self.loaded, self.others = [], []    # others: tiles with a use of their own

    def one(self, *choices):
        return self.rng.choice(choices)

    def chance(self, p):
        return self.rng.random() < p

    def fresh(self, letter):
        self.count += 1
        return "%s%d" % (letter, self.count)

    def small(self, scope, most):
        """An expression between 0 and most - 1."""
        if scope.counters and self.chance(0.7):
            counter = self.rng.choice(scope.counters)
            if self.chance(0.3):
                counter = ("+", counter, self.rng.randint(0, 3))
            return ("mod", counter, most)
        return self.rng.randrange(most)

    def condition(self, scope):
        values = list(scope.counters) + ["n"] + self.loaded
        value = self.rng.choice(values)
        kind = self.rng.random()
        if kind < 0.6:
            return ("==", ("mod", value, self.one(2, 3)), self.one(0, 1))
        return (self.one("<", ">", "=="), value, self.rng.randint(0, 2))

    def slot(self, tile, scope):
        if tile.slots == 1:
            return 0
        kind = self.rng.random()
        if kind < 0.5 and tile.slots in self.turning:
            return self.turning[tile.slots]
        if kind < 0.8 and scope.counters:
            return ("mod", self.rng.choice(scope.counters), tile.slots)
        return self.rng.randrange(tile.slots)

    def loop(self, scope):
        name = self.fresh("i")
        inner = Scope(scope.depth + 1, scope.counters + (name,), True)
        end = self.rng.choice(["n", "n", 2, 3, 0] + list(scope.counters))
        body = self.block(self.rng.randint(1, 5), inner)
        if self.turning and self.chance(0.8):
            slots = self.rng.choice(sorted(self.turning))
            register = self.turning[slots]
            body.append(("set", register, ("mod", ("+", register, 1), slots)))
        kind = self.rng.random()
        if self.plain or kind < 0.6:
            return [("loop", name, self.one(0, 0, 1), end, self.one(1, 1, 2), body)]
        if kind < 0.8:
            return [("down", name, end, 0, self.one(1, 1, 2), body)]
        if has(body, "next"):
            return [("loop", name, 0, end, 1, body)]
        return [("while", name, end, body)]

    def choice(self, scope):
        inner = Scope(scope.depth + 1, scope.counters, scope.looped)
        before = list(self.loaded)
        then = self.block(self.rng.randint(1, 3), inner)
        self.loaded = list(before)
        other = self.block(self.rng.randint(1, 3), inner) if self.chance(0.5) else []
        self.loaded = before
        if scope.looped and not self.plain and self.chance(0.1):
            then.append((self.one("leave", "next"),))
        return [("if", self.condition(scope), then, other)]

    def block(self, count, scope):
        made, before = [], list(self.loaded)
        for _ in range(count):
            kind = self.rng.random()
            if kind < 0.22 and scope.depth < 3:
                made += self.loop(scope)
            elif kind < 0.34 and scope.depth < 4:
                made += self.choice(scope)
            else:
                made += self.work(scope)
        self.loaded = before
        return made


def has(block, kind):
    return any(s[0] == kind or any(has(x, kind) for x in s[1:] if isinstance(x, list))
               for s in block if isinstance(s, tuple))


class Vector(Part):
    """A random program of a vector sub-core over tiles of one type."""

    def __init__(self, rng, plain, result, earlier, cores):
        super().__init__(rng, plain)
        self.result, self.earlier, self.cores = result, earlier, cores
        self.use(rng.choice(("int32", "float32")))

    def use(self, dtype):
        """Tiles of this type."""
        rng, plain = self.rng, self.plain
        self.dtype, self.tiles, self.turning = dtype, [], {}
        for k in range(self.one(1, 2, 3, 3, 5, 8)):
            slots = 1 if plain else self.one(1, 1, 1, 2, 2, 3)
            self.tiles.append(Tile("t%d" % k, "ub", self.dtype, ROWS, COLS, slots))
            if slots > 1:
                self.turning[slots] = "s%d" % slots
        self.scratch = [Tile("u%d" % k, "ub", self.dtype, ROWS, COLS, 1, 0x8000 + k * 512)
                        for k in range(self.one(1, 2, 3))]
        self.others = list(self.scratch)

    def begin(self):
        made = [("set", name, 0) for name in sorted(self.turning.values())]
        for tile in self.tiles:
            for slot in range(tile.slots):
                whole = Operand(tile, slot, ROWS, COLS)
                made.append(self.one(("load", whole, "x", self.rng.randrange(24), 0),
                                     ("op", "TEXPANDS", whole, [], 1, None)))
        return made

    def end(self):
        made = []
        for tile in self.tiles[:3]:
            for slot in range(tile.slots):
                made.append(("store", self.result, self.row(Scope(), ROWS), 0,
                             Operand(tile, slot, ROWS, COLS), "plain"))
        return made

    def row(self, scope, rows):
        """A row of this sub-core's own part of a result."""
        return ("+", ("*", "@core", OWN), self.near(scope, rows, OWN))

    def near(self, scope, rows, most):
        if scope.counters and self.chance(0.5):
            counter = self.rng.choice(scope.counters)
            return ("*", ("mod", counter, most // rows), rows)
        return self.small(scope, most - rows + 1)

    def rows(self):
        return self.one(ROWS, ROWS, ROWS // 2)

    def operand(self, scope, rows, cols):
        tile = self.rng.choice(self.tiles)
        row = col = 0
        if rows < ROWS and self.chance(0.5):
            row = self.one(rows, ("*", self.small(scope, 2), rows))
        if cols < COLS and self.chance(0.5):
            col = self.one(COLS - cols, ("*", self.small(scope, 2), COLS - cols))
        if self.plain and not isinstance(col, int):
            col = 0
        return Operand(tile, self.slot(tile, scope), rows, cols, row, col)

    def scalar(self, low=False):
        if self.dtype == "int32":
            return self.one(2, 3, 5, -1)
        return 0.25 if low else self.one(0.5, -1.5, 2.0)

    def compute(self, scope):
        rows, cols = self.rows(), self.one(COLS, COLS, 16)
        a, b, c = (self.operand(scope, rows, cols) for _ in range(3))
        kind = self.rng.random()
        if kind < 0.45:
            return [("op", self.one("TADD", "TSUB", "TMAX", "TMIN"), a, [b, c], None, None)]
        if kind < 0.75:
            name = self.one("TADDS", "TMULS", "TMAXS")
            return [("op", name, a, [b], self.scalar(name == "TMULS"), None)]
        if kind < 0.85:
            return [("op", "TMOV" if not self.plain else "TADDS", a, [b],
                     None if not self.plain else 1, None)]
        return [("op", "TEXPANDS", a, [], self.scalar(), None)]

    def with_scratch(self, scope):
        """Scratch shares bytes: written as a whole before it is read, in one go."""
        scratch = self.rng.choice(self.scratch)
        whole = Operand(scratch, 0, ROWS, COLS)
        line = Operand(scratch, 0, 1, COLS)
        column = Operand(scratch, 0, ROWS, 1)
        a, b = (self.operand(scope, ROWS, COLS) for _ in range(2))
        kind = self.rng.random()
        if kind < 0.35 and not self.plain:
            others = [t for t in self.scratch if abs(t.at - scratch.at) >= 1024]
            tmp = Operand(self.rng.choice(others), 0, ROWS, COLS) if others else None
            made = [("op", "TROWMAX", column, [a], None, tmp)]
            made.append(("op", "TROWEXPAND", b, [column], None, None))
            return made
        if kind < 0.55:
            made = [("op", "TCOLMAX", line, [a], None, None)]
            if self.chance(0.5):
                line = Operand(scratch, 0, 1, COLS)
                made.append(("store", self.result, self.row(scope, 1), 0, line, "plain"))
            return made
        made = [("load", whole, self.one("x", "z"), self.small(scope, 24), 0)]
        if self.chance(0.5):
            made.append(("op", "TADD", whole, [whole, a], None, None))
        made.append(self.one(("op", "TADD", b, [whole, b], None, None),
                             ("store", self.result, self.row(scope, ROWS), 0, whole, "plain")))
        return made

    def word(self, scope, own=True):
        """An element of the result, or of an earlier one of another sub-core."""
        if own or not self.earlier:
            return (self.result, self.row(scope, 1), self.small(scope, COLS))
        other = ("mod", ("+", "@core", 1), self.cores)
        return (self.rng.choice(self.earlier), ("+", ("*", other, OWN), self.small(scope, OWN)), 3)

    def element(self, scope):
        tile = self.rng.choice(self.tiles)
        return Operand(tile, self.slot(tile, scope), 1, 1, self.small(scope, ROWS),
                       self.small(scope, COLS))

    def get(self, place):
        name = self.fresh("v")
        self.loaded.append(name)
        return [("get", name + "r", place), ("set", name, ("mod", ("max", name + "r", 0), 7))]

    def scalars(self, scope):
        """Loads and stores of S, of elements of tiles and of global memory."""
        if self.dtype != "int32":
            return self.compute(scope)
        if not self.plain and self.chance(0.6):
            place = self.element(scope)
        else:
            place = self.word(scope)
        kind = self.rng.random()
        if kind < 0.45:
            return self.get(place if self.chance(0.7) else self.word(scope, False))
        if kind < 0.6 and not self.plain:
            return [("count", self.fresh("v"), self.word(scope), self.rng.randint(1, 9))]
        value = self.rng.choice(list(scope.counters) + self.loaded + [self.rng.randrange(100)])
        return [("put", place, value)]

    def work(self, scope):
        kind = self.rng.random()
        if kind < 0.3:
            o = self.operand(scope, ROWS, COLS)
            return [("load", o, "x", self.small(scope, 24), 0)]
        if kind < 0.36:
            rows = ROWS // 2        # as all loads of results: none leaves bytes of another
            o = self.operand(scope, rows, COLS)
            if self.earlier and self.chance(0.6):
                other = ("mod", ("+", "@core", 1), self.cores)
                row = ("+", ("*", other, OWN), self.near(scope, rows, OWN))
                return [("load", o, self.rng.choice(self.earlier), row, 0)]
            return [("load", o, self.result, self.row(scope, rows), 0)]
        if kind < 0.66:
            return self.compute(scope)
        if kind < 0.76:
            return self.with_scratch(scope)
        if kind < 0.84:
            return self.scalars(scope)
        rows = self.rows()
        return [("store", self.result, self.row(scope, rows), 0,
                 self.operand(scope, rows, COLS), "plain")]


class Cube(Part):
    """A random program of a cube sub-core: pieces of a and b, products, sums."""

    def __init__(self, rng, plain, result):
        super().__init__(rng, plain)
        self.result, self.least = result, "plain" if plain else "relu"

        def several(name, space, rows, cols, dtype="float16"):
            made = []
            for k in range(self.one(1, 1, 2)):
                slots = 1 if plain else self.one(1, 1, 2, 2)
                made.append(Tile("%s%d" % (name, k), space, dtype, rows, cols, slots))
                if slots > 1:
                    self.turning[slots] = "s%d" % slots
            self.tiles += made
            return made
        self.a1, self.b1 = several("a", "l1", 32, 32), several("b", "l1", 32, 32)
        self.a0, self.b0 = several("la", "l0a", 32, 16), several("lb", "l0b", 16, 32)
        self.c0 = several("c", "l0c", 32, 32, "float32")
        self.d1 = [] if plain else several("d", "l1", 32, 32)

    def of(self, tiles, scope, row=0, col=0, rows=None, cols=None):
        tile = self.rng.choice(tiles)
        return Operand(tile, self.slot(tile, scope), rows or tile.rows, cols or tile.cols, row,
                       col)

    def begin(self):
        made = [("set", name, 0) for name in sorted(self.turning.values())]
        s = Scope()
        for tiles, name in ((self.a1, "a"), (self.b1, "b")):
            made += [("load", Operand(t, k, 32, 32), name, 0, 0)
                     for t in tiles for k in range(t.slots)]
        for to, source in ((self.a0, self.a1), (self.b0, self.b1)):
            made += [("cut", Operand(t, k, t.rows, t.cols), self.of(source, s, 0, 0, t.rows,
                                                                    t.cols))
                     for t in to for k in range(t.slots)]
        for t in self.c0:
            made += [("product", Operand(t, k, 32, 32), self.of(self.a0, s), self.of(self.b0, s),
                      False) for k in range(t.slots)]
        for t in self.d1:
            made += [("cut", Operand(t, k, 32, 32), Operand(self.c0[0], 0, 32, 32))
                     for k in range(t.slots)]
        return made

    def end(self):
        return [("store", self.result, ("+", ("*", "@core", 64), 32 * (k % 2)), 0,
                 Operand(t, k, 32, 32), "plain") for t in self.c0 for k in range(t.slots)]

    def work(self, scope):
        kind = self.rng.random()
        if kind < 0.25:
            tiles, name = self.one((self.a1, "a"), (self.b1, "b"))
            return [("load", self.of(tiles, scope), name, self.small(scope, 33),
                     ("*", self.small(scope, 2), 32))]
        if kind < 0.5:
            step = ("*", self.small(scope, 2), 16)
            if self.chance(0.5):
                return [("cut", self.of(self.a0, scope), self.of(self.a1, scope, 0, step, 32, 16))]
            return [("cut", self.of(self.b0, scope), self.of(self.b1, scope, step, 0, 16, 32))]
        if kind < 0.8:
            return [("product", self.of(self.c0, scope), self.of(self.a0, scope),
                     self.of(self.b0, scope), self.chance(0.7))]
        if kind < 0.87 and self.d1:
            return self.back(scope)
        return [("store", self.result, ("+", ("*", "@core", 64), ("*", self.small(scope, 2), 32)),
                 0, self.of(self.c0, scope), self.one("plain", "plain", self.least))]

    def back(self, scope):
        """A product of pieces of a and b goes back into L1, and is stored from a sum."""
        c, a, b = (self.of(t, scope) for t in (self.c0, self.a0, self.b0))
        d, again = self.of(self.d1, scope), self.of(self.a0, scope)
        piece = self.of(self.a1, scope, 0, 0, 32, 16)
        return [("cut", a, piece), ("product", c, a, b, False), ("cut", d, c),
                ("cut", again, Operand(d.tile, d.slot, 32, 16)),
                ("product", c, again, b, True),
                ("cut", again, self.of(self.a1, scope, 0, 0, 32, 16))]


class Kernel:
    """A random kernel: its parts by phase, what it is called with, what numpy says."""

    def __init__(self, seed, plain=False):
        rng = self.rng = random.Random(seed)
        self.plain, self.seed = plain, seed
        self.kind = rng.choice(("vector",) * 4 + ("cube",) * 2 +
                               (() if plain else ("both", "ring", "flag")))
        self.cores, self.slots = rng.choice((1, 1, 2, 3)), rng.choice((1, 2, 3))
        self.mix = 1 if plain or self.kind == "cube" else rng.choice((1, 1, 2))
        self.vectors = self.cores * self.mix
        self.parts, self.blocks = {"aiv": [], "aic": []}, {"aiv": [], "aic": []}
        self.results = {}
        if self.kind in ("ring", "flag"):
            self.make_together()
            return
        phases = 1 if plain else rng.choice((1, 1, 1, 2, 3))
        if self.kind != "cube":
            self.make_vector(phases)
        if self.kind != "vector":
            self.make_cube(phases if self.kind == "both" else 1)

    def make_vector(self, phases):
        names = ["y%d" % p for p in range(phases)]
        part = Vector(self.rng, self.plain, names[0], [], self.vectors)
        self.parts["aiv"] = [part]
        for phase, name in enumerate(names):
            part.result, part.earlier = name, names[:phase]
            self.results[name] = (self.vectors * OWN, COLS, part.dtype)
            block = part.begin() if phase == 0 else []
            block += part.block(self.rng.randint(2, 5), Scope()) + part.end()
            self.blocks["aiv"].append(block)

    def make_cube(self, phases):
        part = Cube(self.rng, self.plain, "w")
        self.results["w"] = (self.cores * 64, 32, "float32")
        self.parts["aic"] = [part]
        for phase in range(phases):
            block = part.begin() if phase == 0 else []
            block += part.block(self.rng.randint(2, 5), Scope()) + part.end()
            self.blocks["aic"].append(block)

    def make_together(self):
        """Every turn, the cube hands a matrix to the vector sub-cores of its block."""
        cube = Cube(self.rng, False, "w")
        vector = Vector(self.rng, False, "y0", [], self.vectors)
        vector.use("float32")
        self.parts = {"aic": [cube], "aiv": [vector]}
        self.results = {"w": (self.cores * 64, 32, "float32"),
                        "y0": (self.vectors * OWN, COLS, "float32")}
        piece = Tile("piece", "ub", "float32", 32 // self.mix, 32)
        vector.others.append(piece)
        whole = Operand(piece, 0, piece.rows, 32)
        given, scope = self.give(cube, whole)
        a, b = (vector.operand(scope, ROWS, COLS) for _ in range(2))
        used = [("op", "TADD", a, [Operand(piece, 0, ROWS, 32, ROWS), b], None, None),
                ("op", "TMAX", piece_of(piece), [piece_of(piece), a], None, None),
                ("store", "y0", ("*", "@core", OWN), 0, whole, "plain")]
        self.rng.shuffle(used)
        for part, kind, middle in ((cube, "aic", given[0]),
                                   (vector, "aiv", given[1] + used[:self.rng.randint(1, 3)])):
            body = part.block(self.rng.randint(0, 2), scope) + middle
            body += part.block(self.rng.randint(0, 2), scope)
            self.blocks[kind].append(part.begin() + [("loop", "turn", 0, "n", 1, strict(body))] +
                                     part.end())

    def give(self, cube, whole):
        """What the cube does and what the others do, through a ring or by a flag."""
        scope = Scope(1, ("turn",), True)
        source = cube.of(cube.c0, scope)
        if self.kind == "ring":
            return ([("push", source)], [("pop", whole)]), scope
        self.results["g"] = (self.cores * 128, 32, "float32")
        row = ("+", ("*", "@block", 128), ("*", "turn", 32))
        return ([("store", "g", row, 0, source, "plain"), ("tell",)],
                [("hear",), ("load", whole, "g", ("+", row, ("*", "@sub", whole.rows)), 0)]), scope

    def inputs(self):
        rng = np.random.default_rng(self.seed)
        made = {}
        for part in self.parts["aiv"]:
            for name in ("x", "z"):
                made[name] = rng.integers(-9, 9, (32, COLS)).astype(part.dtype)
        if self.parts["aic"]:
            for name in ("a", "b"):
                made[name] = rng.integers(-1, 2, (64, 64)).astype("float16")
        for name, (rows, cols, dtype) in self.results.items():
            made[name] = rng.integers(0, 9, (rows, cols)).astype(dtype)
        return made

    def golden(self, n):
        objects = self.inputs()
        machines = []
        for kind, count, mix in (("aic", self.cores, 1), ("aiv", self.vectors, self.mix)):
            for part in self.parts[kind]:
                machines += [(kind, Machine(c, mix, part.tiles + part.others, objects, {"n": n}))
                             for c in range(count)]
        for phase in range(max(len(b) for b in self.blocks.values())):
            for kind, machine in machines:
                machine.run(self.blocks[kind][phase])
        return {name: objects[name] for name in self.results}


def piece_of(tile):
    return Operand(tile, 0, ROWS, COLS)


def strict(body):
    """Without ways to leave the turn: every turn hands one matrix over."""
    return [s[:2] + tuple(strict(x) for x in s[2:]) if s[0] == "if" else s
            for s in body if s[0] not in ("leave", "next")]
