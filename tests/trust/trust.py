"""The three programs from the outside, with input that nobody should trust.

A test program calls `main(globals())`: it runs every function `test_*` with a Bench, each in an
empty folder of its own.  NAME_test.py [NAME...]
"""
import os
import signal
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

DONE, PROGRAM, USAGE, DEADLOCK, FINDINGS, LIMIT, MISMATCH = 0, 1, 2, 3, 4, 5, 6
MEMORY = 71

# The sanitizers need more address space than any machine has, and keep what is freed.
SANITIZED = pto.SANITIZED


class Bench:
    """An empty working folder, and what runs in it."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def kernel(self, name):
        return pto.kernel(name)

    def write(self, name, data):
        with open(self.path(name), 'wb') as file:
            file.write(data.encode() if isinstance(data, str) else data)
        return name

    def read(self, name):
        with open(self.path(name), 'rb') as file:
            return file.read()

    def files(self):
        return sorted(os.listdir(self.folder))

    def command(self, words):
        find = pto.helper if words[0] == 'ptovm_stopping' else pto.program
        return [find(words[0]), *words[1:]]

    def run(self, *words, stdin=None, timeout=60, **more):
        """Run a program to its end; its CompletedProcess, texts decoded."""
        return subprocess.run(self.command(words), cwd=self.folder, input=stdin,
                              capture_output=True, text=True, errors='replace', timeout=timeout,
                              **more)

    def expect(self, code, *words, **more):
        """The same with the exit status that it has to have."""
        done = self.run(*words, **more)
        assert done.returncode == code, 'exit %d instead of %d\n%s\n%s' % (
            done.returncode, code, done.stdout[-2000:], done.stderr[-2000:])
        return done

    def refuse(self, code, *words, say, **more):
        """The input is refused with one error that says so, and nothing else is said."""
        done = self.expect(code, *words, **more)
        for text in [say] if isinstance(say, str) else say:
            assert text in done.stderr, '%r is not in %r' % (text, done.stderr)
        assert done.stderr.count('error:') + done.stderr.count('ptoas: ') == 1, done.stderr
        assert done.stdout == '', done.stdout
        return done


def crc32c(data):
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
        table.append(byte)
    crc = 0xffffffff
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xffffffff


def seal(header, body):
    """`header`, made right for an object with this `body` (docs/object-format.md)."""
    maker = header[20:24]
    return header[:8] + struct.pack('<QI', 24 + len(body), crc32c(maker + body)) + maker + body


def with_profile(data, name):
    """The object `data` with another name of a profile in it."""
    at = 24 + 4
    length = struct.unpack_from('<I', data, at)[0]
    body = data[24:at] + struct.pack('<I', len(name)) + name + data[at + 4 + length:]
    return seal(data[:24], body)


def limit_memory(size):
    """For preexec_fn: the program may have `size` bytes of address space; sanitized, any."""
    import resource
    if SANITIZED:
        return lambda: None
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


def main(tests):
    pto.run_tests(tests, Bench)
