"""Every allocation, and every write, fails once: the program says so in one message and ends with
the exit status that its manual names, or it goes on as if nothing had happened.

Needs the preloaded library of faults.c: FAULTS names it.
"""
import json
import os
import pty

import memory_test
import trust
from trust import DONE, FINDINGS, LIMIT, PROGRAM, USAGE

MEMORY = 71
FAULTS = os.environ['FAULTS']

KERNEL = '''.include "part.inc"
.kernel one
.param n : i64
.assert n > 0, "n must be positive"
.in a : f32[n]
.out c : f32[n]
.core aiv
    .tile t : ub f32[1, 64]
    %x = 1.5
    .for %i = 0 to n step 64
        part t, %i
    .endfor
'''
PART = '''.macro part tile, at
    TLOAD tile, a[at]{1, 64}
    set_flag MTE2, V, 0
    wait_flag MTE2, V, 0
    TADDS tile, tile, %x
    set_flag V, MTE3, 0
    wait_flag V, MTE3, 0
    TSTORE c[at]{1, 64}, tile
    pipe_barrier ALL
.endm
'''
SCRIPT = '''break TADDS
run
info flags
print %i + 1
print t
x a 0 4 f32
list
backtrace
step
next
info breakpoints
reverse-step
disassemble
why
focus aiv0.0
help print
delete
continue
'''


def sources(b):
    b.write('k.pto', KERNEL)
    b.write('part.inc', PART)
    b.write('script', SCRIPT)
    b.write('wrong.pto', KERNEL.replace('TADDS', 'TADSS') + PART)
    b.write('p.profile', 'base = toy\nevents = 2\n')
    b.write('a.raw', bytes(256))


COMMANDS = [
    (DONE, ('ptoas', '-o', 'k.ptob', '-l', 'k.lst', 'k.pto')),
    (PROGRAM, ('ptoas', '-o', 'k.ptob', 'wrong.pto')),
    (DONE, ('ptoas', '--lint', '-v', '--profile', './p.profile', 'k.pto')),
    (DONE, ('ptoas', '--explain', 'TADD')),
    (DONE, ('ptovm', 'info', '--json', 'k.pto')),
    (DONE, ('ptovm', '--help')),
    (USAGE, ('ptovm', 'run', 'k.pto', '--set', 'm=1', '--nonsense')),
    (FINDINGS, ('ptovm', 'run', 'k.pto', '--cores', '1', '--in', 'a=a.raw', '--out',
                'c=c.npy', '--json=j', '--trace', 't', '--check', '--sarif', 's',
                '--expect', 'c=const:1.5')),
    (DONE, ('ptoas', '--format', 'k.pto')),
    (DONE, ('ptoas', '--sync', 'auto', '-S', 'k.pto')),
    (DONE, ('ptodbg', '--cores', '1', '--batch', '-x', 'script', '--in', 'a=a.raw', '--out',
            'c=c.npy', 'k.pto')),
]


# A run without findings, whose status tells of nothing but writes that fail.
WRITING = [
    (DONE, ('ptovm', 'run', 'k.pto', '--cores', '1', '--in', 'a=a.raw', '--out', 'c=c.npy',
            '--json=j', '--trace', 't')),
]


# What needs a library that a host may lack.
OPTIONAL = [
    (DONE, ('ptovm', 'run', 'k.pto', '--cores', '1', '--in', 'a=a.raw', '--out', 'c.npz')),
    (DONE, ('ptovm', 'diff', 'report', 'report')),
]


def state(b, done):
    files = {name: b.read(name) for name in b.files() if name != 'count'}
    return done.returncode, done.stdout, done.stderr, files


def run_with(b, words, **faults):
    env = dict(os.environ, LD_PRELOAD=FAULTS, FAULT_COUNT=b.path('count'),
               **{'FAULT_' + name.upper(): str(value) for name, value in faults.items()})
    return b.run(*words, env=env)


def clean(b, before):
    for name in b.files():
        if name not in before:
            os.unlink(b.path(name))


def try_all(b, code, words, kind, which, judge):
    """Run once without a fault, then with every N-th one; `judge` looks at each."""
    before = b.files()
    good = state(b, run_with(b, words))
    assert good[0] == code, (words, good[0], good[1][-400:], good[2][-400:])
    count = int(b.read('count').split()[which])
    assert count > 0
    clean(b, before)
    for number in range(1, count + 1):
        done = state(b, run_with(b, words, **{kind: number}))
        clean(b, before)
        if done != good:
            judge('%s, %s %d of %d' % (' '.join(words), kind, number, count), done, good)


def out_of_memory(what, done, good):
    code, out, err, files = done
    assert code == MEMORY, (what, code, out, err)
    said = [line for line in (out + err).splitlines() if 'memory' in line
            and line not in good[1] + good[2]]
    assert len(said) == 1, (what, out, err)
    assert not [name for name in files if name.endswith('.tmp')], (what, files.keys())
    whole(what, code, files, good)


def out_of_memory_or_library(what, done, good):
    """A library that cannot be loaded for want of memory seems not to be there."""
    code, out, err, files = done
    if code == USAGE and 'without libzip' in err:
        whole(what, code, files, good)
    else:
        out_of_memory(what, done, good)


def whole(what, code, files, good):
    """Every file is what it is without the fault; the report tells how the run ended."""
    for name, data in files.items():
        if name == 'j' and data != good[3][name]:
            assert json.loads(data)['exit_code'] == code, (what, data)
        elif name == 's' and data != good[3][name]:
            (run,) = json.loads(data)['runs']
            assert run['invocations'][0]['exitCode'] == code, (what, data)
        else:
            assert data == good[3][name], (what, name, 'is half-written')


def test_every_allocation(b):
    sources(b)
    for code, words in COMMANDS:
        try_all(b, code, words, 'memory', 0, out_of_memory)
    b.expect(DONE, 'ptovm', 'run', 'k.pto', '--cores', '1', '--in', 'a=a.raw', '--json=report')
    for code, words in OPTIONAL:
        done = run_with(b, words)
        if 'libzip' not in done.stderr and 'jansson' not in done.stderr:
            clean(b, [name for name in b.files() if name != 'c.npz'])
            try_all(b, code, words, 'memory', 0, out_of_memory_or_library)


def cannot_write(what, done, good):
    code, _, err, files = done
    assert code in (PROGRAM, USAGE, FINDINGS), (what, code, err)
    assert 'No space left on device' in done[1] + err, (what, done[1], err)
    assert not [name for name in files if name.endswith('.tmp')], (what, files.keys())
    whole(what, code, files, good)


def test_every_write(b):
    sources(b)
    for code, words in COMMANDS + WRITING:
        if code != PROGRAM and {'-o', '-l', '--out', '--json=j'} & set(words):
            try_all(b, code, words, 'output', 1, cannot_write)


def test_where_no_file_can_be_given_a_name(b):
    """A trace is copied there, piece by piece."""
    sources(b)
    words = ('ptovm', 'run', 'k.pto', '--cores', '1', '--in', 'a=a.raw', '--trace', 't')
    good = state(b, run_with(b, words))
    assert good[0] == DONE and len(good[3]['t']) > 1000
    before = b.files()
    assert state(b, run_with(b, words, links=1)) == good
    b.write('t', 'what was there')
    os.chmod(b.path('t'), 0o600)
    assert state(b, run_with(b, words, links=1)) == good
    assert os.stat(b.path('t')).st_mode & 0o777 == 0o600 and b.files() == before


def test_a_copied_trace_takes_no_memory(b):
    b.write('f.pto', memory_test.FILLING)
    words = ['ptovm', '-q', '--cores', '1', '--max-time', '1ms', 'run', 'f.pto', '--trace', 't',
             '--trace-max-events']
    os.environ.update(LD_PRELOAD=FAULTS, FAULT_LINKS='1')
    least, most = (memory_test.peak(b, LIMIT, *words, events) for events in ('1', '90M'))
    del os.environ['LD_PRELOAD'], os.environ['FAULT_LINKS']
    assert most - least < 2 << 20, '%d bytes' % (most - least)
    assert os.stat(b.path('t')).st_size > 100 << 20


def talk(b, number):
    """A session at a terminal: exit status, what the screen showed."""
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(b.folder)
        os.environ.update(TERM='dumb', INPUTRC='/dev/null', LD_PRELOAD=FAULTS,
                          FAULT_COUNT=b.path('count'), FAULT_MEMORY=str(number))
        words = b.command(('ptodbg', '--cores', '1', '--in', 'a=zeros', '--set', 'n=64', 'k.pto'))
        os.execv(words[0], words)
    seen = b''
    try:
        for line in (b'', b'sta\t\r', b'print %\t\t\r', b'step\r'):
            os.write(screen, line)
            while not seen.endswith(b'(ptodbg) '):
                seen += os.read(screen, 4096)
            seen = seen[:-1]
        os.write(screen, b'quit\r')
        while True:             # a prompt that was drawn twice must not cut the session short
            seen += os.read(screen, 4096)
    except OSError:
        pass
    os.close(screen)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.decode()


def test_allocations_of_the_line_editor(b):
    sources(b)
    assert talk(b, 0)[0] == DONE
    count = int(b.read('count').split()[0])
    for number in range(1, count + 1):
        code, seen = talk(b, number)
        assert code == DONE or code == MEMORY and 'memory' in seen, (number, code, seen)


if __name__ == '__main__':
    trust.main(globals())
