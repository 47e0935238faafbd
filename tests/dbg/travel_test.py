"""Going to a moment by what was kept of it gives what running again from the start gives.

Every session visits the same positions, once with moments a few events apart and little memory for
them, once without any; what it shows there has to be the same.  So it has to be in a run that is
altered on the way.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

LOOK = ['when', 'info cores all', 'info registers all', 'info queues', 'info flags', 'info locals',
        'info signals', 'info link', 'info events 40', 'why all', 'why']
SHARES = (90, 15, 60, 61, 30, 99, 1, 45, 75)  # of the run, in hundredths
COLLECTIVE = ['--ranks', '4', '--set', 'count=500', '--in', 'x=iota']
TWICE = ['--ranks', '2', '--set', 'bytes=70000', '--repeat', '2', '--in', 'x=iota']
SWITCHED = [*COLLECTIVE, '--topology', 'switch', '--profile', 'mi300x', '--slow-rank',
            '2=3@9us..14us', '--slow-link', '1-switch=5@8us..12us']
SECOND = [pto.source('tests', 'dbg', 'second.pto:second'), '--repeat', '2', '--in', 'x=iota']
# What is in the cache already costs much less.
SLOW = ['--profile', 'a5', '--profile-set', 'gm_bandwidth=2 GB/s', '--set', 'n=30000', '--in',
        'a=iota', '--in', 'b=ones']
CASES = {
    'second.pto:first': (SECOND, ['print x[0]{1, 5}']),
    'add.pto': (['--set', 'n=300', '--in', 'a=iota', '--in', 'b=ones'], ['print c']),
    'ring.pto': (['--ranks', '3'], ['print got', 'print box@1']),
    'async.pto': (['--ranks', '2'], []),
    'stuck.pto': (['--in', 'a=ones'], ['print t']),
    'fault.pto': ([], []),
    'kernels/collective/allreduce_ring.pto': (COLLECTIVE, ['print y@1', 'print acc@2']),
    'kernels/collective/allreduce_mesh.pto': (SWITCHED, ['print y@3']),
    'kernels/basic/vadd.pto': (SLOW, ['print c']),
    'kernels/collective/p2p_put_async.pto': (TWICE, ['print y@1']),
    'kernels/collective/p2p_get.pto': (TWICE, ['print y@0']),
    'kernels/collective/p2p_get_async.pto': (TWICE, ['print y@1']),
}
# What is changed at a third of the run, and once more behind that.
CHANGES = {
    'add.pto': (['set a[70] = 1000', 'set %half = 3', 'set ta[1](0, 2) = 5'], ['set seen[1] = 77']),
    'ring.pto': (['set box@1 = 40'], ['set got@0 = 4']),
    'kernels/collective/allreduce_ring.pto': (['set x@1[7] = 1000', 'set acc@2 = 5'],
                                              ['set y@3[0] = 1']),
    'kernels/basic/vadd.pto': (['set b[29999] = -7'], ['set ta[0]{1, 100} = 0.25']),
    'kernels/collective/p2p_put_async.pto': (['set x@0[17000] = 9'], ['set y@1[3] = 8']),
}


def session(name, words, commands):
    where = pto.source(name) if '/' in name else pto.source('tests', 'dbg', name)
    profile = [] if '/' in name else ['--profile', 'toy']
    script = [word for command in commands for word in ('-e', command)]
    done = subprocess.run([pto.program('ptodbg'), '--batch', '--cores', '1', *profile, where,
                           *words, *script], text=True, timeout=pto.TIMEOUT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.stdout


def visits(last, end, more):
    """Commands that go about the run."""
    commands = []
    for share in SHARES:
        commands += [f'goto {max(1, last * share // 100)}', *LOOK, *more]
    commands += ['reverse-step 7', 'when', 'reverse-next', 'when', 'break *3', 'reverse-continue',
                 'when', 'delete', f'goto {max(1, last // 3)}', 'continue', 'when',
                 'info events 9', 'rerun', 'info cores']
    for share in (70, 20, 40, 95, 3):
        commands += [f'goto-time {end * share // 100}ps', 'when', 'info events 3', *more]
    return commands


def altered(name, last, more):
    """Visits of a run that is another one from a third of it on, and of what comes before that."""
    first, second = CHANGES.get(name, ([], []))
    where, later = max(1, last // 3), max(1, last * 45 // 100)
    commands = ['start', f'goto {where}', *first, f'goto {later}', *second, 'info changes']
    for share in (80, 50, 60, 99, 46):
        commands += [f'goto {max(1, last * share // 100)}', *LOOK, *more]
    commands += ['reverse-step 3', *LOOK, *more, 'reverse-next', 'when', f'goto {later - 1}', *LOOK,
                 'info changes', *more, f'goto {last * 70 // 100}', *LOOK, *more,
                 f'goto {where}', 'info changes', *LOOK, *more, 'continue', 'when', *more]
    return commands if first else []


def out_of_order(name, words, end):
    """A scalar unit that goes back in time, or a time that is not come to."""
    unit = {'ps': 1, 'ns': 1e3, 'us': 1e6, 'ms': 1e9}
    goals = [end * share // 1000 for share in range(10, 900, 30)]
    seen = session(name, words, ['run', 'info events 1000', *(
        command for goal in goals for command in (f'goto-time {goal}ps', 'print $_time'))])
    times = [float(number) * unit[u] for number, u in
             re.findall(r'^ *\d+ +([\d.]+) (ps|ns|us|ms) .*(?:execute|stall):', seen, re.M)]
    stops = [int(time) for time in re.findall(r'\$_time = (\d+)', seen)]
    if times != sorted(times):
        return 'events go back in time'
    if len(stops) < len(goals) or any(stop < goal for stop, goal in zip(stops, goals)):
        return f'goto-time {goals} goes to {stops}'
    return None


def check(name, words, more):
    ended = session(name, words, ['run', 'when'])
    events = [int(n) for n in re.findall(r'event (\d+)', ended)]
    if not events:
        return f'no run: {ended}'
    last = max(events)
    times = re.findall(r'([\d.]+) (ps|ns|us|ms), event', ended)
    end = max(round(float(number) * {'ps': 1, 'ns': 1e3, 'us': 1e6, 'ms': 1e9}[unit])
              for number, unit in times)
    there = [*visits(last, end, more), *altered(name, last, more)]
    wanted = session(name, words, ['set history-memory 0', 'run', *there])
    if 'error: ' in wanted:
        return 'the visits fail: ' + wanted[wanted.index('error: '):][:300]
    for memory in ('512M', '600K'):
        settings = [f'set history-memory {memory}', f'set history-events {max(1, last // 150)}']
        got = session(name, words, [*settings, 'run', *there])
        if got != wanted:
            pairs = zip(wanted.splitlines() + ['(end)'], got.splitlines() + ['(end)'])
            line = next((f'wanted {a}\n  got    {b}' for a, b in pairs if a != b), 'length')
            return f'with {memory}: {line}'
    return out_of_order(name, words, end)


def main():
    failed = 0
    for name, (words, more) in CASES.items():
        problem = check(name, words, more)
        failed += bool(problem)
        print('FAILED' if problem else 'ok', name)
        if problem:
            print(problem)
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
