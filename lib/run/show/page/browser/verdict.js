// SPDX-License-Identifier: BSD-3-Clause
// The head of the page: what was run, whether it holds, what is in doubt or missing, and why.
(function (q) {
'use strict';

const holds = (v) => v.verdict === 'PASS';

function asked(v) {
	if (v.min !== null && v.min === v.max) return 'asked: ' + q.num(v.min);
	const parts = [];
	if (v.min !== null && v.min !== undefined) parts.push('at least ' + q.num(v.min));
	if (v.max !== null && v.max !== undefined) parts.push('at most ' + q.num(v.max));
	return parts.length ? 'asked: ' + parts.join(', ') : '';
}

// The one line that says whether everything holds.
function line(runs) {
	const all = runs.flatMap((r) => q.list(r.verdicts));
	const bad = all.filter((v) => !holds(v)).length;
	const doubt = runs.reduce((n, r) => n + q.list(r.doubt).length, 0);
	const missing = runs.reduce((n, r) => n + q.list(r.missing).length, 0);
	const of = runs.length > 1 ? ` of ${runs.length} runs` : '';
	const met = all.length === 1 ? 'the one criterion is met'
				     : `all ${all.length} criteria${of} are met`;
	const rest = [];
	if (doubt) rest.push(doubt === 1 ? 'there is one doubt' : `there are ${doubt} doubts`);
	if (missing)
		rest.push(missing === 1 ? 'one thing is missing' : `${missing} things are missing`);
	const but = rest.join(', and ');
	const up = (text) => text.charAt(0).toUpperCase() + text.slice(1);
	let text;
	if (!all.length)
		text = `Nothing was asked${of}.${but && ' ' + up(but) + '.'}`;
	else if (bad)
		text = `${q.num(bad)} of ${q.count(all.length, 'criterion', 'criteria')}${of} ` +
			(bad === 1 ? 'does not hold.' : 'do not hold.') + (but && ` ${up(but)}.`);
	else
		text = but ? `${up(met)}, but ${but}.` : `Everything holds: ${met}.`;
	return {bad, doubt: doubt || missing, text};
}

// "s1:r class 3: no PFC: ..." as a sentence with its subject in front.
q.sentence = function (text) {
	const m = /^(\S+(?: class \d+| priority \d+)?): (.+)$/.exec(text);
	const say = (s) => {
		const up = /^[a-z]+[ :,]/.test(s) ? s.charAt(0).toUpperCase() + s.slice(1) : s;
		return /[.!?]$/.test(up) ? up : up + '.';
	};
	return m ? [q.el('b', {}, m[1] + '. '), say(m[2])] : [say(text)];
};

function notes(parent, title, list, name) {
	if (!list.length) return;
	parent.append(q.el('div', {class: 'notes', 'data-notes': name}, q.el('h3', {}, title),
		q.el('ul', {}, list.map((s) => q.el('li', {}, s)))));
}

// Sentences of several runs: each once, with the runs that say it where not all do.
function shared(runs, member) {
	const all = runs.flatMap((r) => q.list(r[member]).map((text) => ({text, label: r.label})));
	return [...q.groups(all, (x) => x.text)].map(([text, list]) => {
		const who = [...new Set(list.map((x) => x.label))];
		return [
			who.length < runs.length ? q.el('b', {}, q.names(who) + '. ') : '',
			q.sentence(text)
		].flat();
	});
}

function criteria(parent, runs) {
	const many = runs.length > 1;
	const rows = runs.flatMap((r) => q.list(r.verdicts).map((v) => ({v, r})));
	if (!rows.length) return;
	rows.sort((a, b) => holds(a.v) - holds(b.v));
	const bad = rows.filter((x) => !holds(x.v));
	const item = ({v, r}) => q.el('tr',
		{'data-verdict': v.verdict, class: holds(v) ? 'pass' : 'fail'},
		q.el('td', {class: 'sign'},
			holds(v)		       ? '✓'
				: v.verdict === 'FAIL' ? '✗'
						       : '?'),
		q.el('td', {}, q.el('b', {}, v.name),
			v.figure && v.figure !== v.name ? ` (${v.figure})` : '',
			many ? q.el('span', {class: 'soft'}, ', ' + r.label) : ''),
		q.el('td', {},
			v.value === null || v.value === undefined ? 'could not be judged'
								  : q.num(v.value)),
		q.el('td', {class: 'soft'}, asked(v)), q.el('td', {}, holds(v) ? '' : v.verdict));
	const list = (some) => q.el('div', {class: 'scroll'},
		q.el('table', {class: 'criteria'}, q.el('tbody', {}, some.map(item))));
	if (bad.length) parent.append(list(bad));
	const good = rows.slice(bad.length);
	if (!good.length) return;
	if (good.length <= 8 && !bad.length) parent.append(list(good));
	else {
		parent.append(q.el('details', {},
			q.el('summary', {},
				q.count(good.length, 'criterion holds', 'criteria hold')),
			list(good)));
	}
}

q.verdict = function (parent, runs) {
	const l = line(runs);
	parent.append(q.el('p', {
		class: 'verdict ' + (l.bad ? 'fail' : l.doubt ? 'doubt' : 'pass'),
		'data-verdict': l.bad ? 'FAIL' : 'PASS'
	},
		q.el('span', {class: 'sign'}, l.bad ? '✗' : l.doubt ? '!' : '✓'),
		q.el('span', {}, l.text)));
	criteria(parent, runs);
	notes(parent, 'In doubt', shared(runs, 'doubt'), 'doubt');
	notes(parent, 'Missing', shared(runs, 'missing'), 'missing');
	return true;
};

q.why = function (parent, runs) {
	const list = shared(runs, 'why');
	if (!list.length) return false;
	const items = list.map((s) => q.el('li', {}, s));
	parent.append(q.el('ul', {class: 'why'}, items.slice(0, 8)));
	if (items.length > 8) {
		parent.append(q.el('details', {}, q.el('summary', {}, `${items.length - 8} more`),
			q.el('ul', {class: 'why'}, items.slice(8))));
	}
	return true;
};

// The title, and in one line what was run.
q.title = function (parent, data) {
	const r = data.runs[0], names = [...new Set(data.runs.map((x) => x.name))];
	const facts = data.runs.length > 1
		? [q.count(data.runs.length, 'run'), q.names(data.runs.map((x) => x.label), 8)]
		: [
			  `${r.clock} time`, `seed ${r.seed}`,
			  `${q.amount(r.end_us, 'us')} of scene time`,
			  r.window_us ? `figures from ${q.amount(r.window_us[0], 'us')} on` : ''
		  ];
	parent.append(q.el('h1', {}, q.names(names)),
		q.el('p', {class: 'facts-line'}, facts.filter((s) => s).join(' · ')));
	if (!document.title) document.title = q.names(names);
};
})(window.quench);
