"""Rows of two sources of which one is expanded along the rows of the other: by its only column, or
by a block of 32 bytes in nd, again and again; the first source or the second."""

import numpy as np

import values
from harness import misfits, tilewise
from reference import column


def block(r, c, types):
    """Shape of a block of 32 bytes for `shapes`."""
    return r, 32 // values.size(types["dst"])


def spread(a, like):
    """The columns of a, again and again, to the width of `like`."""
    return a[:, np.arange(like.shape[1]) % a.shape[1]]


def expanded(mnemonic, reference, **options):
    """All ways to expand; `repair` and the like as for tilewise."""
    tilewise(mnemonic, reference, shapes={"src1": column}, **options)
    wide = dict(options, sizes=((3, 40), (5, 70), (1, 33)), few_sizes=((2, 65),), empty=False,
                layouts=[], alias=False)
    tilewise(mnemonic, lambda a, b: reference(a, spread(b, a)), shapes={"src1": block}, **wide)
    for shape in (column, block):
        tilewise(mnemonic, lambda a, b: reference(spread(a, b), b), shapes={"src0": shape}, **wide)
    tiles = """
    .tile d : ub f32[4, 64]
    .tile a : ub f32[4, 64]
    .tile b : ub f32[4, 64]
"""
    misfits(tiles + "    %s d, a, b{4, 7}" % mnemonic, "valid columns")
    misfits(tiles + "    %s d, a, b{3, 1}" % mnemonic, "valid elements where")
    misfits(tiles + "    %s d{4, 20}, a{4, 19}, b{4, 1}" % mnemonic, "valid columns")
    misfits(tiles.replace("b : ub f32[4, 64]", "b : ub f32[8, 8] dn") +
            "    %s d, a, b{4, 8}" % mnemonic, "valid columns")
