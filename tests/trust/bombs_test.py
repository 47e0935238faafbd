"""Small texts that ask for a lot: each is refused with the place that asked, in little memory."""
import trust
from trust import DONE, PROGRAM, limit_memory

MIB = 1 << 20
CORE = '.kernel k\n.core aiv\n'
SMALL = {'preexec_fn': limit_memory(640 * MIB), 'timeout': 60}


def doubling(first, depth):
    """Macros a0 (its body is `first`) to a<depth>, each of which uses the one before twice."""
    text = '.macro a0 x\n%s\n.endm\n' % first
    for i in range(1, depth + 1):
        text += '.macro a%d x\na%d x\na%d x\n.endm\n' % (i, i - 1, i - 1)
    return text


def refused(b, text, say):
    b.write('bomb.pto', text)
    done = b.expect(PROGRAM, 'ptoas', '-o', 'x.ptob', 'bomb.pto', **SMALL)
    assert say in done.stderr, (say, done.stderr[-1000:])
    return done.stderr


def test_lines(b):
    err = refused(b, doubling('.if 0\n.endif', 20) + 'a20 1\n', 'produce more than 131072 lines')
    assert 'in expansion of macro' in err, err  # the trail


def test_words(b):
    say = 'produce more than 2000000 words and signs'
    err = refused(b, doubling('.if 0' + ' + x' * 400 + '\n.endif', 16) + 'a16 1\n', say)
    assert 'in expansion of macro' in err, err
    body = '.if 0' + ' + x' * 10 + '\n.endif\n'  # few words, and a use that makes many of them
    refused(b, '.macro m x\n' + body * 20000 + '.endm\nm ' + '(1)' * 25 + '\n', say)


def test_characters(b):
    text = '.kernel k\n.core aiv\n.macro p\n' + (' print "%s"\n' % ('x' * 4000)) * 20 + '.endm\n'
    refused(b, text + 'p\n' * 5000, 'produce more than 33554432 characters')


def test_includes(b):
    b.write('i.inc', '    %a = 1\n' * 5000)
    refused(b, '.kernel k\n.core aiv\n' + '.include "i.inc"\n' * 1000,
            'produce more than 131072 lines')
    b.write('w.inc', '    %a = 1' + ' + 1' * 500 + '\n')
    refused(b, '.kernel k\n.core aiv\n' + '.include "w.inc"\n' * 5000,
            'produce more than 2000000 words and signs')
    for i in range(200):
        b.write('i%d.inc' % i, '.include "i%d.inc"\n' % (i + 1))
    refused(b, '.include "i0.inc"\n', 'nested more than 100 deep')


def test_calls_of_upstream_text(b):
    """Functions that are called are put in place: ten calls of ten calls of ..."""
    text = 'module {\nfunc.func @f0() {\n return\n}\n'
    for i in range(1, 14):
        call = ' call @f%d() : () -> ()\n' % (i - 1)
        text += 'func.func @f%d() {\n%s return\n}\n' % (i, 10 * call)
    err = refused(b, text + '}\n', 'functions that are called bring in more than 131072 operations')
    assert err.count('error: ') == 1, err


def test_tiles_of_upstream_text(b):
    """Names and tiles are looked up, not searched for: both as many tiles, and as many alike."""
    tile = '%%t%d = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n'
    many = ''.join(tile % i for i in range(120000))
    alike = 'func.func private @f() {\n%sreturn\n}\n' % (tile % 0) + 'func.func @k() {\n'
    b.write('many.pto', 'module {\nfunc.func @k() {\n' + many + 'return\n}\n}\n')
    b.write('alike.pto', 'module {\n' + alike + 'call @f() : () -> ()\n' * 60000 + 'return\n}\n}\n')
    for name in ('many.pto', 'alike.pto'):
        b.expect(DONE, 'ptoas', '-o', 'x.ptob', name, **SMALL)


def test_functions_of_upstream_text(b):
    """Each is a kernel, and all are looked at for calls of the others, but not again for each."""
    many = ''.join('func.func @f%d() {\n return\n}\n' % i for i in range(60000))
    refused(b, 'module {\n' + many + '}\n', 'a text has at most 4096 kernels')


def test_one_file(b):
    refused(b, '+' * (16 * MIB - 1), 'too many words and signs')
    refused(b, 'a\n' * (8 * MIB - 1), 'too many')
    refused(b, '\n' * (16 * MIB), 'there is no .kernel')


def test_tiles(b):
    """A memory that is full of tiles lists some of them."""
    for count in (7000, 60000):
        tiles = ''.join('.tile t%d : ub i8[1, 32]\n' % i for i in range(count))
        err = refused(b, CORE + tiles, "tile 't6144' does not fit")
        assert '6104 of 6144 tiles in ub are not shown' in err, err[-300:]
        assert len(err) < 10000, len(err)


def test_layout_of_deep_blocks(b):
    """Blocks inside of blocks do not make a text grow with the square of its lines."""
    depth = 20000
    for begin, end in (('    .for %i = 0 to 2', '    .endfor'), ('.if X', '.endif')):
        for inside in ('', '.tile t : ub i8[1, 32]\n'):
            b.write('deep.pto', CORE + (begin + '\n') * depth + inside + (end + '\n') * depth)
            b.expect(DONE, 'ptoas', '--format', '-o', 'once.pto', 'deep.pto', **SMALL)
            b.expect(DONE, 'ptoas', '--format', '-o', 'twice.pto', 'once.pto', **SMALL)
            text = b.read('once.pto')
            assert text == b.read('twice.pto')
            assert max(map(len, text.split(b'\n'))) <= 100 + 30


def test_layout_of_a_long_line(b):
    line = ' %x = ' + '(1 + ' * 200000 + '1' + ')' * 200000 + '\n'
    b.write('long.pto', CORE + line)
    done = b.expect(DONE, 'ptoas', '--format', 'long.pto', **SMALL)
    assert done.stdout == CORE + '    ' + line.strip() + '\n'


def test_errors(b):
    """Each error shows its line and trail; what is not shown costs nothing."""
    many = CORE + doubling('foo' + ' ' * 50000 + 'x', 15) + 'a15 1\n'
    refused(b, many, '9952 more errors are not shown')
    refused(b, CORE + doubling('foo x', 16) + 'a16 ' + '(' * 120 + '\n',
            'more errors are not shown')
    b.write('bomb.pto', many)
    done = b.expect(PROGRAM, 'ptoas', '--max-errors', '0', '-o', 'x.ptob', 'bomb.pto', **SMALL)
    assert 'too many errors: the rest of the text is not read' in done.stderr


def test_statements_without_a_kernel(b):
    """Said once, where reading ends."""
    b.write('bomb.pto', '    mov %a, 1\n' * 120000)
    done = b.expect(PROGRAM, 'ptoas', '-o', 'x.ptob', 'bomb.pto', **SMALL)
    assert done.stderr.count('too many statements behind a missing .kernel') == 1, done.stderr


def test_a_long_line_is_shown_around_the_caret(b):
    b.write('long.pto', '.kernel k\n.core aiv\n    %a = 1 ' + '+ 1 ' * 200 + '+ nothing ' +
            '+ 1 ' * 200 + '\n')
    done = b.expect(PROGRAM, 'ptoas', '-o', 'x.ptob', 'long.pto')
    lines = done.stderr.splitlines()
    shown = [i for i, line in enumerate(lines) if '+ nothing +' in line]
    assert len(shown) == 1 and len(lines[shown[0]]) < 450, lines
    line, caret = lines[shown[0]], lines[shown[0] + 1]
    assert line.startswith('    ...') and line.endswith('...'), line
    assert line[caret.index('^'):].startswith('nothing'), (line, caret)


if __name__ == '__main__':
    trust.main(globals())
