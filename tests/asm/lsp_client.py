"""An editor's side of the Language Server Protocol, over pipes."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402


class Editor:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([pto.program("ptoas"), "--lsp", *arguments],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.published = {}

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        text = json.dumps(message).encode() if not isinstance(message, bytes) else message
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))

    def receive(self):
        length = None
        for line in iter(self.process.stdout.readline, b"\r\n"):
            if not line:
                raise EOFError
            name, value = line.split(b":")
            length = int(value) if name == b"Content-Length" else length
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published[message["params"]["uri"]] = message["params"]["diagnostics"]
        return message

    def answer(self):
        """The next answer; diagnostics that come before are kept."""
        while True:
            message = self.receive()
            if "id" in message:
                return message

    def ask(self, method, **params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        message = self.answer()
        assert message["id"] == self.number, message
        return message

    def result(self, method, **params):
        message = self.ask(method, **params)
        assert "error" not in message, message
        return message["result"]

    def tell(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start(self, encoding="utf-32", **settings):
        return self.result("initialize", initializationOptions=settings, capabilities={
            "general": {"positionEncodings": [encoding]}})

    def open(self, uri, text):
        self.tell("textDocument/didOpen", textDocument={"uri": uri, "languageId": "pto",
                                                        "version": 1, "text": text})

    def change(self, uri, text):
        self.tell("textDocument/didChange", textDocument={"uri": uri, "version": 2},
                  contentChanges=[{"text": text}])

    def diagnostics(self, uri):
        """What is published next about a text."""
        self.published.pop(uri, None)
        while uri not in self.published:
            self.receive()
        return self.published[uri]

    def end(self):
        self.result("shutdown")
        self.tell("exit")
        return self.close()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(pto.TIMEOUT)
