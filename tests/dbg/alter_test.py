"""A run that is altered by hand: what comes of it is what the kernel computes from the changed
values, what is left of the run as it was is untouched, and going back to the change undoes it."""
import os
import re
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import pto  # noqa: E402

N = 200
A, B = np.arange(N, dtype=np.float32), np.ones(N, dtype=np.float32)
UNDONE = 'is undone: this is the run as it was'


def session(folder, *commands, code=0, words=()):
    script = [w for c in commands for w in ('-e', c)]
    done = pto.ptodbg(pto.source('tests', 'dbg', 'add.pto'), '--profile', 'toy', '--batch',
                      '--cores', '1', '--set', 'n=%d' % N, '--in', 'a=iota', '--in', 'b=ones',
                      *words, *script, cwd=folder)
    assert done.code == code, (done.code, done.out, done.err)
    return done.out


def results(folder, *commands, ranks=1):
    """c of every rank after these commands, and what they said."""
    names = ['c%d.npy' % r for r in range(ranks)]
    saves = ['save c@%d %s' % (r, name) for r, name in enumerate(names)]
    told = session(folder, *commands, *saves, words=('--ranks', ranks))
    return [np.load(os.path.join(folder, name)) for name in names], told


def test_an_input(folder):
    """An input of one rank, which nobody writes and all ranks share."""
    (c0, c1), told = results(folder, 'start', 'set a@1[3] = 100', 'set b@1[190]{10} = 2.5',
                             'continue', ranks=2)
    a, b = A + N, B.copy()  # iota goes on from rank to rank
    a[3], b[190:] = 100, 2.5
    assert np.array_equal(c0, A + B) and np.array_equal(c1, a + b)
    assert re.search(r'The program ended at .*, altered\.', told), told
    (c0, c1), told = results(folder, 'start', 'set a@1[3] = 100', 'continue', 'run', ranks=2)
    assert np.array_equal(c0, A + B) and np.array_equal(c1, A + N + B), 'run begins anew'
    assert told.count(', altered.') == 1, told


def test_a_tile(folder):
    """Between its load and the addition."""
    (c,), told = results(folder, 'catch start TADD if %off == 0', 'run', 'set ta[0](0, 5) = 7',
                         'set ta[0](0, 6){1, 2} = -1', 'continue')
    a = A.copy()
    a[5:8] = 7, -1, -1
    assert np.array_equal(c, a + B)


def test_a_register(folder):
    """The length of the last chunk, before its sum is stored."""
    (c,), told = results(folder, 'break TSTORE if %off == 192', 'run', 'set %len = %len / 2',
                         'continue')
    assert np.array_equal(c[:196], (A + B)[:196]) and np.isnan(c[196:]).all(), c


def test_an_array(folder):
    told = session(folder, 'tbreak TADD', 'run', 'set seen[2] = 40 + %off', 'print seen[2] * 2',
                   'step', 'print seen[2] + 1')
    assert 'seen[2] * 2 = 80' in told and 'seen[2] + 1 = 41' in told, told


def test_raw_bytes(folder):
    told = session(folder, 'break TADD', 'run', 'set ub+0x10,4 = 0x41', 'x ub 0x10 2 f32')
    value = np.frombuffer(b'AAAA', np.float32)[0]
    assert '0x000010  %.6g' % value in told, told


def test_whose_bytes_were_changed(folder):
    told = session(folder, 'start', 'focus 0.aiv0.0', 'set ta[0](0, 1) = 5', 'focus 0.aiv0.1',
                   'set ta[0](0, 1) = 5', 'set ub+4 = 9', 'set a[7] = 5', 'info changes')
    for line in ('ta[0](0, 1) = 5 of rank 0, aiv0.0', 'ta[0](0, 1) = 5 of rank 0, aiv0.1',
                 'ub+4 = 9 of rank 0, aiv0.1', 'a[7] = 5 of rank 0'):
        assert ': ' + line + '\n' in told, told


def test_going_back(folder):
    change = ['start', 'goto 60', 'set a[70] = 1000']
    (c,), told = results(folder, *change, 'continue', 'goto 100', 'info changes', 'continue')
    assert c[70] == 1001 and UNDONE not in told and 'event 60: a[70] = 1000' in told, told
    (c,), told = results(folder, *change, 'continue', 'goto 60', 'info changes', 'continue')
    assert np.array_equal(c, A + B) and UNDONE in told and 'Nothing was changed' in told, told
    (c,), told = results(folder, *change, 'goto 100', 'set a[71] = 2000', 'continue', 'goto 99',
                         'info changes', 'continue')
    assert c[70] == 1001 and c[71] == 72, c[70:72]
    assert 'What was changed at event 100 is undone; earlier changes stay' in told, told


def test_jump(folder):
    """One chunk is not added up."""
    (c,), told = results(folder, 'break TADD if %off == 64', 'run', 'jump 27', 'info changes',
                         'continue')
    want = A + B
    want[64:128] = A[64:128]
    assert np.array_equal(c, want), c
    assert 'add.pto:27, ' in told and ': jump 27 of rank 0, aiv0.1' in told, told
    told = session(folder, 'break TADD if %off == 64', 'run', 'jump 27', 'step',
                   'reverse-step', 'when')
    assert UNDONE in told and ', event 63; scalar unit of' in told.splitlines()[-1], told


def test_results_are_kept_apart(folder):
    told = session(folder, 'start', 'set a[0] = 5', 'continue', words=('--out', 'c=c.npy'))
    assert 'written to no file' in told and not os.path.exists(os.path.join(folder, 'c.npy'))
    session(folder, 'start', 'set a[0] = 5', 'goto 1', 'continue', words=('--out', 'c=c.npy'))
    assert np.array_equal(np.load(os.path.join(folder, 'c.npy')), A + B)


def test_with_the_checker(folder):
    """Findings of the altered run are not those of the run as it was."""
    words = ('--check',)
    altered = ['tbreak add.pto:25 if %off == 0', 'run', 'jump 26', 'continue']
    told = session(folder, *altered, 'info findings', words=words)
    assert re.search(r'Catchpoint 1, .*finding 1: TADD', told), told
    told = session(folder, *altered, 'start', 'info findings', 'continue', words=words)
    assert 'No findings up to here.\n' in told and 'lie ahead' not in told, told
    assert told.endswith('The checker has found nothing.\n'), told


pto.run_tests(globals(), str)
