"""For tests of kernels, with pytest or without."""

import numpy

from . import FindingsError, check, run
from .given import PerRank, shown, wrong


def assert_clean(kernel, **arguments):
    """Fail with the checker's text if it finds anything."""
    findings = check(kernel, **arguments)
    if findings:
        raise FindingsError(findings)


def assert_results(kernel, expected, *, rtol=0, atol=0, **arguments):
    """Run under the checker; fail if it finds anything, or if a result differs from the array
    expected[name] by more than atol + rtol * |expected|; of several ranks each, which per_rank
    gives arrays of their own.  Returns the result of the run."""
    if not hasattr(expected, "items"):
        raise wrong("expected: a dict of arrays by the names of results is wanted, not %s"
                    % shown(expected))
    if not expected:
        raise wrong("expected: there is nothing in it to compare")
    result = run(kernel, check=True, **arguments)
    if result.findings:
        raise FindingsError(result.findings)
    for name, want in expected.items():
        got = result[name] if isinstance(result[name], list) else [result[name]]
        wants = want if isinstance(want, PerRank) else [want] * len(got)
        if len(wants) != len(got):
            raise wrong("%s: per_rank has %d arrays for %d ranks" % (name, len(wants), len(got)))
        for rank, (one, wanted) in enumerate(zip(got, wants)):
            numpy.testing.assert_allclose(one, wanted, rtol=rtol, atol=atol,
                                          err_msg="%s of rank %d" % (name, rank))
    return result
