"""One case: an instruction on tiles whose bytes are known before and checked after.

All tiles of a case lie in one image of bytes with gaps between them.  The image is loaded as raw
bytes, the instruction runs, and the whole image comes back: a result in the wrong place, a byte
written outside the valid region and a changed source all show, and neither layouts nor element
types of the transfers take part.  Many cases make one kernel."""

import os
import re
import tempfile

import numpy as np

import values
from table import ptovm

GAP = 32            # bytes between tiles, which must survive
BLOCK = 32          # images come in rows of so many bytes
BATCH_CASES = 250   # of one kernel
BATCH_BYTES = 8 << 20


def fractal(dtype, layout, space="ub"):
    """Rows and columns of a block of the layout."""
    inner = 16 if space == "l0c" else 32 // values.size(dtype)
    return {"nd": (1, 1), "dn": (1, 1), "pitched": (1, 1),
            "zn": (inner, 16)}.get(layout, (16, inner))


def offsets(shape, dtype, layout, space="ub"):
    """Place of every element of a tile, counted in elements (docs/language.md, "Layouts")."""
    rows, cols = np.indices(shape)
    high, wide = fractal(dtype, layout, space)
    if layout == "nd":
        return rows * shape[1] + cols
    if layout == "pitched":  # nd as a window of a wider tile
        return rows * pitch(shape, dtype) + cols
    if layout == "dn":
        return cols * shape[0] + rows
    blocks = cols // wide * (shape[0] // high) + rows // high if layout == "nz" else \
        rows // high * (shape[1] // wide) + cols // wide
    inside = cols % wide * high + rows % high if layout == "zn" else \
        rows % high * wide + cols % wide
    return blocks * high * wide + inside


def pitch(shape, dtype):
    return shape[1] + 32 // values.size(dtype)


def round_up(shape, dtype, layout, space="ub"):
    high, wide = fractal(dtype, layout, space)
    return -(-shape[0] // high) * high, -(-shape[1] // wide) * wide


class Tile:
    """A tile operand: `bits` is what all its elements hold before, `want` after; None: anything."""

    def __init__(self, name, dtype, valid, bits, layout="nd", offset=None, space="ub"):
        self.name, self.dtype, self.valid, self.bits = name, dtype, valid, bits
        self.layout, self.offset, self.space = layout, offset, space
        self.want, self.exact, self.limit = bits, None, None
        self.same_as = None  # another Tile whose bytes these are
        self.address = 0

    @property
    def shape(self):
        return self.bits.shape

    def bytes(self):
        if self.layout == "pitched":
            rows, cols = self.shape
            return ((rows - 1) * pitch(self.shape, self.dtype) + cols) * values.size(self.dtype)
        return self.bits.size * values.size(self.dtype)

    def text(self, prefix):
        place = "(%d, %d)" % self.offset if self.offset else ""
        return "%s%s%s{%d, %d}" % (prefix, self.name, place, *self.valid)

    def declaration(self, prefix):
        if self.layout == "pitched":
            return ".tile %s%s : %s[%d, %d] nd @ %d of %sraw pitch %d" % (
                prefix, self.name, self.dtype, *self.shape, self.address, prefix,
                pitch(self.shape, self.dtype))
        return ".tile %s%s : %s %s[%d, %d] %s @ %d" % (
            prefix, self.name, self.space, self.dtype, *self.shape, self.layout, self.address)

    def put(self, image, bits):
        """Write the elements where they lie in the image of the case."""
        place = image[self.address:self.address + self.bytes()].view(values.bits_type(self.dtype))
        place[offsets(self.shape, self.dtype, self.layout, self.space)] = bits

    def get(self, image):
        place = image[self.address:self.address + self.bytes()].view(values.bits_type(self.dtype))
        return place[offsets(self.shape, self.dtype, self.layout, self.space)]

    def about(self):
        whole = "" if self.valid == self.shape else " of [%d, %d]" % self.shape
        alias = " = " + self.same_as.name if self.same_as else ""
        return "%s%s: %s {%d, %d}%s %s" % (self.name, alias, self.dtype, *self.valid, whole,
                                           self.layout)


class Case:
    """`operands`: Tiles and texts (scalars, keywords) in the order of the instruction.  `kind`: the
    row and the types that it covers."""

    core = "aiv"

    def __init__(self, mnemonic, operands, profile, kind, extra_tiles=()):
        self.mnemonic, self.operands, self.profile, self.kind = mnemonic, operands, profile, kind
        self.tiles = [o for o in operands if isinstance(o, Tile)] + list(extra_tiles)
        self.own = [t for t in self.tiles if not t.same_as]
        self.place()

    def place(self):
        address = GAP
        for tile in self.own:
            tile.address = address
            address += -(-tile.bytes() // BLOCK) * BLOCK + GAP
        for tile in self.tiles:
            if tile.same_as:
                tile.address = tile.same_as.address
                address = max(address, tile.address + -(-tile.bytes() // BLOCK) * BLOCK + GAP)
        self.bytes = address
        self.covered = [t.same_as for t in self.tiles if t.same_as]

    def before(self):
        image = (np.arange(self.bytes) * 37 + 11 & 0xFF).astype(np.uint8)
        for tile in self.own:
            tile.put(image, tile.bits)
        return image

    def instruction(self, prefix=""):
        return "%s %s" % (self.mnemonic, ", ".join(
            o.text(prefix) if isinstance(o, Tile) else str(o) for o in self.operands))

    def objects(self, number, block):
        """Declarations of global objects."""
        return []

    def lines(self, number, block):
        """`block`: where the image begins in the object, in rows."""
        prefix = "c%d_" % number
        raw = "%sraw" % prefix
        declarations = [".tile %s : ub u8[%d, %d] @ 0" % (raw, self.bytes // BLOCK, BLOCK)]
        declarations += [tile.declaration(prefix) for tile in self.tiles]
        return declarations + ["    TLOAD %s, image[%d, 0]" % (raw, block), "    pipe_barrier ALL",
                               "    " + self.instruction(prefix), "    pipe_barrier ALL",
                               "    TSTORE after[%d, 0], %s" % (block, raw), "    pipe_barrier ALL"]

    def check(self, after):
        """Messages about what differs."""
        want, messages = self.before(), []
        for tile in self.tiles:
            if tile in self.covered:
                continue
            bits = tile.get(after)
            if tile.exact is not None:
                messages += self.compare_ulp(tile, bits)
            elif tile.want is not None and not np.array_equal(bits, tile.want):
                messages.append(self.describe(tile, bits, bits != tile.want))
            tile.put(want, bits)
        if not messages and not np.array_equal(want, after):
            messages.append("bytes outside all tiles were written, first at byte %d of\n    %s" % (
                np.flatnonzero(want != after)[0],
                "; ".join("%s @ %d" % (t.about(), t.address) for t in self.tiles)))
        return messages

    def compare_ulp(self, tile, bits):
        rows, cols = tile.valid
        error = values.ulp_error(bits[:rows, :cols], tile.exact, tile.dtype)
        bad = bits != tile.want  # outside the valid region nothing changes
        bad[:rows, :cols] = error > tile.limit
        if not bad.any():
            return []
        return [self.describe(tile, bits, bad) + "\n    error %.3g ulp, allowed %g" % (
            error.max(), tile.limit)]

    def describe(self, tile, bits, bad):
        row, col = np.argwhere(bad)[0]
        lines = ["%d of %d elements of %s differ, first at [%d, %d]: got %s, want %s" % (
            bad.sum(), bad.size, tile.name, row, col, values.show(bits[row, col], tile.dtype),
            values.show(tile.want[row, col], tile.dtype))]
        if row >= tile.valid[0] or col >= tile.valid[1]:
            lines.append("that is outside the valid region, which must stay as it was")
        for other in self.tiles:
            if other is not tile and row < other.shape[0] and col < other.shape[1]:
                lines.append("%s[%d, %d] = %s" % (other.name, row, col, values.show(
                    other.bits[row, col], other.dtype)))
        lines.append("; ".join(t.about() for t in self.tiles))
        return "\n    ".join(lines)


# ---- running -------------------------------------------------------------------------------------


class Folder:
    """A folder for the files of one process; kept if PTO_KEEP is set."""

    def __init__(self):
        self.keep = bool(os.environ.get("PTO_KEEP"))
        self.temporary = None if self.keep else tempfile.TemporaryDirectory(prefix="pto-isa-")
        self.name = tempfile.mkdtemp(prefix="pto-isa-") if self.keep else self.temporary.name
        if self.keep:
            print("files are in", self.name)

    def path(self, name):
        return os.path.join(self.name, name)

    def write(self, name, content):
        with open(self.path(name), "wb" if isinstance(content, bytes) else "w") as file:
            file.write(content)
        return self.path(name)


def kernel_text(kind, objects, lines):
    return "\n".join([".kernel cases", ".mix 1:1"] + objects + [".core " + kind] + lines) + "\n"


def batches(cases):
    batch, total = [], 0
    for case in cases:
        key = (case.profile, case.core)
        if batch and (len(batch) >= BATCH_CASES or total + case.bytes > BATCH_BYTES
                      or key != (batch[0].profile, batch[0].core)):
            yield batch
            batch, total = [], 0
        batch.append(case)
        total += case.bytes
    if batch:
        yield batch


def run_batch(folder, batch):
    """Run the cases as one kernel; pairs of a case and its messages."""
    starts = np.cumsum([0] + [case.bytes // BLOCK for case in batch])
    image = np.concatenate([case.before() for case in batch])
    lines = []
    for number, case in enumerate(batch):
        lines += case.lines(number, starts[number])
    objects = [".in image : u8[%d, %d]" % (starts[-1], BLOCK),
               ".out after : u8[%d, %d]" % (starts[-1], BLOCK)]
    for number, case in enumerate(batch):
        objects += case.objects(number, starts[number])
    path = folder.write("cases.pto", kernel_text(batch[0].core, objects, lines))
    done = ptovm("--profile", batch[0].profile, "--cores", 1, "-q", "run", path, "--in",
                 "image=" + folder.write("image.bin", image.tobytes()), "--out",
                 "after=" + folder.path("after.bin"))
    if done.code:
        number = re.search(r"\bc(\d+)_", done.err)
        about = batch[int(number.group(1))] if number else batch[0]
        return [(about, ["the kernel stopped (exit status %d):\n%s" % (done.code, done.err)])]
    after = np.fromfile(folder.path("after.bin"), np.uint8)
    return [(case, case.check(after[BLOCK * starts[i]:BLOCK * starts[i + 1]]))
            for i, case in enumerate(batch)]
