// ---- links and ranks that change ----------------------------------------------------------------

// Those of one link or rank share a row, above all tracks; of two at a time the later one is drawn
// last, as it is the one that holds.
const CHANGE_COLOURS = {gone: '#5e35b1', slow: '#c9a100'};
const colourOf = change => CHANGE_COLOURS[change.gone ? 'gone' : 'slow'];
const changeRows = Array.from(new Set(data.changes.map(change => change.name)), name =>
    ({name, changes: data.changes.filter(change => change.name === name)}));
const changesOf = rank => data.changes.filter(change => change.ranks.includes(rank));

// While it lasts, as far as it is in view.
function fillWhile(pen, change, y, high, x) {
    const left = Math.max(x(change.from), LABEL);
    const right = Math.min(x(change.to === undefined ? report.time_ps : change.to), view.width);
    if (right < LABEL || left > view.width) return;
    pen.fillStyle = colourOf(change);
    pen.fillRect(left, y, Math.max(right - left, 1), high);
}

function drawChangeRow(pen, row, y, x) {
    pen.fillStyle = shade('--ink');
    pen.fillText(row.name, 4, y + 11, LABEL - 8);
    for (const change of row.changes) fillWhile(pen, change, y + 2, ROW - 4, x);
}

// Behind the slices of a rank that changes, or whose link does.
function shadeRank(pen, rank, y, x) {
    pen.globalAlpha = 0.18;
    for (const change of changesOf(rank)) fillWhile(pen, change, y, ROW, x);
    pen.globalAlpha = 1;
}

function tellChange(row, at) {
    const held = row.changes.filter(change =>
        change.from <= at && at < (change.to === undefined ? Infinity : change.to));
    return held.map(change => change.text).join('; ');
}

function legendOfChanges(legend) {
    for (const [name, gone] of [['link down or rank dead', true], ['link or rank slow', false]]) {
        const change = data.changes.find(change => change.gone === gone);
        if (!change) continue;
        const span = make(legend, 'span');
        make(span, 'i', null, {style: 'background:' + colourOf(change)});
        span.appendChild(document.createTextNode(name));
    }
}

function changes() {
    const more = data.changes_left_out, box = byId('changes');
    box.hidden = data.changes.length === 0;
    box.textContent = data.changes.map(change => change.text).join('; ') +
        (more ? `; and ${more} more, which the JSON report has` : '');
}
