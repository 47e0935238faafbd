"""Kernels of making.py as text: of this project's language, and as upstream writes them."""

from making import WORDS
from meaning import Operand

BYTES = {"i32": 4, "f32": 4, "f16": 2}


def native(e):
    """An expression in this project's language."""
    if isinstance(e, int):
        return str(e)
    if isinstance(e, str):
        return {"@core": "%core", "@block": "block_id()", "@sub": "sub_id()"}.get(e, "%" + e)
    operator, left, right = e
    if operator in ("mod", "min", "max"):
        return "%s(%s, %s)" % (operator, native(left), native(right))
    return "(%s %s %s)" % (native(left), operator, native(right))


class Native:
    """The text of a kernel in this project's language."""

    def __init__(self, kernel):
        self.kernel, self.lines, self.views = kernel, [], {}
        self.put(0, ".kernel made", ".mix 1:%d" % kernel.mix, ".param n : i64")
        for name, array in kernel.inputs().items():
            self.put(0, ".%s %s : %s[%d, %d]" % (
                "inout" if name in kernel.results else "in", name, WORDS[str(array.dtype)],
                *array.shape))
        if kernel.kind == "ring":
            self.put(0, ".fifo ring : f32[32, 32] slots %d c2v split rows flags 0" % kernel.slots)
        for kind in ("aic", "aiv"):
            for part in kernel.parts[kind]:
                self.core(kind, part, kernel.blocks[kind])
        self.text = "\n".join(self.lines) + "\n"

    def put(self, depth, *lines):
        self.lines += ["    " * depth + line for line in lines]

    def core(self, kind, part, blocks):
        self.put(0, ".core " + kind)
        for tile in part.tiles + part.others:
            self.put(0, ".tile %s%s : %s %s[%d, %d]%s" % (
                tile.name, "[%d]" % tile.slots if tile.slots > 1 else "", tile.space,
                WORDS[tile.dtype.name], tile.rows, tile.cols,
                "" if tile.at is None else " @ %d" % tile.at))
        at, self.views = len(self.lines), {}
        self.put(1, "%%core = %s" % ("vec_id()" if kind == "aiv" else "block_id()"))
        for phase, block in enumerate(blocks):
            if phase:
                self.put(1, "sync_all %s" % ("all" if self.kernel.kind == "both" else kind))
            self.block(1, block)
        self.lines[at:at] = [".tile %s : %s of %s%s" % (name, *key) for key, name
                             in self.views.items()]

    def view(self, *key):
        if key not in self.views:
            self.views[key] = "view%d" % len(self.views)
        return self.views[key]

    def operand(self, o):
        """Rows and columns from the first ones on are an extent, others a view."""
        tile = o.tile
        slot = "[%s]" % native(o.slot) if tile.slots > 1 else ""
        extent = "" if (o.rows, o.cols) == (tile.rows, tile.cols) else \
            "{%d, %d}" % (o.rows, o.cols)
        if (o.row, o.col) == (0, 0):
            return tile.name + slot + extent
        word = WORDS[tile.dtype.name]
        if o.col == 0:
            name, size = self.view("%s[%d, %d]" % (word, o.rows, tile.cols), tile.name, ""), \
                tile.cols * BYTES[word]
            extent = "" if o.cols == tile.cols else extent
            return "%s%s(%s)%s" % (name, slot, native(("*", o.row, size)), extent)
        name = self.view("%s[%d, %d]" % (word, o.rows, o.cols), tile.name,
                         " pitch %d" % tile.cols)
        offset = ("*", ("+", ("*", o.row, tile.cols), o.col), BYTES[word])
        return "%s%s(%s)" % (name, slot, native(offset))

    def element(self, place):
        if not isinstance(place, Operand):
            return "%s[%s, %s]" % (place[0], native(place[1]), native(place[2]))
        slot = "[%s]" % native(place.slot) if place.tile.slots > 1 else ""
        return "%s%s(%s, %s)" % (place.tile.name, slot, native(place.row), native(place.col))

    def block(self, depth, block):
        for statement in block:
            getattr(self, "say_" + statement[0])(depth, *statement[1:])

    def say_loop(self, depth, name, first, end, step, body, word="to"):
        self.put(depth, ".for %%%s = %s %s %s%s" % (name, native(first), word, native(end),
                                                   "" if step == 1 else " step %d" % step))
        self.block(depth + 1, body)
        self.put(depth, ".endfor")

    def say_down(self, depth, name, first, end, step, body):
        self.say_loop(depth, name, first, end, step, body, "downto")

    def say_while(self, depth, name, end, body):
        self.put(depth, "%%%s = 0" % name, ".while %%%s < %s" % (name, native(end)))
        self.block(depth + 1, body)
        self.put(depth + 1, "%%%s = %%%s + 1" % (name, name))
        self.put(depth, ".endwhile")

    def say_if(self, depth, condition, then, other):
        self.put(depth, ".if %s" % native(condition))
        self.block(depth + 1, then)
        if other:
            self.put(depth, ".else")
            self.block(depth + 1, other)
        self.put(depth, ".endif")

    def say_set(self, depth, name, e):
        self.put(depth, "%%%s = %s" % (name, native(e)))

    def say_leave(self, depth):
        self.put(depth, ".break")

    def say_next(self, depth):
        self.put(depth, ".continue")

    def say_op(self, depth, name, dst, sources, scalar, scratch):
        operands = [self.operand(o) for o in [dst] + sources]
        operands += [] if scalar is None else [str(scalar)]
        operands += [] if scratch is None else [self.operand(scratch)]
        self.put(depth, "%s %s" % (name, ", ".join(operands)))

    def say_load(self, depth, dst, name, row, col):
        self.put(depth, "TLOAD %s, %s[%s, %s]" % (self.operand(dst), name, native(row),
                                                 native(col)))

    def say_store(self, depth, name, row, col, src, mode):
        self.put(depth, "TSTORE %s[%s, %s], %s%s" % (
            name, native(row), native(col), self.operand(src),
            ", plain, relu" if mode == "relu" else ""))

    def say_get(self, depth, name, source):
        self.put(depth, "%%%s = ld %s" % (name, self.element(source)))

    def say_put(self, depth, target, e):
        self.put(depth, "st %s, %s" % (self.element(target), native(e)))

    def say_count(self, depth, name, place, e):
        self.put(depth, "%%%s = fetch_add %s, %s" % (name, self.element(place), native(e)))

    def say_push(self, depth, src):
        self.put(depth, "TPUSH ring, " + self.operand(src))

    def say_pop(self, depth, dst):
        self.put(depth, "TPOP %s, ring" % self.operand(dst))

    def say_tell(self, depth):
        self.put(depth, "set_flag_dev FIX, 2, 0")

    def say_hear(self, depth):
        self.put(depth, "wait_flag_dev 0")

    def say_cut(self, depth, dst, src):
        offset = "" if (src.row, src.col) == (0, 0) else \
            "(%s, %s)" % (native(src.row), native(src.col))
        slot = "[%s]" % native(src.slot) if src.tile.slots > 1 else ""
        source = src.tile.name + slot + offset
        self.put(depth, "TEXTRACT %s, %s" % (self.operand(dst), source))

    def say_product(self, depth, dst, a, b, more):
        self.put(depth, "TMATMUL%s %s" % ("_ACC" if more else "", ", ".join(
            self.operand(o) for o in (dst, a, b))))
