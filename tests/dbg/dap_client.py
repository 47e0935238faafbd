"""A client of `ptodbg --dap`: requests over a pipe, responses and events from another."""
import json
import os
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

FOLDER = pto.source("tests", "dbg")


def frame(data):
    if not isinstance(data, bytes):
        data = json.dumps(data).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(data), data)


class Client:
    """`options`: of the command line.  Everything ends after pto.TIMEOUT seconds."""

    def __init__(self, *options):
        self.process = subprocess.Popen([pto.program("ptodbg"), "--dap", "--profile", "toy",
                                         *options], cwd=FOLDER, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.timer = threading.Timer(pto.TIMEOUT, self.process.kill)
        self.timer.start()
        self.seq, self.came = 0, []

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, command, **arguments):
        self.seq += 1
        self.raw(frame({"seq": self.seq, "type": "request", "command": command,
                        "arguments": arguments}))
        return self.seq

    def read(self):
        length = 0
        for line in iter(self.process.stdout.readline, b"\r\n"):
            assert line, "the adapter has gone"
            name, value = line.split(b":")
            assert name == b"Content-Length"
            length = int(value)
        return json.loads(self.process.stdout.read(length))

    def ask(self, command, **arguments):
        """The response; events that come before it are kept."""
        seq = self.send(command, **arguments)
        while True:
            message = self.read()
            if message["type"] == "response" and message["request_seq"] == seq:
                assert message["command"] == command
                return message
            self.came.append(message)

    def body(self, command, **arguments):
        """Of a request that has to work."""
        message = self.ask(command, **arguments)
        assert message["success"], message
        return message.get("body")

    def event(self, *names):
        """The next event of one of these names."""
        while True:
            for i, message in enumerate(self.came):
                if message.get("event") in names:
                    return self.came.pop(i)
            self.came.append(self.read())

    def stopped(self):
        return self.event("stopped")["body"]

    def launch(self, program, *args, **more):
        """Up to where breakpoints are set."""
        self.body("initialize", adapterID="pto")
        self.body("launch", program=program, args=list(args), **more)
        self.event("initialized")

    def begin(self, program, *args, **more):
        """Up to where it stops first."""
        self.launch(program, *args, **more)
        self.body("configurationDone")
        return self.stopped()

    def end(self):
        """Exit status and standard error."""
        self.process.stdin.close()
        self.process.stdout.read()
        code, err = self.process.wait(), self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        self.timer.cancel()
        return code, err
