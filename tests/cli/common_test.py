#!/usr/bin/env python3
"""What the three programs share at the command line: options from tables, the version, colour."""
import glob
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

PROGRAMS = ("ptoas", "ptovm", "ptodbg")
RED = b"\033[1;31m"


def environment(**variables):
    plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    return {**plain, **variables}


def run(program, *arguments, **variables):
    return subprocess.run([pto.program(program), *arguments], capture_output=True,
                          stdin=subprocess.DEVNULL, env=environment(**variables), timeout=60)


def stop_for_a_while(process, grown, seconds):
    """Stop a program when it has so many bytes in memory, and let it go on after a while."""
    page = os.sysconf("SC_PAGE_SIZE")
    while process.poll() is None:
        with open(f"/proc/{process.pid}/statm") as file:
            if int(file.read().split()[1]) * page > grown:
                break
        time.sleep(0.001)
    process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    process.send_signal(signal.SIGCONT)


def on_terminal(program, *arguments, columns=0, hold=None, **variables):
    """What a program writes to a terminal as its standard error; columns 0: it does not say."""
    reader, writer = pty.openpty()
    termios.tcsetwinsize(writer, (25 if columns else 0, columns))
    process = subprocess.Popen([pto.program(program), *arguments], stderr=writer,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               env=environment(**variables))
    os.close(writer)
    if hold:
        stop_for_a_while(process, *hold)
    text = b""
    while True:
        try:
            piece = os.read(reader, 65536)
        except OSError:  # the other end is closed
            piece = b""
        if not piece:
            break
        text += piece
    os.close(reader)
    process.wait(timeout=60)
    return text


def table(*path):
    """Long name, letter and argument of the options in a table, and who takes them."""
    with open(pto.source(*path), encoding="utf-8") as file:
        rows = re.findall(r'^OPTION\(\w+, (0|\'.\'), "([\w-]+)", (NULL|"[^"]*"),\s*([\w |]+),',
                          file.read(), re.M)
    return [(name, letter.strip("'0"), argument.strip('"'), users)
            for letter, name, argument, users in rows]


TABLES = {
    "ptoas": table("assembler", "cli", "options.def"),
    "ptovm": [row for row in table("vm", "cli", "options.def") if row[3] != "CLI_DEBUG"],
    "ptodbg": [row for row in table("vm", "cli", "options.def")
               if re.search("DEBUG|RUNS|SIMULATES|LOADS|ALL", row[3])],
}


class Options(unittest.TestCase):
    def test_help_lists_every_row(self):
        for program, rows in TABLES.items():
            self.assertGreater(len(rows), 15)
            text = run(program, "--help").stdout.decode()
            for name, letter, argument, _ in rows:
                form = (f"-{letter}, " if letter else "    ") + f"--{name}"
                if argument.startswith("["):
                    form += f"[={argument[1:]}"
                elif argument != "NULL":
                    form += f" {argument}"
                self.assertRegex(text, rf"(?m)^  {re.escape(form)}(\s|$)", program)
            self.assertEqual(len(re.findall(r"(?m)^  (?:-., |    )--", text)), len(rows))

    def test_every_misspelt_option_has_a_suggestion(self):
        for program, rows in TABLES.items():
            for name, *_ in rows:
                if len(name) < 4:
                    continue
                done = run(program, f"--{name[:-1]}zz")
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"unknown option '--{name[:-1]}zz'\n  hint: did you mean '--",
                              done.stderr.decode())
                self.assertIn(f"Try '{program} --help'.".encode(), done.stderr)

    def test_arguments_that_are_missing_or_too_many(self):
        for program, rows in TABLES.items():
            for name, letter, argument, _ in rows:
                if argument == "NULL":
                    done = run(program, f"--{name}=1")
                    self.assertIn(f"option '--{name}' takes no argument".encode(), done.stderr)
                elif not argument.startswith("["):
                    for form in (f"--{name}", f"-{letter}")[:1 + bool(letter)]:
                        done = run(program, form)
                        self.assertIn(f"option '--{name}' needs an argument: {argument}\n".encode(),
                                      done.stderr)
                else:
                    continue
                self.assertEqual(done.returncode, 2)

    def test_one_status_for_one_thing(self):
        """Whichever program is given a file, or a text, that is wrong."""
        jobs = (("ptoas", "-o", "/dev/null"), ("ptoas", "--lint"), ("ptoas", "-M"),
                ("ptovm", "run"), ("ptovm", "check"), ("ptodbg", "--batch"))
        with tempfile.TemporaryDirectory() as folder:
            wrong = {"nowhere.pto": (None, 2), ".": (None, 2),
                     "large.pto": (b";" * (17 << 20), 2), "bytes.pto": (b"a\0b", 1),
                     "empty.pto": (b"", 1), "wrong.pto": (b"oops", 1),
                     "include.pto": (b'.include "no"\n.kernel k\n.core aiv\n', 1)}
            for name, (text, status) in wrong.items():
                path = os.path.join(folder, name)
                if text is not None:
                    with open(path, "wb") as file:
                        file.write(text)
                for job in jobs:
                    with self.subTest(name, job=job):
                        done = run(*job, path)
                        self.assertEqual(done.returncode, status, done.stderr)
                        self.assertEqual(done.stderr.count(b"error: "), 1, done.stderr)

    def test_version(self):
        with open(pto.source("CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"project\(pto VERSION ([\d.]+)", file.read()).group(1)
        for program in PROGRAMS:
            for option in ("--version", "-V"):
                first = run(program, option).stdout.decode().split("\n")[0]
                self.assertEqual(first, f"{program} {version}")


class Words(unittest.TestCase):
    """@FILE: words of a command line from a file."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def call(self, *arguments):
        return subprocess.run([pto.program(arguments[0]), *arguments[1:]], capture_output=True,
                              cwd=self.folder, timeout=60)

    def test_stands_for_its_words(self):
        shutil.copy(pto.kernel("basic/vadd.pto"), os.path.join(self.folder, "a kernel.pto"))
        self.write("run", "--set n=5   # comments, 'and so on\n\n'a kernel.pto'\t--in a=iota "
                          "--in b=\"const:2\" --out c=c#.raw")
        done = self.call("ptovm", "run", "@run", "-q")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        with open(os.path.join(self.folder, "c#.raw"), "rb") as file:
            self.assertEqual(struct.unpack("<5f", file.read()), (2, 3, 4, 5, 6))
        self.write("as", "'a kernel.pto' -o x.ptob")
        self.assertEqual(self.call("ptoas", "@as").returncode, 0)
        self.write("dbg", "--batch -e 'print 6*7'\n")
        self.assertIn(b"42", self.call("ptodbg", "@dbg", "@run").stdout)

    def test_refuses(self):
        self.write("open", "--set 'n=5")
        self.write("nested", "@open")
        self.write("empty", "")
        self.write("nul", "--version\0 --set n=5")
        for word, say in [("@none", b"cannot read 'none'"), ("@open", b"a quote is not closed"),
                          ("@nested", b"names no other"), ("@.", b"cannot read '.'"),
                          ("@nul", b"@nul: a byte 0 on line 1: not a text"),
                          ("@empty", b"no command given")]:
            done = self.call("ptovm", word)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(say, done.stderr)
        self.assertIn(b"./@none", self.call("ptovm", "@none").stderr)

    def test_names_that_begin_so(self):
        shutil.copy(pto.kernel("basic/vadd.pto"), os.path.join(self.folder, "@k.pto"))
        self.assertEqual(self.call("ptoas", "./@k.pto", "-o", "a.ptob").returncode, 0)
        self.assertEqual(self.call("ptoas", "-o", "b.ptob", "--", "@k.pto").returncode, 0)


class Progress(unittest.TestCase):
    """How far a long run is: told to terminals, and to nobody else."""
    RUN = ("run", pto.source("tests", "cli", "kernels", "endless.pto"), "--timeout", "3500ms")
    LINE = re.compile(rb"running for \d+ s: ")

    def told(self, least, **words):
        """What a terminal shows of a run that lasts `least` ms, or longer: on a busy machine the
        first line of progress comes late."""
        text = b""
        while least < 100000 and not self.LINE.search(text):
            text = on_terminal("ptovm", *self.RUN[:-1], "%dms" % least, **words)
            least *= 2
        return text

    def test_on_a_terminal(self):
        text = self.told(3500)
        self.assertRegex(text, self.LINE)
        self.assertIn(b" simulated, 0 tile instructions, ", text)
        self.assertIn(b"\x1b[K", text[text.rindex(b"running for"):])

    def test_no_wider_than_the_terminal(self):
        """A line that went on in the next one would stay there."""
        for columns, words in [(40, {"columns": 40, "COLUMNS": "200"}), (200, {"columns": 200})]:
            text = self.told(2400, **words)
            lines = re.findall(rb"\r\x1b\[K([^\r\n]*)\r", text)
            self.assertTrue(lines and all(line.startswith(b"running for ") for line in lines), text)
            if columns < 200:
                self.assertEqual({len(line) for line in lines}, {columns - 1})
            else:
                self.assertTrue(lines[0].endswith(b" million events a second"), lines)
        lost = pto.source("tests", "check", "explore", "lost.pto")
        with tempfile.TemporaryDirectory() as folder:
            text = on_terminal("ptovm", "explore", lost, "--ranks", "2", "--cores", "1", "--save",
                               folder + "/s", columns=20)
        self.assertIn(b"\r\x1b[Kexploring: run 1 of\r", text)

    def test_while_inputs_are_made(self):
        """The program is held for longer than it keeps silent, and goes on as soon as it may."""
        kernel = ".kernel k\n.param n : i64\n.in a : f16[n]\n.core aiv\n    %x = n\n"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.pto")
            with open(path, "w") as file:
                file.write(kernel)
            words = ("ptovm", "run", path, "--set", "n=100000000", "--in", "a=random")
            for _ in range(10):  # on a busy machine the hold may come when they are made
                text = on_terminal(*words, hold=(120 << 20, 2.1))
                if b"making inputs" in text:
                    break
            self.assertRegex(text, rb"making inputs for \d+ s: 'a' of rank 0, \d+ %\r")
            self.assertIn(b"\x1b[K", text[text.rindex(b"making inputs for"):])
            self.assertEqual(on_terminal(*words, hold=(120 << 20, 2.1), TERM="dumb"), b"")

    def test_not_in_a_pipe(self):
        self.assertNotIn(b"running for", run("ptovm", *self.RUN).stderr)
        self.assertNotIn(b"\x1b", on_terminal("ptovm", "-q", *self.RUN, TERM="dumb"))

    def test_not_on_a_terminal_that_cannot(self):
        text = on_terminal("ptovm", *self.RUN, TERM="dumb")
        self.assertIn(b"the run takes more than", text)
        self.assertNotIn(b"running for", text)
        self.assertNotIn(b"\x1b", text)
        lost = pto.source("tests", "check", "explore", "lost.pto")
        with tempfile.TemporaryDirectory() as folder:
            words = ("explore", lost, "--ranks", "2", "--cores", "1", "--save", folder + "/s")
            self.assertIn(b"exploring: run 1 of", on_terminal("ptovm", *words))
            self.assertEqual(on_terminal("ptovm", *words, TERM="dumb"), b"")

    def test_nothing_to_clear(self):
        vadd = ("run", pto.kernel("basic/vadd.pto"), "--set", "n=8", "--in", "a=iota", "--in",
                "b=iota")
        self.assertEqual(on_terminal("ptovm", *vadd), b"")
        self.assertNotIn(b"\x1b", on_terminal("ptovm", "explore", "no.pto", NO_COLOR="1"))


class Libraries(unittest.TestCase):
    """Only programs know that there is a command line."""
    ROOMS = ("isa/*.[ch]", "isa/*.def", "isa/rows/*", "assembler/*.[ch]", "assembler/text/*",
             "assembler/program/*", "assembler/lint/*", "vm/machine/*", "vm/units/*", "vm/run/*",
             "vm/look/*", "vm/check/*", "vm/ops/*")

    def test_no_message_names_an_option(self):
        count = 0
        for room in self.ROOMS:
            paths = glob.glob(pto.source(room))
            self.assertTrue(paths, room)
            for path in paths:
                with open(path, encoding="utf-8") as file:
                    text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
                for literal in re.findall(r'"(?:[^"\\\n]|\\.)*"', text):
                    count += 1
                    self.assertNotRegex(literal, r"""["' (]--[a-z]|["' (]-[A-Za-z][ "']""", path)
        self.assertGreater(count, 3000)


class Colour(unittest.TestCase):
    def test_on_terminals_that_have_it(self):
        for program in PROGRAMS:
            self.assertIn(RED, on_terminal(program, "--bogus", TERM="xterm"))
            self.assertIn(RED, on_terminal(program, "--bogus"))
            self.assertIn(RED, on_terminal(program, "--bogus", TERM="xterm", NO_COLOR=""))
            self.assertNotIn(RED, on_terminal(program, "--bogus", TERM="dumb"))
            self.assertNotIn(RED, on_terminal(program, "--bogus", TERM="xterm", NO_COLOR="1"))
            self.assertNotIn(RED, run(program, "--bogus", TERM="xterm").stderr)

    def test_the_option_decides(self):
        for program in PROGRAMS:
            for setting in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {}):
                done = run(program, "--color=always", "--bogus", **setting)
                self.assertIn(RED, done.stderr)
            self.assertNotIn(RED, on_terminal(program, "--color=never", "--bogus", TERM="xterm"))
            self.assertIn(RED, on_terminal(program, "--color=auto", "--bogus", TERM="xterm"))
            self.assertNotIn(RED, run(program, "--color=auto", "--bogus").stderr)
            self.assertIn(b"write auto, always or never", run(program, "--color=blue").stderr)
        self.assertIn(RED, run("ptoas", "--color", "--bogus").stderr)


if __name__ == "__main__":
    unittest.main()
