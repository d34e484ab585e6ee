// SPDX-License-Identifier: BSD-3-Clause
// The page of a probe: one file of HTML with its tables and curves, which fetches nothing.
#include <math.h>
#include <string.h>

#include "device.h"

#define POINTS 200 // of a curve that are drawn; more are taken together

static const char head[] =
	"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	"'unsafe-inline'; img-src data:\">\n"
	"<style>\n"
	":root { color-scheme: light dark; --ink: #1d2126; --soft: #5c6670; --rule: #e4e7ea; "
	"--wash: #f6f7f8; --paper: #fff; --good: #00734f; --bad: #b84a00; --doubt: #8a5f00; }\n"
	"@media (prefers-color-scheme: dark) {\n"
	":root { --ink: #e3e6e9; --soft: #a4adb5; --rule: #31373d; --wash: #1f2327; "
	"--paper: #16191c; --good: #4fc28f; --bad: #ff9a62; --doubt: #dcb24a; }\n"
	"svg rect { fill: var(--paper); } svg text { fill: var(--soft); }\n"
	"svg text[fill] { fill: var(--ink); } svg [stroke=\"#e4e6e8\"] { stroke: var(--rule); }\n"
	"svg [stroke=\"#0072b2\"] { stroke: #56b4e9; } svg [fill=\"#0072b2\"] { fill: #56b4e9; }\n"
	"svg [stroke=\"#d55e00\"] { stroke: #ff9a62; }\n"
	"}\n"
	"body { margin: 0 auto; max-width: 66rem; padding: 2.5rem 1.5rem 4rem; color: var(--ink); "
	"background: var(--paper);\n"
	"  font: 16px/1.5 system-ui, -apple-system, \"Segoe UI\", Roboto, \"DejaVu Sans\", "
	"sans-serif; }\n"
	"h1 { font-size: 2rem; margin: 0; } h2 { font-size: 1.3rem; margin: 2.6rem 0 0.6rem; }\n"
	".soft { color: var(--soft); }\n"
	"summary { margin: 2.6rem 0 0.6rem; color: var(--soft); cursor: pointer; }\n"
	".scroll { overflow-x: auto; }\n"
	"table { border-collapse: collapse; width: 100%; min-width: 44rem; table-layout: fixed; "
	"font-size: 0.9375rem; }\n"
	"th { text-align: left; font-weight: 600; color: var(--soft); }\n"
	"th, td { padding: 0.3rem 1rem 0.3rem 0; border-bottom: 1px solid var(--rule); "
	"vertical-align: top; box-sizing: border-box; }\n"
	"td.n { white-space: nowrap; font-variant-numeric: tabular-nums; }\n"
	".good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: "
	"700; } .doubt { color: var(--doubt); font-weight: 600; }\n"
	".verdict, .verdict.good { padding: 0.8rem 1rem; background: var(--wash); border-left: "
	"4px solid var(--good); font-size: 1.1rem; font-weight: 400; color: inherit; }\n"
	".verdict.bad { border-color: var(--bad); font-weight: 400; color: inherit; } "
	".verdict.doubt { border-color: var(--doubt); font-weight: 400; color: inherit; }\n"
	"figure { margin: 1.5rem 0 2.5rem; } svg { width: 100%; height: auto; }\n"
	"figcaption { color: var(--soft); font-size: 0.875rem; }\n"
	"</style>\n<title>";

static const char *look_of(enum device_verdict v)
{
	switch (v) {
	case DEVICE_PASS:
		return "good";
	case DEVICE_FAIL:
	case DEVICE_INVALID:
		return "bad";
	case DEVICE_NOT_MEASURED:
		return "soft";
	default:
		return "doubt";
	}
}

static void put_cell(struct out *o, const char *look, const char *text)
{
	out_printf(o, "<td class=\"%s\">", look);
	out_markup(o, text);
	out_str(o, "</td>");
}

static void put_line(const struct device *d, const struct device_line *l, struct out *o)
{
	char text[2 * DEVICE_TEXT + 16];

	out_str(o, "<tr>");
	put_cell(o, "", probe_figure[l->figure].text);
	put_cell(o, "n", device_found_text(l, text, sizeof(text)));
	put_cell(o, "n", device_pm_text(l, text, sizeof(text)));
	if (d->against)
		put_cell(o, "n", device_configured_text(l, text, sizeof(text)));
	put_cell(o, look_of(l->verdict), device_verdict_name[l->verdict]);
	put_cell(o, "soft", l->found->why ? l->found->why : "");
	out_str(o, "</tr>\n");
}

static unsigned lines_of(const struct device *d, unsigned cls)
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->lines; i++)
		n += d->line[i].cls == cls;
	return n;
}

static void put_section(const struct device *d, unsigned cls, struct out *o)
{
	if (!lines_of(d, cls))
		return;
	if (cls == PROBE_DEVICE)
		out_str(o, "<h2>The device</h2>\n");
	else
		out_printf(o, "<h2>Class %u</h2>\n", cls);
	out_printf(o,
		"<div class=\"scroll\"><table><tr><th style=\"width: 25%%\">figure</th>"
		"<th style=\"width: 18%%\">found</th>"
		"<th style=\"width: 10%%\">+- (95&nbsp;%%)</th>%s"
		"<th style=\"width: 14%%\">verdict</th><th>why</th></tr>\n",
		d->against ? "<th style=\"width: 12%\">configured</th>" : "");
	for (unsigned i = 0; i < d->lines; i++)
		if (d->line[i].cls == cls)
			put_line(d, &d->line[i], o);
	out_str(o, "</table></div>\n");
}

// The sections of the classes of which only PROBE_OBEYS was found, folded.
static void put_folded(const struct device *d, struct out *o)
{
	const char *before = "<details><summary>Classes of which only <i>obeys</i> was found: ";

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (lines_of(d, c) && !device_has_rows(d, c)) {
			out_printf(o, "%s%u", before, c);
			before = ", ";
		}
	if (*before != ',')
		return;
	out_str(o, "</summary>\n");
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (!device_has_rows(d, c))
			put_section(d, c, o);
	out_str(o, "</details>\n");
}

// Points taken together, so that at most POINTS are drawn: means by their weights. They are by x.
struct thin {
	unsigned n, each; // points; points of the curve that each of them holds
	struct probe_point point[POINTS];
};

static void thin_of(struct thin *t, const struct probe_curve *c, double most)
{
	unsigned from = c->n;

	while (from && c->point[from - 1].x > most)
		from--;
	t->each = (from + POINTS - 1) / POINTS;
	t->n = 0;
	for (unsigned i = 0; i < from; i += t->each) {
		struct probe_point sum = {0};
		unsigned k = i;

		for (; k < from && k < i + t->each; k++) {
			double n = c->point[k].n > 0 ? c->point[k].n : 1;

			sum.x += n * c->point[k].x;
			sum.y += n * c->point[k].y;
			sum.n += n;
		}
		t->point[t->n++] = (struct probe_point){sum.x / sum.n, sum.y / sum.n, sum.n};
	}
}

// The fitted line of the marks: 0 up to Kmin, Pmax at Kmax, 100 % above.
static void put_fit(const struct device *d, struct chart *c, unsigned cls)
{
	double kmin = found_value(d->found, cls, PROBE_KMIN);
	double kmax = found_value(d->found, cls, PROBE_KMAX);
	double pmax = found_value(d->found, cls, PROBE_PMAX) / 100;

	if (isnan(kmin) || isnan(kmax) || isnan(pmax) || kmin < c->x_from || kmin > c->x_to)
		return;
	if (kmax < c->x_to)
		chart_lines(c, 1, (double[]){c->x_from, kmin, kmax, kmax, c->x_to},
			(double[]){0, 0, pmax, c->y_to, c->y_to}, 5);
	else
		chart_lines(c, 1, (double[]){c->x_from, kmin, c->x_to},
			(double[]){0, 0, pmax * (c->x_to - kmin) / (kmax - kmin)}, 3);
	chart_legend_line(c, 1, "fit: Kmin, Kmax, Pmax");
}

// The 95 % interval of a share (normal approximation).
static void put_share_interval(struct chart *c, const struct probe_point *p)
{
	double half = 1.96 * sqrt(p->y * (1 - p->y) / p->n);

	chart_interval(c, 0, p->x, fmax(p->y - half, 0), fmin(p->y + half, c->y_to));
}

// Draws the points of a curve up to x = `most`.
static void put_curve(
	const struct device *d, const struct probe_curve *from, double most, struct out *o)
{
	struct chart c = {.o = o, .x_title = from->x, .y_title = from->y};
	bool marks = !strcmp(from->name, "marks");
	char title[64], tip[128];
	struct thin t;

	thin_of(&t, from, most);
	c.x_from = c.x_to = t.n ? t.point[0].x : 0;
	for (unsigned i = 0; i < t.n; i++) {
		c.x_from = fmin(c.x_from, t.point[i].x);
		c.x_to = fmax(c.x_to, t.point[i].x);
		c.y_to = fmax(c.y_to, t.point[i].y);
	}
	if (marks)
		c.y_to = fmax(c.y_to, found_value(d->found, from->cls, PROBE_PMAX) / 100);
	if (!(c.x_to > c.x_from) || !(c.y_to > 0))
		return;
	snprintf(title, sizeof(title), "Class %u: %s%s", from->cls, from->name,
		isfinite(most) ? " below Kmax" : "");
	c.title = title;
	c.subtitle = t.each > 1 ? "neighbouring points are taken together" : "as measured";
	out_str(o, "<figure>\n");
	chart_begin(&c);
	for (unsigned i = 0; marks && i < t.n; i++)
		put_share_interval(&c, &t.point[i]);
	for (unsigned i = 0; i < t.n; i++) {
		snprintf(tip, sizeof(tip), "%.6g, %.6g of %.0f", t.point[i].x, t.point[i].y,
			t.point[i].n);
		chart_mark(&c, 0, CHART_CIRCLE, true, t.point[i].x, t.point[i].y, tip);
	}
	chart_legend_mark(&c, 0, CHART_CIRCLE, true, "measured");
	if (marks)
		put_fit(d, &c, from->cls);
	chart_end(&c);
	out_printf(o, "<figcaption>%u points of %u; %s</figcaption></figure>\n", t.n, from->n,
		marks ? "vertical bars are 95 % intervals of the share"
		      : "the pointer on a point shows its value and the repeats behind it");
}

static void put_verdict(const struct device *d, struct out *o)
{
	const char *look = d->n[DEVICE_FAIL] ? "bad" : device_status(d, true) ? "doubt" : "good";

	out_printf(o, "<p class=\"verdict %s\">", look);
	if (!d->against)
		out_str(o, "Found, and held against nothing.");
	else
		out_printf(o, "%u PASS, %u FAIL, %u WITHIN what the step can tell, against ",
			d->n[DEVICE_PASS], d->n[DEVICE_FAIL], d->n[DEVICE_WITHIN]);
	if (d->against)
		out_markup(o, d->against->name);
	out_str(o, d->against ? "." : "");
	if (d->n[DEVICE_INVALID])
		out_printf(o, " %u INVALID: the instrument was at fault.", d->n[DEVICE_INVALID]);
	if (d->n[DEVICE_NOT_MEASURED])
		out_printf(o, " %u not measured.", d->n[DEVICE_NOT_MEASURED]);
	out_str(o, "</p>\n");
}

static void put_facts(const struct device *d, struct out *o)
{
	const struct device_about *a = d->about;
	char rate[32], time[32], gap[32];

	out_printf(o,
		"<p class=\"soft\">%s clock, seed %llu, %s, %u lists of frames in %s of "
		"scene time",
		a->clock, (unsigned long long)a->seed,
		units_format(UNITS_RATE, a->rate, rate, sizeof(rate)), a->steps,
		device_time_text(a->scene_time, time, sizeof(time)));
	if (a->gap)
		out_printf(o, ", loop gap %s (99 %%)", device_time_text(a->gap, gap, sizeof(gap)));
	if (a->dilate > 1)
		out_printf(o,
			"; rate and times of the device are by its own clock, %llu times slower",
			(unsigned long long)a->dilate);
	out_printf(o, "%s.</p>\n", a->interrupted ? "; interrupted" : "");
}

void device_page(const struct device *d, struct out *o)
{
	out_str(o, head);
	out_markup(o, d->about->device);
	out_str(o, " as quench probe found it</title>\n</head>\n<body>\n<h1>");
	out_markup(o, d->about->device);
	out_str(o, " as <code>quench probe</code> found it</h1>\n");
	put_facts(d, o);
	put_verdict(d, o);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (device_has_rows(d, c))
			put_section(d, c, o);
	put_folded(d, o);
	put_section(d, PROBE_DEVICE, o);
	if (d->found->n_curves)
		out_str(o, "<h2>Curves</h2>\n");
	for (unsigned i = 0; i < d->found->n_curves; i++) {
		const struct probe_curve *c = &d->found->curve[i];
		double kmax = found_value(d->found, c->cls, PROBE_KMAX);

		put_curve(d, c, INFINITY, o);
		// Above Kmax all frames are marked, which hides the slope.
		if (!strcmp(c->name, "marks") && !isnan(kmax))
			put_curve(d, c, kmax - 2 * device_unit(d), o);
	}
	out_str(o, "</body>\n</html>\n");
}
