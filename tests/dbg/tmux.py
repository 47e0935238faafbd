"""Programs on a terminal that tmux plays: keys go in, and what is on the screen comes out."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402


class Terminal:
    def __init__(self, words, folder, cols=80, rows=24):
        self.place = tempfile.mkdtemp()
        quoted = " ".join("'%s'" % word for word in words)
        self.ask("new-session", "-d", "-x", str(cols), "-y", str(rows), "-c", folder,
                 "%s; echo status $?; sleep 1000" % quoted)

    def ask(self, *words):
        socket = os.path.join(self.place, "tmux")
        done = subprocess.run(["tmux", "-f", "/dev/null", "-S", socket, *words], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=pto.TIMEOUT, env={**os.environ, "LC_ALL": "C.UTF-8"})
        assert done.returncode == 0, done.stdout
        return done.stdout

    def screen(self):
        """Its rows; blanks at the ends of rows and empty rows at the end are left out."""
        rows = [row.rstrip() for row in self.ask("capture-pane", "-p").splitlines()]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    def program(self):
        """The number of the process that runs on it."""
        shell = self.ask("display-message", "-p", "#{pane_pid}").strip()
        return int(subprocess.run(["ps", "-o", "pid=", "--ppid", shell], text=True, check=True,
                                  stdout=subprocess.PIPE).stdout.split()[0])

    def keys(self, *keys):
        """Characters, names of keys, or a command behind a colon, which Enter carries out."""
        for key in keys:
            if key.startswith(":") and len(key) > 1:
                self.ask("send-keys", ":")
                self.ask("send-keys", "-l", key[1:])
                self.ask("send-keys", "Enter")
            else:
                self.ask("send-keys", key)

    def until(self, good):
        """The screen as soon as it is good and rests, since it comes in pieces; or as it is when
        too much time has gone by."""
        end = time.monotonic() + pto.TIMEOUT
        rests, before = 0, None
        while time.monotonic() < end:
            rows = self.screen()
            rests = rests + 1 if rows == before else 0
            before = rows
            if rests >= 3 and good(rows):
                break
            time.sleep(0.03)
        return before

    def settled(self):
        """The screen when it has not changed for a while: for a person who looks at it later."""
        rows = []
        while rows != self.screen() or not rows:
            rows = self.screen()
            time.sleep(1)
        return rows

    def end(self):
        self.ask("kill-server")
        shutil.rmtree(self.place)
