// SPDX-License-Identifier: BSD-3-Clause
// Bursts change nothing but the cost: two like switches with all that a switch can have, one fed
// burst by burst, the other frame by frame. The same of
// two like switches that are cut into shards, and where another shard than the port's receives.
// QUENCH_SEED=N is the first seed of each kind, QUENCH_ROUNDS=N how many seeds it has: 1 and 40.
#include <inttypes.h>
#include <stdio.h>

#include "../burst_edge.h"
#include "../sw_same.h"

#define SEEDS   40
#define STEPS   2000
#define BURST   80 // more than are taken at once
#define TX      SW_BURST
#define FLOWS   8
#define UNKNOWN 99

// 0 where both are set up.
static int start(struct pair *t, struct box *b)
{
	struct pkt_stack *stack[SW_SHARDS];
	struct ev_ring *events[SW_SHARDS];
	int rc = box_try(b);

	if (rc || t->shards == 1)
		return rc;
	sw_fini(b->sw);
	for (unsigned k = 0; k < SW_SHARDS; k++) {
		stack[k] = &b->stack;
		events[k] = &b->events;
	}
	return sw_cut_init(&b->sw, &b->params, stack, events);
}

static void forget_headers(const struct pair *t, const struct box *b)
{
	for (unsigned k = 0; k < t->shards; k++)
		sw_forget_headers(sw_shard(b->sw, k));
}

// Where A forgets headers, only frames from outside may come. Where B does not, what A reads from
// their bytes is compared with what their headers say. Frames that a shard has received for another
// one keep their headers, which are their own, until that one has them.
static void who_forgets(struct pair *t)
{
	t->forgets = below(t, 4);
	t->both = t->forgets && !t->aside && below(t, 2);
	if (t->forgets)
		forget_headers(t, t->a);
	if (t->both)
		forget_headers(t, t->b);
}

static void rx(const struct pair *t, struct box *b, unsigned port, struct pkt **burst, unsigned n)
{
	(t->shards > 1 ? sw_cut_rx : sw_rx)(b->sw, port, burst, n, t->now);
}

// The fabric's frames for the shard of a port come first; then the fabric has nothing else.
static void rx_aside(struct pair *t, unsigned port, struct pkt **burst, unsigned n)
{
	unsigned own = port % t->shards, by = (own + 1 + below(t, t->shards - 1)) % t->shards;
	struct sw *shard = sw_shard(t->a->sw, by);

	sw_cut_tx(t->a->sw, t->n_ports + own, NULL, 0, t->now);
	sw_cut_tx(t->b->sw, t->n_ports + own, NULL, 0, t->now);
	assert_true(sw_rx_room(shard, port, n));
	sw_rx_for(shard, port, burst, n, t->now);
	sw_fabric_push(shard);
	sw_cut_tx(t->a->sw, t->n_ports + own, NULL, 0, t->now);
}

static unsigned tx(
	const struct pair *t, struct box *b, unsigned port, struct pkt **burst, unsigned max)
{
	return (t->shards > 1 ? sw_cut_tx : sw_tx)(b->sw, port, burst, max, t->now);
}

static tstamp deadline(const struct pair *t, const struct box *b, unsigned port)
{
	return (t->shards > 1 ? sw_cut_deadline : sw_deadline)(b->sw, port);
}

// The same frame for both: mostly like the one before it.
struct like {
	unsigned to, cls, len, kind, bad, flow, vlan;
	bool own;
};

// The bytes of a frame whose header will be forgotten, as far as a switch reads them: those of
// Ethernet, and what RoCEv2 has in its headers.
static void put_bytes(struct pkt *p, uint16_t data_off)
{
	struct pkt short_one = *p;

	short_one.flags = 0;
	short_one.len = 90;
	p->data_off = data_off;
	if (pkt_is_roce(p->kind))
		p->l3_off = (uint8_t)hdr_eth_len(p->hdr->flags);
	else
		short_one.kind = PKT_OTHER;
	frame_from_pkt(&short_one, pkt_bytes(p));
}

static struct pkt *frame(
	struct pair *t, struct box *b, unsigned port, const struct like *l, uint8_t ecn)
{
	struct pkt *p = box_pkt(b, port, l->to % BOX_PORTS, l->cls, l->len);
	struct hdr *h = pkt_own_hdr(p);

	p->kind = (uint8_t)l->kind;
	// By PCP, frames of several classes may agree in all else.
	p->tos = (uint8_t)((l->vlan && l->flow % 2 ? 0 : p->tos & ~3u) | ecn);
	p->born = t->now;
	if (p->kind == PKT_BAD)
		p->u.bad = l->bad;
	else if (p->kind != PKT_PAUSE && p->kind != PKT_MACCTL)
		p->u.rc = (struct pkt_rc){.psn = t->seq, .qpn = l->flow};
	if (!l->own)
		return p;
	*h = *p->hdr;
	h->id = 0;
	h->sport = (uint16_t)l->flow;
	h->saddr[3] = (uint8_t)(1 + l->flow);
	h->daddr[3] = (uint8_t)(1 + FLOWS + l->flow);
	if (p->kind == PKT_ACK || p->kind == PKT_CNP) { // they go back
		h->saddr[3] = (uint8_t)(1 + FLOWS + l->flow);
		h->daddr[3] = (uint8_t)(1 + l->flow);
	}
	if (l->to == UNKNOWN)
		h->dst[4] = UNKNOWN;
	if (l->to == UNKNOWN + 1)
		memcpy(h->dst, (uint8_t[]){1, 0x80, 0xc2, 0, 0, 3}, 6);
	if (l->vlan) {
		h->flags |= HDR_VLAN;
		h->vlan_tci = (uint16_t)(l->cls << 13);
	}
	if (l->vlan == 2)
		h->flags |= HDR_CNTAG;
	p->hdr = h;
	if (!t->forgets && l->flow % 4 == 0)
		return p;
	p->flags = PKT_F_FOREIGN | PKT_F_INTACT;
	p->l3_off = l->flow % 3 ? 14 : 0; // or none that is IP
	if (t->forgets)
		put_bytes(p, b->stack.data_off);
	return p;
}

static bool is_up(const struct pair *t, unsigned port)
{
	return t->up[port / 64] >> port % 64 & 1;
}

// Whether a frame is none that is forwarded. A shard that receives for another one leaves it to
// that one to see whether the port's link is up.
static bool is_odd(const struct pair *t, unsigned port, const struct pkt *p)
{
	if (!is_up(t, port) && !t->aside)
		return true;
	if (p->len > t->a->port[port].mtu || (SW_ODD_KINDS & ~SW_KIND(PKT_BAD)) >> p->kind & 1)
		return true;
	return p->kind == PKT_BAD && !frame_error_is_above_l2((enum frame_error)p->u.bad);
}

static unsigned class_of(const struct pair *t, unsigned port, const struct pkt *p)
{
	const struct hdr *h = p->hdr;
	bool by_dscp = t->a->port[port].trust == SW_TRUST_DSCP || !(h->flags & HDR_VLAN);

	return by_dscp ? set_of(t, port)->dscp_to_class[p->tos >> 2]
		       : set_of(t, port)->pcp_to_class[h->vlan_tci >> 13];
}

// The key of frames that stay together: egress port and queue. 0: no single port. VLAN 0 is the
// untagged one.
static uint32_t key_of(const struct pair *t, unsigned port, const struct pkt *p)
{
	const struct sw_params *sp = &t->a->params;
	const struct hdr *h = p->hdr;
	unsigned cls = class_of(t, port, p);
	unsigned out = h->dst[5] - 1u;

	if (h->dst[0] & 1 || h->dst[4] == UNKNOWN)
		return 0;
	if (out == HOST_EQ && sp->n_ecmp)
		out = sw_ecmp_port(
			&t->ecmp, t->up, sw_ecmp_hash(sw_ecmp_salt(sp->seed, sp->name), h));
	else
		out %= t->n_ports;
	return out == port ? 0 : (out + 1) << 8 | set_of(t, out)->queue_map[cls];
}

static struct like random_like(struct pair *t)
{
	static const uint8_t kinds[] = {PKT_DATA, PKT_DATA, PKT_DATA, PKT_DATA, PKT_DATA, PKT_DATA,
		PKT_GEN, PKT_ROCE, PKT_ACK, PKT_CNP, PKT_CNM, PKT_OTHER};
	unsigned what = below(t, 60);

	return (struct like){
		.to = below(t, 2)    ? 0
		      : below(t, 20) ? below(t, BOX_PORTS)
				     : UNKNOWN + below(t, 2),
		.cls = below(t, 2) ? 3 : below(t, PKT_CLASSES),
		.kind = what == 0   ? PKT_PAUSE
			: what == 1 ? PKT_MACCTL
			: what == 2 ? PKT_BAD
				    : kinds[below(t, sizeof(kinds))],
		.bad = 1 + below(t, FRAME_ERRORS - 1),
		.flow = below(t, FLOWS),
		.vlan = below(t, 3),
		.own = t->told || below(t, 2),
	};
}

static unsigned length(struct pair *t)
{
	unsigned len = 60 + below(t, below(t, 40) ? 900 : 1640), unit = t->unit;

	return unit ? (len + unit - 1) / unit * unit - t->a->params.framing.queue_extra : len;
}

// The frames of a burst are of n kinds, which take turns or are drawn. Where n is 0, they are
// trains of frames that are mostly like each other.
struct mix {
	struct like of[4];
	unsigned n, change;
	bool in_turn, same_ecn;
};

// Kinds that differ in nothing but where they go, or their class, or both.
static void make_alike(struct pair *t, struct mix *m)
{
	bool ways = below(t, 3), classes = !ways || below(t, 2);

	m->same_ecn = true;
	for (unsigned i = 1; i < m->n; i++) {
		unsigned to = ways ? below(t, BOX_PORTS) : m->of[0].to;
		unsigned cls = classes ? below(t, PKT_CLASSES) : m->of[0].cls;

		m->of[i] = m->of[0];
		m->of[i].to = to;
		m->of[i].cls = cls;
	}
}

static struct mix random_mix(struct pair *t)
{
	struct mix m = {.change = 1 + below(t, 6)};

	if (below(t, 3))
		return m;
	m.n = 2 + below(t, 3);
	m.in_turn = below(t, 2);
	for (unsigned i = 0; i < m.n; i++) {
		m.of[i] = random_like(t);
		m.of[i].len = length(t);
	}
	if (below(t, 2))
		make_alike(t, &m);
	return m;
}

// Frame i, behind one like `before`.
static struct like next_like(struct pair *t, const struct mix *m, unsigned i, struct like before)
{
	struct like l = before;

	if (m->n)
		return m->of[m->in_turn ? i % m->n : below(t, m->n)];
	if (i && !below(t, 8))
		l.cls = below(t, PKT_CLASSES); // and nothing else
	else if (!i || !below(t, m->change))
		l = random_like(t);
	if (!l.len || below(t, 3) == 0)
		l.len = length(t);
	return l;
}

static bool is_shut(const struct pair *t, unsigned port, unsigned cls)
{
	const struct sw_wd *wd = sw_owner(t->b->sw, port)->port[port].wd;

	return wd && wd->shut >> cls & 1;
}

// Counts a frame of a group that the watchdog has shut somewhere.
static void count_shut(struct pair *t, unsigned port, uint32_t key)
{
	unsigned cls = key & 0xff, out = (key >> 8) - 1, ports = 0;

	if (!key)
		return;
	for (unsigned i = 0; i < t->n_ports; i++)
		ports += is_shut(t, i, cls);
	if (is_shut(t, port, cls) || is_shut(t, out, cls))
		t->shut_here++;
	else
		t->shut_elsewhere += ports > 0;
}

// B gets the frames one by one.
static void rx_each(struct pair *t, unsigned port, struct pkt **burst, unsigned n)
{
	const struct ev_ring *r = &t->b->events;
	uint32_t key = 0;
	unsigned why = SW_DROPS, pg = 0;

	for (unsigned i = 0; i < n; i++) {
		uint32_t own = is_odd(t, port, burst[i]) ? 0 : key_of(t, port, burst[i]);
		unsigned before = why, pg_before = pg;
		uint32_t at = r->head;

		why = SW_DROPS;
		count_shut(t, port, own);
		if (own)
			pg = set_of(t, port)->pg_map[class_of(t, port, burst[i])];
		t->pg_changes += own && own == key && pg != pg_before;
		rx(t, t->b, port, &burst[i], 1);
		for (; at != r->head; at++)
			if (r->slot[at & r->mask].type == EV_DROP)
				why = r->slot[at & r->mask].drop.reason;
		if (own && own == key && why == SW_DROPS && before < SW_DROPS)
			t->behind[before]++;
		key = own;
	}
}

// Puts a threshold beside what a frame of a burst reaches.
static void put_edge(struct pair *t, unsigned port, struct pkt **burst, unsigned n)
{
	const struct sw *sw = t->a->sw;
	struct edge_frame frame[BURST];

	for (unsigned i = 0; i < n; i++) {
		const struct pkt *p = burst[i];
		uint32_t bytes = p->len + sw->queue_extra;
		bool odd = is_odd(t, port, p);
		unsigned cls = odd ? 0 : class_of(t, port, p);

		frame[i] = (struct edge_frame){.key = odd ? 0 : key_of(t, port, p),
			.bytes = (uint16_t)bytes,
			.held = sw->two_sided ? mmu_cells(&sw->pools_cfg, bytes) : bytes,
			.pg = set_of(t, port)->pg_map[cls]};
	}
	edge_for_burst(t, port, frame, n);
}

static void inject(struct pair *t)
{
	unsigned port = below(t, t->n_ports), n = 1 + below(t, below(t, 4) ? 12 : BURST);
	struct pkt *x[BURST], *y[BURST];
	struct mix m = random_mix(t);
	struct like l = {0};

	for (unsigned i = 0; i < n; i++) {
		bool other = !m.same_ecn && !below(t, m.n ? 16 : 2);
		uint8_t ecn = (uint8_t)(other ? below(t, 4) : ECN_ECT0);

		l = next_like(t, &m, i, l);
		l.own |= l.to >= BOX_PORTS || t->forgets;
		t->seq++;
		x[i] = frame(t, t->a, port, &l, ecn);
		y[i] = frame(t, t->b, port, &l, ecn);
	}
	if (t->edges && edge_below(t, 2))
		put_edge(t, port, x, n);
	if (t->aside)
		rx_aside(t, port, x, n);
	else
		rx(t, t->a, port, x, n);
	rx_each(t, port, y, n);
	// Their memory is another frame's now. A dropped one may have become a frame of the switch.
	for (unsigned i = 0; t->forgets && !t->aside && i < n; i++) {
		if (!x[i]->hdr)
			memset(pkt_own_hdr(x[i]), 0xa5, sizeof(struct hdr));
		if (!y[i]->hdr)
			memset(pkt_own_hdr(y[i]), 0x5a, sizeof(struct hdr));
	}
}

static void pause(struct pair *t)
{
	unsigned port = below(t, t->n_ports);
	uint8_t enable = (uint8_t)below(t, 256);
	uint16_t quanta = (uint16_t)(below(t, 2) * below(t, t->shut ? 4000 : 300));
	struct pkt *x = box_pfc(t->a, enable, quanta), *y = box_pfc(t->b, enable, quanta);

	if (below(t, 3) == 0) {
		x->kind = y->kind = PKT_PAUSE;
		x->u.pfc.quanta[0] = y->u.pfc.quanta[0] = quanta;
	}
	rx(t, t->a, port, &x, 1);
	rx(t, t->b, port, &y, 1);
}

// A link that is up goes down seldom, one that is down comes up.
static enum ctl_type link_goes(struct pair *t, unsigned port)
{
	bool down = is_up(t, port) && below(t, 8) == 0;
	uint64_t bit = 1ull << port % 64;

	t->up[port / 64] = down ? t->up[port / 64] & ~bit : t->up[port / 64] | bit;
	return down ? CTL_LINK_DOWN : CTL_LINK_UP;
}

static void command(struct pair *t)
{
	static const enum ctl_type types[] = {CTL_PFC_STORM, CTL_PFC_STORM, CTL_FDB_FLUSH,
		CTL_WEIGHT, CTL_PFCWD_START, CTL_PFCWD_STOP};
	unsigned what = below(t, 10);
	struct ctl c = {.port = (uint16_t)below(t, t->n_ports),
		.cls = (uint8_t)below(t, PKT_CLASSES),
		.quanta = (uint16_t)(1 + below(t, 1000)),
		.a = 1 + below(t, 20)};
	int rc;

	c.type = what < 6 ? types[what] : link_goes(t, c.port);
	if (c.type == CTL_PFC_STORM)
		c.a = t->now + c.a * PS_PER_US;
	rc = (t->shards > 1 ? sw_cut_ctl : sw_ctl)(t->a->sw, &c, t->now);
	assert_int_equal(rc, (t->shards > 1 ? sw_cut_ctl : sw_ctl)(t->b->sw, &c, t->now));
	t->storms += !rc && c.type == CTL_PFC_STORM;
}

static void same_packet(struct pair *t, const struct pkt *p, const struct pkt *q)
{
	assert_int_equal(p->kind, q->kind);
	assert_int_equal(p->len, q->len);
	assert_int_equal(p->tos, q->tos);
	assert_int_equal(p->flags, q->flags);
	if (p->kind == PKT_PFC || p->kind == PKT_PAUSE) {
		assert_memory_equal(&p->u.pfc, &q->u.pfc, sizeof(p->u.pfc));
		return;
	}
	assert_int_equal(p->cls, q->cls);
	assert_int_equal(p->in_port, q->in_port);
	assert_int_equal(p->when, q->when);
	assert_int_equal(p->born, q->born);
	if (p->kind != PKT_CNM && p->kind != PKT_CNP) // of the switch's own they have headers
		assert_true(!q->hdr == t->both && (!p->hdr == t->forgets || t->aside));
	assert_true(p->hdr ? q->hdr != NULL : t->forgets);
	if (p->hdr)
		assert_memory_equal(p->hdr, q->hdr, sizeof(*p->hdr));
	t->headless += !p->hdr;
	assert_memory_equal(&p->u, &q->u, PKT_KEPT);
}

static void take(struct pair *t, unsigned port)
{
	unsigned max = 1 + below(t, below(t, 3) ? 8 : TX), n, m = 0;
	struct pkt *x[TX], *y[TX];

	if (t->edges && port < t->n_ports && !edge_below(t, 4))
		edge_for_port(t, port);
	n = tx(t, t->a, port, x, max);
	while (m < max && tx(t, t->b, port, &y[m], 1))
		m++;
	assert_int_equal(n, m);
	for (uint64_t left = n ? sw_as_came(sw_owner(t->a->sw, port)) : 0; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		assert_true(i < n && pkt_is_as_came(x[i]));
		t->as_came++;
	}
	for (unsigned i = 0; i < n; i++) {
		same_packet(t, x[i], y[i]);
		pkt_put(&t->a->stack, x[i]);
		pkt_put(&t->b->stack, y[i]);
	}
	t->together += n > 1 ? n : 0;
}

static void same_state(const struct pair *t)
{
	for (unsigned k = 0; k < t->shards; k++)
		same_switch(sw_shard(t->a->sw, k), sw_shard(t->b->sw, k));
}

static void same_events(struct pair *t)
{
	const struct ev *e, *f;

	do {
		e = ev_get(&t->a->events);
		f = ev_get(&t->b->events);
		assert_int_equal(!e, !f);
		if (!e)
			break;
		assert_memory_equal(e, f, sizeof(*e));
		if (e->type == EV_XOFF_TX)
			t->xoffs += e->pfc_tx.enable >> t->a->params.fast_cnp.cnp_class & 1;
	} while (e);
}

static void step(struct pair *t)
{
	if (t->a->stack.n > t->a->stack.reserve + BOX_PKTS / 2)
		inject(t);
	if (!below(t, t->shut ? 2 : 12))
		pause(t);
	if (!below(t, 40))
		command(t);
	for (unsigned i = 0; i < t->n_ports + (t->shards > 1 ? t->shards : 0); i++)
		if (deadline(t, t->a, i) <= t->now && below(t, 4))
			take(t, i);
	assert_int_equal(t->a->stack.n, t->b->stack.n);
	same_state(t);
	same_events(t);
	t->now += below(t, below(t, 10) ? 1500000 : 9000000);
}

// Results of a seed: frames that A gave together, frames that it said leave as they came, CNPs of
// Fast CNP; of their class XOFFs, dropped frames and CNMs; PAUSE frames sent, frames dropped at a
// link that is down, frames without a header, storms.
struct came {
	uint64_t together, as_came, cnps, xoffs, drops, cnms, pauses, down, headless, storms;
	uint64_t behind_tail, behind_curve, behind_buffer; // pair.behind
	uint64_t shut_here, shut_elsewhere, pg_changes;
};

// Runs a pair of this seed with the settings of `as`: shards, aside, shaped, mixed, shut, refused,
// told.
static struct came one_seed(uint64_t seed, struct pair as)
{
	struct pair t = as;
	struct came came = {0};
	struct prng from, edge_from;

	t.a = box_new();
	t.b = box_new();
	printf("seed %" PRIu64 ", shards %u\n", seed, t.shards);
	prng_init(&t.rng, seed, "run");
	prng_init(&t.edge_rng, seed, "edges");
	do {
		from = t.rng;
		edge_from = t.edge_rng;
		random_params(&t, t.a);
		edge_params(&t, t.a);
		t.rng = from;
		t.edge_rng = edge_from;
		random_params(&t, t.b);
		edge_params(&t, t.b);
		copy_sets(t.b);
	} while (start(&t, t.a)); // headroom and reserve may be more than the buffer
	assert_int_equal(start(&t, t.b), 0);
	who_forgets(&t);
	t.up[0] = (1ull << t.n_ports) - 1;
	for (unsigned i = 0; i < STEPS; i++)
		step(&t);
	t.now += PS_PER_S;
	for (unsigned i = 0; i < t.n_ports; i++)
		for (struct pkt *p; tx(&t, t.a, i, &p, 1);)
			pkt_put(&t.a->stack, p);
	came.together = t.together;
	came.as_came = t.as_came;
	came.xoffs = t.xoffs;
	came.headless = t.headless;
	came.storms = t.storms;
	came.pg_changes = t.pg_changes;
	came.shut_here = t.shut_here;
	came.shut_elsewhere = t.shut_elsewhere;
	came.behind_tail = t.behind[SW_DROP_TAIL];
	came.behind_curve = t.behind[SW_DROP_WRED];
	came.behind_buffer = t.behind[SW_DROP_SHARED];
	for (unsigned i = 0; i < t.n_ports; i++) {
		struct sw_class_stats s =
			sw_class_stats(t.a->sw, i, t.a->params.fast_cnp.cnp_class);

		struct sw_port_stats o = sw_port_stats(t.a->sw, i);

		came.cnps += o.fast_cnp_tx;
		came.pauses += o.pause_tx_frames;
		came.down += o.drop[SW_DROP_LINK_DOWN];
		came.drops += s.dropped_frames;
		came.cnms += s.cnm_tx_frames;
	}
	box_free(t.a);
	box_free(t.b);
	return came;
}

// Seeds of a kind.
static unsigned rounds(void)
{
	return (unsigned)draw_number("QUENCH_ROUNDS", rounds_of(SEEDS));
}

// So many seeds of a kind; shards 0: two and three in turn.
static struct came some_seeds(struct pair as, unsigned seeds)
{
	uint64_t first = draw_number("QUENCH_SEED", 1);
	struct came all = {0};

	for (uint64_t seed = first; seed < first + seeds; seed++) {
		struct pair one = as;
		struct came c;

		one.shards = as.shards ? as.shards : 2 + seed % 2;
		one.edges = true;
		c = one_seed(seed, one);
		all.together += c.together;
		all.as_came += c.as_came;
		all.cnps += c.cnps;
		all.xoffs += c.xoffs;
		all.drops += c.drops;
		all.cnms += c.cnms;
		all.pauses += c.pauses;
		all.down += c.down;
		all.headless += c.headless;
		all.storms += c.storms;
		all.pg_changes += c.pg_changes;
		all.shut_here += c.shut_here;
		all.shut_elsewhere += c.shut_elsewhere;
		all.behind_tail += c.behind_tail;
		all.behind_curve += c.behind_curve;
		all.behind_buffer += c.behind_buffer;
	}
	printf("%" PRIu64 " together, %" PRIu64 " as they came, %" PRIu64 " without a header; "
	       "%" PRIu64 " PAUSEs, %" PRIu64 " storms, %" PRIu64
	       " dropped at a link that is down\n",
		all.together, all.as_came, all.headless, all.pauses, all.storms, all.down);
	printf("joined behind a frame that was refused: by the tail limit %" PRIu64
	       ", the drop curve %" PRIu64 ", the buffer %" PRIu64 "\n",
		all.behind_tail, all.behind_curve, all.behind_buffer);
	printf("of classes that were shut: %" PRIu64 " here, %" PRIu64 " elsewhere; %" PRIu64
	       " changes of the priority group\n",
		all.shut_here, all.shut_elsewhere, all.pg_changes);
	return all;
}

// Whether so many seeds have been drawn that much of everything must have come.
static bool many(void)
{
	return rounds() >= SEEDS;
}

static void much_came(const struct came *all)
{
	assert_true(!many() || all->together > 50000);
	assert_true(!many() || (all->pauses > 1000 && all->storms > 100 && all->down > 1000));
}

static void bursts_and_frames_come_to_the_same(void **state)
{
	struct came all = some_seeds((struct pair){.shards = 1}, rounds());

	(void)state;
	much_came(&all);
	assert_true(!many() || (all.as_came > 1000 && all.headless > 10000));
}

static void they_do_in_shards(void **state)
{
	struct came all = some_seeds((struct pair){.shards = 0}, rounds());

	(void)state;
	much_came(&all);
	assert_true(!many() || all.headless > 10000);
}

static void they_do_where_another_shard_receives(void **state)
{
	struct came all = some_seeds((struct pair){.aside = true}, rounds());

	(void)state;
	much_came(&all);
}

static void they_do_where_ports_are_shaped(void **state)
{
	struct came all = some_seeds((struct pair){.shards = 1, .shaped = true}, rounds());

	(void)state;
	much_came(&all);
}

static void queues_refuse_the_same_frames(void **state)
{
	struct came all = some_seeds((struct pair){.shards = 1, .refused = true}, rounds());

	(void)state;
	assert_true(!many() || (all.behind_tail > 1000 && all.behind_curve > 5000));
}

static void they_do_of_other_shards(void **state)
{
	struct came all = some_seeds((struct pair){.shards = 0, .refused = true}, rounds());

	(void)state;
	assert_true(!many() || (all.behind_tail > 250 && all.behind_curve > 1000));
}

static void watchdogs_shut_the_same_queues(void **state)
{
	struct came all = some_seeds((struct pair){.shards = 1, .shut = true}, rounds());

	(void)state;
	assert_true(!many() || (all.shut_here > 2000 && all.shut_elsewhere > 1000));
}

static void groups_share_queues(void **state)
{
	struct came all = some_seeds((struct pair){.shards = 1, .mixed = true}, rounds());

	(void)state;
	assert_true(!many() || all.pg_changes > 50000);
}

static void groups_of_other_shards_share_queues(void **state)
{
	struct came all = some_seeds((struct pair){.shards = 0, .mixed = true}, rounds());

	(void)state;
	assert_true(!many() || all.pg_changes > 50000);
}

static void same_senders_are_told(unsigned shards, enum sw_mark told)
{
	unsigned seeds = shards ? rounds() : (rounds() + 1) / 2;
	struct came all = some_seeds((struct pair){.shards = shards, .told = told}, seeds);

	printf("%" PRIu64 " CNPs; of their class %" PRIu64 " XOFFs, %" PRIu64 " drops, %" PRIu64
	       " CNMs\n",
		all.cnps, all.xoffs, all.drops, all.cnms);
	if (!many())
		return;
	assert_true(all.together > 250 * seeds && all.cnps > 250 * seeds);
	assert_true(all.headless > 250 * seeds && all.xoffs > 10 * seeds);
	assert_true(all.drops > 25 * seeds && all.cnms > 25 * seeds);
}

static void marks_at_dequeue_tell_the_same_senders(void **state)
{
	(void)state;
	same_senders_are_told(1, SW_MARK_DEQUEUE);
}

static void marks_at_enqueue_tell_the_same_senders(void **state)
{
	(void)state;
	same_senders_are_told(1, SW_MARK_ENQUEUE);
}

static void marks_at_dequeue_do_in_shards(void **state)
{
	(void)state;
	same_senders_are_told(0, SW_MARK_DEQUEUE);
}

// Faults that few seeds show.
static void these_seeds_do(void **state)
{
	(void)state;
	// The last frame of a round makes a CNP, of which the port gets a CNM. No class of the
	// round can send another frame before the turn comes to it once more.
	one_seed(72, (struct pair){.shards = 1, .told = SW_MARK_DEQUEUE});
	one_seed(23, (struct pair){.shards = 3, .told = SW_MARK_DEQUEUE});
	// Frames of groups in XOFF leave a shard, whose lease changes between two of them.
	one_seed(396, (struct pair){.shards = 2});
	one_seed(68, (struct pair){.shards = 2, .told = SW_MARK_DEQUEUE});
	one_seed(134, (struct pair){.shards = 2, .told = SW_MARK_ENQUEUE});
	// Data, an ACK of its flow and a frame that is too long go to another shard together.
	one_seed(80, (struct pair){.shards = 2, .told = SW_MARK_ENQUEUE});
	// A CNP that iQCN records crosses behind a frame whose mark makes another one.
	one_seed(20154, (struct pair){.shards = 2, .told = SW_MARK_ENQUEUE});
	// A class alone sends on behind its guarantee. A CNM about a CNP of its marks comes to it.
	one_seed(1018, (struct pair){.shards = 1, .told = SW_MARK_DEQUEUE});
}

static void marks_at_enqueue_do_in_shards(void **state)
{
	(void)state;
	same_senders_are_told(0, SW_MARK_ENQUEUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bursts_and_frames_come_to_the_same),
		cmocka_unit_test(they_do_where_ports_are_shaped),
		cmocka_unit_test(queues_refuse_the_same_frames),
		cmocka_unit_test(they_do_of_other_shards),
		cmocka_unit_test(groups_share_queues),
		cmocka_unit_test(groups_of_other_shards_share_queues),
		cmocka_unit_test(watchdogs_shut_the_same_queues),
		cmocka_unit_test(marks_at_dequeue_tell_the_same_senders),
		cmocka_unit_test(marks_at_enqueue_tell_the_same_senders),
		cmocka_unit_test(they_do_in_shards),
		cmocka_unit_test(marks_at_dequeue_do_in_shards),
		cmocka_unit_test(marks_at_enqueue_do_in_shards),
		cmocka_unit_test(they_do_where_another_shard_receives),
		cmocka_unit_test(these_seeds_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
