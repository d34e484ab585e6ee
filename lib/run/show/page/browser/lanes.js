// SPDX-License-Identifier: BSD-3-Clause
// Lanes over time: pauses as spans, and marks, CNPs, cuts and drops as ticks, one path for each
// lane.
(function (q) {
'use strict';

const ROW = 34;
const MOST = 12;

const KINDS = {
	mark: ['Marks', 'frames in which a marker set CE', 4],
	cnp_tx: ['CNPs sent', 'CNPs that a notification point sent', 0],
	cnp_rx: ['CNPs received', 'CNPs that came to a reaction point', 5],
	cut: ['Rate cuts', 'cuts of the rate by a reaction point', 0],
	drop: ['Drops', 'frames that were dropped', 3],
	retransmission: ['Retransmissions', 'goes back to a frame that was sent before', 6],
	cnm: ['CNMs', 'congestion notification messages', 2],
	deadlock: ['Deadlocks', 'queues that a sample found in a deadlock', 1],
	storm: ['Storms', 'storms that the watchdog found', 1],
};

// Spans of time as one path. Each px is as high as the share of its time that spans cover, so that
// many short ones look neither like one long one nor like nothing.
function spans(list, x, bottom, height) {
	const {from, to} = q.view, left = Math.floor(x(from));
	const cover = new Float64Array(Math.ceil(x(to)) - left + 1);
	for (const [a, b] of list) {
		if (b < from || a > to) continue;
		const l = x(Math.max(a, from)) - left, r = x(Math.min(b, to)) - left;
		for (let px = Math.floor(l); px <= r; px++) {
			cover[px] += Math.max(1e-9, Math.min(px + 1, r) - Math.max(px, l));
		}
	}
	let d = '', at = 0;
	const high = (px) =>
		cover[px] ? Math.max(2, Math.round(height * Math.min(1, cover[px]))) : 0;
	for (let px = 1; px <= cover.length; px++) {
		if (px < cover.length && high(px) === high(at)) continue;
		if (high(at)) d += `M${left + at} ${bottom}v${-high(at)}H${left + px}V${bottom}z`;
		at = px;
	}
	return d;
}

// Instants as one path of upright strokes; where they have numbers, the height tells them.
function strokes(ts, ns, x, bottom, height) {
	const {from, to} = q.view, most = ns ? q.most(ns, 1) : 1;
	const px = new Map();
	for (let i = Math.max(0, q.before(ts, from)); i < ts.length && ts[i] <= to; i++) {
		if (ts[i] < from) continue;
		const at = Math.round(x(ts[i]) * 2) / 2;
		px.set(at, Math.max(px.get(at) || 0, ns ? ns[i] / most : 1));
	}
	let d = '';
	for (const [at, share] of px)
		d += `M${at} ${bottom}v${- q.round(2 + (height - 2) * share)}`;
	return d;
}

function foot(svg, area, bottom, width) {
	let d = `M${area.left} ${bottom}H${area.left + area.width}`;
	for (const [v, text] of q.view.ticks(area.width)) {
		const x = q.round(
			area.left + (v - q.view.from) / (q.view.to - q.view.from) * area.width);
		d += `M${x} ${bottom}v4`;
		svg.append(q.label(
			x, bottom + 17, text, {anchor: 'middle', class: 'tick', within: width}));
	}
	svg.append(q.sel('path', {d, class: 'axis'}));
}

// A figure of lanes. `rows`: [{name, class, tone, path(x, top, height), at(t)}] with notes, the
// longest first, of which the first that fits stands at the right. A row may have `parts`, each
// with class, tone and path. `o.row`: the height of a row.
function lanes(parent, o, rows) {
	let all = rows.length <= MOST + 3;
	const high = o.row || ROW;
	const f = q.figure(parent, {
		kind: o.kind,
		name: o.name,
		title: o.title,
		caption: o.caption,
		controls: all ? [] : [q.button(`show all ${rows.length} lanes`,
					     (e) => {
						     all = true;
						     e.target.remove();
						     draw();
					     })]
	});
	const box = q.el('div', {class: 'lanes'});
	f.host.append(box);
	const area = () => ({
		left: q.gutter,
		width: Math.max(50, (f.host.clientWidth || 700) - q.gutter - 14)
	});
	const draw = () => {
		const shown = all ? rows : rows.slice(0, MOST), a = area();
		const width = a.left + a.width + 14, bottom = 6 + shown.length * high;
		const svg = q.sheet(width, bottom + 24, o.title);
		const x = (t) => a.left + (t - q.view.from) / (q.view.to - q.view.from) * a.width;
		for (const [from, to] of q.view.outside()) {
			const l = Math.max(a.left, x(from)), r = Math.min(a.left + a.width, x(to));
			if (r > l) {
				svg.append(q.sel('rect', {
					class: 'outside',
					x: q.round(l),
					y: 0,
					width: q.round(r - l),
					height: bottom
				}));
			}
		}
		shown.forEach((r, i) => {
			const top = 6 + i * high;
			const fits = (n) => q.width(n) + q.width(r.name) + 16 <= a.width;
			const note = r.notes.find(fits) || r.notes[r.notes.length - 1];
			svg.append(
				q.sel('path',
					{d: `M${a.left} ${top + high - 4.5}h${a.width}`,
					class: 'grid'}),
				q.label(a.left, top + 11, r.name, {
					class: 'lane',
					within: width,
					room: a.width - 10 - q.width(note)
				}),
				q.label(a.left + a.width, top + 11, note,
					{anchor: 'end', class: 'tick'}),
				...(r.parts || [r]).map((part) => q.sel('path', {
					d: part.path(x, top + 16, 13),
					class: part.class + ' ' + q.tone(part.tone),
					'data-series': i
				})));
			if (r.more) svg.append(...r.more(a, top + 16));
		});
		foot(svg, a, bottom + 1, width);
		box.replaceChildren(svg);
		f.figure.dataset.series = shown.length;
	};
	f.figure.dataset.rows = rows.length;
	q.view.attach(f.host, {
		name: o.title || 'Pauses',
		area,
		draw,
		values: (t) => rows.map((r) => [null, r.name, r.at(t)])
				       .filter((v) => v[2] !== null)
				       .slice(0, 12)
	});
	q.drawn(draw);
}

// Objects by their greatest value, the runs of each behind each other.
function ranked(found, key, value) {
	const most = (list) => Math.max(...list.map(value));
	return [...q.groups(found, key).values()].sort((a, b) => most(b) - most(a)).flat();
}

const titled = (many, label, name) => many ? `${name}, ${label}` : name;

// A lane of pauses for each port and priority.
q.pauses = function (parent, runs) {
	const many = runs.length > 1;
	const found = runs.flatMap((r) => q.list(r.pauses).map((p) => ({r, p})));
	if (!found.length) return 0;
	const order = ranked(found, (x) => x.p.name + '.' + x.p.class, (x) => x.p.total_us);
	const bin = q.most(found.map((x) => x.p.bin_us), 0);
	lanes(parent, {
		kind: 'pauses',
		name: 'pauses',
		title: '',
		caption: 'When each port was paused, by priority; the most paused comes first. ' +
			(bin ? `Pauses nearer than ` +
				`${q.amount(bin, 'us')} to each other are drawn as one.`
			     : 'Each pause is drawn by itself.') +
			' Where they are narrower than a point of the screen, the height is ' +
			'their share of the time.'
	},
		order.map(({r, p}) => {
			const starts = p.spans.map((s) => s[0]), total = q.amount(p.total_us, 'us');
			const share =
				r.end_us ? q.num(100 * p.total_us / r.end_us, 3) + ' %' : '';
			const both = share ? `${total} (${share})` : total;
			return {
				name: titled(many, r.label, `${p.name}, priority ${p.class}`),
				class: 'span',
				notes: [`${q.count(p.count, 'pause')}, ${both}`, both,
					share || total],
				tone: 1,
				path: (x, top, h) => spans(p.spans, x, top + h, h),
				at: (t) => {
					const i = q.before(starts, t);
					return i >= 0 && p.spans[i][1] >= t ? 'paused' : null;
				}
			};
		}));
	return found.length;
};

// One lane for each run, with what happened at all objects.
function together(found) {
	return [...q.groups(found, (x) => x.r).values()].map((same) => {
		if (same.length === 1) return same[0];
		const all = same.flatMap(({t}) => t.t.map((at, i) => [at, t.n ? t.n[i] : 1]))
				    .sort((a, b) => a[0] - b[0]);
		return {
			r: same[0].r,
			t: {
				name: `all ${same.length}`,
				bin_us: same[0].t.bin_us,
				count: same.reduce((n, x) => n + x.t.count, 0),
				t: all.map((a) => a[0]),
				n: same.some((x) => x.t.n) ? all.map((a) => a[1]) : null
			}
		};
	});
}

// A lane of ticks for each object of a kind.
q.tickLanes = function (parent, runs, kinds) {
	const many = runs.length > 1;
	let drawn = 0;
	for (const kind of kinds) {
		const found = runs.flatMap(
			(r) => q.list(r.ticks).filter((t) => t.kind === kind).map((t) => ({r, t})));
		if (!found.length) continue;
		const [title, what, tone] = KINDS[kind] || [kind, kind, 6];
		const order = many && found.length > MOST
			? together(found)
			: ranked(found, (x) => x.t.name, (x) => x.t.count);
		const bin = q.most(found.map((x) => x.t.bin_us), 0);
		lanes(parent, {
			kind: 'ticks',
			name: kind,
			title,
			caption: `Each stroke: ${what}. ` +
				(bin ? `A stroke stands for ${q.amount(bin, 'us')} and is as ` +
					'high as their number, in each lane by itself.'
					: 'Each event has a stroke of its own.')
		},
			order.map(({r, t}) => ({
				name: titled(many, r.label, t.name),
				notes: [q.num(t.count, 12)],
				class: 'stroke',
				tone: kind === 'cut' ? q.index('rate', t.name) : tone,
				path: (x, top, h) => strokes(t.t, t.n, x, top + h, h),
				at: (at) => {
					const i = q.nearest(t.t, at),
					      reach = Math.max(
						      t.bin_us, (q.view.to - q.view.from) / 400);
					if (i < 0 || Math.abs(t.t[i] - at) > reach) return null;
					return t.n ? q.num(t.n[i], 12) : 'here';
				}
			})));
		drawn++;
	}
	return drawn;
};

q.kinds = KINDS;
q.lanes = lanes;
q.spans = spans;
q.strokes = strokes;
})(window.quench);
