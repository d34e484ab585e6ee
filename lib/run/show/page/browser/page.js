// SPDX-License-Identifier: BSD-3-Clause
// The page as a whole: which sections there are, in which order, and the contents beside them.
(function (q) {
'use strict';

// A section that is only there if something was drawn in it.
function section(main, contents, id, title, draw, intro) {
	const body = q.el('section', {id}, q.el('h2', {}, title),
		intro ? q.el('p', {class: 'intro'}, intro) : '');
	main.append(body);
	if (!draw(body)) {
		body.remove();
		return;
	}
	contents.append(q.el('li', {}, q.el('a', {href: '#' + id}, title)));
}

// A part of the page that is shown for one run at a time, with a choice of the run.
function each(draw) {
	return (parent, runs) => {
		if (runs.length === 1) return draw(parent, runs[0]);
		const boxes = runs.map((r) => q.el('div', {'data-run': r.label}));
		parent.append(...boxes);
		// What nobody has asked for is not made.
		const made = [];
		const make = (i) => {
			if (made[i] === undefined) made[i] = Boolean(draw(boxes[i], runs[i]));
			return made[i];
		};
		const first = runs.findIndex((r, i) => make(i));
		if (first < 0) return false;
		const choose = (at) => {
			boxes.forEach((box, i) => box.hidden = i !== at);
			if (!make(at)) boxes[at].textContent = 'This run has nothing of it.';
		};
		boxes[0].before(q.choice('Run', runs.map((r, i) => [i, r.label]), first, (i) => {
			choose(i);
			q.redraw();
		}));
		choose(first);
		return true;
	};
}

function timed(main, contents, runs) {
	const end = q.most(runs.map((r) => r.end_us), 0) || 1;
	q.view.start(0, end, runs[0].window_us, q.moments(runs));
	const group = q.el('div', {class: 'time'}, q.view.bar());
	main.append(group);
	const add = (id, title, draw, intro) => section(group, contents, id, title, draw, intro);
	add('queues', 'Queues over time', (s) => q.queues(s, runs));
	add('rates', 'Rates over time', (s) => q.rates(s, runs) + q.tickLanes(s, runs, ['cut']));
	add('pauses', 'Pauses',
		(s) => q.pauses(s, runs) + q.tickLanes(s, runs, ['deadlock', 'storm']));
	add('events', 'Marks, notifications and losses',
		(s) => q.tickLanes(s, runs,
			Object.keys(q.kinds).filter(
				(k) => !['cut', 'deadlock', 'storm'].includes(k))));
	add('recovery', 'Losses and their repair', (s) => q.recovery(s, runs));
	add('jobs', 'Jobs', (s) => q.jobs(s, runs));
	add('moments', 'Marks, changes and faults', (s) => each(q.momentTable)(s, runs),
		'Dashed lines in the plots over time are these instants.');
	if (!group.querySelector('section')) group.remove();
	q.view.join();
}

function build(data) {
	q.sets = data.compare ? q.list(data.compare.sets).map((s) => s.runs) : [];
	const runs = q.list(data.runs), many = runs.length > 1;
	const contents = q.el('ol', {}), main = q.el('main', {});
	const nav = q.el('details', {class: 'contents', open: true},
		q.el('summary', {}, 'Contents'), contents);
	const side = q.el('aside', {class: 'side'}, nav, q.view.panel(),
		q.el('div', {class: 'theme'}, q.theme.control()));
	document.body.append(q.el('div', {class: 'page'}, side, main));
	if (document.documentElement.clientWidth < 1000) nav.open = false;
	const head = q.el('header', {});
	main.append(head);
	q.title(head, data);
	const add = (id, title, draw, intro) => section(main, contents, id, title, draw, intro);
	add('verdict', 'Verdict', (s) => q.verdict(s, runs));
	add('why', 'Why',
		(s) => runs.length > 2 ? each((p, r) => q.why(p, [r]))(s, runs) : q.why(s, runs));
	if (many) {
		add('differences', 'Differences',
			(s) => q.differences(s, data.compare) | q.differentConfig(s, data.compare));
	}
	add('topology', 'Topology and load', (s) => each(q.topology)(s, runs));
	timed(main, contents, runs);
	add('lineage', 'Who paused whom', (s) => each(q.lineage)(s, runs));
	add('marking', 'Marking', (s) => q.marking(s, runs));
	add('sizes', 'Slowdown by size', (s) => q.sizes(s, runs));
	add('distributions', 'Distributions', (s) => q.cdfs(s, runs));
	add('tables', 'Tables', (s) => each(q.tables)(s, runs));
	add('config', 'Configuration', (s) => each(q.config)(s, runs));
	add('again', 'How to reproduce', (s) => each(q.again)(s, runs));
	const licences = [...document.querySelectorAll('details.licence')];
	main.append(q.el('footer', {},
		q.el('p', {},
			`Made by ${data.program}. KB is 1000 bytes. Instants are scene time. A ` +
				`line has at most ${q.num(data.points, 12)} points. The shaded ` +
				'part of a plot over time lies outside of the window that the ' +
				'figures are about.'),
		licences));
}

function start() {
	const data = JSON.parse(document.getElementById('data').textContent);
	q.theme.start();
	q.data = data;
	build(data);
	// Details that are closed have no width: what is in them is drawn when they open.
	document.addEventListener(
		'toggle', (e) => e.target.querySelector('figure') && q.redraw(), true);
	document.documentElement.dataset.ready = 'yes';
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
else start();
})(window.quench);
