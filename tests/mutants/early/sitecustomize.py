"""Python of the tests that planted faults run: the first failure ends a test, which is all that is
asked (build.py puts this folder in PYTHONPATH)."""
import unittest

begin = unittest.TextTestRunner.__init__


def begin_early(self, *arguments, **options):
    begin(self, *arguments, **options)
    self.failfast = True


unittest.TextTestRunner.__init__ = begin_early
