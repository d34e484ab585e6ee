// SPDX-License-Identifier: BSD-3-Clause
// The drawing of who is linked to whom, with load, pauses and drops of both directions of each link.
(function (q) {
'use strict';

const node = (port) => port.split(':')[0];

// Hosts beyond `most` at one switch that do the same are one stack.
function stacked(run, most) {
	const kind = new Map(q.list(run.nodes).map((n) => [n.name, n]));
	const peers = new Map();
	for (const l of q.list(run.links)) {
		const a = node(l.from);
		if (!peers.has(a)) peers.set(a, new Set());
		peers.get(a).add(node(l.to));
	}
	const same = q.groups([...kind.values()].filter((n) => n.kind === 'host' && peers.has(n.name) &&
		peers.get(n.name).size === 1), (n) => [[...peers.get(n.name)][0], n.sends, n.receives].join());
	const into = new Map(), nodes = [];
	for (const list of same.values()) {
		if (list.length <= most) continue;
		const name = `${list.length} hosts`, id = 'stack of ' + list[0].name;
		list.forEach((n) => into.set(n.name, id));
		nodes.push(Object.assign({}, list[0], {id, name, about: `${list[0].name} to ` +
			list[list.length - 1].name, stack: list.length}));
	}
	for (const n of kind.values()) {
		if (!into.has(n.name)) nodes.push(Object.assign({id: n.name, stack: 0}, n));
	}
	const id = (port) => into.get(node(port)) || node(port);
	const pairs = q.groups(q.list(run.links), (l) => [id(l.from), id(l.to)].sort().join('\n'));
	const edges = [...pairs.values()].map((list) => {
		const a = id(list[0].from), b = id(list[0].to);
		return {a, b, there: direction(list.filter((l) => id(l.from) === a)),
			back: direction(list.filter((l) => id(l.from) !== a))};
	});
	return {nodes, edges};
}

// What all links of one direction did together.
function direction(list) {
	if (!list.length) return null;
	const loads = list.map((l) => l.load_percent || 0);
	const sum = (key) => list.reduce((s, l) => s + (l[key] || 0), 0);
	return {load: Math.max(...loads), least: Math.min(...loads), links: list.length,
		paused: Math.max(...list.map((l) => l.paused_percent || 0)), pauses: sum('pauses'),
		drops: sum('drops'), rate: list[0].rate_gbps, from: list[0].from, to: list[0].to,
		goodput: list[0].goodput_percent, bottleneck: list.some((l) => l.bottleneck)};
}

// How many links each node is from those of `start`; null where none of them can be reached.
function distances(g, start) {
	const d = new Map(start.map((n) => [n.id, 0])), queue = start.map((n) => n.id);
	const near = new Map();
	for (const e of g.edges) {
		for (const [a, b] of [[e.a, e.b], [e.b, e.a]]) {
			if (!near.has(a)) near.set(a, []);
			near.get(a).push(b);
		}
	}
	while (queue.length) {
		const at = queue.shift();
		for (const n of near.get(at) || []) {
			if (d.has(n)) continue;
			d.set(n, d.get(at) + 1);
			queue.push(n);
		}
	}
	return {d, near};
}

// The ring that the switches are, in order, or null.
function ring(g) {
	const switches = g.nodes.filter((n) => n.kind === 'switch').map((n) => n.id);
	const {near} = distances(g, []);
	const next = (id) => (near.get(id) || []).filter((n) => switches.includes(n));
	if (switches.length < 3 || switches.some((s) => next(s).length !== 2)) return null;
	const order = [switches[0]];
	while (order.length < switches.length) {
		const at = next(order[order.length - 1]).find((n) => !order.includes(n));
		if (at === undefined) return null;
		order.push(at);
	}
	return order;
}

// Places nodes in layers: `layer` of each, 0 first.
function layered(g) {
	const hosts = g.nodes.filter((n) => n.kind === 'host');
	const sends = hosts.filter((n) => n.sends), receives = hosts.filter((n) => n.receives);
	const apart = sends.length && receives.length && !sends.some((n) => n.receives);
	const {d, near} = distances(g, apart ? sends : hosts);
	const at = new Map();
	const most = Math.max(1, ...g.nodes.filter((n) => n.kind === 'switch')
		.map((n) => d.get(n.id) || 1));
	for (const n of g.nodes) {
		const far = d.has(n.id) ? d.get(n.id) : 1;
		if (n.kind === 'switch') at.set(n.id, far || 1);
		else if (!apart || n.sends) at.set(n.id, 0);
		else if (n.receives) at.set(n.id, most + 1);
		else at.set(n.id, far <= (most + 1) / 2 ? 0 : most + 1);
	}
	const layers = [...q.groups(g.nodes, (n) => at.get(n.id)).entries()].sort((a, b) => a[0] - b[0])
		.map(([, list]) => list);
	// Neighbours stand near each other: a few sweeps by the mean place of those next to a node.
	const place = new Map();
	const number = (l) => l.forEach((n, i) => place.set(n.id, (i + 0.5) / l.length));
	layers.forEach(number);
	for (let sweep = 0; sweep < 6; sweep++) {
		const some = sweep % 2 ? layers.slice().reverse() : layers;
		for (const l of some) {
			const mean = new Map(l.map((n) => {
				const all = (near.get(n.id) || []).filter((m) => at.get(m) !== at.get(n.id));
				return [n.id, all.length ? all.reduce((s, m) => s + place.get(m), 0) / all.length
					: place.get(n.id)];
			}));
			l.sort((a, b) => mean.get(a.id) - mean.get(b.id));
			number(l);
		}
	}
	return {layers, apart};
}

const RADIUS = 15;

// The place of each node in px, and the size of the drawing.
function places(g, width) {
	const at = new Map(), order = ring(g);
	if (order) {
		const size = Math.min(width, 560), c = width / 2, r = size * 0.21;
		const turn = (i) => 2 * Math.PI * i / order.length - Math.PI / 2;
		order.forEach((id, i) => at.set(id, [c + r * Math.cos(turn(i)),
			size / 2 + r * Math.sin(turn(i))]));
		const {near} = distances(g, []);
		order.forEach((id, i) => {
			const hosts = (near.get(id) || []).filter((n) => !order.includes(n));
			const fan = Math.min(2 * Math.PI / order.length * 0.8, 0.55 * (hosts.length - 1));
			hosts.forEach((h, k) => {
				const a = turn(i) + (hosts.length > 1 ? fan * (k / (hosts.length - 1) - 0.5) : 0);
				at.set(h, [c + r * 2.05 * Math.cos(a), size / 2 + r * 2.05 * Math.sin(a)]);
			});
		});
		return {at, height: size, upright: false};
	}
	const {layers, apart} = layered(g);
	const most = Math.max(...layers.map((l) => l.length));
	const upright = !apart || width < 560;
	if (upright) {
		const gap = 118, across = Math.max(width, most * 46);
		layers.forEach((l, row) => l.forEach((n, i) => at.set(n.id, [across * (i + 0.5) / l.length,
			34 + gap * (apart ? row : layers.length - 1 - row)])));
		return {at, height: 76 + gap * (layers.length - 1), width: across, upright};
	}
	const height = Math.max(150, most * 46 + 24), edge = 70;
	layers.forEach((l, col) => l.forEach((n, i) => at.set(n.id, [layers.length > 1 ? edge +
		(width - 2 * edge) * col / (layers.length - 1) : width / 2, height * (i + 0.5) / l.length])));
	return {at, height, upright};
}

// What stands beside a direction of a link; empty where nothing happened that is worth a word.
function words(d) {
	const list = [];
	if (d.load >= 0.5) {
		list.push((d.links > 1 && d.load - d.least > 0.5 ? q.num(d.least, 2) + ' to ' : '') +
			q.num(d.load, d.load >= 99.5 ? 3 : 2) + ' %');
	}
	if (d.pauses || d.paused > 0) list.push(`paused ${q.num(d.paused, 2)} %`);
	if (d.drops) list.push(q.count(d.drops, 'drop'));
	return list;
}

const thick = (load) => 1.2 + 7 * Math.min(1, load / 100);

// One direction of a link, beside the other, from node to node; its words near where it begins.
function arrow(svg, notes, d, [x1, y1], [x2, y2], o) {
	const len = Math.hypot(x2 - x1, y2 - y1) || 1, ux = (x2 - x1) / len, uy = (y2 - y1) / len;
	const w = thick(d.load), off = 1.5 + w / 2;
	// Drive on the right: the two directions never lie on each other.
	const nx = -uy * off, ny = ux * off, r = RADIUS + 3;
	const p = [x1 + ux * r + nx, y1 + uy * r + ny], t = [x2 - ux * (r + 6) + nx, y2 - uy * (r + 6) + ny];
	const tone = d.drops ? 'dropped' : d.pauses || d.paused ? 'paused' : 'flows';
	const title = `${d.from} to ${d.to}${d.links > 1 ? ` and ${d.links - 1} more` : ''}, ` +
		`${q.num(d.rate)} Gb/s: load ${q.num(d.load)} %, goodput ${q.num(d.goodput)} %, ` +
		`${q.count(d.pauses, 'pause')} (${q.num(d.paused)} % of the time), ${q.count(d.drops, 'drop')}`;
	const h = 2.5 + w / 2;
	svg.append(q.sel('g', {class: 'link ' + tone, 'data-link': d.from},
		q.sel('title', {}, title),
		q.sel('path', {d: `M${q.round(p[0])} ${q.round(p[1])}L${q.round(t[0])} ${q.round(t[1])}`,
			'stroke-width': q.round(w), 'stroke-dasharray': tone === 'paused' ? '9 4' :
				tone === 'dropped' ? '2 3' : null}),
		q.sel('path', {class: 'head', d: `M${q.round(t[0] - uy * h)} ${q.round(t[1] + ux * h)}` +
			`L${q.round(t[0] + ux * 7)} ${q.round(t[1] + uy * 7)}` +
			`L${q.round(t[0] + uy * h)} ${q.round(t[1] - ux * h)}z`})));
	const list = words(d).concat(d.bottleneck ? ['bottleneck'] : []);
	if (!list.length) return;
	const flat = Math.abs(ux) > 0.6, share = o.share;
	const mx = p[0] + (t[0] - p[0]) * share, my = p[1] + (t[1] - p[1]) * share;
	const side = flat ? (ny > 0 || (ny === 0 && nx < 0) ? 1 : -1) : (nx > 0 ? 1 : -1);
	const lines = flat ? [list.join(', ')] : list;
	lines.forEach((text, i) => {
		const x = flat ? mx : mx + side * (w / 2 + 5);
		const y = flat ? my + (side > 0 ? w / 2 + 12 : -w / 2 - 4)
			: my + 4 + 13 * (i - (lines.length - 1) / 2);
		notes.push({x, y, text, anchor: flat ? 'middle' : side > 0 ? 'start' : 'end',
			strong: d.bottleneck});
	});
}

// Texts that would lie on others go down or up a line, or are left to the title of their link.
function write(svg, notes, width, height) {
	const taken = [];
	const box = (n, y) => {
		const w = q.width(n.text, 11, n.strong ? 600 : 400);
		const left = Math.max(2, Math.min(n.x - {start: 0, middle: w / 2, end: w}[n.anchor],
			width - w - 2));
		return [left, y - 10, left + w, y + 3];
	};
	const free = (b) => b[1] > 0 && b[3] < height && !taken.some((t) => b[0] < t[2] + 3 &&
		b[2] + 3 > t[0] && b[1] < t[3] && b[3] > t[1]);
	notes.sort((a, b) => (b.strong || 0) - (a.strong || 0));
	for (const n of notes) {
		const y = [0, 13, -13, 26, -26].map((dy) => n.y + dy).find((v) => free(box(n, v)));
		if (y === undefined) continue;
		taken.push(box(n, y));
		svg.append(q.label(n.x, y, n.text, {anchor: n.anchor, class: 'halo', size: 11,
			weight: n.strong ? 600 : 400, within: width}));
	}
}

function nodeMark(svg, n, [x, y]) {
	const g = q.sel('g', {class: 'node ' + n.kind, 'data-node': n.id});
	g.append(q.sel('title', {}, n.about || n.name));
	if (n.kind === 'switch') {
		const w = Math.max(2 * RADIUS, q.width(n.name, 13, 600) + 14);
		g.append(q.sel('rect', {x: q.round(x - w / 2), y: q.round(y - RADIUS), width: q.round(w),
			height: 2 * RADIUS, rx: 4}));
	} else {
		const w = Math.max(2 * RADIUS, q.width(n.name, 12) + 12);
		if (n.stack) {
			g.append(q.sel('rect', {x: q.round(x - w / 2 + 4), y: q.round(y - 16), width: q.round(w),
				height: 24, rx: 12}));
		}
		g.append(q.sel('rect', {x: q.round(x - w / 2), y: q.round(y - 12), width: q.round(w),
			height: 24, rx: 12}));
	}
	g.append(q.label(x, y + 4, n.name, {anchor: 'middle', size: n.kind === 'switch' ? 13 : 12,
		weight: n.kind === 'switch' ? 600 : 400}));
	svg.append(g);
}

// The topology of one run.
q.topology = function (parent, run) {
	if (!q.list(run.nodes).length) return false;
	const worst = q.list(run.links).filter((l) => l.bottleneck);
	const paused = q.list(run.links).filter((l) => l.pauses).sort((a, b) =>
		b.paused_percent - a.paused_percent);
	const drops = q.list(run.links).reduce((s, l) => s + (l.drops || 0), 0);
	const f = q.figure(parent, {kind: 'topology', name: run.label, title: 'Topology and load',
		legend: [q.key(q.swatch('flow', []), 'load by width'),
			q.key(q.swatch('paused', [9, 4]), 'was paused'),
			q.key(q.swatch('dropped', [2, 3]), 'has drops')],
		caption: [q.count(run.nodes.filter((n) => n.kind === 'host').length, 'host') + ' and ' +
			q.count(run.nodes.filter((n) => n.kind === 'switch').length, 'switch', 'switches') + '.',
		worst.length ? `The bottleneck is ${q.names(worst.map((l) => l.from))}, busy for ` +
			`${q.num(worst[0].load_percent)} % of the time.` : '',
		paused.length ? `${q.count(paused.length, 'direction of a link was', 'directions of links were')}` +
			` paused, ${paused[0].from} the longest (${q.num(paused[0].paused_percent)} % of the time).`
			: 'No link was paused.',
		drops ? q.count(drops, 'frame was', 'frames were') + ' dropped.' : 'No frame was dropped.',
		'Texts are about the direction that they stand beside.'].filter((s) => s).join(' ')});
	q.drawn(() => {
		const room = f.host.clientWidth || 700, g = stacked(run, room < 560 ? 8 : 24);
		const p = places(g, room), width = p.width || room;
		const svg = q.sheet(width, p.height, 'Topology and load'), notes = [];
		const back = q.sel('g', {}), front = q.sel('g', {});
		svg.append(back);
		for (const e of g.edges) {
			const a = p.at.get(e.a), b = p.at.get(e.b);
			if (!a || !b) continue;
			if (e.there) arrow(back, notes, e.there, a, b, {share: 0.4});
			if (e.back) arrow(back, notes, e.back, b, a, {share: 0.4});
		}
		svg.append(front);
		g.nodes.forEach((n) => p.at.has(n.id) && nodeMark(front, n, p.at.get(n.id)));
		write(svg, notes, width, p.height);
		f.host.replaceChildren(q.el('div', {class: 'scroll'}, svg));
		f.figure.dataset.series = run.links.length;
		f.figure.dataset.nodes = g.nodes.length;
	});
	return true;
};
})(window.quench);
