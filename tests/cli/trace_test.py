"""ptovm --trace: what timelines hold, and that viewers take all of it (timeline.py)."""
import gzip
import os
import re
import subprocess

from timeline import Timeline
from workbench import COPY, DEADLOCK, LIMIT, PROGRAM, main

import pto

VADD = ['run', pto.kernel('basic/vadd.pto'), '--set', 'n=100000', '--in', 'a=iota', '--in',
        'b=ones', '-q']
SMALL = ['run', pto.source('tests', 'dbg', 'add.pto'), '--set', 'n=200', '--in', 'a=iota', '--in',
         'b=ones', '--cores', '1', '-q']
RING = ['--ranks', '4', 'run', pto.kernel('collective/allreduce_ring.pto'), '--set', 'count=50000',
        '--in', 'x=ones', '-q']
ATTENTION = ['run', pto.kernel('attention/flash_attention.pto'), '--set', 's0=128', '--set',
             's1=256', '--set', 'h=64', '--in', 'q=ones', '--in', 'k=ones', '--in', 'v=ones', '-q']


def traced(b, words, *options, name='t.json', expect=0):
    b.run(*words, '--trace', name, *options, expect=expect)
    return Timeline(b.path(name))


def test_names(b):
    shift = ['--ranks', '2', 'run', '%shift.pto', '--set', 'n=8', '--in', 'a=iota', '-q']
    trace = traced(b, shift)
    assert {e['pid'] for e in trace.events} == {0, 1}
    assert {'aiv0.0 MTE2', 'aiv0.0 S', 'to rank 1'} <= set(trace.names.values()), trace.names
    assert {e['args']['name'] for e in trace.of(name='process_name')} == {'rank 0', 'rank 1'}
    assert {e['name'] for e in trace.of(ph='B')} == {'shift', 'send "row"'}
    assert trace.summary['args']['dropped'] == 0


def test_operands_as_issued(b):
    """Slots and offsets of a loop, although S is far ahead when its copies start."""
    trace = traced(b, VADD, '--cores', '1')
    loads = [e['args']['insn'] for e in trace.of(name='TLOAD', thread='aiv0.0 MTE2')]
    a = [re.fullmatch(r'TLOAD ta\[(\d)\]\{1, (\d+)\}, a\[(\d+)\]', x) for x in loads]
    a = [[int(g) for g in m.groups()] for m in a if m]
    assert len(a) > 3 and [x[0] for x in a] == [i % 2 for i in range(len(a))], loads
    assert all(x[2] + x[1] <= y[2] for x, y in zip(a, a[1:])), loads
    other = [e['args']['insn'] for e in trace.of(name='TLOAD', thread='aiv0.1 MTE2')]
    assert not set(loads) & set(other), 'halves of an array'
    assert all('%' not in e['args'].get('insn', '') for e in trace.of(ph='X')
               if e['cat'] in ('pipe', 'wait')), 'values, not names'
    trace = traced(b, ['--ranks', '2', '--cores', '1', 'run', '%async.pto', '--in', 'a=iota', '-q'])
    copies = [e['args']['insn'] for e in trace.of(name='TPUT_ASYNC', pid=0, thread='aiv0.0 DMA')]
    assert copies == ['TPUT_ASYNC %%last, b@1[%d, 0]{1, 1000}, a[%d, 0]' % (i, i)
                      for i in range(4)], copies


def test_arrows_of_flags(b):
    trace = traced(b, VADD, '--cores', '1')
    assert trace.arrows
    for start, end in trace.arrows:
        assert start['name'].startswith('set_flag ') and start['pid'] == end['pid']
        assert end['name'] == start['name'].replace('set_flag', 'wait_flag'), (start, end)
        assert start['args']['start_ps'] <= end['args']['start_ps']
        source, target = re.match(r'set_flag (\w+), (\w+), \d', start['name']).groups()
        assert trace.thread(start).split()[1] == source
        assert trace.thread(end).split()[1] == target
    taken = [e for e in trace.of(cat='flag', ph='X') if e['name'].startswith('wait_flag')]
    assert len(trace.arrows) == len(taken), 'every wait has its set'


def test_arrows_between_cores(b):
    """Cross-core flags lead from the cube to its vector sub-cores and back."""
    trace = traced(b, ATTENTION)
    ways = set()
    for start, end in trace.arrows:
        if start['name'].startswith('set_flag_dev'):
            assert end['name'].split()[-1] == start['name'].split()[-1], (start, end)
            assert start['args']['start_ps'] < end['args']['start_ps']
            one, two = trace.thread(start).split(), trace.thread(end).split()
            assert re.findall(r'\d+', one[0])[0] == re.findall(r'\d+', two[0])[0], (one, two)
            ways.add((one[0][:3], two[0][:3], two[1]))
    assert ways == {('aic', 'aiv', 'S'), ('aiv', 'aic', 'S')}, ways


def test_arrows_of_links(b):
    """Messages lead to where they land, and from there to the TWAITs that they end."""
    trace = traced(b, RING)
    sends = [(s, e) for s, e in trace.arrows if trace.thread(s).startswith('to rank')]
    ends = [(s, e) for s, e in trace.arrows if trace.thread(s).startswith('from rank')]
    for start, end in sends:
        assert trace.thread(start) == 'to rank %d' % end['pid']
        assert trace.thread(end) == 'from rank %d' % start['pid']
        assert start['name'] == end['name'] and start['pid'] != end['pid']
        assert end['args']['start_ps'] - start['args']['start_ps'] >= 250000, 'the latency of a2'
    assert {s['name'] for s, _ in sends} == {'notify', 'request', 'reply'}
    stalls = [e for e in trace.of(ph='X') if e['name'] == 'stall: TWAIT']
    assert len(stalls) > 10 and len(ends) == len(stalls)
    for start, end in ends:
        assert start['name'] == 'notify' and end['name'] == 'stall: TWAIT'
        assert start['pid'] == end['pid'] and trace.thread(end).endswith(' S')
        assert start['args']['start_ps'] <= end['args']['end_ps']


def test_counters(b):
    trace = traced(b, RING, '--trace-interval', '100ns')
    moved = sum(e['args'].get('bytes', 0) for e in trace.of(ph='X', cat='pipe', pid=0)
                if trace.thread(e).split()[1] in ('MTE2', 'MTE3'))
    links = sum(e['args'].get('bytes', 0) for e in trace.of(ph='X', cat='link', pid=0)
                if trace.thread(e) == 'to rank 3')
    assert links > 0
    assert abs(amount(trace, 0, 'link to rank 3, GB/s', 'GB/s') - links) < 0.01 * links
    read = amount(trace, 0, 'global memory, GB/s', 'read')
    written = amount(trace, 0, 'global memory, GB/s', 'written')
    assert 0 < read + written < moved, 'what others hold is not in it'
    hits = [args['%'] for _, args in trace.counters[0, 'L2 hits, %']]
    assert hits and all(0 <= h <= 100 for h in hits)
    for (rank, name), values in trace.counters.items():
        times = [at for at, _ in values]
        assert times == sorted(set(times)) and all(at % 100 == 0 for at in times), name
        if name.startswith('queue of'):
            assert values[-1][1]['entries'] == 0, (rank, name, values[-1])
            assert max(v['entries'] for _, v in values) <= 32
    plain = traced(b, VADD, '--cores', '1')
    told = 4 * 100000
    assert abs(amount(plain, 0, 'global memory, GB/s', 'read') - 2 * told) < 0.01 * told
    assert abs(amount(plain, 0, 'global memory, GB/s', 'written') - told) < 0.01 * told
    bare = traced(b, SMALL, '-p', 'toy')    # has no cache
    for one, cached in ((plain, True), (bare, False)):
        names = [name for _, name in one.counters]
        assert 'global memory, GB/s' in names
        assert ('memory behind L2, GB/s' in names) == cached, sorted(names)


def amount(trace, rank, name, series):
    """Bytes under the line of a counter of GB/s, which are bytes in a nanosecond."""
    values = trace.counters[rank, name]
    return sum(args[series] * (after - at)
               for (at, args), (after, _) in zip(values, values[1:]))


def test_queue_depth(b):
    """One instruction behind another: as many as were issued and have not completed."""
    with open(b.path('q.pto'), 'w') as file:
        file.write('.kernel q\n.mix 1:1\n.core aiv\n.tile t : ub f32[16, 64]\n'
                   + '    TEXPANDS t, 1.0\n' * 5 + '    end\n')
    trace = traced(b, ['run', 'q.pto', '--cores', '1', '-q'], '--trace-interval', '1ns')
    (_, values), = [(k, v) for k, v in trace.counters.items() if k[1] == 'queue of aiv0.0 V']
    ends = [e['args']['end_ps'] for e in trace.of(name='TEXPANDS')]
    assert max(v['entries'] for _, v in values) == 5
    for i, end in enumerate(ends):
        left = [v['entries'] for at, v in values if at <= end / 1000 + 1][-1]
        assert left <= 4 - i, (end, values)


def options(begins):
    """The options whose names begin so."""
    with open(pto.source('vm', 'cli', 'options.def')) as file:
        return re.findall(r'^OPTION\(\w+, [^,]+, "(%s[\w-]+)"' % begins, file.read(), re.M)


def test_an_empty_trace_is_told(b):
    for words in [['--trace-window', '1s..'], ['--trace-kinds', 'finding'],
                  ['--trace-ranks', '0', '--trace-pipes', 'M', '--trace-kinds', 'pipe']]:
        _, err = b.run(*RING, '--trace', 't.json', *words)
        assert re.search(r'^note: the trace is empty: in [\d.]+ us of simulated time nothing', err,
                         re.M), err
        assert Timeline(b.path('t.json')).summary['args']['events'] == 0
    for words in [[], ['--trace-window', '..20us'], ['--trace-max-events', '1']]:
        assert 'empty' not in b.run(*RING, '--trace', 't.json', *words)[1]


def test_findings_and_faults(b):
    trace = traced(b, ['check', pto.kernel('broken/vadd_missing_sync.pto'), '--cores', '1', '--set',
                       'n=100', '--in', 'a=ones', '--in', 'b=ones', '-q'], expect=4)
    marks = trace.of(ph='i', name='race-raw')
    assert {trace.thread(m) for m in marks} >= {'aiv0.0 MTE2', 'aiv0.0 V'}
    assert any('TADD reads ub without waiting for TLOAD' in m['args']['message'] for m in marks)
    fault, = traced(b, ['--ranks', '2', 'run', '%fault.pto', '-q'], expect=PROGRAM).of(ph='i')
    assert fault['pid'] == 1 and 'past the last of the 4' in fault['args']['message']
    limit = traced(b, ['run', '%endless.pto', '--max-insns', '1000', '-q'], expect=LIMIT)
    assert limit.of(ph='i', name='limit')


def test_a_deadlock(b):
    """Waits that never end reach to the end of the run; who is waited for has a mark."""
    trace = traced(b, ['--ranks', '2', '--cores', '1', 'run', '%waits.pto', '--in', 'a=ones', '-q'],
                   expect=DEADLOCK)
    now = trace.summary['args']['time_ps']
    open_waits = {(e['pid'], trace.thread(e)): e for e in trace.of(cat='wait')
                  if e['args'].get('unfinished')}
    assert {key: (e['name'], e['args']['insn']) for key, e in open_waits.items()} == {
        (0, 'aiv0.0 S'): ('stall: TWAIT', 'TWAIT go[1], eq, 1'),
        (0, 'aiv0.1 S'): ('stall: sync_all', 'sync_all aiv'),
        (1, 'aiv0.0 MTE3'): ('waiting', 'wait_flag V, MTE3, 2'),
        (1, 'aiv0.0 V'): ('waiting', 'wait_flag MTE3, V, 3'),
        (1, 'aiv0.0 S'): ('stall: sync_all', 'sync_all aiv'),
        (1, 'aiv0.1 S'): ('stall: sync_all', 'sync_all aiv')}, open_waits
    assert all(e['args']['end_ps'] == now and e['ns'] < now // 1000 for e in open_waits.values())
    dead = {(e['pid'], trace.thread(e)) for e in trace.of(ph='i', name='deadlock')}
    assert dead == set(open_waits) and len(trace.of(ph='i', name='deadlock')) == len(dead)
    awaited = [(e['pid'], trace.thread(e), e['args']['message'])
               for e in trace.of(ph='i', name='awaited')]
    assert sorted(awaited) == [
        (0, 'aiv0.0 S', 'sync_all: rank 0, aiv0.1, pipe S waits for it'),
        (1, 'aiv0.0 MTE3', '(MTE3, V, 3): rank 1, aiv0.0, pipe V waits for it'),
        (1, 'aiv0.0 MTE3', 'empty: rank 1, aiv0.0, pipe S waits for it'),
        (1, 'aiv0.0 S', 'sync_all: rank 1, aiv0.1, pipe S waits for it'),
        (1, 'aiv0.0 V', '(V, MTE3, 2): rank 1, aiv0.0, pipe MTE3 waits for it'),
        (1, 'aiv0.0 V', 'empty: rank 1, aiv0.0, pipe S waits for it')], awaited
    none = traced(b, VADD)
    assert not any(e['args'].get('unfinished') for e in none.of(ph='X')) and not none.of(ph='i')
    limit = traced(b, ['run', '%waits.pto', '--ranks', '2', '--cores', '1', '--in', 'a=ones',
                       '--max-time', '7us', '-q'], expect=LIMIT)
    assert [e for e in limit.of(cat='wait') if e['args'].get('unfinished')]
    assert not limit.of(name='awaited'), 'what it waits for may come yet'


def test_one_message_that_ends_two_waits(b):
    """The later waiter may go on first."""
    ladder = pto.kernel('moe/all2all_v7.pto')
    trace = traced(b, ['--ranks', '4', 'run', ladder + ':dispatch', ladder + ':combine', '--set',
                       'tokens=6', '--set', 'max_tokens=6', '--set', 'k=1', '--set', 'hidden=100',
                       '--set', 'experts=8', '--in', 'x=const:2', '--in', 'topk=const:5', '--in',
                       'weights=const:0.5', '-q'])
    assert trace.arrows


def test_a_fault_that_s_is_ahead_of(b):
    """It holds the regions open until what it does is over.  The other rank goes on for as
    long as a message takes."""
    trace = traced(b, ['--ranks', '2', '--profile-set', 'link_latency=150ns', 'run',
                       pto.kernel('broken/moe_duplicate_experts.pto'), '--set', 'experts=1',
                       '--set', 'bs=3', '--set', 'topk=2', '--in', 'expert_ids=zeros', '-q'],
                   expect=PROGRAM)
    now = trace.summary['args']['time_ps']
    assert any(e['args']['end_ps'] > now for e in trace.of(cat='scalar')), 'S is not ahead'


def test_limit(b):
    """What does not fit is counted; arrows and regions are left out whole."""
    all_events = traced(b, RING).summary['args']['events']
    for most in (1, 5, 333, 1000):
        _, err = b.run(*RING, '--trace', 't.json', '--trace-max-events', str(most))
        args = Timeline(b.path('t.json')).summary['args']
        assert most - 4 < args['events'] <= most and 'left out %d events' % args['dropped'] in err
        assert args['events'] + args['dropped'] >= 0.9 * all_events


def test_values_that_are_left_out_are_counted_once(b):
    words = [*RING, '--trace-interval', '5ns']
    all_events = traced(b, words).summary['args']['events']
    args = traced(b, words, '--trace-max-events', '1000').summary['args']
    assert args['events'] + args['dropped'] <= 1.02 * all_events


def test_window(b):
    everything = traced(b, RING)
    trace = traced(b, RING, '--trace-window', '14us..17us')
    shown = [e for e in trace.of(ph='X')]
    assert 10 < len(shown) < len(everything.of(ph='X')) / 2
    assert all(e['args']['start_ps'] <= 17000000 and
               e['end'] >= 14000 - 1 for e in shown)
    wanted = [e for e in everything.of(cat='pipe') if e['end'] > 14000 and e['ns'] < 17000]
    assert len(trace.of(cat='pipe')) >= len(wanted) > 0
    assert {e['name'] for e in trace.of(ph='B')} == {'allreduce_ring'}, 'what began before'
    assert traced(b, RING, '--trace-window', '..7us').of(ph='X')
    assert traced(b, RING, '--trace-window', '86us..').summary['args']['events'] < 500


def test_filters(b):
    trace = traced(b, RING, '--trace-ranks', '1,3', '--trace-cores', 'aiv0.*', '--trace-pipes',
                   'MTE2,S', '--trace-kinds', 'pipe,scalar,region')
    assert {e['pid'] for e in trace.events if e.get('name') != 'ptovm'} == {1, 3}
    assert set(trace.names.values()) == {'aiv0.0 MTE2', 'aiv0.0 S', 'aiv0.1 MTE2', 'aiv0.1 S'}
    assert {e.get('cat') for e in trace.events if e['ph'] != 'M'} == {'pipe', 'scalar', 'region'}
    links = traced(b, RING, '--trace-ranks', '0,2-2', '--trace-kinds', 'link')
    assert {(s['pid'], e['pid']) for s, e in links.arrows} == {(0, 2), (2, 0)}
    for words, say in [(['--trace-ranks', '4'], 'no such rank'),
                       (['--trace-ranks', '2-1'], 'not a list of ranks'),
                       (['--trace-cores', 'aiv99.0'], 'there is none'),
                       (['--trace-pipes', 'MTE9'], 'unknown'),
                       (['--trace-kinds', 'pipe,'], 'unknown'),
                       (['--trace-window', '5us'], 'not a window of time'),
                       (['--trace-window', '5us..2us'], 'ends before it begins'),
                       (['--trace-window', '5us..5us'], 'the window has no length'),
                       (['--trace-interval', '10ps'], 'not an interval'),
                       (['--trace-format', 'xml'], 'write chrome or insight')]:
        b.refuse(*RING, '--trace', 't.json', *words, say=say)
    given = {'max-events': '5', 'window': '1us..', 'ranks': '0', 'cores': 'aiv0.0', 'pipes': 'V',
             'kinds': 'pipe', 'interval': '1us', 'format': 'chrome'}
    assert {'trace-' + name for name in given} == set(options('trace-'))
    for name, value in given.items():
        b.refuse(*RING, '--trace-' + name, value,
                 say=["option '--trace-%s' says nothing without '--trace'" % name, '--trace FILE'])
    b.refuse(*RING, '--trace', 'no/such/folder/t.json', say='cannot write')
    assert not os.path.exists(b.path('no'))


def test_same_for_any_number_of_threads(b):
    for words in (RING, ATTENTION):
        traced(b, [*words, '--threads', '1'])
        with open(b.path('t.json'), 'rb') as file:
            first = file.read()
        for threads in ('2', '5'):
            b.run(*words, '--threads', threads, '--trace', 'n.json')
            with open(b.path('n.json'), 'rb') as file:
                assert file.read() == first, threads


def test_no_other_times(b):
    """Who watches changes nothing."""
    plain = b.run(*RING[:-1], '--json')[0]
    watched = b.run(*RING[:-1], '--json', '--trace', 't.json')[0]
    assert plain == watched


def test_gzip(b):
    traced(b, VADD)
    with open(b.path('t.json'), 'rb') as file:
        plain = file.read()
    traced(b, VADD, name='t.json.gz')
    with gzip.open(b.path('t.json.gz'), 'rb') as file:
        assert file.read() == plain
    assert os.path.getsize(b.path('t.json.gz')) < len(plain) / 5
    done = subprocess.run([pto.helper('ptovm_without_zlib'), *VADD, '--trace', 'x.json.gz'],
                          cwd=b.folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and 'this build has no zlib' in done.stderr, done
    assert not os.path.exists(b.path('x.json.gz'))


def test_files(b):
    """A trace appears when it is complete, and nothing else is left."""
    b.run(*VADD, '--trace', 'only.json')
    assert not [n for n in os.listdir(b.folder) if n.startswith('only.json.')]
    out, _ = b.run(*VADD, '--trace', '-')
    assert out.startswith('[\n') and out.endswith(']\n')
    b.run(*COPY, '--in', 'a=iota', '--trace', '/dev/full', '-q', expect=2)


def test_insight(b):
    trace = traced(b, ATTENTION, '--trace-format', 'insight')
    assert trace.text.index('"profilingType":"op"') < trace.text.index('[')
    assert trace.header['displayTimeUnit'] == 'ns' and trace.header['schemaVersion'] == 1
    assert {e['ph'] for e in trace.events} == {'X', 's', 'f', 'M'}
    pids = {e['pid'] for e in trace.of(ph='X')}
    assert {'core0.cubecore0', 'core0.veccore0', 'core0.veccore1'} <= pids
    assert {e['tid'] for e in trace.of(ph='X', pid='core0.cubecore0')} == {
        'SCALAR', 'CUBE', 'MTE1', 'MTE2', 'FIXP', 'REGION'}
    assert trace.arrows
    load = trace.of(name='TLOAD')[0]
    assert load['args']['detail'].startswith('TLOAD ') and '.inc:' in load['args']['code'], load
    ring = traced(b, RING, '--trace-format', 'insight')
    assert 'rank3.core0.veccore0' in {e['pid'] for e in ring.of(ph='X')}


main(globals())
