// SPDX-License-Identifier: BSD-3-Clause
// The one view of time that all plots over time share: what is shown of it, and where the cursor
// is.
(function (q) {
'use strict';

const plots = [];
const graphs = [];
const view = q.view = {
	from: 0,
	to: 1,
	full: [0, 1],
	moments: [],
	cursor: null
};
let moving = false, asked = 0, panel = null, joined = null;

// All of time, and the window that the figures are about, in us; marks and changes as {t, text}, by
// time.
view.start = function (from, to, window, moments) {
	view.full = [from, to];
	view.moments = moments;
	view.window = window;
	[view.from, view.to] = view.full;
};

function bounded(from, to) {
	const [a, b] = view.full, least = (b - a) / 1e6;
	const span = Math.min(b - a, Math.max(to - from, least));
	const start = Math.min(Math.max(from, a), b - span);
	return [start, start + span];
}

// Shows this part of time in every plot; `again` draws them in any case.
view.set = function (from, to, again) {
	const [a, b] = bounded(from, to);
	if (a === view.from && b === view.to && !again) return;
	[view.from, view.to] = [a, b];
	moving = true;
	const shows = (g) => g.xAxisRange()[0] === a && g.xAxisRange()[1] === b;
	// The synchronizer asks for the option, which a drag does not set.
	graphs.filter(shows).forEach((g) => g.updateOptions({dateWindow: [a, b]}, true));
	// The first graph tells the others, through the synchronizer.
	if (graphs.length && !shows(graphs[0])) graphs[0].updateOptions({dateWindow: [a, b]});
	for (const g of graphs) {
		const now = g.yAxisRange(), want = g.range();
		if (now[0] !== want[0] || now[1] !== want[1]) g.updateOptions({valueRange: want});
	}
	moving = false;
	plots.forEach((p) => p.draw && p.draw());
	stand();
	if (view.buttons) view.buttons.hidden = a === view.full[0] && b === view.full[1];
	cursor(view.cursor);
};

// Shows all of time, and each plot's own range of values.
view.all = () => view.set(view.full[0], view.full[1], true);

// Puts the lines of marks and changes where the view shows them now. A text ends at the next line.
function stand() {
	for (const p of plots) {
		const {left, width} = p.area();
		const seen = view.moments.filter((m) => m.t >= view.from && m.t <= view.to);
		const x = (m) => Math.round(
			left + width * (m.t - view.from) / (view.to - view.from));
		p.moments.replaceChildren(...seen.map((m, i) => {
			const room = (i + 1 < seen.length ? x(seen[i + 1]) : left + width) - x(m);
			return q.el('div', {
				class: 'moment',
				title: m.text,
				style: `left:${x(m)}px`
			}, p.graph && room > 30 ? q.el('span', {style: `max-width:${room - 6}px`},
								 m.text)
						: '');
		}));
	}
}

// Joins the graphs: the synchronizer passes the part of time that one shows on to the others.
view.join = function () {
	if (joined) joined.detach();
	joined = graphs.length < 2
		? null
		: window.Dygraph.synchronize(graphs, {selection: false, zoom: true, range: false});
	q.drawn(stand);
};

// A graph calls this when it has drawn itself.
view.adopt = function (g) {
	if (moving) return;
	const [a, b] = g.xAxisRange();
	if (a !== view.from || b !== view.to) view.set(a, b);
};

view.unit = () => q.scale('us', view.full[1]);

// The parts of all time that lie outside of the window.
view.outside = () => view.window
	? [[view.full[0], view.window[0]], [view.window[1], view.full[1]]].filter(([a, b]) => b > a)
	: [];

// Round instants in the view with their texts, for so many px.
view.ticks = function (px) {
	const [by, name] = view.unit();
	return q.ticks(view.from / by, view.to / by, px / 95)
		.map((v) => [v * by, q.num(v, 9) + '\u00a0' + name]);
};

// An instant as text, as fine as the view shows it.
view.instant = function (t) {
	const [by, name] = view.unit();
	const fine =
		Math.max(0, Math.min(9, 3 - Math.floor(Math.log10((view.to - view.from) / by))));
	return (t / by).toFixed(fine) + '\u00a0' + name;
};

function cursor(t) {
	view.cursor = t;
	cancelAnimationFrame(asked);
	asked = requestAnimationFrame(() => {
		for (const p of plots) {
			const {left, width} = p.area(),
				     share = (t - view.from) / (view.to - view.from);
			p.hair.hidden = t === null || share < 0 || share > 1;
			p.hair.style.left = left + share * width + 'px';
		}
		tell(t);
	});
}
view.cursorAt = cursor;

function tell(t) {
	if (!panel) return;
	panel.hidden = t === null;
	if (t === null) return;
	const rows = [q.el('div', {class: 'instant'}, view.instant(t))];
	for (const p of plots) {
		const values = p.values(t);
		if (!values.length) continue;
		rows.push(q.el('div', {class: 'of'}, p.name));
		for (const [swatch, name, text] of values) {
			rows.push(q.el('div', {class: 'value'}, swatch, q.el('span', {}, name),
				q.el('b', {}, text)));
		}
	}
	panel.replaceChildren(...rows);
}

// The panel with the values at the cursor.
view.panel = () => panel = q.el('div', {class: 'readout', 'aria-live': 'polite', hidden: true});

function keys(e) {
	const span = view.to - view.from;
	const mid = view.cursor === null ? (view.from + view.to) / 2 : view.cursor;
	const zoom = (by) => view.set(mid - (mid - view.from) * by, mid + (view.to - mid) * by);
	const move = (by) => {
		const t = Math.max(view.full[0], Math.min(view.full[1], mid + by * span));
		if (e.shiftKey) view.set(view.from + 20 * by * span, view.to + 20 * by * span);
		else if (t < view.from || t > view.to)
			view.set(view.from + t - mid, view.to + t - mid);
		cursor(t);
	};
	switch (e.key) {
	case 'ArrowLeft': move(-0.005); break;
	case 'ArrowRight': move(0.005); break;
	case '+':
	case '=': zoom(0.5); break;
	case '-': zoom(2); break;
	case '0': view.all(); break;
	case 'Escape': cursor(null); break;
	default: return;
	}
	e.preventDefault();
}

// Lets a drag across a drawing choose a part of time.
function dragged(host, p, instant) {
	const box = q.el('div', {class: 'chosen', hidden: true});
	let start = null;
	host.append(box);
	host.addEventListener('pointerdown', (e) => {
		if (e.button || e.pointerType === 'touch') return;
		start = e.clientX;
		e.preventDefault();
		host.focus({preventScroll: true});
		host.setPointerCapture(e.pointerId);
	});
	host.addEventListener('pointermove', (e) => {
		if (start === null) return;
		const edge = host.getBoundingClientRect().left;
		box.hidden = Math.abs(e.clientX - start) < 4;
		box.style.left = Math.min(start, e.clientX) - edge + 'px';
		box.style.width = Math.abs(e.clientX - start) + 'px';
	});
	host.addEventListener('pointerup', (e) => {
		if (start !== null && Math.abs(e.clientX - start) >= 4) {
			const [a, b] = [instant(start), instant(e.clientX)];
			view.set(Math.min(a, b), Math.max(a, b));
		}
		start = null;
		box.hidden = true;
	});
	host.addEventListener('dblclick', view.all);
}

// Takes a plot over time into the view. `p`: name, area() with left and width of its plotting area
// in px, values(t) as [swatch, name, text], draw() where it is no graph, or the graph.
view.attach = function (host, p) {
	p.hair = q.el('div', {class: 'hair', hidden: true});
	p.moments = q.el('div', {class: 'moments'});
	host.append(p.moments, p.hair);
	const instant = (x) => {
		const {left, width} = p.area();
		const share = (x - host.getBoundingClientRect().left - left) / width;
		return view.from + Math.max(0, Math.min(1, share)) * (view.to - view.from);
	};
	host.classList.add('timed');
	host.tabIndex = 0;
	host.addEventListener('pointermove', (e) => cursor(instant(e.clientX)));
	host.addEventListener('pointerdown', (e) => cursor(instant(e.clientX)));
	host.addEventListener('pointerleave', () => cursor(null));
	host.addEventListener('keydown', keys);
	plots.push(p);
	if (p.graph) graphs.push(p.graph);
	else dragged(host, p, instant);
};

// The bar above the plots over time.
view.bar = function () {
	const zoom = (by) => () => {
		const mid = (view.from + view.to) / 2, half = (view.to - view.from) / 2 * by;
		view.set(mid - half, mid + half);
	};
	const whole = view.outside().length ? q.button('window', () => view.set(...view.window), {
		'data-do': 'window',
		title: 'Show the window that the figures are about'
	})
					    : null;
	view.buttons = q.button('show all', view.all, {'data-do': 'all', hidden: true});
	return q.el('div', {class: 'viewbar'},
		q.el('span', {
			class: 'hint',
			title: 'Keys on a plot: arrows move, + and − zoom, 0 shows all.'
		},
			'Drag across a plot to zoom into all of them; ' +
				'double click shows all again.'),
		q.el('span', {class: 'controls'}, view.buttons, whole,
			q.button('+', zoom(0.5), {'aria-label': 'zoom in', 'data-do': 'in'}),
			q.button('−', zoom(2), {'aria-label': 'zoom out', 'data-do': 'out'})));
};

view.state = () => ({from: view.from, to: view.to, graphs: graphs.map((g) => g.xAxisRange())});
})(window.quench);
