"""Files that name themselves arrays or archives of arrays: what ptovm reads and writes of them."""
import io
import os
import struct
import subprocess
import zipfile

import npy
from workbench import COPY, USAGE, main, pto

RUN = ['run', '%copy.pto']
FIRST, SECOND = [1.0, 2.0, 3.0], [5.0, 7.0]


def array(b, values, descr='<f4', shape=None):
    """The bytes of an .npy file."""
    npy.save(b.path('one.npy'), descr, shape or [len(values)], values)
    with open(b.path('one.npy'), 'rb') as file:
        return file.read()


def archive(b, name, **members):
    with zipfile.ZipFile(b.path(name), 'w', zipfile.ZIP_DEFLATED) as file:
        for member, data in members.items():
            file.writestr(member + '.npy', data)


def members(path):
    """{name: (descr, shape, values)} of an archive."""
    with zipfile.ZipFile(path) as file:
        found = {}
        for name in file.namelist():
            assert name.endswith('.npy'), name
            with open(path + '.member', 'wb') as out:
                out.write(file.read(name))
            found[name[:-4]] = npy.load(path + '.member')
        return found


def result(b, *words):
    b.run(*RUN, *words, '--out', 'c=c.npy')
    return npy.load(b.path('c.npy'))[2]


def test_member_of_the_object(b):
    archive(b, 'z.npz', w=array(b, SECOND), a=array(b, FIRST))
    assert result(b, '--in', 'a=z.npz') == FIRST
    assert result(b, '--in', 'a=z.npz:w') == SECOND
    assert result(b, '--in', 'a=z.npz:w', '--expect', 'c=z.npz:w') == SECOND


def test_only_member(b):
    archive(b, 'z.npz', w=array(b, SECOND))
    assert result(b, '--in', 'a=z.npz') == SECOND


def test_members_in_folders_and_types(b):
    bits = struct.unpack('<2I', struct.pack('<2f', *SECOND))
    archive(b, 'z.npz', **{'layer.0/w': array(b, bits, '<u4'), 'v': array(b, FIRST)})
    assert result(b, '--in', 'a=z.npz:layer.0/w:f32') == SECOND
    b.refuse(*RUN, '--in', 'a=z.npz:layer.0/w',
             say=['z.npz:layer.0/w holds u32', 'a=z.npz:layer.0/w:f32'])
    archive(b, 'one.npz', w=array(b, bits, '<u4'))
    b.refuse(*RUN, '--in', 'a=one.npz', say='a=one.npz::f32')
    assert result(b, '--in', 'a=one.npz::f32') == SECOND


def test_one_archive_for_each_rank(b):
    for rank, values in enumerate([FIRST, SECOND + [0.5]]):
        archive(b, 'z%d.npz' % rank, a=array(b, values))
    b.run('--ranks', '2', *RUN, '--in', 'a=z{rank}.npz', '--out', 'o{rank}.npz')
    assert members(b.path('o0.npz'))['c'][2] == FIRST
    assert members(b.path('o1.npz'))['c'][2] == SECOND + [0.5]


def test_parameters_from_an_archive(b):
    archive(b, 'z.npz', n=array(b, [2, 4], '<i8'), m=array(b, [3, 3], '<i8'))
    b.run('--ranks', '2', *RUN, '--set', 'n=@z.npz', '--in', 'a=iota', '--out', 'c=c{rank}.npy')
    assert npy.load(b.path('c1.npy'))[1] == (4,)


def test_all_results(b):
    npy.save(b.path('b.npy'), '<i4', [2, 4], range(8))
    words = ['run', '%interface.pto', '--in', 'a=zeros', '--in', 'b=b.npy']
    b.run(*words, '--out', 'o.npz', '--out', 'c=c.npy', '--out', 'b=b2.npy')
    assert members(b.path('o.npz')) == {'b': npy.load(b.path('b2.npy')),
                                        'c': npy.load(b.path('c.npy'))}
    with open(b.path('o.npz'), 'rb') as file:
        first = file.read()
    os.utime(b.path('b.npy'), (0, 0))
    b.run(*words, '--out', 'o.npz')
    with open(b.path('o.npz'), 'rb') as file:
        assert file.read() == first
    assert not [name for name in os.listdir(b.folder) if name.endswith('.tmp')]


def test_one_result(b):
    b.run(*RUN, '--set', 'n=3', '--in', 'a=iota', '--out', 'c=o.npz')
    assert members(b.path('o.npz')) == {'c': ('<f4', (3,), [0, 1, 2])}
    b.run(*RUN, '--set', 'n=3', '--in', 'a=iota', '--out', 'c=o.npz:other')
    assert list(members(b.path('o.npz'))) == ['other']


def test_names_bind(b):
    for name in ['empty.npy', 'empty.npz']:
        open(b.path(name), 'wb').close()
        b.refuse(*RUN, '--in', 'a=' + name, say=[name, 'it is empty'])
    for name in ['text.npy', 'text.npz']:
        with open(b.path(name), 'w') as file:
            file.write('1 2 3 4\n')
        b.refuse(*RUN, '--in', 'a=' + name, say='%s: not a usable %s file' % (name, name[-4:]))
        b.refuse(*RUN, '--in', 'a=iota', '--set', 'n=2', '--expect', 'c=' + name,
                 say='not a usable')
    open(b.path('empty.raw'), 'wb').close()
    b.run(*RUN, '--in', 'a=empty.raw', '--set', 'n=0', '-q')


def test_what_is_missing(b):
    archive(b, 'z.npz', v=array(b, FIRST), w=array(b, SECOND))
    b.refuse(*RUN, '--in', 'a=z.npz', say=["z.npz has no array 'a'", 'v, w', 'z.npz:NAME'])
    b.refuse(*RUN, '--in', 'a=z.npz:q', say="z.npz has no array 'q'; it holds v, w")
    archive(b, 'none.npz')
    b.refuse(*RUN, '--in', 'a=none.npz', say='it holds none')
    archive(b, 'many.npz', **{'m%d' % i: b'' for i in range(100)})
    b.refuse(*RUN, '--in', 'a=many.npz', say=['m0, m1', 'and 80 more'])
    archive(b, 'bad.npz', a=b'1 2 3')
    b.refuse(*RUN, '--in', 'a=bad.npz', say='bad.npz:a: not a usable .npy file')


def test_shapes(b):
    archive(b, 'z.npz', a=array(b, FIRST))
    b.refuse(*RUN, '--in', 'a=z.npz', '--set', 'n=4', say=['f32[4]', 'f32[3] by z.npz'])


def test_outputs_that_clash(b):
    archive(b, 'z.npz', a=array(b, FIRST))
    b.refuse(*RUN, '--in', 'a=z.npz:a', '--out', 'z.npz', say='--out z.npz would replace the input')
    b.refuse(*RUN, '--in', 'a=z.npz', '--out', 'o.npz', '--out', 'c=./o.npz',
             say=['would write the same file', '--out FILE.npz, without a name, writes all'])
    b.refuse('--ranks', '2', *RUN, '--in', 'a=z.npz', '--out', 'o.npz',
             say=['2 ranks would write', 'results_{rank}.npz'])
    b.refuse(*COPY, '--in', 'a=iota', '--out', 'o.npz', '--out', 'p.npz', say='already')
    b.refuse(*COPY, '--in', 'a=iota', '--out', 'o', say='NAME=VALUE')


def damaged(b, name, change):
    """An archive of 64 KiB of zeros whose bytes `change` has altered."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, 'w', zipfile.ZIP_DEFLATED) as file:
        file.writestr('a.npy', array(b, [0.0] * 16384))
    data = bytearray(memory.getvalue())
    change(data, data.index(b'PK\1\2'))
    with open(b.path(name), 'wb') as file:
        file.write(data)


def test_sizes_that_lie(b):
    for name, size in [('small.npz', 200), ('huge.npz', 0xfffffffe)]:
        damaged(b, name, lambda data, at: struct.pack_into('<I', data, at + 24, size))
        b.refuse(*RUN, '--in', 'a=' + name, say=name + ':a: not a usable .npz file')
    damaged(b, 'crc.npz', lambda data, at: struct.pack_into('<I', data, at + 16, 1))
    b.refuse(*RUN, '--in', 'a=crc.npz', say='CRC')
    damaged(b, 'cut.npz', lambda data, at: data.__delitem__(slice(at, None)))
    b.refuse(*RUN, '--in', 'a=cut.npz', say='cut.npz: not a usable .npz file')


def test_bomb(b):
    """A small archive that says, with the header of a valid array, that it holds 32 TiB."""
    def change(data, at):
        struct.pack_into('<I', data, at + 24, 0xffffffff)
        extra = struct.pack('<HHQ', 1, 8, 1 << 45)
        name, = struct.unpack_from('<H', data, at + 28)
        struct.pack_into('<H', data, at + 30, len(extra))
        data[at + 46 + name:at + 46 + name] = extra
        end = data.index(b'PK\5\6')
        size, = struct.unpack_from('<I', data, end + 12)
        struct.pack_into('<I', data, end + 12, size + len(extra))

    damaged(b, 'bomb.npz', change)
    b.refuse(*RUN, '--in', 'a=bomb.npz', say='more memory than there is')


def test_without_libzip(b):
    archive(b, 'z.npz', a=array(b, FIRST))
    for words, say in [(['--in', 'a=z.npz'], 'reads no .npz'),
                       (['--in', 'a=iota', '--set', 'n=3', '--out', 'o.npz'], 'writes no .npz')]:
        done = subprocess.run([pto.helper('ptovm_without_libzip'), 'run', b.kernel('copy.pto'),
                               *words], cwd=b.folder, stderr=subprocess.PIPE, text=True)
        assert done.returncode == USAGE, done
        assert 'without libzip this program ' + say in done.stderr, done.stderr
        assert 'hint: ' in done.stderr and not os.path.exists(b.path('o.npz')), done.stderr


if __name__ == '__main__':
    main(globals())
