"""Cases of products whose factors have an exponent for every 32 steps of k: fp8, and pairs of fp4,
the first of which is in the low four bits."""

import numpy as np

import cube
import table
import values

PAIRS = {"f4e2m1x2": [0, 0.5, 1, 1.5, 2, 3, 4, 6], "f4e1m2x2": [i / 4 for i in range(8)]}
SIZES = ((16, 32, 16), (1, 1, 1), (5, 33, 7), (33, 70, 20), (40, 3, 50), (64, 300, 32), (3, 0, 4))
ROW_SIZES = ((1, 32, 16), (1, 1, 1), (1, 33, 7), (1, 300, 40), (1, 0, 4))


def packed(dtype):
    return 2 if dtype in PAIRS else 1


def numbers(factor, dtype, axis):
    """The elements of a factor, in steps of k along an axis."""
    if dtype not in PAIRS:
        return factor
    size = np.array(PAIRS[dtype] + [-x for x in PAIRS[dtype]])
    pairs = np.stack([size[factor & 15], size[factor >> 4]], axis + 1)
    shape = list(factor.shape)
    shape[axis] *= 2
    return pairs.reshape(shape)


def scaled(factor, dtype, exponents, axis):
    """Elements times their power of two, as f32."""
    elements = numbers(factor, dtype, axis)
    power = np.where(exponents == 255, np.nan, np.ldexp(1.0, exponents.astype(int) - 127))
    power = np.repeat(power, 32, axis)
    power = power[:, :elements.shape[1]] if axis else power[:elements.shape[0]]
    with np.errstate(all="ignore"):
        return (elements * power).astype(np.float32).astype(np.float64)


def draw(dtype, shape, rng, special):
    """Exponents around 1, so that sums stay finite; with `special` any, the ends more often."""
    if dtype != "e8m0":
        return plain_draw(dtype, shape, rng, special)
    some = rng.integers(121, 134, shape)
    ends = rng.choice([0, 1, 127, 200, 239, 240, 254, 255], shape)
    return np.where(special & (rng.random(shape) < 0.3), ends, some).astype(np.uint8)


plain_draw, cube.draw = cube.draw, draw


def mx(mnemonic, reference, sizes=SIZES):
    """`reference`: function of the accumulator before, the scaled factors, and the bias."""
    info = table.rows_of(mnemonic)[0]
    rng = np.random.default_rng(list(mnemonic.encode()))
    count = len(table.typed_operands(info))
    for types in table.alternatives(info["types_a5"], count):
        _, a_type, _, b_type = types[:4]
        per_byte = packed(a_type)
        groups = lambda k: -(-k * per_byte // 32)  # noqa: E731
        shapes = {**cube.SHAPES, "aScale": lambda m, k, n: (m, groups(k)),
                  "bScale": lambda m, k, n: (groups(k), n)}

        def product(c, a, a_scale, b, b_scale, *bias, a_type=a_type, b_type=b_type):
            return reference(c, scaled(a, a_type, a_scale, 1), scaled(b, b_type, b_scale, 0),
                             *bias)

        for number, size in enumerate(sizes):
            for special in (False, True):
                cube.one_product(info, 0, types, size, special, "a5", product, shapes, {}, number,
                                 rng)


TILES = """
    .tile c : l0c f32[16, 16]
    .tile a : l0a f8e4m3[16, 64]
    .tile s : l0a_mx e8m0[16, 2]
    .tile b : l0b f8e5m2[64, 16]
    .tile t : l0b_mx e8m0[2, 16]
    .tile bias : bt f32[1, 16]
"""


def refused(mnemonic, misfits, rejects, row, more=""):
    """What does not fit, with `row` rows of a."""
    line = "    %s c{%d, 16}, a{%d, %s}, s{%d, %s}, b{%s, 16}, t{%s, 16}" + more
    misfits(TILES + line % (mnemonic, row, row, "64", row, "1", "64", "2"),
            "aScale has %d x 1 valid elements where %d x 2" % (row, row), core="aic", profile="a5")
    misfits(TILES + line % (mnemonic, row, row, "64", row, "2", "64", "1"),
            "bScale has 1 x 16 valid elements where 2 x 16", core="aic", profile="a5")
    misfits(TILES + line % (mnemonic, row, row, "64", row, "2", "32", "2"), "shapes do not fit",
            core="aic", profile="a5")
    good = line % (mnemonic, row, row, "64", row, "2", "64", "2")
    rejects(TILES.replace("f8e4m3", "f4e2m1x2") + good, "f4e2m1x2", core="aic", profile="a5")
    rejects(TILES + good.replace(", s{", ", t{"), "aScale must lie in l0a_mx", core="aic",
            profile="a5")
