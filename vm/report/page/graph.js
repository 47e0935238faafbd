// ---- who waits for whom -------------------------------------------------------------------------

// The graph comes as Graphviz text: nodes with labels, edges between their names.
function readGraph(graph) {
    const nodes = new Map(), edges = [], word = '(?:"((?:[^"\\\\]|\\\\.)*)"|(\\w+))';
    const plain = text => text.replace(/\\n|\\l/g, '\n').replace(/\\(.)/g, '$1');
    for (const line of graph.split('\n')) {
        const edge = line.match(new RegExp(`^\\s*${word}\\s*->\\s*${word}`));
        const node = line.match(new RegExp(`^\\s*${word}\\s*\\[`));
        const label = line.match(/label="((?:[^"\\]|\\.)*)"/);
        if (edge) edges.push({from: edge[1] || edge[2], to: edge[3] || edge[4],
                              label: label ? plain(label[1]).split('\n')[0] : ''});
        else if (node && !['node', 'edge', 'graph'].includes(node[1] || node[2]))
            nodes.set(node[1] || node[2], label ? plain(label[1]) : plain(node[1] || node[2]));
    }
    for (const edge of edges)
        for (const name of [edge.from, edge.to]) if (!nodes.has(name)) nodes.set(name, plain(name));
    return [nodes, edges];
}

// Two columns of boxes, the first half of the nodes on the left, with room for arrows in between.
const GRAPH = {most: 40, rowHigh: 16, letter: 6.6, pitch: 100, gap: 300};

// How many stand on the left: about half, and no rank, or at least no sub-core, on both sides.
function splitOf(names) {
    const part = (name, words) => name.split(' ').slice(0, words).join(' ');
    let best = Math.ceil(names.length / 2), least = Infinity;
    for (let i = 1; i < names.length; i++) {
        const apart = [1, 2].filter(words => part(names[i - 1], words) !== part(names[i], words));
        const cost = Math.abs(2 * i - names.length) / names.length - 0.25 * apart.length;
        if (cost < least) [best, least] = [i, cost];
    }
    return best;
}

function placeNodes(nodes) {
    const names = Array.from(nodes.keys()).slice(0, GRAPH.most), box = new Map();
    const left = splitOf(names), most = Math.max(left, names.length - left);
    const rows = names.map(name => nodes.get(name).split('\n').slice(0, 3));
    const wide = 16 + GRAPH.letter * Math.max(...rows.flat().map(row => row.length));
    names.forEach((name, i) => {
        const high = 10 + GRAPH.rowHigh * rows[i].length, right = i >= left;
        const y = 50 + GRAPH.pitch * (right ? i - left : i);
        box.set(name, {name, rows: rows[i], right, row: right ? i - left : i, wide, high, ends: [],
                       x: 10 + wide / 2 + (right ? wide + GRAPH.gap : 0), y});
    });
    return [box, 2 * wide + GRAPH.gap + 20, 20 + GRAPH.pitch * most];
}

// Neighbours in a column are joined from border to border, all others on the sides that face each
// other, where every arrow has a place of its own, in the order of where it leads.
function bindEdges(edges, box) {
    const bound = edges.filter(edge => box.has(edge.from) && box.has(edge.to)).map(edge => {
        const a = box.get(edge.from), b = box.get(edge.to);
        return {...edge, a, b, near: a.right === b.right && Math.abs(a.row - b.row) === 1};
    });
    for (const edge of bound)
        if (!edge.near)
            for (const [one, other] of [[edge.a, edge.b], [edge.b, edge.a]])
                one.ends.push({edge, other});
    for (const one of box.values()) {
        one.ends.sort((p, q) => p.other.y - q.other.y);
        one.ends.forEach((end, i) => {
            const y = one.y + one.high * ((i + 1) / (one.ends.length + 1) - 0.5);
            const at = [one.x + (one.right ? -1 : 1) * one.wide / 2, y];
            if (end.edge.a === one && !end.edge.start) end.edge.start = at;
            else end.edge.end = at;
        });
    }
    for (const edge of bound.filter(edge => edge.near)) {
        const down = edge.b.row > edge.a.row, x = edge.a.x + (down ? -12 : 12);
        edge.start = [x, edge.a.y + (down ? 1 : -1) * edge.a.high / 2];
        edge.end = [x, edge.b.y - (down ? 1 : -1) * edge.b.high / 2];
    }
    return bound;
}

// The way of an arrow, and the middle of it.
function wayOf({a, b, near, start: [x1, y1], end: [x2, y2]}) {
    if (near || a.right !== b.right)
        return [`M${x1} ${y1}L${x2} ${y2}`, (x1 + x2) / 2, (y1 + y2) / 2];
    const bend = Math.min(40 + 0.25 * Math.abs(y2 - y1), 0.8 * GRAPH.gap);
    const x = x1 + (a.right ? -bend : bend);
    return [`M${x1} ${y1}C${x} ${y1} ${x} ${y2} ${x2} ${y2}`, 0.25 * x1 + 0.75 * x, (y1 + y2) / 2];
}

function deadlock() {
    const [nodes, edges] = readGraph(data.wait_graph || '');
    if (!edges.length) return;
    byId('deadlock').hidden = false;
    const [box, wide, high] = placeNodes(nodes);
    const svg = picture(byId('deadlock'), wide, high);
    const labels = []; // above all arrows
    for (const edge of bindEdges(edges, box)) {
        const [way, x, y] = wayOf(edge);
        draw2(svg, 'path', {d: way, class: 'wait', 'marker-end': 'url(#tip)',
                            'data-from': edge.from, 'data-to': edge.to});
        if (edge.near) labels.push([x + (edge.b.row > edge.a.row ? -6 : 6), y + 4, edge.label,
                                    edge.b.row > edge.a.row ? 'end' : 'start']);
        else labels.push([x, y - 4, edge.label, 'middle']);
    }
    for (const one of box.values()) {
        draw2(svg, 'rect', {x: one.x - one.wide / 2, y: one.y - one.high / 2, width: one.wide,
                            height: one.high, rx: 4, class: 'box', 'data-name': one.name});
        one.rows.forEach((row, i) => draw2(svg, 'text', {
            x: one.x, y: one.y + GRAPH.rowHigh * (i - (one.rows.length - 1) / 2) + 4,
            'text-anchor': 'middle'}, row));
    }
    for (const [x, y, label, anchor] of labels)
        if (label) draw2(svg, 'text', {x, y, class: 'soft halo', 'text-anchor': anchor}, label);
    if (nodes.size > GRAPH.most)
        make(byId('deadlock'), 'p', `${nodes.size - GRAPH.most} more are not drawn.`,
             {class: 'hint'});
}

for (const panel of [head, changes, findings, deadlock, timeline, path, busy, overlap, lines, heat,
                     roofline, memory, balance]) panel();
document.body.dataset.slices = tracks.reduce((sum, track) => sum + track.start.length, 0);
document.body.dataset.tracks = tracks.length;
document.body.dataset.ready = 'yes';
