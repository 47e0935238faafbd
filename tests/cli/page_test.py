"""ptovm --report: one page, looked at by a headless browser."""
import json
import os
import re
import shutil
import subprocess

from workbench import COPY, DEADLOCK, main

import pto

BROWSER = shutil.which('chromium') or shutil.which('chromium-browser')


def dom_of(b, name):
    """The page as it is once its scripts have run; None without a browser."""
    if not BROWSER:
        print('skipped: there is no chromium on this host')
        return None
    done = subprocess.run(
        [BROWSER, '--headless=new', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=10000',
         '--user-data-dir=' + b.path('browser'), '--dump-dom', 'file://' + b.path(name)],
        capture_output=True, text=True, timeout=120)
    assert 'data-ready="yes"' in done.stdout, done.stderr[-2000:]
    return done.stdout[done.stdout.index('<body'):]


def shown(dom):
    """Without the data and the scripts, and without titles, in which "<" is no markup."""
    return re.sub(r'title="[^"]*"', '', re.sub(r'<script.*?</script>', '', dom, flags=re.S))


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
                 'vector and memory: ', 'vector and L2: ', 'share of the full rate</text>']:
        assert part in text, part
    assert text.count('<rect') == 8  # links of the ring, both ways


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
    text = shown(dom_of(b, 'f.html'))
    assert 'TLOAD writes</text>' in text and 'nothing orders them</text>' in text
    assert '>ub, ' in text and '>tb[0]</text>' in text      # the map of the bytes
    assert 'bytes 0 to 383 of 32768</text>' in text


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
