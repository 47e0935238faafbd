"""TQUANT: to 8-bit integers with a scale (and an offset) per row, to fp8 with shared exponents."""
import numpy as np

from harness import misfits, rejects, run, tilewise
from reference import column, f32


def quantise(src, scale, offset=None, types=None):
    y = f32(f32(src) * f32(scale))
    y = np.rint(y if offset is None else f32(y + offset))
    low = 0 if types["dst"] == "u8" else -128
    return np.where(np.isnan(y), 0, np.clip(y, low, low + 255)).astype(np.int64)


def small(draw):
    return draw.rng.normal(0, 40, draw.shape)


def halves(draw):
    """Products that are ties."""
    return draw.rng.integers(-300, 300, draw.shape) / 2


for data in (None, {"src": small, "scale": lambda d: d.rng.uniform(0, 4, d.shape), "offset": small},
             {"src": halves, "scale": lambda d: np.ones(d.shape), "offset": halves}):
    tilewise("TQUANT", quantise, shapes={"scale": column, "offset": column}, data=data, alias=False)
GROUP = 32
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def groups(r, c):
    return r, c // GROUP


def fp4_bytes(r, c, types):
    return r, c // 2 if types["dst"] == "u8" else c


def to_e2m1(x):
    """Codes of the nearest values, ties to the even code."""
    size = np.minimum(np.abs(x), 6)
    gap = np.abs(size[..., None] - E2M1)
    nearest = gap == gap.min(axis=-1, keepdims=True)
    code = np.where(nearest & (np.arange(8) % 2 == 0), 2, nearest).argmax(axis=-1)
    return np.where(np.isnan(x), 0, code + 8 * np.signbit(x))


def quantise_mx(src, types=None):
    if src.shape[1] % GROUP:
        return None
    emax = 2 if types["dst"] == "u8" else 8
    x = src.reshape(src.shape[0], -1, GROUP)
    most = np.abs(x).max(axis=2)  # NaN if any is
    finite = np.where(most == np.inf, 2.0 ** 128, most)
    exponent = np.where(most == 0, -127, np.frexp(finite)[1] - 1)
    shared = np.where(np.isnan(most), 255, np.maximum(exponent + 127 - emax, 0))
    scaling = np.where(np.isnan(most), np.nan, 2.0 ** (127 - shared.astype(float)))
    scaled = f32(x * scaling[:, :, None]).reshape(src.shape)
    if types["dst"] == "u8":
        code = to_e2m1(scaled)
        return code[:, ::2] + 16 * code[:, 1::2], shared.astype(int), most, scaling
    return np.clip(scaled, -448, 448), shared.astype(int), most, scaling


def spread(draw):
    """Groups of very different sizes."""
    rows, cols = draw.shape
    size = 2.0 ** draw.rng.integers(-130, 120, (rows, cols // GROUP + 1))
    return draw.rng.normal(0, 1, draw.shape) * np.repeat(size, GROUP, axis=1)[:, :cols]


def grid(draw):
    """All ties of e2m1, under every sign: quarters up to 8."""
    return draw.rng.integers(-32, 33, draw.shape) / 4


for data in (None, {"src": spread}, {"src": halves}, {"src": grid}):
    tilewise("TQUANT", quantise_mx, row=1, data=data, alias=False, special=False, empty=False,
             sizes=((1, 32), (3, 64), (5, 320)), few_sizes=((3, 64),),
             shapes={"dst": fp4_bytes, "exp": groups, "amax": groups, "scaling": groups})
misfits("""
    .tile d : ub f8e4m3[1, 64]
    .tile a : ub f32[1, 64]
    .tile e : ub u8[1, 32]
    .tile m : ub f32[1, 8]
    .tile s : ub f32[1, 8]
    TQUANT d{1, 33}, a, e, m, s""", "a group has 32, so give a multiple", profile="a5")
misfits("""
    .tile d : ub u8[1, 64]
    .tile a : ub f32[1, 64]
    .tile e : ub u8[1, 32]
    .tile m : ub f32[1, 8]
    .tile s : ub f32[1, 8]
    TQUANT d{1, 48}, a, e, m, s""", "src has", profile="a5")
rejects("""
    .tile d : ub u8[1, 32]
    .tile a : ub f32[1, 8]
    .tile s : ub f32[1, 8]
    TQUANT d, a, s""", "types u8,f32,f32 on profile a2: that of dst")
run()
