'use strict';
// All texts of a run are shown as text: nothing that comes from a kernel becomes markup.
const data = JSON.parse(document.getElementById('data').textContent);
const report = data.report;
const KINDS = ['compute', 'memory', 'link', 'waiting', 'stall', 'unfinished wait',
               'on its way'];
const [COMPUTE, MEMORY, LINK, FLIGHT] = [0, 1, 2, 6];
const AWAITED = 7; // a mark at the end, no slice
const COLOURS = {compute: '#3f7fd6', memory: '#58a974', link: '#d9843b',
                 'on its way': 'var(--flight)', waiting: 'var(--waiting)',
                 stall: 'var(--stall)', 'unfinished wait': '#b3261e', sync: '#b06ab3',
                 issue: '#8a93a0', launch: '#5b6675', path: '#c2185b'};

// A colour of the style sheet, which knows whether the page is light or dark.
const shade = name => getComputedStyle(document.documentElement).getPropertyValue(name);
const byId = id => document.getElementById(id);

function make(parent, tag, text, attributes) {
    const element = document.createElement(tag);
    if (text !== undefined && text !== null) element.textContent = text;
    for (const key in attributes || {}) element.setAttribute(key, attributes[key]);
    if (parent) parent.appendChild(element);
    return element;
}

function time(ps) {
    for (const [unit, size] of [['s', 1e12], ['ms', 1e9], ['us', 1e6], ['ns', 1e3]])
        if (ps >= size) return (ps / size).toPrecision(4) + ' ' + unit;
    return ps + ' ps';
}

const percent = (part, whole) => whole > 0 ? (100 * part / whole).toFixed(1) + '%' : '-';

// Three digits; what would be rounded to 1000 takes the next unit.
function count(number) {
    for (const [unit, size] of [['P', 1e15], ['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e3]])
        if (number >= 0.9995 * size) return (number / size).toPrecision(3) + ' ' + unit;
    return String(number);
}

const plural = (number, what) => `${number} ${what}${number === 1 ? '' : 's'}`;

// What a panel leaves out is said in it.
function leftOut(parent, number, what) {
    if (number > 0) make(parent, 'p', `${number} more ${what} not shown.`, {class: 'hint'});
}

// Without the folders that all files of the run lie in.
const folders = data.sites.map(site => site.file).filter(file => file).reduce((common, file) => {
    while (!file.startsWith(common)) common = common.slice(0, -1);
    return common;
}, (data.sites[1] || {file: ''}).file).replace(/[^/]*$/, '').length;
const shortOf = file => file.slice(folders);

// ---- bars and tables ----------------------------------------------------------------------------

// parts: [[colour, share], ...]
function bar(parent, name, parts, text) {
    const row = make(parent, 'div', null, {class: 'bar'});
    make(row, 'span', name, {title: name});
    const track = make(row, 'div');
    for (const [colour, share, title] of parts)
        make(track, 'i', null, {title: title || '',
                                style: `width:${100 * share}%;background:${colour}`});
    make(row, 'span', text);
}

function heading(table, names) {
    const row = make(table, 'tr');
    for (const name of names)
        make(row, 'th', name.replace('#', ''), name.startsWith('#') ? {class: 'number'} : {});
}

function cells(table, texts, names) {
    const row = make(table, 'tr');
    texts.forEach((text, i) =>
        make(row, 'td', text, names[i].startsWith('#') ? {class: 'number'} : {}));
    return row;
}

// ---- head ---------------------------------------------------------------------------------------

function head() {
    const kernels = report.kernels.map(k => k.kernel).join(', ');
    document.title = kernels + ' - ptovm report';
    byId('title').textContent = kernels;
    byId('headline').textContent = `${time(report.time_ps)} simulated on ${report.profile}, ` +
        `${plural(report.ranks, 'rank')} (${report.topology}), ` +
        `${plural(report.cores, 'core')} each`;
    const ends = byId('ends'), fault = report.fault;
    ends.textContent = report.status === 'ok' ? 'The run ended well.'
        : `The run ended with: ${report.status}${fault ? ` - ${fault.message}` : ''}.`;
    if (report.status !== 'ok') ends.className = 'bad';
    if (fault) placeOfFault(fault, ends);
    if (data.dropped)
        make(ends, 'p', `${count(data.dropped)} slices are left out of this page, the first of ` +
             `them at ${time(covered)}: timeline, overlap, lines and load balance end there.`);
}

// Where, who and when, and what there is to say about it.
function placeOfFault(fault, parent) {
    const who = [fault.rank >= 0 ? 'rank ' + fault.rank : '', fault.core || '',
                 fault.pipe ? 'pipe ' + fault.pipe : '',
                 fault.time_ps === undefined ? '' : 'at ' + time(fault.time_ps)];
    const place = fault.file ? `${fault.file}:${fault.line}` : '';
    make(parent, 'p', [place, ...who].filter(word => word).join(', '));
    for (const line of [fault.hint, ...(fault.details || [])])
        if (line) make(parent, 'p', line, {class: 'hint'});
}

// Up to here the page has all that happened.
const covered = Math.max(data.whole_until_ps ?? report.time_ps, 1);

// ---- timeline -----------------------------------------------------------------------------------

// Starts come as differences; a slice ends where the next one of its track begins.  Behind them
// may stand who waits for this track when nothing can run any more.
const tracks = data.tracks.map(track => {
    let many = track.slices.length / 4;
    const awaited = [];
    for (; many && track.slices[4 * many - 1] === AWAITED; many--)
        awaited.unshift(track.slices[4 * many - 2]);
    const start = new Float64Array(many), end = new Float64Array(many);
    const until = new Float64Array(many); // wherever the next one begins
    const site = new Uint32Array(many), kind = new Uint8Array(many);
    for (let i = 0, at = 0; i < many; i++) {
        start[i] = at += track.slices[4 * i];
        until[i] = end[i] = at + track.slices[4 * i + 1];
        site[i] = track.slices[4 * i + 2];
        kind[i] = track.slices[4 * i + 3];
        if (i && end[i - 1] > at) end[i - 1] = at;
    }
    return {name: `rank ${track.rank} ${track.core} ${track.pipe}`, rank: track.rank,
            core: track.core, pipe: track.pipe, start, end, until, site, kind, awaited};
});

// First index whose value is greater than `value`.
function after(sorted, value) {
    let low = 0, high = sorted.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (sorted[middle] > value) high = middle; else low = middle + 1;
    }
    return low;
}

const ROW = 15, LABEL = 150, AXIS = 22;
const view = {from: 0, to: Math.max(report.time_ps, 1), top: 0, path: true};

const pathOf = new Map();
for (const step of report.critical_path ? report.critical_path.steps : []) {
    if (!pathOf.has(step.unit)) pathOf.set(step.unit, {start: [], end: []});
    pathOf.get(step.unit).start.push(step.start_ps);
    pathOf.get(step.unit).end.push(step.end_ps);
}

function drawSlices(pen, track, y, x, colours) {
    const begin = Math.max(0, after(track.start, view.from) - 1);
    let filled = LABEL; // nothing is drawn twice into a column of pixels
    for (let i = begin; i < track.start.length && track.start[i] < view.to;) {
        const left = Math.max(x(track.start[i]), filled);
        const right = Math.max(x(track.end[i]), left + 1);
        if (x(track.end[i]) >= LABEL) {
            pen.fillStyle = colours[track.kind[i]];
            pen.fillRect(left, y + 2, right - left, ROW - 4);
            filled = right;
        }
        const next = view.from + (filled - LABEL) / view.scale;
        i = Math.max(i + 1, track.end[i] > next ? i + 1 : after(track.end, next));
    }
}

function drawPath(pen, track, y, x) {
    const path = pathOf.get(track.name);
    if (!path) return;
    pen.strokeStyle = COLOURS.path;
    pen.lineWidth = 2;
    pen.beginPath();
    for (let i = after(path.end, view.from); i < path.start.length && path.start[i] < view.to;
         i++) {
        pen.moveTo(Math.max(x(path.start[i]), LABEL), y + ROW - 1);
        pen.lineTo(Math.max(x(path.end[i]), x(path.start[i]) + 1), y + ROW - 1);
    }
    pen.stroke();
}

// A deadlock waits for the track.
function drawAwaited(pen, track, y, x) {
    const at = Math.min(x(report.time_ps), view.width - 6), middle = y + ROW / 2;
    if (!track.awaited.length || at < LABEL) return;
    pen.fillStyle = shade('--ink');
    pen.beginPath();
    pen.moveTo(at - 5, middle);
    pen.lineTo(at, middle - 5);
    pen.lineTo(at + 5, middle);
    pen.lineTo(at, middle + 5);
    pen.fill();
}

// A time of the axis: in the unit of the whole view, with as many digits as neighbours differ in.
function tick(at, step) {
    const units = [['s', 1e12], ['ms', 1e9], ['us', 1e6], ['ns', 1e3], ['ps', 1]];
    const [unit, size] = units.find(([, size]) => view.to >= size) || ['ps', 1];
    return (at / size).toFixed(Math.max(0, Math.ceil(Math.log10(size / step)))) + ' ' + unit;
}

function drawAxis(pen, width, x) {
    const span = view.to - view.from;
    let step = Math.pow(10, Math.floor(Math.log10(span / 4)));
    while (span / step > 9) step *= 2;
    pen.fillStyle = shade('--soft');
    pen.strokeStyle = shade('--grid');
    pen.lineWidth = 1;
    let free = LABEL; // labels stand beside their lines, on the left of one at the right border
    for (let at = Math.ceil(view.from / step) * step; at < view.to; at += step) {
        pen.beginPath();
        pen.moveTo(x(at) + 0.5, AXIS - 6);
        pen.lineTo(x(at) + 0.5, view.height);
        pen.stroke();
        const text = tick(at, step), size = pen.measureText(text).width;
        const from = x(at) + 3 + size <= width ? x(at) + 3 : x(at) - 3 - size;
        if (from < free) continue;
        pen.fillText(text, from, 13);
        free = from + size + 4;
    }
}

// Rows of changes stand above the tracks.
const manyRows = () => changeRows.length + tracks.length;
const trackIn = row => tracks[row - changeRows.length];

function draw() {
    const canvas = byId('timeline'), pen = canvas.getContext('2d');
    const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
    canvas.width = box.width * ratio;
    canvas.height = box.height * ratio;
    pen.scale(ratio, ratio);
    pen.font = '11px system-ui, sans-serif';
    view.width = box.width;
    view.height = box.height;
    view.scale = (box.width - LABEL) / (view.to - view.from);
    const x = at => LABEL + (at - view.from) * view.scale;
    drawAxis(pen, box.width, x);
    const colours = KINDS.map(kind => COLOURS[kind].replace(/^var\((.*)\)$/,
                                                            (_, name) => shade(name)));
    const rows = Math.ceil((box.height - AXIS) / ROW);
    for (let i = 0; i < rows && view.top + i < manyRows(); i++) {
        const y = AXIS + i * ROW, track = trackIn(view.top + i);
        if (!track) {
            drawChangeRow(pen, changeRows[view.top + i], y, x);
            continue;
        }
        shadeRank(pen, track.rank, y, x);
        pen.fillStyle = shade('--ink');
        pen.fillText(track.name, 4, y + 11, LABEL - 8);
        drawSlices(pen, track, y, x, colours);
        drawAwaited(pen, track, y, x);
        if (view.path) drawPath(pen, track, y, x);
    }
}

let waiting = false;
function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); tell(); });
}

function zoom(factor, at) {
    const span = Math.min(Math.max((view.to - view.from) * factor, 100),
                          Math.max(report.time_ps, 1));
    const share = (at - view.from) / (view.to - view.from);
    move(at - share * span, span);
}

function move(from, span) {
    const whole = Math.max(report.time_ps, 1);
    view.from = Math.min(Math.max(from, 0), whole - span);
    view.to = view.from + span;
    redraw();
}

function scroll(rows) {
    view.top = Math.min(Math.max(view.top + rows, 0), Math.max(manyRows() - 5, 0));
    redraw();
}

// A click of the wheel is 100 pixels, of which some browsers make three lines; touchpads send few
// at a time.  Sideways is pan; with Shift rows scroll, whichever of the two the browser sends.
function turnWheel(event, left) {
    const size = event.deltaMode === 1 ? 100 / 3 : event.deltaMode === 2 ? 400 : 1;
    const across = event.deltaX * size, along = event.deltaY * size;
    if (event.shiftKey) return scroll(Math.round((across || along) * 3 / 100));
    if (Math.abs(across) > Math.abs(along))
        return move(view.from + across / view.scale, view.to - view.from);
    zoom(0.8 ** (-along / 100), view.from + Math.max(left, 0) / view.scale);
}

const KEYS = {
    w: () => zoom(0.7, (view.from + view.to) / 2), s: () => zoom(1.4, (view.from + view.to) / 2),
    a: () => move(view.from - (view.to - view.from) / 5, view.to - view.from),
    d: () => move(view.from + (view.to - view.from) / 5, view.to - view.from),
    ArrowUp: () => scroll(-3), ArrowDown: () => scroll(3),
    PageUp: () => scroll(-20), PageDown: () => scroll(20),
    0: () => move(0, Math.max(report.time_ps, 1)),
    p: () => { view.path = !view.path; redraw(); },
};
KEYS.ArrowLeft = KEYS.a;
KEYS.ArrowRight = KEYS.d;

// What stands in a row at a time.
function tellRow(row, at) {
    const track = trackIn(row);
    if (!track) return changeRows[row] ? tellChange(changeRows[row], at) : '';
    const i = after(track.start, at) - 1;
    if (i < 0 || track.end[i] < at - 1 / view.scale) return '';
    const site = data.sites[track.site[i]], waits = new Set(track.awaited);
    return `${track.name}: ${site.name} (${KINDS[track.kind[i]]}), ` +
        `${time(track.end[i] - track.start[i])} from ${time(track.start[i])}, ` +
        `${site.file}:${site.line}` +
        Array.from(waits, n => `; awaited by ${data.sites[n].name} at ${data.sites[n].file}:` +
                   `${data.sites[n].line}`).join('');
}

// What is under the pointer, also once something else has come there.
let pointer = null;
function tell() {
    if (!pointer) return;
    const box = byId('timeline').getBoundingClientRect();
    const x = pointer.x - box.left - LABEL, y = pointer.y - box.top - AXIS;
    const text = x < 0 || y < 0 ? '' : tellRow(view.top + Math.floor(y / ROW),
                                               view.from + x / view.scale);
    byId('slice').textContent = text || '\u00a0';
}

function timeline() {
    const canvas = byId('timeline');
    let held = null;
    byId('nothing').hidden = tracks.length > 0;
    canvas.hidden = byId('keys').hidden = byId('legend').hidden = tracks.length === 0;
    if (!tracks.length) return;
    canvas.style.height = Math.min(430, AXIS + ROW * Math.max(manyRows(), 4) + 8) + 'px';
    canvas.addEventListener('wheel', event => {
        const box = canvas.getBoundingClientRect();
        event.preventDefault();
        turnWheel(event, event.clientX - box.left - LABEL);
    }, {passive: false});
    canvas.addEventListener('mousedown', event => {
        held = {x: event.clientX, y: event.clientY, from: view.from, top: view.top};
    });
    window.addEventListener('mouseup', () => { held = null; });
    canvas.addEventListener('mousemove', event => {
        pointer = {x: event.clientX, y: event.clientY};
        if (!held) tell();
    });
    window.addEventListener('mousemove', event => {
        if (!held) return;
        view.top = held.top;
        scroll(Math.round((held.y - event.clientY) / ROW));
        move(held.from - (event.clientX - held.x) / view.scale, view.to - view.from);
    });
    canvas.addEventListener('keydown', event => {
        const act = KEYS[event.key] || KEYS[event.key.toLowerCase()];
        if (!act || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        act();
    });
    window.addEventListener('resize', redraw);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
    matchMedia('print').addEventListener('change', draw); // on paper it is never dark
    byId('keys').textContent += report.critical_path ? ' P: critical path.' : '';
    const met = new Set(tracks.flatMap(track => Array.from(new Set(track.kind))));
    for (const kind of KINDS.filter((_, i) => met.has(i))) {
        const span = make(byId('legend'), 'span');
        make(span, 'i', null, {style: 'background:' + COLOURS[kind]});
        span.appendChild(document.createTextNode(kind));
    }
    legendOfChanges(byId('legend'));
    draw();
}
