// ---- critical path ------------------------------------------------------------------------------

function efficiency(of) {
    if (!of) return;
    const share = name => `${name.replace('_', ' ')} ${percent(of[name], 1)}`;
    const factors = of.transfer === undefined ? ['communication'] : ['serialisation', 'transfer'];
    byId('efficiency').hidden = false;
    byId('efficiency').textContent =
        `Efficiency ${percent(of.parallel, 1)} = ${['load_balance', ...factors].map(share).join(' × ')}`;
}

function path() {
    const path = report.critical_path;
    if (!path) return;
    byId('path').hidden = false;
    efficiency(path.efficiency);
    for (const cause in path.causes)
        if (path.causes[cause]) bar(byId('causes'), cause, [[COLOURS[cause], path.causes[cause] / path.time_ps]],
            `${time(path.causes[cause])}, ${percent(path.causes[cause], path.time_ps)}`);
    for (const unit of path.units.slice(0, 8))
        bar(byId('units'), unit.name, [[COLOURS.path, unit.time_ps / path.time_ps]],
            `${time(unit.time_ps)}, ${percent(unit.time_ps, path.time_ps)}`);
    leftOut(byId('units'), path.units.length - 8, 'units are');
    const names = ['line', 'wait', '#times', '#held up', '#waited in all', '#costs about',
                   '#of the run', '#slack'];
    byId('waiting').hidden = path.waits.length === 0;
    heading(byId('waits'), names);
    for (const wait of path.waits.slice(0, 30))
        cells(byId('waits'), [
            `${shortOf(wait.file || '')}:${wait.line || ''}`, wait.mnemonic, wait.count, wait.held_up,
            time(wait.waited_ps), time(wait.gain_ps), percent(wait.gain_ps, path.time_ps),
            wait.slack_ps === undefined ? 'any' : time(wait.slack_ps)], names);
    leftOut(byId('waiting'), path.waits.length - 30, 'waits are');
}

// ---- shares -------------------------------------------------------------------------------------

function busy() {
    const table = byId('busy'), sums = new Map(), cores = {aic: 0, aiv: 0}, pipes = new Set();
    for (const rank of report.per_rank || []) {
        cores.aic += rank.aic;
        cores.aiv += rank.aiv;
        for (const pipe of rank.pipes) {
            const key = pipe.core + ' ' + pipe.pipe;
            sums.set(key, (sums.get(key) || 0) + pipe.busy_ps);
            pipes.add(pipe.pipe);
        }
    }
    const names = ['', ...Array.from(pipes, pipe => '#' + pipe)];
    if (!report.time_ps || cores.aic + cores.aiv === 0) return;
    byId('busyness').hidden = false;
    heading(table, names);
    for (const kind of ['aic', 'aiv'])
        if (cores[kind])
            cells(table, [`${kind} x ${cores[kind]}`, ...Array.from(pipes, pipe => {
                const sum = sums.get(kind + ' ' + pipe);
                return sum === undefined ? '' : percent(sum, report.time_ps * cores[kind]);
            })], names);
}

// Time of a union of intervals, and of where two unions meet.
function union(intervals) {
    intervals.sort((a, b) => a[0] - b[0]);
    const joined = [];
    for (const [start, end] of intervals) {
        const last = joined[joined.length - 1];
        if (last && start <= last[1]) last[1] = Math.max(last[1], end);
        else joined.push([start, end]);
    }
    return joined;
}

const lengthOf = joined => joined.reduce((sum, [start, end]) => sum + end - start, 0);

function common(a, b) {
    let sum = 0;
    for (let i = 0, j = 0; i < a.length && j < b.length;) {
        sum += Math.max(0, Math.min(a[i][1], b[j][1]) - Math.max(a[i][0], b[j][0]));
        if (a[i][1] < b[j][1]) i++; else j++;
    }
    return sum;
}

// How much of the run a rank computes, moves bytes of these kinds, and does both.
function overlapWith(kinds, name, colour) {
    const shown = tracks.some(track => track.kind.some(kind => kinds.includes(kind)));
    if (!shown) return;
    byId('overlapping').hidden = false;
    make(byId('overlap'), 'h3', `compute and ${name}`);
    for (let rank = 0; rank < Math.min(report.ranks, 32); rank++) {
        const compute = [], other = [];
        for (const track of tracks)
            for (let i = 0; track.rank === rank && i < track.start.length; i++) {
                const list = track.kind[i] === COMPUTE ? compute
                    : kinds.includes(track.kind[i]) ? other : null;
                if (list && track.start[i] < covered)
                    list.push([track.start[i], Math.min(track.until[i], covered)]);
            }
        const a = union(compute), b = union(other), both = common(a, b);
        const only = lengthOf(a) - both, moving = lengthOf(b) - both, all = lengthOf(b);
        bar(byId('overlap'), 'rank ' + rank,
            [[COLOURS.compute, only / covered, 'compute alone'], ['#7a5cc0', both / covered, 'both'],
             [colour, moving / covered, `${name} alone`]],
            all ? `hidden ${percent(both, all)} of ${time(all)}` : 'none');
    }
    leftOut(byId('overlap'), report.ranks - 32, 'ranks are');
    const legend = make(byId('overlap'), 'p', null, {class: 'legend'});
    for (const [text, shade] of [['compute alone', COLOURS.compute], ['both', '#7a5cc0'],
                                 [`${name} alone`, colour]])
        make(make(legend, 'span', text), 'i', null, {style: 'order:-1;background:' + shade});
}

function overlap() {
    overlapWith([LINK, FLIGHT], 'communication between ranks', COLOURS.link);
    overlapWith([MEMORY], 'memory of the rank', COLOURS.memory);
}

// Of a slice: what of it lies where the page has all.
const inCovered = (track, i) => Math.max(0, Math.min(track.end[i], covered) - track.start[i]);

function balance() {
    const sums = new Map();
    for (const track of tracks) {
        let busy = 0;
        for (let i = 0; i < track.start.length; i++)
            if (track.kind[i] <= LINK) busy += inCovered(track, i);
        const key = `rank ${track.rank} ${track.core}`;
        sums.set(key, Math.max(sums.get(key) || 0, busy));
    }
    if (!sums.size) return;
    byId('balancing').hidden = false;
    const all = Array.from(sums).sort((a, b) => b[1] - a[1]);
    const shown = all.length > 24 ? [...all.slice(0, 12), ...all.slice(-12)] : all;
    const ran = (report.per_rank || []).reduce((sum, rank) => sum + rank.aic + rank.aiv, 0);
    const cores = Math.max(ran, all.length); // those of which nothing is told did nothing
    const mean = all.reduce((sum, one) => sum + one[1], 0) / cores;
    make(byId('balance'), 'p', `The busiest pipe of each of ${plural(cores, 'sub-core')}; mean ` +
         `${time(mean)}, most ${time(all[0][1])}` +
         (cores > all.length ? `; ${cores - all.length} did nothing` : '') +
         (all.length > 24 ? '; the first and the last twelve:' : ':'), {class: 'hint'});
    for (const [name, sum] of shown)
        bar(byId('balance'), name, [[COLOURS.compute, sum / covered]],
            `${time(sum)}, ${percent(sum, covered)}`);
}

// ---- lines --------------------------------------------------------------------------------------

function showSource(file, wanted, spent) {
    const text = data.sources[file];
    byId('file').textContent = file;
    byId('source').textContent = '';
    if (text === undefined) return void make(byId('source'), 'div', 'the file cannot be read');
    let chosen = null;
    text.split('\n').forEach((line, i) => {
        const row = make(byId('source'), 'div'), sum = spent.get(file + ':' + (i + 1)) || 0;
        make(row, 'b', i + 1);
        make(row, 'em', sum ? percent(sum, spent.whole) : '');
        make(row, 'span', line);
        if (sum) row.style.background = `rgba(217,132,59,${0.08 + 0.6 * sum / spent.most})`;
        if (i + 1 === wanted) chosen = row;
    });
    if (chosen) byId('source').scrollTop = chosen.offsetTop - byId('source').offsetTop - 120;
}

function lines() {
    const spent = new Map(), waited = new Map(), table = byId('lines');
    for (const track of tracks)
        for (let i = 0; i < track.start.length; i++) {
            const site = data.sites[track.site[i]], key = site.file + ':' + site.line;
            if (!site.file) continue;
            const busy = track.kind[i] <= LINK || track.kind[i] === FLIGHT;
            const map = busy ? spent : waited;
            map.set(key, (map.get(key) || 0) + inCovered(track, i));
        }
    spent.whole = Array.from(spent.values()).reduce((a, b) => a + b, 0);
    spent.most = Math.max(1, ...spent.values());
    const names = ['line', '#at work', '#share', '#stood still'];
    const all = Array.from(new Set([...spent.keys(), ...waited.keys()]), key =>
        [key, spent.get(key) || 0, waited.get(key) || 0])
        .sort((a, b) => b[1] - a[1] || b[2] - a[2]);
    const hot = all.slice(0, 25);
    if (!hot.length) return;
    byId('hot').hidden = false;
    heading(table, names);
    for (const [key, sum, idle] of hot) {
        const row = cells(table, [shortOf(key), time(sum), percent(sum, spent.whole), time(idle)],
                          names);
        const colon = key.lastIndexOf(':');
        row.title = key;
        row.className = 'pick';
        row.tabIndex = 0;
        row.addEventListener('click', () => {
            table.querySelectorAll('.chosen').forEach(r => r.classList.remove('chosen'));
            row.classList.add('chosen');
            showSource(key.slice(0, colon), Number(key.slice(colon + 1)), spent);
        });
        row.addEventListener('keydown', event => {
            if (event.key !== 'Enter' && event.key !== ' ') return;
            event.preventDefault();
            row.click();
        });
        if (key === hot[0][0]) row.click();
    }
    leftOut(byId('hot'), all.length - hot.length, 'lines are');
}

// ---- pictures -----------------------------------------------------------------------------------

function draw2(parent, tag, attributes, text) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    parent.appendChild(element);
    return element;
}

function picture(parent, width, height) {
    const svg = draw2(make(parent, 'div', null, {class: 'wide'}), 'svg',
                      {viewBox: `0 0 ${width} ${height}`, width, height});
    const tip = draw2(draw2(svg, 'defs', {}), 'marker', {
        id: 'tip', viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 7, markerHeight: 7,
        orient: 'auto-start-reverse'});
    draw2(tip, 'path', {d: 'M0 0L8 4L0 8z', class: 'tip'});
    return svg;
}

function heat() {
    if (!(report.links || []).length) return;
    byId('links').hidden = false;
    const n = report.ranks, cell = Math.max(4, Math.min(42, Math.floor(640 / n)));
    const most = Math.max(...report.links.map(link => link.bytes), 1);
    const svg = picture(byId('heat'), n * cell + 130, n * cell + 60);
    draw2(svg, 'text', {x: 50 + n * cell / 2, y: n * cell + 40, class: 'soft',
                        'text-anchor': 'middle'}, 'to rank');
    draw2(svg, 'text', {x: 12, y: 20 + n * cell / 2, class: 'soft', 'text-anchor': 'middle',
                        transform: `rotate(-90 12 ${20 + n * cell / 2})`}, 'from rank');
    for (const link of report.links) {
        const name = [link.from, link.to].sort((a, b) => a - b).join('-');
        const changed = data.changes.filter(change => change.name === 'link ' + name);
        const square = draw2(svg, 'rect', {
            x: 50 + link.to * cell, y: 20 + link.from * cell, width: cell - 1, height: cell - 1,
            fill: `rgba(217,132,59,${0.1 + 0.9 * link.bytes / most})`});
        draw2(square, 'title', {}, `${link.from} to ${link.to}: ${count(link.bytes)}B, ` +
              `${link.messages} messages${changed.map(change => '; ' + change.text).join('')}`);
        if (changed.length)
            square.setAttribute('style', `stroke:${colourOf(changed[0])};stroke-width:2`);
    }
    for (let i = 0; i < n && cell >= 14; i++) {
        draw2(svg, 'text', {x: 50 + i * cell + cell / 2, y: 14, 'text-anchor': 'middle'}, i);
        draw2(svg, 'text', {x: 42, y: 20 + i * cell + cell / 2 + 4, 'text-anchor': 'end'}, i);
    }
}

// What a rank's units had to do, as time at their full rate: the cubes their multiply-adds, the
// vector units what they did; and its memory and cache the bytes, at full bandwidth.
function work(rank, i) {
    const machine = data.machine, use = data.memory[i], all = use.read + use.written;
    const vector = rank.pipes.find(pipe => pipe.core === 'aiv' && pipe.pipe === 'V');
    return {
        units: [['cube', machine.cube_macs_per_us &&
                         1e6 * rank.cube_macs / machine.cube_macs_per_us],
                ['vector', vector && rank.aiv ? vector.busy_ps / rank.aiv : 0]],
        levels: [['memory', 1e6 * (machine.l2_bytes_per_us ? use.lines : all) /
                            machine.gm_bytes_per_us],
                 ['L2', machine.l2_bytes_per_us && 1e6 * all / machine.l2_bytes_per_us]],
    };
}

const ROOF = {left: 70, width: 500, top: 20, height: 220, low: -3, high: 3, floor: -4};

function axes(svg) {
    const {left, width, top, height, low, high, floor} = ROOF;
    const bottom = top + height;
    for (let i = low; i <= high; i++) {
        const x = left + width * (i - low) / (high - low);
        draw2(svg, 'line', {x1: x, y1: top, x2: x, y2: bottom, class: 'grid'});
        draw2(svg, 'text', {x, y: bottom + 16, class: 'soft', 'text-anchor': 'middle'},
              i < 0 ? '1/' + 10 ** -i : 10 ** i);
    }
    for (let i = floor; i <= 0; i++) {
        const y = top - height * i / -floor;
        draw2(svg, 'line', {x1: left, y1: y, x2: left + width, y2: y, class: 'grid'});
        draw2(svg, 'text', {x: left - 8, y: y + 4, class: 'soft', 'text-anchor': 'end'},
              100 * 10 ** i + '%');
    }
    draw2(svg, 'text', {x: left + width / 2, y: bottom + 36, class: 'soft',
                        'text-anchor': 'middle'},
          'time for the work at full rate, over time for the bytes at full bandwidth');
    draw2(svg, 'text', {x: 14, y: top + height / 2, class: 'soft', 'text-anchor': 'middle',
                        transform: `rotate(-90 14 ${top + height / 2})`},
          'share of the full rate');
}

function roofline() {
    const ranks = report.per_rank || [], {left, width, top, height, low, high, floor} = ROOF;
    const within = (value, a, b) => Math.min(Math.max(value, a), b);
    const x = v => left + width * (within(Math.log10(v), low, high) - low) / (high - low);
    const y = v => top - height * within(Math.log10(v), floor, 0) / -floor;
    const dots = [];
    ranks.forEach((rank, i) => {
        const {units, levels} = work(rank, i);
        for (const [unit, needs] of units)
            for (const [level, bytes] of levels)
                if (needs && bytes) dots.push({rank: rank.rank, unit, level, at: needs / bytes,
                                               rate: needs / report.time_ps});
    });
    if (!dots.length) return;
    byId('roof').hidden = false;
    const svg = picture(byId('roofline'), 920, 290);
    axes(svg);
    draw2(svg, 'polyline', {points: [10 ** low, 1, 10 ** high].map(
        v => `${x(v)},${y(Math.min(1, v))}`).join(' '), class: 'roof'});
    const shades = {cube: COLOURS.compute, vector: '#7a5cc0'};
    for (const dot of dots) {
        const mark = draw2(svg, 'circle', {
            cx: x(dot.at), cy: y(dot.rate), r: 5, stroke: shades[dot.unit], 'stroke-width': 2,
            fill: dot.level === 'memory' ? shades[dot.unit] : 'none'});
        draw2(mark, 'title', {}, `rank ${dot.rank}, ${dot.unit} and ${dot.level}: ` +
              `${percent(dot.rate, Math.min(1, dot.at))} of what is possible`);
    }
    const first = dots.filter(dot => dot.rank === dots[0].rank);
    first.forEach((dot, i) => {
        draw2(svg, 'circle', {cx: 600, cy: 30 + 22 * i, r: 5, stroke: shades[dot.unit],
                              'stroke-width': 2,
                              fill: dot.level === 'memory' ? shades[dot.unit] : 'none'});
        draw2(svg, 'text', {x: 612, y: 34 + 22 * i},
              `${dot.unit} and ${dot.level}: ${percent(dot.rate, Math.min(1, dot.at))} of the ` +
              `roof (rank ${dot.rank})`);
    });
}

function memory() {
    const names = ['rank', '#read', '#written', '#hits of the cache', '#lines from and to memory'];
    heading(byId('memory'), names);
    data.memory.slice(0, 32).forEach((use, rank) => cells(byId('memory'), [
        rank, count(use.read) + 'B', count(use.written) + 'B', percent(use.hit, use.read),
        count(use.lines) + 'B'], names));
    leftOut(byId('roof'), data.memory.length - 32, 'ranks are');
    if (data.machine.l2_bytes_per_us)
        make(byId('roof'), 'p', 'A hit finds its line in the cache. What is read of a line that is ' +
             'on its way there takes no further bytes from memory, but is no hit.', {class: 'hint'});
}

// Two tracks, an access on each, and the arrow that nothing draws.
function pictureOfFinding(parent, finding) {
    const [a, b] = finding.accesses, svg = picture(parent, 760, 130);
    [a, b].forEach((access, i) => {
        const y = 30 + 62 * i, x = 210 + 260 * i;
        draw2(svg, 'text', {x: 4, y: y + 5},
              `rank ${access.rank} ${access.core || ''} ${access.pipe || ''}`);
        draw2(svg, 'line', {x1: 150, y1: y, x2: 750, y2: y, class: 'grid'});
        draw2(svg, 'rect', {x, y: y - 11, width: 170, height: 22, rx: 3, class: 'access'});
        draw2(svg, 'text', {x: x + 85, y: y + 4, 'text-anchor': 'middle'},
              access.instruction + (finding.kind.startsWith('race') ? ' ' + access.access : ''));
        draw2(svg, 'text', {x, y: y + 25, class: 'soft'},
              `${(access.file || '').split('/').pop()}:${access.line}`);
    });
    draw2(svg, 'line', {x1: 382, y1: 41, x2: 468, y2: 82, class: 'wait',
                        'stroke-dasharray': '5 4', 'marker-end': 'url(#tip)'});
    draw2(svg, 'text', {x: 470, y: 56, class: 'bad'}, 'nothing orders them');
}

// The memory that a finding is about with its tiles, and those that the bytes lie in, enlarged.
function mapOfBytes(parent, finding) {
    const core = ((finding.accesses[0] || {}).core || '').slice(0, 3);
    const tiles = data.tiles.filter(tile => tile.space === finding.where && tile.core === core);
    const first = finding.offset, end = first + finding.bytes;
    const hit = tiles.filter(tile => tile.address < end && first < tile.address + tile.bytes);
    const name = tile => tile.name + (tile.slot < 0 ? '' : `[${tile.slot}]`);

    if (!finding.bytes || !hit.length) return;
    const svg = picture(parent, 760, 46 * (1 + Math.min(hit.length, 3)));
    const bar = (y, label, from, size, parts) => {
        const x = byte => 150 + 600 * Math.min(Math.max((byte - from) / size, 0), 1);
        const box = (a, b, look) => draw2(svg, 'rect', {
            x: x(a), y, width: Math.max(x(b) - x(a), 2), height: 18, ...look});

        draw2(svg, 'text', {x: 4, y: y + 13}, label);
        box(from, from + size, {class: 'frame'});
        for (const tile of parts) {
            box(tile.address, tile.address + tile.bytes, {class: 'tile'});
            if (x(tile.address + tile.bytes) - x(tile.address) > 8 * name(tile).length)
                draw2(svg, 'text', {x: x(tile.address) + 4, y: y + 32, class: 'soft'}, name(tile));
        }
        box(first, end, {class: 'hit'});
    };
    bar(6, `${finding.where}, ${count(tiles[0].capacity)}B`, 0, tiles[0].capacity, tiles);
    hit.slice(0, 3).forEach((tile, i) => {
        const y = 52 + 46 * i, a = Math.max(first - tile.address, 0);
        const b = Math.min(end - tile.address, tile.bytes) - 1;

        bar(y, name(tile), tile.address, tile.bytes, []);
        draw2(svg, 'text', {x: 150, y: y + 32, class: 'soft'},
              `bytes ${a} to ${b} of ${tile.bytes}`);
    });
}

function findings() {
    const all = report.findings || [];
    byId('findings').hidden = all.length === 0;
    for (const finding of all.slice(0, 20)) {
        const box = make(byId('findings'), 'div', null, {class: 'finding'});
        make(box, 'p', `${finding.kind}: ${finding.message}`);
        if (finding.accesses.length === 2) pictureOfFinding(box, finding);
        mapOfBytes(box, finding);
        if (finding.advice) make(box, 'p', finding.advice, {class: 'hint'});
    }
    leftOut(byId('findings'), all.length - 20, 'findings are');
}
