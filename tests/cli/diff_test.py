"""ptovm diff: two reports side by side."""
import json
import os
import re
import subprocess

from workbench import COPY, DEADLOCK, DONE, MISMATCH, PROGRAM, USAGE, main

import pto


def has_diff(b):
    out = subprocess.run([b.ptovm, 'diff', 'x', 'y'], capture_output=True, text=True).stderr
    if 'without jansson' in out:
        print('skipped: this ptovm was built without jansson')
        return False
    return True


def write(b, name, *words, expect=DONE):
    b.run(*words, '-q', '--json=' + name, expect=expect)


def test_same(b):
    if not has_diff(b):
        return
    write(b, 'a.json', *COPY, '--in', 'a=iota')
    write(b, 'b.json', *COPY, '--in', 'a=iota', '--threads', '2')
    assert b.run('diff', 'a.json', 'b.json') == ('the reports say the same\n', '')
    data = json.loads(b.run('diff', 'a.json', 'b.json', '--json')[0])
    assert data['same'] is True and data['differences'] == []


def test_times_and_results(b):
    if not has_diff(b):
        return
    write(b, 'a.json', *COPY, '--in', 'a=ones', '--critical-path', '--expect', 'c=ones')
    write(b, 'b.json', *COPY, '--in', 'a=ones', '--critical-path', '--expect', 'c=zeros',
          '--profile-set', 'launch=1us', expect=MISMATCH)
    out, _ = b.run('diff', 'a.json', 'b.json', expect=PROGRAM)
    for part in ['time ', 'rank end ', 'cause ', ' launch\n', 'result ', 'mismatch',
                 ' of the run\n']:
        assert part in out, (part, out)
    data = json.loads(b.run('diff', 'a.json', 'b.json', '--json', expect=PROGRAM)[0])
    rows = {(row['part'], row['name']): row for row in data['differences']}
    assert rows['cause', 'launch']['after'] == 1000000, rows
    whole = rows['time', 'of the run']
    assert whole['before'] - whole['after'] == rows['cause', 'launch']['before'] - 1000000
    assert rows['result', 'c']['before'] == 0 and rows['result', 'c']['after'] == 3000
    assert rows['run', 'status'] == {'part': 'run', 'name': 'status', 'before': 'ok',
                                     'after': 'mismatch'}
    assert ('cause', 'compute') not in rows


def what_ran(b, before, after):
    """The rows of two reports about what was run: name, before, after."""
    data = json.loads(b.run('diff', before, after, '--json', expect=PROGRAM)[0])
    return [(row['name'], row.get('before'), row.get('after')) for row in data['differences']
            if row['part'] == 'run']


def test_what_was_given(b):
    """Whatever changes a run is named, even where it changes no time."""
    if not has_diff(b):
        return
    words = [*COPY, '--in', 'a=ones']
    write(b, 'a.json', *words)
    for more, rows in [
            (['--profile-set', 'notify=123 ns', '--profile-set', 'l2_size=0 KiB'],
             [('profile l2_size', '192 MiB', None), ('profile notify', '150 ns', '123 ns')]),
            (['--profile-set', 'cost.v_exp=1 cycles, 2.5 cycles/repeat'],
             [('profile cost.v_exp', '31 cycles, 2 cycles/repeat',
               '1 cycles, 2.5 cycles/repeat')]),
            (['--views', 'buffer', '--join'],
             [('--join', None, 'yes'), ('--views buffer', None, 'yes')]),
            (['--sync', 'inorder'], [('--sync', None, 'inorder')])]:
        write(b, 'b.json', *words, *more)
        assert what_ran(b, 'a.json', 'b.json') == rows, what_ran(b, 'a.json', 'b.json')
    write(b, 'b.json', 'run', '%copy.pto', '--set', 'n=2999', '--in', 'a=iota')
    assert what_ran(b, 'a.json', 'b.json') == [('--in a', 'ones', 'iota'),
                                               ('--set n', '3000', '2999')]


def test_what_files_hold(b):
    """A topology and a schedule are compared by what is in their files."""
    if not has_diff(b):
        return
    words = ['--ranks', '2', *COPY, '--in', 'a=ones', '--topology', 'file:' + b.path('t.topology')]
    for name, latency in (('a.json', 100), ('b.json', 200)):
        with open(b.path('t.topology'), 'w') as file:
            file.write('link 0 1, latency = %d ns\n' % latency)
        write(b, name, *words)
    rows = what_ran(b, 'a.json', 'b.json')
    assert [name for name, _, _ in rows] == ['checksum of the topology'], rows
    lost = [pto.source('tests', 'check', 'explore', 'lost.pto'), '--ranks', '2', '--cores', '1']
    b.run('explore', *lost, '--save', 's', expect=DEADLOCK)
    with open(b.path('s-1.txt')) as file:
        found = file.read().splitlines()
    for name, factor in (('a.json', 2), ('b.json', 3)):
        with open(b.path('s.txt'), 'w') as file:
            file.write('\n'.join([*found[:2], 'slow 0 %d' % factor]) + '\n')
        write(b, name, 'run', *lost, '--schedule', 's.txt')
    assert 'checksum of the schedule' in [name for name, _, _ in what_ran(b, 'a.json', 'b.json')]


def test_older_reports(b):
    """What a report does not tell is no difference."""
    if not has_diff(b):
        return
    write(b, 'a.json', *COPY, '--in', 'a=ones')
    with open(b.path('a.json')) as file:
        old = json.load(file)
    del old['setup'], old['profile_values']
    with open(b.path('old.json'), 'w') as file:
        json.dump(old, file)
    assert b.run('diff', 'a.json', 'old.json')[0] == 'the reports say the same\n'


def test_links_and_ranks(b):
    """What links and ranks are like is part of the run, even if its time does not hang on it."""
    if not has_diff(b):
        return
    copy = ['--ranks', '2', *COPY, '--in', 'a=ones']
    for name, words in (('a.json', ()), ('b.json', ('--slow-link', '0-1=4/2@1us..2us')),
                        ('c.json', ('--link-down', '0-1@1s', '--dead-rank', '1@1s'))):
        write(b, name, *words, *copy)
    slow = 'link 0-1: bytes 4 times slower, latency 2 times from 1.000 us until 2.000 us'
    gone = ['link 0-1: down from 1.000 s', 'rank 1: dead from 1.000 s']
    assert b.run('diff', 'b.json', 'b.json')[0] == 'the reports say the same\n'
    rows = json.loads(b.run('diff', 'a.json', 'b.json', '--json', expect=PROGRAM)[0])
    assert rows['differences'] == [{'part': 'run', 'name': slow, 'after': 'yes'}], rows
    lines = b.run('diff', 'b.json', 'c.json', expect=PROGRAM)[0].splitlines()
    assert [re.split('  +', line)[1:] for line in lines] == [
        [values, line] for values, line in (('yes -> -', slow), ('- -> yes', gone[0]),
                                            ('- -> yes', gone[1]))], lines


def test_a_path_that_one_report_has(b):
    if not has_diff(b):
        return
    write(b, 'a.json', *COPY, '--in', 'a=ones')
    write(b, 'path.json', *COPY, '--in', 'a=ones', '--critical-path')
    for pair in (('a.json', 'path.json'), ('path.json', 'a.json')):
        assert b.run('diff', *pair)[0] == 'the reports say the same\n', pair


def test_a_rank_without_an_end(b):
    """It has not come to its end at once."""
    if not has_diff(b):
        return
    with open(b.path('waits.pto'), 'w') as file:
        file.write('.kernel waits\n.param waits : i64\n.signal s[1]\n.core aiv\n'
                   '    beq waits, 0, done\n    TWAIT s[0], ge, 1\ndone:\n    end\n')
    for waits, expect in ((0, DONE), (1, DEADLOCK)):
        b.run('run', 'waits.pto', '-p', 'toy', '--cores', '1', '--set', 'waits=%d' % waits, '-q',
              '--json=%d.json' % waits, expect=expect)
    rows = json.loads(b.run('diff', '0.json', '1.json', '--json', expect=PROGRAM)[0])
    row, = [row for row in rows['differences'] if row['part'] == 'rank end']
    assert 'before' in row and 'after' not in row, row


def test_findings_come_and_go(b):
    if not has_diff(b):
        return
    kernels = [pto.kernel(os.path.join(*path)) for path in
               (('basic', 'vadd.pto'), ('broken', 'vadd_missing_sync.pto'))]
    for name, kernel, code in zip(('good', 'bad'), kernels, (0, 4)):
        b.run('check', kernel, '--cores', '1', '--set', 'n=100', '--in', 'a=ones', '--in',
              'b=ones', '-q', '--json=' + name + '.json', expect=code)
    out, _ = b.run('diff', 'good.json', 'bad.json', expect=PROGRAM)
    assert '\nfinding     came  ' in out and ' came  uninitialised-read: TADD at ' in out, out
    out, _ = b.run('diff', 'bad.json', 'good.json', expect=PROGRAM)
    assert ' went  uninitialised-read: TADD at ' in out and ' came ' not in out, out


def hollow(b, **changes):
    """A report with other members."""
    with open(b.path('a.json')) as file:
        return json.dumps({**json.load(file), **changes})


def test_nobody_reads(b):
    if not has_diff(b) or not os.path.exists('/dev/full'):
        return
    write(b, 'a.json', *COPY, '--in', 'a=ones')
    write(b, 'b.json', *COPY, '--in', 'a=ones', '--profile-set', 'launch=1us')
    with open('/dev/full', 'w') as full:
        done = subprocess.run([b.ptovm, 'diff', b.path('a.json'), b.path('b.json')], stdout=full,
                              stderr=subprocess.PIPE, text=True)
    assert done.returncode == USAGE, done.returncode
    assert 'cannot write to standard output' in done.stderr, done.stderr


def test_no_reports(b):
    if not has_diff(b):
        return
    write(b, 'a.json', *COPY, '--in', 'a=ones')
    for name, text, say in [('t.txt', 'hello', 'no JSON'), ('e.json', '{}', 'no report of a run'),
                            ('l.json', '[1]', 'no report of a run'),
                            ('h.json', '{"schema": "pto-report/1"}', 'no report of a run'),
                            ('w.json', hollow(b, time_ps='x'), 'no report of a run'),
                            ('p.json', hollow(b, per_rank=5), 'no report of a run')]:
        with open(b.path(name), 'w') as file:
            file.write(text)
        b.refuse('diff', 'a.json', name, say=say)
    b.refuse('diff', 'a.json', 'missing.json', say='cannot read')
    assert 'needs two reports' in b.run('diff', 'a.json', expect=USAGE)[1]


main(globals())
