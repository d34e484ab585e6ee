// SPDX-License-Identifier: BSD-3-Clause
// Tests of learning and look-up: ageing, moves, VLANs, static entries, flush, bursts, the cache of
// shared headers before the FDB.
#include "sw_box.h"

#include <stdio.h>

#include "base/prng.h"
#include "sw/int.h"

// The port that a frame from host 0 to host `to` leaves by; 99: it was flooded.
static unsigned way(struct box *b, unsigned to, tstamp now)
{
	uint64_t flooded = sw_port_stats(b->sw, 0).flooded_frames;
	unsigned out = 0;

	box_send(b, 0, to, 1, 100, now);
	for (unsigned i = 0; i < b->params.n_ports; i++) {
		unsigned n = box_drain(b, i, now + 100 * PS_PER_NS);

		out = n ? i : out;
	}
	return sw_port_stats(b->sw, 0).flooded_frames == flooded ? out : 99;
}

static void known_after_it_spoke(void **state)
{
	struct box *b = box_new();
	const struct ev *e;

	(void)state;
	box_start(b);
	assert_int_equal(way(b, 2, 0), 99);
	box_send(b, 2, 0, 1, 100, PS_PER_US);
	assert_int_equal(way(b, 2, 2 * PS_PER_US), 2);
	assert_int_equal(sw_port_stats(b->sw, 2).fdb_learned, 1);
	e = box_event(b, EV_FDB);
	assert_int_equal(e->port, 0);
	e = box_event(b, EV_FDB);
	assert_int_equal(e->port, 2);
	assert_int_equal(e->fdb.key, eth_key(b->hdr[1 + 2 * BOX_PORTS].src, 0));
	box_free(b);
}

static void moves_to_where_it_speaks(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	box_learn(b);
	assert_int_equal(way(b, 2, PS_PER_MS), 2);
	box_rx(b, 3, box_pkt(b, 2, 0, 1, 100), 2 * PS_PER_MS);
	assert_int_equal(way(b, 2, 3 * PS_PER_MS), 3);
	assert_int_equal(sw_port_stats(b->sw, 3).fdb_moved, 1);
	box_rx(b, 2, box_pkt(b, 2, 0, 1, 100), 4 * PS_PER_MS); // and back, by a cached header
	assert_int_equal(way(b, 2, 5 * PS_PER_MS), 2);
	box_free(b);
}

// Host 2 is silent after 0; a talking host 0 keeps its own entry alive, within a sixteenth.
static void silent_address_ages(void **state)
{
	struct box *b = box_new();
	tstamp t;

	(void)state;
	b->params.fdb_age_ps = PS_PER_S;
	box_start(b);
	box_send(b, 2, 0, 1, 100, 0);
	for (unsigned i = 0; i < 4; i++)
		box_drain(b, i, 0);
	for (t = PS_PER_MS; t < PS_PER_S; t += 10 * PS_PER_MS)
		assert_int_equal(way(b, 2, t), 2);
	assert_int_equal(way(b, 2, PS_PER_S), 99);
	box_send(b, 1, 0, 1, 100, t);
	assert_int_equal(sw_port_stats(b->sw, 1).flooded_frames, 0);
	assert_int_equal(box_drain(b, 0, 2 * PS_PER_S), 1);
	assert_int_equal(sw_port_stats(b->sw, 0).fdb_learned, 1);
	box_free(b);
}

static void foreign(
	struct box *b, unsigned port, unsigned src, unsigned dst, uint16_t tci, tstamp now)
{
	uint8_t s[6], d[6];
	struct pkt *p;

	box_mac(s, src);
	box_mac(d, dst);
	p = box_foreign(b, s, d, 100);
	if (tci) {
		pkt_own_hdr(p)->flags |= HDR_VLAN;
		pkt_own_hdr(p)->vlan_tci = tci;
	}
	box_rx(b, port, p, now);
}

// Learning is independent per VLAN; a priority tag is none.
static void vlan_is_part_of_the_address(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	foreign(b, 1, 11, 10, 5 << 13 | 100, 0);
	foreign(b, 2, 11, 10, 5 << 13 | 200, 0);
	foreign(b, 3, 11, 10, 5 << 13, 0);
	for (unsigned i = 0; i < 4; i++)
		box_drain(b, i, PS_PER_US);
	assert_int_equal(sw_port_stats(b->sw, 3).fdb_moved, 0);
	foreign(b, 0, 10, 11, 100, PS_PER_MS);
	assert_int_equal(box_drain(b, 1, PS_PER_MS), 1);
	foreign(b, 0, 10, 11, 2 << 13 | 200, PS_PER_MS);
	assert_int_equal(box_drain(b, 2, PS_PER_MS), 1);
	foreign(b, 0, 10, 11, 0, PS_PER_MS);
	assert_int_equal(box_drain(b, 3, PS_PER_MS), 1);
	assert_int_equal(sw_port_stats(b->sw, 0).flooded_frames, 0);
	box_free(b);
}

// Each address beyond the room of the FDB takes the place of another, which is flooded to again.
static void a_full_fdb_is_counted(void **state)
{
	struct box *b = box_new();
	const struct sw_port_stats *s;

	(void)state;
	b->params.fdb_entries = 16;
	box_start(b);
	for (unsigned i = 0; i < 100; i++) {
		foreign(b, 1, 100 + i, 10, 0, i * PS_PER_US);
		for (unsigned p = 0; p < 4; p++)
			box_drain(b, p, i * PS_PER_US + PS_PER_US / 2);
	}
	s = &b->sw->port[1].rare->stats;
	assert_int_equal(s->fdb_learned, 100);
	assert_int_equal(s->fdb_full, 100 - b->sw->fdb.n);
	assert_true(b->sw->fdb.n <= 16);
	assert_int_equal(sw_port_stats(b->sw, 0).fdb_full, 0);
	box_free(b);
}

static void some_sources_are_never_learned(void **state)
{
	static const uint8_t group[6] = {3, 0, 0, 0, 0, 1}, zero[6] = {0},
			     stp[6] = {0x01, 0x80, 0xc2, 0, 0, 0};
	struct box *b = box_new();
	uint8_t mac[6];

	(void)state;
	box_start(b);
	box_mac(mac, 7);
	box_rx(b, 0, box_foreign(b, group, mac, 60), 0);
	box_rx(b, 0, box_foreign(b, zero, mac, 60), 0);
	box_rx(b, 0, box_foreign(b, mac, stp, 60), 0);
	assert_int_equal(sw_port_stats(b->sw, 0).fdb_learned, 0);
	for (unsigned i = 0; i < 4; i++)
		box_drain(b, i, PS_PER_US);
	box_free(b);
}

// Switches with the same addresses share a table of them; the FDB has what they learn.
static void shared_entries_stand_beside_the_fdb(void **state)
{
	struct sw_fdb_params fdb[] = {{.port = 3}, {.port = 0}, {.port = 1, .ecmp = 1}};
	const struct sw_ecmp_group ways = {.port = {1 << 1}};
	struct box *b = box_new();
	struct sw_fixed fixed;

	(void)state;
	box_mac(fdb[0].mac, 2);
	box_mac(fdb[1].mac, 0);
	box_mac(fdb[2].mac, 1);
	b->params.fdb = fdb;
	b->params.n_fdb = 3;
	b->params.ecmp = &ways;
	b->params.n_ecmp = 1;
	assert_int_equal(sw_fixed_init(&fixed, &b->params), 0);
	b->params.fixed = &fixed;
	box_start(b);
	assert_int_equal(b->sw->fdb.n, 0);
	assert_true(sw_fdb_lives(b->sw, &b->hdr[1 + 2 * BOX_PORTS], 3, PS_PER_MS, 0));
	assert_int_equal(sw_fdb_way_back(b->sw, &b->hdr[1 + 2 * BOX_PORTS], 0), 3);
	assert_int_equal(b->sw->fdb.n, 0);
	assert_int_equal(way(b, 2, 0), 3);
	box_send(b, 2, 0, 1, 100, PS_PER_US); // which does not move
	assert_int_equal(way(b, 2, 2 * PS_PER_US), 3);
	assert_int_equal(way(b, 1, 3 * PS_PER_US), 1);
	assert_int_equal(b->sw->fdb.n, 0);
	assert_int_equal(sw_port_stats(b->sw, 0).fdb_learned, 0);
	box_free(b);
	sw_fixed_fini(&fixed);
}

static void static_entry_stays(void **state)
{
	struct sw_fdb_params fdb = {.port = 3};
	struct box *b = box_new();

	(void)state;
	box_mac(fdb.mac, 2);
	b->params.fdb = &fdb;
	b->params.n_fdb = 1;
	b->params.fdb_age_ps = PS_PER_MS;
	box_start(b);
	box_send(b, 2, 0, 1, 100, 0); // speaks at port 2
	for (unsigned i = 0; i < 4; i++)
		box_drain(b, i, 0);
	assert_int_equal(way(b, 2, PS_PER_US), 3);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_FDB_FLUSH, .port = PKT_NO_PORT}, PS_PER_US);
	assert_int_equal(way(b, 2, PS_PER_S), 3);
	assert_int_equal(sw_port_stats(b->sw, 2).fdb_moved, 0);
	box_free(b);
}

// So many that some set of nearly every hash is too small for those that fall into it.
static void every_static_entry_has_a_place(void **state)
{
	enum { ENTRIES = 4096 };
	static struct sw_fdb_params fdb[ENTRIES];

	(void)state;
	for (unsigned i = 0; i < ENTRIES; i++)
		fdb[i] = (struct sw_fdb_params){.mac = {2, 0, 0, 0, (uint8_t)(i >> 8), (uint8_t)i},
			.port = (uint16_t)(i % 4)};
	for (unsigned seed = 1; seed <= 8; seed++) {
		struct box *b = box_new();

		b->params.fdb = fdb;
		b->params.n_fdb = ENTRIES;
		b->params.seed = seed;
		box_start(b);
		for (unsigned i = 0; i < ENTRIES; i++) {
			uint32_t slot = table_get(&b->sw->fdb, eth_key(fdb[i].mac, 0), PS_PER_S);

			assert_int_not_equal(slot, TABLE_NONE);
			assert_int_equal(table_value(&b->sw->fdb, slot), i % 4);
			assert_true(table_is_fixed(&b->sw->fdb, slot));
		}
		box_free(b);
	}
}

static void flush_forgets_one_port_or_all(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	box_learn(b);
	assert_int_equal(way(b, 1, PS_PER_MS), 1);
	assert_int_equal(way(b, 2, PS_PER_MS), 2);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_FDB_FLUSH, .port = 1}, 2 * PS_PER_MS);
	assert_int_equal(way(b, 1, 3 * PS_PER_MS), 99);
	assert_int_equal(way(b, 2, 3 * PS_PER_MS), 2);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_FDB_FLUSH, .port = PKT_NO_PORT}, 4 * PS_PER_MS);
	assert_int_equal(way(b, 2, 5 * PS_PER_MS), 99);
	box_free(b);
}

// Each of many addresses is found, in bursts as frame by frame.
static void many_addresses_are_found(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	for (unsigned h = 0; h < 240; h++) {
		foreign(b, h % 3, h, 250, 0, h * PS_PER_US);
		for (unsigned i = 0; i < 4; i++)
			box_drain(b, i, h * PS_PER_US);
	}
	for (unsigned round = 0; round < 3; round++)
		for (unsigned h = 0; h < 240; h++) {
			tstamp t = PS_PER_MS * (1 + round) + h * PS_PER_US;

			foreign(b, 3, 245 + h % 5, h, 0, t);
			assert_int_equal(box_drain(b, h % 3, t), 1);
		}
	for (unsigned h = 0; h < 240; h += 3) {
		struct pkt *burst[3];
		uint8_t s[6], d[6];

		for (unsigned i = 0; i < 3; i++) {
			box_mac(s, 245 + i % 2);
			box_mac(d, h + i);
			burst[i] = box_foreign(b, s, d, 100);
		}
		sw_rx(b->sw, 3, burst, 3, PS_PER_S);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(box_drain(b, i, PS_PER_S + PS_PER_US * h), 1);
	}
	assert_int_equal(sw_port_stats(b->sw, 3).flooded_frames, 0);
	box_free(b);
}

static size_t told;

static void tell(void *memory, size_t bytes)
{
	(void)memory;
	told += bytes;
}

// 32 bytes an entry, of which half are the line that a look-up reads.
static void memory_of_the_fdb_is_told(void **state)
{
	struct box *b = box_new();

	(void)state;
	told = 0;
	b->params.fdb_entries = 4096;
	b->params.large = tell;
	box_start(b);
	assert_int_equal(told, 32 * 4096);
	box_learn(b);
	assert_int_equal(way(b, 2, PS_PER_MS), 2);
	box_free(b);
}

// Host 1 moves to port 0 by a frame in the middle of a burst: those before it still go to port 1.
static void ways_of_a_burst_are_found_in_the_order_of_arrival(void **state)
{
	static const uint8_t from[] = {0, 1, 0}, to[] = {1, 2, 1};
	struct box *b = box_new();
	struct pkt *burst[3];
	uint8_t s[6], d[6];

	(void)state;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 3; i++) {
		box_mac(s, from[i]);
		box_mac(d, to[i]);
		burst[i] = box_foreign(b, s, d, 100);
	}
	sw_rx(b->sw, 0, burst, 3, PS_PER_MS);
	assert_int_equal(box_drain(b, 1, 2 * PS_PER_MS), 1);
	assert_int_equal(box_drain(b, 2, 2 * PS_PER_MS), 1);
	assert_int_equal(box_dropped(b, 0, SW_DROP_SAME_PORT), 1);
	assert_int_equal(sw_port_stats(b->sw, 0).fdb_moved, 1);
	box_free(b);
}

static void turn_round(struct hdr *h)
{
	uint8_t mac[6];

	memcpy(mac, h->src, 6);
	memcpy(h->src, h->dst, 6);
	memcpy(h->dst, mac, 6);
}

// Known hosts of one port, which many hosts of another port send to, in an order that makes each
// frame's addresses new or that repeats them: the burst has one way, and that is said. If the last
// frame's header has an id, its way is remembered.
static void many_addresses_of_a_port_are_one_way(void **state)
{
	struct box *b = box_new();
	struct pkt *burst[SW_BURST];
	struct sw_way way[SW_BURST];
	uint8_t s[6], d[6];

	(void)state;
	b->params.fdb_entries = 1024;
	box_start(b);
	for (unsigned hosts = 1; hosts <= SW_BURST; hosts++) {
		for (unsigned i = 0; i < SW_BURST; i++) {
			box_mac(s, 0x40 + i % hosts);
			box_mac(d, 0x80 + i * 7 % hosts);
			burst[i] = box_foreign(b, s, d, 100);
			sw_way(b->sw, &b->sw->port[1], burst[i]->hdr, 0);
			turn_round(pkt_own_hdr(burst[i]));
			sw_way(b->sw, &b->sw->port[2], burst[i]->hdr, 0);
			turn_round(pkt_own_hdr(burst[i]));
		}
		assert_int_equal(
			sw_ways(b->sw, &b->sw->port[1], burst, SW_BURST, way, 0), SW_WAYS_SAME);
		assert_int_equal(way[0].out, 2);
		pkt_own_hdr(burst[SW_BURST - 1])->id = 1;
		b->sw->fwd[1].valid = 0;
		sw_ways(b->sw, &b->sw->port[1], burst, SW_BURST, way, 0);
		assert_int_not_equal(b->sw->fwd[1].valid, 0);
		for (unsigned i = 0; i < SW_BURST; i++)
			pkt_put(&b->stack, burst[i]);
	}
	box_free(b);
}

// Headers whose ids share a place have each its own way, in turns too.
static void headers_share_a_place(void **state)
{
	struct box *b = box_new();
	struct hdr *h[2] = {&b->hdr[5], &b->hdr[6]};

	(void)state;
	b->params.shared_hdrs = 1000000;
	box_start(b);
	assert_true(sw_fwd_place(b->sw, 999999) < &b->sw->fwd[65536]);
	for (unsigned i = 0; i < 2; i++) {
		box_mac(h[i]->src, 2 + i); // learned at port 2 or 3
		sw_way(b->sw, &b->sw->port[2 + i], h[i], 0);
		box_mac(h[i]->dst, 2 + i);
		box_mac(h[i]->src, 0);
		h[i]->id = 7 + i * 65536;
	}
	assert_ptr_equal(sw_fwd_place(b->sw, h[0]->id), sw_fwd_place(b->sw, h[1]->id));
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(sw_way(b->sw, &b->sw->port[0], h[i % 2], 0).out, 2 + i % 2);
	box_free(b);
}

// A source that goes on speaking is written to the FDB once in a sixteenth of the ageing time.
static void a_known_source_is_written_seldom(void **state)
{
	struct box *b = box_new();
	uint32_t slot;
	uint8_t mac[6];

	(void)state;
	b->params.fdb_age_ps = 16 * PS_PER_MS;
	box_start(b);
	box_mac(mac, 7);
	for (unsigned us = 0; us < 40000; us += 300) {
		foreign(b, 0, 7, 8, 0, us * PS_PER_US);
		for (unsigned i = 1; i < 4; i++)
			box_drain(b, i, us * PS_PER_US + PS_PER_US);
		slot = table_get(&b->sw->fdb, eth_key(mac, 0), us * PS_PER_US);
		assert_int_not_equal(slot, TABLE_NONE);
		// It was written at the first frame after each full ms: 0, 1.2, 2.4 ms and on.
		assert_int_equal(b->sw->fdb.times[slot].seen, us / 1200 * 1200 * PS_PER_US);
	}
	assert_int_equal(sw_port_stats(b->sw, 0).fdb_learned, 1);
	box_free(b);
}

// Two switches that are alike: one finds the ways of bursts, the other those of frame after frame.
struct twins {
	struct box *one, *other;
	struct prng rng;
	struct sw_fdb_params fdb[4];
	struct sw_ecmp_group ecmp;
	struct {
		struct pkt p;
		struct hdr own;
	} frame[SW_BURST];
	// Of a burst: frame i is looked up as frame i - turns, if there are turns; of 12 others so
	// many are like the one before; one frame differs from those, or some do, and some have
	// headers that are remembered, often this one, or the odd frame alone has one.
	unsigned turns, alike, odd, shared;
	bool others, ids, odd_id;
	tstamp now;
};

static unsigned draw(struct twins *t, unsigned n)
{
	return (unsigned)prng_below(&t->rng, n);
}

// One of 40 addresses, in four bytes of which they differ; sometimes nobody, or a group.
static void draw_mac(struct twins *t, uint8_t mac[6])
{
	static const uint8_t odd[][6] = {{0}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		{1, 0, 0x5e, 0, 0, 1}, {1, 0x80, 0xc2, 0, 0, 0}, {1, 0x80, 0xc2, 0, 0, 0x0f},
		{1, 0x80, 0xc2, 0, 0, 0x10}};

	memset(mac, 0, 6);
	mac[0] = 2;
	mac[5 - draw(t, 4)] = (uint8_t)draw(t, 10);
	if (!draw(t, 30))
		memcpy(mac, odd[draw(t, 6)], 6);
}

static void twins_params(struct twins *t, struct sw_params *p)
{
	static const tstamp age[] = {64 * PS_PER_NS, PS_PER_MS, PS_PER_S, 300 * PS_PER_S};

	p->fdb_age_ps = age[draw(t, 4)];
	p->fdb_entries = 4u << draw(t, 8);
	p->n_ecmp = 1;
	p->ecmp = &t->ecmp;
	t->ecmp.port[0] = 1 + draw(t, 15);
	p->fdb = t->fdb;
	p->n_fdb = draw(t, 5);
	for (unsigned i = 0; i < 4; i++) {
		t->fdb[i] = (struct sw_fdb_params){
			.port = (uint16_t)draw(t, 4), .ecmp = (uint16_t)draw(t, 2)};
		draw_mac(t, t->fdb[i].mac);
		t->fdb[i].vid = draw(t, 3) ? 0 : 5;
	}
}

static void twins_start(struct twins *t, uint64_t seed)
{
	prng_init(&t->rng, seed, "fdb");
	t->now = draw(t, 2) ? 0 : PS_PER_S * draw(t, 1000000);
	t->one = box_new();
	twins_params(t, &t->one->params);
	t->one->port[1].trust = SW_TRUST_PCP;
	t->other = box_new();
	t->other->params = t->one->params;
	t->other->params.port = t->other->port;
	t->other->port[1].trust = SW_TRUST_PCP;
	box_start(t->one);
	box_start(t->other);
}

// One thing of a header changes: of its addresses and its tag, of what says nothing where it is
// looked up, or of what only equal ways look at.
static void change(struct twins *t, struct hdr *h)
{
	switch (draw(t, 7)) {
	case 0:
		h->dst[5] ^= 1;
		break;
	case 1:
		h->src[5] ^= 1;
		break;
	case 2:
		h->vlan_tci ^= 1;
		break;
	case 3:
		h->flags ^= HDR_VLAN;
		break;
	case 4:
		h->ethertype ^= 1;
		break;
	case 5:
		h->saddr[draw(t, 16)] ^= 1;
		break;
	case 6:
		h->daddr[draw(t, 16)] ^= 1;
	}
}

// Frame i of a burst: often like the one before, or as many before as take turns, but for its flow.
static void draw_frame(struct twins *t, unsigned i)
{
	struct pkt *p = &t->frame[i].p;
	struct hdr *h = &t->frame[i].own;

	if (t->turns && i >= t->turns) {
		*h = *t->frame[i - t->turns].p.hdr;
		h->id = 0;
	} else if (i && draw(t, 12) < t->alike) {
		*h = *t->frame[i - 1].p.hdr;
		h->id = 0;
	} else if (t->ids && draw(t, 2)) {
		*h = t->one->hdr[t->shared];
		h->id = 0;
	} else {
		*h = (struct hdr){.ethertype = ETH_P_IPV4, .flags = HDR_IPV4};
		draw_mac(t, h->src);
		draw_mac(t, h->dst);
		if (!draw(t, 5)) {
			h->flags = draw(t, 3) ? 0 : HDR_IPV6;
			h->ethertype = h->flags ? ETH_P_IPV6 : 0x1234;
		}
		if (!draw(t, 4)) {
			h->flags |= HDR_VLAN;
			h->vlan_tci = (uint16_t)(draw(t, 8) << 13 | (draw(t, 2) ? 5 : 0));
		} else if (!draw(t, 4)) {
			h->vlan_tci = 5; // it says nothing
		}
	}
	if (i && (i == t->odd || (t->others && !draw(t, 20))))
		change(t, h);
	h->sport = (uint16_t)draw(t, 3);
	h->proto = draw(t, 10) ? 17 : 6;
	*p = (struct pkt){.hdr = h, .len = 60, .kind = PKT_OTHER};
	if (t->ids && i && !draw(t, 5))
		p->hdr = t->frame[i - 1].p.hdr;
	else if (i == t->odd ? t->ids || t->odd_id : t->ids && t->others && !draw(t, 8))
		p->hdr = &t->one->hdr[draw(t, 3) ? t->shared : 1 + draw(t, BOX_PORTS * BOX_PORTS)];
}

static void draw_burst(struct twins *t, struct pkt **burst, unsigned n)
{
	t->turns = draw(t, 2) ? 1 + draw(t, draw(t, 2) ? 10 : 1) : 0;
	t->alike = draw(t, 3) * 4;
	t->odd = draw(t, SW_BURST);
	t->others = draw(t, 2);
	t->ids = draw(t, 3) == 0;
	t->odd_id = draw(t, 3) == 0;
	t->shared = 1 + draw(t, BOX_PORTS * BOX_PORTS);
	for (unsigned i = 0; i < n; i++) {
		draw_frame(t, i);
		burst[i] = &t->frame[i].p;
	}
}

// The frames change places.
static void shuffle(struct twins *t, struct pkt **burst, unsigned n)
{
	for (; n > 1; n--) {
		unsigned at = draw(t, n);
		struct pkt *p = burst[at];

		burst[at] = burst[n - 1];
		burst[n - 1] = p;
	}
}

// The next burst comes at once, a little later, or where an entry ages or is to be written again.
static void draw_time(struct twins *t)
{
	const struct table *fdb = &t->one->sw->fdb;
	tstamp refresh = t->one->sw->refresh_ps;
	tstamp seen = fdb->times[draw(t, table_slots(fdb))].seen;

	switch (draw(t, 4)) {
	case 0:
		break;
	case 1:
		t->now += prng_below(&t->rng, refresh / 4 + 2);
		break;
	case 2:
		t->now = tstamp_max(t->now, seen + refresh - draw(t, 3));
		break;
	case 3:
		t->now = tstamp_max(t->now, seen + fdb->max_age - draw(t, 3));
	}
}

static void assert_alike(const struct twins *t)
{
	const struct sw *a = t->one->sw, *b = t->other->sw;

	assert_int_equal(a->fdb.set_mask, b->fdb.set_mask);
	assert_memory_equal(
		a->fdb.set, b->fdb.set, (a->fdb.set_mask + 1) * sizeof(struct table_set));
	assert_memory_equal(
		a->fdb.times, b->fdb.times, table_slots(&a->fdb) * sizeof(struct table_times));
	assert_memory_equal(&a->fdb.stats, &b->fdb.stats, sizeof(a->fdb.stats));
	assert_int_equal(a->gen, b->gen);
}

static void assert_ways(struct twins *t, unsigned in, struct pkt **burst, unsigned n)
{
	struct sw_way way[SW_BURST];
	unsigned known = sw_ways(t->one->sw, &t->one->sw->port[in], burst, n, way, t->now);

	if (known & SW_WAYS_SAME)
		sw_ways_spread(way, n, way[0]);
	for (unsigned i = 0; i < n; i++) {
		struct sw_way w =
			sw_way(t->other->sw, &t->other->sw->port[in], burst[i]->hdr, t->now);

		assert_int_equal(way[i].out, w.out);
		assert_int_equal(way[i].cls, w.cls);
		assert_true(!(known & SW_WAYS_BY_DSCP) || w.cls == SW_CLS_BY_DSCP);
	}
	assert_alike(t);
}

// A burst, then the same frames the other way round, so that their addresses are known, and again
// once or twice.
static void twins_burst(struct twins *t)
{
	unsigned n = 1 + draw(t, SW_BURST), in = draw(t, 4), back = draw(t, 4);
	struct pkt *burst[SW_BURST];

	draw_burst(t, burst, n);
	if (draw(t, 3) == 0)
		shuffle(t, burst, n);
	draw_time(t);
	assert_ways(t, in, burst, n);
	for (unsigned i = 0; i < n; i++)
		turn_round(&t->frame[i].own);
	assert_ways(t, back, burst, n);
	for (unsigned i = 0; i < n; i++)
		turn_round(&t->frame[i].own);
	for (unsigned i = draw(t, 3); i; i--) {
		draw_time(t);
		assert_ways(t, in, burst, n);
	}
}

// Addresses that are new, move, age, are static, behind equal ways, of a group or reserved, with
// and without VLAN, in sets that are full: a burst has the same ways, and teaches the same
// addresses, as its frames one after the other.
static void ways_of_a_burst_are_those_of_its_frames(void **state)
{
	static struct twins t;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		printf("seed %llu\n", (unsigned long long)seed);
		twins_start(&t, seed);
		for (unsigned i = 0; i < 60; i++) {
			twins_burst(&t);
			if (!draw(&t, 30)) {
				unsigned port = draw(&t, 5);

				sw_fdb_flush(t.one->sw, port < 4 ? port : PKT_NO_PORT);
				sw_fdb_flush(t.other->sw, port < 4 ? port : PKT_NO_PORT);
			}
		}
		sw_fini(t.one->sw);
		sw_fini(t.other->sw);
		free(t.one);
		free(t.other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_after_it_spoke),
		cmocka_unit_test(moves_to_where_it_speaks),
		cmocka_unit_test(silent_address_ages),
		cmocka_unit_test(vlan_is_part_of_the_address),
		cmocka_unit_test(a_full_fdb_is_counted),
		cmocka_unit_test(some_sources_are_never_learned),
		cmocka_unit_test(shared_entries_stand_beside_the_fdb),
		cmocka_unit_test(static_entry_stays),
		cmocka_unit_test(every_static_entry_has_a_place),
		cmocka_unit_test(flush_forgets_one_port_or_all),
		cmocka_unit_test(many_addresses_are_found),
		cmocka_unit_test(memory_of_the_fdb_is_told),
		cmocka_unit_test(ways_of_a_burst_are_found_in_the_order_of_arrival),
		cmocka_unit_test(many_addresses_of_a_port_are_one_way),
		cmocka_unit_test(headers_share_a_place),
		cmocka_unit_test(a_known_source_is_written_seldom),
		cmocka_unit_test(ways_of_a_burst_are_those_of_its_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
