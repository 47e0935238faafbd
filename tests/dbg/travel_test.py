"""Going to a moment by what was kept of it gives what running again from the start gives.

Every session visits the same positions, once with moments a few events apart and little memory for
them, once without any; what it shows there has to be the same.
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
SWITCHED = [*COLLECTIVE, '--topology', 'switch', '--profile', 'mi300x']
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


def session(name, words, commands):
    where = pto.source(name) if '/' in name else pto.source('tests', 'dbg', name)
    profile = [] if '/' in name else ['--profile', 'toy']
    script = [word for command in commands for word in ('-e', command)]
    done = subprocess.run([pto.program('ptodbg'), '--batch', '--cores', '1', *profile, where,
                           *words, *script], text=True, timeout=pto.TIMEOUT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.stdout


def visits(last, more):
    """Commands that go about the run."""
    commands = []
    for share in SHARES:
        commands += [f'goto {max(1, last * share // 100)}', *LOOK, *more]
    commands += ['reverse-step 7', 'when', 'reverse-next', 'when', 'break *3', 'reverse-continue',
                 'when', 'delete', f'goto {max(1, last // 3)}', 'continue', 'when',
                 'info events 9', 'rerun', 'info cores']
    return commands


def check(name, words, more):
    ended = session(name, words, ['run', 'when'])
    events = [int(n) for n in re.findall(r'event (\d+)', ended)]
    if not events:
        return f'no run: {ended}'
    last = max(events)
    wanted = session(name, words, ['set history-memory 0', 'run', *visits(last, more)])
    if 'error: ' in wanted:
        return 'the visits fail: ' + wanted[wanted.index('error: '):][:300]
    for memory in ('512M', '600K'):
        settings = [f'set history-memory {memory}', f'set history-events {max(1, last // 150)}']
        got = session(name, words, [*settings, 'run', *visits(last, more)])
        if got != wanted:
            pairs = zip(wanted.splitlines() + ['(end)'], got.splitlines() + ['(end)'])
            line = next((f'wanted {a}\n  got    {b}' for a, b in pairs if a != b), 'length')
            return f'with {memory}: {line}'
    return None


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
