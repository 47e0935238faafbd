"""What ptovm tells: summaries, JSON, timelines, info, help."""
import json
import re

from workbench import COPY, DEADLOCK, LIMIT, MISMATCH, PROGRAM, USAGE, main, report


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


def test_trace(b):
    b.run('--ranks', '2', 'run', '%shift.pto', '--set', 'n=8', '--in', 'a=iota', '--trace',
          't.json')
    with open(b.path('t.json')) as file:
        lines = file.read().splitlines()
    events = json.loads('\n'.join(lines))
    assert len(lines) == len(events) + 2  # one event a line
    assert {e['pid'] for e in events} == {0, 1}
    names = {e['args']['name'] for e in events if e.get('name') == 'thread_name'}
    assert 'aiv0.0 MTE2' in names and 'aiv0.0 S' in names and 'to rank 1' in names, names
    assert {e['args']['name'] for e in events if e.get('name') == 'process_name'} == {'rank 0',
                                                                                 'rank 1'}
    starts = {e['id'] for e in events if e['ph'] == 's'}
    ends = {e['id'] for e in events if e['ph'] == 'f'}
    assert starts and ends == starts, (starts, ends)
    begins = [e for e in events if e['ph'] == 'B']
    assert {e['name'] for e in begins} == {'shift', 'send "row"'}
    assert len(begins) == len([e for e in events if e['ph'] == 'E'])
    check_slices(events)
    assert events[-1]['name'] == 'ptovm' and events[-1]['args']['dropped'] == 0


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
    with open(b.path('t.json')) as file:
        events = json.load(file)
    check_slices(events)
    track, = [(e['pid'], e['tid']) for e in events if e.get('name') == 'thread_name'
              and e['pid'] == 0 and e['args']['name'] == 'aiv0.0 DMA']
    slices = [e for e in events if e['ph'] == 'X' and (e['pid'], e['tid']) == track]
    assert [(e['name'], e['args']['bytes']) for e in slices] == [('TPUT_ASYNC', 4000)] * 4, slices


def check_slices(events):
    """Slices of a track nest or follow each other; phases are where their arguments say."""
    tracks = {}
    for e in events:
        if e['ph'] == 'X':
            start, end = round(e['ts'] * 1e6), round((e['ts'] + e['dur']) * 1e6)
            assert start == e['args']['start_ps'] and end >= start, e
            if e['cat'] == 'pipe':
                tracks.setdefault((e['pid'], e['tid']), []).append((start, end))
    assert tracks
    for slices in tracks.values():
        slices.sort()
        for (_, end), (start, _) in zip(slices, slices[1:]):
            assert start >= end, (end, start)


def regions_of(trace):
    """{name: durations in picoseconds} of the regions in a trace."""
    found, open_regions = {}, {}
    for event in trace:
        stack = open_regions.setdefault((event['pid'], event.get('tid')), [])
        if event['ph'] == 'B':
            stack.append(event)
        elif event['ph'] == 'E':
            begin = stack.pop()
            if begin.get('cat') == 'region':
                took = round((event['ts'] - begin['ts']) * 1e6)
                found.setdefault(begin['name'], []).append(took)
    return found


def test_regions(b):
    """Summary and report sum up what the trace shows one by one."""
    out, _ = b.run('run', '%regions.pto', '--ranks', '2', '--trace', 't.json', '--json=r.json')
    with open(b.path('t.json')) as file:
        trace = regions_of(json.load(file))
    with open(b.path('r.json')) as file:
        told = report(file.read())['regions']
    assert [len(trace[name]) for name in ('outer', 'inner', 'rest')] == [4, 12, 4], trace
    assert told == [{'name': name, 'count': len(took), 'total_ps': sum(took),
                     'longest_ps': max(took)}
                    for name, took in ((r['name'], trace[r['name']]) for r in told)], told
    assert [r['name'] for r in told] == ['outer', 'inner', 'rest'], told
    assert 'regions       outer: 4 times, ' in out and '              inner: 12 times, ' in out, out
    assert 'regions' not in b.run(*COPY, '--in', 'a=iota')[0]


def test_trace_limit_and_faults(b):
    _, err = b.run(*COPY, '--in', 'a=iota', '--trace', 't.json', '--trace-max-events', '5')
    assert 'left out' in err, err
    with open(b.path('t.json')) as file:
        events = json.load(file)
    assert len([e for e in events if e['ph'] != 'M']) == 5
    assert events[-1]['args']['dropped'] > 0
    b.run('--ranks', '2', 'run', '%fault.pto', '--trace', 'f.json', expect=PROGRAM)
    with open(b.path('f.json')) as file:
        json.load(file)
    b.run(*COPY, '--in', 'a=iota', '--trace', 'no/such/folder/t.json', expect=USAGE)


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
