"""Records (value, index) as TSORT32 and TMRGSORT see them, in numpy."""
import numpy as np

import values

LENGTH = {"f32": 2, "f16": 4}  # elements of a record


def keys(bits, dtype):
    """Numbers in the order of the values: -0 below +0, NaNs equal and above the rest."""
    x = values.decode(bits, dtype)
    order = np.where(np.signbit(x), -bits.astype(np.int64) + 2 ** (8 * values.size(dtype) - 1) - 1,
                     bits.astype(np.int64))
    return np.where(np.isnan(x), 2 ** 40, order)


def descending(bits, dtype):
    """Positions, the greatest value first, equal ones as they are."""
    return np.argsort(-keys(bits, dtype), kind="stable")


def records(bits, index, dtype):
    """Bits of the records as one row."""
    result = np.zeros((bits.size, LENGTH[dtype]), values.bits_type(dtype))
    result[:, 0] = bits
    index = np.ascontiguousarray(index, np.uint32)
    index = index.view(values.bits_type(dtype)).reshape(bits.size, LENGTH[dtype] // 2)
    result[:, LENGTH[dtype] // 2:] = index
    return result.reshape(-1)


def draw_bits(rng, dtype, count):
    """Troublesome values, many of them equal."""
    some = values.specials(dtype)
    return np.where(rng.integers(0, 2, count), rng.choice(some, count),
                    values.random_bits(dtype, (count,), rng))


def sorted_records(rng, dtype, count):
    """A sorted run; no part of an index looks like a NaN."""
    bits = draw_bits(rng, dtype, count)
    return records(bits[descending(bits, dtype)], rng.integers(0, 0x7c00, count), dtype)


def merged(lists, dtype, most, exhausted=False):
    """Records of the merge and how many of each list were used."""
    split = [a.reshape(-1, LENGTH[dtype]) for a in lists]
    heads = [list(keys(a[:, 0], dtype)) for a in split]
    used, result = [0] * len(lists), []
    while len(result) < most:
        left = [i for i in range(len(lists)) if used[i] < len(heads[i])]
        if not left:
            break
        best = max(left, key=lambda i: (heads[i][used[i]], -i))
        result.append(split[best][used[best]])
        used[best] += 1
        if exhausted and used[best] == len(heads[best]):
            break
    return np.array(result).reshape(-1), used
