"""No output replaces an input or another output, however its name is spelt."""
import json
import os

import trust
from trust import DEADLOCK, DONE, PROGRAM, USAGE

KERNEL = '.include "part.inc"\ncopy_it\n'
PART = '''.macro copy_it
.kernel copy
.param n : i64
.in a : i32[n]
.out c : i32[n]
.sym s : i32[n]
.core aiv
.endm
'''


def spellings(b, name):
    """Other names of the file `name`, which exists."""
    os.makedirs(b.path('d'), exist_ok=True)
    for i, link in enumerate((name, b.path(name), 'soft0')):
        if not os.path.lexists(b.path('soft%d' % i)):
            os.symlink(link, b.path('soft%d' % i))
    if not os.path.lexists(b.path('hard')):
        os.link(b.path(name), b.path('hard'))
    return name, './' + name, 'd/../' + name, b.path(name), 'soft0', 'soft1', 'soft2', 'hard'


def unchanged(b, code, *words, keep):
    """The command is refused, says what would be replaced, and leaves all files alone."""
    before = {name: b.read(name) for name in keep}
    files = b.files()
    done = b.expect(code, *words)
    assert 'would replace the input' in done.stderr or 'the same file' in done.stderr, done.stderr
    assert done.stdout == '', done.stdout
    assert b.files() == files, (files, b.files())
    for name, data in before.items():
        assert b.read(name) == data, name


def sources(b):
    b.write('k.pto', KERNEL)
    b.write('part.inc', PART)
    b.write('p.profile', 'base = toy\n')
    b.write('a.raw', bytes(32))


def test_a_fifo_needs_a_reader(b):
    """Nobody waits for one that may never come."""
    sources(b)
    os.mkfifo(b.path('fifo'))
    run = ('ptovm', 'run', 'k.pto', '--set', 'n=8', '--in', 'a=ones')
    for words in (('ptoas', '-o', 'fifo', 'k.pto'), ('ptoas', '-o', 'x', '-l', 'fifo', 'k.pto'),
                  (*run, '--out', 'c=fifo'), (*run, '--trace', 'fifo'), (*run, '--json=fifo'),
                  (*run, '--report', 'fifo')):
        done = b.run(*words, timeout=20)
        assert done.returncode not in (DONE, None), words
        assert "'fifo'" in done.stderr and 'a FIFO that nobody reads' in done.stderr, done.stderr
    reader = os.open(b.path('fifo'), os.O_RDONLY | os.O_NONBLOCK)
    b.expect(DONE, 'ptoas', '-o', 'object', 'k.pto')
    b.expect(DONE, 'ptoas', '-o', 'fifo', 'k.pto', timeout=20)
    assert os.read(reader, 1 << 16) == b.read('object')
    os.close(reader)


def test_ptoas(b):
    sources(b)
    for kept in ('k.pto', 'part.inc', 'p.profile'):
        for name in spellings(b, kept):
            profile = ('--profile', './p.profile')
            unchanged(b, USAGE, 'ptoas', *profile, '-o', name, 'k.pto', keep=[kept])
            unchanged(b, USAGE, 'ptoas', *profile, '-o', 'x.ptob', '-l', name, 'k.pto',
                      keep=[kept])
        for name in os.listdir(b.folder):
            if os.path.islink(b.path(name)) or name == 'hard':
                os.unlink(b.path(name))
    unchanged(b, USAGE, 'ptoas', '-o', 'new', '-l', './new', 'k.pto', keep=[])
    os.symlink('nowhere', b.path('dangling'))
    unchanged(b, USAGE, 'ptoas', '-o', 'nowhere', '-l', 'dangling', 'k.pto', keep=[])
    b.write('k.ptob', 'PTOB')
    unchanged(b, USAGE, 'ptoas', '-d', 'k.ptob', '-o', './k.ptob', keep=['k.ptob'])
    b.write('x.ptob', '')
    os.rename(b.path('k.pto'), b.path('x'))
    os.unlink(b.path('x.ptob'))
    os.symlink('x', b.path('x.ptob'))
    unchanged(b, USAGE, 'ptoas', 'x', keep=['x'])  # the name that it chooses itself


def test_ptovm(b):
    sources(b)
    b.write('suppressed', '')
    run = ('ptovm', 'run', 'k.pto', '--set', 'n=8', '--profile', './p.profile', '--suppress',
           'suppressed', '--in', 'a=a.raw:i32', '--in', 's=zeros')
    for kept in ('k.pto', 'part.inc', 'p.profile', 'suppressed', 'a.raw'):
        for name in spellings(b, kept):
            for option in ('--json=' + name, '--trace=' + name, '--sarif=' + name,
                           '--wait-graph=' + name, '--out=c=' + name):
                unchanged(b, USAGE, *run, option, keep=[kept])
        for name in os.listdir(b.folder):
            if os.path.islink(b.path(name)) or name == 'hard':
                os.unlink(b.path(name))
    unchanged(b, USAGE, *run, '--expect', 'c=e{rank}.npy', '--json=e0.npy', keep=[])
    unchanged(b, USAGE, *run, '--set', 'm=@values', '--json=values', keep=[])
    b.write('replayed', '')
    unchanged(b, USAGE, *run, '--schedule', 'replayed', '--json=./replayed', keep=['replayed'])


def test_ptovm_outputs_among_one_another(b):
    sources(b)
    run = ('ptovm', 'run', 'k.pto', '--set', 'n=8', '--in', 'a=ones')
    for words in (('--out', 'c=q', '--out', 's=./q'), ('--out', 'c=q', '--json=./q'),
                  ('--trace', 'q', '--json=d/../q'), ('--trace', 'q', '--sarif=' + b.path('q')),
                  ('--ranks', '2', '--out', 'c=q{rank}', '--trace', './q1')):
        os.makedirs(b.path('d'), exist_ok=True)
        unchanged(b, USAGE, *run, *words, keep=['k.pto', 'part.inc'])


def test_reports_that_are_compared(b):
    sources(b)
    for name in ('one.json', 'two.json'):
        b.expect(DONE, 'ptovm', 'run', 'k.pto', '--set', 'n=8', '--in', 'a=ones', '--in',
                 's=zeros', '--json=' + name)
    for kept in ('one.json', 'two.json'):
        unchanged(b, USAGE, 'ptovm', 'diff', 'one.json', 'two.json', '--json=./' + kept,
                  keep=[kept])


def test_what_cannot_be_written_is_told_before_anything_runs(b):
    """No output that was asked for is lost behind hours of work: nothing is run, printed or
    written."""
    sources(b)
    os.mkdir(b.path('folder'))
    kernel = PART.replace('.macro copy_it\n', '')
    b.write('p.pto', kernel.replace('.endm\n', '    print "it runs"\n'))
    given = ('p.pto', '--set', 'n=8', '--in', 'a=ones', '--cores', '1')
    tune = ('ptovm', 'tune', 'p.pto', '--try', 'n=1,2', '--in', 'a=ones')
    for words in ((*tune, '--best', 'no/such'), (*tune, '--best', 'folder'),
                  (*tune, '--json=no/such'), ('ptovm', 'explore', *given, '--save', 'no/such/x'),
                  ('ptovm', 'explore', *given, '--json=folder'),
                  *(('ptovm', 'run', *given, *output) for output in (
                      ('--out', 'c=no/such.npy'), ('--json=no/such',), ('--report', 'no/such'),
                      ('--sarif', 'folder'), ('--core', 'no/such'), ('--trace', 'no/such'),
                      ('--wait-graph', 'folder'), ('--out', 'no/such.npz')))):
        files = b.files()
        done = b.expect(USAGE, *words)
        assert done.stdout == '', (words, done.stdout)
        assert done.stderr.count("cannot write '") == 1, (words, done.stderr)
        assert b.files() == files, words
    b.expect(DONE, *tune, '--best', 'best')
    b.expect(DONE, 'ptovm', 'explore', *given, '--save', 'folder/x')


def test_a_report_of_an_error_replaces_nothing(b):
    sources(b)
    b.write('part.inc', PART + 'nonsense\n')
    unchanged(b, PROGRAM, 'ptovm', 'run', 'k.pto', '--json=./part.inc', keep=['part.inc'])
    unchanged(b, USAGE, 'ptovm', 'run', 'k.pto', 'missing.pto', '--json=./k.pto', keep=['k.pto'])


def test_ptodbg(b):
    sources(b)
    b.write('script', 'run\n')
    run = ('ptodbg', '--batch', '-x', 'script', '--set', 'n=8', '--in', 'a=a.raw:i32', 'k.pto')
    for kept in ('./k.pto', './part.inc', './a.raw', './script'):
        unchanged(b, USAGE, *run, '--out', 'c=' + kept, keep=[kept])
    unchanged(b, USAGE, *run, '--out', 'c=new', '--out', 's=./new', keep=[])


def test_standard_input_that_is_a_file(b):
    sources(b)
    for kept, words in (('k.pto', ('ptoas', '-o', './k.pto', '-')),
                        ('k.pto', ('ptoas', '-o', 'x', '-l', './k.pto', '-')),
                        ('a.raw', ('ptovm', 'run', 'k.pto', '--set', 'n=8', '--in', 'a=-:i32',
                                   '--out', 'c=./a.raw'))):
        before = b.read(kept)
        with open(b.path(kept)) as file:
            done = trust.subprocess.run(b.command(words), cwd=b.folder, stdin=file,
                                        capture_output=True, text=True, timeout=60)
        assert done.returncode == USAGE and 'would replace' in done.stderr, (words, done)
        assert b.read(kept) == before
    with open(b.path('k.pto')) as file:
        done = trust.subprocess.run(b.command(('ptoas', '-o', 'x', '-')), cwd=b.folder, stdin=file)
    assert done.returncode == DONE, 'another output is none of its business'


def test_windows_that_are_saved(b):
    """What the debugger is told to write is no exception."""
    sources(b)
    run = ('ptodbg', '--batch', '--set', 'n=8', '--in', 'a=a.raw:i32', '--in', 's=zeros',
           '--profile', './p.profile', '--out', 's=s.npy', 'k.pto', '-e', 'run', '-e')
    for kept in ('k.pto', 'part.inc', 'p.profile', 'a.raw'):
        for name in spellings(b, kept):
            before = b.read(kept)
            done = b.expect(USAGE, *run, 'save a ' + name)
            assert 'would replace' in done.stdout, (name, done.stdout, done.stderr)
            assert b.read(kept) == before
        for name in os.listdir(b.folder):
            if os.path.islink(b.path(name)) or name == 'hard':
                os.unlink(b.path(name))
    b.expect(USAGE, *run, 'save a ./s.npy')
    for _ in range(2):
        b.expect(DONE, *run, 'save a fresh.npy')


def test_schedules_that_are_saved(b):
    lost = trust.pto.source('tests', 'check', 'explore', 'lost.pto')
    with open(lost, 'rb') as file:
        text = file.read()
    b.write('s-1.txt', text)
    explore = ('ptovm', 'explore', 's-1.txt', '--ranks', '2', '--cores', '1', '--save')
    done = b.run(*explore, './s')
    assert done.returncode != DONE, done.stdout
    assert "'./s-1.txt' would replace s-1.txt" in done.stderr, done.stderr
    assert b.read('s-1.txt') == text
    done = b.expect(DEADLOCK, *explore, 't')
    assert 'would replace' not in done.stderr and 't-1.txt' in b.files(), done.stderr


def test_streams_that_are_closed(b):
    """What is meant for a stream goes into no file that has got its number."""
    sources(b)
    run = ('ptovm', 'run', 'k.pto', '--set', 'n=8', '--in', 'a=ones')
    for words in (run, (*run, '--trace', 't.json'), ('ptoas', '--list-ops'),
                  (*run, '-q', '--out', 'c=-'),
                  ('ptodbg', *run[2:], '-e', 'info ranks', '--batch')):
        done = b.run(*words, preexec_fn=lambda: os.close(1))
        assert done.returncode == USAGE and 'cannot write to standard output' in done.stderr, (
            words, done)
    json.loads(b.read('t.json'))
    b.run(*run, '--trace', 'u.json', '--max-time', '6.5us',
          preexec_fn=lambda: (os.close(0), os.close(1), os.close(2)))
    json.loads(b.read('u.json'))
    done = b.run('ptoas', '-', '-o', 'x.ptob', preexec_fn=lambda: os.close(0))
    assert done.returncode == USAGE and 'cannot read' in done.stderr, done


def test_what_is_no_clash(b):
    sources(b)
    os.symlink('later.npy', b.path('dangling'))
    b.expect(DONE, 'ptovm', 'run', 'k.pto', '--ranks', '2', '--set', 'n=8', '--in', 'a=a.raw:i32',
             '--expect', 'c=const:-1', '--out', 'c=c{rank}.npy', '--sarif', '/dev/null',
             '--trace', '/dev/null', '--json=dangling')
    assert os.readlink(b.path('dangling')) == 'later.npy'
    assert b.read('later.npy').startswith(b'{'), 'a dangling link stays a link'


def test_links_in_a_circle(b):
    sources(b)
    os.symlink('two', b.path('one'))
    os.symlink('one', b.path('two'))
    done = b.expect(USAGE, 'ptovm', 'run', 'k.pto', '--set', 'n=8', '--in', 'a=ones', '--trace',
                    'one')
    assert 'symbolic links' in done.stderr, done.stderr
    assert os.path.islink(b.path('one')) and os.path.islink(b.path('two'))


if __name__ == '__main__':
    trust.main(globals())
