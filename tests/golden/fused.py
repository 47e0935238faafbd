"""References for kernels/fused: products combined with collectives.

Where the kernel fixes the order of the additions the functions follow it and are bit-exact;
matmul.gemm gives the bits of one product. Sizes of tiles and blocks are arguments, as they are
constants of the kernels."""

import numpy as np

import matmul


def cdiv(a, b):
    return -(-a // b)


def product(a, b):
    """a * b of f16 matrices, accumulated in f32 in ascending k, rounded to f16."""
    return matmul.gemm(a, b).astype(np.float16)


def products(a, b):
    """The product of every rank."""
    return [product(x, y) for x, y in zip(a, b)]


def swizzle(down, across, group=7):
    """(i, j) of all tiles in the order in which they are visited: groups of columns, row by row,
    every other group from the bottom upwards."""
    order = []
    for g, left in enumerate(range(0, across, group)):
        rows = range(down) if g % 2 == 0 else reversed(range(down))
        order += [(i, j) for i in rows for j in range(left, min(left + group, across))]
    return order


def blocks(rows, cols, tile, height):
    """(number, row slice, column slice) of every block of `height` rows of a tile of tile[0] x
    tile[1], in the order of the tiles. Blocks outside of the matrix are left out, but count."""
    number = 0
    for i, j in swizzle(cdiv(rows, tile[0]), cdiv(cols, tile[1])):
        for row in range(i * tile[0], (i + 1) * tile[0], height):
            if row < rows:
                yield (number, slice(row, min(row + height, (i + 1) * tile[0], rows)),
                       slice(j * tile[1], min((j + 1) * tile[1], cols)))
            number += 1


def bf16(x):
    """f32 values rounded to bf16, to nearest even; finite ones only."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + (bits >> np.uint64(16) & np.uint64(1))) & np.uint64(0xFFFF0000)
    return bits.astype(np.uint32).view(np.float32)


def bf16_bits(x):
    """The upper halves of f32 values that are bf16."""
    return (np.ascontiguousarray(x).view(np.uint32) >> 16).astype(np.uint16)


def reduce_scatter(c, cores, interval, tile, height, rounded=lambda x: x):
    """d of every rank from the products `c` of all ranks: its own part, then block f of a round
    takes ranks f, f + 1, ... with a rounding after each addition (none to be said for f16)."""
    ranks = len(c)
    per_round = cores * interval // ranks * (tile[0] // height)
    part = c[0].shape[0] // ranks
    parts = [[x[r * part:(r + 1) * part] for x in c] for r in range(ranks)]
    result = [parts[r][r].copy() for r in range(ranks)]
    for r in range(ranks):
        for number, rows, cols in blocks(part, c[0].shape[1], tile, height):
            for source in ((number % per_round + j) % ranks for j in range(ranks)):
                if source != r:
                    result[r][rows, cols] = rounded(
                        result[r][rows, cols] + parts[r][source][rows, cols])
    return result


def matmul_reduce_scatter(a, b, cores, interval, tile, height):
    """Products in f16, summed in f16."""
    return reduce_scatter(products(a, b), cores, interval, tile, height)


def gemm_rs(a, b, bias, cores, interval, tile, height):
    """The same in bf16 (f32 arrays of bf16 values); every product begins with the bias."""
    return reduce_scatter([bf16(matmul.gemm(x, y, bias)) for x, y in zip(a, b)], cores, interval,
                          tile, height, bf16)


def summed(a, b):
    """Sum of all products in f64, for exact integers and for tolerances."""
    return sum(matmul.gemm_f64(x, y) for x, y in zip(a, b))


def catccos_close(got, want, k):
    """The rule of hicann/catccos, verify_result.py, for f16: every element within
    2^-8 (k < 2048) or 2^-7 of max(1, |want|), and no bias beyond 2^-10."""
    difference = got.astype(np.float64) - want
    scale = np.maximum(1, np.abs(want))
    return (np.abs(difference) <= (2.0 ** -8 if k < 2048 else 2.0 ** -7) * scale).all() and \
        abs((difference / scale).mean()) <= 2.0 ** -10


def allgather_matmul(a, b):
    """c of every rank: the rows of all ranks times its own b. No sum crosses the ranks."""
    gathered = np.vstack(a)
    return [product(gathered, y) for y in b]


def matmul_allreduce(a, b, cores, interval, tile, height):
    """d of all ranks: a round's blocks are dealt to owners in equal shares; block number f of an
    owner is its own product, then those of ranks f, f + 1, ... are added in f16."""
    ranks = len(a)
    c = products(a, b)
    result = np.full(c[0].shape, np.nan, np.float16)
    total = cdiv(result.shape[0], tile[0]) * cdiv(result.shape[1], tile[1]) * (tile[0] // height)
    per_round = cores * interval * (tile[0] // height)
    for number, rows, cols in blocks(*result.shape, tile, height):
        begin = number // per_round * per_round
        share = cdiv(min(per_round, total - begin), ranks)
        owner, f = divmod(number - begin, share)
        result[rows, cols] = c[owner][rows, cols]
        for source in ((f + j) % ranks for j in range(ranks)):
            if source != owner:
                result[rows, cols] += c[source][rows, cols]
    return result


def dequantised(a, b, bias, scale_m, scale_n):
    """(a * b + bias) * scale_m * scale_n of i8 matrices in f16: exact integers, then one rounding
    to f32 after each scale (rows first; scale_m None: columns only), one to f16."""
    sums = a.astype(np.int32) @ b.astype(np.int32) + (0 if bias is None else bias)
    reals = sums.astype(np.int32).astype(np.float32)
    if scale_m is not None:
        reals = reals * scale_m[:, None]
    return (reals * scale_n).astype(np.float16)


def matmul_dequant(a, b, bias, scale_m, scale_n):
    """The scaled product of every rank; the bias counts on rank 0."""
    return [dequantised(x, y, bias[0] if bias is not None and r == 0 else None, s, t)
            for r, (x, y, s, t) in enumerate(zip(a, b, scale_m, scale_n))]


def scattered_sum(parts):
    """Rows of every rank of the sum in f16, added to zero one by one. The order of two makes no
    difference."""
    return np.split(sum(parts, np.float16(0)), len(parts))


def alltoall_matmul(a, b):
    """a[s] has rows for every rank: those for rank r, in the order of s, times b[r]."""
    ranks = len(a)
    parts = [np.split(x, ranks) for x in a]
    return [product(np.vstack([parts[s][r] for s in range(ranks)]), b[r]) for r in range(ranks)]


def matmul_alltoall(a, b, by_cols):
    """Every rank's product is cut by rows or columns; rank r gets part r of all ranks."""
    ranks = len(a)
    parts = [np.split(c, ranks, axis=by_cols) for c in products(a, b)]
    return [np.vstack([parts[s][r] for s in range(ranks)]) for r in range(ranks)]
