"""A headless browser that looks at a page."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
ATTEMPTS = 3


def look(address):
    """The page as it is once its scripts have said that they are ready.

    A profile of its own for every look: the browser before may still be at its end, and a second
    one would hand it the page in place of showing it.  On a busy host a browser also gives up
    starting, which says nothing about the page: so it gets further attempts.
    """
    for _ in range(ATTEMPTS):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            done = subprocess.run(
                [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu",
                 "--disable-background-networking", "--virtual-time-budget=10000",
                 "--user-data-dir=" + profile, "--dump-dom", address],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        page = done.stdout.decode()
        if 'data-ready="yes"' in page:
            return page
    raise AssertionError("%s never got ready: status %d, %s" % (
        address, done.returncode, done.stderr.decode()[-2000:]))


class Page:
    """A page in a window of its own, which scripts are run in: with Page(address) as page.

    The browser is spoken to over two pipes (its debugging protocol, messages that end with a
    zero byte), so its clock is the real one and no port is needed."""

    def __init__(self, address, width=1400, height=900):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        # The protocol is spoken on descriptors 3 and 4, whatever the pipes are here.
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec "$@" 3<&%d 4>&%d' % (to_browser, from_browser), "sh", PROGRAM,
             "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
             "--remote-debugging-pipe", "--user-data-dir=" + self.profile.name,
             "--window-size=%d,%d" % (width, height), "about:blank"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.buffer, self.session = 0, b"", None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target,
                                flatten=True)["sessionId"]
        self.ask("Page.navigate", url=address)
        self.value("new Promise(done => { const look = () => document.body?.dataset.ready === 'yes'"
                   " ? done() : setTimeout(look, 20); look(); })")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        os.close(self.out)
        os.close(self.into)
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()

    def ask(self, method, **arguments):
        """The result of a command."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": arguments}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.buffer:
                data = os.read(self.into, 1 << 16)
                assert data, "the browser has gone"
                self.buffer += data
            text, self.buffer = self.buffer.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def value(self, script):
        """Of an expression; of a promise, what it comes to."""
        result = self.ask("Runtime.evaluate", expression=script, awaitPromise=True,
                          returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def picture(self, path):
        """A picture of what the window shows."""
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
