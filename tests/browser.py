"""A headless browser that looks at a page."""
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
