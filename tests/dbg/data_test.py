"""Looking at bytes, at the text and at instructions where there is little to see: memory that was
never written, the ends of an object, of a file and of a program, a program without its text."""
import os
import re
import shutil
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import pto  # noqa: E402

ADD = ('--set', 'n=200', '--in', 'a=iota', '--in', 'b=ones')


class Session:
    def __init__(self, folder):
        self.folder = folder
        shutil.copy(pto.source('tests', 'dbg', 'add.pto'), folder)
        with open(os.path.join(folder, 'add.pto')) as file:
            self.lines = file.read().splitlines()

    def ask(self, *commands, program='add.pto', options=ADD, code=0):
        """What a session answers to the last command, which is said to be the last by `when`."""
        words = [w for c in (*commands[:-1], 'when', commands[-1]) for w in ('-e', c)]
        done = pto.ptodbg('--profile', 'toy', '--batch', '--cores', '1', program, *options, *words,
                          cwd=self.folder)
        assert done.code == code, (done.code, done.out, done.err)
        self.told = lines = (done.out + done.err).splitlines()
        last = max(i for i, line in enumerate(lines) if ', event ' in line)
        return lines[last + 1:]

    def refuse(self, say, *commands, **more):
        answer = self.ask(*commands, code=2, **more)
        assert answer[0] == 'error: ' + say, answer

    def text(self, first, last):
        return ['   %-4d %s' % (n, self.lines[n - 1]) for n in range(first, last + 1)]


def test_bytes(s):
    for space in ('l1', 'ub'):
        assert s.ask('start', 'x %s 0 4 f32' % space) == ['never written']
    assert s.ask('start', 'x a 4 2 f32') == ['0x000004  1 2']
    assert s.ask('start', 'x a 8 4') == ['0x000008  0 0 0 64']    # 2.0, as bytes
    assert s.ask('start', 'x a 796 1 f32') == ['0x00031c  199']
    for words, what in (('797 1 f32', '1 elements of f32 from 0x31d on'),
                        ('796 2 f32', '2 elements of f32 from 0x31c on'),
                        ('801 0 u8', '0 elements of u8 from 0x321 on')):
        s.refuse(what + ' go beyond the end: there are 800 bytes', 'start', 'x a ' + words)
    s.refuse("'-1' is no count", 'start', 'x a 0 -1')
    s.refuse("'-4' is no address", 'start', 'x a -4 1')
    s.refuse("there is no type 'f33'", 'start', 'x a 0 1 f33')
    s.refuse("'more' is too much here", 'start', 'x a 0 1 f32 more')
    s.refuse("no space or object 'l9'", 'start', 'x l9 0 1')
    hint = s.ask('start', 'x l9 0 1', code=2)[1]
    assert all(' %s' % space in hint for space in ('l1', 'l0c', 'ub')), hint
    assert 'l0a_mx' not in hint, hint                             # a2 has none
    s.refuse("no space or object 'l0a_mx'", 'start', 'x l0a_mx 0 1')


def test_bytes_behind_all_tiles(s):
    """The space ends where the profile says, be there tiles or not."""
    for go in ('start', 'run'):
        assert s.ask(go, 'x ub 1024 2 f32') == ['never written']
        s.refuse('2 elements of f32 from 0x3ffc on go beyond the end: there are 16384 bytes', go,
                 'x ub 0x3ffc 2 f32')
    assert s.ask('run', 'x ub 1020 2 f32') == ['0x0003fc  1 ..']


def test_a_script_that_is_no_text(s):
    with open(os.path.join(s.folder, 'zero.cmd'), 'wb') as file:
        file.write(b'\0start\nwhen\n')
    for words in (('-x', 'zero.cmd'), ('-e', 'source zero.cmd')):
        done = pto.ptodbg('--batch', 'add.pto', *ADD, *words, cwd=s.folder)
        assert done.code == 2 and "'zero.cmd' is no text" in done.out + done.err, done.out
        assert 'event' not in done.out, done.out


def test_breakpoints_without_a_place(s):
    """At the next instruction of the sub-core in focus."""
    assert s.ask('start', 'break') == ['Breakpoint 1: here at add.pto:14 (add aiv, 0)']
    s.refuse('the program is not running yet', 'break')


def test_the_first_of_all(s):
    """The first instruction of a program and of the instruction set, the first pipe."""
    for place in ('add.pto:14', 'mov'):
        s.ask('break ' + place, 'run', 'info ranks')
        assert s.told[1].startswith('Breakpoint 1, rank 0, aiv0.0 at add.pto:14, '), s.told
        assert '   => 0: mov %s, 0' in s.told, (place, s.told)
    s.ask('start', 'pipe S')
    assert any(line.startswith('rank 0, aiv0.0 at add.pto:14') for line in s.told), s.told
    s.refuse("there is no pipe 'Z'", 'start', 'pipe Z')


def test_breakpoints_at_a_use_of_a_macro(s):
    """They stop at the line of the use, not at the one inside that comes first."""
    names = dict(program=pto.source('tests', 'dbg', 'names.pto'), options=('--set', 'n=2'))
    assert s.ask('break 21', 'run', **names)[0].split() == ['21', 'count', '2']
    assert s.ask('break 5', 'run', **names)[0].split() == ['5', '.while', '%p', '<', 'to']


def test_bytes_of_several_lines(s):
    """32 bytes in a line, 16 if each is a number."""
    assert s.ask('start', 'x a 0 9 f32') == ['0x000000  0 1 2 3 4 5 6 7', '0x000020  8']
    ones = s.ask('start', 'x b 0 17 u8')
    assert ones == ['0x000000  ' + '0 0 128 63 ' * 3 + '0 0 128 63', '0x000010  0'], ones


def test_bits(s):
    names = dict(program=pto.source('tests', 'dbg', 'names.pto'), options=('--set', 'n=2'))
    assert s.ask('run', 'print/x scale', **names) == ['scale = 0x3fd0000000000000']    # 0.25
    assert s.ask('run', 'print/x n', **names) == ['n = 0x2']


def test_list(s):
    assert s.ask('start', 'list drain') == s.text(29, 35)
    assert s.ask('start', 'list 3') == s.text(1, 11)
    assert s.ask('start', 'list 7') == s.text(2, 12)
    assert s.ask('start', 'list 7', 'list') == s.text(13, 13) + [
        '=> 14   ' + s.lines[13]] + s.text(15, 23)
    assert s.ask('list', 'list') == s.text(12, 22)
    s.refuse("'0' is no line number", 'start', 'list 0')
    s.refuse('add.pto has 35 lines', 'start', 'list 99')
    s.refuse('add.pto has 35 lines', 'start', 'list 30', 'list')
    s.refuse("'more' is too much here", 'start', 'list 3 more')


def test_a_program_without_its_text(s):
    done = pto.ptoas('add.pto', '-o', 'add.ptob', cwd=s.folder)
    assert done.code == 0, done.err
    os.unlink(os.path.join(s.folder, 'add.pto'))
    answer = s.ask('start', 'list', program='add.ptob')
    assert answer[:2] == ['The text of the program cannot be read; its instructions:',
                          '=>    0  mov %s, 0  ; add.pto:14'], answer
    s.refuse("the text of 'add.pto' cannot be read", 'start', 'list 3', program='add.ptob')
    s.refuse('the text of the program cannot be read', 'list', program='add.ptob')


def test_instructions(s):
    def numbers(*commands):
        return [line.split()[-1] if line.endswith(':') else line[:8].replace('=>', '  ').strip()
                for line in s.ask(*commands, 'disassemble')]

    assert numbers('start') == [str(n) for n in range(16)]
    assert numbers('start', 'step 8') == [str(n) for n in range(16)]
    assert numbers('start', 'step 9') == [str(n) for n in range(1, 17)]
    assert numbers('run') == [str(n) for n in range(19, 25)] + ['drain:', '25', '26', '27']
    whole = s.ask('run', 'disassemble all')
    assert len(whole) == 29 and whole[-1] == '=>   27  end  ; add.pto:10', whole
    s.refuse("'more' is too much here", 'start', 'disassemble more')
    s.refuse('the program is not running yet', 'disassemble')


def test_backtrace(s):
    assert s.ask('start', 'backtrace') == ['#0  add.pto:14  mov %s, 0',
                                           'in kernel add, launched on rank 0, aiv0.0']
    names = dict(program=pto.source('tests', 'dbg', 'names.pto'), options=('--set', 'n=2'))
    answer = s.ask('break 5', 'run', 'backtrace', **names)
    assert [line.split()[0] for line in answer] == ['#0', '#1', 'in'], answer
    assert answer[1].endswith('names.pto:21  leads here by a use of count'), answer
    s.refuse("'more' is too much here", 'start', 'backtrace more')
    s.refuse('the program is not running yet', 'backtrace')


def test_windows_end_where_their_object_does(s):
    rows = dict(program=pto.source('tests', 'cli', 'kernels', 'async.pto'),
                options=('--ranks', '2', '--in', 'a=iota'))
    shown = s.ask('start', 'print a[2, 998]{2, 2}', **rows)
    assert [line.split() for line in shown[1:4]] == [['998', '999'], ['2', '2998', '2999'],
                                                     ['3', '3998', '3999']], shown
    s.refuse('rows 3 to 4: there are 4', 'start', 'print a[3, 0]{2, 1}', **rows)
    s.refuse('columns 998 to 1000: there are 1000', 'start', 'print a[2, 998]{2, 3}', **rows)


OTHERS = """.kernel others
.in   a : i32[4]
.gm   b : i32[4]
.view half : i32[2] of b offset 2
.core aiv
.local first : i64[3]
.local second : i64[2]
    st first[2], 5
    st second[0], 6
    st second[1], 7
"""


def test_second_of_their_kind(s):
    """A view and a local array that are not the first ones."""
    with open(os.path.join(s.folder, 'others.pto'), 'w') as file:
        file.write(OTHERS)
    others = dict(program='others.pto', options=('--in', 'a=iota'))
    s.refuse("'half' is a view: print the object 'b' that it shows", 'start', 'print half',
             **others)
    shown = s.ask('run', 'info locals', **others)
    assert any(re.search(r'second\S* .*\b6 7$', line) for line in shown), shown


ROWS = """.kernel rows
.mix 1:1
.out y : f32[4, 100]
.core aiv
.tile t : ub f32[4, 8]
    TEXPANDS t, 1.0
    handoff V -> MTE3, 0
    TSTORE y[0, 50]{4, 8}, t
"""


def test_bytes_between_and_in_the_rows_of_a_window(s):
    with open(os.path.join(s.folder, 'rows.pto'), 'w') as file:
        file.write(ROWS)
    for element, stops in (('[0, 50]', True), ('[2, 53]', True), ('[3, 57]', True),
                           ('[2, 58]', False), ('[1, 49]', False), ('[3, 58]', False)):
        s.ask('start', 'watch y' + element, 'continue', program='rows.pto', options=())
        assert any(line.startswith('Watchpoint 1, ') for line in s.told) == stops, (element, s.told)


COPIED = """.kernel copied
.mix 1:1
.inout a : f32[4, 100]
.sym   b : f32[4, 100]
.core aiv
    %e = TPUT_ASYNC b@(rank())[1, 10]{1, 50}, a[2, 20]
    async_wait %e
"""


def test_where_copied_bytes_come_from(s):
    with open(os.path.join(s.folder, 'copied.pto'), 'w') as file:
        file.write(COPIED)
    told = s.ask('run', 'origin b[1, 17]', program='copied.pto', options=('--in', 'a=iota'))
    assert told[-1].strip().startswith('a@0[2, 27], 4 bytes: nobody wrote it'), told


def test_a_byte_within_an_element(s):
    """Its address names it: elements are named by their first byte."""
    for byte, name in ((0x204, 'tb[0](0, 1)'), (0x205, 'ub+0x205'), (0x3ff, 'ub+0x3ff')):
        s.ask('run', 'last-writer ub+0x%x' % byte)
        assert name + ' of rank 0, aiv0.0, 1 byte:' in s.told, s.told


def test_windows_and_files(s):
    path = os.path.join(s.folder, 'got.npy')
    assert s.ask('run', 'save c got.npy') == ['got.npy: 1 x 200 elements of f32']
    sums = np.arange(200, dtype=np.float32) + 1
    got = np.load(path)
    assert got.dtype == np.float32 and got.shape == (200,) and (got == sums).all()
    assert s.ask('run', 'diff c got.npy') == ['All 200 elements agree.']
    got[7], got[90] = 99, 90.5
    np.save(path, got)
    answer = s.ask('run', 'diff c got.npy')
    assert answer[0] == ('2 of 200 elements differ, by at most 91; the first at row 0, column 7: '
                         '8 here, 99 in the file'), answer
    cells = ['X' if any(i * 78 // 200 == c for i in (7, 90)) else '.' for c in range(78)]
    assert answer[1:] == ['|%s|' % ''.join(cells)], answer
    assert s.ask('run', 'diff c got.npy 0.5')[0].startswith('1 of 200')
    assert s.ask('run', 'diff c got.npy 91') == ['All 200 elements agree.']
    for columns in (77, 78, 79):    # the width of the screen is that of 78 and a frame
        s.ask('run', 'save c[0]{1, %d} less.npy' % columns)
        answer = s.ask('run', 'diff c[1]{1, %d} less.npy' % columns)
        assert answer[1:] == ['|%s|' % ('X' * min(columns, 78))], answer
    got[8] = np.nan
    np.save(path, got)
    assert s.ask('run', 'diff c got.npy 1e9')[0].startswith('1 of 200')
    np.save(path, got.reshape(2, 100))
    s.refuse('the file has 200 elements in another shape than 1 x 200', 'run', 'diff c got.npy')
    np.save(path, got[:100])
    s.refuse('the file has 100 elements in another shape than 1 x 200', 'run', 'diff c got.npy')
    for dtype in (np.int32, np.float16):
        np.save(path, sums.astype(dtype))
        assert s.ask('run', 'diff c got.npy') == ['All 200 elements agree.'], dtype


def test_windows_of_tiles(s):
    path = os.path.join(s.folder, 'ta.npy')
    s.ask('run', 'save ta[0](0, 2){1, 5} ta.npy')
    got = np.load(path)
    assert got.shape == (1, 5) and (got[0, 1:] - got[0, :-1] == 1).all(), got
    assert s.ask('run', 'diff ta[0](0, 2){1, 5} ta.npy') == ['All 5 elements agree.']


pto.run_tests(globals(), Session)
