"""ptovm --report: one page, looked at by a headless browser."""
import collections
import json
import os
import re

from workbench import COPY, DEADLOCK, main

import browser
from pages import GESTURES, dom_of, shown
import pto


def test_page(b):
    run = ['--ranks', '4', 'run', pto.kernel(os.path.join('collective', 'allreduce_ring.pto')),
           '--set', 'count=200000', '--in', 'x=ones', '-q']
    b.run(*run, '--report', 'p.html')
    with open(b.path('p.html')) as file:
        page = file.read()
    assert 'http' not in page.replace('http://www.w3.org/2000/svg', ''), 'a page needs no network'
    for name in ('again.html', 'threads.html'):
        b.run(*run, '--report', name, '--threads', '2' if name[0] == 't' else '1')
        with open(b.path(name)) as file:
            assert file.read() == page
    dom = dom_of(b, 'p.html')
    if dom is None:
        return
    slices = int(re.search(r'data-slices="(\d+)"', dom)[1])
    assert slices > 1000 and int(re.search(r'data-tracks="(\d+)"', dom)[1]) > 4 * 8
    text = shown(dom)
    for part in ['allreduce_ring</h1>', 'simulated on a2, 4 ranks (mesh)', 'The run ended well.',
                 'launch</span>', 'TWAIT</td>', 'rank 3</span>', 'allreduce_ring.inc',
                 ' messages</title>', 'The busiest pipe of each of', '>to rank</text>',
                 'compute and communication between ranks</h3>', 'compute and memory of the rank',
                 'vector and memory: ', 'vector and L2: ', 'share of the full rate</text>',
                 '% = load balance ']:
        assert part in text, part
    assert text.count('<rect') == 8  # links of the ring, both ways


def test_zoom_and_pan(b):
    """The wheel zooms where the pointer is, dragging moves what is in view, and the axis tells any
    two of its times apart."""
    if not browser.PROGRAM:
        print('skipped: there is no chromium on this host')
        return
    b.run('--ranks', '4', 'run', '%shift.pto', '--set', 'n=1000', '--in', 'a=ones', '-q',
          '--report', 'z.html')
    with browser.Page('file://' + b.path('z.html')) as page:
        page.value(GESTURES)
        whole = page.value('seen()')
        assert whole['from'] == 0 and whole['to'] == page.value('report.time_ps')
        for step in range(1, 100):
            page.value("at('wheel', 400, 60, {deltaY: -100})")
            inside = page.value('seen()')
            assert len(set(inside['texts'])) == len(inside['texts']) >= 2, inside
            assert abs(inside['pointed'] - whole['pointed']) < 1, (step, inside)
            assert abs(inside['to'] - inside['from'] -
                       max(100, whole['to'] * 0.8 ** step)) < 1, (step, inside)
        assert inside['to'] - inside['from'] == 100, 'this is as near as it gets'
        page.value("key('s')")
        before = page.value('seen()')
        page.value("at('mousedown', 700, 100); at('mousemove', 600, 70)")
        page.value("window.dispatchEvent(new MouseEvent('mouseup'))")
        after = page.value('seen()')
        scale = (before['pointed'] - before['from']) / (400 - page.value('LABEL'))
        assert abs(after['from'] - before['from'] - 100 * scale) < 0.01, (before, after)
        assert after['top'] == before['top'] + 2, 'two rows of 15 pixels'
        page.value("key('0')")
        assert {**page.value('seen()'), 'top': 0} == whole


# What is drawn in the colour of changes: [row, first pixel, last pixel, how opaque].
BANDS = """
const bands = gone => {
    const found = [], plain = CanvasRenderingContext2D.prototype.fillRect;
    const wanted = CHANGE_COLOURS[gone ? 'gone' : 'slow'];
    CanvasRenderingContext2D.prototype.fillRect = function (x, y, wide, high) {
        if (this.fillStyle === wanted && high > 0)
            found.push([Math.floor((y - AXIS) / ROW), x, x + wide, this.globalAlpha]);
        plain.call(this, x, y, wide, high);
    };
    draw();
    CanvasRenderingContext2D.prototype.fillRect = plain;
    return found;
};
"""


def changes_of(b, name):
    with open(b.path(name)) as file:
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', file.read(),
                         re.S)[1]
    data = json.loads(data)
    return [(c['text'], c['ranks']) for c in data['changes']], data['changes_left_out']


def test_changes(b):
    """Links and ranks that change have a row of their own; where they do, the rows of their ranks
    are shaded."""
    b.run('--ranks', '4', 'run', '%shift.pto', '--set', 'n=1000', '--in', 'a=ones', '-q',
          '--slow-link', '1-3=2', '--slow-link', '0-1=3@7us..9us', '--slow-rank', '3=2@5us',
          '--link-down', '0-2@8us', '--link-down', '0-2@1s', '--report', 'c.html')
    texts = ['link 0-2: down from 8.000 us',
             'link 0-1: 3 times slower from 7.000 us until 9.000 us',
             'rank 3: 2 times slower from 5.000 us', 'link 1-3: 2 times slower']
    assert changes_of(b, 'c.html') == (list(zip(texts, [[0, 2], [0, 1], [3], [1, 3]])), 0)
    if not browser.PROGRAM:
        print('skipped: there is no chromium on this host')
        return
    with browser.Page('file://' + b.path('c.html')) as page:
        page.value(GESTURES + BANDS)
        assert page.value("byId('changes').textContent") == '; '.join(texts)
        legend = page.value("byId('legend').textContent")
        assert 'link down or rank dead' in legend and 'link or rank slow' in legend, legend
        many, tracks = page.value('changeRows.length'), page.value('tracks.map(t => t.rank)')
        whole = page.value('report.time_ps')
        page.value('zoom(0.5, 8e6)')
        page.value('new Promise(requestAnimationFrame)')
        scale, start, width = page.value('[view.scale, view.from, view.width]')
        pixel = lambda ps: min(max(150 + (ps - start) * scale, 150), width)
        wanted = {0: [], 1: []}
        for row, gone, ranks, since, to in [(0, 1, (0, 2), 8e6, whole), (1, 0, (0, 1), 7e6, 9e6),
                                            (2, 0, (3,), 5e6, whole), (3, 0, (1, 3), 0, whole)]:
            place = [round(pixel(since)), round(pixel(to))]
            wanted[gone] += [[row, *place, 1.0]]
            wanted[gone] += [[many + i, *place, 0.18] for i, rank in enumerate(tracks)
                             if rank in ranks and many + i < 28]
        for gone in (0, 1):
            found = [[row, round(a), round(z), round(alpha, 2)]
                     for row, a, z, alpha in page.value('bands(%d)' % gone) if row < 28]
            assert sorted(found) == sorted(wanted[gone]), (found, wanted[gone])
        told = "at('mousemove', %d, 22 + 15 + 7); byId('slice').textContent"
        assert page.value(told % pixel(8e6)) == texts[1]
        assert page.value(told % pixel(9.5e6)) == '\u00a0'
        titles = page.value("Array.from(document.querySelectorAll('#heat title'),"
                            " t => t.textContent)")
        assert [t for t in titles if texts[1] in t and t.startswith('0 to 1: ')], titles


def test_changes_of_a_file(b):
    """Names of places may look as if they named a rank; of more changes than the page has room for
    it says how many, those that come or go first."""
    with open(b.path('wires'), 'w') as file:
        file.write('mesh 0-7, slower = 2\nlink 0-7 hub-7, down = 2 us..3 us\nlink hub-7 b7\n')
    b.run('--ranks', '8', '--topology', 'file:wires', 'run', '%shift.pto', '--set', 'n=10', '--in',
          'a=ones', '-q', '--slow-link', 'hub-7-b7=2@1us', '--report', 'f.html')
    texts, more = changes_of(b, 'f.html')
    timed = [('link %d-hub-7: down from 2.000 us until 3.000 us' % i, [i]) for i in range(8)]
    timed.append(('link hub-7-b7: 2 times slower from 1.000 us', []))
    assert texts[:9] == timed and len(texts) == 32 and more == 9 + 28 - 32, (texts, more)
    assert texts[9] == ('link 0-1: 2 times slower', [0, 1]), texts[9]


def test_memory_of_the_page(b):
    """A sum reads two arrays and writes one; what comes into the cache was not there."""
    n = 100000
    b.run('run', pto.kernel(os.path.join('basic', 'vadd.pto')), '--set', 'n=%d' % n, '--in',
          'a=ones', '--in', 'b=ones', '-q', '--report', 'm.html')
    with open(b.path('m.html')) as file:
        text = re.search(r'<script type="application/json" id="data">(.*?)</script>', file.read(),
                         re.S)[1]
    data = json.loads(text)
    use, = data['memory']
    assert (use['read'], use['written']) == (8 * n, 4 * n), use
    assert 0 <= use['hit'] < use['read'] and use['lines'] % 512 == 0, use
    assert use['lines'] >= use['read'] - use['hit'], use
    assert data['machine']['l2_bytes_per_us'] > data['machine']['gm_bytes_per_us']
    tiles = sorted((t['address'], t['address'] + t['bytes'], t['name'], t['slot'])
                   for t in data['tiles'])
    assert {t[2:] for t in tiles} >= {('ta', 0), ('ta', 1), ('tb', 0), ('tb', 1)}, tiles
    assert all(a[1] <= b[0] for a, b in zip(tiles, tiles[1:])), tiles
    assert 0 <= tiles[0][0] and tiles[-1][1] <= data['tiles'][0]['capacity'], tiles


def sums_of_tracks(data):
    """Time of the slices that are work, and of those that are waits, by pipe; not what is on its
    way (6) while the pipe is free."""
    busy, waits = collections.Counter(), collections.Counter()
    for track in data['tracks']:
        key = track['rank'], track['core'][:3], track['pipe']
        lengths, kinds = track['slices'][1::4], track['slices'][3::4]
        for length, kind in zip(lengths, kinds):
            assert length >= 0 and kind in (0, 1, 2, 3, 4, 6), (key, length, kind)
            if kind != 6:
                (busy if kind < 3 else waits)[key] += length
    return busy, waits


def test_sums(b):
    """What the tracks show is what the report says in numbers."""
    for words in [['run', pto.kernel(os.path.join('basic', 'softmax.pto')), '--set', 'rows=50',
                   '--set', 'cols=64', '--in', 'x=ones'],
                  ['--ranks', '2', 'run', '%shift.pto', '--set', 'n=500', '--in', 'a=ones']]:
        b.run(*words, '-q', '--report', 's.html')
        with open(b.path('s.html')) as file:
            text = re.search(r'<script type="application/json" id="data">(.*?)</script>',
                             file.read(), re.S)[1]
        data = json.loads(text)
        busy, waits = sums_of_tracks(data)
        assert sum(busy.values()) and sum(waits.values())
        for rank in data['report']['per_rank']:
            for pipe in rank['pipes']:
                key = rank['rank'], pipe['core'], pipe['pipe']
                assert waits[key] == pipe['wait_ps'], key
                assert pipe['pipe'] == 'S' or busy[key] == pipe['busy_ps'], key


def test_deadlock_and_findings(b):
    b.run('run', '%deadlock.pto', '-q', '--report', 'd.html', expect=DEADLOCK)
    b.run('check', pto.kernel(os.path.join('broken', 'vadd_missing_sync.pto')), '--cores', '1',
          '--set', 'n=100', '--in', 'a=ones', '--in', 'b=ones', '-q', '--report', 'f.html',
          expect=4)
    dom = dom_of(b, 'd.html')
    if dom is None:
        return
    assert 'The run ended with: deadlock' in dom
    assert 'waits for a flag</text>' in dom and 'marker-end="url(#tip)"' in dom
    assert '>unfinished wait</span>' in dom
    text = shown(dom_of(b, 'f.html'))
    assert 'TLOAD writes</text>' in text and 'nothing orders them</text>' in text
    assert '>ub, ' in text and '>tb[0]</text>' in text      # the map of the bytes
    assert 'bytes 0 to 383 of 32768</text>' in text


def boxes_and_arrows(dom):
    """{name: (left, top, right, bottom)}, [(from, to, first point, last point)]."""
    number = r'(-?[\d.]+)'
    boxes, arrows = {}, []
    for x, y, wide, high, name in re.findall(
            r'<rect x="%s" y="%s" width="%s" height="%s" rx="4" class="box" data-name="([^"]*)"'
            % (number, number, number, number), dom):
        x, y = float(x), float(y)
        boxes[name] = x, y, x + float(wide), y + float(high)
    for x1, y1, rest, a, z in re.findall(
            r'<path d="M%s %s([LC][^"]*)" class="wait" marker-end="url\(#tip\)" '
            r'data-from="([^"]*)" data-to="([^"]*)"' % (number, number), dom):
        x2, y2 = rest[1:].split()[-2:]
        arrows.append((a, z, (float(x1), float(y1)), (float(x2), float(y2))))
    return boxes, arrows


def on_border(box, point):
    (left, top, right, bottom), (x, y) = box, point
    near = [abs(a - b) < 0.01 for a, b in ((x, left), (x, right), (y, top), (y, bottom))]
    return any(near) and left - 0.01 <= x <= right + 0.01 and top - 0.01 <= y <= bottom + 0.01


def test_who_waits_for_whom(b):
    """Every arrow begins and ends at the boxes that it is about; no box lies on another."""
    b.run('--ranks', '2', '--cores', '2', 'run', '%waits.pto', '--in', 'a=ones', '-q', '--report',
          'w.html', '--wait-graph', 'w', expect=DEADLOCK)
    with open(b.path('w')) as file:
        wanted = re.findall(r'"([^"]*)" -> "([^"]*)"', file.read())
    dom = dom_of(b, 'w.html')
    if dom is None:
        return
    boxes, arrows = boxes_and_arrows(dom)
    assert sorted((a, z) for a, z, _, _ in arrows) == sorted(wanted) and len(wanted) == 18, wanted
    for a, z, first, last in arrows:
        assert on_border(boxes[a], first) and on_border(boxes[z], last), (a, z)
    assert len({last for _, _, _, last in arrows}) == len(arrows), 'two tips at one place'
    for one in boxes.values():
        for other in boxes.values():
            assert one is other or one[2] < other[0] or other[2] < one[0] or \
                one[3] < other[1] or other[3] < one[1], (one, other)


def test_a_run_of_nothing(b):
    """No heading without anything below it."""
    b.run('run', '%copy.pto', '--set', 'n=0', '--in', 'a=ones', '-q', '--report', 'n.html')
    with open(b.path('e.pto'), 'w') as file:
        file.write('.kernel e\n.core aiv\n    end\n')
    b.run('run', 'e.pto', '-q', '--report', 'e.html')
    for name in ('n.html', 'e.html'):
        dom = dom_of(b, name)
        if dom is None:
            return
        text = shown(dom)
        for section in re.findall(r'<section(?![^>]*hidden)[^>]*>(.*?)</section>', text, re.S):
            title, _, rest = section.partition('</h2>')
            assert re.sub(r'<[^>]*hidden[^>]*>[^<]*|<[^>]*>|&nbsp;|\s', '', rest), (name, title)


def test_hostile_names(b):
    """Names and texts of a kernel stay texts."""
    name = 'a<img src=x onerror=1>.pto'
    with open(b.path(name), 'w') as file:
        file.write('.kernel evil ; </script><script>document.body.id="owned"</script>\n'
                   '.core aiv\n.tile t : ub f32[1, 64]\n'
                   '    trace_begin "</script><img src=x>"\n    TEXPANDS t, 1.0\n    trace_end\n'
                   '    end\n')
    b.run('run', name, '-q', '--report', 'h.html')
    with open(b.path('h.html')) as file:
        page = file.read()
    assert page.count('</script>') == 2 and '<img' not in page
    dom = dom_of(b, 'h.html')
    if dom is not None:
        assert 'owned' not in dom[:dom.index('>')] and '<img' not in shown(dom)
        assert '&lt;img src=x onerror=1&gt;' in shown(dom)


def test_clash(b):
    b.refuse(*COPY, '--in', 'a=ones', '--report', 'x', '--json=x', say='would write the same file')


main(globals())
