"""TCMPS: comparison with a scalar, and with one element, into packed bits."""
from harness import misfits, run, tilewise
from masks import compare, shape


def with_one(a, one, comparison):
    return compare(a, one[:1, :1], comparison)


tilewise("TCMPS", compare, shapes={"mask": shape}, scalar_as="src")
tilewise("TCMPS", with_one, row=1, shapes={"mask": shape, "src1": lambda r, c: (1, 1)})
misfits("""
    .tile m : ub u8[1, 32]
    .tile a : ub u16[1, 32]
    TEXPANDS a, 1
    pipe_barrier V
    TCMPS m{1, 4}, a, 65536, eq""", "out of the range of u16")
run()
