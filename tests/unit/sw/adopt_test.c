// SPDX-License-Identifier: BSD-3-Clause
// Values that a running switch adopts: from then on it is like a switch that was made with them, be
// it cut or not; state that was there before stays; what cannot change is refused. QUENCH_SEED=N is
// the first seed of each kind, of 20 for each number of shards.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "../class_draw.h"
#include "../twins.h"

#define MS    PS_PER_MS
#define SEEDS 20
#define STEPS 300

static void adopt(struct box *b, const struct sw_params *to, tstamp now)
{
	struct sw_change *c = NULL;
	char why[160];

	assert_int_equal(sw_change_check(&b->params, to, why, sizeof(why)), 1);
	assert_int_equal(sw_change_new(&c, b->sw, &b->params, to, 7), 0);

	const struct ctl ctl = {.type = CTL_ADOPT, .port = PKT_NO_PORT, .with = c};

	assert_int_equal((b->params.shards > 1 ? sw_cut_ctl : sw_ctl)(b->sw, &ctl, now), 0);
	sw_change_free(c);
}

// The parameters of a box, to be changed.
struct other {
	struct sw_params p;
	struct sw_port_params port[BOX_PORTS];
	struct sw_set_params set[BOX_SETS];
};

static void copy_of(struct other *o, const struct box *b)
{
	o->p = b->params;
	memcpy(o->port, b->port, sizeof(o->port));
	memcpy(o->set, b->set, sizeof(o->set));
	o->p.port = o->port;
	o->p.set = o->set;
}

static void draw_classes(struct prng *r, struct sw_set_params *set)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		struct sw_class_params *k = &set->cls[c], drawn = *k;

		draw_curves(r, &drawn);
		k->red = drawn.red;
		k->wred_drop = drawn.wred_drop;
		k->weight = 1 + drawn.weight;
		if (k->wred_exponent)
			k->wred_exponent = (uint8_t)(1 + prng_below(r, RED_EXPONENT_MAX));
		k->quanta = (uint16_t)(2000 + prng_below(r, 60000));
		k->refresh_permille = prng_below(r, 4) ? 200 + (unsigned)prng_below(r, 800) : 0;
	}
}

// The ports leave their sets for new ones, which agree in what cannot change.
static void draw_live(
	struct prng *r, struct sw_params *p, struct sw_port_params *port, struct sw_set_params *set)
{
	p->n_sets = 1 + (unsigned)prng_below(r, BOX_SETS);
	for (unsigned i = 0; i < p->n_sets; i++) {
		set[i] = set[0];
		draw_classes(r, &set[i]);
	}
	for (unsigned i = 0; i < p->n_ports; i++)
		port[i].set = (uint16_t)prng_below(r, p->n_sets);
	for (unsigned i = 0; i < p->n_ports; i++) {
		struct sw_port_params *o = &port[i];

		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			struct mmu_pg_params *g = &o->pg[c];

			g->threshold = (enum mmu_threshold)prng_below(r, 2);
			g->static_bytes = 1000 + prng_below(r, 40000);
			g->dynamic_th = (int)prng_below(r, 6) - 5;
			g->xon_bytes = prng_below(r, 2) ? prng_below(r, 1000) : 0;
			g->xon_offset_bytes = prng_below(r, 5000);
			o->max_rate[c] = prng_below(r, 3) ? 0 : (1 + prng_below(r, 50)) * RATE_GBPS;
			o->min_rate[c] = prng_below(r, 3) ? 0 : (1 + prng_below(r, 50)) * RATE_GBPS;
		}
		o->shaper_rate = prng_below(r, 2) ? 0 : (10 + prng_below(r, 80)) * RATE_GBPS;
		o->wd.poll = (1 + prng_below(r, 5)) * US;
		o->wd.detection = o->wd.poll * (1 + prng_below(r, 5));
		o->wd.restoration = o->wd.poll * (1 + prng_below(r, 5));
		o->wd.action = (enum pfcwd_action)prng_below(r, 3);
	}
}

static void draw_fixed(struct prng *r, struct box *b)
{
	struct sw_params *p = &b->params;
	bool sides = prng_below(r, 3) == 0;

	p->seed = prng_u32(r);
	p->monitor = false; // the curve counts changes
	p->cell_bytes = sides ? 208 : 1;
	for (unsigned c = 0; c < 7; c++) {
		struct sw_class_params *k = &b->set->cls[c];

		draw_curves(r, k);
		k->weight = 1;
		k->pfc = c == 3 || c == 4;
		k->quanta = 1;
	}
	for (unsigned i = 0; i < p->n_ports; i++) {
		struct sw_port_params *o = &b->port[i];

		o->pg[4].lossless = true;
		o->pg[4].headroom_bytes = 10000;
		o->shaper_burst = 2000;
		o->wd_classes = prng_below(r, 2) ? 1u << 3 : 0;
		o->wd.rule = (enum pfcwd_rule)prng_below(r, 2);
	}
}

static struct pkt *drawn_frame(struct box *b, unsigned port, uint64_t what)
{
	unsigned to = (port + 1 + what % (b->params.n_ports - 1)) % b->params.n_ports;
	struct pkt *p;

	if (what % 13 == 0)
		return box_pfc(b, 1u << 3, (uint16_t)(what >> 8 & 0x3ff));
	p = box_pkt(b, port, to, (unsigned)(what >> 8 & 7) % 5, 60 + (unsigned)(what >> 16 & 1023));
	p->tos = (uint8_t)((p->tos & ~3u) | (what >> 32 & 3));
	return p;
}

static void traffic(const struct twins *t, struct prng *r)
{
	tstamp now = US;

	for (unsigned i = 0; i < STEPS; i++, now += prng_below(r, US / 4)) {
		unsigned port = (unsigned)prng_below(r, t->a->params.n_ports);

		for (unsigned n = (unsigned)prng_below(r, 10); n && t->a->stack.n > 50; n--) {
			uint64_t what = prng_u64(r);
			struct pkt *p = drawn_frame(t->a, port, what);
			struct pkt *q = drawn_frame(t->b, port, what);

			twins_rx(t, t->a, port, &p, 1, now);
			twins_rx(t, t->b, port, &q, 1, now);
		}
		if (t->shards > 1)
			both_cross(t, now);
		both_give(t, (unsigned)prng_below(r, t->a->params.n_ports),
			1 + (unsigned)prng_below(r, 8), now);
	}
	for (unsigned k = 0; k < 40; k++, now += MS) { // pauses end, and queues empty
		for (unsigned i = 0; i < t->a->params.n_ports; i++)
			both_give(t, i, SW_BURST, now);
		if (t->shards > 1)
			both_cross(t, now);
	}
	twins_free(t, now);
}

static void like_one_made_so(uint64_t seed, unsigned shards)
{
	struct twins t = {box_new(), box_new(), shards};
	struct prng r, same;
	struct other to;

	prng_init(&r, seed, "adopt");
	draw_fixed(&r, t.a);
	prng_init(&same, seed, "adopt");
	draw_fixed(&same, t.b);
	copy_of(&to, t.a);
	draw_live(&r, &t.a->params, t.a->port, t.a->set);
	draw_live(&r, &to.p, to.port, to.set);
	memcpy(t.b->set, to.set, sizeof(to.set)); // whether there is an average is fixed
	t.b->params.n_sets = to.p.n_sets;
	memcpy(t.b->port, to.port, sizeof(to.port));
	for (unsigned i = 0; i < 2; i++) {
		struct box *b = i ? t.b : t.a;

		if (shards > 1)
			assert_int_equal(cut_try(b, shards), 0);
		else
			box_start(b);
	}
	to.p.shards = t.a->params.shards;
	to.p.hop_ps = t.a->params.hop_ps;
	adopt(t.a, &to.p, 0);

	const struct ev *e = ev_get(&t.a->events);

	assert_true(e && e->type == EV_SET && e->set.number == 7 && e->set.what);
	sw_touched(t.a->sw)->word[0] = sw_touched(t.b->sw)->word[0] = 0;
	traffic(&t, &r);
}

static void a_switch_that_adopts_is_like_one_made_so(void **state)
{
	const char *first = getenv("QUENCH_SEED");
	uint64_t seed = first ? strtoull(first, NULL, 0) : 1;

	(void)state;
	for (unsigned shards = 1; shards <= 3; shards++)
		for (unsigned i = 0; i < SEEDS; i++) {
			printf("seed %" PRIu64 ", %u shards\n", seed + i, shards);
			like_one_made_so(seed + i, shards);
		}
}

static const struct mmu_pg *group_of(const struct box *b, unsigned port, unsigned pg)
{
	return &sw_mmu_of(b->sw, port)->pg[port * MMU_PGS + pg];
}

// Whoever is at XOFF has sent it: a switch of one shard sees all that is free.
static void nobody_above_xoff_goes_on(const struct box *b)
{
	for (unsigned i = 0; i < b->params.n_ports; i++)
		for (unsigned c = 3; c <= 4; c++) {
			const struct mmu_pg *g = group_of(b, i, c);
			uint64_t own = g->bytes - g->headroom;

			assert_true(g->xoff || !own ||
				    own < g->reserved + mmu_limit(sw_mmu_of(b->sw, i), i, c));
			assert_true(g->xoff || !g->headroom);
		}
}

static void send_drawn(struct box *b, struct prng *r, unsigned port, tstamp now)
{
	for (unsigned n = (unsigned)prng_below(r, 12); n && b->stack.n > 50; n--) {
		struct pkt *p = drawn_frame(b, port, prng_u64(r));
		unsigned cls = p->tos >> 5;

		if (p->kind == PKT_DATA && cls >= 3 && group_of(b, port, cls)->xoff)
			pkt_put(&b->stack, p);
		else
			(b->params.shards > 1 ? sw_cut_rx : sw_rx)(b->sw, port, &p, 1, now);
	}
}

static void take_drawn(struct box *b, struct prng *r, tstamp now)
{
	struct pkt *burst[8];
	unsigned port = (unsigned)prng_below(r, b->params.n_ports);
	unsigned n = (b->params.shards > 1 ? sw_cut_tx : sw_tx)(
		b->sw, port, burst, 1 + (unsigned)prng_below(r, 8), now);

	while (n)
		pkt_put(&b->stack, burst[--n]);
	if (b->params.shards > 1)
		cut_cross(b, now);
}

// Senders that stop at XOFF lose nothing, whatever the switch adopts meanwhile.
static void changes_amid_traffic(uint64_t seed, unsigned shards)
{
	struct box *b = box_new();
	tstamp now = US;
	struct prng r;

	prng_init(&r, seed, "amid");
	draw_fixed(&r, b);
	draw_live(&r, &b->params, b->port, b->set);
	assert_int_equal(shards > 1 ? cut_try(b, shards) : box_try(b), 0);
	for (unsigned i = 0; i < 4 * STEPS; i++, now += prng_below(&r, US / 4)) {
		struct other to;

		send_drawn(b, &r, (unsigned)prng_below(&r, b->params.n_ports), now);
		take_drawn(b, &r, now);
		while (ev_get(&b->events))
			;
		if (i % 20)
			continue;
		copy_of(&to, b);
		draw_live(&r, &to.p, to.port, to.set);
		adopt(b, &to.p, now);
		memcpy(b->set, to.set, sizeof(to.set));
		b->params.n_sets = to.p.n_sets;
		memcpy(b->port, to.port, sizeof(to.port));
		if (shards == 1)
			nobody_above_xoff_goes_on(b);
	}
	for (unsigned k = 0; k < 100; k++, now += 100 * US)
		for (unsigned i = 0; i < b->params.n_ports; i++)
			shards > 1 ? cut_drain_all(b, now) : box_drain(b, i, now);
	for (unsigned i = 0; i < b->params.n_ports; i++)
		assert_int_equal(box_dropped(b, i, SW_DROP_HEADROOM), 0);
	assert_int_equal(sw_buffer(b->sw).used, 0);
	box_free(b);
}

static void a_lossless_class_stays_so_amid_changes(void **state)
{
	const char *first = getenv("QUENCH_SEED");
	uint64_t seed = first ? strtoull(first, NULL, 0) : 1;

	(void)state;
	for (unsigned shards = 1; shards <= 3; shards++)
		for (unsigned i = 0; i < SEEDS; i++) {
			printf("seed %" PRIu64 ", %u shards\n", seed + i, shards);
			changes_amid_traffic(seed + i, shards);
		}
}

// Group 3 of port 0 holds 15000 bytes, below its XOFF at 20000.
static struct box *holding(unsigned shards)
{
	struct box *b = box_new();

	if (shards > 1)
		assert_int_equal(cut_try(b, shards), 0);
	else
		box_start(b);
	for (unsigned i = 0; i < 4; i++) {
		struct pkt *p = box_pkt(b, i, i ? 0 : 1, 0, 60);

		(shards > 1 ? sw_cut_rx : sw_rx)(b->sw, i, &p, 1, 0);
	}
	if (shards > 1)
		cut_drain_all(b, MS);
	for (unsigned i = 0; shards == 1 && i < 4; i++)
		box_drain(b, i, MS);
	for (unsigned i = 0; i < 15; i++) {
		struct pkt *p = box_pkt(b, 0, 2, 3, 996);

		(shards > 1 ? sw_cut_rx : sw_rx)(b->sw, 0, &p, 1, MS);
	}
	if (shards > 1)
		cut_cross(b, MS);
	return b;
}

static struct pkt *next(struct box *b, unsigned port, tstamp now)
{
	struct pkt *p = NULL;
	unsigned n = (b->params.shards > 1 ? sw_cut_tx : sw_tx)(b->sw, port, &p, 1, now);

	return n ? p : NULL;
}

static void adopt_xoff(struct box *b, uint64_t xoff, tstamp now)
{
	struct other to;

	copy_of(&to, b);
	for (unsigned i = 0; i < BOX_PORTS; i++)
		to.port[i].pg[3].static_bytes = xoff;
	adopt(b, &to.p, now);
	memcpy(b->port, to.port, sizeof(to.port));
}

// At the byte: XOFF at 15000 is reached, at 15001 it is not. Raised again, the peer goes on where
// the group is at XON, XOFF - 4000, or below.
static void xoff_moves_at_the_byte(void **state)
{
	(void)state;
	for (unsigned shards = 1; shards <= 3; shards++) {
		struct box *b = holding(shards);
		struct pkt *p;

		adopt_xoff(b, 15001, MS);
		assert_null(next(b, 0, MS));
		adopt_xoff(b, 15000, MS);
		p = next(b, 0, MS);
		assert_non_null(p);
		assert_int_equal(p->kind, PKT_PFC);
		assert_int_equal(p->u.pfc.quanta[3], 65535);
		box_put(b, p);
		adopt_xoff(b, 18999, MS + US);
		assert_null(next(b, 0, MS + US));
		adopt_xoff(b, 19000, MS + US);
		p = next(b, 0, MS + US);
		assert_non_null(p);
		assert_int_equal(p->u.pfc.enable, 1u << 3);
		assert_int_equal(p->u.pfc.quanta[3], 0);
		box_put(b, p);
		if (shards > 1)
			cut_cross(b, 3 * MS);
		for (unsigned i = 0; i < 15; i++)
			box_put(b, next(b, 2, 3 * MS + i * MS));
		if (shards > 1)
			cut_cross(b, 30 * MS);
		box_free(b);
	}
}

// A group that is far above the new XOFF takes what is still under way in its headroom.
static void below_what_is_held_headroom_takes_the_rest(void **state)
{
	struct box *b = holding(1);

	(void)state;
	adopt_xoff(b, 5000, MS);
	for (unsigned i = 0; i < 10; i++)
		box_send(b, 0, 2, 3, 996, MS);
	assert_int_equal(sw_mmu_of(b->sw, 0)->pg[3].headroom, 10000);
	assert_int_equal(box_dropped(b, 0, SW_DROP_HEADROOM), 0);
	box_put(b, next(b, 0, MS)); // XOFF
	assert_int_equal(box_drain(b, 2, 2 * MS), 25);
	assert_int_equal(box_drain(b, 0, MS + 10 * US), 1); // XON
	box_free(b);
}

static void new_quanta_are_told_at_once(void **state)
{
	struct box *b = holding(1);
	struct other to;
	struct pkt *p;

	(void)state;
	adopt_xoff(b, 15000, MS);
	box_put(b, next(b, 0, MS));
	copy_of(&to, b);
	to.set->cls[3].quanta = 100;
	to.set->cls[3].refresh_permille = 250;
	adopt(b, &to.p, MS + US);
	p = next(b, 0, MS + US);
	assert_non_null(p);
	assert_int_equal(p->u.pfc.quanta[3], 100);
	box_put(b, p);
	// 25 of 100 quanta of 5.12 ns
	assert_int_equal(sw_deadline(b->sw, 0), MS + US + 25 * 5120);
	assert_int_equal(box_drain(b, 2, 2 * MS), 15);
	box_drain(b, 0, MS + 3 * US);
	box_free(b);
}

// A bucket that lacks 10000 bytes lacks them at its new rate, too; a new one is full.
static void a_shaper_keeps_its_debt(void **state)
{
	struct box *b = box_new();
	struct other to;

	(void)state;
	b->port[2].shaper_rate = 10 * RATE_GBPS;
	for (unsigned i = 0; i < BOX_PORTS; i++)
		b->port[i].shaper_burst = 64;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 3; i++)
		box_send(b, 0, 2, 1, 976, MS); // 1000 on the wire
	box_put(b, next(b, 2, MS));
	// 936 bytes until 64 are there
	assert_int_equal(sw_deadline(b->sw, 2), MS + 936 * 800);
	copy_of(&to, b);
	to.port[2].shaper_rate = 20 * RATE_GBPS;
	adopt(b, &to.p, MS);
	assert_int_equal(sw_deadline(b->sw, 2), MS + 936 * 400);
	memcpy(b->port, to.port, sizeof(to.port));
	to.port[2].shaper_rate = 0;
	to.port[1].max_rate[1] = 10 * RATE_GBPS;
	adopt(b, &to.p, MS + US / 10);
	memcpy(b->port, to.port, sizeof(to.port));
	box_put(b, next(b, 2, MS + US / 10));
	box_put(b, next(b, 2, MS + US));
	for (unsigned i = 0; i < 2; i++)
		box_send(b, 0, 1, 1, 976, MS + US);
	box_put(b, next(b, 1, MS + US));
	assert_int_equal(sw_deadline(b->sw, 1), MS + US + 936 * 800);
	assert_int_equal(box_drain(b, 1, 2 * MS), 1);
	box_free(b);
}

// A storm that shut a queue opens it again, whatever the action is by then.
static void a_storm_ends_as_it_began(void **state)
{
	struct box *b = box_new();
	struct other to;
	tstamp t = 1;

	(void)state;
	for (unsigned i = 0; i < BOX_PORTS; i++) {
		b->port[i].wd_classes = 1u << 3;
		b->port[i].wd = (struct pfcwd_params){.poll = 10 * US,
			.detection = 20 * US,
			.restoration = 30 * US,
			.action = PFCWD_DROP};
	}
	box_start(b);
	box_learn(b);
	for (; !sw_shut(b->sw, 1) && t < MS; t += 5 * US) {
		box_drain(b, 1, t - 1);
		box_send(b, 0, 1, 3, 500, t);
		box_rx(b, 1, box_pfc(b, 1u << 3, 65535), t);
	}
	assert_int_equal(sw_shut(b->sw, 1), 1u << 3);
	copy_of(&to, b);
	for (unsigned i = 0; i < BOX_PORTS; i++)
		to.port[i].wd.action = PFCWD_ALERT;
	adopt(b, &to.p, t);
	box_drain(b, 1, t + MS);
	assert_int_equal(sw_shut(b->sw, 1), 0);
	assert_int_equal(sw_wd_stats(b->sw, 1, 3)->restored, 1);
	box_free(b);
}

static void weights_of_other_queues_stay(void **state)
{
	struct box *b = box_new();
	struct other to;

	(void)state;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		b->set->cls[c].weight = 1;
	box_start(b);
	assert_int_equal(
		sw_ctl(b->sw, &(struct ctl){.type = CTL_WEIGHT, .port = 1, .cls = 2, .a = 9}, 0),
		0);
	copy_of(&to, b);
	to.set->cls[4].weight = 5;
	adopt(b, &to.p, 0);
	assert_int_equal(sw_eport(b->sw, 1)->cfg->weight[2], 9);
	assert_int_equal(sw_eport(b->sw, 1)->cfg->weight[4], 5);
	assert_int_equal(sw_eport(b->sw, 0)->cfg->weight[2], 1);
	assert_int_equal(sw_eport(b->sw, 0)->cfg->weight[4], 5);
	box_free(b);
}

// Port s:b, alone in the switch, gets another Kmax and leaves its set.
static void a_port_leaves_its_set(void **state)
{
	struct box *b = box_new();
	struct other to;

	(void)state;
	b->set->cls[2].mark = SW_MARK_ENQUEUE;
	b->set->cls[2].red = (struct red_params){10000, 20000, 0.1};
	box_start(b);
	copy_of(&to, b);
	to.set[1] = to.set[0];
	to.set[1].cls[2].red.kmax_bytes = 50000;
	to.p.n_sets = 2;
	to.port[1].set = 1;
	adopt(b, &to.p, 0);
	for (unsigned i = 0; i < b->params.n_ports; i++)
		assert_int_equal(sw_red(b->sw, i, 2)->kmax_bytes, i == 1 ? 50000 : 20000);
	box_free(b);
}

static void refuse(struct box *b, struct other *to, const char *want)
{
	char why[160];

	assert_int_equal(sw_change_check(&b->params, &to->p, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, want);
	copy_of(to, b);
	assert_int_equal(sw_change_check(&b->params, &to->p, why, sizeof(why)), 0);
}

static void what_is_fixed_is_refused(void **state)
{
	struct box *b = box_new();
	struct other to;

	(void)state;
	copy_of(&to, b);
	to.p.buffer_bytes++;
	refuse(b, &to, "buffer or pools");
	to.set->cls[2].mark = SW_MARK_DEQUEUE;
	refuse(b, &to, "class 2 (whether and where it marks)");
	to.set->cls[2].wred = SW_WRED_ALL;
	refuse(b, &to, "class 2 (which frames its drop curve is for)");
	to.set->cls[2].wred_exponent = 3;
	refuse(b, &to, "class 2 (whether it averages the queue)");
	to.set->cls[2].heavy_bytes = 3;
	refuse(b, &to, "class 2 (heavy of iqcn, which follows from wred)");
	to.port[1].pg[3].headroom_bytes++;
	refuse(b, &to, "port s:b (headroom)");
	to.port[1].queue[3].limited = true;
	refuse(b, &to, "port s:b (the limit of an egress queue)");
	to.port[1].wd_off = true;
	refuse(b, &to, "port s:b (whether pfc_watchdog watches)");
	to.set->dscp_to_class[63] = 0;
	refuse(b, &to, "port s:a (its maps)");
	to.set[1] = to.set[0];
	to.set[1].cls[2].mark = SW_MARK_DEQUEUE;
	to.p.n_sets = 2;
	to.port[1].set = 1;
	refuse(b, &to, "class 2 of port s:b (whether and where it marks)");
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_switch_that_adopts_is_like_one_made_so),
		cmocka_unit_test(a_lossless_class_stays_so_amid_changes),
		cmocka_unit_test(xoff_moves_at_the_byte),
		cmocka_unit_test(below_what_is_held_headroom_takes_the_rest),
		cmocka_unit_test(new_quanta_are_told_at_once),
		cmocka_unit_test(a_shaper_keeps_its_debt),
		cmocka_unit_test(a_storm_ends_as_it_began),
		cmocka_unit_test(weights_of_other_queues_stay),
		cmocka_unit_test(a_port_leaves_its_set),
		cmocka_unit_test(what_is_fixed_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
