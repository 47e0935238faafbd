"""The summary of a run says what its report says; the report's counts follow from the kernels."""
import re

from workbench import LIMIT, PROGRAM, USAGE, main, pto, report

PIPES = ['S', 'MTE2', 'MTE1', 'M', 'V', 'MTE3', 'FIX']
CLOCK = 1.85e9          # of profile a2
MACS_A_CYCLE = 16 ** 3  # of f16


def both(b, *words, expect=0):
    """The summary of a run, and its report."""
    out, _ = b.run(*words, expect=expect)
    return out, report(b.run(*words, '--json', expect=expect)[0])


def time_text(ps):
    for size, unit in ((10 ** 12, 's'), (10 ** 9, 'ms'), (10 ** 6, 'us'), (10 ** 3, 'ns')):
        if ps >= size:
            return '%d.%03d %s' % (ps // size, ps % size * 1000 // size, unit)
    return '%d ps' % ps


def share(part, whole):
    """In percent, rounded half up."""
    permille = (part * 1000 + whole // 2) // whole if whole else 0
    return '%d.%d%%' % (permille // 10, permille % 10)


def lines_of(out, title):
    return [line for line in out.splitlines() if line.startswith(title)]


def busy_cells(ranks, kind, time):
    """{pipe: share} of the cores of a kind of these ranks together."""
    cores = sum(r[kind] for r in ranks)
    busy = {}
    for r in ranks:
        for p in r['pipes']:
            if p['core'] == kind:
                busy[p['pipe']] = busy.get(p['pipe'], 0) + p['busy_ps']
    return [share(busy[p], time * cores) for p in PIPES if p in busy]


def check(out, data):
    """Every number of the summary, from the report."""
    ranks, time = data['per_rank'], data['time_ps']
    total = {k: sum(r[k] for r in ranks)
             for k in ('scalar_instructions', 'gm_bytes', 'cube_macs', 'aic', 'aiv')}
    assert lines_of(out, 'time') == ['time          %s simulated' % time_text(time)], out
    assert lines_of(out, 'instructions') == ['instructions  %d scalar, %d tile' % (
        total['scalar_instructions'], data['tile_instructions'])], out
    assert lines_of(out, 'traffic') == ['traffic       %d bytes of global memory moved'
                                        % total['gm_bytes']], out
    table = out[out.index('busy share'):].splitlines()
    assert table[0].split() == ['busy', 'share'] + PIPES, table[0]
    kinds = [kind for kind in ('aic', 'aiv') if total[kind]]
    for kind, line in zip(kinds, table[1:]):
        assert line.split() == [kind, 'x', str(total[kind] // len(ranks))] + busy_cells(
            ranks, kind, time), line
    rest = table[1 + len(kinds):]  # regions stand last; reports_test.py looks at them
    return [line for line in rest if not line.startswith('regions ')]


def test_the_cube(b):
    for n in (3, 400):
        words = ['--cores', '1', 'run', b.recorded('product.pto'), '--set', 'n=%d' % n, '--in',
                 'a=ones', '--in', 'b=ones']
        out, data = both(b, *words)
        assert [r['cube_macs'] for r in data['per_rank']] == [n * 16 ** 3], data['per_rank']
        ideal = round(n * 16 ** 3 / MACS_A_CYCLE / CLOCK * 1e12)
        assert lines_of(out, 'cube') == ['cube          %d multiply-adds, %s of the f16 rate' % (
            n * 16 ** 3, share(ideal, data['time_ps']))], out
        check(out, data)
    out, data = both(b, 'run', '%copy.pto', '--set', 'n=8', '--in', 'a=iota')
    assert data['per_rank'][0]['cube_macs'] == 0 and not lines_of(out, 'cube'), out


def test_one_rank(b):
    out, data = both(b, '--cores', '3', 'run', '%copy.pto', '--set', 'n=3000', '--in', 'a=iota')
    assert out.startswith('run           copy on a2, 1 rank, 3 cores each\n'), out
    assert check(out, data) == [], out


def test_ranks_and_links(b):
    words = ['--ranks', '4', '--cores', '1', '--repeat', '2', '--link-down', '0-2', 'run',
             '%shift.pto', '--set', 'n=8', '--in', 'a=iota', '-v']
    out, data = both(b, *words)
    assert out.startswith('run           shift, 2 times on a2, 4 ranks, 1 core each\n'), out
    rest = check(out, data)
    assert rest[0].split() == ['rank'] + PIPES, rest
    for r in data['per_rank']:
        row, end = rest[1 + 2 * r['rank']:3 + 2 * r['rank']]
        assert row.split() == [str(r['rank']), 'aiv'] + busy_cells([r], 'aiv', data['time_ps']), row
        assert end.split('ended at ')[1] == '%s, GM %d bytes' % (time_text(r['end_ps']),
                                                                 r['gm_bytes']), end
    # 8 elements and a count of four bytes each; two launches.
    assert rest[9] == 'links         4 used, 288 bytes, 16 messages', rest[9]
    assert [line.split() for line in rest[10:]] == [
        ['from\\to', '0', '1', '2', '3'], ['0', '.', '72', 'down', '.'], ['1', '.', '.', '72', '.'],
        ['2', 'down', '.', '.', '72'], ['3', '72', '.', '.', '.']], rest[10:]


def test_links_of_many_ranks(b):
    for ranks in (16, 17, 32, 33, 40):
        words = ['--ranks', str(ranks), '--cores', '1', 'run', '%shift.pto', '--set', 'n=8', '--in',
                 'a=iota']
        out, data = both(b, *words)
        rest = check(out, data)
        assert rest[0] == 'links         %d used, %d bytes, %d messages' % (
            ranks, 36 * ranks, 2 * ranks), rest[0]
        if ranks == 16:
            assert len(rest) == 18 and 'from' in rest[1], rest
            continue
        listed = [re.fullmatch(r' +(\d+) -> (\d+) +36 bytes +2 messages', line)
                  for line in rest[1:33]]
        assert [(int(m[1]), int(m[2])) for m in listed if m] == [
            (r, (r + 1) % ranks) for r in range(min(ranks, 32))], rest
        more = ranks - 32
        told = ['  and %d more; --json has them all' % more] if more > 0 else []
        assert rest[33:] == told, rest


def test_ranks_without_links(b):
    out, data = both(b, '--ranks', '2', '--cores', '1', 'run', '%copy.pto', '--set', 'n=8', '--in',
                     'a=iota')
    assert check(out, data) == ['links         0 used, 0 bytes, 0 messages'], out


def test_several_kernels(b):
    out, _ = b.run('run', '%two.pto:first', '%two.pto:second')
    assert 'run           first, second on a2, 1 rank' in out, out


def test_a_run_that_did_not_end(b):
    out, _ = b.run('run', '%endless.pto', '--max-insns', '1000', expect=LIMIT)
    assert re.search(r'^time  .* simulated, when it stopped$', out, re.M), out
    assert not lines_of(out, 'warnings'), out
    out, _ = b.run('run', pto.source('tests', 'run', 'cases', 'flag_left_over.pto'), '--cores', '1',
                   expect=PROGRAM)
    assert re.search(r'^time  .* simulated, when it stopped$', out, re.M), out
    assert lines_of(out, 'warnings') == ['warnings      1'], out


FLAG = """.kernel flag
.mix 1:1
.inout x : f32[256]
.core aiv
.tile a : ub f32[1, 256]
    TLOAD a, x
    set_flag  MTE2, V, 0
    wait_flag MTE2, V, 0
    TADD a, a, a
    pipe_barrier ALL
    st x[0], 1.0
"""


def test_a_set_on_its_way_is_no_missing_set(b):
    """Pipes start a set ahead of the clock: it is still queued for whoever waits at the limit, and
    those who wait are the same whether somebody watches the run or not."""
    with open(b.path('flag.pto'), 'w') as file:
        file.write(FLAG)
    for time in ('1010ns', '1020ns'):
        said = [b.run('run', 'flag.pto', '-p', 'toy', '--cores', '1', '--in', 'x=ones',
                      '--max-time', time, *words, expect=LIMIT)[1]
                for words in ((), ('--trace', 't.json'))]
        assert 'set_flag MTE2, V, 0, which is still queued' in said[0], said[0]
        places = [re.findall(r'flag.pto:\d+|pipe \w+', text) for text in said]
        assert places[0] == places[1], said


def test_nothing_is_busy_for_longer_than_a_run_that_was_cut_off(b):
    """Scalar units run ahead of the clock: what they have ahead is not counted."""
    for words in (['--max-insns', '1000'], ['--max-insns', '100000'], ['--max-time', '7us'],
                  ['--max-insns', '1000', '--cores', '1']):
        out, data = both(b, 'run', '%endless.pto', *words, expect=LIMIT)
        assert '%' in lines_of(out, '  aiv')[0], out
        for rank in data['per_rank']:
            for pipe in rank['pipes']:
                assert pipe['busy_ps'] + pipe['wait_ps'] <= data['time_ps'] * rank[pipe['core']], (
                    words, pipe, data['time_ps'])


def test_what_the_host_adds(b):
    """To every call, beside the simulated time and not in it."""
    words = ['run', '%copy.pto', '--set', 'n=8', '--in', 'a=iota', '--repeat', '3']
    plain, data = both(b, *words)
    assert 'host' not in plain and 'host_ps' not in data, plain
    out, told = both(b, *words, '--host-cost', '20us')
    assert told.pop('host_ps') == 60 * 10 ** 6, told
    assert told == data
    line = 'host          60.000 us for 3 calls: %s by its clock' % time_text(
        data['time_ps'] + 60 * 10 ** 6)
    assert lines_of(out, 'host') == [line], out
    assert [l for l in out.splitlines() if l != line] == plain.splitlines(), out
    out, _ = b.run(*words[:-2], '--host-cost', '1.5ms')
    assert lines_of(out, 'host')[0].startswith('host          1.500 ms for 1 call: '), out
    for wrong, why in (('20', 'not a time'), ('11s', 'at most 10s'), ('-1us', 'not a time')):
        _, err = b.run(*words, '--host-cost=' + wrong, expect=USAGE)
        assert why in err, err


main(globals())
