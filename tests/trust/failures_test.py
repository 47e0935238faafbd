"""Every allocation, and every write, fails once: the program says so in one message and ends with
the exit status that its manual names, or it goes on as if nothing had happened.

Needs the preloaded library of faults.c: FAULTS names it.
"""
import json
import os
import pty
import signal

import numpy

import memory_test
import trust
from trust import DONE, FINDINGS, LIMIT, PROGRAM, USAGE, pto

MEMORY = 71
STOPPED = 128 + signal.SIGTERM
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
    (DONE, ('ptovm', 'run', 'k.pto', '--cores', '1', '--in', 'a=a.npz')),
    (DONE, ('ptovm', 'diff', 'report', 'report')),
]


# What files, searches and machines take beside: their texts, and where all is tried.
UPSTREAM = ('carried', 'unsigned', 'sort', 'windows')
TOPOLOGY = 'mesh 0-1, slower = 2 @ 1us..2us\nlink 0-1 hub, down = 900us\n'
MORE = [
    (DONE, ('ptovm', 'run', 'k.pto', '--cores', '1', '--ranks', '2', '--in', 'a=flat.npy',
            '--topology', 'file:t.topo', '--slow-link', '0-hub=3@1us', '--slow-rank',
            '1=2@1us..3us', '--dead-rank', '1@900us', '--json=j')),
    (DONE, ('ptovm', 'whatif', 'k.pto', '--cores', '1', '--in', 'a=a.raw', '--set-cost',
            'gm_bandwidth=2x')),
    (DONE, ('ptovm', 'run', 'k.pto', '--cores', '1', '--in', 'a=a.raw', '--report', 'r.html',
            '--critical-path')),
    (DONE, ('ptoas', 'carried.mlir', '-o', 'c.ptob', '--sync', 'auto')),
    (DONE, ('ptoas', '-S', 'unsigned.mlir', '-o', 'u.pto')),
    (DONE, ('ptoas', 'sort.mlir', '-o', 'c.ptob')),
    (DONE, ('ptoas', '--to', 'cpp', 'windows.mlir', '-o', 'w.cpp')),
    (PROGRAM, ('ptoas', '--fix', 'wrong.pto')),
]
# They run many machines: one allocation of so many fails.
SEARCHES = [
    (DONE, ('ptovm', 'tune', 'k.pto', '--in', 'a=a.raw', '--try', 'cores=1,2', '--best', 'best'),
     5),
    (DONE, ('ptovm', 'run', 'k.pto', '--in', 'a=a.raw', '--set', 'cores=auto:1,2'), 7),
    (PROGRAM, ('ptovm', 'diff', '--state', 'k.pto', 'late.pto', '--cores', '1', '--in',
               'a=a.raw'), 3),
    (FINDINGS, ('ptovm', 'check', 'late.pto', '--cores', '1', '--in', 'a=a.raw', '--fix',
                '--fix-runs', '6'), 7),
]
STOPPING = ('ptovm_stopping', 'run', 'k.pto', '--cores', '1', '--in', 'a=a.raw', '--checkpoint',
            'ck')


def more_sources(b):
    sources(b)
    b.write('t.topo', TOPOLOGY)
    b.write('late.pto', PART.replace('    set_flag MTE2, V, 0\n    wait_flag MTE2, V, 0\n', '') +
            KERNEL.replace('.include "part.inc"\n', ''))
    numpy.save(b.path('flat.npy'), numpy.arange(64, dtype=numpy.float32))
    for name in UPSTREAM:
        with open(pto.source('tests', 'upstream', 'kernels', name + '.pto')) as text:
            b.write(name + '.mlir', text.read())


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


def try_all(b, code, words, kind, which, judge, step=1):
    """Run once without a fault, then with every N-th one; `judge` looks at each."""
    before = b.files()
    good = state(b, run_with(b, words))
    assert good[0] == code, (words, good[0], good[1][-400:], good[2][-400:])
    count = int(b.read('count').split()[which])
    assert count > 0
    clean(b, before)
    for number in range(1, count + 1, step):
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
    """A library that cannot be loaded for want of memory seems not to be there, and libzip that
    has none for an archive's directory finds none."""
    code, out, err, files = done
    if code == USAGE and ('without libzip' in err or 'Not a zip archive' in err):
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
    numpy.savez(b.path('a.npz'), a=numpy.arange(64, dtype=numpy.float32))
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


def test_every_allocation_of_more(b):
    more_sources(b)
    for code, words in MORE:
        try_all(b, code, words, 'memory', 0, out_of_memory)


def search_cut_off(what, done, good):
    """A change that could not be tried ends the search for it; the findings stand."""
    if done[0] == FINDINGS:
        assert "of this host's memory" in done[2], (what, done[1], done[2])
    else:
        out_of_memory(what, done, good)


def test_allocations_of_searches(b):
    more_sources(b)
    for code, words, step in SEARCHES:
        try_all(b, code, words, 'memory', 0, search_cut_off if code == FINDINGS else out_of_memory,
                step)


def stopped(b, **faults):
    """A run that is asked to end, whose checkpoint is what comes of it when it goes on."""
    os.environ['STOP_AT'] = '5'
    code, out, err, files = state(b, run_with(b, STOPPING, **faults))
    del os.environ['STOP_AT']
    if 'ck' in files:
        done = b.expect(DONE, *STOPPING[:-2], '--resume', 'ck', '--out', 'c=c.npy', '-q')
        files['ck'] = b.read('c.npy') + done.stderr.encode()
    return code, out, err, files


def test_checkpoints(b):
    """Written when the run ends, whole or not at all; and the run that goes on from one."""
    sources(b)
    before = b.files()
    good = stopped(b)
    counts = [int(number) for number in b.read('count').split()]
    assert good[0] == STOPPED and min(counts) > 0, (good, counts)
    os.rename(b.path('ck'), b.path('kept'))
    before.append('kept')
    good[3]['kept'] = b.read('kept')
    clean(b, before)
    for kind, count in zip(('memory', 'output'), counts):
        for number in range(1, count + 1):
            done = stopped(b, **{kind: number})
            clean(b, before)
            if done == good:
                continue
            what = '%s %d of %d' % (kind, number, count)
            if done[0] != STOPPED:
                out_of_memory(what, done, good)
            else:
                assert kind == 'output' and 'No space left' in done[2], (what, done[2])
                assert sorted(done[3]) == sorted(before), what
    resumed = (*STOPPING[:-2], '--resume', 'kept', '--out', 'c=c.npy')
    try_all(b, DONE, resumed, 'memory', 0, out_of_memory)
    try_all(b, DONE, resumed, 'output', 1, cannot_write)


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
