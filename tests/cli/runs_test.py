"""Runs of ptovm that end well: inputs, results, parameters, profiles."""
import struct
import subprocess

import npy
from workbench import COPY, PROGRAM, USAGE, main


def test_copies(b):
    out, err = b.run(*COPY, '--in', 'a=iota', '--out', 'c=c.npy', '--expect', 'c=iota')
    assert err == '', err
    assert 'copy on a2, 1 rank, 24 cores each' in out, out
    assert 'expect c: 3000 elements equal' in out, out
    assert npy.load(b.path('c.npy')) == ('<f4', (3000,), [float(i) for i in range(3000)])


def test_options_before_the_command(b):
    b.run('--set', 'n=8', '--in', 'a=ones', 'run', '--expect', 'c=ones', '%copy.pto')


def test_two_runs_are_identical(b):
    words = ['--ranks', '4', *COPY, '--in', 'a=random:1', '--jitter', '3', '-v']
    first, second = b.run(*words)[0], b.run(*words)[0]
    assert first == second
    one = b.run(*words, '--trace', 't1.json', '--json')[0]
    two = b.run(*words, '--trace', 't2.json', '--json')[0]
    assert one == two
    with open(b.path('t1.json')) as f, open(b.path('t2.json')) as g:
        assert f.read() == g.read()


def test_infers_parameters_from_shapes(b):
    npy.save(b.path('a.npy'), '<f4', [5], [1, 2, 3, 4, 5])
    b.run('run', '%copy.pto', '--in', 'a=a.npy', '--out', 'c=c.npy')
    assert npy.load(b.path('c.npy'))[2] == [1, 2, 3, 4, 5]


def test_reads_big_endian_and_fortran_order(b):
    npy.save(b.path('a.npy'), '>f4', [3], [1, 2, 3])
    b.run('run', '%copy.pto', '--in', 'a=a.npy', '--out', 'c=c.npy')
    assert npy.load(b.path('c.npy'))[2] == [1, 2, 3]
    npy.save(b.path('m.npy'), '|i1', [2, 3], [1, 4, 2, 5, 3, 6], fortran=True)
    b.run('run', '%matrix.pto', '--in', 'a=m.npy', '--out', 'c=m2.npy')
    assert npy.load(b.path('m2.npy')) == ('|i1', (2, 3), [1, 2, 3, 4, 5, 6])


def test_raw_files(b):
    with open(b.path('a.bin'), 'wb') as f:
        f.write(struct.pack('<4f', 1, 2, 3, 4))
    b.run('run', '%copy.pto', '--in', 'a=a.bin', '--out', 'c=c.bin')
    with open(b.path('a.bin'), 'rb') as f, open(b.path('c.bin'), 'rb') as g:
        assert f.read() == g.read()
    with open(b.path('m.bin'), 'wb') as f:
        f.write(bytes(range(6)))
    b.run('run', '%matrix.pto', '--set', 'rows=2', '--set', 'cols=3', '--in', 'a=m.bin:i8',
          '--expect', 'c=m.bin')
    b.refuse('run', '%matrix.pto', '--set', 'rows=2', '--set', 'cols=4', '--in', 'a=m.bin',
             say=['m.bin holds 6 elements', 'i8[2, 4]'])
    b.refuse('run', '%copy.pto', '--in', 'a=m.bin', say='6 bytes are not a whole number of f32')


def test_signals_can_be_bound(b):
    npy.save(b.path('s.npy'), '<i4', [3], [7, -8, 9])
    b.run('run', '%matrix.pto', '--set', 'rows=1', '--set', 'cols=1', '--in', 'a=ones',
          '--in', 's=s.npy', '--expect', 'r=s.npy', '--out', 's=s2.npy')
    assert npy.load(b.path('s2.npy'))[2] == [7, -8, 9]
    b.run('run', '%matrix.pto', '--set', 'rows=1', '--set', 'cols=1', '--in', 'a=ones',
          '--in', 's=iota', '--expect', 'r=iota')


def test_interface_values(b):
    npy.save(b.path('a.npy'), '<u2', [2, 4], range(8))
    npy.save(b.path('b.npy'), '<i4', [2, 4], range(10, 18))
    words = ['run', '%interface.pto', '--in', 'a=a.npy:bf16', '--in', 'b=b.npy', '--out',
             'c=c.npy', '--out', 'b=b2.npy', '--out', 'a=a2.npy']
    b.run(*words)
    assert npy.load(b.path('c.npy'))[2] == [2, 4, 50, 3, 0, 11]
    assert npy.load(b.path('b2.npy'))[2] == [12] + list(range(11, 18))
    assert npy.load(b.path('a2.npy')) == ('<u2', (2, 4), list(range(8)))
    b.run(*words, '--set', 'count=0x10', '--set', 'scale=-1.25', '--in', 'bias=zeros')
    assert npy.load(b.path('c.npy'))[2] == [2, 4, -125, 16, 1, 11]


def test_parameters_per_rank(b):
    npy.save(b.path('counts.npy'), '<i8', [3], [1, 2, 3])
    b.run('--ranks', '3', 'run', '%copy.pto', '--set', 'n=@counts.npy', '--in', 'a=iota', '--out',
          'c=c{rank}.npy')
    assert [npy.load(b.path('c%d.npy' % r))[1] for r in range(3)] == [(1,), (2,), (3,)]
    b.refuse('--ranks', '2', 'run', '%copy.pto', '--set', 'n=@counts.npy', '--in', 'a=iota',
             say='one value per rank')
    npy.save(b.path('f.npy'), '<f4', [1], [1.5])
    b.refuse('run', '%copy.pto', '--set', 'n=@f.npy', '--in', 'a=iota', say='floating-point')


def test_several_kernels_share_objects(b):
    out, _ = b.run('run', '%two.pto:first', '%two.pto:second', '--expect', 'r=const:10')
    assert 'first, second on a2' in out, out
    assert ': value 5' in out, out
    out, _ = b.run('--repeat', '3', 'run', '%two.pto:first', '%two.pto:second', '--set', 'value=8',
                   '--expect', 'r=const:16', '--join')
    assert out.count(': value 8') == 3, out


def test_constants_from_outside(b):
    """-D is for the texts that have the constant; one of them is enough, and one there must be."""
    with open(b.path('sized.pto'), 'w') as file:
        file.write('.define SIZE = 2\n.kernel sized\n.out size : i64[1]\n.core aiv\n'
                   '    st size[0], SIZE\n')
    run = ['--cores', '1', 'run', b.path('sized.pto'), '%two.pto:first', '-D', 'SIZE=5']
    b.run(*run, '--expect', 'size=const:5')
    b.refuse(*run, '-D', 'NOWHERE=3', say="-D NOWHERE=3: no text of this run uses 'NOWHERE'",
             code=PROGRAM)
    subprocess.run([b.ptoas, b.path('sized.pto'), '-o', b.path('sized.ptob')], check=True)
    b.refuse('run', b.path('sized.ptob'), '-D', 'SIZE=5', say='objects are assembled already',
             code=PROGRAM)


def test_ranks_and_links(b):
    words = ['--ranks', '4', 'run', '%shift.pto', '--set', 'n=100', '--in', 'a=iota', '--out',
             'c=c_{rank}.npy']
    out, _ = b.run(*words)
    for rank in range(4):
        left = (rank + 3) % 4
        assert npy.load(b.path('c_%d.npy' % rank))[2] == [left * 100.0 + i for i in range(100)]
    assert 'links         4 used' in out, out
    b.run(*words, '--repeat', '3', '--slow-rank', '2=3.5')
    out, err = b.run(*words, '--link-down', '1-2', expect=PROGRAM)
    assert 'rank 1' in err and 'rank 2' in err and 'shift.pto:' in err, err


def test_standard_input_and_objects(b):
    with open(b.kernel('copy.pto')) as file:
        text = file.read()
    b.run('run', '-', '--set', 'n=4', '--in', 'a=iota', '--expect', 'c=iota', stdin=text)
    done = subprocess.run([b.ptoas, '-o', b.path('copy.ptob'), b.kernel('copy.pto')])
    assert done.returncode == 0
    b.run('run', 'copy.ptob', '--set', 'n=4', '--in', 'a=iota', '--expect', 'c=iota')
    with open(b.path('copy.ptob'), 'rb') as file:
        data = bytearray(file.read())
    data[len(data) // 2] ^= 1
    with open(b.path('bad.ptob'), 'wb') as file:
        file.write(data)
    b.refuse('run', 'bad.ptob', '--set', 'n=4', '--in', 'a=iota', say='bad.ptob', code=PROGRAM)
    with open(b.path('short.ptob'), 'wb') as file:
        file.write(data[:40])
    b.refuse('run', 'short.ptob', say='short.ptob', code=PROGRAM)


def test_profiles_of_a_run(b):
    for profile in ['a2', 'a3', 'a5', 'mi300x', 'toy']:
        b.run('--profile', profile, *COPY, '--in', 'a=iota', '--expect', 'c=iota')
    b.run('--cores', '1', *COPY, '--in', 'a=iota', '--expect', 'c=iota')


def test_objects_that_were_recorded(b):
    """product_N.ptob is of version N of the format; every_row.ptob is of version 1 and has an
    instruction of every row of that time."""
    for product in ['product_1.ptob', 'product_2.ptob', 'product_3.ptob', 'product_4.ptob',
                    'product_5.ptob']:
        b.run('run', b.recorded(product), '--set', 'n=3', '--in', 'a=const:2', '--in',
              'b=const:3', '--expect', 'c=const:96')
    done = subprocess.run([b.ptoas, '-d', b.recorded('every_row.ptob')], capture_output=True,
                          text=True, timeout=60)
    plain = ''.join(line for line in done.stdout.splitlines(True)
                    if line.split(None, 1)[:1] not in [['.file'], ['.pos'], ['.at']])
    with open(b.recorded('every_row.pto')) as file:
        assert plain == file.read()


def profile(b, name, *lines):
    """A profile file like a2 with these lines more; its path."""
    with open(b.path(name), 'w') as file:
        file.write('\n'.join(['base = a2', *lines, '']))
    return b.path(name)


def test_all_the_flags_that_a_profile_may_have(b):
    most = profile(b, 'most.profile', 'events = 8', 'cross_flags = 16', 'cross_flags_user = 16')
    words = ['run', '%last_event.pto', '--cores', '1', '--profile', most, '--set']
    _, err = b.run(*words, 'id=7', '--set', 'cross=15', expect=PROGRAM)
    assert 'token of set_flag MTE2, V, 7 was never waited for' in err, err
    assert 'cross-core flag 15' in err, err
    _, err = b.run(*words, 'id=8', '--set', 'cross=15', expect=PROGRAM)
    assert '0 to 7' in err, err


def test_more_flags_than_the_machine_has(b):
    for line, most in [('events = 9', 8), ('events = 16', 8), ('cross_flags = 17', 16)]:
        more = profile(b, 'more.profile', line)
        name = line.split()[0]
        words = ["'%s' is out of range" % name, 'allowed are 1 to %d' % most, 'more.profile:2:']
        b.refuse(*COPY, '--in', 'a=iota', '--profile', more, say=words)
        done = subprocess.run([b.ptoas, b.kernel('copy.pto'), '--profile', more, '-o', 'c.ptob'],
                              cwd=b.folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == USAGE and all(w in done.stderr for w in words), done.stderr


main(globals())
