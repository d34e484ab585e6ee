// SPDX-License-Identifier: BSD-3-Clause
// A drawing of values over time as SVG: axes with round ticks, steps that hold from event to event,
// marks, a legend.
#include "chart.h"

#include "int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH  1000
#define HEIGHT 520
#define LEFT   72  // at least
#define TITLE  22  // of the y axis, from the left edge
#define DIGIT  7.3 // width of a character of a tick
#define RIGHT  236 // room for the legend
#define TOP    72
#define BOTTOM 64
#define PAD    10 // between the axis and the first and last value
#define ROW    20 // of the legend
#define ROWS   20
#define TICKS  8 // of an axis, at most
#define GREY   "#5f6368"
#define FAINT  "#e4e6e8"
#define INK    "#202124"

// Colours that people with a colour vision deficiency can tell apart, too (after Okabe and Ito).
static const char *const colours[] = {
	"#0072b2", "#d55e00", "#009e73", "#b0568f", "#b58900", "#3a9bd0", "#7f3c8d", "#5f6368"};

static const char *colour_of(unsigned colour)
{
	if (colour == CHART_GREY)
		return GREY;
	return colours[colour % (sizeof(colours) / sizeof(colours[0]))];
}

double chart_step(double range)
{
	double raw = range / TICKS, ten = pow(10, floor(log10(raw)));

	return raw / ten <= 1.0001 ? ten
	       : raw / ten <= 2    ? 2 * ten
	       : raw / ten <= 5    ? 5 * ten
				   : 10 * ten;
}

static double x_of(const struct chart *c, double x)
{
	return c->left + PAD +
	       (x - c->x_from) / (c->x_to - c->x_from) * (WIDTH - c->left - RIGHT - 2 * PAD);
}

static double y_of(const struct chart *c, double y)
{
	return HEIGHT - BOTTOM - y / c->y_top * (HEIGHT - TOP - BOTTOM);
}

// A tick's number, in thousands or millions where it is long.
static int tick_text(double value, char *buf, size_t size)
{
	if (fabs(value) < 1e4)
		return snprintf(buf, size, "%.10g", value);
	return fabs(value) < 1e6 ? snprintf(buf, size, "%.10gk", value / 1e3)
				 : snprintf(buf, size, "%.10gM", value / 1e6);
}

// Room for the y axis: its title and its longest tick.
static unsigned left_of(const struct chart *c)
{
	double dy = chart_step(c->y_top);
	int longest = 0;
	char text[32];

	for (double i = 0; i * dy <= c->y_top * 1.001; i++) {
		int n = tick_text(i * dy, text, sizeof(text));

		longest = n > longest ? n : longest;
	}
	return (unsigned)fmax(LEFT, 2 * TITLE + 10 + DIGIT * longest);
}

static void put_titles(const struct chart *c)
{
	out_printf(c->o, "<text x=\"%u\" y=\"28\" font-size=\"17\" fill=\"" INK "\">", c->left);
	out_markup(c->o, c->title);
	out_printf(c->o, "</text>\n<text x=\"%u\" y=\"48\">", c->left);
	out_markup(c->o, c->subtitle);
	out_printf(c->o, "</text>\n<text x=\"%u\" y=\"%d\" text-anchor=\"middle\">",
		(c->left + WIDTH - RIGHT) / 2, HEIGHT - 18);
	out_markup(c->o, c->x_title);
	out_printf(c->o,
		"</text>\n<text transform=\"translate(%d %d) rotate(-90)\" text-anchor=\"middle\">",
		TITLE, (TOP + HEIGHT - BOTTOM) / 2);
	out_markup(c->o, c->y_title);
	out_str(c->o, "</text>\n");
}

static void put_y_tick(const struct chart *c, double value)
{
	double y = y_of(c, value);
	char text[32];

	tick_text(value, text, sizeof(text));
	out_printf(c->o,
		"<path d=\"M%u %.1fH%d\" stroke=\"" FAINT "\"/>"
		"<text x=\"%u\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
		c->left, y, WIDTH - RIGHT, c->left - 10, y + 4.5, text);
}

static void put_x_tick(const struct chart *c, double value)
{
	double x = x_of(c, value);
	char text[32];

	tick_text(value, text, sizeof(text));
	out_printf(c->o,
		"<path d=\"M%.1f %dV%d\" stroke=\"" FAINT "\"/>"
		"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
		x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 20, text);
}

static void put_axes(const struct chart *c)
{
	double dx = chart_step(c->x_to - c->x_from), dy = chart_step(c->y_top);

	for (double i = 0; i * dy <= c->y_top * 1.001; i++)
		put_y_tick(c, i * dy);
	for (double i = ceil(c->x_from / dx); i * dx <= c->x_to; i++)
		put_x_tick(c, i * dx);
	out_printf(c->o, "<path d=\"M%u %dH%d\" stroke=\"" GREY "\"/>\n", c->left, HEIGHT - BOTTOM,
		WIDTH - RIGHT);
}

void chart_begin(struct chart *c)
{
	double dy = chart_step(c->y_to);

	c->y_top = ceil(c->y_to / dy) * dy;
	c->left = left_of(c);
	c->legend = 0;
	out_printf(c->o,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
		"font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"" GREY "\">\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT);
	put_titles(c);
	put_axes(c);
}

void chart_end(struct chart *c)
{
	out_str(c->o, "</svg>\n");
}

void chart_steps(struct chart *c, unsigned colour, const double *x, const double *y, unsigned n)
{
	out_str(c->o, "<path d=\"");
	for (unsigned k = 0; k < n; k++)
		out_printf(c->o, k ? "H%.1fV%.1f" : "M%.1f %.1f", x_of(c, x[k]), y_of(c, y[k]));
	out_printf(c->o,
		"\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\"/>\n",
		colour_of(colour));
}

void chart_lines(struct chart *c, unsigned colour, const double *x, const double *y, unsigned n)
{
	out_str(c->o, "<path d=\"");
	for (unsigned k = 0; k < n; k++)
		out_printf(c->o, k ? "L%.1f %.1f" : "M%.1f %.1f", x_of(c, x[k]), y_of(c, y[k]));
	out_printf(c->o,
		"\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\"/>\n",
		colour_of(colour));
}

void chart_interval(struct chart *c, unsigned colour, double x, double low, double high)
{
	out_printf(c->o, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\" stroke-opacity=\"0.45\"/>\n",
		x_of(c, x), y_of(c, low), y_of(c, high), colour_of(colour));
}

// The shape around the origin, moved to (x, y).
static void put_shape(struct out *o, enum chart_mark mark, double x, double y, const char *fill,
	const char *stroke)
{
	static const char *const path[] = {
		[CHART_CIRCLE] = "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z",
		[CHART_UP] = "M0 -4L3.8 3H-3.8z",
		[CHART_DOWN] = "M0 5L-4.8 -4H4.8z",
		[CHART_DIAMOND] = "M0 -4.4L4 0L0 4.4L-4 0z",
	};

	out_printf(o,
		"<path transform=\"translate(%.1f %.1f)\" d=\"%s\" fill=\"%s\" stroke=\"%s\" "
		"stroke-width=\"1.3\"",
		x, y, path[mark], fill, stroke);
}

void chart_mark(struct chart *c, unsigned colour, enum chart_mark mark, bool filled, double x,
	double y, const char *tip)
{
	const char *stroke = colour_of(colour);

	put_shape(c->o, mark, x_of(c, x), y_of(c, y), filled ? stroke : "#fff", stroke);
	out_str(c->o, "><title>");
	out_markup(c->o, tip);
	out_str(c->o, "</title></path>\n");
}

// Middle of the legend's next line; 0: it has no room.
static double next_row(struct chart *c)
{
	return c->legend < ROWS ? TOP + 8 + ROW * c->legend++ : 0;
}

static void put_legend(const struct chart *c, double y, int indent, const char *text)
{
	out_printf(c->o, "<text x=\"%d\" y=\"%.1f\" fill=\"" INK "\">", WIDTH - RIGHT + 24 + indent,
		y + 4.5);
	out_markup(c->o, text);
	out_str(c->o, "</text>\n");
}

void chart_legend_head(struct chart *c, const char *text)
{
	double y;

	if (c->legend) // a line of air
		next_row(c);
	y = next_row(c);
	if (y == 0)
		return;
	out_printf(c->o, "<text x=\"%d\" y=\"%.1f\">", WIDTH - RIGHT + 24, y + 4.5);
	out_markup(c->o, text);
	out_str(c->o, "</text>\n");
}

void chart_legend_line(struct chart *c, unsigned colour, const char *text)
{
	double y = next_row(c);

	if (y == 0)
		return;
	out_printf(c->o, "<path d=\"M%d %.1fh20\" stroke=\"%s\" stroke-width=\"2.4\"/>",
		WIDTH - RIGHT + 24, y, colour_of(colour));
	put_legend(c, y, 28, text);
}

void chart_legend_mark(
	struct chart *c, unsigned colour, enum chart_mark mark, bool filled, const char *text)
{
	const char *stroke = colour_of(colour);
	double y = next_row(c);

	if (y == 0)
		return;
	put_shape(c->o, mark, WIDTH - RIGHT + 34, y, filled ? stroke : "#fff", stroke);
	out_str(c->o, "/>");
	put_legend(c, y, 28, text);
}
