"""What ptovm does when something is wrong: exit statuses 1 to 130 and their messages."""
import json
import os
import shutil
import signal
import subprocess

import npy
from workbench import COPY, DEADLOCK, LIMIT, MISMATCH, PROGRAM, USAGE, main, pto, report


# ---- exit 1: the program is wrong --------------------------------------------------------------

def test_assembly_errors(b):
    out, err = b.run('run', '%broken.pto', expect=PROGRAM)
    assert out == ''
    assert 'broken.pto:3:5: error:' in err and 'broken.pto:4:' in err, err


def test_fault(b):
    b.run('run', '%fault.pto')
    _, err = b.run('--ranks', '2', 'run', '%fault.pto', expect=PROGRAM)
    lines = err.splitlines()
    assert 'fault.pto:6:' in lines[0] and ': fault: ' in lines[0], err
    assert lines[1].strip() == 'st c[3 + rank()], 1' and lines[2].strip() == '^', err
    assert 'rank 1, aiv0.0, ' in err and ' at ' in err, err


def test_no_output_after_a_fault(b):
    b.run('--ranks', '2', 'run', '%fault.pto', '--out', 'c=c{rank}.npy', expect=PROGRAM)
    assert not os.path.exists(b.path('c0.npy'))


# ---- exit 2: the command line is wrong ----------------------------------------------------------

def test_usage(b):
    _, err = b.run(expect=USAGE)
    assert 'no command given' in err and "Try 'ptovm --help'" in err, err
    b.refuse('rnu', '%copy.pto', say=["unknown command 'rnu'", "did you mean 'run'?"])
    b.refuse('run', say="'run' needs a kernel file")
    b.refuse('info', '%copy.pto', '%two.pto', say="'info' does not take")
    b.refuse('info', '%copy.pto', '--out', 'c=x', say="'--out' does not apply to 'info'")
    b.refuse('run', '%copy.pto', '--ranks', '0', say=['--ranks 0', '1 to 4096'])
    b.refuse('run', '%copy.pto', '--bogus', say="unknown option '--bogus'")


def test_unknown_names(b):
    b.refuse('run', 'missing.pto', say="cannot read 'missing.pto'")
    b.refuse('run', '%copy.pto:cpoy', say=["no kernel 'cpoy'", "copy'?"])
    b.refuse('run', '%two.pto', say=['holds 2 kernels', 'two.pto:first', 'two.pto:second'])
    b.refuse(*COPY, '--set', 'm=1', '--in', 'a=iota', say=["no parameter 'm'", 'n'])
    b.refuse(*COPY, '--in', 'aa=iota', '--in', 'a=iota', say=["no object 'aa'", "did you mean 'a'"])
    b.refuse(*COPY, '--in', 'a=iota', '--out', 'd=d.npy', say="no object 'd'")
    b.refuse(*COPY, '--in', 'a=iota', '--expect', 'd=d.npy', say="no object 'd'")
    b.refuse(*COPY, '--in', 'a=iota', '--profile', 'a9', say='a9')
    b.refuse(*COPY, '--in', 'a=iota', '--topology', 'file:', say="'file:' is none of mesh")
    b.refuse(*COPY, '--in', 'a=iota', '--link-down', '0-1', say='--link-down 1: no such rank')
    b.refuse(*COPY, '--in', 'a=iota', '--slow-rank', '1=2', say='no such rank')
    b.refuse(*COPY, '--in', 'a=iota', '--cores', '999', say='999')


def test_links_and_topologies(b):
    given = [*COPY, '--in', 'a=iota', '--ranks', '4']
    b.refuse(*given, '--topology', 'torus:3x2',
             say=["'torus:3x2' does not fit 4 ranks", 'X times Y'])
    b.refuse(*given, '--topology', 'nodes:5',
             say=["'nodes:5' does not fit 4 ranks", 'no more than'])
    for words in (['--slow-link', '0-1=4,2-3=5'], ['--link-down', '0-1=2'],
                  ['--link-down', '2-3,0-1=2@5us']):
        b.refuse(*given, *words,
                 say=[' '.join(words), 'more than one factor', 'once for each link'])


def test_checkpoints_are_files(b):
    b.refuse(*COPY, '--in', 'a=iota', '--checkpoint', '-', say=['--checkpoint -: ', 'name a file'])


def test_remedies(b):
    given = [*COPY, '--in', 'a=iota']
    b.refuse(*given, '--check', '--check-kernel', 'nope', say=['no such kernel', 'such as copy'])
    b.refuse(*given, '--check', '--check-kind', 'x' * 9, say=['docs/check.md', 'race-raw'])
    b.refuse(*given, '--timing-only', '--check', say='leave one of them out')
    b.refuse('tune', *given[1:], '--try', 'cores=0', say=['0 cores', 'from 1 to'])
    b.refuse('tune', *given[1:], '--try', 'n=4,8', say=["'n' is given with --set", 'leave one'])


def test_options_about_texts(b):
    given = ['--set', 'n=8', '--in', 'a=iota', '-q']
    subprocess.run([b.ptoas, b.kernel('copy.pto'), '-o', b.path('copy.ptob')], check=True)
    b.refuse('run', '%copy.pto', *given, '--function', 'f', say='no file of this run is upstream')
    b.refuse('run', 'copy.ptob', *given, '--function', 'f', say='no file of this run is upstream')
    b.refuse('run', 'copy.ptob', *given, '--sync', 'none', say='this run has objects only')
    b.run('run', 'copy.ptob', '%copy.pto', *given, '--sync', 'inorder')


def test_wrong_values(b):
    b.refuse('run', '%copy.pto', '--set', 'n=1.5', '--in', 'a=iota', say='not an integer')
    b.refuse('run', '%copy.pto', '--set', 'n=99999999999999999999', '--in', 'a=iota',
             say=['not an integer', '2^63'])
    b.refuse('run', '%copy.pto', '--ranks', '99999999999999999999', say='1 to 4096')
    b.refuse('run', '%copy.pto', '--set', 'n=1', '--set', 'n=2', '--in', 'a=iota', say='twice')
    b.refuse('run', '%interface.pto', '--set', 'rows=2', '--set', 'scale=nan', '--in', 'a=zeros',
             '--in', 'b=zeros', say='not a finite number')
    for size in ['-5', '10000000000000']:
        _, err = b.run('run', '%copy.pto', '--set', 'n=' + size, '--in', 'a=iota', expect=USAGE)
        assert "copy.pto:4:1: error:" in err and "'a'" in err, err


def test_wrong_inputs(b):
    npy.save(b.path('f8.npy'), '<f8', [3], [1, 2, 3])
    npy.save(b.path('i4.npy'), '<i4', [3], [1, 2, 3])
    npy.save(b.path('u2.npy'), '<u2', [2, 4], range(8))
    npy.save(b.path('f4.npy'), '<f4', [3], [1, 2, 3])
    npy.save(b.path('f4m.npy'), '<f4', [3, 1], [1, 2, 3])
    with open(b.path('bad.npy'), 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00\xff\xff{')
    run = ['run', '%copy.pto']
    b.refuse(*run, '--set', 'n=4', say="'a'")
    b.refuse(*run, '--in', 'a=iota', say="'n'")
    b.refuse(*run, '--in', 'a=none.npy', say="cannot read 'none.npy'")
    b.refuse(*run, '--in', 'a=.', say="cannot read '.'")
    b.refuse(*run, '--in', 'a=bad.npy', say='not a usable .npy file')
    b.refuse(*run, '--in', 'a=f8.npy', say=['type float64 are', 'astype'])
    b.refuse(*run, '--in', 'a=f4.npy:f16', say='type float32 are not f16')
    b.refuse(*run, '--in', 'a=i4.npy', say=['i4.npy holds i32', 'a=i4.npy:f32'])
    b.refuse(*run, '--in', 'a=f4.npy', '--set', 'n=4', say=['[4]', '[3]'])
    b.refuse(*run, '--in', 'a=f4m.npy', '--set', 'n=3', say='[3, 1]')
    b.refuse(*run, '--in', 'a=f4m.npy',
             say=["'a' is declared with 1 dimension and was", 'given f32[3, 1] by f4m.npy',
                  "'flat' behind the declaration of 'a'"])
    b.refuse(*run, '--in', 'a=onse', '--set', 'n=3', say=["cannot read 'onse'", "mean 'ones'"])
    b.refuse(*run, '--in', 'a=ones:f32', '--set', 'n=3', say="the declared type: 'ones' alone")
    b.refuse(*run, '--in', 'a=f4.npy:f23', say=["unknown element type 'f23'", 'f32'])
    b.refuse(*run, '--in', 'a=const:x', '--set', 'n=3', say='const:')
    b.refuse(*run, '--in', 'a=iota', '--in', 'c=iota', '--set', 'n=3', say="'c' takes no input")
    b.refuse(*run, '--in', 'a=iota', '--in', 'a=ones', '--set', 'n=3', say='twice')
    b.refuse('--ranks', '2', *run, '--in', 'a=x{rank}.npy', say="cannot read 'x0.npy'")
    b.refuse('run', '%matrix.pto', '--in', 'a=const:300', '--set', 'rows=1', '--set', 'cols=1',
             say='not a value of i8')
    b.refuse('run', '%interface.pto', '--in', 'a=u2.npy', '--in', 'b=zeros',
             say=['u2.npy holds u16', 'a=u2.npy:bf16'])


def test_a_raw_file_without_bytes(b):
    """It tells no size: most often something has failed to write it."""
    open(b.path('nothing.raw'), 'wb').close()
    for source in 'nothing.raw', '/dev/null':
        b.refuse('run', '%copy.pto', '--in', 'a=' + source, say="'n'")
        b.refuse('run', '%copy.pto', '--in', 'a=' + source, '--set', 'n=3',
                 say=source + ' holds 0 elements')
        b.run('run', '%copy.pto', '--in', 'a=' + source, '--set', 'n=0')
    npy.save(b.path('nothing.npy'), '<f4', [0], [])
    b.run('run', '%copy.pto', '--in', 'a=nothing.npy')


def test_wrong_outputs(b):
    given = [*COPY, '--in', 'a=iota']
    b.refuse('--ranks', '2', *given, '--out', 'c=c.npy', say=['2 ranks would write', '{rank}'])
    b.refuse(*given, '--out', 'c=c.npy', '--trace', 'c.npy',
             say=['--out c=c.npy', '--trace c.npy', 'would write the same file'])
    b.refuse(*given, '--out', 'c=c.npy', '--json=c.npy', say='would write the same file')
    b.refuse(*given, '--out', 'c=zeros', say='generator')
    b.refuse(*given, '--out', 'c=c.npy:f16', say="'c' is f32")
    npy.save(b.path('e.npy'), '<f4', [3], [1, 2, 3])
    b.refuse(*given, '--expect', 'c=e.npy', say=['f32[3]', 'f32[3000]'])
    b.refuse(*given, '--expect', 'c=none.npy', say="cannot read 'none.npy'")
    _, err = b.run(*given, '--out', 'c=no/such/c.npy', expect=USAGE)
    assert 'cannot write' in err, err


# ---- exit 3, 5, 6, 130 --------------------------------------------------------------------------

def test_deadlock(b):
    _, err = b.run('run', '%deadlock.pto', expect=DEADLOCK)
    assert 'deadlock: ' in err and 'deadlock.pto:7' in err and 'MTE3' in err, err


def test_lines_of_a_deadlock(b):
    """A signal is named as the kernel names it; no line has more names than one can take in."""
    shutil.copy(b.kernel('signals.pto'), b.folder)
    _, err = b.run('--ranks', '9', 'run', 'signals.pto', expect=DEADLOCK)
    lines = err.splitlines()
    assert lines[4].startswith('  pipe S TWAIT for sync[3, 5] to be ge 1, its value is 0, '
                               'at signals.pto:5: rank 0: aiv0.0 aiv0.1 '), err
    for line in lines:
        assert len(line) <= 160 and line.count('aiv') <= 20, line
    assert 'and %d more' % (9 * 48 - lines[4].count('aiv')) in lines[4], lines[4]


def test_many_names(b):
    """No line is longer than 160 columns, no list than 20 names."""
    text = '.kernel k\n%s.core aiv\n' % ''.join('.param parameter_%d : i64\n' % i
                                                for i in range(60))
    with open(b.path('many.pto'), 'w') as file:
        file.write(text)
    _, err = b.run('run', 'many.pto', '--set', 'xyz=1', expect=USAGE)
    assert err.count('parameter_') == 20, err
    assert 'and 40 more; ptovm info lists all' in ' '.join(err.split()), err
    assert max(map(len, err.split('\n'))) <= 160, err


def test_a_report_that_is_meant_as_one(b):
    for _ in range(2):          # whether the file is there or not
        _, err = b.run('run', '%endless.pto', '--json', 'r.json', '-q', expect=USAGE)
        assert "'r.json' is no kernel" in err and '--json=r.json' in err, err
        assert err.count('error:') == 1, err
        with open(b.path('r.json'), 'w') as file:
            file.write('{}')


def test_limits(b):
    _, err = b.run('run', '%endless.pto', '--max-insns', '10K', expect=LIMIT)
    assert 'limit: ' in err and '--max-insns' in err, err
    _, err = b.run('run', '%endless.pto', '--max-time', '5us', expect=LIMIT)
    assert '--max-time' in err, err


def test_mismatch(b):
    npy.save(b.path('e.npy'), '<f4', [4], [0, 1, 2.5, float('nan')])
    run = ['run', '%copy.pto', '--set', 'n=4', '--in', 'a=iota', '--expect', 'c=e.npy']
    _, err = b.run(*run, expect=MISMATCH)
    assert 'expect c: 2 of 4 elements differ, first at rank 0 [2]: got 2, want 2.5' in err, err
    _, err = b.run(*run, '--atol', '0.5', expect=MISMATCH)
    assert '1 of 4 elements differ, first at rank 0 [3]: got 3, want nan' in err, err
    npy.save(b.path('e.npy'), '<f4', [4], [0, 1, 2.5, 3])
    out, _ = b.run(*run, '--rtol', '0.2')
    assert 'within tolerance; largest error 0.5 absolute, 0.2 relative' in out, out
    b.run(*run, '--rtol', '0.19', expect=MISMATCH)
    npy.save(b.path('n.npy'), '<f4', [4], [float('nan'), -0.0, 0.0, float('inf')])
    b.run('run', '%copy.pto', '--in', 'a=n.npy', '--expect', 'c=n.npy')


def test_interrupt(b):
    run = subprocess.Popen([b.ptovm, 'run', b.kernel('endless.pto'), '--json', '--trace',
                            b.path('t.json')], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    pto.wait_until(lambda: pto.handles(run.pid, signal.SIGINT))
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=60)
    assert run.returncode == 130, run.returncode
    assert report(out)['status'] == 'interrupted'
    with open(b.path('t.json')) as file:
        json.load(file)


def test_full_disk(b):
    if not os.path.exists('/dev/full'):
        return
    with open('/dev/full', 'w') as full:
        done = subprocess.run([b.ptovm, '--help'], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == USAGE and 'cannot write' in done.stderr, done


main(globals())
