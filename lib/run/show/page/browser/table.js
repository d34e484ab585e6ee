// SPDX-License-Identifier: BSD-3-Clause
// Tables that sort by a click on a column's head, filter by text, and show more when asked.
(function (q) {
'use strict';

const FIRST = 200;

// A cell as text. Numbers keep their digits: what is copied from here is exact.
q.cell = function (v) {
	if (v === null || v === undefined) return '–';
	if (v === true) return 'yes';
	if (v === false) return 'no';
	if (Array.isArray(v)) return v.map(q.cell).join(', ');
	if (typeof v === 'object') return JSON.stringify(v);
	return String(v);
};

const plain = (text) => text ? text.replace(/`/g, '') : null;
const empty = (v) => v === null || v === undefined || v === '';

// Numbers as numbers, text as people sort it, what is empty last in either direction.
function compare(a, b, up) {
	if (empty(a) || empty(b)) return empty(a) - empty(b);
	if (typeof a === 'number' && typeof b === 'number') return up * (a - b);
	return up * q.cell(a).localeCompare(q.cell(b), 'en', {numeric: true});
}

// A long name with one place in its middle where it may be broken.
function broken(name) {
	const places = [...name.matchAll(/_/g)].map((m) => m.index + 1);
	if (name.length < 14 || !places.length) return name;
	const off = (p) => Math.abs(p - name.length / 2);
	const at = places.reduce((a, b) => off(b) < off(a) ? b : a);
	return name.slice(0, at) + '\u200b' + name.slice(at);
}

// `t` is a table of DATA. More of it: cells, a list with a function (cell, row) to an element for a
// column or null; controls; keep(row) that says whether a row is shown.
q.table = function (parent, t, more) {
	const o = more || {}, rows = q.list(t.rows), columns = q.list(t.columns);
	const wide = columns.length > 9;
	let sorted = -1, up = 1, text = '', all = false;
	const body = q.el('tbody'), count = q.el('span', {class: 'count'});
	const kinds =
		columns.map((c, i) => rows.some((r) => typeof r[i] === 'number') ? 'number' : null);
	const turned = (i) => () => {
		up = sorted === i ? -up : 1;
		sorted = i;
		show();
	};
	const heads = columns.map((c, i) => q.el('th',
		{scope: 'col', title: plain(c.meaning), class: kinds[i]}, q.button('', turned(i))));
	heads.forEach((h, i) => {
		const c = columns[i];
		h.firstChild.append(q.el('span', {class: 'name'}, broken(c.name)),
			c.unit ? q.el('span', {class: 'unit'}, c.unit) : '');
	});
	const rest = q.button('', () => {
		all = true;
		show();
	}, {'data-do': 'rows'});
	// What nobody has opened is not made.
	function show() {
		if (!box.open) return;
		const want = text.toLowerCase().split(/\s+/).filter((w) => w);
		let list = rows.filter((r) => !o.keep || o.keep(r));
		if (want.length) {
			list = list.filter((r) => {
				const whole = r.map(q.cell).join(' ').toLowerCase();
				return want.every((w) => whole.includes(w));
			});
		}
		if (sorted >= 0) {
			list = list.slice().sort((a, b) => compare(a[sorted], b[sorted], up));
		}
		heads.forEach((h, i) => h.setAttribute('aria-sort',
				      i !== sorted     ? 'none'
					      : up > 0 ? 'ascending'
						       : 'descending'));
		const shown = all ? list : list.slice(0, FIRST);
		body.replaceChildren(...shown.map((r) => q.el('tr', {}, columns.map((c, i) => {
			const made = o.cells && o.cells[i] ? o.cells[i](r[i], r) : null;
			const long = typeof r[i] === 'string' && r[i].length > 44;
			return q.el('td', {
				class: long ? 'prose' : kinds[i],
				'data-name': wide ? c.name : null
			}, made || (long ? q.prose(r[i]) : q.cell(r[i])));
		}))));
		count.textContent = list.length === rows.length
			? q.count(rows.length, 'row')
			: `${q.num(list.length, 12)} of ${q.count(rows.length, 'row')}`;
		rest.hidden = shown.length === list.length;
		rest.textContent = `show all ${q.num(list.length, 12)} rows`;
		box.dataset.rows = list.length;
	}
	const filter = q.el('input', {
		type: 'search',
		placeholder: 'filter',
		'aria-label': 'filter rows of ' + t.title,
		on: {
			input: (e) => {
				text = e.target.value;
				show();
			}
		}
	});
	const meanings = columns.filter((c) => c.meaning);
	count.textContent = q.count(rows.length, 'row');
	const box = q.el('details', {
		class: wide ? 'table wide' : 'table',
		'data-table': t.key,
		on: {toggle: (e) => e.target === box && !body.children.length && show()},
		open: t.open !== false
	},
		q.el('summary', {}, q.el('span', {class: 'table-title'}, t.title), ' ', count),
		q.el('div', {class: 'table-head'}, rows.length > 5 ? filter : '', o.controls || ''),
		q.el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t.title},
			q.el('table', {}, q.el('thead', {}, q.el('tr', {}, heads)), body)),
		rest,
		t.left_out ? q.el('p', {class: 'note'},
				     q.count(t.left_out, 'more row is', 'more rows are') +
					     ' not in this page. The files of the run have them.')
			   : '',
		meanings.length
			? q.el('details', {class: 'meanings'},
				  q.el('summary', {}, 'What the columns mean'),
				  q.el('dl', {},
					  meanings.flatMap(
						  (c) => [q.el('dt', {},
								  c.name +
									  (c.unit ? `, ${c.unit}`
										  : '')),
							  q.el('dd', {}, q.prose(c.meaning))])))
			: '');
	parent.append(box);
	show();
	return {box, show};
};

q.tables = function (parent, run) {
	const list = q.list(run.tables).filter((t) => q.list(t.rows).length);
	list.forEach((t) => q.table(parent, t));
	return list.length;
};

// The configuration with the source of each value.
q.config = function (parent, run) {
	if (!q.list(run.config).length) return false;
	const told = run.config.some((r) => r[2]),
	      defaults = run.config.some((r) => r[2] === 'default');
	let given = defaults;
	const shown = q.table(parent, {
		key: 'config',
		title: 'Options',
		open: true,
		columns: [{name: 'option'}, {name: 'value'}].concat(told ? [{
			name: 'source',
			meaning: 'The line of the ' +
				'scenario that gave the value, or default.'
		}]
									 : []),
		rows: run.config
	},
		{
			controls: defaults
				? q.choice('Which options',
					  [[true, 'what was given'], [false, 'all']], given,
					  (v) => {
						  given = v;
						  shown.show();
					  })
				: null,
			keep: (r) => !given || r[2] !== 'default'
		});
	return true;
};

// How to run the same again.
q.again = function (parent, run) {
	const a = run.again;
	if (!a) return false;
	const copy = q.button('copy', () => {
		const done = () => copy.textContent = 'copied';
		const select = () => {
			const range = document.createRange();
			range.selectNodeContents(code);
			const s = window.getSelection();
			s.removeAllRanges();
			s.addRange(range);
			copy.textContent = document.execCommand('copy') ? 'copied' : 'selected';
		};
		if (navigator.clipboard)
			navigator.clipboard.writeText(a.command).then(done, select);
		else select();
	}, {'data-do': 'copy'});
	const code = q.el('code', {}, a.command);
	const facts = [
		['Scenario', a.scenario], ['Seed', a.seed], ['Version', a.version],
		['SHA-256 of summary.json', a.digest], ['Folder', run.dir]
	];
	parent.append(q.el('div', {class: 'command'}, q.el('pre', {}, code), copy),
		q.el('dl', {class: 'facts'}, facts.filter((f) => f[1]).flatMap(([name,
			v]) => [q.el('dt', {}, name), q.el('dd', {}, q.el('code', {}, v))])));
	return true;
};
})(window.quench);
