// SPDX-License-Identifier: BSD-3-Clause
// Which pause caused which: a flow from the roots to the victims, as wide as the time is long.
(function (q) {
'use strict';

const KINDS = {
	congested: 'a congested queue',
	host: 'a host',
	cycle: 'a cycle',
	other: 'something else',
	'not recorded': 'not recorded'
};
const MOST = 60;
const BAR = 11;

// "egress s2:r.3" without the word that its kind says.
const bare = (name) => name.replace(/^(egress|host|cycle) /, '');

// The graph with its roots as nodes. An edge begins at a root or at another pause.
function graph(l) {
	const node = (n, kind) => ({name: n.name, us: n.us || 0, out: [], into: [], kind});
	const nodes = q.list(l.nodes).map((n) => node(n, null));
	const roots = q.list(l.roots).map((r) => node(r, r.kind));
	for (const e of q.list(l.edges)) {
		const a = e.from === undefined || e.from === null ? roots[e.root] : nodes[e.from];
		const b = nodes[e.to];
		if (!a || !b) continue;
		const edge = {a, b, us: e.us || 0};
		a.out.push(edge);
		b.into.push(edge);
	}
	return [...roots, ...nodes]
		.filter((n) => n.out.length || n.into.length)
		.sort((a, b) => b.us - a.us);
}

// The column of each node: one behind the furthest of its causes, cycles set aside.
function columns(all) {
	const state = new Map();
	const visit = (n) => {
		if (state.get(n) === 'open') return -1;
		if (state.has(n)) return state.get(n);
		state.set(n, 'open');
		let col = 0;
		for (const e of n.into) {
			const c = visit(e.a);
			e.back = c < 0;
			if (c >= 0) col = Math.max(col, c + 1);
		}
		state.set(n, col);
		return col;
	};
	const first = (n) => n.kind ? 0 : 1;
	all.slice().sort((a, b) => first(a) - first(b)).forEach(visit);
	all.forEach((n) => n.col = state.get(n));
	all.forEach((n) => n.into.forEach((e) => e.back = e.a.col >= n.col));
	return 1 + Math.max(...all.map((n) => n.col));
}

function placed(all, cols, width) {
	const sum = (n, list) => list.filter((e) => !e.back).reduce((s, e) => s + e.us, 0);
	for (const n of all) n.size = Math.max(n.kind ? 0 : n.us, sum(n, n.out), sum(n, n.into));
	const lists = Array.from({length: cols}, (_, c) => all.filter((n) => n.col === c));
	const gap = 30, most = Math.max(...lists.map((l) => l.reduce((s, n) => s + n.size, 0)));
	const per = Math.min(240, 60 + 26 * all.length) / (most || 1);
	const text = q.most(lists[cols - 1].map((n) => Math.max(q.width(bare(n.name), 12, 600),
							q.width(q.amount(n.us, 'us'), 11))),
			     40) +
		12;
	let height = 0;
	lists.forEach((l, c) => {
		if (c) {
			const mean = (n) => {
				const some = n.into.filter((e) => !e.back);
				return some.reduce((s, e) => s + e.a.y * e.us, 0) /
					(some.reduce((s, e) => s + e.us, 0) || 1);
			};
			l.sort((a, b) => mean(a) - mean(b));
		}
		let y = 26;
		for (const n of l) {
			n.x = 12 + (cols > 1 ? (width - text - BAR - 14) * c / (cols - 1) : 0);
			n.y = y;
			n.h = Math.max(3, n.size * per);
			y += Math.max(n.h, n.kind ? 32 : 18) + gap;
		}
		height = Math.max(height, y);
	});
	lists.forEach((l) => {
		const used =
			l.length ? l[l.length - 1].y + Math.max(l[l.length - 1].h, 18) + gap : 0;
		l.forEach((n) => n.y += (height - used) / 2);
	});
	return {height: height - gap + 12, per};
}

function ribbons(svg, all, per) {
	for (const n of all) {
		let y = n.y;
		n.out.filter((e) => !e.back).sort((a, b) => a.b.y - b.b.y).forEach((e) => {
			e.from = y;
			y += e.us * per;
		});
		y = n.y;
		n.into.filter((e) => !e.back).sort((a, b) => a.a.y - b.a.y).forEach((e) => {
			e.to = y;
			y += e.us * per;
		});
	}
	for (const e of all.flatMap((n) => n.out)) {
		const title = q.sel(
			'title', {}, `${e.a.name} caused ${q.amount(e.us, 'us')} of ${e.b.name}`);
		const r = q.round, x1 = e.a.x + BAR, x2 = e.b.x;
		if (e.back) {
			const left = x2 - 9, right = e.a.x - 9;
			svg.append(q.sel('path', {
				class: 'back',
				'data-edge': '',
				d: `M${r(e.a.x)} ${r(e.a.y + 2)}` +
					`H${r(right)}V9H${r(left)}V${r(e.b.y + 2)}H${r(x2)}`
			},
				title));
			continue;
		}
		const w = Math.max(1, e.us * per), mid = (x1 + x2) / 2;
		svg.append(q.sel('path', {
			class: 'ribbon',
			'data-edge': '',
			d: `M${r(x1)} ${r(e.from)}` +
				`C${r(mid)} ${r(e.from)} ${r(mid)} ${r(e.to)} ${r(x2)} ` +
				`${r(e.to)}v${r(w)}C${r(mid)} ${r(e.to + w)} ${r(mid)} ` +
				`${r(e.from + w)} ${r(x1)} ${r(e.from + w)}z`
		},
			title));
	}
}

// The diagram of one run, and the bill as a table.
q.lineage = function (parent, run) {
	const l = run.lineage;
	if (!l || !q.list(l.nodes).length) return false;
	const all = graph(l), shown = all.slice(0, MOST);
	shown.forEach((n) => {
		n.out = n.out.filter((e) => shown.includes(e.b));
		n.into = n.into.filter((e) => shown.includes(e.a));
	});
	const cols = columns(shown), loops = shown.some((n) => n.out.some((e) => e.back));
	const roots = q.list(l.roots).slice().sort((a, b) => b.us - a.us);
	const f = q.figure(parent, {
		kind: 'lineage',
		name: run.label,
		title: '',
		caption:
			'Time in pause, billed along the way from its roots (left) to its ' +
			'victims (right). ' +
			`Roots: ${q.names(roots.map((r) => `${bare(r.name)} ` +
							`(${KINDS[r.kind] || r.kind}, ` +
								`${q.amount(r.us, 'us')})`),
					5)}. ` +
			(loops ? 'Dashed: a way back, as in a cycle. ' : '') +
			(all.length > MOST ? `The ${MOST} longest of ${all.length} are drawn. `
					   : '') +
			q.list(l.lacks).join(' ')
	});
	q.drawn(() => {
		const room = f.host.clientWidth || 700, width = Math.max(room, cols * 88);
		const {height, per} = placed(shown, cols, width);
		const svg = q.sheet(width, height, 'Who paused whom');
		ribbons(svg, shown, per);
		for (const n of shown) {
			svg.append(q.sel('rect', {
				class: 'bar ' + (n.kind ? 'root' : ''),
				x: q.round(n.x),
				y: q.round(n.y),
				width: BAR,
				height: q.round(n.h),
				'data-pause': n.name
			}));
			const y = n.y + Math.max(n.h / 2, 5), gap = n.x + BAR + 5;
			const next = (width - 14) / Math.max(1, cols - 1) - BAR - 10;
			const o = {
				class: 'halo',
				within: width,
				room: n.col < cols - 1 ? next : undefined
			};
			svg.append(
				q.label(gap, y, bare(n.name),
					Object.assign({size: 12, weight: n.kind ? 600 : 400}, o)),
				q.label(gap, y + 14, q.amount(n.us, 'us'),
					Object.assign({size: 11}, o)),
				n.kind ? q.label(gap, y + 27, n.kind, Object.assign({size: 11}, o))
				       : '');
		}
		f.host.replaceChildren(q.el('div', {class: 'scroll'}, svg));
		f.figure.dataset.series = shown.length;
	});
	const bills = q.list(l.bills);
	if (bills.length) {
		q.table(parent, {
			key: 'bills',
			title: 'The bill of each pause',
			open: false,
			columns: [
				{
					name: 'victim',
					unit: '',
					meaning: 'The port and priority that was paused.'
				},
				{
					name: 'root',
					unit: '',
					meaning: 'Where the cause of the pause begins.'
				},
				{
					name: 'billed',
					unit: 'us',
					meaning: 'How much of the pause this root caused.'
				}
			],
			rows: bills,
			left_out: 0
		});
	}
	return true;
};
})(window.quench);
