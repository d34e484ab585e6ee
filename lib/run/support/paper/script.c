// SPDX-License-Identifier: BSD-3-Clause
// The script of gnuplot: first the settings that a reader may want to change, then the looks of
// lines, axes, and one command that draws all series.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

// In pixels of the svg. LETTER is about the width of a letter of 12 points, in the fonts of all
// formats.
#define WIDTH  820
#define LETTER 7.4
#define ROW    19  // of the key
#define SAMPLE 84  // beside a text of the key, with the air between columns
#define PLOT   410 // height of one plot
#define ABOVE  16
#define BELOW  62 // numbers and title of the axis
#define LEFT   84
#define RIGHT  22
#define LINE   19 // of a title
#define LANE   30

#define PANEL_PLOT 200 // height of one of several in rows
#define PANEL_ROW  330 // of several in one row
#define PANEL_GAP  66  // numbers of an axis, and the title of the next plot
#define PANEL_SIDE 48

#define SHORT 1000 // an axis of powers of ten whose ends are no further apart has more numbers

#define KEY_MOST   84 // characters of a name in the key
#define LABEL_MOST 40
#define LANE_MOST  28
#define GREY       "#5f6368"
#define INK        "#202124"

#define BORDER "set border 3 lc rgb '" GREY "'"
#define TICS_  "nomirror out scale 0.6 textcolor rgb '" INK "'"
#define TICS   "set xtics " TICS_ "; set ytics " TICS_
#define GRID   "set grid lc rgb '#dfe1e5' lt 1 lw 0.7"

// After Okabe and Ito, but yellow, which nobody sees on white.
static const char *const colours[] = {
	"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5f6368"};
static const char *const dashes[] = {"solid", "(12,4)", "(3,3)", "(12,4,3,4)", "(20,5)",
	"(12,4,3,4,3,4)", "(6,3)", "(20,4,3,4)"};
// gnuplot's: circle, square, triangles, diamond, pentagon, filled; then open; then of strokes.
static const unsigned shapes[] = {7, 5, 9, 11, 13, 15, 6, 4, 8, 10, 12, 14, 2, 1, 3};

#define N(array) (sizeof(array) / sizeof((array)[0]))

// Measures of a figure.
struct layout {
	unsigned width, height;
	unsigned key_columns, key_rows;
	unsigned left, below;  // of the plots
	unsigned titles;       // lines
	unsigned across, down; // plots
	unsigned plot;         // height of one
	unsigned right;        // of a single plot
};

static unsigned lines_in(const char *text)
{
	unsigned n = text && *text;

	for (; n && *text; text++)
		n += *text == '\n';
	return n;
}

static unsigned most(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

// How wide a text is when it is drawn.
static unsigned drawn_width(const char *text, unsigned most_characters)
{
	char *plain = paper_plain(text, most_characters);
	unsigned n = plain ? paper_width(plain) : 0;

	free(plain);
	return (unsigned)ceil(n * LETTER);
}

static bool in_key(const struct paper_series *s)
{
	return s->name && *s->name;
}

// How many columns the key has with `rows` entries in each: a group begins a new column.
static unsigned key_columns(const struct paper *p, unsigned rows)
{
	const struct paper_series *before = NULL;
	unsigned at = 0;

	for (unsigned i = 0; i < p->n_series; i++) {
		const struct paper_series *s = &p->series[i];

		if (!in_key(s))
			continue;
		if (before && before->group != s->group)
			at = (at + rows - 1) / rows * rows;
		before = s;
		at++;
	}
	return (at + rows - 1) / rows;
}

// Gives the key as few rows as the width of the plots allows, to whose left names of lanes stand.
static void lay_key(const struct paper *p, struct layout *l)
{
	unsigned widest = 0, lane = 0, room;

	for (unsigned i = 0; i < p->n_series; i++)
		if (in_key(&p->series[i]))
			widest = most(widest, drawn_width(p->series[i].name, KEY_MOST));
	for (unsigned i = 0; i < p->y.n_lanes; i++)
		lane = most(lane, drawn_width(p->y.lane[i], LANE_MOST));
	room = most(1, (WIDTH - LEFT - RIGHT - lane) / (widest + SAMPLE));
	for (l->key_rows = 1; key_columns(p, l->key_rows) > room && l->key_rows < p->n_series;)
		l->key_rows++;
	l->key_columns = key_columns(p, l->key_rows);
	if (!l->key_columns)
		l->key_rows = 0;
}

static struct layout lay_out(const struct paper *p)
{
	struct layout l = {.width = WIDTH, .across = 1, .down = 1, .right = RIGHT};

	l.titles = lines_in(p->title);
	for (unsigned i = 0; i < p->n_lines; i++)
		if (!p->line[i].vertical)
			l.right = most(
				l.right, drawn_width(p->line[i].label, LABEL_MOST) * 9 / 8 + 16);
	if (p->n_panels) {
		l.across = p->n_panels == 1 ? 1 : p->n_panels == 2 || p->n_panels == 4 ? 2 : 3;
		l.down = (p->n_panels + l.across - 1) / l.across;
		l.plot = l.down > 1 ? PANEL_PLOT : PANEL_ROW;
	}
	l.width += l.right - RIGHT;
	lay_key(p, &l);
	l.left = LEFT;
	if (p->n_panels)
		l.left += (most(1, lines_in(p->y.title)) - 1) * LINE;
	l.below = BELOW + (most(1, lines_in(p->x.title)) - 1) * LINE + l.key_rows * ROW + 12;
	l.height = ABOVE + l.titles * LINE + l.below;
	if (p->n_panels)
		l.height += l.down * (l.plot + PANEL_GAP) - 32;
	else
		l.height += p->y.n_lanes ? p->y.n_lanes * most(LANE, p->y.lane_height) + 20 : PLOT;
	return l;
}

static void put_preamble(const struct paper *p, const struct layout *l, struct out *o)
{
	const char *s = p->stem;

	out_printf(o,
		"# A figure by gnuplot 5.2 or newer. Its numbers are in %s.dat, which says what "
		"they are.\n"
		"# In the folder of both:\n"
		"#     gnuplot %s.gp                        makes %s.svg and %s.png,\n"
		"#     gnuplot -e \"formats='pdf'\" %s.gp     %s.pdf.\n",
		s, s, s, s, s, s);
	out_printf(o,
		"if (!exists(\"formats\")) formats = 'svg png'\n"
		"data = '%s.dat'\n"
		"width = %u   # pixels of the svg; the png has twice as many, the pdf an inch for "
		"160\n"
		"height = %u\n"
		"set encoding utf8\n",
		s, l->width, l->height);
}

// Each line type has a colour and a dash type, so that lines differ in print without colours.
static void put_looks(const struct paper *p, struct out *o)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->n_series; i++)
		if (p->series[i].colour != PAPER_BLACK)
			n = most(n, p->series[i].colour + 1);
	out_str(o, "\n# Lines differ in colour (after Okabe and Ito, which those who see few "
		   "colours tell apart)\n# and in their dashes.\n");
	for (unsigned i = 0; i < n; i++)
		out_printf(o, "set linetype %u lc rgb '%s' dt %s lw 1.8\n", i + 1,
			colours[i % N(colours)], dashes[i % N(dashes)]);
	out_printf(o, "set linetype %u lc rgb 'black' dt solid lw 2.4\n", n + 1);
}

static unsigned line_type(const struct paper *p, const struct paper_series *s)
{
	unsigned n = 0;

	if (s->colour != PAPER_BLACK)
		return s->colour + 1;
	for (unsigned i = 0; i < p->n_series; i++)
		if (p->series[i].colour != PAPER_BLACK)
			n = most(n, p->series[i].colour + 1);
	return n + 1;
}

// The title of an axis has its unit behind its first line, and that it does not begin at 0.
static void put_title(struct out *o, const struct paper *p, bool vertical)
{
	const struct paper_axis *a = vertical ? &p->y : &p->x;
	const struct paper_range r = paper_range_of(p, vertical);
	const char *from = a->n_lanes || r.from == 0 ? "" : r.log ? "logarithmic" : "not from 0";
	const char *comma = *a->unit && *from ? ", " : "";
	bool behind = *a->unit || *from;
	size_t first = strcspn(a->title, "\n");
	char *text = NULL;

	if (asprintf(&text, "%.*s%s%s%s%s%s%s", (int)first, a->title, behind ? " (" : "", a->unit,
		    comma, from, behind ? ")" : "", a->title + first) < 0)
		return;
	paper_quote(o, text, 0, true);
	free(text);
}

// Numbers at 1, 2 and 5 of each decade: a short axis has few powers of ten, or none.
static void put_short_log(struct out *o, char which, struct paper_range r)
{
	static const unsigned step[] = {1, 2, 5};
	double ten = pow(10, floor(log10(r.from)));
	const char *comma = "";

	out_printf(o, "set logscale %c\nset %ctics (", which, which);
	for (unsigned i = 0; step[i % 3] * ten <= r.to * (1 + 1e-9); i++) {
		double at = step[i % 3] * ten;

		if (at >= r.from * (1 - 1e-9)) {
			out_printf(o, "%s%.10g", comma, at);
			comma = ", ";
		}
		ten *= i % 3 == 2 ? 10 : 1;
	}
	out_printf(o, ")\nset %crange [%.10g:%.10g]\n", which, r.from, r.to);
}

static void put_axis(struct out *o, char which, const struct paper_axis *a, struct paper_range r)
{
	if (r.log && r.to <= SHORT * r.from)
		put_short_log(o, which, r);
	else if (r.log)
		out_printf(o,
			"set logscale %c\nset format %c '10^{%%L}'\nset m%ctics 10\n"
			"set %crange [%.10g:%.10g]\n",
			which, which, which, which, r.from, r.to);
	else if (a->n_lanes)
		out_printf(o, "set %crange [%.10g:%.10g]\n", which, r.to, r.from);
	else
		out_printf(o, "set %crange [%.10g:%.10g]\n", which, r.from, r.to);
	if (!a->n_lanes)
		return;
	out_printf(o, "set %ctics noenhanced (", which);
	for (unsigned i = 0; i < a->n_lanes; i++) {
		out_str(o, i ? ", " : "");
		paper_quote(o, a->lane[i], LANE_MOST, false);
		out_printf(o, " %u", i);
	}
	out_str(o, ")\n");
}

static void put_axes(const struct paper *p, struct out *o)
{
	out_str(o, "\n" BORDER "\n" TICS "\n" GRID "\n");
	put_axis(o, 'x', &p->x, paper_range_of(p, false));
	put_axis(o, 'y', &p->y, paper_range_of(p, true));
	if (p->n_panels)
		return;
	out_str(o, "set xlabel ");
	put_title(o, p, false);
	out_str(o, " noenhanced\n");
	if (*p->y.title) {
		out_str(o, "set ylabel ");
		put_title(o, p, true);
		out_str(o, " noenhanced\n");
	}
	if (p->title) {
		out_str(o, "set title ");
		paper_quote(o, p->title, 0, true);
		out_str(o, " noenhanced\n");
	}
}

static double share_of(struct paper_range r, double v)
{
	return r.log ? log(v / r.from) / log(r.to / r.from) : (v - r.from) / (r.to - r.from);
}

struct mark {
	const struct paper_line *line;
	double at; // of its label, as a share of the axis
};

static int by_place(const void *a, const void *b)
{
	const struct mark *p = a, *q = b;

	if (p->at != q->at)
		return p->at < q->at ? -1 : 1;
	return (p->line > q->line) - (p->line < q->line);
}

// Moves labels apart so that they are at least `gap` from each other: up as far as needed, then
// down from the top.
static void spread_labels(struct mark *m, unsigned n, double gap)
{
	for (unsigned i = 1; i < n; i++)
		m[i].at = fmax(m[i].at, m[i - 1].at + gap);
	for (unsigned i = n; i--;)
		m[i].at = fmin(m[i].at, i + 1 < n ? m[i + 1].at - gap : 1);
}

// Writes a straight line across the plot and its label. All such lines look alike, because each has
// its label at its end.
static void put_mark(struct out *o, unsigned number, const struct mark *m)
{
	const struct paper_line *l = m->line;

	if (l->vertical)
		out_printf(o, "set arrow %u from first %.10g, graph 0 to first %.10g, graph 1",
			number, l->at, l->at);
	else
		out_printf(o, "set arrow %u from graph 0, first %.10g to graph 1, first %.10g",
			number, l->at, l->at);
	out_printf(o, " nohead lc rgb '" GREY "' dt (2,4) lw 1.6\nset label %u ", number);
	paper_quote(o, l->label, LABEL_MOST, false);
	if (l->vertical)
		out_printf(o, " at graph %.4f, graph 0.98 right rotate by 90", m->at);
	else
		out_printf(o, " at graph 1.01, graph %.4f left", m->at);
	out_str(o, " noenhanced textcolor rgb '" INK "'\n");
}

static void put_lines(const struct paper *p, bool vertical, struct out *o)
{
	struct paper_range r = paper_range_of(p, !vertical);
	struct mark *m = calloc(p->n_lines + 1, sizeof(*m));
	unsigned n = 0;

	if (!m)
		return;
	for (unsigned i = 0; i < p->n_lines; i++) {
		const struct paper_line *l = &p->line[i];
		double at = l->vertical == vertical ? share_of(r, l->at) : -1;

		if (at >= 0 && at <= 1)
			m[n++] = (struct mark){l, at + (vertical ? 0.016 : 0)};
	}
	qsort(m, n, sizeof(*m), by_place);
	spread_labels(m, n, vertical ? 0.026 : 0.05);
	for (unsigned i = 0; i < n; i++)
		put_mark(o, (unsigned)(m[i].line - p->line) + 1, &m[i]);
	free(m);
}

static void put_point(struct out *o, const struct paper_series *s)
{
	if (s->shape == PAPER_RING)
		out_str(o, " pt 6 ps 2.1");
	else
		out_printf(o, " pt %u ps %s", shapes[s->shape % N(shapes)],
			shapes[s->shape % N(shapes)] == 13 ? "1.25" : "1.1");
}

// "with lines lt 3"
static void put_style(struct out *o, const struct paper *p, const struct paper_series *s)
{
	unsigned lt = line_type(p, s);

	switch (s->style) {
	case PAPER_LINE:
		out_printf(o, "with lines lt %u", lt);
		return;
	case PAPER_MARKED:
		out_printf(o, "with linespoints lt %u pn 9", lt);
		break;
	case PAPER_STEPS:
		out_printf(o, "with steps lt %u", lt);
		return;
	case PAPER_POINTS:
		out_printf(o, "with points lt %u dt solid", lt);
		break;
	case PAPER_LINE_POINTS:
		out_printf(o, "with linespoints lt %u", lt);
		break;
	case PAPER_ERRORS:
		out_printf(o, "with yerrorbars lt %u dt solid", lt);
		break;
	case PAPER_CROSSES:
		out_printf(o, "with xyerrorbars lt %u dt solid lw 1 pt -1", lt);
		return;
	case PAPER_BAND:
		out_printf(o, "with filledcurves lt %u fs transparent solid 0.22 noborder", lt);
		return;
	case PAPER_SPANS:
		out_printf(o, "with boxxyerror lt %u dt solid fs solid 1.0 noborder", lt);
		return;
	}
	put_point(o, s);
}

// "1:2", or with an offset "($1*1.01):2".
static void put_using(struct out *o, const struct paper *p, const struct paper_series *s)
{
	bool bars = s->style == PAPER_ERRORS;
	const struct paper_range r = paper_range_of(p, false);

	if (s->aside != 0 && (bars || s->style == PAPER_LINE_POINTS)) {
		if (r.log)
			out_printf(o, "($1*%.6g)", pow(r.to / r.from, s->aside));
		else
			out_printf(o, "($1%+.6g)", (r.to - r.from) * s->aside);
		out_str(o, bars ? ":2:3:4" : ":2");
		return;
	}
	out_str(o, bars                        ? "1:2:3:4"
		   : s->style == PAPER_CROSSES ? "1:2:5:6:3:4"
		   : s->style == PAPER_BAND    ? "1:2:3"
		   : s->style == PAPER_SPANS   ? "(($2+$3)/2):1:2:3:($1-0.34):($1+0.34)"
					       : "1:2");
}

// Series of a plot, or with `entries` the key alone, part by part behind `plot`.
struct listing {
	const struct paper *p;
	const struct layout *l;
	struct out *o;
	unsigned n;                        // parts so far
	unsigned key;                      // entries so far
	const struct paper_series *before; // the last one of the key
	bool grouped;
};

static void begin_part(struct listing *t)
{
	out_str(t->o, t->n++ ? ", \\\n\t     " : "\tplot ");
}

// Fills a column of the legend with empty entries, so that the next group begins a new column.
static void end_column(struct listing *t)
{
	while (t->key % t->l->key_rows) {
		begin_part(t);
		out_str(t->o, "keyentry title ' '");
		t->key++;
	}
	t->grouped = true;
}

static void count_entry(struct listing *t, const struct paper_series *s)
{
	if (t->before && t->before->group != s->group)
		end_column(t);
	t->before = s;
	t->key++;
}

static void put_series(struct listing *t, const struct paper_series *s, int block, bool in_key)
{
	if (block < 0 && !in_key)
		return;
	if (in_key)
		count_entry(t, s);
	begin_part(t);
	if (block >= 0) {
		out_printf(t->o, "data index %d using ", block);
		put_using(t->o, t->p, s);
		out_str(t->o, " ");
	} else {
		out_str(t->o, "keyentry ");
	}
	put_style(t->o, t->p, s);
	if (!in_key) {
		out_str(t->o, " notitle");
		return;
	}
	out_str(t->o, " title ");
	paper_quote(t->o, s->name, KEY_MOST, false);
}

// Writes the curves of one plot.
static void put_plot(const struct paper *p, const struct layout *l, unsigned panel, struct out *o)
{
	struct listing t = {.p = p, .l = l, .o = o};
	int block = 0;

	for (unsigned i = 0; i < p->n_series; i++) {
		const struct paper_series *s = &p->series[i];
		int own = s->n ? block++ : -1;

		if (!p->n_panels)
			put_series(&t, s, own, in_key(s));
		else if (s->panel == panel)
			put_series(&t, s, own, false);
	}
	if (t.grouped)
		end_column(&t);
	if (!block || !t.n) { // gnuplot draws no axes without something to plot
		begin_part(&t);
		out_str(o, "NaN notitle");
	}
	out_str(o, "\n");
}

static void put_key_plot(const struct paper *p, const struct layout *l, struct out *o)
{
	struct listing t = {.p = p, .l = l, .o = o, .n = 1};

	out_str(o, "\tplot NaN notitle");
	for (unsigned i = 0; i < p->n_series; i++)
		if (in_key(&p->series[i]))
			put_series(&t, &p->series[i], -1, true);
	if (t.grouped)
		end_column(&t);
	out_str(o, "\n");
}

static void put_margins(
	const struct layout *l, double left, double right, double top, double bottom, struct out *o)
{
	out_printf(o,
		"\tset margins at screen %.4f, at screen %.4f, at screen %.4f, at screen %.4f\n",
		left / l->width, right / l->width, 1 - bottom / l->height, 1 - top / l->height);
}

// Titles of the axes stand once, beside all plots.
static void put_outer_titles(
	const struct paper *p, const struct layout *l, double bottom, struct out *o)
{
	double top = ABOVE + l->titles * LINE;

	out_str(o, "\tset label 1 ");
	put_title(o, p, false);
	out_printf(o, " at screen %.4f, %.4f center noenhanced\n",
		(l->left + l->width) / 2.0 / l->width, 1 - (bottom + 40) / l->height);
	out_str(o, "\tset label 2 ");
	put_title(o, p, true);
	out_printf(o, " at screen %.4f, %.4f center rotate by 90 noenhanced\n", 16.0 / l->width,
		1 - (top + bottom) / 2 / l->height);
	if (!p->title)
		return;
	out_str(o, "\tset label 3 ");
	paper_quote(o, p->title, 0, true);
	out_printf(o, " at screen 0.5, %.4f center noenhanced\n", 1 - 16.0 / l->height);
}

static void put_panels(const struct paper *p, const struct layout *l, struct out *o)
{
	double top = ABOVE + l->titles * LINE, bottom;
	double each = (l->width - l->left - RIGHT + PANEL_SIDE) / (double)l->across;

	bottom = top + l->down * (l->plot + PANEL_GAP);
	out_str(o, "\tset multiplot\n\tset key off\n");
	put_outer_titles(p, l, bottom - 46, o);
	for (unsigned i = 0; i < p->n_panels; i++) {
		double x = l->left + (i % l->across) * each;
		double y = top + (i / l->across) * (l->plot + PANEL_GAP) + 20;

		out_str(o, "\tset title ");
		paper_quote(o, p->panel[i], LABEL_MOST, false);
		out_str(o, " noenhanced offset 0,-0.7\n");
		put_margins(l, x, x + each - PANEL_SIDE, y, y + l->plot, o);
		put_plot(p, l, i, o);
		if (!i)
			out_printf(o, "\tunset label\n");
	}
	out_str(o, "\t# The key is a plot of its own, without axes.\n"
		   "\tunset title; unset border; unset tics; unset grid\n");
	out_printf(o, "\tset key center horizontal Left reverse noenhanced maxcols %u\n",
		most(1, l->key_columns));
	put_margins(l, 0, l->width, l->height - l->key_rows * ROW - 8, l->height - 4, o);
	put_key_plot(p, l, o);
	out_str(o, "\tunset multiplot\n\t" BORDER "\n\t" TICS "\n\t" GRID "\n");
}

void paper_script(const struct paper *p, struct out *o)
{
	struct layout l = lay_out(p);

	put_preamble(p, &l, o);
	put_looks(p, o);
	put_axes(p, o);
	if (!p->n_panels) {
		put_lines(p, true, o);
		put_lines(p, false, o);
		out_printf(o,
			"set rmargin at screen %.4f\nset bmargin at screen %.4f\n"
			"set key bmargin center horizontal Left reverse noenhanced maxcols %u\n",
			1 - (double)l.right / l.width, (double)l.below / l.height,
			most(1, l.key_columns));
	}
	out_str(o,
		"\ndo for [format in formats] {\n"
		"\tif (format eq 'svg') {\n"
		"\t\tset terminal svg size width,height background 'white' font 'sans-serif,12'\n"
		"\t}\n"
		"\tif (format eq 'png') {\n"
		"\t\tset terminal pngcairo size 2*width,2*height font 'Sans,11' fontscale 2 "
		"linewidth 2 pointscale 2\n"
		"\t}\n"
		"\tif (format eq 'pdf') {\n"
		"\t\tset terminal pdfcairo size width/160.0,height/160.0 font 'Sans,5.5' linewidth "
		"0.5 pointscale 0.5\n"
		"\t}\n");
	out_printf(o, "\tset output '%s.'.format\n", p->stem);
	if (p->n_panels)
		put_panels(p, &l, o);
	else
		put_plot(p, &l, 0, o);
	out_str(o, "\tunset output\n}\n");
}
