"""References and data of comparison and selection."""
import numpy as np

from values import decode, is_float, specials

RELATIONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
             "gt": np.greater, "ge": np.greater_equal}


def shape(r, c):
    """Of a packed mask for r x c elements: one byte for eight columns."""
    return r, -(-c // 8)


def pack(predicates):
    """Bit c % 8 of byte c / 8, the bits past the last column 0."""
    return np.packbits(predicates, axis=1, bitorder="little")


def unpack(mask, cols):
    return np.unpackbits(mask, axis=1, count=cols, bitorder="little").astype(bool)


def compare(a, b, comparison):
    return pack(RELATIONS[comparison](a, b))


def close(draw):
    """Values that often meet those of the other operand: few different ones."""
    few = decode(specials(draw.dtype), draw.dtype)
    few = few[:6] if not is_float(draw.dtype) else few[~np.isnan(few)][:6]
    return draw.rng.choice(few, draw.shape)
