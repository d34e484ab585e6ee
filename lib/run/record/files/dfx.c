// SPDX-License-Identifier: BSD-3-Clause
// dfx.csv and dfx.svg: the entries of the RDMA IP's debugging windows, as a list and as a picture.
#include <errno.h>
#include <math.h>

#include "out/out.h"
#include "int.h"

#define LEGEND 6 // queue pairs that it names

// The range of the drawing.
struct span {
	uint32_t from_us, to_us;
	double gbps;
};

static const struct rdma_ip_dfx *window(const struct rec_flow *f)
{
	const struct rp *rp = f->nic ? nic_qp_rp(f->nic, f->qp) : NULL;
	const struct rdma_ip_dfx *dfx = rp ? rp_dfx(rp) : NULL;

	return dfx && dfx->n ? dfx : NULL;
}

static double gbps(const struct rec_flow *f, uint32_t units)
{
	return (double)rdma_ip_rp_bps(units, rp_registers(f->scene->rp)->core.rp.clock_hz) / 1e9;
}

static void put_csv(struct out *o, const struct record *r)
{
	out_str(o, "time_us,flow,node,qp,event,event_name,rate,rate_gbps\n");
	for (unsigned i = 0; i < r->scene->n_flows; i++) {
		const struct rec_flow *f = &r->flow[i];
		const struct rdma_ip_dfx *d = window(f);

		for (unsigned k = 0; d && k < d->n; k++) {
			const struct rdma_ip_dfx_entry *e = &d->entry[k];

			out_printf(o, "%u,%s,%s,%u,%u,%s,%u,%.6f\n", e->us, f->scene->name,
				r->scene->node[scene_host_of(r->scene, f->scene->from)].name,
				f->scene->src_qp, e->code, rdma_ip_dfx_name(e->code), e->rate,
				gbps(f, e->rate));
		}
	}
}

static bool find_span(const struct record *r, struct span *s)
{
	bool any = false;

	*s = (struct span){.from_us = UINT32_MAX};
	for (unsigned i = 0; i < r->scene->n_flows; i++) {
		const struct rdma_ip_dfx *d = window(&r->flow[i]);

		for (unsigned k = 0; d && k < d->n; k++) {
			const struct rdma_ip_dfx_entry *e = &d->entry[k];

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

// By phase, the low bits of the code: what each kind of event looks like.
static const struct {
	enum chart_mark mark;
	const char *name;
} looks[] = {
	{CHART_DOWN, "decrease"},
	{CHART_CIRCLE, "fast recovery"},
	{CHART_DIAMOND, "hyper increase"},
	{CHART_UP, "additive increase"},
};

// The rate holds from each event to the next. Events of the byte counter are filled points, events
// of the timer open ones.
static void put_window(struct chart *c, const struct rec_flow *f, unsigned colour, double unit_us)
{
	const struct rdma_ip_dfx *d = window(f);
	double x[RDMA_IP_DFX_ENTRIES], y[RDMA_IP_DFX_ENTRIES];

	for (unsigned k = 0; k < d->n; k++) {
		x[k] = d->entry[k].us / unit_us;
		y[k] = gbps(f, d->entry[k].rate);
	}
	chart_steps(c, colour, x, y, d->n);
	for (unsigned k = 0; k < d->n; k++) {
		unsigned code = d->entry[k].code;
		char tip[128];

		snprintf(tip, sizeof(tip), "%u us: %s, %.3f Gb/s", d->entry[k].us,
			rdma_ip_dfx_name(code), y[k]);
		chart_mark(c, colour, looks[code & 3].mark, code < 4, x[k], y[k], tip);
	}
}

static void put_legend(struct chart *c, const struct record *r)
{
	static const uint8_t order[] = {0, 1, 3, 2}; // as they follow each other
	unsigned n = 0;

	chart_legend_head(c, "queue pair");
	for (unsigned i = 0; i < r->scene->n_flows; i++)
		if (window(&r->flow[i]) && n++ < LEGEND)
			chart_legend_line(c, n - 1, r->flow[i].scene->name);
	if (n > LEGEND) {
		char more[32];

		snprintf(more, sizeof(more), "and %u more", n - LEGEND);
		chart_legend_head(c, more);
	}
	chart_legend_head(c, "event");
	for (unsigned i = 0; i < sizeof(order); i++)
		chart_legend_mark(c, CHART_GREY, looks[order[i]].mark, !i, looks[order[i]].name);
	chart_legend_head(c, "an increase by");
	chart_legend_mark(c, CHART_GREY, CHART_CIRCLE, true, "the byte counter");
	chart_legend_mark(c, CHART_GREY, CHART_CIRCLE, false, "the timer");
}

static void put_svg(struct out *o, const struct record *r, const struct span *s)
{
	bool ms = s->to_us - s->from_us >= 2000;
	double unit_us = ms ? 1000 : 1;
	struct chart c = {.o = o,
		.title = "The rate over time: debugging windows of the RDMA IP",
		.subtitle = r->scene->name,
		.x_title = ms ? "time, ms" : "time, us",
		.y_title = "current rate, Gb/s",
		.x_from = s->from_us / unit_us,
		.x_to = s->to_us / unit_us,
		.y_to = s->gbps};
	unsigned n = 0;

	chart_begin(&c);
	for (unsigned i = 0; i < r->scene->n_flows; i++)
		if (window(&r->flow[i]))
			put_window(&c, &r->flow[i], n++, unit_us);
	put_legend(&c, r);
	chart_end(&c);
}

int record_dfx_write(struct record *r, struct err *err)
{
	struct out o = {.fd = -1};
	struct span s;
	int rc;

	if (!find_span(r, &s))
		return 0;
	rc = record_file(r, &o, "dfx.csv", err);
	if (rc)
		return rc;
	put_csv(&o, r);
	rc = out_close(&o, err);
	if (rc)
		return rc;
	rc = record_file(r, &o, "dfx.svg", err);
	if (rc)
		return rc;
	put_svg(&o, r, &s);
	return out_close(&o, err);
}
