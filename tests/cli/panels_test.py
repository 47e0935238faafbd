"""ptovm --report: what the panels of the page say, against what was run."""
import json
import re

from workbench import DEADLOCK, PROGRAM, main

import browser
from pages import GESTURES, dom_of, shown

HEAD = '.kernel k\n.core aiv\n.tile t : ub f32[1, 8192]\n.tile v : ub f32[1, 8192]\n'


def write(b, text, head=HEAD):
    with open(b.path('k.pto'), 'w') as file:
        file.write(head + ''.join('    %s\n' % line for line in text))


def data_of(b, name):
    with open(b.path(name)) as file:
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>',
                                    file.read(), re.S)[1])


def page_of(b, name):
    """The page with the helpers of GESTURES; None without a browser."""
    if not browser.PROGRAM:
        print('skipped: there is no chromium on this host')
        return None
    return browser.Page('file://' + b.path(name))


def time_text(us):
    return '%.4g us' % us if us >= 1 else '%.4g ns' % (1000 * us)


def test_communication_lasts_until_bytes_arrive(b):
    """One load from another rank, beside which the vector unit computes all the time."""
    write(b, ['.if vec_id() == 0 && rank() == 0', 'TLOAD t, s@1[0]', '.for %i = 0 to 40',
              'TADDS v, v, 1.0', '.endfor', '.endif'],
          HEAD.replace('.core', '.sym s : f32[8192]\n.core'))
    b.run('--ranks', '2', '--cores', '1', 'run', 'k.pto', '-q', '--report', 'k.html', '--trace',
          'k.json')
    with open(b.path('k.json')) as file:
        load, = (e for e in json.load(file)
                 if e.get('ph') == 'X' and e['name'].startswith('TLOAD'))
    moving = sum(length for track in data_of(b, 'k.html')['tracks'] if track['pipe'] == 'MTE2'
                 for length in track['slices'][1::4])
    assert abs(moving / 1e6 - load['dur']) < 1e-3, (moving, load['dur'])
    dom = dom_of(b, 'k.html')
    if dom is None:
        return
    text = shown(dom)
    assert 'of %s</span>' % time_text(load['dur']) in text, load['dur']
    assert '<td class="number">%s</td>' % time_text(load['dur']) in text  # in Lines
    assert '>on its way</span>' in text


def test_the_place_of_a_fault(b):
    b.run('--ranks', '2', 'run', '%fault.pto', '-q', '--report', 'f.html', expect=PROGRAM)
    fault = data_of(b, 'f.html')['report']['fault']
    dom = dom_of(b, 'f.html')
    if dom is None:
        return
    text = shown(dom)
    assert 'The run ended with: fault - %s.' % fault['message'] in text
    assert '%s:%d, rank 1, aiv0.0, pipe S, at %s</p>' % (
        fault['file'], fault['line'], time_text(fault['time_ps'] / 1e6)) in text
    assert '>%s</p>' % fault['hint'] in text
    assert 'id="nothing" class="hint">' in text, 'the panels behind the head are there'


def test_a_dead_rank_is_waited_for(b):
    write(b, ['TLOAD t, s@(1 - rank())[0]', 'handoff MTE2 -> V, 0', 'TADDS v, t, 1.0'],
          HEAD.replace('.core', '.sym s : f32[8192]\n.core'))
    b.run('--ranks', '2', '--cores', '1', '--dead-rank', '1@1us', 'run', 'k.pto', '-q',
          '--wait-graph', 'w', '--report', 'd.html', expect=DEADLOCK)
    with open(b.path('w')) as file:
        graph = file.read()
    assert '"r0 aiv0.0 MTE2" -> "rank 1" [label="bytes"];' in graph, graph
    assert '"rank 1" [shape=box, label="rank 1\\ndead"];' in graph, graph
    dom = dom_of(b, 'd.html')
    if dom is not None:
        assert '>dead</text>' in dom and 'data-to="rank 1"' in dom


def test_who_did_nothing_counts(b):
    write(b, ['.if vec_id() == 0', '.for %i = 0 to 10', 'TADDS v, v, 1.0', '.endfor', '.endif'])
    b.run('run', 'k.pto', '-q', '--report', 'b.html')
    track, = (t for t in data_of(b, 'b.html')['tracks'] if t['pipe'] == 'V')
    most = sum(track['slices'][1::4]) / 1e6
    dom = dom_of(b, 'b.html')
    if dom is not None:
        assert 'each of 48 sub-cores; mean %s, most %s; 47 did nothing:' % (
            time_text(most / 48), time_text(most)) in shown(dom)


def test_what_is_left_out_is_said(b):
    """Shares are those of the time of which the page has all."""
    write(b, ['.if vec_id() == 0', '.for %i = 0 to 450000', 'TADDS v{1, 1}, v{1, 1}, 1.0',
              '.endfor', '.endif'])
    b.run('--timing-only', '--cores', '1', 'run', 'k.pto', '-q', '--report', 'l.html')
    data = data_of(b, 'l.html')
    assert 0 < data['whole_until_ps'] < data['report']['time_ps'] and data['dropped'] >= 50000
    page = page_of(b, 'l.html')
    if page is None:
        return
    with page as page:
        said = page.value("byId('ends').textContent")
        assert re.search(r'slices are left out of this page, the first of them at [\d.]+ [mu]s',
                         said), said
        share = page.value("document.querySelector('#balance .bar').lastChild.textContent")
        busy = sum(data['tracks'][0]['slices'][1::4])
        assert data['tracks'][0]['pipe'] == 'V' and len(data['tracks']) == 1
        assert share == '%s, %.1f%%' % (time_text(busy / 1e6),
                                        100 * busy / data['whole_until_ps']), share
        spent = page.value("document.querySelector('#lines td.number').textContent")
        assert spent == share.split(', ')[0], (spent, share)


def test_long_lists_say_how_much_is_missing(b):
    lines = []
    for i in range(1, 30):
        lines += ['TLOAD t{1, 64}, a[%d]' % (64 * i), 'TSTORE c[%d], t{1, 64}' % (64 * i)]
    write(b, lines, HEAD.replace('.core', '.in a : f32[4096]\n.out c : f32[4096]\n.core'))
    b.run('check', '--cores', '1', 'k.pto', '--in', 'a=ones', '-q', '--report', 'm.html', expect=4)
    found = len(data_of(b, 'm.html')['report']['findings'])
    dom = dom_of(b, 'm.html')
    assert found > 20
    if dom is not None:
        assert '%d more findings are not shown.' % (found - 20) in shown(dom)
        assert '%d more lines are not shown.' % (58 - 25) in shown(dom)


def test_numbers(b):
    """Three digits, of which none is the thousandth of a unit."""
    write(b, ['TADDS v, v, 1.0'])
    b.run('--cores', '1', 'run', 'k.pto', '-q', '--report', 'n.html')
    page = page_of(b, 'n.html')
    if page is None:
        return
    with page as page:
        for number, text in ((0, '0'), (999, '999'), (1000, '1.00 k'), (999400, '999 k'),
                             (999600, '1.00 M'), (999.6e9, '1.00 T'), (1.5e15, '1.50 P')):
            assert page.value('count(%r)' % number) == text, (number, text)


def test_wheels_and_touchpads(b):
    """Sideways pans, small turns are small, and Shift scrolls rows."""
    b.run('--ranks', '4', 'run', '%shift.pto', '--set', 'n=1000', '--in', 'a=ones', '-q',
          '--report', 'w.html')
    page = page_of(b, 'w.html')
    if page is None:
        return
    with page as page:
        page.value(GESTURES)
        page.value("zoom(0.25, report.time_ps * 0.8)")
        before = page.value('seen()')
        scale = (before['pointed'] - before['from']) / (400 - page.value('LABEL'))
        page.value("at('wheel', 400, 60, {deltaX: -40, deltaY: 0})")
        after = page.value('seen()')
        assert abs(after['from'] - before['from'] + 40 * scale) < 1, (before, after)
        assert abs(after['to'] - before['to'] + 40 * scale) < 1, (before, after)
        for _ in range(15):
            page.value("at('wheel', 400, 60, {deltaY: -2})")
        nearer = page.value('seen()')
        factor = (nearer['to'] - nearer['from']) / (after['to'] - after['from'])
        assert abs(factor - 0.8 ** 0.3) < 1e-3, factor
        for how in ('{deltaX: 100, deltaY: 0, shiftKey: true}', '{deltaY: 100, shiftKey: true}'):
            top = page.value('seen()')['top']
            page.value("at('wheel', 400, 60, %s)" % how)
            assert page.value('seen()')['top'] == top + 3, how
        assert page.value('seen()')['from'] == nearer['from']


def test_rows_of_lines_by_key(b):
    write(b, ['TADDS v, v, 1.0', 'TMULS v, v, 2.0'])
    b.run('--cores', '1', 'run', 'k.pto', '-q', '--report', 'r.html')
    page = page_of(b, 'r.html')
    if page is None:
        return
    with page as page:
        rows = "document.querySelectorAll('#lines tr.pick')"
        chosen = "Array.from(%s, row => row.classList.contains('chosen'))" % rows
        assert page.value(chosen) == [True, False]
        page.value("%s[1].focus(); document.activeElement.dispatchEvent("
                   "new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))" % rows)
        assert page.value(chosen) == [False, True]


main(globals())
