// SPDX-License-Identifier: BSD-3-Clause
// Jobs: the parts of each iteration as bars, and a lane for each rank with its calcs and the
// messages on their way to it.
(function (q) {
'use strict';

const BAND = 13;
const FEW = 12; // iterations that are bars below each other
const PARTS = [
	['wire', 0],
	['compute', 2],
	['pause', 1],
	['rate cut', 4],
	['resend', 3],
	['wait', 6],
];

const legend = (steps) => PARTS.filter((p, i) => steps.some((s) => s.parts[i] > 0)).map(
	([name, tone]) => q.key(q.swatch(q.tone(tone), null, 'square'), name));

const share = (s, us) => q.num(100 * us / s.completion_us, 3);
const told = (s) => PARTS.map(([name], i) => [name, s.parts[i]]).filter((p) => p[1] > 0).map(
	([name, us]) => `${name} ${q.amount(us, 'us')}, ${share(s, us)} %`).join('; ');

// A bar for each iteration, from left to right.
function across(f, steps) {
	const ROW = 26, BAR = 16;
	q.drawn(() => {
		const width = Math.max(260, f.host.clientWidth || 700);
		const names = steps.map((s) => `iteration ${s.number}`);
		const ends = steps.map((s) => q.amount(s.completion_us, 'us', 6));
		const left = Math.ceil(Math.max(...names.map((n) => q.width(n)))) + 10;
		const right = Math.ceil(Math.max(...ends.map((n) => q.width(n)))) + 8;
		const scale = (width - left - right) / q.most(steps.map((s) => s.completion_us), 0);
		const svg = q.sheet(width, steps.length * ROW + 4, 'Parts of iterations');
		steps.forEach((s, i) => {
			const top = i * ROW + 4;
			let at = left;
			svg.append(q.label(
				left - 8, top + 12, names[i], {anchor: 'end', class: 'tick'}));
			s.parts.forEach((us, k) => {
				const w = us * scale;
				if (!(w > 0))
					return;
				svg.append(q.sel('rect', {
					class: 'part ' + q.tone(PARTS[k][1]),
					x: q.round(at),
					y: top,
					width: q.round(w),
					height: BAR
				},
					q.sel('title', {}, told(s))));
				at += w;
			});
			svg.append(q.label(at + 6, top + 12, ends[i], {class: 'tick'}));
		});
		f.host.replaceChildren(svg);
		f.figure.dataset.series = steps.length;
	});
}

// An upright bar for each of many iterations.
function upright(f, steps) {
	const first = steps[0].number, last = steps[steps.length - 1].number;
	q.plot(f.host, () => ({
		height: 300,
		about: 'Parts of iterations',
		x: {from: first - 0.5, to: last + 0.5, label: 'iteration', unit: ''},
		y: {
			from: 0,
			to: q.most(steps.map((s) => s.completion_us), 0) * 1.05 || 1,
			label: '',
			unit: 'us'
		},
		draw: (c) => PARTS.forEach(([, tone], k) => {
			let d = '';
			for (const s of steps) {
				if (!(s.parts[k] > 0))
					continue;
				const below = s.parts.slice(0, k).reduce((a, b) => a + b, 0);
				const l = q.round(c.x(s.number - 0.4)),
				      r = q.round(c.x(s.number + 0.4));
				const b = q.round(c.y(below)), t = q.round(c.y(below + s.parts[k]));
				d += `M${l} ${b}V${t}H${r}V${b}z`;
			}
			if (d)
				c.add(d, {class: 'part ' + q.tone(tone), series: k});
		})
	}));
}

// Of the first and the last iterations the last ones, where others lie between them.
function shown(job) {
	const steps = q.list(job.steps);
	let from = steps.length - 1;
	while (from > 0 && steps[from].number - steps[from - 1].number === 1)
		from--;
	return steps.slice(Math.max(from, 0));
}

function parts(parent, job, title) {
	const steps = shown(job);
	if (!steps.length)
		return;
	const all = steps.length === job.iterations;
	const f = q.figure(parent, {
		kind: 'job-parts',
		name: job.name,
		title,
		legend: legend(steps),
		caption: (job.schedule ? `${job.schedule}, ${q.count(job.ranks, 'rank')}. ` : '') +
			'Where the time of each iteration went, along the chain of operations ' +
			'that led to its last end.' +
			(all ? '' : ` The last ${steps.length} of ${q.num(job.iterations, 12)}.`)
	});
	if (steps.length <= FEW)
		across(f, steps);
	else
		upright(f, steps);
}

const inside = (spans, t) => q.list(spans).some((s) => s[0] <= t && t <= s[1]);
const total = (spans) => q.list(spans).reduce((sum, s) => sum + s[1] - s[0], 0);

function lane(run, l, many) {
	const compute = total(l.compute), messages = total(l.messages);
	const notes = [[compute, 'compute'], [messages, 'messages']]
			      .filter((n) => n[0] > 0)
			      .map((n) => `${n[1]} ${q.amount(n[0], 'us')}`);
	return {
		name: many ? `${l.name}, ${run.label}` : l.name,
		notes: [notes.join(', '), ''],
		parts: [
			{
				class: 'span',
				tone: 2,
				path: (x, top) => q.spans(l.compute, x, top + BAND - 3, BAND - 4)
			},
			{
				class: 'span',
				tone: 0,
				path: (x, top) =>
					q.spans(l.messages, x, top + 2 * BAND - 5, BAND - 4)
			},
			{
				class: 'stroke',
				tone: 6,
				path: (x, top) =>
					q.strokes(l.ends, null, x, top + 2 * BAND - 3, 2 * BAND - 3)
			}
		],
		at: (t) => {
			const here = [
				inside(l.compute, t) ? 'compute' : '',
				inside(l.messages, t) ? 'messages' : ''
			].filter((s) => s);
			return here.length ? here.join(', ') : null;
		}
	};
}

function ranks(parent, run, job, many) {
	const list = q.list(job.lanes);
	if (!list.length)
		return;
	const bin = q.most(list.map((l) => l.bin_us), 0);
	q.lanes(parent, {
		kind: 'ranks',
		name: job.name,
		title: '',
		row: 16 + 2 * BAND + 8,
		caption: 'Each rank: above, when it computed; below, when a message was on its ' +
			'way to it, from the start of its send. A stroke is the last end of a ' +
			'receive or calc of an iteration.' +
			(bin ? ` Nearer than ${q.amount(bin, 'us')} they are drawn as one.` : '') +
			(list.length < job.ranks
				? ` The page has ${list.length} of ${q.num(job.ranks, 12)} ranks.`
				: '')
	},
		list.map((l) => lane(run, l, many)));
}

q.jobs = function (parent, runs) {
	const many = runs.length > 1;
	let drawn = 0;
	for (const run of runs) {
		for (const job of q.list(run.jobs)) {
			parts(parent, job, many ? `${job.name}, ${run.label}` : job.name);
			ranks(parent, run, job, many);
			drawn += q.list(job.steps).length + q.list(job.lanes).length;
		}
	}
	return drawn;
};
})(window.quench);
