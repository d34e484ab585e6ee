// SPDX-License-Identifier: BSD-3-Clause
// Marks, changes and faults of a run: texts of their lines in the plots over time, and their table.
(function (q) {
'use strict';

const said = (m) => m.node ? `${m.event} ${m.text}: ${m.node}` : m.text;

// The moments of all runs by time, as the view takes them.
q.moments = (runs) => runs.flatMap((r) => q.list(r.moments).map((m) => ({
	t: m.t,
	text: runs.length > 1 ? `${r.label}: ${said(m)}` : said(m)
}))).sort((a, b) => a.t - b.t);

q.momentTable = function (parent, run) {
	const list = q.list(run.moments);
	if (!list.length) return false;
	q.table(parent, {
		key: 'moments',
		title: 'Marks, changes and faults',
		columns: [
			{name: 'time', unit: 'us', meaning: 'Scene time.'},
			{name: 'event', meaning: '`user_mark`: a mark of the scenario, or what ' +
					'somebody did while the run went on. `set`: values that ' +
					'nodes adopted. `fault`: a fault hit a frame for the ' +
					'first time.'},
			{name: 'text', meaning: 'The text of the mark; of `set` the number of ' +
					'the change and its kinds of values; of a fault its ' +
					'number and action.'},
			{name: 'node', meaning: 'The node that adopted the values, or the port ' +
					'where the fault hit.'}
		],
		rows: list.map((m) => [m.t, m.event, m.text, m.node]),
		left_out: run.more_moments
	});
	return true;
};
})(window.quench);
