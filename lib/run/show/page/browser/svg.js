// SPDX-License-Identifier: BSD-3-Clause
// The page's own drawings: axes with round ticks, lines, points, bars, spans, and text that fits.
(function (q) {
'use strict';

const pen = document.createElement('canvas').getContext('2d');
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

// The width of a text in px, as the page's style sets it.
q.width = function (text, size, weight) {
	pen.font = (weight || 400) + ' ' + (size || 12) + 'px ' + FONT;
	return pen.measureText(text).width;
};

// Round values from `from` to `to`, about `n` of them.
q.ticks = function (from, to, n) {
	const span = to - from;
	if (!(span > 0)) return [from];
	const raw = span / Math.max(1, n), ten = Math.pow(10, Math.floor(Math.log10(raw)));
	const step = [1, 2, 2.5, 5, 10].map((m) => m * ten).find((s) => s >= raw * 0.999);
	const list = [];
	for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-6; i++) {
		list.push(Number((i * step).toPrecision(12)));
	}
	return list;
};

// Decades, with 2 and 5 between them where there are few.
q.logTicks = function (from, to, n) {
	const lo = Math.floor(Math.log10(from)), hi = Math.ceil(Math.log10(to));
	const within = to / from < 10 ? [1, 1.5, 2, 3, 4, 5, 7] : hi - lo <= 2 ? [1, 2, 5] : [1];
	const every = Math.max(1, Math.ceil((hi - lo) / Math.max(1, n)));
	const list = [];
	for (let e = lo; e <= hi; e += every) {
		for (const m of within) {
			const v = Number((m * Math.pow(10, e)).toPrecision(6));
			if (v >= from * 0.9999 && v <= to * 1.0001) list.push(v);
		}
	}
	return list.length > 1 ? list : q.ticks(from, to, n);
};

// One axis: from value to its share of the length, its ticks and their texts.
q.axis = function (a, n) {
	const log = a.log && a.from > 0;
	const f = log ? Math.log10 : (v) => v;
	const lo = f(a.from), span = f(a.to) - lo || 1;
	const [by, unit] = q.scale(a.unit, Math.max(Math.abs(a.from), Math.abs(a.to)));
	const each = log && a.to / a.from > 1e3;
	const at = log ? q.logTicks(a.from, a.to, n)
		       : q.ticks(a.from / by, a.to / by, n).map((v) => v * by);
	return {
		share: (v) => (f(log ? Math.max(v, a.from / 1e6) : v) - lo) / span,
		value: (share) => log ? Math.pow(10, lo + share * span) : lo + share * span,
		unit: each ? '' : unit,
		ticks: at.map((v) => [v, each ? q.amount(v, a.unit) : q.num(v / by, 6)]),
	};
};

// A point's outline, r px around x, y.
q.glyph = function (shape, x, y, r) {
	const d = r * 1.2;
	switch (shape) {
	case 'square': return `M${x - r} ${y - r}h${2 * r}v${2 * r}h${- 2 * r}z`;
	case 'triangle': return `M${x} ${y - d}l${d} ${2 * r}h${- 2 * d}z`;
	case 'diamond': return `M${x} ${y - d}l${d} ${d}l${- d} ${d}l${- d} ${- d}z`;
	case 'cross':
		return `M${x - r} ${y - r}l${2 * r} ${2 * r}M${x + r} ${y - r}l${- 2 * r} ${2 * r}`;
	case 'plus': return `M${x} ${y - d}v${2 * d}M${x - d} ${y}h${2 * d}`;
	default: return `M${x - r} ${y}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${- 2 * r} 0z`;
	}
};

// A text that stays between the edges 0 and `width`: it moves, and as a last resort is shortened
// with its whole in a title.
q.label = function (x, y, text, o) {
	const size = o.size || 12, pad = 2;
	let shown = text, w = q.width(shown, size, o.weight);
	const room = o.room || (o.within || 1e9) - 2 * pad;
	if (w > room) {
		while (shown.length > 1 && q.width(shown + '…', size, o.weight) > room) {
			shown = shown.slice(0, -1);
		}
		shown += '…';
		w = q.width(shown, size, o.weight);
	}
	const share = {start: 0, middle: 0.5, end: 1}[o.anchor || 'start'];
	let left = x - share * w;
	if (o.within) left = Math.max(pad, Math.min(left, o.within - w - pad));
	const e = q.sel('text', {
		x: round(left + share * w),
		y: round(y),
		class: o.class,
		'text-anchor': o.anchor,
		'font-size': size,
		'font-weight': o.weight
	},
		shown);
	if (shown !== text) e.append(q.sel('title', {}, text));
	return e;
};

const round = (v) => Math.round(v * 10) / 10;
q.round = round;

// A path through points; null breaks it.
q.path = function (xs, ys, step) {
	let d = '', open = false;
	for (let i = 0; i < xs.length; i++) {
		if (ys[i] === null || Number.isNaN(ys[i])) {
			open = false;
			continue;
		}
		const x = round(xs[i]), y = round(ys[i]);
		d += open ? (step ? `H${x}V${y}` : `L${x} ${y}`) : `M${x} ${y}`;
		open = true;
	}
	return d;
};

// The argument of a plot's `draw`: everything in values of its axes.
class Canvas {
	constructor(svg, area, x, y) {
		Object.assign(this, {svg, area, xAxis: x, yAxis: y, series: 0});
		this.ink = q.sel('g', {'clip-path': `url(#${area.clip})`});
	}
	x(v) { return this.area.left + this.xAxis.share(v) * this.area.width; }
	y(v) { return this.area.top + (1 - this.yAxis.share(v)) * this.area.height; }
	// `o`: class, dash, and series if the legend names it.
	add(d, o) {
		const e = q.sel('path', {
			d,
			class: o.class,
			'data-series': o.series,
			'stroke-dasharray': o.dash && o.dash.length ? o.dash.join(' ') : null
		});
		this.ink.append(e);
		if (o.series !== undefined && o.series !== null) this.series++;
		return e;
	}
	line(xs, ys, o) {
		return this.add(q.path(xs.map((v) => this.x(v)),
					ys.map((v) => v === null ? null : this.y(v)), o.step),
			Object.assign({}, o, {class: 'line ' + o.class}));
	}
	points(xs, ys, shape, o) {
		const r = o.size || 3.5;
		const d = xs.map((v, i) => ys[i] === null ? ''
							  : q.glyph(shape, round(this.x(v)),
								    round(this.y(ys[i])), r))
				  .join('');
		return this.add(d, Object.assign({}, o, {class: `mark ${shape} ${o.class}`}));
	}
	// Vertical bars of doubt with small feet.
	errors(xs, low, high, o) {
		const d = xs.map((v, i) => {
				    if (low[i] === null || high[i] === null) return '';
				    const x = round(this.x(v)), a = round(this.y(low[i])),
					  b = round(this.y(high[i]));
				    return `M${x - 2.5} ${a}h5M${x} ${a}V${b}M${x - 2.5} ${b}h5`;
			    }).join('');
		return this.add(d, Object.assign({}, o, {class: 'error ' + o.class}));
	}
	bars(from, to, ys, o) {
		const floor = this.area.top + this.area.height;
		const d = from.map((v, i) => {
				      const a = round(this.x(v)), b = round(this.x(to[i])),
					    y = round(this.y(ys[i]));
				      return ys[i] > 0 ? `M${a} ${floor}V${y}H${b}V${floor}z` : '';
			      }).join('');
		return this.add(d, Object.assign({}, o, {class: 'bar ' + o.class}));
	}
	// A line across the plot with its name at the right end.
	level(v, name, o) {
		const y = round(this.y(v)), end = this.area.left + this.area.width;
		this.add(`M${this.area.left} ${y}H${end}`, Object.assign({}, o, {class: 'level'}));
		this.svg.append(q.label(end - 2, y - 4, name, {anchor: 'end', class: 'note'}));
	}
	upright(v, name, row) {
		const x = round(this.x(v)), {left, width, top, height} = this.area;
		this.add(`M${x} ${top}V${top + height}`, {class: 'level', dash: [2, 3]});
		const right = x + q.width(name, 12) + 8 > left + width;
		this.svg.append(q.label(x + (right ? -4 : 4), top + 12 + 15 * (row || 0), name,
			{anchor: right ? 'end' : 'start', class: 'note'}));
	}
}

let clips = 0;

function grid(svg, area, x, y, o) {
	const bottom = area.top + area.height, edge = area.left + area.width;
	let lines = '', last = -1e9;
	for (const [v, text] of y.ticks) {
		const at = round(area.top + (1 - y.share(v)) * area.height);
		if (at < area.top - 1 || at > bottom + 1) continue;
		lines += `M${area.left} ${at}H${edge}`;
		svg.append(q.label(area.left - 7, at + 4, text, {anchor: 'end', class: 'tick'}));
	}
	svg.append(q.sel('path', {d: lines, class: 'grid'}));
	let feet = '';
	for (const [v, text] of x.ticks) {
		const at = round(area.left + x.share(v) * area.width), w = q.width(text, 12);
		if (at < area.left - 1 || at > edge + 1) continue;
		feet += `M${at} ${bottom}v4`;
		if (at - w / 2 < last + 8) continue;
		last = at + w / 2;
		svg.append(q.label(
			at, bottom + 18, text, {anchor: 'middle', class: 'tick', within: o.width}));
	}
	svg.append(q.sel('path', {d: `M${area.left} ${bottom}H${edge}` + feet, class: 'axis'}));
	const named = (a, unit) => a.label + (unit ? (a.label ? ', ' : '') + unit : '');
	svg.append(q.label(edge, bottom + 36, named(o.x, x.unit),
		{anchor: 'end', class: 'title', within: o.width}));
	svg.append(q.label(0, 12, named(o.y, y.unit), {class: 'title', within: o.width}));
}

// A plot with two axes in `host`, drawn anew whenever the page asks for it. `make` returns
// {height, x, y, draw}: each axis has from, to, unit, label and log.
q.plot = function (host, make) {
	const clip = 'clip' + clips++;
	q.drawn(() => {
		const o = make(), width = Math.max(260, host.clientWidth || 700);
		o.width = width;
		const y = q.axis(o.y, o.height / 45);
		const left = Math.ceil(Math.max(30, ...y.ticks.map((t) => q.width(t[1], 12) + 12)));
		const area = {left, top: 22, width: width - left - 12, height: o.height - 66, clip};
		const x = q.axis(o.x, area.width / 75);
		const svg = q.sel('svg', {
			width,
			height: o.height,
			role: 'img',
			'aria-label': o.about,
			viewBox: `0 0 ${width} ${o.height}`
		});
		svg.append(q.sel('clipPath', {id: clip}, q.sel('rect', {
			x: left - 5,
			y: area.top - 6,
			width: area.width + 10,
			height: area.height + 7
		})));
		grid(svg, area, x, y, o);
		const c = new Canvas(svg, area, x, y);
		svg.append(c.ink);
		o.draw(c);
		host.replaceChildren(svg);
		host.closest('figure').dataset.series = c.series;
	});
};

// Where drawings without axes begin: an empty one of this size with a name for who hears it.
q.sheet = (width, height, about) => q.sel('svg', {
	width: round(width),
	height: round(height),
	role: 'img',
	'aria-label': about,
	viewBox: `0 0 ${round(width)} ${round(height)}`
});

let figures = 0;

// A figure of the page: title, controls, room for the drawing, legend and caption.
// `o`: kind, name, title, controls, caption, legend as a list of elements.
q.figure = function (parent, o) {
	const host = q.el('div', {class: 'host'});
	const legend = q.el('div', {class: 'legend'}, o.legend || []);
	const text = q.el('span', {}, o.caption || '');
	const figure = q.el('figure', {'data-plot': o.kind, 'data-name': o.name, 'data-series': 0},
		q.el('div', {class: 'figure-head'}, o.title ? q.el('h3', {}, o.title) : '',
			q.el('span', {class: 'controls'}, o.controls || [])),
		legend, host,
		q.el('figcaption', {}, q.el('b', {}, 'Figure ' + ++figures + '. '), text));
	parent.append(figure);
	return {figure, host, legend, caption(t) { text.textContent = t; }};
};

// A line of the legend.
q.key = (swatch, text) => q.el('span', {class: 'key'}, swatch, text);
})(window.quench);
