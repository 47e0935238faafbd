"""Cases of instructions that move windows between global memory, UB and L1.

`moves` puts every tile and every window of global memory into one image, like tilewise; windows are
views of the object that holds it."""

import itertools

import numpy as np

import harness
import table
import values
from cases import BLOCK, Case, Tile, round_up
from values import canonical, decode, encode  # for test files

SIZES = ((1, 1), (3, 5), (16, 16), (17, 33), (2, 300), (0, 4), (3, 0))


class Window(Tile):
    """A window of global memory: `stride` elements from row to row, or a transposed view (dn)."""

    def text(self, prefix):
        return "%s%s[%d, %d]{%d, %d}" % (prefix, self.name, *(self.offset or (0, 0)), *self.valid)

    def view(self, prefix, base, block):
        first = (block * BLOCK + self.address) // values.size(self.dtype)
        strides = " strides 1, %d" % self.shape[0] if self.layout == "dn" else ""
        return ".view %s%s : %s[%d, %d] of %s offset %d%s" % (
            prefix, self.name, self.dtype, *self.shape, base, first, strides)


class MoveCase(Case):
    """The image goes through `space`; a window that is written lies in the object `after`, where
    the image has been stored before."""

    def __init__(self, mnemonic, operands, profile, kind, space):
        super().__init__(mnemonic, operands, profile, kind)
        self.space, self.core = space, "aic" if space == "l1" else "aiv"

    def objects(self, number, block):
        prefix = "c%d_" % number
        return [t.view(prefix, "image" if t is not self.operands[0] else "after", block)
                for t in self.tiles if isinstance(t, Window)]

    def lines(self, number, block):
        prefix = "c%d_" % number
        to_memory = isinstance(self.operands[0], Window)
        lines = [".tile %sraw : %s u8[%d, %d] nd @ 0" % (prefix, self.space,
                                                         self.bytes // BLOCK, BLOCK)]
        lines += [t.declaration(prefix) for t in self.tiles if not isinstance(t, Window)]
        store = ["    TSTORE after[%d, 0], %sraw" % (block, prefix), "    pipe_barrier ALL"]
        move = ["    " + self.instruction(prefix), "    pipe_barrier ALL"]
        return lines + ["    TLOAD %sraw, image[%d, 0]" % (prefix, block), "    pipe_barrier ALL"] \
            + (store + move if to_memory else move + store)


def operand(kind, name, dtype, valid, place, offset, rng):
    """A tile or window that holds `valid` elements from `offset` on, and some more around."""
    more = rng.integers(0, 4, 2) + bool(offset)  # an offset lies inside the tile
    at = offset or (0, 0)
    shape = round_up((max(valid[0] + at[0] + more[0], 1), max(valid[1] + at[1] + more[1], 1)),
                     dtype, place[1])
    bits = values.random_bits(dtype, shape, rng)
    return kind(name, dtype, valid, bits, place[1], offset, place[0])


def moves(mnemonic, ways, row=0, *, reference=None, words=None, sizes=SIZES, source_offset=False,
          into_offset=False, types=None, profiles=("a2", "a5"), base="a2"):
    """Test a row that moves its source to its destination.

    ways       pairs ((space, layout), (space, layout)) of destination and source; the spaces are gm
               (layout nd, or dn for a transposed view), ub and l1
    reference  function(source bits, old destination bits, types, keywords) -> destination bits;
               default: the source
    words      {keyword operand: values to go through}
    source_offset  the source is a tile with an offset (row, column)
    into_offset    the destination is one
    types      only these alternatives, as tuples
    base       the profile for types that all levels have
    """
    info = table.rows_of(mnemonic)[row]
    names = [o["name"] for o in table.typed_operands(info)][:2]
    rng = np.random.default_rng(list(mnemonic.encode()))
    for level, profile in (("types", base), ("types_a5", "a5")):
        for pair in table.alternatives(info[level], 2):
            if profile not in profiles or (types and pair not in types):
                continue
            for way, size, chosen in itertools.product(ways, sizes, itertools.product(
                    *(words or {}).values())):
                harness.add(one_move(info, row, names, pair, way, size, chosen, profile,
                                     reference, source_offset, into_offset, rng))


def one_move(info, row, names, pair, way, size, chosen, profile, reference, source_offset,
             into_offset, rng):
    kinds = [Window if place[0] == "gm" else Tile for place in way]
    offset = tuple(map(int, rng.integers(0, 20, 2))) if source_offset else None
    into = tuple(map(int, rng.integers(0, 4, 2))) if kinds[0] is Window or into_offset else None
    dst = operand(kinds[0], names[0], pair[0], size, way[0], into, rng)
    src = operand(kinds[1], names[1], pair[1], size, way[1],
                  offset or (into if kinds[1] is Window else None), rng)
    r, c = src.offset or (0, 0)
    bits = src.bits[r:r + size[0], c:c + size[1]]
    r, c = dst.offset or (0, 0)
    dst.want = dst.bits.copy()
    old = dst.bits[r:r + size[0], c:c + size[1]]
    if size[0] and size[1]:
        with np.errstate(all="ignore"):
            dst.want[r:r + size[0], c:c + size[1]] = \
                reference(bits, old, pair, *chosen) if reference else bits
    if source_offset and kinds[1] is Tile:
        src.valid = src.shape
    space = next(place[0] for place in way if place[0] != "gm")
    return MoveCase(info["mnemonic"], [dst, src] + [w for w in chosen if w], profile, (row, pair),
                    space)
