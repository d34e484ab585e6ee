// SPDX-License-Identifier: BSD-3-Clause
// Tests of a NIC that sends a capture: instants, its class under pause, a link that goes down, and
// open-loop frames beside it.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "nic/nic.h"
#include "replay_feed.h"

#define PKTS   512
#define ROOM   2048
#define FRAMES 200

static const uint8_t bytes[1514] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5};
static const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};

struct rig {
	struct nic *nic;
	struct replay_feed feed;
	struct pkt_stack stack;
	struct pkt *slot[PKTS];
	struct ev_ring events;
	struct ev ev[64];
	tstamp t[FRAMES];
	unsigned n, others;
};

static void rig_open(struct rig *g, const struct replay_frame *f, unsigned n, uint8_t cls)
{
	struct nic_params p = {.name = "n",
		.rate = 10 * RATE_GBPS,
		.mtu = 1514,
		.pfc_classes = 1 << 3,
		.cnp_class = 6,
		.max_sources = 1,
		.np_off = true,
		.framing = {.queue_extra = PKT_FCS, .wire_extra = PKT_WIRE}};
	struct player_params play = replay_feed_params(f, n);

	memset(g, 0, sizeof(*g));
	memcpy(p.mac, mac, 6);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		p.weight[c] = 1;
	g->stack = (struct pkt_stack){.slot = g->slot,
		.cap = PKTS,
		.data_off = sizeof(struct pkt) + sizeof(struct hdr),
		.room = ROOM};
	for (unsigned i = 0; i < PKTS; i++)
		pkt_put(&g->stack, calloc(1, sizeof(struct pkt) + sizeof(struct hdr) + ROOM));
	g->events = (struct ev_ring){.slot = g->ev, .mask = 63};
	assert_int_equal(nic_init(&g->nic, &p, &g->stack, &g->events), 0);
	replay_feed_open(&g->feed, &play, f);
	assert_int_equal(nic_add_replay(g->nic, &play, cls), 0);
	assert_int_equal(nic_add_replay(g->nic, &play, cls), -EEXIST);
}

static void rig_run(struct rig *g, tstamp from, tstamp until)
{
	tstamp now = from;

	while (nic_deadline(g->nic, 0) <= until) {
		struct pkt *p;

		now = tstamp_max(now, nic_deadline(g->nic, 0));
		if (!nic_tx(g->nic, 0, &p, 1, now))
			continue;
		if (p->flags & PKT_F_FOREIGN)
			g->t[g->n++] = now;
		else
			g->others++;
		pkt_put(&g->stack, p);
	}
}

static void rig_close(struct rig *g)
{
	char why[256];

	assert_int_equal(nic_conserve(g->nic, why, sizeof(why)), 0);
	nic_fini(g->nic);
	replay_feed_close(&g->feed);
	while (g->stack.n)
		free(g->stack.slot[--g->stack.n]);
}

static void at_their_instants(void **state)
{
	static const struct replay_frame f[] = {
		{0, bytes, 60}, {2000000, bytes, 1514}, {5000000, bytes, 60}};
	const struct replay_stats *s;
	struct rig g;

	(void)state;
	rig_open(&g, f, 3, 0);
	rig_run(&g, 0, PS_PER_MS);
	s = &nic_replay(g.nic)->s;
	assert_int_equal(g.n, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(g.t[i], f[i].at);
	assert_int_equal(s->tx_frames, 3);
	assert_int_equal(s->wanted_frames, 3);
	assert_int_equal(s->late_frames, 0);
	assert_int_equal(s->tx_bytes, 64 + 1518 + 64);
	assert_true(player_ended(nic_replay(g.nic)));
	assert_int_equal(nic_replay_unsent(g.nic), 0);
	rig_close(&g);
}

// 200 frames at one instant: more than the class queue has places for. All leave, back to back.
static void more_than_the_queue_takes(void **state)
{
	struct replay_frame f[FRAMES];
	struct rig g;

	(void)state;
	for (unsigned i = 0; i < FRAMES; i++)
		f[i] = (struct replay_frame){0, bytes, 1514};
	rig_open(&g, f, FRAMES, 0);
	rig_run(&g, 0, PS_PER_MS);
	assert_int_equal(g.n, FRAMES);
	for (unsigned i = 0; i < FRAMES; i++)
		assert_int_equal(g.t[i], i * 1538 * 800ull);
	assert_int_equal(nic_replay(g.nic)->s.late_max_ps, (FRAMES - 1) * 1538 * 800ull);
	rig_close(&g);
}

// A quiesce holds the capture, and a pause within it changes nothing: the frames that are left come
// later by the whole time, and none counts as wanted meanwhile.
static void it_stands_still(void **state)
{
	static const struct replay_frame f[] = {
		{0, bytes, 60}, {2000000, bytes, 1514}, {5000000, bytes, 60}};
	static const struct ctl held[] = {{.type = CTL_QUIESCE},
		{.type = CTL_PAUSE, .id = CTL_HOST}, {.type = CTL_GO_ON},
		{.type = CTL_RESUME, .id = CTL_HOST}};
	struct rig g;

	(void)state;
	rig_open(&g, f, 3, 0);
	rig_run(&g, 0, 1000000);
	for (unsigned i = 0; i < 4; i++) {
		tstamp now = 1000000 + i * 2500000;

		assert_int_equal(nic_ctl(g.nic, &held[i], now), 0);
		rig_run(&g, now, now + 2000000 - 1);
		assert_int_equal(g.n, i < 3 ? 1 : 2);
		assert_int_equal(nic_replay(g.nic)->s.wanted_frames, i < 3 ? 1 : 2);
		assert_int_equal(nic_replay_unsent(g.nic), 0);
	}
	rig_run(&g, 8500000, PS_PER_MS);
	assert_int_equal(g.n, 3);
	assert_int_equal(g.t[1], 2000000 + 7500000);
	assert_int_equal(g.t[2], 5000000 + 7500000);
	assert_int_equal(nic_replay(g.nic)->s.late_frames, 0);
	rig_close(&g);
}

static void pause(struct rig *g, uint16_t quanta, tstamp now)
{
	struct pkt *p = pkt_get(&g->stack);

	*p = (struct pkt){.kind = PKT_PFC, .len = 60, .u.pfc.enable = 1 << 3};
	p->u.pfc.quanta[3] = quanta;
	p->hdr = pkt_own_hdr(p);
	nic_rx(g->nic, 0, &p, 1, now);
}

// 1000 quanta at 10 Gb/s are 51.2 us: the frame of 10 us waits for their end.
static void its_class_is_paused(void **state)
{
	static const struct replay_frame f[] = {{0, bytes, 60}, {10000000, bytes, 60}};
	struct rig g;

	(void)state;
	rig_open(&g, f, 2, 3);
	rig_run(&g, 0, PS_PER_US);
	pause(&g, 1000, PS_PER_US);
	rig_run(&g, PS_PER_US, PS_PER_MS);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.t[1], PS_PER_US + 51200000);
	assert_int_equal(nic_replay(g.nic)->s.late_frames, 1);
	rig_close(&g);
}

// Frames that become due meanwhile wait in the ring and leave late; nothing is lost.
static void link_down(void **state)
{
	static const struct replay_frame f[] = {{0, bytes, 60}, {10000000, bytes, 60}};
	const struct ctl down = {.type = CTL_LINK_DOWN}, up = {.type = CTL_LINK_UP};
	struct rig g;

	(void)state;
	rig_open(&g, f, 2, 0);
	rig_run(&g, 0, PS_PER_US);
	assert_int_equal(nic_ctl(g.nic, &down, PS_PER_US), 0);
	rig_run(&g, PS_PER_US, 20 * PS_PER_US);
	assert_int_equal(g.n, 1);
	nic_account(g.nic, 20 * PS_PER_US);
	assert_int_equal(nic_replay_unsent(g.nic), 1);
	assert_int_equal(nic_ctl(g.nic, &up, 20 * PS_PER_US), 0);
	rig_run(&g, 20 * PS_PER_US, PS_PER_MS);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.t[1], 20 * PS_PER_US);
	rig_close(&g);
}

// A source of half the line's rate in the same class: both leave whole.
static void beside_a_source(void **state)
{
	static const struct hdr hdr = {.dst = {2, 0, 0, 0, 0, 2}, .ethertype = 0x88b5};
	struct replay_frame f[FRAMES];
	struct gen_params gen = {.hdr = &hdr,
		.min_len = 60,
		.max_len = 60,
		.rate = 5 * RATE_GBPS,
		.burst = 1,
		.stop = TSTAMP_NEVER,
		.count = 500,
		.name = "g"};
	struct rig g;

	(void)state;
	for (unsigned i = 0; i < FRAMES; i++)
		f[i] = (struct replay_frame){i * 200000ull, bytes, 60};
	rig_open(&g, f, FRAMES, 0);
	assert_int_equal(nic_add_gen(g.nic, &gen), 0);
	rig_run(&g, 0, PS_PER_MS);
	assert_int_equal(g.n, FRAMES);
	assert_int_equal(g.others, 500);
	assert_true(nic_replay(g.nic)->s.late_max_ps <= 2 * 84 * 800);
	rig_close(&g);
}

static void bad_params(void **state)
{
	static const struct replay_frame f = {0, bytes, 1514};
	struct player_params play = replay_feed_params(&f, 1);
	struct rig g;

	(void)state;
	rig_open(&g, &f, 1, 0);
	nic_fini(g.nic);
	assert_int_equal(nic_init(&g.nic,
				 &(struct nic_params){.rate = RATE_GBPS,
					 .mtu = 1500,
					 .np_off = true,
					 .weight = {1, 1, 1, 1, 1, 1, 1, 1}},
				 &g.stack, &g.events),
		0);
	assert_int_equal(nic_add_replay(g.nic, &play, 0), -EINVAL); // no ring
	play.ring = &g.feed.ring;
	play.mark = g.feed.mark;
	assert_int_equal(nic_add_replay(g.nic, &play, 0), -EINVAL); // longer than the port's
	play.longest = 60;
	assert_int_equal(nic_add_replay(g.nic, &play, 8), -EINVAL);
	rig_close(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_their_instants),
		cmocka_unit_test(more_than_the_queue_takes),
		cmocka_unit_test(it_stands_still),
		cmocka_unit_test(its_class_is_paused),
		cmocka_unit_test(link_down),
		cmocka_unit_test(beside_a_source),
		cmocka_unit_test(bad_params),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
