// SPDX-License-Identifier: BSD-3-Clause
// Plots of queues and rates over time: lines with the band of their least and most, by dygraphs.
(function (q) {
'use strict';

const HEIGHT = 230;
const GAP = 14;

// Where the plotting area of everything over time begins, so that all stand below each other.
q.gutter = 74; // px: takes '12.5 Gb/s' on one line

// One table of lines that may have instants of their own: a row holds for each line its least, mean
// and most of the bin that the instant is in.
function table(lines) {
	const all = new Set(q.view.full);
	lines.forEach((l) => l.t.forEach((t) => all.add(t)));
	const ts = Float64Array.from(all).sort();
	const none = [null, null, null];
	const rows = Array.from(ts, (t) => [t]);
	for (const l of lines) {
		let i = -1;
		const reach = (l.bin || 0) * 1.01;
		rows.forEach((row) => {
			while (i + 1 < l.t.length && l.t[i + 1] <= row[0]) i++;
			const v = i < 0 || row[0] - l.t[i] >= reach && row[0] !== l.t[i] ? null
											 : l.mid[i];
			if (v === null || v === undefined) row.push(none);
			else row.push([l.low ? l.low[i] : v, v, l.high ? l.high[i] : v]);
		});
	}
	return rows;
}

// Levels across the plot.
function levels(g, ctx, area, list) {
	ctx.save();
	ctx.strokeStyle = q.css('soft');
	ctx.lineWidth = 1.2;
	for (const [i, l] of list.entries()) {
		const y = g.toDomYCoord(l.value);
		if (y < area.y - 1 || y > area.y + area.h) continue;
		ctx.setLineDash([[6, 4], [2, 3], [10, 3, 2, 3]][i % 3]);
		ctx.beginPath();
		ctx.moveTo(area.x, y);
		ctx.lineTo(area.x + area.w, y);
		ctx.stroke();
	}
	ctx.restore();
}

// The extent of a line in each pixel column of the plot: its highest and lowest y.
function columns(g, area, l) {
	const list = Array.from({length: Math.ceil(area.w) + 1}, () => [Infinity, -Infinity]);
	let from = 0, before = null;
	l.t.forEach((t, i) => {
		const high = (l.high || l.mid)[i], low = (l.low || l.mid)[i];
		if (high === null || low === null) return;
		const to = Math.round(g.toDomXCoord(t) - area.x);
		const now = [g.toDomYCoord(high), g.toDomYCoord(low)], last = before || now;
		const end = Math.min(to, list.length - 1);
		for (let x = Math.max(0, before ? from : to); x <= end; x++) {
			list[x][0] = Math.min(list[x][0], now[0], last[0]);
			list[x][1] = Math.max(list[x][1], now[1], last[1]);
		}
		[from, before] = [to, now];
	});
	return list;
}

const TALL = 15; // px of a level's text

// Texts of levels, above or below each, as far right as they lie on nothing: no line, no other
// level, no other text. The caption names those that have no room.
function levelTexts(g, box, lines, list) {
	const area = g.getArea(), taken = lines.map((l) => columns(g, area, l));
	const shown = list.map((l) => ({text: l.text, y: g.toDomYCoord(l.value)}))
			      .filter((l) => l.y >= area.y - 1 && l.y <= area.y + area.h);
	const texts = [];
	for (const l of shown) {
		const w = Math.ceil(q.width(l.text, 12)) + 2;
		const free = (left, top) => {
			const right = left + w, bottom = top + TALL;
			if (top < area.y || bottom > area.y + area.h) return false;
			if (shown.some((o) => o !== l && o.y > top - 2 && o.y < bottom + 2))
				return false;
			if (texts.some((o) => o.left < right + 8 && o.left + o.w > left - 8 &&
					       o.top < bottom && o.top + TALL > top))
				return false;
			const from = Math.max(0, Math.round(left - area.x) - 3);
			return !taken.some((line) => line.slice(from, from + w + 7)
				.some(([high, low]) => high < bottom + 2 && low > top - 2));
		};
		for (let left = area.x + area.w - w - 4; left > area.x + 4; left -= 4) {
			const top = [l.y - TALL - 2, l.y + 3].find((y) => free(left, y));
			if (top === undefined) continue;
			texts.push({text: l.text, left, top, w});
			break;
		}
	}
	box.replaceChildren(...texts.map((u) => {
		const e = q.el('span', {}, u.text);
		e.style.left = u.left + 'px';
		e.style.top = u.top + 'px';
		return e;
	}));
}

// What lies outside of the window that the figures are about is shaded.
function warmup(g, ctx, area) {
	const edge = (t) => Math.max(area.x, Math.min(area.x + area.w, g.toDomXCoord(t)));
	ctx.fillStyle = q.css('wash');
	for (const [a, b] of q.view.outside())
		ctx.fillRect(edge(a), area.y, edge(b) - edge(a), area.h);
}

// A graph in a figure. `o`: name, unit, lines() as [{name, tone, dash, t, mid, low, high, bin}],
// levels as [{text, value}] that stand in the plot, top() the most that is shown.
q.graph = function (f, o) {
	const host = f.host, box = q.el('div', {class: 'graph'});
	const texts = q.el('div', {class: 'levels'}), shown = new Map();
	host.append(box, texts);
	let lines = o.lines(), names = lines.map((l) => l.name);
	const seenLines = () => lines.filter((l) => shown.get(l.name) !== false);
	const range = () => [0, o.top() || 1];
	const unit = () => typeof o.unit === 'function' ? o.unit() : o.unit;
	const yTicks = (a, b, px) => {
		const axis = q.axis({from: a, to: b, unit: unit()}, px / 42);
		return axis.ticks.map(
			([v, label]) => (
				{v, label: v && axis.unit ? label + '\u00a0' + axis.unit : label}));
	};
	// A tick at the very end would have no label.
	const xTicks = (a, b, px) =>
		q.view.ticks(px).map(([v, label]) => ({v: Math.min(v, b - (b - a) * 1e-9), label}));
	const look = () => ({
		colors: lines.map((l) => q.color(l.tone)),
		axisLineColor: q.css('soft'),
		gridLineColor: q.css('rule'),
		axes: {
			x: {ticker: xTicks, drawGrid: false, axisLabelWidth: 80},
			y: {ticker: yTicks, axisLabelWidth: q.gutter - 6},
		},
		series: Object.fromEntries(lines.map(
			(l, i) => [names[i],
				{strokePattern: l.dash && l.dash.length ? l.dash : null}])),
	});
	const model = Object.assign({}, window.Dygraph.defaultInteractionModel);
	// A finger scrolls the page.
	for (const touch of ['touchstart', 'touchmove', 'touchend']) delete model[touch];
	model.dblclick = () => q.view.all();
	const g = new window.Dygraph(box, table(lines), Object.assign(look(), {
		labels: ['t'].concat(names),
		customBars: true,
		fillAlpha: 0.25 / Math.max(1, lines.length / 2),
		strokeWidth: lines.length > 4 ? 1.3 : 1.6,
		width: host.clientWidth || 700,
		height: HEIGHT,
		dateWindow: q.view.full.slice(),
		valueRange: range(),
		legend: 'never',
		rightGap: GAP,
		xAxisHeight: 22,
		xRangePad: 0,
		interactionModel: model,
		highlightCircleSize: 0,
		axisLabelFontSize: 12,
		gridLineWidth: 1,
		axisLineWidth: 1,
		underlayCallback: (ctx, area, graph) => {
			warmup(graph, ctx, area);
			levels(graph, ctx, area, o.levels || []);
		},
		drawCallback: (graph, first) => {
			levelTexts(graph, texts, seenLines(), o.levels || []);
			if (!first) q.view.adopt(graph);
		},
	}));
	g.range = range;
	q.view.attach(host, {
		graph: g,
		name: o.name,
		area: () => {
			const a = g.getArea();
			return {left: a.x, width: a.w};
		},
		values: (t) => {
			const some = seenLines().slice(0, 12);
			return some.flatMap((l) => {
				const i = q.nearest(l.t, t),
				      told = (list) => q.amount(i < 0 ? null : list[i], unit());
				const band = l.low && some.length === 1;
				const own = [q.swatch(q.tone(l.tone), l.dash),
					band ? 'mean' : l.name, told(l.mid)];
				return band ? [own, [null, 'least', told(l.low)],
					[null, 'most', told(l.high)]] : [own];
			});
		}
	});
	const legend = () => lines.length > 1 && f.legend.replaceChildren(...lines.map((l, i) => {
		const b = q.button('', () => {
			shown.set(l.name, shown.get(l.name) === false);
			g.setVisibility(i, shown.get(l.name));
			b.setAttribute('aria-pressed', shown.get(l.name));
		}, {
			class: 'key',
			'aria-pressed': shown.get(l.name) !== false,
			title: 'Show or hide this line'
		});
		b.append(q.swatch(q.tone(l.tone), l.dash), l.name);
		return b;
	}));
	const count = () => f.figure.dataset.series = g.numColumns() - 1;
	legend();
	count();
	let first = true;
	q.drawn(() => {
		if (first) {
			first = false;
			return;
		}
		g.updateOptions(look(), true);
		g.resize(host.clientWidth || 700, HEIGHT);
	});
	return {
		g,
		renew() {
			lines = o.lines();
			names = lines.map((l) => l.name);
			shown.clear();
			g.updateOptions(Object.assign(look(), {
				file: table(lines),
				labels: ['t'].concat(names),
				visibility: names.map(() => true),
				valueRange: range()
			}));
			legend();
			count();
		}
	};
};

// "Each point is the mean of 100 us, the band its least and most."
q.binned = function (bin, band, of) {
	if (!(bin > 0)) return '';
	return `Each point is the mean of ${of || ''}${q.amount(bin, 'us')}` +
		(band ? ', the band its least and most.' : '.');
};

// Lines of one kind at nearly the same height become one line, with all names that it stands for.
// With several runs it also names the runs that have it, unless all have. `runs`: how many there
// are.
function merged(lines, runs) {
	const out = [];
	const kind = (l) => l.of + ' ' + l.name.split(' of ')[0];
	for (const l of lines.slice().sort((a, b) => a.bytes - b.bytes)) {
		const near = out.find(
			(o) => kind(o.all[0]) === kind(l) && l.bytes <= 1.03 * o.all[0].bytes);
		if (near) near.all.push(l);
		else out.push({all: [l]});
	}
	return out.map(({all}) => {
		const low = q.amount(all[0].bytes, 'bytes'),
		      high = q.amount(all[all.length - 1].bytes, 'bytes');
		const of = [
			...new Set(all.map((l) => l.name.split(' of ').slice(1).join(' of ')))
		].filter((n) => n);
		const who = of.length > 2 ? q.count(of.length, 'port') : q.names(of);
		const some = [...new Set(all.map((l) => l.run))];
		const whose = some.length < runs ? ` (${q.names(some, 2)})` : '';
		return {
			text: all[0].name.split(' of ')[0] + (who ? ' of ' + who : '') + whose,
			of: all[0].of,
			size: low === high ? low : `${low} to ${high}`,
			value: (all[0].bytes + all[all.length - 1].bytes) / 2
		};
	});
}

// The most of a line in the part of time that is shown.
function seen(ts, values) {
	let most = 0;
	for (let i = Math.max(0, q.before(ts, q.view.from)); i < ts.length; i++) {
		if (values[i] > most) most = values[i];
		if (ts[i] > q.view.to) break;
	}
	return most;
}

const highest = (list) => q.most(list.flatMap((x) => x.queue.max), 0);

function queuePlot(parent, name, list, many) {
	const lines = merged(list.flatMap((x) => q.list(x.queue.lines).map(
				     (l) => Object.assign({run: x.label}, l))), list.length)
			      .filter((l) => l.value > 0);
	const told = lines.map((l) => ({value: l.value, text: l.text + ', ' + l.size}));
	// The height is the shown part of the queue, and lines near it: other lines stand in the
	// caption.
	const top = () => {
		const most = q.most(list.map((x) => seen(x.queue.t, x.queue.max)), 0);
		return 1.12 *
			q.most(lines.map((l) => l.value).filter((v) => v <= 2.2 * most), most);
	};
	const f = q.figure(parent, {
		kind: 'queue',
		name,
		title: name,
		caption: [
			`Length of the egress queue ${name}, at most ` +
				`${q.amount(highest(list), 'bytes')}.`,
			q.binned(list[0].queue.bin_us, true),
			lines.length ? `${q.names(lines.map((l) => l.text + ' at ' + l.size), 6)}.`
				     : '',
			lines.some((l) => l.of === 'group')
				? 'XOFF is about what an ingress group holds, in all queues ' +
				'together.'
				: ''
		].filter((s) => s)
				 .join(' ')
	});
	q.graph(f, {
		name: 'Queue ' + name,
		unit: 'bytes',
		top,
		levels: told,
		lines: () => list.map((x) => ({
			name: many ? x.label : name,
			t: x.queue.t,
			mid: x.queue.mean,
			low: x.queue.min,
			high: x.queue.max,
			bin: x.queue.bin_us,
			tone: many ? q.look(x.run).tone : q.index('queue', name),
			dash: many ? q.look(x.run).dash : []
		}))
	});
}

const both = (runs, member) =>
	runs.flatMap((r, i) => q.list(r[member]).map((v) => ({run: i, label: r.label, v})));

// Queues over time: a plot for each queue, with a line for each run.
q.queues = function (parent, runs) {
	const found = both(runs, 'queues').map((x) => ({run: x.run, label: x.label, queue: x.v}));
	const many = runs.length > 1;
	const all =
		[...q.groups(found.filter((x) => q.list(x.queue.t).length), (x) => x.queue.name)];
	all.forEach(([name, list]) => queuePlot(parent, name, list, many));
	const more = q.most(runs.map((r) => r.more_queues || 0), 0);
	if (more) {
		parent.append(q.el('p', {class: 'note'},
			`${q.count(more, 'more queue has', 'more queues have')}` +
				' no plot: they were shorter than these. The table of queues ' +
				'has them all.'));
	}
	return found.length;
};

const WHAT = {
	goodput: ['goodput', 'Gb/s', 'payload that arrived in order'],
	rc: ['Rc', 'Gb/s', 'current rate of the reaction point'],
	rt: ['Rt', 'Gb/s', 'target rate of the reaction point'],
	alpha: ['alpha', '', 'the reaction point\'s alpha, 0 to 1'],
};

function ratePlot(parent, title, list, many) {
	const has = Object.keys(WHAT).filter((k) => list.some((x) => q.list(x.v[k]).length));
	if (!has.length) return;
	let what = has[0], graph = null;
	const names = [...new Set(list.map((x) => x.v.name))];
	const lines = () => list.filter((x) => q.list(x.v[what]).length).map((x) => ({
		name: many ? `${x.v.name}, ${x.label}` : x.v.name,
		t: x.v.t,
		mid: x.v[what],
		low: x.v[what + '_min'],
		high: x.v[what + '_max'],
		bin: x.v.bin_us,
		tone: many && names.length === 1 ? q.look(x.run).tone : q.index('rate', x.v.name),
		dash: many ? names.length === 1 ? q.look(x.run).dash : q.dash(x.run)
			   : q.dash(Math.floor(names.indexOf(x.v.name) / 7))
	}));
	const top = () => what === 'alpha'
		? 1.02
		: 1.06 * q.most(lines().map((l) => seen(l.t, l.high || l.mid)), 0.001);
	const mean = list.some((x) => x.v.flows > 1);
	const caption = () => `${WHAT[what][0].replace(/^[a-z]/, (c) => c.toUpperCase())}: ` +
		`${WHAT[what][2]}. ` +
		q.binned(list[0].v.bin_us, false, what === 'goodput' ? '' : 'the samples in ') +
		(mean ? ' A line is the mean over the flows of its group, the band their ' +
				'least and most.'
		      : '');
	const f = q.figure(parent, {
		kind: 'rate',
		name: title,
		title,
		caption: caption(),
		controls: has.length > 1
			? [q.choice('What the plot shows', has.map((k) => [k, WHAT[k][0]]), what,
				  (v) => {
					  what = v;
					  graph.renew();
					  f.caption(caption());
				  })]
			: []
	});
	graph = q.graph(f, {name: title, unit: () => WHAT[what][1], top, lines});
}

// The flows of each group of a run as one line: their mean, with the band of their least and most.
function grouped(list) {
	return [...q.groups(list, (x) => x.run + '\n' + (x.v.group || x.v.name)).values()].map(
		(same) => {
			const v = Object.assign({}, same[0].v), all = same.map((x) => x.v);
			if (same.length === 1) return same[0];
			v.name = v.group || v.name;
			v.flows = all.reduce((n, f) => n + (f.flows || 1), 0);
			for (const k of Object.keys(WHAT)) {
				const some = all.filter((f) => q.list(f[k]).length === v.t.length);
				const at = (i) =>
					some.map((f) => f[k][i]).filter((y) => y !== null);
				const over = (make) => some.length
					? v.t.map((t, i) => at(i).length ? make(at(i)) : null)
					: null;
				v[k] = over((ys) => ys.reduce((s, y) => s + y, 0) / ys.length);
				v[k + '_min'] = over((ys) => Math.min(...ys));
				v[k + '_max'] = over((ys) => Math.max(...ys));
			}
			return Object.assign({}, same[0], {v});
		});
}

// Rates over time: all in one plot while they are few, else a plot for each group.
q.rates = function (parent, runs) {
	const all = both(runs, 'rates').filter((x) => q.list(x.v.t).length);
	const many = runs.length > 1, found = many && all.length > 8 ? grouped(all) : all;
	const names = new Set(found.map((x) => x.v.name));
	if (names.size <= 8) {
		if (found.length)
			ratePlot(parent, names.size > 1 ? 'Rates' : 'Rate of ' + [...names][0],
				found, many);
	} else {
		for (const [group, list] of q.groups(found, (x) => x.v.group || x.v.name)) {
			ratePlot(parent, 'Rates of ' + group, list, many);
		}
	}
	const more = q.most(runs.map((r) => r.more_rates || 0), 0);
	if (more) {
		parent.append(q.el('p', {class: 'note'},
			q.count(more, 'more flow has', 'more flows have') +
				' no line. The table has them all.'));
	}
	return found.length;
};
})(window.quench);
