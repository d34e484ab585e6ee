// SPDX-License-Identifier: BSD-3-Clause
// Runs change nothing but the cost: two like switches, one fed burst by burst, the other frame by
// frame.
#include <inttypes.h>
#include <stdio.h>

#include "sw_box.h"

#include "base/prng.h"

#define SEEDS 10
#define STEPS 3000
#define BURST 8

struct pair {
	struct box *a, *b; // bursts, single frames
	struct prng rng;
	unsigned n_ports;
	uint32_t seq;
	tstamp now;
	uint64_t together; // frames that A gave in one call with others
};

static unsigned below(struct pair *t, unsigned n)
{
	return (unsigned)prng_below(&t->rng, n);
}

static void random_params(struct pair *t, struct box *b)
{
	struct sw_params *sp = &b->params;

	sp->n_ports = t->n_ports = 2 + below(t, BOX_PORTS - 1);
	sp->buffer_bytes = 40000 + below(t, 100000);
	sp->tolerance_ps = 300 * PS_PER_NS + below(t, 3) * PS_PER_US;
	sp->monitor = below(t, 2);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		struct sw_class_params *k = &sp->cls[c];

		k->strict = below(t, 3) == 0;
		k->weight = (uint16_t)below(t, 10);
		k->mark = (enum sw_mark)below(t, 3);
		k->red.kmin_bytes = below(t, 20000);
		k->red.kmax_bytes = k->red.kmin_bytes + below(t, 20000);
		k->red.pmax = (1 + below(t, 10)) / 10.0;
		k->wred = (enum sw_wred)(below(t, 3) ? below(t, 4) : SW_WRED_OFF);
		k->wred_drop.kmin_bytes = below(t, 20000);
		k->wred_drop.kmax_bytes = k->wred_drop.kmin_bytes + below(t, 20000);
		k->wred_drop.pmax = below(t, 11) / 10.0;
		k->wred_exponent = (uint8_t)(below(t, 4) ? 0 : below(t, 16));
		k->mark_any = below(t, 8) == 0;
		k->tail_limit_bytes = below(t, 3) ? 0 : 5000 + below(t, 50000);
		k->pfc = c == 3 || c == 4;
		k->quanta = k->pfc ? (uint16_t)(20 + below(t, 400)) : 0;
		for (unsigned i = 0; i < t->n_ports; i++)
			b->port[i].pg[c] = (struct mmu_pg_params){
				.lossless = k->pfc,
				.threshold = below(t, 2) ? MMU_DYNAMIC : MMU_STATIC,
				.reserved_bytes = below(t, 2) ? 0 : 1000,
				.static_bytes = 3000 + below(t, 30000),
				.dynamic_th = (int)below(t, 5) - 4,
				.headroom_bytes = k->pfc ? below(t, 4000) : 0,
				.xon_offset_bytes = below(t, 3000),
			};
	}
	for (unsigned i = 0; i < t->n_ports; i++) {
		b->port[i].mtu = 1000 + below(t, 3) * 300;
		b->port[i].rate = below(t, 2) ? 100 * RATE_GBPS : 25 * RATE_GBPS;
	}
}

// The same frame for both: mostly like the one before it, so that there are runs.
struct like {
	unsigned to, cls, len, kind;
	bool own;
};

static struct pkt *frame(
	struct pair *t, struct box *b, unsigned port, const struct like *l, uint8_t ecn)
{
	struct pkt *p = box_pkt(b, port, l->to, l->cls, l->len);

	p->kind = (uint8_t)l->kind;
	p->tos = (uint8_t)((p->tos & ~3u) | ecn);
	if (l->own) {
		*pkt_own_hdr(p) = *p->hdr;
		pkt_own_hdr(p)->id = 0;
		p->hdr = pkt_own_hdr(p);
	}
	p->born = t->now;
	p->u.gen.source = t->seq;
	return p;
}

static void inject(struct pair *t)
{
	unsigned port = below(t, t->n_ports), n = 1 + below(t, BURST);
	struct pkt *x[BURST], *y[BURST];
	struct like l = {0};

	for (unsigned i = 0; i < n; i++) {
		uint8_t ecn = (uint8_t)below(t, 4);

		if (!i || !below(t, 6))
			l = (struct like){
				.to = below(t, 2) && port ? 0 : below(t, t->n_ports), // incast
				.cls = below(t, 2) ? 3 : below(t, PKT_CLASSES),
				.kind = below(t, 30) ? PKT_GEN : PKT_PAUSE,
				.own = below(t, 2)};
		l.len = 60 + below(t, below(t, 20) ? 900 : 1640);
		t->seq++;
		x[i] = frame(t, t->a, port, &l, ecn);
		y[i] = frame(t, t->b, port, &l, ecn);
	}
	sw_rx(t->a->sw, port, x, n, t->now);
	for (unsigned i = 0; i < n; i++)
		sw_rx(t->b->sw, port, &y[i], 1, t->now);
}

static void pause(struct pair *t)
{
	unsigned port = below(t, t->n_ports);
	uint8_t enable = (uint8_t)below(t, 256);
	uint16_t quanta = (uint16_t)(below(t, 2) * below(t, 300));

	box_rx(t->a, port, box_pfc(t->a, enable, quanta), t->now);
	box_rx(t->b, port, box_pfc(t->b, enable, quanta), t->now);
}

static void same_packet(const struct pkt *p, const struct pkt *q)
{
	assert_int_equal(p->kind, q->kind);
	assert_int_equal(p->len, q->len);
	assert_int_equal(p->tos, q->tos);
	assert_int_equal(p->flags, q->flags);
	if (p->kind == PKT_PFC) {
		assert_memory_equal(&p->u.pfc, &q->u.pfc, sizeof(p->u.pfc));
		return;
	}
	assert_int_equal(p->cls, q->cls);
	assert_int_equal(p->in_port, q->in_port);
	assert_int_equal(p->when, q->when);
	assert_int_equal(p->u.gen.source, q->u.gen.source);
}

static void take(struct pair *t, unsigned port)
{
	unsigned max = 1 + below(t, BURST), n, m = 0;
	struct pkt *x[BURST], *y[BURST];

	n = sw_tx(t->a->sw, port, x, max, t->now);
	while (m < max && sw_tx(t->b->sw, port, &y[m], 1, t->now))
		m++;
	assert_int_equal(n, m);
	for (unsigned i = 0; i < n; i++) {
		same_packet(x[i], y[i]);
		pkt_put(&t->a->stack, x[i]);
		pkt_put(&t->b->stack, y[i]);
	}
	t->together += n > 1 ? n : 0;
}

static void same_eport(const struct eport *e, const struct eport *f)
{
	assert_int_equal(e->nonempty, f->nonempty);
	assert_int_equal(e->turn, f->turn);
	assert_int_equal(e->tat, f->tat);
	assert_int_equal(e->tx_frames, f->tx_frames);
	assert_int_equal(e->tx_bytes, f->tx_bytes);
	assert_int_equal(e->lost_ps, f->lost_ps);
	assert_int_equal(e->starved, f->starved);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		const struct eport_q *q = &e->q[c], *r = &f->q[c];

		assert_int_equal(q->bytes, r->bytes);
		assert_int_equal(q->frames, r->frames);
		assert_int_equal(q->deficit, r->deficit);
		assert_int_equal(q->max_bytes, r->max_bytes);
		assert_int_equal(q->max_at, r->max_at);
		if (q->hist)
			assert_true(q->hist->n == r->hist->n && q->hist->sum == r->hist->sum);
	}
}

static void same_state(const struct pair *t)
{
	const struct mmu *m = sw_mmu(t->a->sw), *n = sw_mmu(t->b->sw);

	assert_int_equal(m->used, n->used);
	assert_int_equal(m->shared_used, n->shared_used);
	assert_int_equal(m->max_used, n->max_used);
	for (unsigned i = 0; i < t->n_ports * MMU_PGS; i++) {
		assert_int_equal(m->pg[i].bytes, n->pg[i].bytes);
		assert_int_equal(m->pg[i].shared, n->pg[i].shared);
		assert_int_equal(m->pg[i].headroom, n->pg[i].headroom);
		assert_int_equal(m->pg[i].max_bytes, n->pg[i].max_bytes);
		assert_int_equal(m->pg[i].xoff, n->pg[i].xoff);
	}
	for (unsigned i = 0; i < t->n_ports; i++) {
		assert_int_equal(sw_deadline(t->a->sw, i), sw_deadline(t->b->sw, i));
		assert_memory_equal(sw_port_stats(t->a->sw, i), sw_port_stats(t->b->sw, i),
			sizeof(struct sw_port_stats));
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			assert_memory_equal(sw_class_stats(t->a->sw, i, c),
				sw_class_stats(t->b->sw, i, c), sizeof(struct sw_class_stats));
		same_eport(sw_eport(t->a->sw, i), sw_eport(t->b->sw, i));
	}
}

static void same_events(struct pair *t)
{
	const struct ev *e, *f;

	do {
		e = ev_get(&t->a->events);
		f = ev_get(&t->b->events);
		assert_int_equal(!e, !f);
		if (e)
			assert_memory_equal(e, f, sizeof(*e));
	} while (e);
}

static void step(struct pair *t)
{
	if (t->a->stack.n > t->a->stack.reserve + BURST * BOX_PORTS)
		inject(t);
	if (!below(t, 12))
		pause(t);
	for (unsigned i = 0; i < t->n_ports; i++)
		if (sw_deadline(t->a->sw, i) <= t->now && below(t, 4))
			take(t, i);
	assert_int_equal(t->a->stack.n, t->b->stack.n);
	same_state(t);
	same_events(t);
	t->now += below(t, below(t, 10) ? 200000 : 3000000);
}

static void bursts_and_frames_come_to_the_same(void **state)
{
	uint64_t together = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct pair t = {.a = box_new(), .b = box_new()};
		struct prng from;

		printf("seed %" PRIu64 "\n", seed);
		prng_init(&t.rng, seed, "run");
		do {
			from = t.rng;
			random_params(&t, t.a);
			t.rng = from;
			random_params(&t, t.b);
		} while (box_try(t.a)); // headroom and reserve may be more than the buffer
		box_start(t.b);
		for (unsigned i = 0; i < STEPS; i++)
			step(&t);
		together += t.together;
		for (unsigned i = 0; i < t.n_ports; i++)
			for (struct pkt *p; (p = box_tx(t.a, i, t.now + PS_PER_S));)
				pkt_put(&t.a->stack, p);
		box_free(t.a);
		box_free(t.b);
	}
	assert_true(together > 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bursts_and_frames_come_to_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
