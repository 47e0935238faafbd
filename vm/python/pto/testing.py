"""For tests of kernels, with pytest or without."""

import numpy

from . import FindingsError, check, run


def assert_clean(kernel, **arguments):
    """Fail with the checker's text if it finds anything."""
    findings = check(kernel, **arguments)
    if findings:
        raise FindingsError(findings)


def assert_results(kernel, expected, *, rtol=0, atol=0, **arguments):
    """Run under the checker; fail if it finds anything, or if a result differs from the array
    expected[name] by more than atol + rtol * |expected|.  Returns the result of the run."""
    result = run(kernel, check=True, **arguments)
    if result.findings:
        raise FindingsError(result.findings)
    for name, want in expected.items():
        got = result[name]
        for rank, one in enumerate(got if isinstance(got, list) else [got]):
            numpy.testing.assert_allclose(one, want, rtol=rtol, atol=atol,
                                          err_msg="%s of rank %d" % (name, rank))
    return result
