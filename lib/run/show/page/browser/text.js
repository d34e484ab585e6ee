// SPDX-License-Identifier: BSD-3-Clause
// Text of the page: elements, numbers with at most four digits, quantities with their units.
(function (q) {
'use strict';

const SVG = 'http://www.w3.org/2000/svg';

// Sets an element's attributes by name; `on` is an object of listeners. null leaves one out.
function dress(e, attrs, kids) {
	for (const k of Object.keys(attrs || {})) {
		const v = attrs[k];
		if (k === 'on') {
			for (const type of Object.keys(v)) e.addEventListener(type, v[type]);
		} else if (v !== null && v !== undefined && v !== false) {
			e.setAttribute(k, v === true ? '' : v);
		}
	}
	for (const kid of kids.flat()) {
		if (kid !== null && kid !== undefined && kid !== false) e.append(kid);
	}
	return e;
}

q.el = (tag, attrs, ...kids) => dress(document.createElement(tag), attrs, kids);
q.sel = (tag, attrs, ...kids) => dress(document.createElementNS(SVG, tag), attrs, kids);

// A button that tells its state to those who do not see it.
q.button = (text, click, attrs) =>
	q.el('button', Object.assign({type: 'button', on: {click}}, attrs), text);

// One of a few: buttons of which one is pressed. `choices` are [value, text].
q.choice = function (label, choices, value, change) {
	const box = q.el('span', {class: 'choice', role: 'group', 'aria-label': label});
	const show = () => [...box.children].forEach(
		(b, i) => b.setAttribute('aria-pressed', choices[i][0] === value));
	choices.forEach(([v, text]) => box.append(q.button(text, () => {
		value = v;
		show();
		change(v);
	}, {'data-value': String(v)})));
	show();
	return box;
};

// A list with its parts that are null or empty taken as an empty list.
q.list = (v) => Array.isArray(v) ? v : [];

// At most `digits` significant digits, without exponent; groups of three from 10 000 on.
q.num = function (v, digits) {
	if (v === null || v === undefined || Number.isNaN(v)) return '–';
	if (!Number.isFinite(v)) return v > 0 ? '∞' : '−∞';
	if (v === 0) return '0';
	const size = Math.abs(v);
	let places = (digits || 4) - 1 - Math.floor(Math.log10(size) + 1e-12);
	if (Number.isInteger(v)) places = Math.min(places, 0);
	places = Math.min(places, 9);
	const unit = Math.pow(10, -places);
	let s = places > 0 ? size.toFixed(places) : String(Math.round(size / unit) * unit);
	if (s.includes('.')) s = s.replace(/\.?0+$/, '');
	if (size >= 1e4) s = s.replace(/\B(?=(\d{3})+$)/g, '\u202f');
	return (v < 0 ? '−' : '') + s;
};

// Each unit that is told on several scales, smallest first.
const SCALES = {
	bytes: [[1, 'B'], [1e3, 'KB'], [1e6, 'MB'], [1e9, 'GB']],
	us: [[1e-3, 'ns'], [1, 'us'], [1e3, 'ms'], [1e6, 's']],
	'Gb/s': [[1e-6, 'kb/s'], [1e-3, 'Mb/s'], [1, 'Gb/s']],
	'%': [[1, '%']],
};

// The scale on which a quantity of this size reads best.
q.scale = function (unit, size) {
	const all = SCALES[unit];
	if (!all) return [1, unit || ''];
	let best = null;
	for (const s of all) {
		if (best === null || size >= s[0] * 0.9999) best = s;
	}
	return size === 0 ? all.find((s) => s[0] === 1) : best;
};

// A quantity with its unit, on the scale that suits it.
q.amount = function (v, unit, digits) {
	if (v === null || v === undefined || Number.isNaN(v)) return '–';
	const [by, name] = q.scale(unit, Math.abs(v));
	return q.num(v / by, digits) + (name ? '\u00a0' + name : '');
};

q.count = (n, one, many) => q.num(n, 12) + ' ' + (n === 1 ? one : many || one + 's');

// Text in which `words` of code stand between backquotes.
q.prose = (text) =>
	String(text || '').split('`').map((s, i) => i % 2 ? q.el('code', {}, s) : s);

// Names as a person lists them: "a, b and c", or "a, b, c and 9 more".
q.names = function (list, most) {
	const n = most || 4;
	if (list.length > n + 1) {
		return list.slice(0, n).join(', ') + ' and ' + (list.length - n) + ' more';
	}
	if (list.length < 2) return list.join('');
	return list.slice(0, -1).join(', ') + ' and ' + list[list.length - 1];
};

// The place of the last value that is not above v in a sorted list; -1 where there is none.
q.before = function (list, v) {
	let lo = 0, hi = list.length;
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (list[mid] <= v) lo = mid + 1;
		else hi = mid;
	}
	return lo - 1;
};

// The place of the value that is nearest to v in a sorted list.
q.nearest = function (list, v) {
	const i = q.before(list, v);
	if (i < 0) return list.length ? 0 : -1;
	return i + 1 < list.length && list[i + 1] - v < v - list[i] ? i + 1 : i;
};

q.most = (list, floor) => q.list(list).reduce((m, v) => v > m ? v : m, floor);
q.least = (list, ceil) => q.list(list).reduce((m, v) => v !== null && v < m ? v : m, ceil);

// Groups of a list in order of first appearance.
q.groups = function (list, key) {
	const m = new Map();
	for (const v of list) {
		const k = key(v);
		if (!m.has(k)) m.set(k, []);
		m.get(k).push(v);
	}
	return m;
};
})(window.quench = window.quench || {});
