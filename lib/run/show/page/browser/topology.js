// SPDX-License-Identifier: BSD-3-Clause
// The drawing of who is linked to whom, with load, pauses and drops of both directions of each
// link.
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
	const same = q.groups([...kind.values()].filter((n) => n.kind === 'host' &&
					      peers.has(n.name) && peers.get(n.name).size === 1),
		(n) => [[...peers.get(n.name)][0], n.sends, n.receives].join());
	const into = new Map(), nodes = [];
	for (const list of same.values()) {
		if (list.length <= most) continue;
		const name = `${list.length} hosts`, id = 'stack of ' + list[0].name;
		list.forEach((n) => into.set(n.name, id));
		nodes.push(Object.assign({}, list[0], {
			id,
			name,
			about: `${list[0].name} to ` + list[list.length - 1].name,
			stack: list.length
		}));
	}
	for (const n of kind.values()) {
		if (!into.has(n.name)) nodes.push(Object.assign({id: n.name, stack: 0}, n));
	}
	const id = (port) => into.get(node(port)) || node(port);
	const pairs = q.groups(q.list(run.links), (l) => [id(l.from), id(l.to)].sort().join('\n'));
	const edges = [...pairs.values()].map((list) => {
		const a = id(list[0].from), b = id(list[0].to);
		return {
			a,
			b,
			there: direction(list.filter((l) => id(l.from) === a)),
			back: direction(list.filter((l) => id(l.from) !== a))
		};
	});
	return {nodes, edges};
}

// What all links of one direction did together.
function direction(list) {
	if (!list.length) return null;
	const loads = list.map((l) => l.load_percent || 0);
	const sum = (key) => list.reduce((s, l) => s + (l[key] || 0), 0);
	return {
		load: Math.max(...loads),
		least: Math.min(...loads),
		links: list.length,
		paused: Math.max(...list.map((l) => l.paused_percent || 0)),
		pauses: sum('pauses'),
		drops: sum('drops'),
		rate: list[0].rate_gbps,
		from: list[0].from,
		to: list[0].to,
		goodput: list[0].goodput_percent,
		bottleneck: list.some((l) => l.bottleneck)
	};
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
	const most = Math.max(
		1, ...g.nodes.filter((n) => n.kind === 'switch').map((n) => d.get(n.id) || 1));
	for (const n of g.nodes) {
		const far = d.has(n.id) ? d.get(n.id) : 1;
		if (n.kind === 'switch') at.set(n.id, far || 1);
		else if (!apart || n.sends) at.set(n.id, 0);
		else if (n.receives) at.set(n.id, most + 1);
		else at.set(n.id, far <= (most + 1) / 2 ? 0 : most + 1);
	}
	const layers = [...q.groups(g.nodes, (n) => at.get(n.id)).entries()]
			       .sort((a, b) => a[0] - b[0])
			       .map(([, list]) => list);
	// Neighbours stand near each other: each layer is sorted by the mean place of those next to
	// its nodes in the layer before, then in the layer behind, and so on.
	const place = new Map();
	const number = (l) => l.forEach((n, i) => place.set(n.id, (i + 0.5) / l.length));
	const sort = (l, by) => {
		const mean = new Map(l.map((n) => {
			const all =
				(near.get(n.id) || []).filter((m) => by.some((o) => o.id === m));
			return [
				n.id,
				all.length ? all.reduce((s, m) => s + place.get(m), 0) / all.length
					   : place.get(n.id)
			];
		}));
		l.sort((x, y) => mean.get(x.id) - mean.get(y.id));
		number(l);
	};
	layers.forEach(number);
	for (let sweep = 0; sweep < 3; sweep++) {
		for (let i = 1; i < layers.length; i++) sort(layers[i], layers[i - 1]);
		if (sweep === 2) break;
		for (let i = layers.length - 2; i >= 0; i--) sort(layers[i], layers[i + 1]);
	}
	return {layers, apart};
}

const RADIUS = 15;
const APART = 16; // between links at the side of a node

const PILE = 8; // by how much a stack is larger than a host

const wide = (n) => Math.max(2 * RADIUS,
	n.kind === 'switch' ? q.width(n.name, 13, 600) + 16
			    : q.width(n.name, 12) + 14 + (n.stack ? PILE : 0));
const high = (n) => n.kind === 'switch' ? 2 * RADIUS : n.stack ? 24 + PILE : 24;

function ringed(g, order, width) {
	const size = Math.min(Math.max(width, 300), 540), c = width / 2, r = size * 0.2;
	const turn = (i) => 2 * Math.PI * i / order.length - Math.PI / 2;
	const node = new Map(g.nodes.map((n) => [n.id, n])), {near} = distances(g, []);
	const put = (id, a, by) => Object.assign(node.get(id), {
		x: c + by * Math.cos(a),
		y: size / 2 + by * Math.sin(a),
		w: wide(node.get(id)),
		h: high(node.get(id))
	});
	order.forEach((id, i) => {
		put(id, turn(i), r);
		const hosts = (near.get(id) || []).filter((n) => !order.includes(n));
		const fan = Math.min(2 * Math.PI / order.length * 0.75, 0.7 * (hosts.length - 1));
		hosts.forEach(
			(h, k) => put(h,
				turn(i) +
					(hosts.length > 1 ? fan * (k / (hosts.length - 1) - 0.5)
							  : 0),
				r * 2.05));
	});
	const near2 = (a, b) => {
		const len = Math.hypot(b.x - a.x, b.y - a.y) || 1, by = RADIUS + 4;
		return [a.x + (b.x - a.x) / len * by, a.y + (b.y - a.y) / len * by];
	};
	return {width, height: size, ends: (a, b) => [near2(a, b), near2(b, a)]};
}

// Where links meet the sides of nodes: in the order of the nodes at their other ends.
function sides(g, across, along) {
	const layer = new Map(), lists = new Map(), places = new Map();
	g.nodes.forEach((n) => layer.set(n.id, n.layer));
	const node = new Map(g.nodes.map((n) => [n.id, n]));
	for (const e of g.edges) {
		for (const [a, b] of [[e.a, e.b], [e.b, e.a]]) {
			const side = Math.sign(layer.get(b) - layer.get(a));
			if (!side) continue;
			const key = a + '\n' + side;
			if (!lists.has(key)) lists.set(key, []);
			lists.get(key).push(node.get(b));
		}
	}
	for (const [key, list] of lists) {
		const [id, side] = key.split('\n'), n = node.get(id);
		list.sort((a, b) => a[across] - b[across]);
		list.forEach(
			(m, i) => places.set(id + '\n' + m.id,
				[n[across] + APART * (i - (list.length - 1) / 2), Number(side)]));
		const size = across === 'y' ? 'h' : 'w';
		n[size] = Math.max(n[size], APART * list.length);
	}
	return (a, b) => {
		const end = (n, m) => {
			const at = places.get(n.id + '\n' + m.id),
			      half = {x: n.w / 2 + 2, y: n.h / 2 + 2};
			const p = {x: n.x, y: n.y};
			if (at) {
				p[across] = at[0];
				p[along] += half[along] * at[1] * (along === 'y' ? g.down : 1);
			} else p[across] += Math.sign(m[across] - n[across]) * half[across];
			return [p.x, p.y];
		};
		return [end(a, b), end(b, a)];
	};
}

// Places the nodes: each gets x, y, w and h in px. Tells the size, and where links end.
function placed(g, width) {
	const order = ring(g);
	if (order) return ringed(g, order, width);
	const {layers, apart} = layered(g);
	const most = Math.max(...layers.map((l) => l.length)), last = layers.length - 1;
	layers.forEach(
		(l, i) => l.forEach((n) => Object.assign(n, {layer: i, w: wide(n), h: high(n)})));
	if (!apart || width < 560) {
		const gap = 118,
		      room = Math.max(width,
			      ...layers.map(
				      (l) => l.length * (8 + Math.max(...l.map((n) => n.w)))));
		g.down = apart ? 1 : -1;
		layers.forEach((l, row) => l.forEach((n, i) => Object.assign(n, {
			x: room * (i + 0.5) / l.length,
			y: 30 + gap * (apart ? row : last - row)
		})));
		return {width: room, height: 60 + gap * last, ends: sides(g, 'x', 'y')};
	}
	const height = Math.max(150, most * 42 + 16), edge = 60;
	layers.forEach((l, col) => l.forEach((n, i) => Object.assign(n, {
		x: last ? edge + (width - 2 * edge) * col / last : width / 2,
		y: height * (i + 0.5) / l.length
	})));
	return {width, height, ends: sides(g, 'y', 'x')};
}

// The words beside a direction of a link; empty if nothing worth a word happened.
function words(d) {
	const list = [];
	if (d.load >= 1) {
		list.push(
			(d.links > 1 && d.load - d.least > 0.5 ? q.num(d.least, 2) + ' to ' : '') +
			q.num(d.load, d.load >= 99.5 ? 3 : 2) + ' %');
	}
	if (d.pauses || d.paused > 0) list.push(`paused ${q.num(d.paused, 2)} %`);
	if (d.drops) list.push(q.count(d.drops, 'drop'));
	if (d.bottleneck) list.push('bottleneck');
	return list;
}

// One direction of a link, beside the other: what it takes of the drawing, and its words.
// With `few` set, a load below one half goes without words.
function arrow(svg, {notes, taken}, d, [x1, y1], [x2, y2], o) {
	const len = Math.hypot(x2 - x1, y2 - y1) || 1, ux = (x2 - x1) / len, uy = (y2 - y1) / len;
	const w = 1.2 + 5.5 * Math.min(1, d.load / 100), off = 1.2 + w / 2;
	// Drive on the right: the two directions never lie on each other.
	const nx = -uy * off, ny = ux * off, head = 6;
	const p = [x1 + nx, y1 + ny], t = [x2 - ux * head + nx, y2 - uy * head + ny];
	const tone = d.drops ? 'dropped' : d.pauses || d.paused ? 'paused' : 'flows';
	const title = `${d.from} to ${d.to}${d.links > 1 ? ` and ${d.links - 1} more` : ''}, ` +
		`${q.num(d.rate)} Gb/s: load ${q.num(d.load)} %, goodput ${q.num(d.goodput)} %, ` +
		`${q.count(d.pauses, 'pause')} (${q.num(d.paused)} % of the time), ` +
			`${q.count(d.drops, 'drop')}`;
	const h = 2 + w / 2, r = q.round;
	svg.append(q.sel('g', {class: 'link ' + tone, 'data-link': d.from},
		q.sel('title', {}, title), q.sel('path', {
			d: `M${r(p[0])} ${r(p[1])}L${r(t[0])} ${r(t[1])}`,
			'stroke-width': r(w),
			'stroke-dasharray': {paused: '8 4', dropped: '2 3'}[tone]
		}),
		q.sel('path', {
			class: 'head',
			d: `M${r(t[0] - uy * h)} ${r(t[1] + ux * h)}` +
				`L${r(t[0] + ux * head)} ${r(t[1] + uy * head)}L` +
					`${r(t[0] + uy * h)} ${r(t[1] - ux * h)}z`
		})));
	taken.push(boxed((x1 + x2) / 2 + nx, (y1 + y2) / 2 + ny, len / 2, h, Math.atan2(uy, ux)));
	const list = words(d);
	if (!list.length || o.few && list.length === 1 && d.load < 50) return;
	let turn = Math.atan2(uy, ux) * 180 / Math.PI;
	if (turn > 90 || turn < -90) turn -= Math.sign(turn) * 180;
	notes.push({
		strong: d.bottleneck,
		words: list,
		p,
		t,
		nx: nx / off,
		ny: ny / off,
		w,
		turn,
		steep: Math.abs(uy) > 0.87
	});
}

// A box that may be turned: its middle, half of its length and height, and the direction of its
// length.
function boxed(x, y, long, high, turn) {
	const ux = Math.cos(turn), uy = Math.sin(turn);
	return {
		x,
		y,
		ux,
		uy,
		long,
		high,
		dx: long * Math.abs(ux) + high * Math.abs(uy),
		dy: long * Math.abs(uy) + high * Math.abs(ux)
	};
}

// Whether two boxes share no point: then a side of one of them has the other beyond it.
function apart(a, b) {
	const x = b.x - a.x, y = b.y - a.y;
	if (Math.abs(x) > a.dx + b.dx || Math.abs(y) > a.dy + b.dy) return true;
	const c = Math.abs(a.ux * b.ux + a.uy * b.uy), s = Math.abs(a.ux * b.uy - a.uy * b.ux);
	const beyond = (p, o) => Math.abs(x * p.ux + y * p.uy) > p.long + o.long * c + o.high * s ||
		Math.abs(y * p.ux - x * p.uy) > p.high + o.long * s + o.high * c;
	return beyond(a, b) || beyond(b, a);
}

// How a text may stand beside its direction: along it on one line, or level on a line for each
// word; without its lesser words where the whole has no room.
function ways(n) {
	const least = n.words.slice(-1), list = [];
	for (const words of n.words.length > 1 ? [n.words, least] : [n.words]) {
		if (!n.steep) list.push({turn: n.turn, lines: [words.join(', ')]});
		list.push({turn: 0, lines: words});
	}
	return list;
}

const SIZE = 11, LINE = 13; // px of a text beside a link

// The boxes of a text's lines where they would stand, at this share of the way.
function lined(n, way, share) {
	const weight = n.strong ? 600 : 400;
	const long = way.lines.map((l) => q.width(l, SIZE, weight) / 2 + 2);
	const half = Math.max(...long), tall = LINE * way.lines.length / 2;
	// As far from the middle of the line as the block reaches towards it.
	const turned = way.turn * Math.PI / 180, ux = Math.cos(turned), uy = Math.sin(turned);
	const away = n.w / 2 + 4 + half * Math.abs(n.nx * ux + n.ny * uy) +
		tall * Math.abs(n.ny * ux - n.nx * uy);
	const x = n.p[0] + (n.t[0] - n.p[0]) * share + n.nx * away;
	const y = n.p[1] + (n.t[1] - n.p[1]) * share + n.ny * away;
	return way.lines.map((l, k) => {
		const down = LINE * (k - (way.lines.length - 1) / 2);
		return boxed(x - uy * down, y + ux * down, long[k], LINE / 2, turned);
	});
}

// Writes the texts where they lie on nothing: near where the direction begins, else further on;
// what finds no place is left to the title of its link.
function write(svg, notes, taken, {width, height}) {
	const fits = (b) => b.x - b.dx > 0 && b.x + b.dx < width && b.y - b.dy > 0 &&
		b.y + b.dy < height && taken.every((o) => apart(o, b));
	const shares = [];
	for (let v = 0.14; v < 0.87; v += 0.06) shares.push(v);
	notes.sort((a, b) => (b.strong || 0) - (a.strong || 0) ||
			b.words.join().length - a.words.join().length);
	for (const n of notes) {
		let boxes = null, way = null;
		for (way of ways(n)) {
			const share = shares.find((v) => lined(n, way, v).every(fits));
			if (share === undefined) continue;
			boxes = lined(n, way, share);
			break;
		}
		if (!boxes) continue;
		taken.push(...boxes);
		boxes.forEach((b, k) => svg.append(q.sel('text', {
			x: 0,
			y: 0,
			class: 'halo',
			'text-anchor': 'middle',
			'font-size': SIZE,
			'font-weight': n.strong ? 600 : 400,
			transform: `translate(${q.round(b.x)} ${q.round(b.y)}) ` +
				`rotate(${q.round(way.turn)}) translate(0 4)`
		},
			way.lines[k])));
	}
}

function nodeMark(svg, n) {
	const pile = n.stack ? PILE : 0;
	const box = (by) => q.sel('rect', {
		x: q.round(n.x - n.w / 2 + by),
		y: q.round(n.y - n.h / 2 + pile - by),
		width: q.round(n.w - pile),
		height: q.round(n.h - pile),
		rx: n.kind === 'switch' ? 4 : 12
	});
	svg.append(q.sel('g', {class: 'node ' + n.kind, 'data-node': n.id},
		q.sel('title', {}, n.about || n.name), pile ? [box(pile), box(pile / 2)] : [],
		box(0), q.label(n.x - pile / 2, n.y + 4 + pile / 2, n.name, {
			anchor: 'middle',
			size: n.kind === 'switch' ? 13 : 12,
			weight: n.kind === 'switch' ? 600 : 400
		})));
}

// The topology of one run.
q.topology = function (parent, run) {
	if (!q.list(run.nodes).length) return false;
	const worst = q.list(run.links).filter((l) => l.bottleneck);
	const paused = q.list(run.links)
			       .filter((l) => l.pauses || l.paused_percent > 0)
			       .sort((a, b) => b.paused_percent - a.paused_percent);
	const drops = q.list(run.links).reduce((s, l) => s + (l.drops || 0), 0);
	const f = q.figure(parent, {
		kind: 'topology',
		name: run.label,
		title: '',
		legend: [
			q.key(q.swatch('flow', []), 'load by width'),
			q.key(q.swatch('paused', [9, 4]), 'was paused'),
			q.key(q.swatch('dropped', [2, 3]), 'has drops')
		],
		caption: [
			q.count(run.nodes.filter((n) => n.kind === 'host').length, 'host') +
				' and ' +
				q.count(run.nodes.filter((n) => n.kind === 'switch').length,
					'switch', 'switches') +
				'.',
			worst.length ? `The bottleneck is ` +
					`${q.names(worst.map((l) => l.from))}, busy for ` +
					`${q.num(worst[0].load_percent)} % of the time.`
				     : '',
			paused.length ? `${q.count(paused.length, 'direction of a link was',
							'directions of links were')}` +
					` paused, ${paused[0].from} the longest (` +
						`${q.num(paused[0].paused_percent)} % of the time).`
				      : 'No link was paused.',
			drops ? q.count(drops, 'frame was', 'frames were') + ' dropped.'
			      : 'No frame was dropped.',
			'Texts are about the direction that they stand beside.'
		].filter((s) => s)
				 .join(' ')
	});
	q.drawn(() => {
		const room = f.host.clientWidth || 700,
		      hosts = run.nodes.filter((n) => n.kind === 'host');
		const g = stacked(run, hosts.length > 64 ? 1 : room < 560 ? 8 : 24);
		const p = placed(g, room), svg = q.sheet(p.width, p.height, 'Topology and load');
		const few = g.edges.length > 48, back = q.sel('g', {class: few ? 'faint' : null});
		const texts = {notes: [], taken: []}, node = new Map(g.nodes.map((n) => [n.id, n]));
		svg.append(back);
		for (const e of g.edges) {
			const a = node.get(e.a), b = node.get(e.b);
			if (!a || !b || a.x === undefined || b.x === undefined) continue;
			const [from, to] = p.ends(a, b);
			if (e.there) arrow(back, texts, e.there, from, to, {few});
			if (e.back) arrow(back, texts, e.back, to, from, {few});
		}
		for (const n of g.nodes.filter((n) => n.x !== undefined)) {
			nodeMark(svg, n);
			texts.taken.push(boxed(n.x, n.y, n.w / 2, n.h / 2, 0));
		}
		write(svg, texts.notes, texts.taken, p);
		f.host.replaceChildren(q.el('div', {class: 'scroll'}, svg));
		f.figure.dataset.series = run.links.length;
		f.figure.dataset.nodes = g.nodes.length;
	});
	return true;
};
})(window.quench);
