"""The full screen under keys that nobody means: keys_test.py [SEED...]

A thousand random keys, clicks and commands on terminals that change their size, in several
languages and of several kinds; in the end the session has to obey and end well.  A terminal that
has no screen is refused.
"""
import fcntl
import os
import pty
import random
import select
import signal
import struct
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

KEYS = 1000
SINGLE = "snpfcrbNCgwtT+-}{?"
SPECIAL = [b"\x1b[A", b"\x1b[B", b"\x1b[5~", b"\x1b[6~", b"\x1b", b"\x0c", b"\x03", b"\t",
           b"\xc3\xa9", b"\xff\xfe"]
COMMANDS = ["print ta[0]", "break TADD", "goto 100", "set %off = 3", "info map", "jump drain",
            "commands\rwhen\rcontinue\rend", "last-writer c[3]", "delete", "set $x = $_event"]
SIZES = [(24, 80), (60, 200), (5, 20), (1, 1), (12, 40), (11, 39), (200, 300)]
GOOD = [{"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}, {"TERM": "xterm", "LC_ALL": "C"},
        {"TERM": "vt100", "LC_ALL": "en_US.ISO-8859-1"}]
BAD = [({"TERM": "dumb"}, b"cannot move its cursor"), ({}, b"does not know this terminal"),
       ({"TERM": "nonsense"}, b"does not know this terminal")]


class Terminal:
    def __init__(self, variables):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(pto.source("tests", "dbg"))
            env = {k: v for k, v in os.environ.items() if k not in ("TERM", "LC_ALL", "LANG")}
            program = pto.program("ptodbg")
            os.execve(program, [program, "--profile", "toy", "--cores", "1", "add.pto", "--set",
                                "n=2000", "--in", "a=iota", "--in", "b=ones", "--tui"],
                      {**env, **variables})
        os.set_blocking(self.fd, False)
        self.text, self.alive = b"", True

    def resize(self, rows, cols):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def listen(self, seconds):
        while self.alive and select.select([self.fd], [], [], seconds)[0]:
            try:
                more = os.read(self.fd, 65536)
            except OSError:
                more = b""
            self.alive = bool(more)
            self.text = (self.text + more)[-20000:]
            seconds = 0

    def send(self, keys):
        try:
            os.write(self.fd, keys)
        except BlockingIOError:  # it has more to do than to read
            self.listen(0.01)
        except OSError:
            self.alive = False

    def end(self):
        """Exit status; what was being typed and open lines are dropped, then all is left."""
        deadline = time.monotonic() + pto.TIMEOUT
        while time.monotonic() < deadline:
            for keys in (b"\x1b", b"q", b"\x15end\r", b"\x15quit\r"):
                self.send(keys)
                self.listen(0.1)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return "it does not end"


def press(terminal, choice):
    kind = choice.random()
    if kind < 0.05:
        terminal.resize(*choice.choice(SIZES))
    elif kind < 0.15:
        terminal.send(choice.choice(SPECIAL))
    elif kind < 0.2:
        terminal.send(b"\x1b[M" + bytes([32, 33 + choice.randrange(90), 33 + choice.randrange(30)]))
    elif kind < 0.25:
        terminal.send(b":" + choice.choice(COMMANDS).encode() + b"\r")
    elif kind < 0.7:
        terminal.send(choice.choice(SINGLE).encode())
    else:
        terminal.send(choice.choice([chr(c) for c in range(32, 127) if chr(c) != "q"]).encode())


def fuzz(seed, variables):
    choice = random.Random(seed)
    terminal = Terminal(variables)
    terminal.resize(24, 80)
    terminal.listen(5)
    for number in range(KEYS):
        press(terminal, choice)
        if number % 8 == 0:
            terminal.listen(0.001)
        assert terminal.alive, "seed %d: it is gone after %d keys: %r" % (seed, number,
                                                                         terminal.text[-300:])
    terminal.resize(24, 80)
    status = terminal.end()
    assert status == 0, "seed %d: %s, %r" % (seed, status, terminal.text[-300:])


def main():
    seeds = [int(word) for word in sys.argv[1:]] or range(len(GOOD))
    for seed in seeds:
        fuzz(seed, GOOD[seed % len(GOOD)])
    for variables, why in BAD:
        terminal = Terminal(variables)
        terminal.listen(5)
        while terminal.alive and why not in terminal.text and b"(ptodbg)" not in terminal.text:
            terminal.listen(1)
        terminal.end()
        assert why in terminal.text, (variables, terminal.text)


main()
