// SPDX-License-Identifier: BSD-3-Clause
// dfx.csv and dfx.svg: what the RDMA IP's debugging windows recorded, entry by entry and drawn.
#include <errno.h>
#include <math.h>

#include "run/record_own.h"

#define WIDTH  960
#define HEIGHT 480
#define LEFT   70
#define RIGHT  250 // room for the legend
#define TOP    30
#define BOTTOM 50
#define LEGEND 20 // lines at most

static const char *const colours[] = {
	"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#666666"};

#define COLOURS (sizeof(colours) / sizeof(colours[0]))

// What the drawing spans.
struct chart {
	uint32_t from_us, to_us;
	double gbps;
};

static const struct hw_dfx *window(const struct rec_flow *f)
{
	const struct hw_qp *hw = f->nic ? nic_qp_hw(f->nic, f->qp) : NULL;

	return hw && hw->dfx.n ? &hw->dfx : NULL;
}

static double gbps(const struct rec_flow *f, uint32_t units)
{
	return (double)hw_rp_bps(units, nic_qp_hw(f->nic, f->qp)->cfg->rp.core.clock_hz) / 1e9;
}

static void put_csv(struct out *o, const struct record *r)
{
	out_str(o, "time_us,flow,node,qp,event,event_name,rate,rate_gbps\n");
	for (unsigned i = 0; i < r->scene->n_flows; i++) {
		const struct rec_flow *f = &r->flow[i];
		const struct hw_dfx *d = window(f);

		for (unsigned k = 0; d && k < d->n; k++) {
			const struct hw_dfx_entry *e = &d->entry[k];

			out_printf(o, "%u,%s,%s,%u,%u,%s,%u,%.6f\n", e->us, f->scene->name,
				r->scene->node[f->scene->from].name, f->scene->src_qpn, e->code,
				hw_dfx_name(e->code), e->rate, gbps(f, e->rate));
		}
	}
}

static bool span(const struct record *r, struct chart *s)
{
	bool any = false;

	*s = (struct chart){.from_us = UINT32_MAX};
	for (unsigned i = 0; i < r->scene->n_flows; i++) {
		const struct hw_dfx *d = window(&r->flow[i]);

		for (unsigned k = 0; d && k < d->n; k++) {
			const struct hw_dfx_entry *e = &d->entry[k];

			s->from_us = e->us < s->from_us ? e->us : s->from_us;
			s->to_us = e->us > s->to_us ? e->us : s->to_us;
			s->gbps = fmax(s->gbps, gbps(&r->flow[i], e->rate));
			any = true;
		}
	}
	if (s->to_us == s->from_us)
		s->to_us++;
	return any;
}

// A round step of about a sixth of the range: 1, 2 or 5 times a power of ten.
static double step_of(double range)
{
	double raw = range / 6, ten = pow(10, floor(log10(raw)));

	return raw / ten < 2 ? 2 * ten : raw / ten < 5 ? 5 * ten : 10 * ten;
}

static double x_of(const struct chart *s, double us)
{
	return LEFT + (us - s->from_us) / (s->to_us - s->from_us) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct chart *s, double rate)
{
	return HEIGHT - BOTTOM - rate / s->gbps * (HEIGHT - TOP - BOTTOM);
}

static void put_axes(struct out *o, const struct chart *s)
{
	double dx = step_of(s->to_us - s->from_us), dy = step_of(s->gbps);

	out_printf(o,
		"<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#000\"/>\n"
		"<text x=\"%d\" y=\"18\">Gb/s</text><text x=\"%d\" y=\"%d\">us</text>\n",
		LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT, LEFT - 40, WIDTH - RIGHT + 6,
		HEIGHT - BOTTOM + 4);
	for (double x = ceil(s->from_us / dx) * dx; x <= s->to_us; x += dx)
		out_printf(o,
			"<path d=\"M%.1f %dv5\" stroke=\"#000\"/>"
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
			x_of(s, x), HEIGHT - BOTTOM, x_of(s, x), HEIGHT - BOTTOM + 20, x);
	for (double y = 0; y <= s->gbps; y += dy)
		out_printf(o,
			"<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>"
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
			LEFT, y_of(s, y), WIDTH - RIGHT, LEFT - 8, y_of(s, y) + 4, y);
}

// The rate holds from each event to the next; a decrease has a full dot, an increase an open one.
static void put_line(
	struct out *o, const struct chart *s, const struct rec_flow *f, const char *colour)
{
	const struct hw_dfx *d = window(f);

	out_str(o, "<path d=\"");
	for (unsigned k = 0; k < d->n; k++)
		out_printf(o, k ? "H%.1fV%.1f" : "M%.1f %.1f", x_of(s, d->entry[k].us),
			y_of(s, gbps(f, d->entry[k].rate)));
	out_printf(o, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", colour);
	for (unsigned k = 0; k < d->n; k++)
		out_printf(o,
			"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" stroke=\"%s\" fill=\"%s\">"
			"<title>%u us %s</title></circle>\n",
			x_of(s, d->entry[k].us), y_of(s, gbps(f, d->entry[k].rate)), colour,
			d->entry[k].code ? "#fff" : colour, d->entry[k].us,
			hw_dfx_name(d->entry[k].code));
}

// A name in XML: "incast[h1>r.0]".
static void put_name(struct out *o, const char *name)
{
	for (; *name; name++) {
		if (*name == '<')
			out_str(o, "&lt;");
		else if (*name == '>')
			out_str(o, "&gt;");
		else if (*name == '&')
			out_str(o, "&amp;");
		else
			out_put(o, name, 1);
	}
}

static void put_svg(struct out *o, const struct record *r, const struct chart *s)
{
	unsigned n = 0;

	out_printf(o,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
		"font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT);
	put_axes(o, s);
	for (unsigned i = 0; i < r->scene->n_flows; i++) {
		const char *colour = colours[n % COLOURS];

		if (!window(&r->flow[i]))
			continue;
		put_line(o, s, &r->flow[i], colour);
		if (n++ >= LEGEND)
			continue;
		out_printf(o, "<text x=\"%d\" y=\"%u\" fill=\"%s\">", WIDTH - RIGHT + 30,
			TOP + 20 * n, colour);
		put_name(o, r->flow[i].scene->name);
		out_str(o, "</text>\n");
	}
	out_str(o, "</svg>\n");
}

static int open_beside(struct out *o, const struct record *r, const char *name, struct err *err)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", r->dir, name);
	return out_open(o, path, err);
}

int record_dfx_write(struct record *r, struct err *err)
{
	struct out o = {.fd = -1};
	struct chart s;
	int rc;

	if (!span(r, &s))
		return 0;
	rc = open_beside(&o, r, "dfx.csv", err);
	if (rc)
		return rc;
	put_csv(&o, r);
	rc = out_close(&o, err);
	if (rc)
		return rc;
	rc = open_beside(&o, r, "dfx.svg", err);
	if (rc)
		return rc;
	put_svg(&o, r, &s);
	return out_close(&o, err);
}
