// SPDX-License-Identifier: BSD-3-Clause
// Losses of queue pairs: a lane for each with lost frames, NAKs, frames sent again and timeouts.
// A table says how each loss was repaired.
(function (q) {
'use strict';

const BAND = 14;
const MARKS = [
	['lost', 'lost', 3],
	['nak', 'NAK', 5],
	['resent', 'sent again', 6],
	['timeout', 'timeout', 1],
];

function note(r) {
	const some = (key, text) => r[key].count ? `${text} ${q.num(r[key].count, 12)}` : '';
	const parts = [
		r.sent === null ? '' : `sent ${q.num(r.sent, 12)}`, some('lost', 'lost'),
		some('nak', 'NAKs'), some('resent', 'sent again'), some('timeout', 'timeouts')
	];
	return parts.filter((s) => s).join(', ');
}

// The times from a loss to its repair.
const repairs = (run, name) => q.list(run.losses).filter(
	(l) => l.flow === name && l.at_us !== null && l.resent_us !== null).map(
	(l) => [l.at_us, l.resent_us]);

function lane(run, r, many) {
	const spans = repairs(run, r.name);
	const bottom = (top, i) => top + (i + 1) * BAND - 2;
	return {
		name: many ? `${r.name}, ${run.label}` : r.name,
		notes: [note(r)],
		parts: [
			{
				class: 'span',
				tone: 6,
				path: (x, top) => q.spans(spans, x, bottom(top, 0), 3)
			},
			...MARKS.map(([key, , tone], i) => ({
				class: 'stroke',
				tone,
				path: (x, top) => q.strokes(
					r[key].t, null, x, bottom(top, i), BAND - 3)
			}))
		],
		more: (a, top) => MARKS.map(([, text], i) => q.label(a.left - 6, bottom(top, i),
			text, {anchor: 'end', class: 'tick'})),
		at: (t) => {
			const reach = (q.view.to - q.view.from) / 400;
			const here = MARKS.filter(([key]) => {
				const i = q.nearest(r[key].t, t);
				return i >= 0 && Math.abs(r[key].t[i] - t) <=
					Math.max(r[key].bin_us, reach);
			});
			return here.length ? here.map((m) => m[1]).join(', ') : null;
		}
	};
}

const COLUMNS = [
	{name: 'queue pair', meaning: 'Name of the flow.'},
	{name: 'PSN', meaning: 'The packet that was lost.'},
	{name: 'lost at', unit: 'us', meaning: 'Scene time; empty where no fault lost it.'},
	{name: 'where', meaning: 'The port where a fault lost it, and the number of the fault.'},
	{name: 'told by', meaning: 'What made the sender send it again.'},
	{name: 'NACK generation', unit: 'us', meaning: 'At that port: from the next data frame ' +
			'to the NAK. It needs faults that watch.'},
	{name: 'NACK reaction', unit: 'us', meaning: 'At that port: from the NAK to the packet ' +
			'sent again. It needs faults that watch.'},
	{name: 'retransmission', unit: 'us', meaning: 'At that port: from the loss to the packet ' +
			'sent again. It needs a fault that watches.'},
	{name: 'until sent again', unit: 'us', meaning: 'From the loss to the instant at which ' +
			'the sender begins to send the packet again.'},
	{name: 'frames', unit: 'frames', meaning: 'Sent again for this loss: the packet, and ' +
			'those behind it that are sent again.'}
];

const less = (to, from) => to === null || from === null ? null : Number((to - from).toFixed(6));

// A READ's sender hears of a loss by the repeated request.
function toldBy(l) {
	const told = l.nak_us !== null ? 'NAK' : '';
	if (l.timeout_us !== null) return told ? told + ', timeout' : 'timeout';
	return told || (l.nak_tx_us !== null ? 'repeated request' : '');
}

function row(l) {
	return [
		l.flow, l.psn, l.at_us, l.port ? `${l.port}, fault ${l.fault}` : '',
		toldBy(l),
		l.generation_us, l.reaction_us, l.retransmission_us, less(l.resent_us, l.at_us),
		l.frames
	];
}

q.recovery = function (parent, runs) {
	const many = runs.length > 1;
	const found = runs.flatMap((run) => q.list(run.recovery).map((r) => ({run, r})));
	if (!found.length) return 0;
	found.sort((a, b) => b.r.resent.count - a.r.resent.count);
	q.lanes(parent, {
		kind: 'ticks',
		name: 'recovery',
		title: '',
		row: 16 + MARKS.length * BAND + 8,
		caption: 'Each queue pair that lost frames or sent some again; the one that sent ' +
			'most again comes first. A bar runs from each loss by a fault to the ' +
			'instant at which the packet was sent again.'
	},
		found.map(({run, r}) => lane(run, r, many)));
	for (const run of runs) {
		if (!q.list(run.losses).length) continue;
		q.table(parent, {
			key: 'losses',
			title: many ? `Losses, ${run.label}` : 'Losses',
			columns: COLUMNS,
			rows: q.list(run.losses).map(row),
			left_out: run.more_losses
		});
	}
	return found.length;
};
})(window.quench);
