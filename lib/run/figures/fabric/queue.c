// SPDX-License-Identifier: BSD-3-Clause
// Egress queues over the window: their lengths over time, what left them, what was marked and
// dropped (measuring.md M3, M6).
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "int.h"

struct queue {
	struct fabric_queue q; // the part that others read
	const char *port;
	unsigned cls;
	bool of_switch;
	double kmin_bytes, kmax_bytes;
	double delay_p99_us; // time of the p99 at the port's rate
	uint64_t length;     // at the end
	double max_at_us;    // of the whole run; NAN: it never held a frame
	uint64_t ect;
	double marking_ratio;
	uint64_t buffer_max, shared_max; // bytes of whole cells
};

bool fabric_is_lossless(const struct scene_node *n, unsigned port, unsigned cls)
{
	return n->kind == SCENE_SW && n->u.sw.port[port].pg[cls].lossless;
}

// The classes of a switch that some port takes as lossless, as a bitmap.
static unsigned lossless_classes(const struct scene_node *n)
{
	unsigned classes = 0;

	for (unsigned i = 0; i < n->n_ports; i++)
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			classes |= (unsigned)fabric_is_lossless(
					   n, i, sw_port_set(&n->u.sw, i)->pg_map[c])
				   << c;
	return classes;
}

// The classes that leave by a port in a queue, as a bitmap.
static unsigned queue_classes(const struct scene_node *n, unsigned port, unsigned queue)
{
	unsigned classes = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		classes |= (unsigned)(sw_port_set(&n->u.sw, port)->queue_map[c] == queue) << c;
	return classes;
}

// While the queues are made: room for a histogram, and the switch that had the last one.
struct making {
	struct hist *hist;
	const struct scene_node *sw;
	unsigned lossless; // of its classes, as a bitmap
};

// Figures of the queue's length over time. `h` is room for a histogram.
static void depth(struct queue *o, const struct rec_queue *rec, struct hist *h)
{
	struct fabric_queue *q = &o->q;

	if (!q->held) { // nothing was booked
		q->mean_bytes = q->std_bytes = q->p50 = q->p90 = q->p95 = q->p99 = q->p999 = 0;
		q->above_kmin_percent = q->above_kmax_percent = q->red ? 0 : NAN;
		o->delay_p99_us = 0;
		q->empty_percent = 100;
		return;
	}
	hist_look(h, rec_queue_hist(rec), rec_queue_max(rec));
	h->max = q->max;
	if (rec->warm_hist)
		hist_subtract(h, rec->warm_hist, q->max);
	if (!h->n)
		return;
	q->mean_bytes = hist_mean(h);
	q->std_bytes = hist_deviation(h);
	q->p50 = (double)hist_quantile(h, 500);
	q->p90 = (double)hist_quantile(h, 900);
	q->p95 = (double)hist_quantile(h, 950);
	q->p99 = (double)hist_quantile(h, 990);
	q->p999 = (double)hist_quantile(h, 999);
	q->empty_percent = 100 * (double)h->bucket[0] / (double)h->n;
	if (q->red) {
		q->above_kmin_percent = 100 * hist_share_above(h, q->red->kmin_bytes);
		q->above_kmax_percent = 100 * hist_share_above(h, q->red->kmax_bytes);
	}
	o->delay_p99_us = q->p99 * 8e6 / (double)rec->port->scene->rate;
}

static void sides(struct queue *o, const struct record *r)
{
	const struct rec_port *p = o->q.rec->port;
	const struct net_node *n = net_node(r->net, p->node);
	const struct mmu_pools *sides = n->kind == SCENE_SW ? sw_sides_of(n->u.sw, p->port) : NULL;
	const struct mmu_queue *m;

	if (!sides)
		return;
	m = &sides->queue[p->port * MMU_PGS + o->q.rec->cls];
	o->q.two_sided = true;
	o->buffer_max = m->max_bytes;
	o->shared_max = m->max_shared;
	o->q.limit = mmu_queue_limit(sides, p->port, o->q.rec->cls);
}

static void switch_queue(struct queue *o, const struct scene_node *n, struct making *m)
{
	struct fabric_queue *q = &o->q;
	const struct rec_queue *rec = q->rec;
	const struct red_cfg *red = sw_red(rec->sw, rec->port->port, rec->cls);

	if (m->sw != n) {
		m->sw = n;
		m->lossless = lossless_classes(n);
	}
	q->w = fabric_class_window(rec);
	q->lossless = (m->lossless & queue_classes(n, rec->port->port, rec->cls)) != 0;
	if (red) { // as it is now, which an event may have set
		q->own_red = *red;
		q->red = &q->own_red;
		o->kmin_bytes = q->red->kmin_bytes;
		o->kmax_bytes = q->red->kmax_bytes;
	}
	o->ect = sw_class_ect(&q->w);
	o->marking_ratio =
		kind_ratio(q->w.ecn_marked_frames - q->w.ecn_marked_not_ect_frames, o->ect);
}

static void queue_make(
	struct queue *o, const struct summary *s, struct rec_queue *rec, struct making *m)
{
	const struct record *r = s->rec;
	struct fabric_queue *q = &o->q;
	struct hist *h;

	q->rec = rec;
	o->port = rec->port->scene->name;
	o->cls = rec->cls;
	o->of_switch = rec->sw;
	q->held = rec_queue_max(rec);
	q->mean_bytes = q->std_bytes = q->p50 = q->p90 = q->p95 = q->p99 = q->p999 = NAN;
	q->above_kmin_percent = q->above_kmax_percent = q->empty_percent = o->delay_p99_us = NAN;
	o->kmin_bytes = o->kmax_bytes = o->marking_ratio = NAN;
	o->length = rec_queue_bytes(rec);
	o->max_at_us = q->held ? (double)rec->q->max_at / 1e6 : NAN;
	if (rec->sw)
		switch_queue(o, net_node(r->net, rec->port->node)->scene, m);
	sides(o, r);
	q->max = rec->max_bytes > o->length ? rec->max_bytes : o->length;
	h = rec_queue_hist(rec);
	if (!h) {
		if (rec->port->n_lanes) // a bound
			q->max = q->held;
		return;
	}
	q->max = h->max > q->max ? h->max : q->max;
	if (!s->live) {
		hist_take_max(h);
		rec->max_bytes = q->max;
	}
	depth(o, rec, m->hist);
}

// Returns whether a queue is reported: it has held a frame, or frames of its port and class arrived
// that no other row reports.
static bool in_use(const struct rec_queue *q)
{
	struct sw_class_stats s;

	if (rec_queue_max(q))
		return true;
	if (!q->sw)
		return false;
	s = rec_class_stats(q);
	return s.dropped_frames || s.ecn_ce_rx_frames;
}

static int make_queues(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;
	struct making m = {.hist = malloc(sizeof(*m.hist))};
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_queues; i++)
		n += in_use(&r->queue[i]);
	if (!m.hist || set_room(to, &kind_queue, n)) {
		free(m.hist);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < r->n_queues && to->n < n; i++)
		if (in_use(&r->queue[i]))
			queue_make(set_add(to), s, &r->queue[i], &m);
	free(m.hist);
	return 0;
}

int fabric_deepest(const struct summary *s, const struct rec_port *p)
{
	const struct set *set = &s->set[KIND_QUEUE];
	const struct fabric_queue *best = NULL;
	int at = -1;

	for (unsigned i = 0; i < set->n; i++) {
		const struct fabric_queue *q = set_at(set, i);

		if (q->rec->port != p || (best && q->max <= best->max))
			continue;
		best = q;
		at = (int)i;
	}
	return at;
}

#define N(field, name, unit, ...) ROW_COUNT(struct queue, field, name, unit, __VA_ARGS__)
#define V(field, name, unit, decimals, ...) \
	ROW_VALUE(struct queue, field, name, unit, decimals, __VA_ARGS__)
// Figures of switches only.
#define SW_N(field, name, unit, ...) \
	ROW_COUNT_IF(struct queue, of_switch, field, name, unit, __VA_ARGS__)
#define SW_V(field, name, unit, decimals, ...) \
	ROW_VALUE_IF(struct queue, of_switch, field, name, unit, decimals, __VA_ARGS__)
// Figures of a buffer with two sides.
#define SIDE(field, name, ...) \
	ROW_COUNT_IF(struct queue, q.two_sided, field, name, "bytes", __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct queue, port, "port", "its port"),
	ROW_ID(struct queue, cls, "class", "its class"),
	ROW_BOOL(struct queue, q.lossless, "lossless",
		"whether the class is lossless at a port of this switch"),
	SW_N(q.w.tx_frames, "tx_frames", "frames", "frames sent"),
	SW_N(q.w.tx_bytes, "tx_bytes", "bytes", "bytes sent, with FCS"),
	N(length, "length_bytes", "bytes", "its length at the end, or now while the run goes on"),
	V(q.mean_bytes, "mean_bytes", "bytes", 1, "mean of its length over time"),
	V(q.std_bytes, "std_bytes", "bytes", 1, "standard deviation of its length over time"),
	V(q.p50, "p50_bytes", "bytes", 0, "length that it exceeded half of the time"),
	V(q.p90, "p90_bytes", "bytes", 0, "length that it exceeded 10 % of the time"),
	V(q.p95, "p95_bytes", "bytes", 0, "length that it exceeded 5 % of the time"),
	V(q.p99, "p99_bytes", "bytes", 0, "length that it exceeded 1 % of the time"),
	V(q.p999, "p999_bytes", "bytes", 0, "length that it exceeded 0.1 % of the time"),
	N(q.max, "max_bytes", "bytes",
		"its longest length; one that lasted no time does not count"),
	V(max_at_us, "max_at_us_total", "us", 6, "when it was longest in the whole run"),
	V(delay_p99_us, "delay_p99_us", "us", 3, "what `p99_bytes` take at the port's rate"),
	V(q.empty_percent, "empty_percent", "%", 4, "share of the time without a frame"),
	SW_V(kmin_bytes, "kmin_bytes", "bytes", 0, "the marker's lower threshold"),
	SW_V(kmax_bytes, "kmax_bytes", "bytes", 0, "the marker's upper threshold"),
	SW_V(q.above_kmin_percent, "above_kmin_percent", "%", 4, "share of the time above Kmin"),
	SW_V(q.above_kmax_percent, "above_kmax_percent", "%", 4, "share of the time above Kmax"),
	SW_N(ect, "ect_frames", "frames", "ECT that the marker saw"),
	SW_N(q.w.ecn_marked_frames, "ecn_marked_frames", "frames", "CE set here"),
	SW_N(q.w.ecn_ce_rx_frames, "ecn_ce_rx_frames", "frames",
		"came in by this port and class with CE"),
	SW_N(q.w.seen_frames[ECN_CE], "ecn_ce_seen_frames", "frames",
		"frames that the marker saw with CE: set before this switch"),
	SW_N(q.w.wred_dropped_frames, "wred_dropped_frames", "frames",
		"frames dropped by WRED instead of being queued here"),
	SW_V(marking_ratio, "ecn_marking_ratio", "", 6,
		"of `ect_frames`, those marked; "
		"marks of Not-ECT frames are in `ecn_marked_frames` only"),
	SW_N(q.w.dropped_frames, "dropped_frames", "frames",
		"came in by this port and class and were dropped"),
	SW_N(q.w.dropped_bytes, "dropped_bytes", "bytes",
		"bytes of frames that came in by this port and class and were dropped"),
	SIDE(buffer_max, "buffer_max_bytes_total",
		"two-sided buffers: most that the queue held in whole cells"),
	SIDE(shared_max, "shared_max_bytes_total",
		"two-sided buffers: most that the queue held in its egress pool"),
	SIDE(q.limit, "shared_limit_bytes",
		"two-sided buffers: its limit in the pool at the end of the run"),
};

static bool has_queues(const struct scene_node *n, unsigned port, unsigned cls)
{
	(void)port;
	(void)cls;
	return n->kind == SCENE_SW || n->kind == SCENE_NIC;
}

static void possible_queues(struct kind_look *l)
{
	look_classes(l, has_queues);
}

const struct kind kind_queue = {
	.key = "queues",
	.path = "queue",
	.title = "Egress queues",
	.about = "Each queue that held a frame, and each port and class by which frames came in "
		 "that were dropped or had CE. Queues of NICs have the depth only.",
	.example = "s1:r.3",
	.size = sizeof(struct queue),
	KIND_FIGURES(figures),
	.make = make_queues,
	.name_at = offsetof(struct queue, port),
	.number_at = offsetof(struct queue, cls),
	.could = possible_queues,
};
