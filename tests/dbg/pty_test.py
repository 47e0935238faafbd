"""One session through a real terminal: pty_test.py

Checks what only a terminal has: the prompt, line editing with history and completion, an empty line
that repeats, pages, Ctrl-C at the prompt and in a running program, the end of the input.
"""
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import tempfile
import time
import fcntl

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

PROMPT = '(ptodbg) '
DEADLINE = 60


class Terminal:
    def __init__(self, words, folder, lines=200, environment=None):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            # before the program starts: a change of size would make it show its prompt once more
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', lines, 200, 0, 0))
            os.chdir(folder)
            os.environ.update({'TERM': 'dumb', 'INPUTRC': '/dev/null', 'NO_COLOR': '1',
                               **(environment or {})})
            os.execv(words[0], words)
        self.text = ''

    def send(self, text):
        os.write(self.fd, text.encode())

    def expect(self, wanted):
        """Read until `wanted` appears; returns what came before and with it."""
        end = time.monotonic() + DEADLINE
        while wanted not in self.text:
            left = end - time.monotonic()
            ready = select.select([self.fd], [], [], max(left, 0))[0]
            try:
                more = os.read(self.fd, 65536).decode(errors='replace') if ready else ''
            except OSError:
                more = ''
            if not more:
                raise AssertionError(f'{wanted!r} did not come; the end was {self.text[-400:]!r}')
            self.text += more
        at = self.text.index(wanted) + len(wanted)
        seen, self.text = self.text[:at], self.text[at:]
        return seen

    def command(self, line):
        self.send(line + '\r')
        return self.expect(PROMPT)

    def end(self):
        """Exit status after the end of the output."""
        try:
            while os.read(self.fd, 65536):
                pass
        except OSError:
            pass
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def session(*words, **options):
    return Terminal([pto.program('ptodbg'), '--profile', 'toy', '--cores', '1', *words],
                    pto.source('tests', 'dbg'), **options)


def event_of(text):
    return int(re.findall(r'event (\d+)', text)[-1])


def editing():
    t = session('add.pto', '--set', 'n=200', '--in', 'a=iota', '--in', 'b=ones')
    assert "'help' lists the commands" in t.expect(PROMPT)
    first = event_of(t.command('start'))
    second = event_of(t.command('step'))
    assert second > first
    assert event_of(t.command('')) > second, 'an empty line repeats step'
    t.send('\x10\x10')  # twice up in the history: start
    assert event_of(t.command('')) == first, 'history'
    assert 'Breakpoint 1: TSTORE' in t.command('break TSTO\t'), 'a mnemonic is completed'
    assert 'Breakpoint 2: drain' in t.command('break dra\t'), 'a label is completed'
    assert 'disassembl' in t.command('disas\t')
    assert 'i64  200' in t.command('info reg\t')
    assert 'seen[0] = 0' in t.command('print %le\x15print seen[0]'), 'a line is edited'
    assert '%len = ' in t.command('print %le\t'), 'a register is completed'
    assert '%len = ' in t.command('p %le\t'), 'the same behind a short name'
    for line in ('define both', 'print 20 + $1', 'print 30 + $1'):
        t.send(line + '\r')
        t.expect('\n> ')
    t.command('end')
    text = t.command('bot\t2')
    assert '20 + 2 = 22' in text and '30 + 2 = 32' in text, text
    t.send('break nonsen')
    t.expect('nonsen')
    pto.wait_until(lambda: pto.rests(t.pid))  # the line editor notices a signal while it reads
    t.send('\x03')  # Ctrl-C drops the line
    t.expect(PROMPT)
    assert 'error' not in t.command('when')
    assert "no command 'bogus'" in t.command('bogus'), 'an error does not end the session'
    assert 'event' in t.command('when')
    t.send('\x04')
    assert t.end() == 0


def interrupting():
    t = session('forever.pto')
    t.expect(PROMPT)
    t.send('run\r')
    pto.wait_until(lambda: pto.has_worked(t.pid, 0.3))  # it runs, not only starts
    t.send('\x03')
    text = t.expect(PROMPT)
    assert 'Interrupted' in text and 'forever.pto:' in text, text
    before = int(re.search(r'%i = (\d+)', t.command('print %i')).group(1))
    t.command('step 2')
    after = int(re.search(r'%i = (\d+)', t.command('print %i')).group(1))
    assert before <= after <= before + 2
    t.send('quit\r')
    assert t.end() == 0


def interrupting_a_search():
    """What it found so far goes with it: under sanitizers the session would end with a leak."""
    for command in ('last-writer c[0]', 'origin c[0]'):
        t = session('add.pto', '--set', 'n=12000000', '--in', 'a=const:1', '--in', 'b=const:2')
        t.expect(PROMPT)
        t.command('run')
        begun = pto.work_of(t.pid)
        t.send(command + '\r')
        pto.wait_until(lambda: pto.has_worked(t.pid, begun + 0.1))
        t.send('\x03')
        assert 'Interrupted' in t.expect(PROMPT)
        t.send('quit\r')
        assert t.end() == 0


def paging():
    t = session('add.pto', '--set', 'n=200', '--in', 'a=iota', '--in', 'b=ones',
                lines=12)
    t.expect(PROMPT)
    t.send('help\r')
    t.expect('q: no more --- ')
    t.send('\r')
    t.expect('q: no more --- ')
    t.send('q')  # the key alone
    assert 'Session:' not in t.expect(PROMPT)
    for _ in range(20):  # the signal comes when it likes, also before the key is waited for
        t.send('help\r')
        t.expect('q: no more --- ')
        t.send('\x03')
        assert 'Session:' not in t.expect(PROMPT)
    assert t.command('print 20 + 3').endswith('20 + 3 = 23\r\n' + PROMPT)
    t.command('set pagination off')
    assert 'Session:' in t.command('help')
    t.send('quit\r')
    assert t.end() == 0


def files():
    """Where a command takes a file, Tab completes its name, folder by folder."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'answers'))
        for name in ('right.npy', 'wrong.npy', 'two words.npy', '.hidden'):
            with open(os.path.join(folder, 'answers', name), 'w') as file:
                file.write('print 20 + 3\n')
        t = session('add.pto', '--set', 'n=200', '--in', 'a=iota', '--in', 'b=ones')
        t.expect(PROMPT)
        t.command('start')
        path = os.path.join(folder, 'answers', '')
        unusable = '.npy: not a usable'
        assert f'{path}right{unusable}' in t.command(f'diff a {folder}/ans\tri\t')
        assert f'{path}wrong{unusable}' in t.command(f'first-difference c {folder}/ans\twr\t')
        assert '20 + 3 = 23' in t.command(f'source {folder}/ans\t.h\t')
        t.command(f'save a {folder}/ans\tright\t')
        assert 'All 200 elements agree' in t.command(f'diff a {folder}/answers/ri\t 0')
        assert 'cannot read' in t.command(f'source {folder}/answers/two\t')
        t.send('quit\r')
        assert t.end() == 0


def colours():
    """On a terminal that has them, unless NO_COLOR is set: what went wrong, where it stopped."""
    wanted = ('\x1b[1;31merror:\x1b[0m nothing is called', '\x1b[36m  hint:\x1b[0m ',
              '\x1b[1;33mBreakpoint 1\x1b[0m, rank 0', '\x1b[1;32m   =>\x1b[0m ',
              '\x1b[1;32mThe program ended at ')
    for no_color, found in (('', True), ('1', False)):
        t = session('add.pto', '--set', 'n=200', '--in', 'a=iota', '--in', 'b=ones',
                    environment={'TERM': 'xterm', 'NO_COLOR': no_color})
        t.expect(PROMPT)
        text = ''.join(t.command(line) for line in (
            'print nonsense', 'break TSTORE', 'run', 'delete', 'step 2', 'step', 'step 2',
            'continue'))
        for words in wanted:
            assert (words in text) == found, (words, text)
        assert found or '\x1b[1;3' not in text
        t.send('quit\r')
        assert t.end() == 0


def keeping():
    """Lines of the prompt come back in the next session where PTODBG_HISTORY names a file."""
    inputs = ('add.pto', '--set', 'n=200', '--in', 'a=iota', '--in', 'b=ones')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'lines')
        environment = {'PTODBG_HISTORY': path, 'HOME': folder}
        t = session(*inputs, environment=environment)
        for line in ('start', 'print 20 + 3', 'print 20 + 3', '', '# mine', 'print 40 + 5'):
            t.command(line) if line == 'start' else (t.send(line + '\r'), t.expect(PROMPT))
        t.expect(PROMPT)
        t.send('quit\r')
        assert t.end() == 0
        with open(path) as file:
            text = file.read()
        assert text == '# lines of ptodbg\nstart\nprint 20 + 3\n# mine\nprint 40 + 5\nquit\n', text
        assert os.stat(path).st_mode & 0o777 == 0o600
        t = session(*inputs, environment=environment)
        t.expect(PROMPT)
        t.send('\x10\x10')
        assert '40 + 5 = 45' in t.command(''), 'the last session'
        t.send('set history-file off\r')
        t.expect(PROMPT)
        t.send('print 7 * 8\r')
        t.expect('= 56')
        t.send('quit\r')
        assert t.end() == 0
        with open(path) as file:
            assert 'print 7 * 8' not in file.read()
        with open(path, 'w') as file:
            file.write('# lines of ptodbg\n' + ''.join(f'print {n}\n' for n in range(2500)))
        t = session(*inputs, environment=environment)
        t.expect(PROMPT)
        t.send('quit\r')
        assert t.end() == 0
        with open(path) as file:
            lines = file.read().splitlines()
        assert len(lines) == 1002 and lines[1] == 'print 1500' and lines[-1] == 'quit', len(lines)
        t = session(*inputs, environment={'HOME': folder, 'PTODBG_HISTORY': ''})
        t.expect(PROMPT)
        t.command('start')
        t.send('quit\r')
        assert t.end() == 0
        assert os.listdir(folder) == ['lines'], 'nobody named another file'


def main():
    signal.alarm(240)
    for test in (editing, files, interrupting, interrupting_a_search, paging, colours, keeping):
        test()
        print('ok', test.__name__)


if __name__ == '__main__':
    main()
