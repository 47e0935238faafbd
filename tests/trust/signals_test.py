"""Programs that are told to end, and output that cannot be written to its end."""
import json
import os
import random
import re
import resource
import signal
import subprocess
import time

import trust
from trust import DONE, LIMIT, PROGRAM, USAGE

ENDLESS = '''.kernel endless
.out c : i32[1]
.core aiv
    %i = 0
again:
    %i = %i + 1
    jump again
'''
TALKATIVE = ENDLESS.replace('    jump', '    print "line ", %i\n    jump')
wait_until = trust.pto.wait_until
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def default_signals():
    for number in ENDS:
        signal.signal(number, signal.SIG_DFL)


def start(b, *words, **more):
    more.setdefault('stdout', subprocess.PIPE)
    return subprocess.Popen(b.command(words), cwd=b.folder, stderr=subprocess.PIPE, text=True,
                            preexec_fn=more.pop('preexec_fn', default_signals), **more)


def handles(process, number):
    """Does the process, which must not end before, have a handler for the signal by now?"""
    assert process.poll() is None, process.communicate()
    return trust.pto.handles(process.pid, number)


def has_worked(process, seconds):
    """Has the process, which must not end before, had so much time of a processor?"""
    assert process.poll() is None, process.communicate()
    return trust.pto.has_worked(process.pid, seconds)


def test_a_run_that_is_told_to_end_reports(b):
    b.write('endless.pto', ENDLESS)
    for number in ENDS:
        run = start(b, 'ptovm', 'run', 'endless.pto', '--json=r.json', '--trace', 't.json', '--out',
                    'c=c.npy', '--check', '--sarif', 's.json', '--cores', '1')
        wait_until(lambda: handles(run, number))
        run.send_signal(number)
        out, err = run.communicate(timeout=60)
        assert run.returncode == 128 + number, (number, run.returncode, err)
        assert 'interrupted' in err and 'when it stopped' in out, (out, err)
        report = json.loads(b.read('r.json'))
        assert report['status'] == 'interrupted', report['status']
        assert report['exit_code'] == 128 + number and report['partial'] is True
        assert 'pipe S is running, at endless.pto:' in err, err
        assert json.loads(b.read('t.json'))[-1]['args']['partial'] is True
        json.loads(b.read('s.json'))
        assert b.files() == ['endless.pto', 'r.json', 's.json', 't.json'], b.files()
        for name in ('r.json', 's.json', 't.json'):
            os.unlink(b.path(name))


def test_threads_do_not_keep_signals_back(b):
    b.write('endless.pto', ENDLESS)
    run = start(b, 'ptovm', 'run', 'endless.pto', '--cores', '1', '--ranks', '2', '--threads', '2')
    wait_until(lambda: handles(run, signal.SIGINT) and threads_of(run) > 1)
    wait_until(lambda: has_worked(run, 0.3))  # all threads are at work
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=60)
    assert run.returncode == 128 + signal.SIGINT, run.returncode


def threads_of(process):
    return len(os.listdir('/proc/%d/task' % process.pid))


def test_a_limit_of_host_time(b):
    b.write('endless.pto', ENDLESS)
    done = b.expect(LIMIT, 'ptovm', 'run', 'endless.pto', '--cores', '1', '--timeout', '300ms',
                    '--json=r.json', '--trace', 't.json')
    assert 'takes more than' in done.stderr and '--timeout' in done.stderr, done.stderr
    report = json.loads(b.read('r.json'))
    assert (report['status'], report['exit_code']) == ('limit', LIMIT), report
    assert report['partial'] is True
    assert report['limits'] == {'max_time_ps': 10 ** 15, 'max_insns': 2 ** 40,
                                'timeout_ps': 3 * 10 ** 11}, report['limits']
    assert json.loads(b.read('t.json'))[-1]['args']['partial'] is True
    b.refuse(USAGE, 'ptovm', 'run', 'endless.pto', '--timeout', '300', say='not a time')


def test_a_limit_is_not_early(b):
    """However far the clock's second has gone."""
    b.write('endless.pto', ENDLESS)
    for _ in range(2):
        begin = time.monotonic()
        b.expect(LIMIT, 'ptovm', 'run', 'endless.pto', '--cores', '1', '--timeout', '950ms')
        assert time.monotonic() - begin >= 0.95, time.monotonic() - begin


def test_who_polls_what(b):
    """The loop that a run is stopped in is told, with what it asks for again and again."""
    loops = {'poll.pto': ('.signal sync[4]', ['again:', '%x = TTEST sync[3], ge, 1', '.if %x == 0',
                                              'jump again', '.endif'],
                          ", at poll.pto:{}, in the loop at poll.pto:5, which polls 'sync' "
                          'by TTEST at poll.pto:5'),
             'count.pto': ('', ['%x = 1', '.while %x > 0', '%x = %x + 1', '.endwhile'],
                           ', in the loop at count.pto:{}'),
             'clock.pto': ('', ['.while 1', '%x = clock()', '.endwhile'],
                           ', in the loop at clock.pto:{}'),
             'load.pto': ('.gm word : i32[8]', ['%x = 0', '.while %x != 7', '%x = ld word[0]',
                                                     '.endwhile'],
                          "which polls 'word' by ld at load.pto:6")}
    for name, (declared, code, said) in loops.items():
        b.write(name, '\n'.join(['.kernel k', declared, '.core aiv', *code, '']))
        done = b.expect(LIMIT, 'ptovm', 'run', name, '--cores', '1', '--timeout', '300ms')
        pattern = re.escape(said).replace(r'\{\}', r'\d+')
        assert re.search(pattern, done.stderr), (pattern, done.stderr)
        assert ('polls' in said) == ('polls' in done.stderr), done.stderr


def test_a_limit_of_a_batch(b):
    b.write('endless.pto', ENDLESS)
    limit = ('--batch', '--timeout', '300ms', '--cores', '1', 'endless.pto')
    for words in (('-e', 'run', '-e', 'print 7'), ('-e', 'start', '-e', 'goto 1000000000')):
        done = b.expect(LIMIT, 'ptodbg', *limit, *words)
        assert 'takes more than 300.000 ms' in done.stderr, done.stderr
        assert '--timeout' in done.stderr and '= 7' not in done.stdout, (done.stdout, done.stderr)
    b.expect(DONE, 'ptodbg', '--batch', '--timeout', '60s', 'endless.pto', '-e', 'start')
    b.refuse(USAGE, 'ptodbg', '--timeout', '1s', 'endless.pto', say='--timeout is for --batch')


def test_a_complete_trace_is_not_partial(b):
    b.expect(DONE, 'ptovm', 'run', b.kernel('basic/vadd.pto'), '--set', 'n=8', '--in', 'a=ones',
             '--in', 'b=ones', '--trace', 't.json')
    assert 'partial' not in json.loads(b.read('t.json'))[-1]['args']


def test_ignored_signals_stay_ignored(b):
    b.write('endless.pto', ENDLESS)
    run = start(b, 'ptovm', 'run', 'endless.pto', '--cores', '1',
                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_until(lambda: handles(run, signal.SIGTERM))
    assert not handles(run, signal.SIGHUP)
    run.send_signal(signal.SIGHUP)
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=60)
    assert run.returncode == 128 + signal.SIGTERM


def test_signals_work_after_the_run(b):
    """Comparing and writing come after the run; a FIFO whose reader is slow holds the program
    there."""
    os.mkfifo(b.path('fifo'))
    reader = os.open(b.path('fifo'), os.O_RDONLY | os.O_NONBLOCK)
    run = start(b, 'ptovm', 'run', b.kernel('basic/vadd.pto'), '--set', 'n=100000', '--in',
                'a=ones', '--in', 'b=ones', '--out', 'c=fifo')
    wait_until(lambda: sleeps_in_write(run, 'fifo'))
    assert not handles(run, signal.SIGINT)
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=60)
    os.close(reader)
    assert run.returncode == -signal.SIGINT, run.returncode


def sleeps_in_write(process, name):
    """Is the process in write() of the file with this name?"""
    with open('/proc/%d/syscall' % process.pid) as file:
        number, *arguments = file.read().split()
    if number not in ('1', '64'):  # write; the same of aarch64
        return False
    written = os.readlink('/proc/%d/fd/%d' % (process.pid, int(arguments[0], 16)))
    return os.path.basename(written) == name


def test_a_signal_ends_a_series_of_runs(b):
    """Within a run or between two: what the runs before have shown is told."""
    kernel = b.kernel('collective/allreduce_mesh.pto')
    values = ['--set', 'count=100', '--in', 'x=iota', '--ranks', '3', '--cores', '1']
    explore = ['explore', kernel, *values, '--jitter', '30', '--runs', '1000000', '--json']
    tune = ['tune', kernel, *values[2:], '--try', 'count=1000..1000000:1000', '--runs', '1000000']
    for words, shows in ((explore, '"orders": '), (tune, ' of 1000 combinations')):
        for moment in range(12):
            run = start(b, 'ptovm', *words)
            wait_until(lambda: handles(run, signal.SIGINT) and has_worked(run, 0.2))
            time.sleep(0.0037 * moment)
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=60)
            assert run.returncode == 128 + signal.SIGINT, (words[0], run.returncode, err)
            assert shows in out, out
            assert re.search(r'^interrupted after \d+ runs?$', err, re.M), err


def test_a_signal_at_any_time_of_tuning(b):
    """While texts are read and while the answer is written, too."""
    words = ['tune', b.kernel('collective/allreduce_mesh.pto'), '--in', 'x=iota', '--ranks', '3',
             '--cores', '1', '--try', 'count=1..3']
    for moment in range(20):
        run = start(b, 'ptovm', *words)
        wait_until(lambda: run.poll() is not None or handles(run, signal.SIGINT))
        time.sleep(0.004 * moment)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        assert run.returncode in (0, 128 + signal.SIGINT), (run.returncode, err)
        assert ' of 3 combinations' in out, (out, err)


def test_a_search_for_a_fix_that_is_interrupted_tells_the_findings(b):
    """At any moment from the first run on, also between two runs: what was found is told, and no
    file is changed by half of a remedy."""
    with open(trust.pto.source('tests', 'check', 'advice', 'cores_ranks.pto')) as file:
        lines = file.read().splitlines(keepends=True)
    gone = ('set_flag  MTE1, M', 'wait_flag MTE1, M', 'sync_all', 'TWAIT')
    text = ''.join(line for line in lines if not line.strip().startswith(gone))
    for moment in (0, 0.01, 0.03, 0.06, 0.1, 0.2, 0.4):
        b.write('broken.pto', text)
        run = start(b, 'ptovm', 'check', '--fix=in-place', '--fix-runs', '1000000', 'broken.pto',
                    '--ranks', '2', '--cores', '2', '--in', 'a=random', '--json=r.json',
                    '--repeat', '2')
        wait_until(lambda: handles(run, signal.SIGINT) and has_worked(run, moment))
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        assert run.returncode == 128 + signal.SIGINT, (run.returncode, err)
        assert re.search(r'^interrupted', err, re.M), err
        assert json.loads(b.read('r.json'))['status'] == 'interrupted'
        assert b.read('broken.pto') == text.encode()
    assert re.search(r'^interrupted after \d+ trials?$', err, re.M), err
    assert 'finding: TMMAD reads l0b' in err and 'note: --fix: ' in err, err


def test_a_batch_that_is_interrupted_is_not_done(b):
    b.write('endless.pto', ENDLESS)
    b.write('script', 'run\nprint 1\n')
    for words, stdin in ((('--batch', '-e', 'run', '-e', 'print 1'), subprocess.DEVNULL),
                         (('--batch', '-x', 'script'), subprocess.DEVNULL),
                         ((), open(b.path('script')))):
        run = start(b, 'ptodbg', '--cores', '1', *words, 'endless.pto', stdin=stdin)
        # It is in its endless loop, or on its way there.
        wait_until(lambda: handles(run, signal.SIGINT) and has_worked(run, 0.1))
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=60)
        assert run.returncode == 130, run.returncode
        assert '$1' not in out and '= 1' not in out, out


def test_a_batch_can_be_interrupted_before_it_runs(b):
    b.write('endless.pto', ENDLESS)
    rng = random.Random(1)
    for _ in trust.pto.sample(range(120), 6):  # about one of twenty meets that moment
        run = start(b, 'ptodbg', '--cores', '1', '--batch', '-e', 'run', 'endless.pto',
                    stdin=subprocess.DEVNULL)
        while not handles(run, signal.SIGINT):  # wait_until is too slow for this moment
            pass
        time.sleep(rng.uniform(0, 0.006))
        run.send_signal(signal.SIGINT)
        try:
            run.communicate(timeout=60)
        finally:
            run.kill()
        assert run.returncode == 130, run.returncode


def test_a_reader_that_goes_away(b):
    b.write('talkative.pto', TALKATIVE)
    reader, writer = os.pipe()
    run = start(b, 'ptovm', 'run', 'talkative.pto', '--cores', '1', '--trace', 't.json',
                '--json=r.json', stdout=writer)
    os.close(writer)
    os.read(reader, 100)
    os.close(reader)
    _, err = run.communicate(timeout=60)
    assert run.returncode == USAGE, run.returncode
    assert 'cannot write to standard output' in err, err
    assert json.loads(b.read('t.json'))[-1]['args']['partial'] is True
    report = json.loads(b.read('r.json'))
    assert (report['status'], report['exit_code']) == ('interrupted', USAGE), report


def limit_files(size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return limit


def test_files_may_be_too_large(b):
    vadd = b.kernel('basic/vadd.pto')
    run = ('ptovm', 'run', vadd, '--set', 'n=4096', '--in', 'a=ones', '--in', 'b=ones')
    b.write('precious', 'old')
    for words in (('ptoas', '-o', 'precious', vadd), ('ptoas', '-o', 'x', '-l', 'precious', vadd),
                  (*run, '--out', 'c=precious'), (*run, '--trace', 'precious'),
                  (*run, '--json=precious'),
                  ('ptodbg', '--batch', '-e', 'run', '--out', 'c=precious', *run[2:])):
        done = b.run(*words, preexec_fn=limit_files(200))
        assert done.returncode in (PROGRAM, USAGE), (words, done.returncode, done.stderr)
        assert "cannot write 'precious': File too large" in done.stdout + done.stderr, (words, done)
        assert b.read('precious') == b'old' and b.files() == ['precious'], (words, b.files())


def test_no_temporary_file_stays(b):
    """Signals at many moments of writing a large result."""
    vadd = b.kernel('basic/vadd.pto')
    run = ('ptovm', '-q', 'run', vadd, '--set', 'n=8M', '--in', 'a=ones', '--in', 'b=ones',
           '--out', 'c=c.npy')
    b.expect(DONE, *run)
    size = os.path.getsize(b.path('c.npy'))
    os.unlink(b.path('c.npy'))
    seen = 0
    for attempt in range(60):
        if seen == 6:
            break
        process = start(b, *run)
        wait_until(lambda: b.files() or process.poll() is not None)
        seen += any(name.endswith('.tmp') for name in b.files())
        process.send_signal(ENDS[attempt % 3])
        process.communicate(timeout=60)
        assert not [name for name in b.files() if name != 'c.npy'], b.files()
        if os.path.exists(b.path('c.npy')):
            assert os.path.getsize(b.path('c.npy')) == size
            os.unlink(b.path('c.npy'))
    assert seen, 'the signals came too late to test anything'


if __name__ == '__main__':
    trust.main(globals())
