// SPDX-License-Identifier: BSD-3-Clause
// Cases of the lossless property: shapes, loads, thresholds and slow peers at random.
#include "lossless.h"

#include "base/prng.h"
#include "hardware/headroom.h"
#include "scene/scene.h"

#define BUDGET_FRAMES 9000 // at line rate, all senders together, so that a case takes some ms

static uint32_t pick(struct prng *g, uint32_t lo, uint32_t hi)
{
	return lo + (uint32_t)prng_below(g, (uint64_t)hi - lo + 1);
}

static bool one_in(struct prng *g, unsigned n)
{
	return prng_below(g, n) == 0;
}

// All magnitudes alike.
static uint32_t scale(struct prng *g, uint32_t lo, uint32_t hi)
{
	uint32_t top = lo;

	while (top < hi && !one_in(g, 5))
		top = top * 2 > hi ? hi : top * 2;
	return pick(g, lo, top);
}

static uint16_t draw_rate(struct prng *g)
{
	static const uint16_t rate[] = {10, 25, 40, 100, 100, 400};

	return rate[pick(g, 0, 5)];
}

static bool are_joined(const struct ll_case *c, unsigned a, unsigned b)
{
	for (unsigned i = 0; i < c->n_trunks; i++)
		if (c->trunk[i].a == a && c->trunk[i].b == b)
			return true;
	return false;
}

static void add_trunk(struct ll_case *c, struct prng *g, unsigned a, unsigned b)
{
	if (c->n_trunks == LL_TRUNKS || are_joined(c, a, b))
		return;
	c->trunk[c->n_trunks++] = (struct ll_trunk){.a = (uint8_t)a,
		.b = (uint8_t)b,
		.rate = draw_rate(g),
		.delay_ns = one_in(g, 10) ? 0 : scale(g, 10, 20000)};
}

// Star, dumbbell, row (parking lot), leaves and spines, a tree, and a tree with one way more.
static unsigned draw_switches(struct ll_case *c, struct prng *g)
{
	unsigned shape = pick(g, 0, 6), edge;

	c->n_switches = shape <= 1 ? 1 : shape == 2 ? 2 : pick(g, 2, LL_SWITCHES);
	edge = c->n_switches;
	if (shape == 4 && c->n_switches > 2) {
		edge = pick(g, 2, c->n_switches - 1);
		for (unsigned leaf = 0; leaf < edge; leaf++)
			for (unsigned spine = edge; spine < c->n_switches; spine++)
				add_trunk(c, g, leaf, spine);
		return edge;
	}
	for (unsigned i = 1; i < c->n_switches; i++)
		add_trunk(c, g, shape == 3 ? i - 1 : pick(g, 0, i - 1), i);
	if (shape == 6 && c->n_switches > 2)
		add_trunk(c, g, 0, c->n_switches - 1);
	return edge;
}

static void draw_hosts(struct ll_case *c, struct prng *g, unsigned edge)
{
	bool mixed = one_in(g, 2);
	uint16_t rate = draw_rate(g);

	c->n_hosts = pick(g, 2, one_in(g, 3) ? LL_HOSTS : 6);
	for (unsigned i = 0; i < c->n_hosts; i++)
		c->host[i] = (struct ll_host){.sw = (uint8_t)(i < edge ? i : pick(g, 0, edge - 1)),
			.rate = mixed ? draw_rate(g) : rate,
			.delay_ns = one_in(g, 10) ? 0 : scale(g, 10, 5000),
			.drain_percent = 100};
}

// Its own priority group, or that of another lossless class.
static void draw_group(struct ll_case *c, struct prng *g)
{
	struct ll_class *k = &c->cls[c->n_classes];
	unsigned other = pick(g, 0, c->n_classes);

	k->group = (uint8_t)c->n_classes;
	if (one_in(g, 4) && k->lossless && c->cls[other].lossless && c->cls[other].group == other)
		k->group = (uint8_t)other;
}

static void draw_class(struct ll_case *c, struct prng *g)
{
	struct ll_class *k = &c->cls[c->n_classes];

	*k = (struct ll_class){
		.cls = (uint8_t)pick(g, 0, 7),
		.lossless = !c->n_classes || !one_in(g, 3),
		.dynamic = one_in(g, 2),
		.sonic = one_in(g, 4),
		.marked = one_in(g, 3),
		.early = one_in(g, 2),
		.qcn = one_in(g, 10),
		.iqcn = one_in(g, 6),
		.strict = one_in(g, 6),
		.max_percent = (uint8_t)(one_in(g, 6) ? pick(g, 10, 99) : 100),
		.weight = (uint8_t)(one_in(g, 2) ? 1 : pick(g, 1, 100)),
		.dynamic_th = (int8_t)((int)pick(g, 0, 12) - 8),
		.xoff = scale(g, 2000, 100000),
		.reserved = one_in(g, 3) ? pick(g, 1, 20000) : 0,
		// A refresh has to get past a longest frame before the pause runs out.
		.quanta = (uint16_t)(one_in(g, 2) ? 65535 : pick(g, 400, 65535)),
		.refresh = (uint8_t)(one_in(g, 2) ? 50 : pick(g, 40, 70)),
	};
	k->xon_offset = one_in(g, 3) ? 0 : pick(g, 0, k->dynamic ? 6000 : k->xoff);
	for (unsigned i = 0; i < c->n_classes; i++)
		if (c->cls[i].cls == k->cls)
			return;
	draw_group(c, g);
	c->n_classes++;
}

// Closed loop or open loop; to one receiver, or to anyone.
static void draw_flow(struct ll_case *c, struct prng *g, int to, unsigned longest)
{
	static const uint16_t mtu[] = {256, 512, 1024, 1024, 2048, 4096};
	unsigned last = 5;
	struct ll_flow *f = &c->flow[c->n_flows];

	while (last && mtu[last] > longest)
		last--;
	*f = (struct ll_flow){
		.from = (uint8_t)pick(g, 0, c->n_hosts - 1),
		.to = (uint8_t)(to >= 0 ? (unsigned)to : pick(g, 0, c->n_hosts - 1)),
		.cls = (uint8_t)pick(g, 0, c->n_classes - 1),
		.open = one_in(g, 3),
		.controlled = one_in(g, 4),
		.message = scale(g, 1, 32000),
		.start_us = one_in(g, 2) ? 0 : pick(g, 0, 20),
		.window = one_in(g, 3) ? pick(g, 1, 200) : 1000,
		.mtu = mtu[pick(g, 0, last)],
		.qps = (uint16_t)(one_in(g, 3) ? pick(g, 1, 4) : 1),
		.outstanding = (uint16_t)pick(g, 1, 4),
		.count = (uint16_t)(one_in(g, 4) ? pick(g, 1, 50) : 0),
		.ack_every = (uint16_t)(one_in(g, 2) ? 16 : pick(g, 1, 32)),
		.low = (uint16_t)pick(g, 64, one_in(g, 2) ? 64 : 1518),
		.percent = (uint16_t)pick(g, 20, 100),
		.burst = (uint16_t)scale(g, 1, 64),
	};
	f->high = f->low;
	if (one_in(g, 2) && f->low < longest + 422)
		f->high = (uint16_t)pick(g, f->low, longest + 422);
	f->outstanding = f->message < 64 ? 4 : f->outstanding;
	if (f->from != f->to)
		c->n_flows++;
}

static void draw_flows(struct ll_case *c, struct prng *g)
{
	unsigned n = pick(g, 2, LL_FLOWS), longest = one_in(g, 3) ? 4096 : 1024;
	int to = one_in(g, 4) ? -1 : (int)pick(g, 0, c->n_hosts - 1);

	for (unsigned i = 0; i < 4 * n && c->n_flows < n; i++)
		draw_flow(c, g, to, longest);
	if (!c->n_flows)
		c->flow[c->n_flows++] = (struct ll_flow){.from = 0,
			.to = 1,
			.message = 10000,
			.window = 1000,
			.mtu = 1024,
			.qps = 1,
			.outstanding = 4,
			.ack_every = 16};
}

// The first sender goes at line rate to a receiver that will stop it, and the second one fills the
// way back to the first: the frame that crosses XOFF, the one that PFC waits for and the one that
// the sender has begun are all as long as they may be.
static bool draw_worst(struct ll_case *c, struct prng *g)
{
	struct ll_flow *out = &c->flow[0], *back = &c->flow[1];

	if (c->n_flows < 2 || c->n_hosts < 3 || !one_in(g, 3))
		return false;
	*out = (struct ll_flow){
		.to = (uint8_t)(c->n_hosts - 1),
		.from = (uint8_t)pick(g, 0, c->n_hosts - 3),
		.open = true,
		.low = (uint16_t)(one_in(g, 2) ? 4518 : 1518),
		.percent = 100,
		.burst = 1,
	};
	out->high = out->low;
	*back = *out;
	back->from = (uint8_t)(c->n_hosts - 2);
	back->to = out->from;
	back->cls = (uint8_t)pick(g, 0, c->n_classes - 1);
	back->percent = (uint16_t)pick(g, 90, 100);
	return true;
}

// Whether all of its frames are of lossless classes and it sends none itself: a receive buffer has
// one threshold for all.
static bool may_be_slow(const struct ll_case *c, unsigned host)
{
	for (unsigned i = 0; i < c->n_flows; i++)
		if (c->flow[i].from == host ||
			(c->flow[i].to == host && !c->cls[c->flow[i].cls].lossless))
			return false;
	return true;
}

// Draws the peer's response time: the most that 802.3 allows at its speed, which is the default; or
// up to the limit of the switch's slowest port, or twice that, which only the computed headroom
// takes into account.
static uint16_t draw_response(struct prng *g, unsigned slowest, bool sonic)
{
	uint32_t most = (uint32_t)(headroom_response_bytes(slowest * RATE_GBPS) / 64);

	if (one_in(g, 3))
		return 0;
	if (one_in(g, 3))
		return LL_AUTO;
	return (uint16_t)pick(g, 0, sonic ? most : 2 * most);
}

static unsigned slowest_port(const struct ll_case *c, unsigned sw)
{
	unsigned least = 400;

	for (unsigned i = 0; i < c->n_hosts; i++)
		if (c->host[i].sw == sw && c->host[i].rate < least)
			least = c->host[i].rate;
	for (unsigned i = 0; i < c->n_trunks; i++)
		if ((c->trunk[i].a == sw || c->trunk[i].b == sw) && c->trunk[i].rate < least)
			least = c->trunk[i].rate;
	return least;
}

static void draw_peers(struct ll_case *c, struct prng *g)
{
	bool sonic = false;

	for (unsigned i = 0; i < c->n_classes; i++)
		sonic |= c->cls[i].sonic;
	for (unsigned i = 0; i < c->n_switches; i++)
		c->sw[i] = (struct ll_switch){
			.shared = scale(g, 20000, 1000000),
			// SONiC's formula has no frame that crosses XOFF; its small frames in cells
			// make up for it.
			.cell = sonic || one_in(g, 3) ? pick(g, 16, 300) : 1,
			.latency_ns = one_in(g, 3) ? pick(g, 1, 2000) : 0,
			.response = draw_response(g, slowest_port(c, i), sonic),
			.pool = one_in(g, 4),
			.honour = one_in(g, 4),
			.alert = one_in(g, 8),
		};
	for (unsigned i = 0; i < c->n_hosts; i++) {
		c->host[i].response = draw_response(g, c->host[i].rate, sonic);
		c->host[i].latency_ns = one_in(g, 3) ? pick(g, 1, 2000) : 0;
		if (!may_be_slow(c, i) || !one_in(g, 4))
			continue;
		c->host[i].drain_percent = (uint8_t)pick(g, 10, 99);
		c->host[i].xoff = scale(g, 5000, 100000);
	}
}

// Not where a receive buffer's own XOFF would be overwritten by a shorter one.
static void draw_storm(struct ll_case *c, struct prng *g)
{
	unsigned host = pick(g, 0, c->n_hosts - 1);
	bool frames = one_in(g, 2) && c->host[host].drain_percent == 100;

	c->storm[c->n_storms++] = (struct ll_storm){
		.host = (uint8_t)host,
		.cls = (uint8_t)pick(g, 0, c->n_classes - 1),
		.quanta = (uint16_t)scale(g, 100, 65535),
		.frames = (uint16_t)(frames ? pick(g, 1, 5) : 0),
		.all = frames && one_in(g, 2),
		.at_us = pick(g, 0, c->duration_us),
		.for_us = scale(g, 1, 100),
	};
}

// So long that the sender has to stop.
static void draw_stop(struct ll_case *c, struct prng *g)
{
	c->storm[c->n_storms++] = (struct ll_storm){
		.host = c->flow[0].to,
		.quanta = 65535,
		.at_us = pick(g, 0, c->duration_us / 2),
		.for_us = pick(g, 1 + c->duration_us / 4, 1 + c->duration_us),
	};
}

// CNPs that a switch sends of its own: their class is marked, and most of its flows heed CNPs.
// These have a sequence of their own, which leaves the rest of a case as it is.
static void draw_cnps(struct ll_case *c)
{
	struct prng g;

	prng_init(&g, c->seed, "cnps");
	c->fast_cnp_us = one_in(&g, 3) ? 0 : scale(&g, 1, 100);
	c->iqcn_us = pick(&g, 5, 50);
	for (unsigned i = 0; i < c->n_classes; i++) {
		struct ll_class *k = &c->cls[i];

		k->fast_cnp = one_in(&g, 6);
		k->ce_too = one_in(&g, 2);
		k->marked |= k->iqcn || k->fast_cnp;
	}
	for (unsigned i = 0; i < c->n_flows; i++) {
		const struct ll_class *k = &c->cls[c->flow[i].cls];

		c->flow[i].controlled |= (k->iqcn || k->fast_cnp) && !one_in(&g, 4);
	}
}

void ll_draw(struct ll_case *c, uint64_t seed)
{
	struct prng g;
	uint64_t per_ms = 0;
	bool worst;
	unsigned n;

	prng_init(&g, seed, "lossless");
	*c = (struct ll_case){.seed = seed, .headroom_percent = 100};
	draw_hosts(c, &g, draw_switches(c, &g));
	n = pick(&g, 1, LL_CLASSES - 1);
	for (unsigned i = 0; i < n; i++)
		draw_class(c, &g);
	draw_flows(c, &g);
	worst = draw_worst(c, &g);
	draw_peers(c, &g);
	for (unsigned i = 0; i < c->n_flows; i++)
		per_ms += c->host[c->flow[i].from].rate * 1000000u / 8 / 900;
	c->duration_us = (uint32_t)(BUDGET_FRAMES * 1000ull / per_ms);
	if (worst)
		draw_stop(c, &g);
	for (unsigned i = c->n_storms; i < LL_STORMS; i++)
		if (one_in(&g, 5))
			draw_storm(c, &g);
	draw_cnps(c);
}

static bool any_lossless(const struct ll_case *c)
{
	for (unsigned i = 0; i < c->n_classes; i++)
		if (c->cls[i].lossless)
			return true;
	return false;
}

// A port has one group, and what hosts send on their own account is PAUSE, too.
void ll_draw_pause(struct ll_case *c, uint64_t seed)
{
	unsigned n = 0;

	do {
		ll_draw(c, seed);
		seed += 1000003;
	} while (!any_lossless(c));
	c->pause = true;
	for (unsigned i = 0; i < c->n_storms; i++) {
		c->storm[i].all = true;
		if (c->storm[i].frames)
			c->storm[n++] = c->storm[i];
	}
	c->n_storms = n;
}

static void draw_cut(struct ll_case *c, struct prng *g)
{
	c->cut[c->n_cuts++] = (struct ll_cut){
		.host = (uint8_t)pick(g, 0, c->n_hosts - 1),
		.at_us = pick(g, 1, c->duration_us),
		.for_us = scale(g, 1, 500),
	};
}

void ll_draw_lossy(struct ll_case *c, uint64_t seed)
{
	struct prng g;

	ll_draw(c, seed);
	prng_init(&g, seed, "lossy");
	// Longer than a window and a full queue take at the slowest, or one attempt would stand in
	// the next one's way.
	c->rto_us = pick(&g, 4000, 8000);
	c->n_storms = 0;
	for (unsigned i = 0; i < c->n_classes; i++) {
		c->cls[i].lossless = false;
		c->cls[i].group = (uint8_t)i;
		c->cls[i].xoff = pick(&g, 10000, 40000);
	}
	for (unsigned i = 0; i < c->n_switches; i++)
		c->sw[i].shared = pick(&g, 5000, 60000);
	for (unsigned i = 0; i < c->n_flows; i++) {
		c->flow[i].count = (uint16_t)pick(&g, 1, 20);
		c->flow[i].message = scale(&g, 4000, 60000);
		c->flow[i].window = scale(&g, 1, 300);
	}
	for (unsigned i = 0; i < LL_CUTS; i++)
		if (one_in(&g, 3))
			draw_cut(c, &g);
}

static unsigned ports_of(const struct ll_case *c, unsigned sw)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n_hosts; i++)
		n += c->host[i].sw == sw;
	for (unsigned i = 0; i < c->n_trunks; i++)
		n += c->trunk[i].a == sw || c->trunk[i].b == sw;
	return n;
}

static void cut_switches(struct ll_case *c)
{
	struct prng g;

	prng_init(&g, c->seed, "cut");
	for (unsigned i = 0; i < c->n_switches; i++) {
		unsigned shards = pick(&g, 2, 3), ports = ports_of(c, i);

		c->sw[i].shards = (uint8_t)(shards < ports ? shards : ports);
	}
}

void ll_draw_cut(struct ll_case *c, uint64_t seed)
{
	ll_draw(c, seed);
	cut_switches(c);
}

void ll_draw_pause_cut(struct ll_case *c, uint64_t seed)
{
	ll_draw_pause(c, seed);
	cut_switches(c);
}

void ll_draw_lossy_cut(struct ll_case *c, uint64_t seed)
{
	ll_draw_lossy(c, seed);
	cut_switches(c);
}
