"""One run of the library, as an object: what `run` and `check` are made of."""

import ctypes
import json
import os
import threading

import numpy

from . import errors
from ._library import (Array, EVERY_RANK, Event, Finding, LIBRARY, Message, Name, OBSERVER, PRINTER,
                       Statistics, installed_kernels, text)
from .findings import Findings
from .given import Declared, INTEGERS, NUMPY, PerRank, encoded, shown, word, wrong

WAIT = 0.1      # seconds between looks at Ctrl-C

OK, FINDINGS = 0, 4


class Job:
    """`options`: what else may be given by name, for messages."""

    def __init__(self, options=()):
        self.handle = LIBRARY.pto_job_new()
        self.options = options
        self.given, self.ranks_wanted, self.texts = {}, 1, 0
        self.kept = []          # what the library has been lent
        self.failure = None     # of a callback

    def __del__(self):
        if getattr(self, "handle", None):
            LIBRARY.pto_job_free(self.handle)
            self.handle = None

    # ---- before the run

    def option(self, name, value=None):
        if name == "ranks":
            if isinstance(value, bool) or not isinstance(value, INTEGERS):
                raise wrong("ranks: an integer is wanted, not %s" % shown(value))
            self.ranks_wanted = int(value)
        LIBRARY.pto_job_option(self.handle, word(name, "option"),
                               None if value is None else word(str(value), name))

    def kernel(self, kernel):
        """A path, or a text of more than one line."""
        if not isinstance(kernel, (str, bytes, os.PathLike)):
            raise wrong("kernel: a path, a text of several lines or a list of them is wanted, not "
                        + shown(kernel))
        if isinstance(kernel, bytes) or (isinstance(kernel, str) and "\n" in kernel):
            data = encoded(kernel, "kernel")
            self.texts += 1
            name = b"<text>" if self.texts == 1 else b"<text %d>" % self.texts
            LIBRARY.pto_job_text(self.handle, name, data, len(data))
        else:
            path = word(kernel, "kernel")
            if not path:
                raise wrong("kernel: the empty path names no file")
            LIBRARY.pto_job_file(self.handle, path)

    def include_installed(self):
        if installed_kernels():
            self.option("include", os.path.join(installed_kernels(), "lib"))

    def give(self, name, value):
        """A parameter or an input: a number, an array, a source such as "random:1" or a file, or
        one of them for each rank.  `run` holds them against what the kernels declare."""
        word(name, "name")
        if name in self.given:
            raise wrong("%s: it is given twice" % name)
        self.given[name] = value
        if isinstance(value, (str, os.PathLike)) and "=" not in name:
            self.option("in", "%s=%s" % (name, os.fspath(value)))

    def declared(self):
        """What the kernels of a loaded job declare, as dicts."""
        return [{name: text(value) if isinstance(value, (bytes, type(None))) else value
                 for name, value in ((n, getattr(item, n)) for n, _ in Name._fields_)}
                for item in self._listed(LIBRARY.pto_job_name, Name)]

    def _give_all(self):
        declared = Declared(self.declared(), self.ranks_wanted, self.options)
        # All is checked before anything is given.
        for name, value in [(name, declared.check(name, value))
                            for name, value in self.given.items()]:
            if isinstance(value, PerRank):
                for rank, one in enumerate(value):
                    self._give(rank, name.encode(), one)
            elif not isinstance(value, str):    # option "in" has it
                self._give(EVERY_RANK, name.encode(), value)

    def _give(self, rank, name, value):
        if isinstance(value, int):
            LIBRARY.pto_job_set_int(self.handle, rank, name, value)
        elif isinstance(value, float):
            LIBRARY.pto_job_set_float(self.handle, rank, name, value)
        else:
            array, dtype = value
            self.kept.append(array)
            LIBRARY.pto_job_bind(self.handle, rank, name, dtype.encode(), array.ndim,
                                 (ctypes.c_uint64 * max(array.ndim, 1))(*array.shape),
                                 array.ctypes.data)

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
        self.raise_for(self._call(LIBRARY.pto_job_load))
        self._give_all()
        result = self._call(LIBRARY.pto_job_run)
        if self.failure is not None:
            raise self.failure
        self.raise_for(result)

    def _call(self, function):
        """The library runs on a thread of its own, so that Ctrl-C reaches this one."""
        results = []
        worker = threading.Thread(target=lambda: results.append(function(self.handle)),
                                  daemon=True)
        worker.start()
        try:
            while worker.is_alive():
                worker.join(WAIT)
        except BaseException:
            while worker.is_alive():
                LIBRARY.pto_job_stop(self.handle)
                worker.join(WAIT)
            raise
        return results[0]

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
