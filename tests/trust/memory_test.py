"""Memory that a run takes, stated before it starts."""
import json
import os
import subprocess

import trust
from trust import DONE, LIMIT, MEMORY, SANITIZED, pto

MIB = 1 << 20


def peak(b, code, *words):
    """Largest resident memory of a run that ends with this status, in bytes."""
    process = subprocess.Popen([pto.program(words[0]), *words[1:]], cwd=b.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == code, process.returncode
    return usage.ru_maxrss * 1024


def test_launches_of_a_kernel_share_what_is_the_same(b):
    words = ['ptovm', '--cores', '1', '--max-time', '1ns', 'run',
             b.kernel('attention/flash_attention.pto'), '--in', 'q=iota', '--in', 'k=iota', '--in',
             'v=iota', '--set', 's0=16', '--set', 's1=16', '--set', 'h=16']
    one, many = peak(b, LIMIT, *words), peak(b, LIMIT, *words, '--repeat', '10000')
    assert SANITIZED or many - one < 4 * MIB, '%d bytes for 10000 launches' % (many - one)


KERNEL = """.kernel sizes
.mix 1:1
.param n : i64
.in     a : f32[n]
.out    b : f32[2 * n]
.gm     c : i8[n]
.sym    d : f32[n]
.signal e[3]
.core aiv
.tile t : ub f32[1, 64]
.local l : i64[10]
    TLOAD t, a
"""
RANKS, CORES = 3, 2


def stated(b, *words):
    done = b.expect(DONE, 'ptovm', 'info', 'k.pto', '--json', *words)
    return json.loads(done.stdout)['memory']


def test_memory_is_stated(b):
    b.write('k.pto', KERNEL)
    b.write('a.npy', b'')
    size = ['--ranks', str(RANKS), '--cores', str(CORES)]
    memory = stated(b, *size, '--set', 'n=1000')
    assert memory['inputs'] == 0
    assert memory['objects'] == RANKS * (4000 + 8000 + 1000)
    assert memory['symmetric'] == RANKS * (4000 + 3 * 64)
    assert memory['on_chip'] >= RANKS * CORES * (256 + 80)
    assert memory['total'] == sum(v for k, v in memory.items() if k != 'total')
    b.write('a.f32', bytes(4000))
    given = stated(b, *size, '--in', 'a=a.f32')
    assert given['inputs'] == 4000 and given['objects'] == memory['objects']
    text = b.expect(DONE, 'ptovm', 'info', 'k.pto', *size, '--set', 'n=1000').stdout
    assert 'memory of a run on 3 ranks, bytes' in text
    assert any(line.split() == ['objects', '39000'] for line in text.splitlines()), text
    assert 'memory of' not in b.expect(DONE, 'ptovm', 'info', 'k.pto').stdout


def test_a_run_takes_what_was_stated(b):
    words = ['--ranks', '4', '--set', 'count=2000000', b.kernel('collective/allreduce_ring.pto')]
    done = b.expect(DONE, 'ptovm', 'info', '--json', *words)
    total = json.loads(done.stdout)['memory']['total']
    own = 8 * MIB                       # the program itself, source text, messages on their way
    got = peak(b, DONE, 'ptovm', 'run', *words, '--in', 'x=iota')
    fits = total * 3 / 4 < got < total + own
    assert SANITIZED or fits, '%d stated, %d taken' % (total, got)


WINDOWS = """.kernel windows
.sym box : i32[nranks(), 8K]
.core aiv
.tile one : ub i32[1, 8]
.local many : i64[1024]
    .if block_id() + sub_id() == 0
        TEXPANDS one, 1
        set_flag V, MTE3, 0
        wait_flag V, MTE3, 0
        TSTORE box[rank(), 0], one
        st many[3], 1
    .endif
"""


def test_a_rank_takes_what_it_uses(b):
    """Of windows of 2.5 and 5 MiB a page, of 72 sub-cores the memories of one."""
    b.write('w.pto', WINDOWS)
    few, many = (peak(b, DONE, 'ptovm', '--threads', '1', '--ranks', str(ranks), 'run', 'w.pto')
                 for ranks in (80, 160))
    assert SANITIZED or many - few < 80 * 256 * 1024, '%d bytes a rank' % ((many - few) // 80)


def test_a_run_that_needs_more_is_refused(b):
    b.write('k.pto', KERNEL)
    run = ['run', 'k.pto', '--cores', '1', '--in', 'a=iota']
    for program in [['ptovm', '-q'], ['ptodbg', '--batch', '-e', 'run']]:
        words = [*program, *(run if program[0] == 'ptovm' else run[1:])]
        b.refuse(MEMORY, *words, '--set', 'n=1M', '--max-memory', '16M',
                 say=['and 16.0 MiB are allowed', 'objects 13.0', 'symmetric objects 4.0',
                      '--max-memory'])
        b.refuse(MEMORY, *words, '--set', 'n=128G', say=['are allowed', '--max-memory'])
    b.expect(DONE, 'ptovm', '-q', *run, '--set', 'n=1M', '--max-memory', '32M')


FILLING = """.kernel filling
.core aiv
.tile t : ub f32[1, 64]
    %i = 0
    .while %i >= 0
        TEXPANDS t, 1.0
        set_flag V, S, 0
        wait_flag V, S, 0
    .endwhile
"""


def test_a_run_that_fills_memory_ends_in_order(b):
    """A record without end: what is there is written, and said to be partial."""
    b.write('f.pto', FILLING)
    done = b.expect(MEMORY, 'ptovm', 'run', 'f.pto', '--cores', '1', '--max-memory', '16M',
                    '--critical-path', '--trace', 't.json', '--json=r.json')
    assert 'takes more than 32.0 MiB' in done.stderr and '--max-memory' in done.stderr, done.stderr
    report = json.loads(b.read('r.json'))
    assert (report['status'], report['exit_code']) == ('limit', MEMORY), report
    assert report['limits']['max_memory'] == 16 * MIB
    assert b'"partial":true' in b.read('t.json')[-200:]


def test_a_trace_takes_no_memory(b):
    """It goes to its file while the run goes on."""
    b.write('f.pto', FILLING.replace('%i >= 0', '%i < 50000').replace(
        'wait_flag V, S, 0', 'wait_flag V, S, 0\n        %i = %i + 1'))
    limit = '1G' if SANITIZED else '8M'
    b.expect(0, 'ptovm', 'run', 'f.pto', '--cores', '1', '--max-memory', limit, '--trace', 't.json',
             '--trace-max-events', '100000000', '--trace-kinds', 'pipe,flag', '-q')
    assert len(b.read('t.json')) > 48 * MIB


def test_the_end_of_a_trace_takes_no_memory(b):
    """What was written as the run went on becomes the file: a new one, one in the place of
    another, what a link points at, one that has to be copied."""
    b.write('f.pto', FILLING)
    words = ['ptovm', '-q', '--cores', '1', '--max-time', '1ms', 'run', 'f.pto',
             '--trace-max-events']
    least = peak(b, LIMIT, *words, '1', '--trace', 'none.json')
    os.symlink('other.json', b.path('link'))
    for name in ('t.json', 't.json', 'link', 't.json.gz', '/dev/null', '-'):
        most = peak(b, LIMIT, *words, '90M', '--trace', name)
        assert SANITIZED or most - least < 2 * MIB, '%s: %d bytes' % (name, most - least)
    for name in ('t.json', 'other.json'):
        assert os.stat(b.path(name)).st_size > 100 * MIB
        assert os.stat(b.path(name)).st_mode & 0o777 == 0o666 & ~umask()
    assert os.path.islink(b.path('link')) and b.read('t.json') == b.read('other.json')
    assert b.files() == ['f.pto', 'link', 'none.json', 'other.json', 't.json', 't.json.gz']


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


if __name__ == '__main__':
    trust.main(globals())
