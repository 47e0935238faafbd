"""One run of the library, as an object: what `run` and `check` are made of."""

import ctypes
import json
import os
import threading

import numpy

from . import errors
from ._library import (Array, EVERY_RANK, Event, Finding, LIBRARY, Message, OBSERVER, PRINTER,
                       Statistics, installed_kernels, text)
from .findings import Findings

WAIT = 0.1      # seconds between looks at Ctrl-C

# Element types that numpy has; the others travel as unsigned integers of their size.
NUMPY = {"f32": "<f4", "f16": "<f2", "i8": "i1", "u8": "u1", "i16": "<i2", "u16": "<u2",
         "i32": "<i4", "u32": "<u4", "i64": "<i8", "u64": "<u8", "bf16": "<u2", "f8e4m3": "u1",
         "f8e5m2": "u1"}
OWN = {numpy.dtype(code): name for name, code in NUMPY.items()
       if name not in ("bf16", "f8e4m3", "f8e5m2")}
OWN[numpy.dtype(bool)] = "u8"
OK, FINDINGS, STOPPED = 0, 4, 130


class Bits:
    """An array whose elements are the bits of a type that numpy does not have."""

    def __init__(self, array, dtype):
        self.array, self.dtype = numpy.asarray(array), dtype
        if dtype not in NUMPY:
            raise errors.UsageError("no element type %r; there are %s" % (dtype, ", ".join(NUMPY)))
        if self.array.dtype.itemsize != numpy.dtype(NUMPY[dtype]).itemsize:
            raise errors.UsageError("elements of %s are not the bits of %s"
                                    % (self.array.dtype, dtype))


class PerRank(list):
    """One value for each rank."""


def _elements(name, value):
    """(array, element type) of what was given for an input; never converts numbers."""
    array, dtype = (value.array, value.dtype) if isinstance(value, Bits) else (value, None)
    array = numpy.asarray(array)
    if dtype is None:
        dtype = OWN.get(array.dtype.newbyteorder("="))
    if dtype is None:
        raise errors.UsageError(
            "%s: elements of %s are not a type of this machine\n"
            "  hint: convert them, for instance %s.astype(numpy.float32)"
            % (name, array.dtype, name))
    # Row-major and little-endian: what is so already is not copied.
    return numpy.ascontiguousarray(array, NUMPY[dtype] if array.dtype.byteorder == ">" else None
                                   ).reshape(array.shape), dtype


class Job:
    def __init__(self):
        self.handle = LIBRARY.pto_job_new()
        self.kept = []          # what the library has been lent
        self.failure = None     # of a callback
        self.explained = ""

    def __del__(self):
        if getattr(self, "handle", None):
            LIBRARY.pto_job_free(self.handle)
            self.handle = None

    # ---- before the run

    def option(self, name, value=None):
        LIBRARY.pto_job_option(self.handle, name.encode(),
                               None if value is None else str(value).encode())

    def kernel(self, kernel):
        """A path, or a text of more than one line."""
        if isinstance(kernel, bytes) or (isinstance(kernel, str) and "\n" in kernel):
            data = kernel.encode() if isinstance(kernel, str) else kernel
            LIBRARY.pto_job_text(self.handle, b"<text>", data, len(data))
        else:
            LIBRARY.pto_job_file(self.handle, os.fsencode(kernel))

    def include_installed(self):
        if installed_kernels():
            self.option("include", os.path.join(installed_kernels(), "lib"))

    def give(self, name, value):
        """A parameter or an input: a number, an array, a source such as "random:1" or a file, or
        one of them for each rank."""
        if isinstance(value, PerRank):
            for rank, one in enumerate(value):
                self._give(rank, name, one)
        else:
            self._give(EVERY_RANK, name, value)

    def _give(self, rank, name, value):
        if isinstance(value, (bool, int, numpy.integer)):
            LIBRARY.pto_job_set_int(self.handle, rank, name.encode(), int(value))
        elif isinstance(value, (float, numpy.floating)):
            LIBRARY.pto_job_set_float(self.handle, rank, name.encode(), float(value))
        elif isinstance(value, (str, os.PathLike)) and rank == EVERY_RANK:
            self.option("in", "%s=%s" % (name, os.fspath(value)))
        else:
            self._bind(rank, name, value)

    def _bind(self, rank, name, value):
        array, dtype = _elements(name, value)
        dims = (ctypes.c_uint64 * max(array.ndim, 1))(*array.shape)
        self.kept.append(array)
        if LIBRARY.pto_job_bind(self.handle, rank, name.encode(), dtype.encode(), array.ndim, dims,
                                array.ctypes.data) != OK:
            raise errors.UsageError("%s: an object has at most 6 dimensions" % name)

    def _guarded(self, function):
        """A callback must not raise into the library: the run is stopped, and `run` raises."""
        def call(*arguments):
            try:
                if self.failure is None:
                    function(*arguments)
            except BaseException as error:      # noqa: B902 - raised again by run
                self.failure = error
                LIBRARY.pto_job_stop(self.handle)
        return call

    def observe(self, function):
        """Call function(event) for every event; the event is a dict."""
        def tell(_, event):
            event = event.contents
            function({name: text(value) if isinstance(value, (bytes, type(None))) else value
                      for name, value in ((n, getattr(event, n)) for n, _ in Event._fields_)})
        self.kept.append(OBSERVER(self._guarded(tell)))
        LIBRARY.pto_job_observe(self.handle, self.kept[-1], None)

    def printer(self, function):
        """Call function(rank, core, time_ps, line) for every line that kernels print."""
        def tell(_, rank, core, time_ps, line):
            function(rank, text(core), time_ps, text(line))
        self.kept.append(PRINTER(self._guarded(tell)))
        LIBRARY.pto_job_print(self.handle, self.kept[-1], None)

    # ---- the run

    def run(self):
        """Run; raises what went wrong, but not findings."""
        results = []
        # The library runs on a thread of its own, so that Ctrl-C reaches this one.
        worker = threading.Thread(target=lambda: results.append(
            LIBRARY.pto_job_run(self.handle)), daemon=True)
        worker.start()
        try:
            while worker.is_alive():
                worker.join(WAIT)
        except BaseException:
            while worker.is_alive():
                LIBRARY.pto_job_stop(self.handle)
                worker.join(WAIT)
            raise
        if self.failure is not None:
            raise self.failure
        self.raise_for(results[0])

    def raise_for(self, result):
        if result in (OK, FINDINGS):
            return
        kind = errors.BY_RESULT.get(result, errors.PtoError)
        raise kind(text(LIBRARY.pto_job_explain(self.handle)), self.messages(), self.report(),
                   self.findings())

    # ---- results

    def _listed(self, function, kind):
        """All that the library numbers from 0 on."""
        item, index = kind(), 0
        while function(self.handle, index, ctypes.byref(item)):
            yield item
            index += 1

    def messages(self):
        return [errors.Message(text(m.severity), text(m.file), m.line, m.column, text(m.text),
                               text(m.hint))
                for m in self._listed(LIBRARY.pto_job_message, Message)]

    def findings(self):
        return Findings(self._listed(LIBRARY.pto_job_finding, Finding),
                        text(LIBRARY.pto_job_explain(self.handle)))

    def report(self):
        return json.loads(LIBRARY.pto_job_report(self.handle))

    def summary(self):
        return text(LIBRARY.pto_job_summary(self.handle))

    def statistics(self, rank=EVERY_RANK):
        found = Statistics()
        LIBRARY.pto_job_statistics(self.handle, rank, ctypes.byref(found))
        return {name: getattr(found, name) for name, _ in Statistics._fields_}

    def ranks(self):
        return LIBRARY.pto_job_ranks(self.handle)

    def arrays(self, rank, kinds):
        """{name: array} of the objects of these kinds; the arrays are the machine's own bytes."""
        found, info, index = {}, Array(), 0
        while LIBRARY.pto_job_array(self.handle, rank, index, ctypes.byref(info)):
            index += 1
            if text(info.kind) in kinds and info.data:
                found[text(info.name)] = self._view(info)
        return found

    def _view(self, info):
        memory = (ctypes.c_uint8 * max(info.size, 1)).from_address(info.data)
        memory.job = self       # the bytes live as long as somebody looks at them
        dtype = numpy.dtype(NUMPY[text(info.dtype)])
        return numpy.ndarray(tuple(info.dim[:info.dims]), dtype, memory,
                             strides=tuple(info.stride[:info.dims]))
