"""What ptovm tells: summaries, JSON, timelines, info, help."""
import json
import re

from timeline import Timeline
from workbench import COPY, DEADLOCK, LIMIT, MISMATCH, PROGRAM, USAGE, main, report

import pto


def test_quiet_and_verbose(b):
    out, err = b.run(*COPY, '--in', 'a=iota', '-q')
    assert out == '' and err == ''
    out, err = b.run('--ranks', '2', *COPY, '--in', 'a=iota', '-v')
    assert '1 aiv' in out and err.startswith('host'), (out, err)


def test_json_report(b):
    out, err = b.run('--ranks', '4', 'run', '%shift.pto', '--set', 'n=8', '--in', 'a=iota',
                     '--json')
    assert err == '', err
    data = report(out)
    assert data['status'] == 'ok' and data['exit_code'] == 0
    assert data['kernels'] == [{'file': b.kernel('shift.pto'), 'kernel': 'shift'}]
    assert len(data['per_rank']) == 4
    assert sorted((l['from'], l['to']) for l in data['links']) == [(0, 1), (1, 2), (2, 3), (3, 0)]
    assert data['time_ps'] > 0
    out, _ = b.run(*COPY, '--in', 'a=iota', '--json=r.json')
    assert 'simulated' in out
    with open(b.path('r.json')) as file:
        assert report(file.read())['ranks'] == 1


def test_json_report_of_failures(b):
    for words, code, status in [
            (['run', '%deadlock.pto'], DEADLOCK, 'deadlock'),
            (['--ranks', '2', 'run', '%fault.pto'], PROGRAM, 'fault'),
            (['run', '%endless.pto', '--max-insns', '1000'], LIMIT, 'limit'),
            (['run', '%broken.pto'], PROGRAM, 'error'),
            (['run', 'missing.pto'], USAGE, 'error'),
            ([*COPY, '--in', 'a=ones', '--expect', 'c=zeros'], MISMATCH, 'mismatch')]:
        data = report(b.run(*words, '--json', expect=code)[0])
        assert data['status'] == status and data['exit_code'] == code, data
        if status in ('fault', 'deadlock', 'limit'):
            assert data['fault']['kind'] == status and data['fault']['time_ps'] >= 0
        if status == 'error':
            assert data['diagnostics'], data
    first = data['expectations'][0]['first']
    assert first == {'rank': 0, 'index': [0], 'got': '1', 'want': '0'}, first


def test_print_goes_beside_json(b):
    out, err = b.run('run', '%two.pto:first', '%two.pto:second', '--json')
    report(out)
    assert err.startswith('rank 0, aiv0.0, at ') and err.endswith(': value 5\n'), err


def test_dma_engine(b):
    words = ['--ranks', '2', '--cores', '1', 'run', '%async.pto', '--in', 'a=iota']
    data = report(b.run(*words, '--json', '--trace', 't.json')[0])
    engines = [p for p in data['per_rank'][1]['pipes'] if p['pipe'] == 'DMA']
    assert [(p['core'], p['instructions'], p['bytes']) for p in engines] == [
        ('aiv', 4, 16000)], engines
    assert engines[0]['busy_ps'] >= 16000 / 20.5e9 * 1e12, engines
    assert {(l['from'], l['to'], l['bytes'], l['messages']) for l in data['links']} == {
        (0, 1, 16000, 4), (1, 0, 16000, 4)}, data['links']
    out, _ = b.run(*words)
    assert re.search(r'^copies +8 by DMA engines, 32000 bytes, busy for ', out, re.M), out
    slices = Timeline(b.path('t.json')).of(ph='X', pid=0, thread='aiv0.0 DMA')
    assert [(e['name'], e['args']['bytes']) for e in slices] == [('TPUT_ASYNC', 4000)] * 4, slices


def test_an_engine_that_copies_once(b):
    """One that copies nothing is not shown, as on the other rank."""
    data = report(b.run('--ranks', '2', '--cores', '1', 'run',
                        pto.kernel('collective/p2p_put_async.pto'), '--set', 'source=0', '--set',
                        'target=1', '--set', 'bytes=1024', '--set', 'lanes=1', '--in', 'x=zeros',
                        '--json')[0])
    engines = [[p['instructions'] for p in rank['pipes'] if p['pipe'] == 'DMA']
               for rank in data['per_rank']]
    assert engines == [[1], []], engines


def regions_of(path):
    """{name: durations in nanoseconds} of the regions in a trace."""
    found = {}
    for begin in Timeline(path).of(ph='B'):
        found.setdefault(begin['name'], []).append(begin['end'] - begin['ns'])
    return found


def test_regions(b):
    """Summary and report sum up what the trace shows one by one."""
    out, _ = b.run('run', '%regions.pto', '--ranks', '2', '--trace', 't.json', '--json=r.json')
    trace = regions_of(b.path('t.json'))
    with open(b.path('r.json')) as file:
        told = report(file.read())['regions']
    assert [len(trace[name]) for name in ('outer', 'inner', 'rest')] == [4, 12, 4], trace
    for region in told:
        took = trace[region['name']]
        assert region['count'] == len(took), told
        assert abs(region['total_ps'] - 1000 * sum(took)) <= 1000 * len(took), (region, took)
        assert abs(region['longest_ps'] - 1000 * max(took)) <= 1000, (region, took)
    assert [r['name'] for r in told] == ['outer', 'inner', 'rest'], told
    assert 'regions       outer: 4 times, ' in out and '              inner: 12 times, ' in out, out
    assert 'regions' not in b.run(*COPY, '--in', 'a=iota')[0]


def test_info(b):
    out, _ = b.run('info', '%interface.pto')
    for line in ['kernel interface on a2', 'param   rows : i64', 'param   cols : i64 = rows * 2',
                 'param   scale : f64 = 0.5', 'in      a : bf16[rows, cols]',
                 'in      bias : f32[cols] optional', 'inout   b : i32[rows, 4]',
                 'gm      scratch : f32[cdiv(rows, 2), 8]', 'sym     buffer : f16[16, nranks()]',
                 'signal  ready : i32[2]', 'view    flat : u16[rows * cols] of a',
                 't[2] : ub f32[8, 16] nd @ 0x0, 512 bytes a slot', 'view of t',
                 'seen : local i64[4]', 'ub: 1024 of 196608 bytes used']:
        assert line in out, '%r is not in\n%s' % (line, out)
    data = json.loads(b.run('info', '%two.pto', '--json')[0])
    assert data['schema'] == 'pto-info/1'
    assert [k['name'] for k in data['kernels']] == ['first', 'second']
    assert data['kernels'][0]['params'] == [{'name': 'value', 'type': 'i64', 'uniform': False,
                                             'default': '5'}]
    data = json.loads(b.run('info', '%interface.pto', '--json')[0])
    assert [core['kind'] for core in data['kernels'][0]['cores']] == ['aiv'], data
    with open(b.path('views.pto'), 'w') as file:
        file.write('.kernel views\n.param n : i64\n.in x : f32[8]\n.view whole : f32[8] of x\n'
                   '.view tail : f32[5] of x offset 3\n.view moved : f32[2] of x offset n\n'
                   '.core aiv\n    end\n')
    lines = b.run('info', 'views.pto')[0].splitlines()
    assert [line.strip() for line in lines if ' view ' in line] == [
        'view    whole : f32[8] of x', 'view    tail : f32[5] of x offset 3',
        'view    moved : f32[2] of x offset n'], lines
    b.run('info', '%broken.pto', expect=PROGRAM)


def test_help_version_profiles(b):
    out, err = b.run('--help')
    assert 'usage: ptovm' in out and '--link-down' in out and err == ''
    assert b.run('--version')[0].startswith('ptovm 0.')
    out, _ = b.run('profiles')
    assert [line.split()[0] for line in out.splitlines()] == ['name', 'a2', 'a3', 'a5',
                                                             'mi300x', 'toy']


def test_colour(b):
    _, err = b.run('run', '%broken.pto', '--color=always', expect=PROGRAM)
    assert '\033[' in err
    _, err = b.run('run', '%broken.pto', expect=PROGRAM)
    assert '\033[' not in err


main(globals())
