"""The shared library and its types, as vm/api/pto.h declares them."""

import ctypes
import glob
import os

SONAME = "libpto.so.0.1"
DIMS = 6
EVERY_RANK = -1


class Array(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_char_p), ("dtype", ctypes.c_char_p),
                ("dims", ctypes.c_uint), ("dim", ctypes.c_uint64 * DIMS),
                ("stride", ctypes.c_int64 * DIMS), ("size", ctypes.c_uint64),
                ("data", ctypes.c_void_p)]


class Name(ctypes.Structure):
    _fields_ = [("kernel", ctypes.c_char_p), ("name", ctypes.c_char_p), ("kind", ctypes.c_char_p),
                ("dtype", ctypes.c_char_p), ("dims", ctypes.c_uint), ("optional", ctypes.c_int),
                ("flat", ctypes.c_int)]


class Message(ctypes.Structure):
    _fields_ = [("severity", ctypes.c_char_p), ("file", ctypes.c_char_p), ("line", ctypes.c_uint),
                ("column", ctypes.c_uint), ("text", ctypes.c_char_p), ("hint", ctypes.c_char_p)]


class Party(ctypes.Structure):
    _fields_ = [("mnemonic", ctypes.c_char_p), ("file", ctypes.c_char_p), ("line", ctypes.c_uint),
                ("column", ctypes.c_uint), ("rank", ctypes.c_int), ("core", ctypes.c_char_p),
                ("pipe", ctypes.c_char_p), ("time_ps", ctypes.c_uint64)]


class Finding(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_char_p), ("text", ctypes.c_char_p), ("advice", ctypes.c_char_p),
                ("where", ctypes.c_char_p), ("offset", ctypes.c_uint64),
                ("bytes", ctypes.c_uint64), ("count", ctypes.c_uint64), ("earlier", Party),
                ("later", Party)]


class Event(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_char_p), ("rank", ctypes.c_int), ("peer", ctypes.c_int),
                ("core", ctypes.c_char_p), ("pipe", ctypes.c_char_p),
                ("mnemonic", ctypes.c_char_p), ("file", ctypes.c_char_p), ("line", ctypes.c_uint),
                ("column", ctypes.c_uint), ("time_ps", ctypes.c_uint64),
                ("start_ps", ctypes.c_uint64), ("bytes", ctypes.c_uint64),
                ("text", ctypes.c_char_p)]


class Statistics(ctypes.Structure):
    _fields_ = [("time_ps", ctypes.c_uint64), ("scalar_instructions", ctypes.c_uint64),
                ("gm_bytes", ctypes.c_uint64), ("cube_macs", ctypes.c_uint64)]


OBSERVER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(Event))
PRINTER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint64,
                           ctypes.c_char_p)

_JOB, _TEXT, _INT, _UINT = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint
FUNCTIONS = {   # name: (result, arguments)
    "pto_library_version": (_TEXT, []),
    "pto_job_new": (_JOB, []),
    "pto_job_free": (None, [_JOB]),
    "pto_job_option": (_INT, [_JOB, _TEXT, _TEXT]),
    "pto_job_file": (_INT, [_JOB, _TEXT]),
    "pto_job_text": (_INT, [_JOB, _TEXT, _TEXT, ctypes.c_size_t]),
    "pto_job_set_int": (_INT, [_JOB, _INT, _TEXT, ctypes.c_int64]),
    "pto_job_set_float": (_INT, [_JOB, _INT, _TEXT, ctypes.c_double]),
    "pto_job_bind": (_INT, [_JOB, _INT, _TEXT, _TEXT, _UINT, ctypes.POINTER(ctypes.c_uint64),
                            ctypes.c_void_p]),
    "pto_job_observe": (_INT, [_JOB, OBSERVER, ctypes.c_void_p]),
    "pto_job_print": (_INT, [_JOB, PRINTER, ctypes.c_void_p]),
    "pto_job_load": (_INT, [_JOB]),
    "pto_job_name": (_INT, [_JOB, _UINT, ctypes.POINTER(Name)]),
    "pto_job_run": (_INT, [_JOB]),
    "pto_job_stop": (None, [_JOB]),
    "pto_job_array": (_INT, [_JOB, _INT, _UINT, ctypes.POINTER(Array)]),
    "pto_job_find": (_INT, [_JOB, _INT, _TEXT, ctypes.POINTER(Array)]),
    "pto_job_ranks": (_INT, [_JOB]),
    "pto_job_message": (_INT, [_JOB, _UINT, ctypes.POINTER(Message)]),
    "pto_job_finding": (_INT, [_JOB, _UINT, ctypes.POINTER(Finding)]),
    "pto_job_statistics": (None, [_JOB, _INT, ctypes.POINTER(Statistics)]),
    "pto_job_explain": (_TEXT, [_JOB]),
    "pto_job_summary": (_TEXT, [_JOB]),
    "pto_job_report": (_TEXT, [_JOB]),
}


def _candidates():
    """What PTO_LIBRARY names, what is installed beside this package, what the loader knows."""
    if os.environ.get("PTO_LIBRARY"):
        return [os.environ["PTO_LIBRARY"]]
    lib = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
    return (glob.glob(os.path.join(lib, SONAME)) + glob.glob(os.path.join(lib, "*", SONAME)) +
            [SONAME])


def _load():
    for candidate in _candidates():
        try:
            library = ctypes.CDLL(candidate)
        except OSError as error:
            failed = error
            continue
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        return library
    raise ImportError("cannot load %s; PTO_LIBRARY names its file: %s" % (SONAME, failed))


def installed_kernels():
    """The folder of the kernels that came with the package; None: there is none."""
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.normpath(os.path.join(here, "..", "..", "..", "..", "share", "pto",
                                           "kernels"))
    return folder if os.path.isdir(folder) else None


LIBRARY = _load()
VERSION = LIBRARY.pto_library_version().decode()


def text(value):
    return None if value is None else value.decode(errors="replace")
