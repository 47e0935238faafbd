"""What a kernel is given, held against what it declares: everything that can be wrong with a value
is told by its name, with what was given and what is wanted."""

import difflib
import os

import numpy

from .errors import UsageError

# Element types that numpy has; the others travel as unsigned integers of their size.
NUMPY = {"f32": "<f4", "f16": "<f2", "i8": "i1", "u8": "u1", "i16": "<i2", "u16": "<u2",
         "i32": "<i4", "u32": "<u4", "i64": "<i8", "u64": "<u8", "bf16": "<u2", "f8e4m3": "u1",
         "f8e5m2": "u1", "e8m0": "u1", "f4e2m1x2": "u1", "f4e1m2x2": "u1",
         "s4x2": "u1"}
UNNAMED = ("bf16", "f8e4m3", "f8e5m2", "e8m0", "f4e2m1x2", "f4e1m2x2", "s4x2")
OWN = {numpy.dtype(code): name for name, code in NUMPY.items() if name not in UNNAMED}
OWN[numpy.dtype(bool)] = "u8"
INTEGERS, NUMBERS = (bool, int, numpy.integer, numpy.bool_), (float, numpy.floating)
SHOWN = 60      # characters of a value in a message


def wrong(text, hint=None):
    return UsageError(text + ("\n  hint: %s" % hint if hint else ""))


def shown(value):
    """A value in a message."""
    if isinstance(value, numpy.ndarray):
        return "an array %s of %s" % (list(value.shape), value.dtype)
    text = repr(value)
    return text if len(text) <= SHOWN else "%s... (%s)" % (text[:SHOWN], type(value).__name__)


def encoded(text, what):
    """Bytes of a text; those of a file's name that is no UTF-8 are as Python has them."""
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:
        raise wrong("%s: %s holds a surrogate, no character" % (what, shown(text))) from None


def word(text, what):
    """Bytes of a text for the library, which ends texts at a NUL."""
    if not isinstance(text, (str, bytes, os.PathLike)):
        raise wrong("%s: a text is wanted, not %s" % (what, shown(text)))
    data = encoded(text, what)
    if b"\0" in data:
        raise wrong("%s: %s holds a NUL" % (what, shown(text)))
    return data


class Bits:
    """An array whose elements are the bits of a type that numpy does not have."""

    def __init__(self, array, dtype):
        if not isinstance(dtype, str) or dtype not in NUMPY:
            raise wrong("bits: no element type %s; there are %s" % (shown(dtype), ", ".join(NUMPY)))
        self.array, self.dtype = as_array("bits", array), dtype
        size, own = numpy.dtype(NUMPY[dtype]).itemsize, OWN.get(self.array.dtype)
        if self.array.dtype.itemsize != size or (self.array.dtype.kind not in "iu" and
                                                 own != dtype):
            raise wrong("bits: elements of %s are not the bits of %s" % (self.array.dtype, dtype),
                        "bits are integers of %d byte%s: numpy.uint%d"
                        % (size, "s" if size > 1 else "", 8 * size))


class PerRank(list):
    """One value for each rank."""

    def __init__(self, values):
        if isinstance(values, (str, bytes, dict, set)) or not hasattr(values, "__iter__") or (
                isinstance(values, numpy.ndarray) and values.ndim == 0):
            raise wrong("per_rank: a list with a value for each rank is wanted, not %s"
                        % shown(values))
        super().__init__(values)


def as_array(name, value):
    if isinstance(value, numpy.ma.MaskedArray):
        raise wrong("%s: an array with a mask, which would be lost" % name,
                    "%s.filled(0) gives what is masked a value" % name)
    try:
        array = numpy.asarray(value)
    except Exception as error:      # whatever the object says for itself
        raise wrong("%s: numpy makes no array of %s: %s" % (name, shown(value), error)) from error
    if array.dtype.kind in "OSU":
        raise wrong("%s: an array of numbers is wanted, not %s" % (name, shown(value)))
    return array


def elements(name, place, value, wanted):
    """The array for an input whose element type is `wanted`; never converts numbers."""
    if isinstance(value, Bits):
        array, dtype = value.array, value.dtype
    else:
        array = as_array(place, value)
        dtype = OWN.get(array.dtype.newbyteorder("="))
    if dtype is None:
        raise wrong("%s: elements of %s are not a type of this machine, %s is wanted"
                    % (place, array.dtype, wanted), as_declared(name, array, wanted))
    if dtype != wanted:
        raise wrong("'%s' is declared %s and was given %s" % (place, wanted, dtype),
                    as_declared(name, array, wanted))
    # Row-major and little-endian: what is so already is not copied.
    return numpy.ascontiguousarray(array, NUMPY[dtype] if array.dtype.byteorder == ">" else None
                                   ).reshape(array.shape)


class Declared:
    """What the kernels of a job take: `names` as the library tells them (_library.Name, decoded),
    for so many ranks."""

    def __init__(self, names, ranks, options):
        self.names, self.ranks, self.options = {}, ranks, options
        for name in names:
            self.names.setdefault(name["name"], []).append(name)

    def check(self, name, value):
        """Whether a value will do; returns it as it is to be given: an int, a float, a text, an
        (array, element type), or a PerRank of them."""
        if name not in self.names:
            raise self.unknown(name)
        if not isinstance(value, PerRank):
            return self.one(name, name, value)
        if len(value) != self.ranks:
            raise wrong("%s: per_rank has %d value%s for %d rank%s" % (
                name, len(value), "s" if len(value) != 1 else "", self.ranks,
                "s" if self.ranks != 1 else ""),
                "ranks=%d runs on as many" % len(value) if len(value) > 1 else None)
        for rank, one in enumerate(value):
            if isinstance(one, (str, os.PathLike)):
                raise wrong("%s of rank %d: %s is the same for all ranks"
                            % (name, rank, shown(one)),
                            "a file name with {rank} in it names a file for each rank")
        return PerRank([self.one(name, "%s of rank %d" % (name, rank), one)
                        for rank, one in enumerate(value)])

    def unknown(self, name):
        takes = [n for n, declared in self.names.items() if self.how(declared)]
        close = difflib.get_close_matches(str(name), takes + list(self.options), 1)
        return wrong("no parameter, input or option is called %r" % name,
                     "did you mean %s?" % close[0] if close else
                     "the kernel takes %s" % (", ".join(takes) or "nothing"))

    @staticmethod
    def how(declared):
        """Declarations of one name that take a value: (of parameters, of objects)."""
        params = [d for d in declared if d["kind"] == "param"]
        objects = [d for d in declared if d["kind"] not in ("param", "out", "view")]
        return (params, objects) if params or objects else None

    def one(self, name, place, value):
        takes = self.how(self.names[name])
        if takes is None:
            kind = self.names[name][0]["kind"]
            raise wrong("%s: it is declared .%s and takes no value" % (place, kind),
                        "what a kernel writes is in the result" if kind == "out" else None)
        params, objects = takes
        if isinstance(value, numpy.ndarray) and value.ndim == 0:
            value = value[()]
        if params and (not objects or isinstance(value, INTEGERS + NUMBERS)):
            return number(place, value, params[0]["dtype"])
        if isinstance(value, (str, os.PathLike)):
            return os.fsdecode(word(value, place))
        return contents(name, place, value, objects[0], self.ranks)


def number(place, value, dtype):
    wanted = "an integer" if dtype == "i64" else "a number"
    if not isinstance(value, INTEGERS + (NUMBERS if dtype == "f64" else ())):
        raise wrong("%s: %s is wanted for a parameter of type %s, not %s"
                    % (place, wanted, dtype, shown(value)))
    try:
        value = int(value) if dtype == "i64" else float(value)
    except OverflowError:
        raise wrong("%s: %s does not fit a parameter of type %s"
                    % (place, shown(value), dtype)) from None
    if dtype == "i64" and not -2**63 <= value < 2**63:
        raise wrong("%s: %s does not fit a parameter of type i64" % (place, shown(value)))
    return value


def contents(name, place, value, declared, ranks):
    """The array for an object, of its element type and number of dimensions."""
    wanted = "an array of %s" % declared["dtype"]
    if value is None or isinstance(value, INTEGERS + NUMBERS + (bytes, bytearray, dict, set)):
        hint = None
        if value is not None and isinstance(value, INTEGERS + NUMBERS):
            hint = "'const:%s' or numpy.full fills one" % value
        elif isinstance(value, (bytes, bytearray)):
            hint = "numpy.frombuffer shows bytes as an array"
        elif value is None and declared["optional"]:
            hint = "leave an optional input away"
        raise wrong("%s: %s is wanted, not %s" % (place, wanted, shown(value)), hint)
    array = elements(name, place, value, declared["dtype"])
    if array.ndim != declared["dims"] and not declared["flat"]:
        raise wrong("'%s' is declared with %d dimension%s and was given %d: %s" % (
            place, declared["dims"], "s" if declared["dims"] > 1 else "", array.ndim,
            list(array.shape)), "per_rank(%s) gives each rank its part" % name
            if array.ndim == declared["dims"] + 1 and len(array) == ranks > 1 else None)
    return array, declared["dtype"]


def as_declared(name, array, dtype):
    """What to write so that the array has a type."""
    if dtype not in UNNAMED:
        return "numpy.asarray(%s, numpy.%s) converts it" % (name, numpy.dtype(NUMPY[dtype]).name)
    if array.dtype == numpy.dtype(NUMPY[dtype]):
        return "if these are its bits, pto.bits(%s, \"%s\") says so" % (name, dtype)
    return "numpy has no %s: pto.bits takes its bits as %s" % (dtype, numpy.dtype(NUMPY[dtype]))
