// SPDX-License-Identifier: BSD-3-Clause
// Two or more sets of runs side by side: figures with their error bars, and their configurations.
(function (q) {
'use strict';

const BOX = 190;

// The sets of one figure as points with bars of one standard deviation, on an axis of its own.
function bars(sets) {
	const known = sets.filter((s) => s && s.mean !== null && s.mean !== undefined);
	if (!known.length) return q.el('span', {}, '–');
	const low = Math.min(...known.map((s) => s.mean - (s.sd || 0)));
	const high = Math.max(...known.map((s) => s.mean + (s.sd || 0)));
	const span = high - low || Math.abs(high) || 1, mid = (low + high) / 2;
	const x = (v) => q.round(BOX / 2 + (v - mid) / span * (BOX - 20));
	const row = 12, svg = q.sheet(BOX, row * sets.length + 4, 'mean and standard deviation');
	sets.forEach((s, i) => {
		if (!s || s.mean === null || s.mean === undefined) return;
		const y = row * (i + 0.5) + 2, sd = s.sd || 0;
		svg.append(q.sel('path', {
			class: 'error s' + i % 7,
			d: sd ? `M${x(s.mean - sd)} ${y}` +
					`H${x(s.mean + sd)}M${x(s.mean - sd)} ${y - 3}v6M` +
						`${x(s.mean + sd)} ${y - 3}v6`
			      : 'M0 0'
		}),
			q.sel('path', {
				class: `mark ${q.shape(i)} s${i % 7}`,
				'data-set': i,
				d: q.glyph(q.shape(i), x(s.mean), y, 3.5)
			}));
	});
	return svg;
}

function told(s, unit) {
	if (!s || s.mean === null || s.mean === undefined) return '–';
	const digits = s.sd
		? Math.max(4,
			  Math.min(6, 2 + Math.ceil(Math.log10(Math.abs(s.mean) / s.sd + 1e-12))))
		: 4;
	return q.num(s.mean, digits) +
		(s.sd === null || s.sd === undefined ? '' : ' ± ' + q.num(s.sd, 2)) +
		(unit ? '\u00a0' + unit : '');
}

// The table of differences: the first set against the last.
q.differences = function (parent, c) {
	if (!c || !q.list(c.figures).length) return false;
	const sets = c.sets, last = sets.length - 1;
	let only = c.figures.some((f) => f.differs);
	parent.append(q.el('p', {class: 'legend'},
		sets.map((s, i) => q.key(q.swatch('s' + i % 7, null, q.shape(i)),
				 `${s.label} (${q.count(q.list(s.runs).length, 'run')})`))));
	const rows =
		c.figures.map((f) => [f.path, f.unit || ''].concat(
				      f.sets.map((s) => s && s.mean !== undefined ? s.mean : null),
				      [null, f.change_percent, f.differs ? 'differs' : '', f]));
	const columns =
		[
			{name: 'figure', unit: '', meaning: 'Its path in summary.json.'},
			{name: 'unit', unit: '', meaning: ''}
		].concat(sets.map((s) => ({
			name: s.label,
			unit: '',
			meaning: `Mean ± standard deviation over the runs of ${s.label}.`
		})),
			[
				{
					name: 'drawn',
					unit: '',
					meaning:
					'Each set as its mean with one standard deviation to ' +
					'either side; every row has an axis of its own.'
				},
				{
					name: 'change',
					unit: '%',
					meaning: `From ${sets[0].label} to ${sets[last].label}.`
				},
				{
					name: 'verdict',
					unit: '',
					meaning:
					'Whether the sets differ by more than chance explains.'
				}
			]);
	const cells = columns.map(() => null), at = sets.length + 2;
	cells[0] = (v, r) =>
		q.el('span', {title: r[at + 3].meaning}, v.replace(/([._])/g, '$1\u200b'));
	sets.forEach((s, i) => cells[2 + i] = (v, r) => q.el('span', {}, told(r[at + 3].sets[i])));
	cells[at] = (v, r) => bars(r[at + 3].sets);
	cells[at + 1] = (v) => q.el(
		'span', {},
		v === null || v === undefined ? '–' : (v > 0 ? '+' : '') + q.num(v, 3));
	cells[at + 2] = (v) => v ? q.el('b', {}, v) : q.el('span', {class: 'soft'}, 'alike');
	const differ = c.figures.filter((f) => f.differs).length;
	parent.append(q.el('p', {},
		differ ? `${q.num(differ)} of ${q.count(c.figures.length, 'figure')} ` +
				(differ === 1 ? 'differs' : 'differ') +
				` between ${sets[0].label} and ${sets[last].label}.`
		       : `No figure differs between ${sets[0].label} and ` +
				`${sets[last].label} by more than chance ` +
				'explains.'));
	const shown = q.table(parent,
		{key: 'differences', title: 'Differences', open: true, columns, rows, left_out: 0},
		{
			cells,
			keep: (r) => !only || r[at + 2],
			controls: q.choice('Which figures',
				[[true, 'what differs'], [false, 'all']], only,
				(v) => {
					only = v;
					shown.show();
				})
		});
	return true;
};

q.differentConfig = function (parent, c) {
	if (!c) return false;
	if (!q.list(c.config).length) {
		parent.append(q.el('p', {}, 'The configurations are the same.'));
		return true;
	}
	q.table(parent, {
		key: 'different',
		title: 'What was configured otherwise',
		open: true,
		columns: [{name: 'option', unit: '', meaning: ''}].concat(
			c.sets.map((s) => ({name: s.label, unit: '', meaning: ''}))),
		rows: c.config.map((x) => [x.path].concat(x.values)),
		left_out: 0
	});
	return true;
};
})(window.quench);
