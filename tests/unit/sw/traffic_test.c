// SPDX-License-Identifier: BSD-3-Clause
// Random traffic through random switches: nothing is lost, doubled, late, early or out of order.
#include <inttypes.h>
#include <stdio.h>

#include "../class_draw.h"
#include "sw_box.h"

#include "base/prng.h"
#include "rounds.h"

#define SEEDS   10
#define STEPS   8000
#define N_FLOWS (BOX_PORTS * PKT_CLASSES)

// One run, with a model of its own of where frames are and who is paused.
struct run {
	struct box *b;
	struct prng rng;
	unsigned n_ports;
	tstamp now;
	bool inside[BOX_PKTS];                            // the switch has it
	tstamp until[BOX_PORTS][PKT_CLASSES];             // our pauses of the switch
	tstamp busy[BOX_PORTS];                           // the wire, until
	bool down[BOX_PORTS];                             // link
	bool xoff[BOX_PORTS][PKT_CLASSES];                // what the switch told us last
	uint32_t seq[BOX_PORTS];                          // sent into a port
	uint32_t last[BOX_PORTS][BOX_PORTS][PKT_CLASSES]; // came out: by ingress, egress, class
	uint64_t sent, got, pfc_in, pfc_out, xon_out;
	bool foreign;    // all frames are foreign, as a device's are
	bool forgets;    // headers: frames come out without one
	uint64_t digest; // of the frames that came out, where and when
	bool mapped;     // classes have other numbers than their queues
	bool simple;     // neither maps nor shapers: who may send when is what the pauses say
};

// The fields in a frame's u.gen.source; u.bad is the same place.
#define IS_DATA    (1u << 31)
#define PORT_SHIFT 24

static unsigned below(struct run *r, unsigned n)
{
	return (unsigned)prng_below(&r->rng, n);
}

static unsigned index_of(const struct run *r, const struct pkt *p)
{
	return (unsigned)((const struct box_pkt *)p - r->b->pkt);
}

// A buffer with two sides, in half of the runs.
static void random_sides(struct run *r)
{
	static const uint32_t cells[] = {0, 1, 80, 256};
	struct sw_params *sp = &r->b->params;

	if (below(r, 2))
		return;
	sp->cell_bytes = cells[below(r, 4)];
	sp->headroom_pool_bytes = below(r, 2) * (1000 + below(r, 4000));
	sp->egress_bytes[0] = below(r, 2) * (30000 + below(r, 50000));
	sp->egress_bytes[1] = below(r, 2) * (30000 + below(r, 50000));
	for (unsigned i = 0; i < r->n_ports; i++)
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			r->b->port[i].queue[c] = (struct mmu_queue_params){
				.lossless = r->b->set->cls[c].pfc,
				.limited = below(r, 2),
				.threshold = below(r, 2) ? MMU_DYNAMIC : MMU_STATIC,
				.reserved_bytes = below(r, 2) * 200,
				.static_bytes = 3000 + below(r, 20000),
				.dynamic_th = (int)below(r, 5) - 3,
			};
}

// Queues and groups apart from classes, in a quarter of the runs; shapers in another.
static void random_maps_and_shapers(struct run *r)
{
	unsigned what = below(r, 4);

	r->simple = what > 1;
	r->mapped = what == 0;
	if (what == 0) {
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			r->b->set->queue_map[c] = (uint8_t)below(r, PKT_CLASSES);
			r->b->set->pg_map[c] = (uint8_t)below(r, PKT_CLASSES);
		}
	}
	for (unsigned i = 0; what == 1 && i < r->n_ports; i++) {
		struct sw_port_params *p = &r->b->port[i];

		p->shaper_burst = 64 + below(r, 5000);
		p->shaper_rate = below(r, 2) * RATE_GBPS * (1 + below(r, 10));
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			p->max_rate[c] = below(r, 2) * RATE_GBPS * (1 + below(r, 10));
			p->min_rate[c] = below(r, 2) * RATE_GBPS * (1 + below(r, 4));
		}
	}
}

static void random_params(struct run *r)
{
	static const rate_t rates[] = {10 * RATE_GBPS, 25 * RATE_GBPS, 100 * RATE_GBPS};
	struct box *b = r->b;
	struct sw_params *sp = &b->params;

	sp->n_ports = r->n_ports = 2 + below(r, BOX_PORTS - 1);
	sp->buffer_bytes = 60000 + below(r, 400000);
	sp->fdb_age_ps = below(r, 2) ? 0 : 50 * PS_PER_US;
	sp->framing.whole_ns = below(r, 4) == 0;
	sp->tolerance_ps = below(r, 3) ? 0 : 200 * PS_PER_NS;
	sp->pause_no_expiry = below(r, 4) == 0;
	sp->monitor = below(r, 2);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		struct sw_class_params *k = &b->set->cls[c];

		k->strict = below(r, 4) == 0;
		draw_curves(&r->rng, k);
		k->red_excludes_frame = below(r, 2);
		k->mark_any = below(r, 4) == 0;
		k->force_ce = below(r, 8) == 0;
		k->tail_limit_bytes = below(r, 3) ? 0 : 5000 + below(r, 50000);
		k->pfc = c == 3 || c == 4;
		k->quanta = k->pfc ? (uint16_t)(20 + below(r, 400)) : 0;
		k->refresh_permille = 100 * below(r, 9);
		for (unsigned i = 0; i < r->n_ports; i++)
			b->port[i].pg[c] = (struct mmu_pg_params){
				.lossless = k->pfc,
				.threshold = below(r, 2) ? MMU_DYNAMIC : MMU_STATIC,
				.reserved_bytes = below(r, 2) ? 0 : 1000,
				.static_bytes = 3000 + below(r, 20000),
				.dynamic_th = (int)below(r, 5) - 4,
				.headroom_bytes = k->pfc ? below(r, 2000) : 0,
				.xon_offset_bytes = below(r, 3000),
			};
	}
	for (unsigned i = 0; i < r->n_ports; i++) {
		b->port[i].rate = rates[below(r, 3)];
		b->port[i].mtu = 1000 + below(r, 700);
		b->port[i].trust = (enum sw_trust)below(r, 2);
		b->port[i].default_class = (uint8_t)below(r, PKT_CLASSES);
	}
	random_sides(r);
	random_maps_and_shapers(r);
}

// Our side of a pause (measuring.md M1: the timer is overwritten), for classes that obey.
static void hear(struct run *r, unsigned port, unsigned cls, uint16_t quanta)
{
	tstamp quantum = (512 * PS_PER_S + r->b->port[port].rate / 2) / r->b->port[port].rate;
	bool forever = r->b->params.pause_no_expiry;

	if (!r->b->set->cls[cls].pfc || r->down[port])
		return;
	r->until[port][cls] = !quanta ? 0 : forever ? TSTAMP_NEVER : r->now + quanta * quantum;
}

static struct pkt *random_pfc(struct run *r, unsigned port)
{
	struct pkt *p = box_pfc(r->b, (uint8_t)below(r, 256), 0);

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		p->u.pfc.quanta[c] = below(r, 2) ? (uint16_t)below(r, 300) : 0;
		if (p->u.pfc.enable >> c & 1)
			hear(r, port, c, p->u.pfc.quanta[c]);
	}
	r->pfc_in++;
	return p;
}

static struct pkt *random_frame(struct run *r, unsigned port)
{
	unsigned what = below(r, 40), cls = below(r, 2) ? 3 : below(r, PKT_CLASSES);
	unsigned to = below(r, 2) && port ? 0 : below(r, r->n_ports); // incast
	unsigned len = 60 + below(r, below(r, 30) ? 900 : 1640);
	struct pkt *p = box_pkt(r->b, port, to, cls, len);

	p->tos = (uint8_t)(p->tos & ~3) | (uint8_t)below(r, 4);
	p->kind = below(r, 3) ? PKT_DATA : PKT_GEN;
	if (what == 0) {
		p->kind = PKT_BAD;
		p->u.bad = below(r, FRAME_ERRORS + 1);
	} else if (what == 1) {
		p->kind = below(r, 2) ? PKT_PAUSE : PKT_MACCTL;
	} else if (what < 8) {
		*pkt_own_hdr(p) = *p->hdr;
		pkt_own_hdr(p)->id = 0;
		if (what == 3)
			memset(pkt_own_hdr(p)->dst, 0xff, 6);
		if (what == 4)
			pkt_own_hdr(p)->dst[5] = 99; // nobody
		if (what > 5) {
			pkt_own_hdr(p)->flags = HDR_VLAN;
			pkt_own_hdr(p)->vlan_tci = (uint16_t)(below(r, 8) << 13);
			p->tos = 0;
		}
		p->hdr = pkt_own_hdr(p);
		p->flags = PKT_F_FOREIGN;
		p->data_off = p->len <= BOX_ROOM ? r->b->stack.data_off : 0;
	}
	if (r->foreign) {
		p->flags = PKT_F_FOREIGN;
		p->l3_off = p->hdr->flags & HDR_IP ? 14 : 0;
	}
	p->born = r->now;
	p->u.gen.source = ++r->seq[port] | port << PORT_SHIFT | IS_DATA;
	return p;
}

static void inject(struct run *r)
{
	unsigned port = below(r, r->n_ports), n = 0, want = 1 + below(r, 6);
	struct pkt *burst[8];

	while (n < want && r->b->stack.n > r->b->stack.reserve + 20) {
		struct pkt *p = below(r, 25) ? random_frame(r, port) : random_pfc(r, port);

		assert_false(r->inside[index_of(r, p)]);
		burst[n++] = p;
	}
	r->sent += n;
	sw_rx(r->b->sw, port, burst, n, r->now);
}

static void check_pfc(struct run *r, unsigned port, const struct pkt *p)
{
	r->pfc_out++;
	assert_int_equal(p->len, 60);
	assert_int_not_equal(p->u.pfc.enable, 0);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		bool xoff = p->u.pfc.quanta[c];

		if (!(p->u.pfc.enable >> c & 1)) {
			assert_false(xoff);
			continue;
		}
		if (!xoff) {
			assert_true(r->xoff[port][c]); // XON only after XOFF
			r->xon_out++;
		}
		r->xoff[port][c] = xoff;
	}
}

static void check_data(struct run *r, unsigned port, const struct pkt *p)
{
	uint32_t seq = p->u.gen.source & ((1u << PORT_SHIFT) - 1);
	unsigned from = (p->u.gen.source & ~IS_DATA) >> PORT_SHIFT;

	assert_true(p->u.gen.source & IS_DATA);
	assert_int_equal(p->in_port, from);
	assert_int_not_equal(p->in_port, port);
	assert_true(p->when <= r->now && p->born == p->when);
	assert_true(!p->hdr == r->forgets);
	if (!r->mapped)
		assert_true(r->now >= r->until[port][p->cls]); // not paused
	assert_true(seq > r->last[from][port][p->cls]);
	r->last[from][port][p->cls] = seq;
	if (p->flags & PKT_F_CE)
		assert_int_equal(pkt_ecn(p), ECN_CE);
}

// The instant tx could act on what public state shows, timers apart.
static tstamp could_send(const struct run *r, unsigned port)
{
	const struct eport *e = sw_eport(r->b->sw, port);
	const struct pause_rx *rx = sw_pause_rx(r->b->sw, port);
	tstamp t = pause_tx_deadline(sw_pause_tx(r->b->sw, port));

	if (r->down[port])
		return TSTAMP_NEVER;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (e->q[c].frames)
			t = tstamp_min(t, rx->paused >> c & 1 ? r->until[port][c] : 0);
	return tstamp_max(t, eport_free_at(e));
}

static void take(struct run *r, unsigned port, unsigned max)
{
	struct pkt *burst[8];
	unsigned n = sw_tx(r->b->sw, port, burst, max, r->now);

	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = burst[i];
		const struct eport_cfg *cfg = sw_eport(r->b->sw, port)->cfg;

		assert_false(r->down[port]);
		assert_true(r->now + cfg->tolerance_ps >= r->busy[port]);
		r->busy[port] = tstamp_max(r->busy[port], r->now) + eport_wire_time(cfg, p->len);
		if (p->kind == PKT_PFC)
			check_pfc(r, port, p);
		else
			check_data(r, port, p);
		r->digest = (r->digest ^ r->now ^ pkt_word(p) ^ port) * 0x100000001b3;
		r->inside[index_of(r, p)] = false;
		pkt_put(&r->b->stack, p);
	}
	r->got += n;
	if (n < max)
		assert_true(sw_deadline(r->b->sw, port) > r->now);
}

static void check_deadlines(struct run *r)
{
	for (unsigned i = 0; r->simple && i < r->n_ports; i++)
		if (sw_deadline(r->b->sw, i) > could_send(r, i))
			fail_msg("port %u: deadline %" PRIu64 " after %" PRIu64, i,
				sw_deadline(r->b->sw, i), could_send(r, i));
}

static tstamp earliest(const struct run *r)
{
	tstamp t = TSTAMP_NEVER;

	for (unsigned i = 0; i < r->n_ports; i++)
		t = tstamp_min(t, sw_deadline(r->b->sw, i));
	return t;
}

// Runs the switch up to `end`, the lowest due port first, as a driver does.
static void advance(struct run *r, tstamp end)
{
	check_deadlines(r);
	for (tstamp t = earliest(r); t <= end; t = earliest(r)) {
		r->now = tstamp_max(r->now, t);
		for (unsigned i = 0; i < r->n_ports; i++)
			if (sw_deadline(r->b->sw, i) <= r->now) {
				bool must = could_send(r, i) == r->now && r->b->stack.n &&
					    sw_pause_tx(r->b->sw, i)->pending;
				uint64_t got = r->got;

				take(r, i, 1 + below(r, 4));
				if (must)
					assert_true(r->got > got);
				break;
			}
		check_deadlines(r);
	}
	r->now = end;
}

// Deadlines that changed by a call from outside are told.
static void changed_are_touched(struct run *r, const tstamp *before)
{
	for (unsigned i = 0; i < r->n_ports; i++)
		if (sw_deadline(r->b->sw, i) != before[i])
			assert_true(sw_touched(r->b->sw)->word[0] >> i & 1);
}

static void link_goes(struct run *r, unsigned port, bool down)
{
	struct ctl ctl = {.type = down ? CTL_LINK_DOWN : CTL_LINK_UP, .port = (uint16_t)port};

	assert_int_equal(sw_ctl(r->b->sw, &ctl, r->now), 0);
	if (down != r->down[port])
		memset(r->until[port], 0, sizeof(r->until[port]));
	r->down[port] = down;
}

static void command(struct run *r)
{
	unsigned port = below(r, r->n_ports);
	struct ctl storm = {.type = CTL_PFC_STORM,
		.port = (uint16_t)port,
		.cls = (uint8_t)below(r, PKT_CLASSES),
		.quanta = (uint16_t)(1 + below(r, 1000)),
		.a = r->now + 1 + below(r, 5000000)};
	struct ctl flush = {
		.type = CTL_FDB_FLUSH, .port = below(r, 2) ? PKT_NO_PORT : (uint16_t)port};

	switch (below(r, 4)) {
	case 0:
		assert_int_equal(sw_ctl(r->b->sw, &storm, r->now), 0);
		break;
	case 1:
		assert_int_equal(sw_ctl(r->b->sw, &flush, r->now), 0);
		break;
	default:
		for (unsigned i = 0; i < r->n_ports; i++)
			link_goes(r, i, false);
		if (below(r, 3) == 0)
			link_goes(r, port, true);
	}
}

static void step(struct run *r)
{
	tstamp before[BOX_PORTS];
	char why[200];

	*sw_touched(r->b->sw) = (struct node_touched){0};
	for (unsigned i = 0; i < r->n_ports; i++)
		before[i] = sw_deadline(r->b->sw, i);
	if (below(r, 50))
		inject(r);
	else
		command(r);
	changed_are_touched(r, before);
	if (sw_conserve(r->b->sw, why, sizeof(why)))
		fail_msg("%s", why);
	while (ev_get(&r->b->events))
		;
	advance(r, r->now + below(r, below(r, 20) ? 200000 : 5000000));
}

// All links up, nobody pauses any more: the switch runs empty and falls silent.
static void run_dry(struct run *r)
{
	struct pkt *p;
	char why[200];

	for (unsigned i = 0; i < r->n_ports; i++) {
		if (r->down[i])
			link_goes(r, i, false);
		p = box_pfc(r->b, 0xff, 0);
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			hear(r, i, c, 0);
		r->sent++;
		box_rx(r->b, i, p, r->now);
	}
	advance(r, r->now + 100 * PS_PER_MS);
	assert_true(earliest(r) == TSTAMP_NEVER);
	assert_int_equal(r->b->stack.n, BOX_PKTS);
	assert_int_equal(sw_mmu_of(r->b->sw, 0)->used, 0);
	assert_int_equal(sw_mmu_of(r->b->sw, 0)->shared_used, 0);
	for (unsigned i = 0; i < BOX_PKTS; i++)
		r->inside[i] = true;
	for (unsigned i = 0; i < BOX_PKTS; i++) { // every descriptor once
		bool *seen = &r->inside[index_of(r, r->b->slot[i])];

		assert_true(*seen);
		*seen = false;
	}
	for (unsigned i = 0; i < r->n_ports; i++)
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			assert_false(r->xoff[i][c]);
	if (sw_conserve(r->b->sw, why, sizeof(why)))
		fail_msg("%s", why);
}

// In and out as the test counted them against what the switch says.
static void balance(const struct run *r)
{
	uint64_t rx = 0, tx = 0, copied = 0, consumed = 0, originated = 0, dropped = 0;

	for (unsigned i = 0; i < r->n_ports; i++) {
		struct sw_port_stats s = sw_port_stats(r->b->sw, i);

		rx += s.rx_frames;
		tx += s.tx_frames;
		copied += s.copied_frames;
		consumed += s.consumed_frames;
		originated += s.originated_frames;
		for (unsigned d = 0; d < SW_DROPS; d++)
			dropped += s.drop[d];
		if (!r->b->params.tolerance_ps)
			assert_int_equal(sw_eport(r->b->sw, i)->lost_ps, 0);
	}
	assert_int_equal(rx, r->sent);
	assert_int_equal(tx, r->got);
	assert_int_equal(originated, r->pfc_out);
	assert_int_equal(rx + copied + originated, tx + consumed + dropped);
	assert_true(dropped && consumed && (copied || r->n_ports == 2));
}

// One switch and its traffic, drawn by the seed. It adds up what PFC frames and XONs came out.
static uint64_t digest_of(uint64_t seed, bool foreign, bool forgets, uint64_t *pfc, uint64_t *xon)
{
	struct run *r = calloc(1, sizeof(*r));
	uint64_t digest;

	assert_non_null(r);
	prng_init(&r->rng, seed, "traffic");
	r->b = box_new();
	do {
		random_params(r);
	} while (box_try(r->b)); // headroom and reserve may be more than the buffer
	r->foreign = foreign;
	r->forgets = forgets;
	if (forgets)
		sw_forget_headers(r->b->sw);
	for (unsigned i = 0; i < STEPS; i++)
		step(r);
	run_dry(r);
	balance(r);
	*pfc += r->pfc_out;
	*xon += r->xon_out;
	digest = r->digest;
	box_free(r->b);
	free(r);
	return digest;
}

static void random_traffic_conserves(void **state)
{
	uint64_t pfc = 0, xon = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(SEEDS); seed++) {
		printf("seed %" PRIu64 "\n", seed);
		digest_of(seed, false, false, &pfc, &xon);
	}
	assert_true(!rounds_are_all() || (pfc > 5000 && xon > 500));
}

// A switch that forgets headers does the same with every frame. One that read them would end here:
// there are none.
static void headers_that_are_forgotten_are_not_missed(void **state)
{
	uint64_t pfc = 0, xon = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(SEEDS); seed++) {
		printf("seed %" PRIu64 "\n", seed);
		assert_int_equal(digest_of(seed, true, true, &pfc, &xon),
			digest_of(seed, true, false, &pfc, &xon));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_traffic_conserves),
		cmocka_unit_test(headers_that_are_forgotten_are_not_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
