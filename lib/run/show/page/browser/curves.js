// SPDX-License-Identifier: BSD-3-Clause
// Curves that are not over time: marking, slowdown by size, distributions.
(function (q) {
'use strict';

const legend = (lines) =>
	lines.map((l) => q.key(q.swatch(q.tone(l.tone), l.dash, l.shape), l.name));

// The configured ramp: nothing to Kmin, up to Pmax at Kmax, then everything.
function ramp(m, end) {
	const xs = [0, m.kmin, m.kmax], ys = [0, 0, m.pmax];
	if (end > m.kmax) {
		xs.push(m.kmax, end);
		ys.push(1, 1);
	}
	return [xs, ys];
}

// The marks of a queue in each range of lengths that its marker saw.
function measured(m) {
	const rows = q.list(m.from)
			     .map((from, i) => ({
				     from,
				     to: m.to[i] === null ? from : m.to[i],
				     ratio: m.ratio[i],
				     low: m.low[i],
				     high: m.high[i],
				     theory: m.theory[i],
				     frames: m.frames[i]
			     }))
			     .filter((r) => r.frames > 0);
	return rows.map((r) => Object.assign(r, {x: (r.from + r.to) / 2}));
}

function markingPlot(parent, name, list, many) {
	const sets = list.map((x) => ({
		m: x.v,
		run: x.run,
		rows: measured(x.v),
		name: many ? 'measured, ' + x.label : 'measured',
		tone: many ? q.look(x.run).tone : 0,
		shape: q.shape(x.run)
	}));
	const end = 1.04 * q.most(sets.flatMap((s) => s.rows.map((r) => r.to)), 1);
	const ramps =
		[...q.groups(sets, (s) => [s.m.kmin, s.m.kmax, s.m.pmax].join()).values()].filter(
			(s) => s[0].m.kmin !== null && s[0].m.kmin !== undefined);
	const highs = sets.flatMap((s) => s.rows.map((r) => r.high)).sort((a, b) => a - b);
	const top = Math.min(1.02,
		Math.max(1.3 *
				q.most(sets.flatMap((s) => s.rows.map(
							    (r) => Math.max(r.ratio, r.theory))),
					0),
			highs[Math.floor(highs.length * 0.8)] || 0) ||
			1);
	const cut = highs.filter((h) => h > top).length;
	const lines = sets.map(
		(s) => ({name: s.name + ' with 95 % interval', tone: s.tone, shape: s.shape}));
	const line = ramps.map((r) => ramps.length > 1 ? q.look(r[0].run).tone : 1);
	ramps.forEach((r, i) => lines.push({
		name: 'configured' +
			(ramps.length > 1 ? ', ' +
						q.names(r.map(
							(s) => s.name.replace('measured, ', '')))
					  : ''),
		tone: line[i],
		dash: q.dash(i)
	}));
	const m = sets[0].m, far = ramps.length === 1 && m.kmax > end;
	const f = q.figure(parent, {
		kind: 'marking',
		name,
		title: 'Marking at ' + name,
		legend: legend(lines),
		caption: `Share of ECT frames that ${name} marked, by the length of ` +
			'the queue that the marker saw. ' +
			(ramps.length === 1 ? `Configured: Kmin ` +
						`${q.amount(m.kmin, 'bytes')}, Kmax ` +
							`${q.amount(m.kmax, 'bytes')}` +
						`${far ? ' (beyond the plot)' : ''}, Pmax ` +
							`${q.num(100 * m.pmax)} %. `
					    : '') +
			(cut ? `The interval of ${q.count(cut, 'point')} reaches beyond the plot.`
			     : '')
	});
	q.plot(f.host, () => ({
		height: 300,
		about: 'Marking at ' + name,
		x: {from: 0, to: end, unit: 'bytes', label: 'length of the queue'},
		y: {from: 0, to: 100 * top, unit: '%', label: 'marked'},
		draw(c) {
			sets.forEach((s) => {
				const xs = s.rows.map((r) => r.x), tone = q.tone(s.tone);
				c.errors(xs, s.rows.map((r) => 100 * r.low),
					s.rows.map((r) => 100 * r.high), {class: tone});
				c.points(xs, s.rows.map((r) => 100 * r.ratio), s.shape,
					{class: tone, series: s.name});
			});
			ramps.forEach((r, i) => {
				const [xs, ys] = ramp(r[0].m, end);
				c.line(xs, ys.map((v) => 100 * v), {
					class: q.tone(line[i]),
					dash: q.dash(i),
					series: 'configured'
				});
				if (ramps.length > 1) return;
				if (r[0].m.kmin <= end) c.upright(r[0].m.kmin, 'Kmin', 0);
				if (r[0].m.kmax <= end) c.upright(r[0].m.kmax, 'Kmax', 1);
			});
		}
	}));
}

// Room for a figure of each group, two beside each other. A figure takes its width when it is
// drawn, and others come later, so their number is told first.
function pairs(parent, groups) {
	const box = q.el('div', {class: groups.size === 1 ? 'pairs single' : 'pairs'});
	parent.append(box);
	return box;
}

q.marking = function (parent, runs) {
	const found =
		runs.flatMap((r, run) => q.list(r.marking).map((v) => ({v, run, label: r.label})))
			.filter((x) => q.most(x.v.frames, 0) > 0);
	const groups = q.groups(found, (x) => x.v.name), box = pairs(parent, groups);
	for (const [name, list] of groups) markingPlot(box, name, list, runs.length > 1);
	return found.length;
};

const sized = (s) => s.to_bytes === s.from_bytes || s.to_bytes === null
	? q.amount(s.from_bytes, 'bytes')
	: `${q.amount(s.from_bytes, 'bytes', 3)} to ${q.amount(s.to_bytes, 'bytes', 3)}`;

const PERCENTILES = [
	['slowdown_p50', 'median', 'disc'], ['slowdown_p90', '90th percentile', 'diamond'],
	['slowdown_p99', '99th percentile', 'triangle'], ['slowdown_max', 'most', 'plus']
];

// Slowdown by size of the message: a line of its own for each size and run, from median to most.
q.sizes = function (parent, runs) {
	const found =
		runs.flatMap((r, run) => q.list(r.sizes).map((s) => ({s, run, label: r.label})));
	if (!found.length) return 0;
	const many = runs.length > 1;
	const rows = [...q.groups(found, (x) => sized(x.s)).entries()].flatMap(
		([size, list]) => list.map(
			(x, i) => Object.assign(
				{name: many ? (i ? '' : size + ': ') + x.label : size}, x)));
	const most = 1.05 * q.most(rows.flatMap((r) => PERCENTILES.map((p) => r.s[p[0]])), 1);
	const f = q.figure(parent, {
		kind: 'sizes',
		name: 'slowdown',
		title: '',
		legend: PERCENTILES.map((p) => q.key(q.swatch('s0', null, p[2]), p[1])),
		caption: 'How many times as long as alone a message took, by its size: ' +
			q.names([...new Set(found.map((x) => `${sized(x.s)}: ` +
						q.count(x.s.messages, 'message') +
						(many ? ` in ${x.label}` : '')))],
				6) +
			'.'
	});
	q.drawn(() => {
		const width = f.host.clientWidth || 700, row = 30, height = rows.length * row + 62;
		const svg = q.sheet(width, height, 'Slowdown by size');
		const left = Math.ceil(
			Math.min(width * 0.4, q.most(rows.map((r) => q.width(r.name)), 20) + 14));
		const axis = q.axis(
			{from: 1, to: Math.max(most, 1.5), log: most > 30}, (width - left) / 75);
		const x = (v) => q.round(left + axis.share(v) * (width - left - 16));
		const bottom = rows.length * row + 6;
		let grid = '';
		for (const [v, text] of axis.ticks) {
			grid += `M${x(v)} 4V${bottom}`;
			svg.append(q.label(x(v), bottom + 18, text,
				{anchor: 'middle', class: 'tick', within: width}));
		}
		svg.append(q.sel('path', {d: grid, class: 'grid'}),
			q.label(width - 16, bottom + 40,
				'slowdown' + (axis.log ? ', logarithmic' : ', from 1'),
				{anchor: 'end', class: 'title'}));
		rows.forEach((r, i) => {
			const y = 6 + row * (i + 0.5), tone = q.tone(many ? q.look(r.run).tone : 0);
			const marks = PERCENTILES.filter(
				(p) => r.s[p[0]] !== null && r.s[p[0]] !== undefined);
			svg.append(q.label(left - 10, y + 4, r.name,
					   {anchor: 'end', class: 'lane', room: left - 12}),
				q.sel('path', {
					d: `M${x(r.s[marks[0][0]])} ${y}H` +
						`${x(r.s[marks[marks.length - 1][0]])}`,
					class: 'range ' + tone,
					'data-series': i
				}));
			marks.forEach((p) => svg.append(q.sel('path', {
				class: `mark ${p[2]} ${tone}`,
				d: q.glyph(p[2], x(r.s[p[0]]), y, 4.5)
			},
					      q.sel('title', {}, `${p[1]}: ${q.num(r.s[p[0]])}`))));
		});
		f.host.replaceChildren(svg);
		f.figure.dataset.series = rows.length;
	});
	return found.length;
};

// The parts of a distribution in bins of equal width on the axis, each as a share in per cent.
function histogram(d, axis, n) {
	const from = [], to = [], ys = [];
	const below = (v) => {
		const i = q.before(d.x, v);
		return i < 0 ? 0 : d.y[i];
	};
	for (let i = 0; i < n; i++) {
		const a = axis.value(i / n), b = axis.value((i + 1) / n);
		from.push(a);
		to.push(b);
		ys.push(100 * (below(b) - (i ? below(a) : 0)));
	}
	return {from, to, ys};
}

function cdfPlot(parent, title, list, many) {
	const sets = list.filter((x) => q.list(x.v.x).length);
	if (!sets.length) return;
	const names = [...new Set(sets.map((x) => x.v.name))];
	const lines = sets.map((x) => ({
		name: names.length > 1 || !many ? x.v.name + (many ? ', ' + x.label : '') : x.label,
		tone: names.length > 1 ? names.indexOf(x.v.name) : q.look(x.run).tone,
		dash: many && names.length === 1 ? q.look(x.run).dash
						 : q.dash(many ? x.run : names.indexOf(x.v.name)),
		v: x.v,
		shape: x.v.exact === false
			? q.shape(names.length > 1 ? names.indexOf(x.v.name) : q.look(x.run).tone)
			: null
	}));
	const unit = sets[0].v.unit || '', exact = lines.filter((l) => l.v.exact !== false);
	const least = Math.min(...sets.map((x) => x.v.x.find((v) => v > 0) || Infinity));
	const most = q.most(sets.flatMap((x) => x.v.x), 0) || 1;
	let form = 'cdf', log = Number.isFinite(least) && most / least > 50;
	const controls = [];
	const draw = () => q.redraw();
	if (exact.length) {
		controls.push(q.choice(
			'Form', [['cdf', 'CDF'], ['histogram', 'histogram']], form, (v) => {
				form = v;
				draw();
			}));
	}
	if (Number.isFinite(least) && most > least) {
		controls.push(q.choice('Axis', [[false, 'lin'], [true, 'log']], log, (v) => {
			log = v;
			draw();
		}));
	}
	const counted =
		sets.filter((x) => x.v.n)
			.map((x) => (many || names.length > 1
						    ? (names.length > 1 ? x.v.name +
									      (many ? ', ' + x.label
										    : '')
									: x.label) +
							    ': '
						    : '') +
					q.num(x.v.n, 12));
	const f = q.figure(parent, {
		kind: 'cdf',
		name: title,
		title,
		controls,
		legend: legend(lines),
		caption: (counted.length ? 'Number of values: ' + q.names(counted, 6) + '. ' : '') +
			(exact.length < lines.length
					? 'Only percentiles are known where points are drawn; ' +
					'the ' +
						'thin line joins them.'
					: '')
	});
	q.plot(f.host, () => {
		const bars = form === 'histogram' && exact.length;
		const x = {
			from: log ? least : Math.min(0, least),
			to: most * (log ? 1.0001 : 1.02),
			unit,
			log,
			label: title.charAt(0).toLowerCase() + title.slice(1)
		};
		const axis = q.axis(x, 6);
		const parts = bars ? exact.map((l) => histogram(l.v, axis, 40)) : [];
		return {
			height: 270,
			about: title,
			x,
			y: {
				from: 0,
				to: bars ? 1.08 * q.most(parts.flatMap((p) => p.ys), 1) : 101,
				unit: '%',
				label: bars ? 'share of values' : 'values up to this'
			},
			draw(c) {
				if (bars) {
					exact.forEach((l, i) => c.bars(parts[i].from, parts[i].to,
							      parts[i].ys, {
								      class: q.tone(l.tone),
								      dash: l.dash,
								      series: l.name
							      }));
					return;
				}
				lines.forEach((l) => {
					const known = l.v.exact !== false,
					      ys = l.v.y.map((v) => 100 * v);
					const from = known ? [l.v.x[0]].concat(l.v.x) : l.v.x;
					c.line(from, known ? [0].concat(ys) : ys, {
						class: q.tone(l.tone) + (known ? '' : ' thin'),
						dash: l.dash,
						step: known,
						series: l.name
					});
					if (!known) {
						c.points(l.v.x, ys, l.shape,
							{class: q.tone(l.tone), size: 3});
					}
				});
			}
		};
	});
}

// Distributions: those with the same title in one plot.
q.cdfs = function (parent, runs) {
	const found =
		runs.flatMap((r, run) => q.list(r.cdfs).map((v) => ({v, run, label: r.label})));
	const groups = q.groups(found, (x) => x.v.title), box = pairs(parent, groups);
	for (const [title, list] of groups) cdfPlot(box, title, list, runs.length > 1);
	return found.length;
};
})(window.quench);
