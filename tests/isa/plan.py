"""Cases of one row of the table: its types, sizes, layouts, scalars and keywords, data, and what
the reference wants of them.  tilewise in harness.py says what can be asked for."""

import inspect
import itertools

import numpy as np

import table
import values
from cases import Case, Tile, round_up
from values import decode, encode, every, is_float, specials

EMPTY_SIZES = ((0, 5), (4, 0))


class Draw:
    """What a function that makes data is told: it returns values of `dtype`, `shape`."""

    def __init__(self, rng, operand, dtype, shape, size, types):
        self.rng, self.operand, self.dtype, self.shape = rng, operand, dtype, shape
        self.size, self.types = size, types  # of dst; types by operand name


class Plan:
    """One row of the table and how to test it: see tilewise."""

    def __init__(self, mnemonic, reference, row, options):
        self.row = table.rows_of(mnemonic)[row]
        self.mnemonic, self.number, self.reference = mnemonic, row, reference
        self.typed = table.typed_operands(self.row)
        self.parameters = inspect.signature(reference).parameters
        self.options = options
        self.rng = np.random.default_rng(list(mnemonic.encode()) + [row])
        self.outputs = [o["name"] for o in self.typed if o["write"]]
        self.inputs = [o for o in self.row["operands"] if o["kind"] != "keyword" and o["read"]
                       and not o["scratch"]]
        self.keywords = [o for o in self.row["operands"] if o["kind"] == "keyword"]

    def kind(self, types):
        return self.number, tuple(types[o["name"]] for o in self.typed if o["name"] in types)

    # ---- data ----

    def scalar_values(self, types):
        """Lists of values for each scalar operand."""
        given = self.options["scalars"] or {}
        result = {}
        for operand in self.inputs:
            if operand["kind"] == "tile":
                continue
            make = given.get(operand["name"], scalars_of)
            result[operand["name"]] = list(make(self.scalar_type(types)) if callable(make)
                                           else make)
        return result

    def scalar_type(self, types):
        return types[self.options["scalar_as"] or self.outputs[0]]

    def fill(self, operand, types, shape, size, special):
        name, dtype = operand["name"], types[operand["name"]]
        make = (self.options["data"] or {}).get(name)
        made = make(Draw(self.rng, name, dtype, shape, size, types)) if make else None
        if made is not None:
            return encode(made, dtype)
        if special is not None and name in special and special[name].shape == shape:
            return special[name]
        return values.random_bits(dtype, shape, self.rng)

    def repair(self, tiles, types):
        """Let the test file replace inputs that the instruction would reject."""
        if not self.options["repair"]:
            return
        sources = [tiles[o["name"]] for o in self.inputs if o["kind"] == "tile"]
        windows = [t.bits[:t.valid[0], :t.valid[1]] for t in sources]
        fixed = self.options["repair"](*[decode(w, t.dtype) for w, t in zip(windows, sources)])
        for window, tile, new in zip(windows, sources,
                                     fixed if isinstance(fixed, tuple) else (fixed,)):
            if new is not None:
                window[...] = encode(new, tile.dtype)

    # ---- one case ----

    def make(self, types, size, profile, layouts=None, alias=None, words=None, scalars=None,
             special=None, pad=True):
        layouts, words, scalars, tiles = layouts or {}, words or {}, scalars or {}, {}
        shapes = self.options["shapes"] or {}
        for operand in self.row["operands"]:
            name = operand["name"]
            if operand["kind"] == "tile" and self.is_given(operand, types):
                dtype = types.get(name) or self.scratch_type(types)
                valid = shape_of(shapes.get(name), size, types)
                tiles[name] = self.tile(operand, types, dtype, valid, size,
                                        layouts.get(name, "nd"), special, pad)
        self.repair(tiles, types)
        operands = []
        for operand in self.row["operands"]:
            name = operand["name"]
            if name in tiles or name in words or name in scalars:
                operands.append(tiles.get(name, words.get(name, literal(scalars.get(name)))))
        if alias:
            tiles[alias[0]].same_as = tiles[alias[1]]
        case = Case(self.mnemonic, operands, profile, self.kind(types))
        if alias:
            tiles[alias[0]].bits = tiles[alias[0]].get(case.before())
        self.expect(tiles, types, size, words, scalars)
        return case

    def is_given(self, operand, types):
        """Scratch if wanted; other operands if the alternative has a type for them."""
        return self.options["scratch"] if operand["scratch"] else operand["name"] in types

    def scratch_type(self, types):
        scratch = self.options["scratch"]
        return scratch if isinstance(scratch, str) else types[self.outputs[0]]

    def tile(self, operand, types, dtype, valid, size, layout, special, pad):
        more = (int(self.rng.integers(0, 4)), int(self.rng.integers(0, 9))) if pad else (0, 0)
        if operand["name"] in (self.options["exact_shape"] or ()):
            more = (0, 0)
        least = (max(valid[0] + more[0], 1), max(valid[1] + more[1], 1))
        whole_shape = (self.options["whole"] or {}).get(operand["name"])
        shape = round_up(whole_shape(*size) if whole_shape else least, dtype, layout)
        whole = values.random_bits(dtype, shape, self.rng)
        tile = Tile(operand["name"], dtype, valid, whole, layout)
        if operand["read"] and not operand["scratch"]:
            whole[:valid[0], :valid[1]] = self.fill(operand, types, valid, size, special)
        elif operand["scratch"]:
            tile.want = None
        return tile

    def expect(self, tiles, types, size, words, scalars):
        arguments = []
        for operand in self.inputs:
            name = operand["name"]
            if name in tiles:
                rows, cols = tiles[name].valid
                bits = tiles[name].bits[:rows, :cols]
                arguments.append(bits if self.options["raw"] else decode(bits, types[name]))
            elif name in scalars:
                arguments.append(self.scalar_argument(scalars[name], types))
        extra = {"types": types, "size": size, "old": self.old(tiles, types), **words}
        extra = {k: v for k, v in extra.items() if k in self.parameters}
        with np.errstate(all="ignore"):
            results = self.reference(*arguments, **extra)
        for name, result in zip(self.outputs, results if isinstance(results, tuple)
                                else (results,)):
            self.set_want(tiles[name], result)

    def scalar_argument(self, value, types):
        if not self.options["round_scalars"]:
            return value
        dtype = self.scalar_type(types)
        bits = encode(value if is_float(dtype) else np.array(value, object).astype(
            values.INTS[dtype]), dtype)
        return bits if self.options["raw"] else decode(bits, dtype)

    def old(self, tiles, types):
        """What the first output holds before, in its valid region."""
        tile = tiles[self.outputs[0]]
        bits = tile.bits[:tile.valid[0], :tile.valid[1]]
        return bits if self.options["raw"] else decode(bits, types[self.outputs[0]])

    def set_want(self, tile, result):
        rows, cols = tile.valid
        tile.want = tile.bits.copy()
        if result is None:
            return
        if self.options["ulp"] and is_float(tile.dtype):
            tile.exact = np.broadcast_to(np.asarray(result, np.longdouble), tile.valid)
            tile.limit = self.options["ulp"]
            result = encode(tile.exact, tile.dtype)
        elif not self.options["raw"]:
            with np.errstate(all="ignore"):
                result = encode(result, tile.dtype)
        if rows and cols:
            tile.want[:rows, :cols] = result

    def first_words(self):
        """The first choice for each keyword, unless that is to leave it out."""
        choices = self.options["words"] or {}
        first = {k["name"]: choices.get(k["name"], [None] * k["optional"] + k["keywords"])[0]
                 for k in self.keywords}
        return {name: word for name, word in first.items() if word is not None}

    # ---- all cases of a type ----

    def cases_of(self, types, profile):
        choices = self.options["words"] or {}
        lists = [choices.get(k["name"], [None] + k["keywords"]) for k in self.keywords]
        scalars = self.scalar_values(types)
        turn = itertools.count()

        def some_scalars():
            n = next(turn)
            return {name: choice[n % len(choice)] for name, choice in scalars.items()}

        for combination in itertools.product(*lists):
            words = {k["name"]: w for k, w in zip(self.keywords, combination) if w is not None}
            if not keywords_in_order(self.keywords, words):
                continue
            yield from self.plain_cases(types, profile, words, some_scalars)
            yield from self.special_cases(types, profile, words, scalars)
        words = {k["name"]: lists[i][-1] for i, k in enumerate(self.keywords)}
        for size in (EMPTY_SIZES if self.options["empty"] else ()):
            yield self.make(types, size, profile, words=words, scalars=some_scalars())
        yield from self.placed_cases(types, profile, words, some_scalars)

    def plain_cases(self, types, profile, words, some_scalars):
        for size in self.options["sizes"]:
            yield self.make(types, size, profile, words=words, scalars=some_scalars())

    def placed_cases(self, types, profile, words, some_scalars):
        """Other layouts, and destinations that are sources."""
        names = [o["name"] for o in self.typed]
        for layout in self.options["layouts"]:
            chosen = layout if isinstance(layout, dict) else dict.fromkeys(names, layout)
            for size in self.options["few_sizes"]:
                yield self.make(types, size, profile, chosen, words=words, scalars=some_scalars())
        for alias in self.aliases(types):
            for size in self.options["few_sizes"]:
                yield self.make(types, size, profile, None, alias, words, some_scalars(),
                                pad=False)

    def aliases(self, types):
        """Pairs (destination, source) that may be the same tile."""
        if self.options["alias"] is not True:
            return self.options["alias"] or ()
        shapes = self.options["shapes"] or {}
        dst = self.outputs[0]
        return [(dst, o["name"]) for o in self.inputs if o["kind"] == "tile" and o["name"] != dst
                and types[o["name"]] == types[dst] and shapes.get(dst) == shapes.get(o["name"])]

    def special_cases(self, types, profile, words, scalars):
        """All pairs of special values, with all scalars; all values of a small type."""
        sources = [o["name"] for o in self.inputs if o["kind"] == "tile"]
        shapes = self.options["shapes"] or {}
        if not self.options["special"] or not sources or any(s in shapes for s in sources):
            return
        for chosen in itertools.product(*scalars.values()):
            for grid in self.grids([types[s] for s in sources], bool(scalars)):
                yield self.make(types, grid[0].shape, profile, words=words,
                                scalars=dict(zip(scalars, chosen)),
                                special=dict(zip(sources, grid)))

    def grids(self, dtypes, with_scalars):
        """Lists of one array of bits for each of the first two sources."""
        if len(dtypes) > 1:
            return [np.meshgrid(*[specials(d) for d in dtypes[:2]], indexing="ij")]
        small = values.size(dtypes[0]) <= 2
        if self.options["exhaustive"] and small and not with_scalars:
            side = 128 if values.size(dtypes[0]) == 2 else 16
            return [[block] for block in every(dtypes[0]).reshape(-1, side, side)]
        grids = [[specials(dtypes[0]).reshape(1, -1)]]
        if self.options["ulp"] and not small:
            grids += [[values.random_bits(dtypes[0], (128, 128), self.rng)] for _ in range(4)]
        return grids

    def all_types(self):
        """(types by operand, profile) of every alternative that the row lists."""
        names = [o["name"] for o in self.typed]
        for text, profile in (("types", "a2"), ("types_a5", "a5")):
            for alternative in table.alternatives(self.row[text], len(names)):
                for types in wildcards(alternative, self.options["any_types"]):
                    yield dict(zip(names, types)), profile


def shape_of(function, size, types):
    """Valid region of an operand by the option `shapes`."""
    if not function:
        return tuple(size)
    knows_types = "types" in inspect.signature(function).parameters
    return tuple(function(*size, types=types) if knows_types else function(*size))


def wildcards(alternative, any_types):
    if any_types and isinstance(any_types[0], tuple):
        return any_types
    choices = [any_types if t == "*" else (t,) for t in alternative]
    return itertools.product(*choices)


def keywords_in_order(keywords, words):
    """Keywords are told apart by their text, so any may be left out."""
    return all(k["name"] in words or k["optional"] for k in keywords)


def scalars_of(dtype):
    """Scalars that fit into the type."""
    if is_float(dtype):
        return [0.0, -0.0, 1.0, -2.5, 0.1, values.largest(dtype), float("inf"), float("-inf"),
                float("nan")]
    limits = np.iinfo(values.INTS[dtype])
    return sorted({0, 1, 3, int(limits.max), int(limits.min), max(int(limits.min), -7)})


def literal(value):
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        return repr(value)
    # 64-bit registers are signed; u64 takes their bits
    return str(int(value) - 2 ** 64 if int(value) >= 2 ** 63 else int(value))
