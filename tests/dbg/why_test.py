"""What `why` answers, for every kind of wait (whys.pto): why_test.py [NAME...]

The places in the text are left out of the answers; the golden sessions have those."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import pto  # noqa: E402

PROGRAM = pto.source('tests', 'dbg', 'whys.pto')


class Session:
    def __init__(self, folder):
        self.folder = folder

    def why(self, kernel, *commands, options=()):
        """Lines that a last `why` answers, without the head."""
        words = [word for command in (*commands, 'why') for word in ('-e', command)]
        done = pto.ptodbg('--profile', 'toy', '--batch', '--cores', '1', *options,
                          PROGRAM + ':' + kernel, *words, cwd=self.folder)
        answer = done.out[done.out.rindex('\nrank '):].splitlines()[2:]
        assert done.out.rindex('\nrank ') >= 0 and not done.err.startswith('error'), done.err
        return [re.sub(r' \(\S+whys\.pto:\d+\)', '', line) for line in answer]


def test_nothing(s):
    assert s.why('yet', 'start') == ['nothing of it is waiting']
    done = pto.ptodbg('--batch', PROGRAM + ':yet', '-e', 'start', '-e', 'why all', cwd=s.folder)
    assert done.out.endswith('\nNothing is waiting.\n'), done.out
    assert s.why('cubes', 'run', 'focus aiv0.0') == ['it has ended']


def test_work_under_way(s):
    """Nothing waits, and still the pipe has something to do."""
    answer = s.why('busy', 'catch start', 'run')
    assert len(answer) == 1 and re.fullmatch(
        r'pipe V: TEXPANDS t, 1.0 is running until \d\.\d+ us', answer[0]), answer


def test_a_set_in_a_queue(s):
    head = ['pipe MTE2: wait_flag MTE3, MTE2, 0 is waiting: for a flag',
            '  waits for the token MTE3->MTE2 0',
            '  the program of aiv0.0 has no set_flag MTE3, MTE2, 0 at all: this wait cannot end',
            'pipe V: wait_flag MTE2, V, 0 is waiting: for a flag',
            '  waits for the token MTE2->V 0']
    assert s.why('behind', 'run', options=('--set', 'more=1')) == head + [
        '  it comes from set_flag MTE2, V, 0 in the queue of MTE2,',
        '  behind 2 entries, the first is wait_flag MTE3, MTE2, 0: waiting: for a flag']
    assert s.why('behind', 'run', options=('--set', 'more=0')) == head + [
        '  it comes from set_flag MTE2, V, 0 in the queue of MTE2,',
        '  behind 1 entry, the first is wait_flag MTE3, MTE2, 0: waiting: for a flag']


def test_a_set_in_the_program(s):
    assert s.why('yet', 'until late') == [
        'pipe V: wait_flag MTE2, V, 0 is waiting: for a flag',
        '  waits for the token MTE2->V 0',
        '  not by set_flag MTE2, V, 1, whose event is another',
        '  could be released by set_flag MTE2, V, 0',
        '  which the scalar unit has yet to issue']
    assert s.why('ended', 'run') == [
        'pipe V: wait_flag MTE2, V, 0 is waiting: for a flag',
        '  waits for the token MTE2->V 0',
        '  could be released by set_flag MTE2, V, %late',
        '  but the scalar unit has come to its end: none will be issued any more']


def test_empty_pipes(s):
    assert s.why('drain', 'run') == [
        'scalar unit: pipe_barrier ALL is stalled (until its pipes are empty)',
        '  its pipes have to become empty first',
        'pipe V: wait_flag MTE2, V, 0 is waiting: for a flag',
        '  waits for the token MTE2->V 0',
        '  could be released by set_flag MTE2, V, 0',
        '  which is not issued: the scalar unit is stalled itself (until its pipes are empty)']


def test_cross_core_flags(s):
    assert s.why('crossed', 'run') == [
        'scalar unit: wait_flag_dev 4 is stalled (wait_flag_dev)',
        '  not by set_flag_dev FIX, 2, %id of aic: nobody comes to it any more',
        '  this wait cannot end']
    assert s.why('cubes', 'run') == [
        'scalar unit: wait_flag_dev 3 is stalled (wait_flag_dev)',
        '  the kernel has no set_flag_dev of this flag: this wait cannot end']


def test_sync_all(s):
    missing = ['  aic0 has not come: it is at TWAIT go[0, 1], ge, 1',
               '  aiv0.1 has not come: it waits until its pipes are empty']
    assert s.why('meeting', 'run', 'focus aiv0.0') == [
        'scalar unit: sync_all all is stalled (sync_all)'] + missing
    assert s.why('meeting', 'run', 'focus aiv0.1')[:3] == [
        'scalar unit: sync_all all is stalled (until its pipes are empty)'] + missing


def test_sync_all_of_two_scopes(s):
    """Who stands at a sync_all of others has not come to this one."""
    aiv, both = 'sync_all aiv', 'sync_all all'
    for focus, at, others in (('aic0', both, (('aiv0.0', aiv),)),
                              ('aiv0.0', aiv, (('aiv0.1', both),)),
                              ('aiv0.1', both, (('aiv0.0', aiv),))):
        assert s.why('scopes', 'run', 'focus ' + focus) == [
            'scalar unit: %s is stalled (sync_all)' % at] + [
            '  %s has not come: it is at %s' % other for other in others], focus


def test_signals(s):
    assert s.why('meeting', 'run', 'focus aic0') == [
        'scalar unit: TWAIT go[0, 1], ge, 1 is stalled (TWAIT)',
        '  go[0, 1] is 0, to be ge 1',
        '  no instruction of this kernel writes it']


def test_a_signal_that_is_lost(s):
    """Both notifies have come and gone, and what stands behind the wait cannot end it."""
    assert s.why('lost', 'run', options=('--ranks', '2')) == [
        'scalar unit: TWAIT full[0], eq, 1 is stalled (TWAIT)',
        '  full[0] is 2, to be eq 1',
        '  not by TNOTIFY full@1[0], 1, set: nobody comes to it any more',
        '  not by TNOTIFY full@1[0], 2, set: nobody comes to it any more',
        '  not by TNOTIFY full[0], 3, set: nobody comes to it any more',
        "  nothing changes it any more; 'last-writer full[0]' tells who wrote it last"]
    assert s.why('lost', 'goto-time 3us', 'focus 1.aiv0.0', options=('--ranks', '2'))[:1] == [
        'nothing of it is waiting']


def test_signals_of_two_who_wait_for_each_other(s):
    """Each could be released by the other, if that one were."""
    assert s.why('mutual', 'run', options=('--ranks', '2')) == [
        'scalar unit: TWAIT full[0], eq, 1 is stalled (TWAIT)',
        '  full[0] is 0, to be eq 1',
        '  could be released by TNOTIFY full@%_0[0], 1, set']


def test_what_another_launch_may_bring(s):
    """With a second launch to come, nothing is said of what cannot be known."""
    answer = s.why('lost', 'run', options=('--ranks', '2', '--repeat', '2'))
    assert '  could be released by TNOTIFY full@1[0], 1, set' in answer, answer


def test_a_transfer(s):
    answer = s.why('transfer', 'catch start', 'run', 'continue', 'continue',
                   options=('--ranks', '2'))
    assert answer[:2] == ['scalar unit: pipe_barrier ALL is stalled (until its pipes are empty)',
                          '  its pipes have to become empty first'], answer
    assert answer[2].endswith('is waiting: for a flag'), answer
    assert answer[3:5] == ['  waits for the token MTE3->MTE2 8',
                           '  it is one inside the transfer: the other phase has to complete']


pto.run_tests(globals(), Session)
