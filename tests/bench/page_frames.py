"""How fast the page of `ptovm --report` zooms and pans: a page of 8 ranks with 72 sub-cores each
and over 200,000 slices, driven by the events that a mouse and keys make, in headless Chromium.

    page_frames.py [--picture FOLDER] [--frames N] [--page FILE]

For each gesture: milliseconds from an event to the end of drawing (the script's share of a frame),
and from frame to frame. A frame every 33 ms looks fluid. --picture keeps what the window shows
behind each gesture; --page takes a page that is there."""

import argparse
import os
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import browser  # noqa: E402
import pto  # noqa: E402

RUN = ("--ranks", "8", "run", pto.kernel(os.path.join("fused", "allgather_matmul.pto")), "--set",
       "m=512", "--set", "k=1024", "--set", "n=1600", "--in", "a=zeros", "--in", "b=zeros",
       "--timing-only", "-q", "--report")
# What happens before each frame; i counts frames.
GESTURES = (
    ("zoom in, wheel", "wheel(i, -1)"),
    ("zoom out, wheel", "wheel(i, 1)"),
    ("pan by dragging, all in view", "drag(i)"),
    ("pan by keys, a tenth in view",
     "i || zoom(0.1, 0.75 * report.time_ps); key(i % 20 < 10 ? 'd' : 'a')"),
    ("rows, arrow keys", "key(i % 40 < 20 ? 'ArrowDown' : 'ArrowUp')"),
    ("pointer over slices", "point(i)"),
)
# Events go to the elements that they would come to; `draw` is the page's, which a frame calls.
SCRIPT = """
const board = byId('timeline');
const at = (kind, x, y, more) => board.dispatchEvent(
    new (kind === 'wheel' ? WheelEvent : MouseEvent)(
        kind, {bubbles: true, cancelable: true, clientX: x, clientY: y, ...more}));
const wheel = (i, way) => at('wheel', 800 + i % 300, 200, {deltaY: 100 * way});
const key = name => board.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
const point = i => at('mousemove', 200 + 7 * i % 900, 120 + 5 * i % 300);
const drag = i => { if (i === 0) at('mousedown', 700, 200);
                    at('mousemove', 700 + 300 * Math.sin(i / 9), 200 + 90 * Math.sin(i / 7)); };
const gesture = (frames, act) => new Promise(done => {
    const script = [], between = [], plain = draw;
    let last = 0, i = 0, took = 0;
    board.scrollIntoView();
    draw = () => { const begin = performance.now(); plain(); took += performance.now() - begin; };
    const frame = now => {
        if (i) { between.push(now - last); script.push(took); }
        last = now;
        if (i === frames) {
            draw = plain;
            window.dispatchEvent(new MouseEvent('mouseup'));
            done({script, between, span: view.to - view.from});
            return;
        }
        const begin = performance.now();
        act(i++);
        took = performance.now() - begin;
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
});
"""


def high(values):
    """What nineteen of twenty are not above."""
    return sorted(values)[len(values) * 19 // 20]


def report(page, frames, folder):
    print("%-30s %21s %21s" % ("", "script, ms", "frame to frame, ms"))
    print("%-30s %s %s" % ("", *["%6s %6s %7s" % ("median", "95 %", "most")] * 2))
    for number, (name, act) in enumerate(GESTURES):
        times = page.value("gesture(%d, i => { %s; })" % (frames, act))
        print("%-30s %s %s" % (name, *["%6.1f %6.1f %7.1f" % (
            statistics.median(times[key]), high(times[key]), max(times[key]))
            for key in ("script", "between")]), flush=True)
        if folder:
            page.picture(os.path.join(folder, "%d.png" % number))
        page.value("move(0, report.time_ps); view.top = 0; draw()")


def main():
    parser = argparse.ArgumentParser(description="Frames of the page of --report.")
    parser.add_argument("--frames", type=int, default=120)
    parser.add_argument("--picture", metavar="FOLDER")
    parser.add_argument("--page", metavar="FILE")
    arguments = parser.parse_args()
    if not browser.PROGRAM:
        sys.exit("there is no chromium on this host")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.abspath(arguments.page) if arguments.page else folder + "/page.html"
        if not arguments.page:
            pto.ptovm(*RUN, path)
        with browser.Page("file://" + path) as page:
            page.value(SCRIPT)
            print("%.1f MB, %d sub-cores, %d tracks, %d slices; ready after %.0f ms" % (
                os.path.getsize(path) / 1e6,
                page.value("new Set(tracks.map(t => t.rank + t.core)).size"),
                page.value("tracks.length"),
                page.value("tracks.reduce((sum, track) => sum + track.start.length, 0)"),
                page.value("performance.getEntriesByType('navigation')[0].loadEventEnd")))
            report(page, arguments.frames, arguments.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
