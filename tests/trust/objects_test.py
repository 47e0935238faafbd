"""Objects from somebody else."""
import os

import trust
from trust import DONE, PROGRAM, USAGE, with_profile

SECRET = 'launch_code = 4711\n'


def vadd(b):
    b.expect(DONE, 'ptoas', '-o', 'v.ptob', b.kernel('basic/vadd.pto'))
    return b.read('v.ptob')


def test_the_crafted_object_is_undamaged(b):
    b.write('w.ptob', with_profile(vadd(b), b'a2'))
    assert b.read('w.ptob') == b.read('v.ptob')
    b.write('w.ptob', with_profile(vadd(b), b'a5'))
    assert 'a5' in b.expect(DONE, 'ptovm', 'info', 'w.ptob').stdout


def test_a_profile_named_by_an_object_is_no_path(b):
    b.write('secret.txt', SECRET)
    os.mkfifo(b.path('fifo'))
    for name in ('./secret.txt', b.path('secret.txt'), '/dev/zero', './fifo', '.'):
        b.write('w.ptob', with_profile(vadd(b), name.encode()))
        for words in (('ptovm', 'info', 'w.ptob'), ('ptovm', 'run', 'w.ptob'),
                      ('ptodbg', '--batch', 'w.ptob')):
            done = b.refuse(USAGE, *words, say=['w.ptob', 'the built-in ones are a2'], timeout=10)
            assert '4711' not in done.stderr, done.stderr


def test_a_profile_of_ones_own_stands_on_the_command_line(b):
    b.write('slow.profile', 'base = a2\nlink_latency = 5 us\n')
    b.expect(DONE, 'ptoas', '--profile', './slow.profile', '-o', 's.ptob',
             b.kernel('basic/vadd.pto'))
    b.refuse(USAGE, 'ptovm', 'info', 's.ptob', say=["'slow'", '--profile'])
    b.expect(DONE, 'ptovm', '--profile', './slow.profile', 'info', 's.ptob')


if __name__ == '__main__':
    trust.main(globals())
