"""The workbench of the tests of ptovm: a test is a function `test_*` that gets a Bench; it fails by
an assertion."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
import schema  # noqa: E402

DONE, PROGRAM, USAGE, DEADLOCK, LIMIT, MISMATCH = 0, 1, 2, 3, 5, 6


class Bench:
    """Programs, kernels and an empty working folder."""

    def __init__(self, folder):
        self.ptovm, self.ptoas = pto.program('ptovm'), pto.program('ptoas')
        self.folder = folder

    def kernel(self, name):
        return pto.source('tests', 'cli', 'kernels', name)

    def recorded(self, name):
        return pto.source('tests', 'cli', 'objects', name)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words, expect=DONE, stdin=None, env=None):
        """Run ptovm; returns (stdout, stderr)."""
        words = [self.kernel(w[1:]) if w.startswith('%') else w for w in words]
        done = pto.ptovm(*words, cwd=self.folder, stdin=stdin, env=env)
        assert done.code == expect, 'exit %d instead of %d\n%s\n%s' % (
            done.code, expect, done.out[-2000:], done.err[-2000:])
        return done.out, done.err

    def refuse(self, *words, say, code=USAGE):
        """Run with a mistake in the command line: one error that says so, nothing on stdout."""
        out, err = self.run(*words, expect=code)
        for text in [say] if isinstance(say, str) else say:
            assert text in err, '%r is not in %r' % (text, err)
        assert err.count('error:') == 1, err
        assert out == '', out
        assert len(err.splitlines()) <= 8, err


COPY = ['run', '%copy.pto', '--set', 'n=3000']


def report(text):
    return schema.load(text, 'report')


def main(module):
    pto.run_tests(module, Bench)
