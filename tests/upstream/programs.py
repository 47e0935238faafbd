"""Structured programs without flags, from seeds: loops in loops, loops of no turn, choices, one to
twenty tiles, views of tiles, slots in turn."""

import random

HEAD = """.kernel program
.mix 1:1
.param n : i64
.in    x : f32[64, 16]
.inout y : f32[64, 16]
.core aiv
"""


class Program:
    """The text of one program: a tree of statements over its tiles."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.counters = 0
        self.turns, self.whole = [], []
        self.tiles = self.declare()
        self.begin()
        self.block(self.random.randint(2, 5), 1, [])
        for k, tile in enumerate(self.whole):
            self.emit(1, "TSTORE y[%d, 0], %s{4, 16}" % (k * 4 % 60, tile))
        self.text = HEAD + "".join(self.lines)

    def emit(self, depth, line):
        self.lines.append("    " * depth + line + "\n")

    def declare(self):
        """Operands of four rows, as they may be written anywhere."""
        operands = []
        for k in range(self.random.choice((1, 2, 3, 3, 5, 8, 20))):
            slots = self.random.choice((1, 1, 1, 2, 3))
            self.emit(0, ".tile t%d[%d] : ub f32[8, 16]" % (k, slots))
            self.whole += ["t%d[%d]" % (k, s) for s in range(slots)]
            if slots > 1:
                operands.append("t%d[%%s%d]{4, 16}" % (k, slots))
                self.turns += [slots] * (slots not in self.turns)
                continue
            operands.append("t%d{4, 16}" % k)
            if self.random.random() < 0.3:
                self.emit(0, ".tile v%d : f32[4, 16] of t%d" % (k, k))
                operands.append("v%d" % k)
        return operands

    def begin(self):
        for slots in self.turns:
            self.emit(1, "%%s%d = 0" % slots)
        for tile in self.whole:
            self.emit(1, "TLOAD %s, x[0, 0]" % tile)

    def tile(self):
        return self.random.choice(self.tiles)

    def row(self, counters):
        rows = ["%d" % self.random.randrange(0, 60)]
        rows += ["mod(%s, 8) * 4" % c for c in counters] + ["%s" % c for c in counters]
        return self.random.choice(rows)

    def work(self, depth, counters):
        self.emit(depth, self.random.choice((
            "TLOAD %s, x[%s, 0]" % (self.tile(), self.row(counters)),
            "TLOAD %s, x[%s, 0]" % (self.tile(), self.row(counters)),
            "TADDS %s, %s, 0.5" % (self.tile(), self.tile()),
            "TADD %s, %s, %s" % (self.tile(), self.tile(), self.tile()),
            "TMULS %s, %s, 0.25" % (self.tile(), self.tile()),
            "TSTORE y[%s, 0], %s" % (self.row(counters), self.tile()),
            "TLOAD %s, y[%s, 0]" % (self.tile(), self.row(counters)))))

    def loop(self, depth, counters):
        self.counters += 1
        name = "%%i%d" % self.counters
        end = self.random.choice(["n", "n", "2", "0"] + counters)
        self.emit(depth, ".for %s = 0 to %s" % (name, end))
        self.block(self.random.randint(1, 6), depth + 1, counters + [name])
        if self.turns and self.random.random() < 0.8:
            slots = self.random.choice(self.turns)
            self.emit(depth + 1, "%%s%d = mod(%%s%d + 1, %d)" % (slots, slots, slots))
        self.emit(depth, ".endfor")

    def choice(self, depth, counters):
        value = self.random.choice(["n"] + counters)
        self.emit(depth, ".if mod(%s, %d) == %d" % (value, self.random.choice((2, 3)),
                                                  self.random.choice((0, 1))))
        self.block(self.random.randint(1, 3), depth + 1, counters)
        if counters and self.random.random() < 0.1:
            self.emit(depth + 1, self.random.choice((".continue", ".break")))
        if self.random.random() < 0.5:
            self.emit(depth, ".else")
            self.block(self.random.randint(1, 3), depth + 1, counters)
        self.emit(depth, ".endif")

    def block(self, count, depth, counters):
        for _ in range(count):
            kind = self.random.random()
            if kind < 0.25 and depth < 4:
                self.loop(depth, counters)
            elif kind < 0.4 and depth < 5:
                self.choice(depth, counters)
            else:
                self.work(depth, counters)
