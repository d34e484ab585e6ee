// SPDX-License-Identifier: BSD-3-Clause
// Colours and dashes of the page: light or dark, print, and whose colour an object has.
(function (q) {
'use strict';

// Dashes of lines, by number of the run, or of the line where there is one run only.
const DASHES = [[], [7, 3], [2, 3], [10, 3, 2, 3], [4, 2], [12, 4], [6, 2, 2, 2, 2, 2]];
const COLORS = 7;
const SHAPES = ['disc', 'square', 'triangle', 'diamond', 'cross', 'ring', 'plus'];
const redraws = [];
const indices = new Map();
const root = document.documentElement;

// Draws now, and again whenever the page's width or colours change.
q.drawn = function (draw) {
	redraws.push(draw);
	draw();
};

q.redraw = () => redraws.forEach((draw) => draw());

// The number of an object: the same wherever it is drawn, and in every run.
q.index = function (kind, name) {
	const seen = indices.get(kind) || new Map();
	indices.set(kind, seen);
	if (!seen.has(name)) seen.set(name, seen.size);
	return seen.get(name);
};

// Whose colour and dash a run has in a plot of one object: the colour of its set, a dash of its
// own.
q.sets = [];
q.look = function (run) {
	const set = q.sets.findIndex((s) => s.includes(run));
	return set < 0 ? {tone: run, dash: q.dash(run)}
		       : {tone: set, dash: q.dash(q.sets[set].indexOf(run))};
};

q.tone = (i) => 's' + i % COLORS;
q.dash = (i) => DASHES[i % DASHES.length];
q.shape = (i) => SHAPES[i % SHAPES.length];
q.css = (name) => getComputedStyle(root).getPropertyValue('--' + name).trim();
q.color = (i) => q.css('c' + i % COLORS);

// A short piece of line, as it is drawn, with the shape of its points.
q.swatch = function (tone, dash, shape) {
	const box = q.sel(
		'svg', {class: 'swatch ' + tone, width: 28, height: 12, 'aria-hidden': 'true'});
	if (dash) {
		box.append(q.sel('path',
			{d: 'M1 6H27', class: 'line', 'stroke-dasharray': dash.join(' ') || null}));
	}
	if (shape) box.append(q.sel('path', {d: q.glyph(shape, 14, 6, 4), class: 'mark ' + shape}));
	return box;
};

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const print = window.matchMedia('print');
let chosen = null;

function show() {
	const theme = print.matches ? 'light' : chosen || (dark.matches ? 'dark' : 'light');
	root.dataset.theme = theme;
	root.dataset.media = print.matches ? 'print' : 'screen';
	q.redraw();
}

q.theme = {
	start() {
		show();
		dark.addEventListener('change', show);
		print.addEventListener('change', show);
		let width = root.clientWidth, asked = 0;
		window.addEventListener('resize', () => {
			if (root.clientWidth === width) return;
			width = root.clientWidth;
			cancelAnimationFrame(asked);
			asked = requestAnimationFrame(q.redraw);
		});
	},
	control() {
		return q.choice('Colours', [['auto', 'auto'], ['light', 'light'], ['dark', 'dark']],
			'auto', (v) => {
				chosen = v === 'auto' ? null : v;
				show();
			});
	},
};
})(window.quench);
