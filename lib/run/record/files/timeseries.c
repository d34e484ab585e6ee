// SPDX-License-Identifier: BSD-3-Clause
// timeseries.csv and qlen.txt: values of each queue and flow for each sampling period.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

#define TS_LINE 512 // room for the longest line

static const char header[] =
	"time_us,kind,object,qlen_bytes,qlen_mean_bytes,qlen_max_bytes,tx_gbps,"
	"ecn_marked_frames,dropped_frames,paused_us,goodput_gbps,rc_gbps,"
	"rt_gbps,alpha,cnp_rx\n";

int record_ts_open(struct record *r, struct err *err)
{
	int code = record_file(r, &r->ts, "timeseries.csv", err);

	if (!code)
		record_want_commit(r, &r->ts,
			fmt_mem(out_room(&r->ts, TS_LINE), header, sizeof(header) - 1), 0);
	return code;
}

// bytes in `ps` as Gb/s with three decimals.
static char *put_gbps(char *p, uint64_t bytes, tstamp ps)
{
	return bytes ? fmt_fixed(p, bytes * (8 * PS_PER_S / RATE_MBPS) / ps, 3) : fmt_u64(p, 0);
}

static char *put_field(char *p, uint64_t v)
{
	p = fmt_u64(p, v);
	*p++ = ',';
	return p;
}

static uint64_t mean(unsigned __int128 area, tstamp ps)
{
	return area >> 64 ? (uint64_t)(area / ps) : (uint64_t)area / ps;
}

// Time that a class of a port has been paused by its peer, up to now.
static tstamp paused_ps(const struct pause_rx *rx, unsigned cls, tstamp now)
{
	tstamp t = rx->stats[cls].pause_effective_ps;

	if (rx->paused >> cls & 1)
		t += tstamp_since(tstamp_min(now, rx->until[cls]), rx->since[cls]);
	return t;
}

// Writes the columns of a queue. In real time a sample may fall between two stores of an lcore, or
// count a pause as longer than it turns out to be. The next sample may then have a smaller sum,
// which counts as no change.
static char *put_queue_sample(char *p, struct rec_queue *q, tstamp now, tstamp dt)
{
	uint64_t bytes = rec_queue_bytes(q), max = bytes, avg = bytes;
	tstamp paused = paused_ps(q->port->rx, q->cls, now);
	struct sw_class_stats s = rec_class_stats(q);
	struct hist *h = rec_queue_hist(q);

	if (h) {
		unsigned __int128 sum = rec_queue_byte_ps(q->q, h, now);
		uint64_t top = hist_take_max(h);

		max = top > bytes ? top : bytes;
		avg = sum > q->byte_ps ? mean(sum - q->byte_ps, dt) : 0;
		q->byte_ps = sum;
	}
	paused = paused > q->paused_ps ? paused : q->paused_ps;
	q->max_bytes = max > q->max_bytes ? max : q->max_bytes;
	q->port->sampled_bytes += bytes;

	p = fmt_mem(p, "queue,", 6);
	p = fmt_text(p, &q->port->label);
	*p++ = '.';
	*p++ = (char)('0' + q->cls);
	*p++ = ',';
	p = put_field(p, bytes);
	p = put_field(p, avg);
	p = put_field(p, max);
	p = put_gbps(p, s.tx_bytes - q->tx_bytes, dt);
	*p++ = ',';
	p = put_field(p, s.ecn_marked_frames - q->marks);
	p = put_field(p, s.dropped_frames - q->drops);
	p = paused == q->paused_ps ? fmt_u64(p, 0)
				   : fmt_fixed(p, (paused - q->paused_ps) / PS_PER_NS, 3);
	q->tx_bytes = s.tx_bytes;
	q->marks = s.ecn_marked_frames;
	q->drops = s.dropped_frames;
	q->paused_ps = paused;
	return fmt_mem(p, ",,,,,\n", 6);
}

// If the flow's other end runs elsewhere, its values are left empty.
static char *put_flow(char *p, const struct scene *s, struct rec_flow *f, tstamp now, tstamp dt)
{
	uint64_t rx_bytes = rec_flow_rx(f)->rx_bytes, cnp = rec_flow_tx(f)->cnp_rx;
	struct rp_look look;

	p = fmt_mem(p, "flow,", 5);
	p = fmt_text(p, &f->label);
	p = fmt_mem(p, ",,,,,,,,", 8);
	if (scene_is_here(s, f->scene->to))
		p = put_gbps(p, rx_bytes - f->rx_bytes, dt);
	*p++ = ',';
	if (f->rp && nic_qp_look_at(f->nic, f->qp, &look, now)) {
		p = fmt_fixed(p, look.rc / RATE_MBPS, 3);
		*p++ = ',';
		p = fmt_fixed(p, look.rt / RATE_MBPS, 3);
		*p++ = ',';
		p = look.has_alpha ? fmt_q60(p, look.alpha) : p;
		*p++ = ',';
	} else {
		p = fmt_mem(p, ",,,", 3);
	}
	if (scene_is_here(s, f->scene->from))
		p = fmt_u64(p, cnp - f->cnp_rx);
	f->rx_bytes = rx_bytes;
	f->cnp_rx = cnp;
	*p++ = '\n';
	return p;
}

// A receive buffer: how full it is. A buffer that was always empty has no line.
static char *put_rxbuf(char *p, const struct rec_rxbuf *b, tstamp now)
{
	p = fmt_mem(p, "rxbuf,", 6);
	p = fmt_text(p, &b->label);
	*p++ = ',';
	p = fmt_u64(p, nic_rxbuf_bytes(b->nic, now));
	return fmt_mem(p, ",,,,,,,,,,,\n", 12);
}

static int by_place(const void *a, const void *b)
{
	const struct rec_queue *const *x = a, *const *y = b;

	return (*x > *y) - (*x < *y);
}

// Queues that have come into use since the last sample take their place by number among the live
// ones.
static void enliven(struct record *r)
{
	unsigned before = r->n_live;

	for (unsigned i = r->n_live; i < r->n_watched; i++) {
		struct rec_queue *q = r->live[i];
		unsigned at = r->n_live;

		if (!*r->watch[i].max_bytes && !*r->watch[i].dropped_frames)
			continue;
		r->live[i] = r->live[at];
		r->watch[i] = r->watch[at];
		r->live[at] = q;
		r->n_live++;
		q->port->live = true;
	}
	if (r->n_live > before)
		qsort(r->live, r->n_live, sizeof(*r->live), by_place);
}

// Adds a sample to the port's distribution.
static void bin(struct record *r, struct rec_port *p)
{
	uint32_t kb = (uint32_t)(p->sampled_bytes / 1000);

	if (kb >= p->bins) {
		uint32_t n = kb + kb / 2 + 64;
		uint32_t *more = realloc(p->bin, n * sizeof(*more));

		if (!more) {
			record_fail(r, -ENOMEM, "no memory for qlen.txt");
			return;
		}
		memset(more + p->bins, 0, (n - p->bins) * sizeof(*more));
		p->bin = more;
		p->bins = n;
	}
	p->bin[kb]++;
}

void record_ts_write(struct record *r, tstamp now)
{
	tstamp dt = tstamp_since(now, r->sampled);
	unsigned step = record_flow_step(r);
	struct fmt_text time;
	bool in_window = now > record_window(r);

	if (!dt)
		return;
	time.len = (uint8_t)(fmt_us(time.s, now) - time.s);
	time.s[time.len++] = ',';
	enliven(r);
	for (unsigned i = 0; i < r->n_live; i++) {
		char *p = fmt_text(out_room(&r->ts, TS_LINE), &time);

		record_want_commit(r, &r->ts, put_queue_sample(p, r->live[i], now, dt), now);
	}
	for (unsigned i = 0; i < r->n_rxbufs; i++) {
		char *p;

		if (!nic_rxbuf_max(r->rxbuf[i].nic))
			continue;
		p = fmt_text(out_room(&r->ts, TS_LINE), &time);
		record_want_commit(r, &r->ts, put_rxbuf(p, &r->rxbuf[i], now), now);
	}
	for (unsigned i = 0; step && i < r->n_flows; i += step) {
		struct rec_flow *f = &r->flow[i];

		if (!f->used && !rec_flow_tx(f)->data_frames_tx && !rec_flow_rx(f)->data_frames_rx)
			continue;
		f->used = true;

		char *p = fmt_text(out_room(&r->ts, TS_LINE), &time);

		record_want_commit(r, &r->ts, put_flow(p, r->scene, f, now, dt), now);
	}
	for (unsigned i = 0; i < r->n_ports; i++) {
		struct rec_port *p = &r->port[i];

		if (p->live && in_window)
			bin(r, p);
		p->sampled_bytes = 0;
	}
	r->samples += in_window;
	r->sampled = now;
}

int record_qlen_write(const struct record *r, tstamp end, struct err *err)
{
	struct out o;
	int code = record_file(r, &o, "qlen.txt", err);

	if (code)
		return code;
	out_printf(&o, "time: %llu\n", (unsigned long long)(end / PS_PER_NS));
	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *p = &r->port[i];
		uint64_t counted = 0;
		uint32_t n = p->bins;

		if (!p->live)
			continue;
		while (n && !p->bin[n - 1])
			n--;
		for (uint32_t k = 0; k < n; k++)
			counted += p->bin[k];
		// Samples before the port's first frame found it empty.
		out_printf(&o, "%u %u %llu", net_node(r->net, p->node)->scene->number, p->port + 1u,
			(unsigned long long)(r->samples - counted + (n ? p->bin[0] : 0)));
		for (uint32_t k = 1; k < n; k++) {
			char *at = out_room(&o, TS_LINE);

			*at++ = ' ';
			out_upto(&o, fmt_u64(at, p->bin[k]));
		}
		out_put(&o, "\n", 1);
	}
	return out_close(&o, err);
}
