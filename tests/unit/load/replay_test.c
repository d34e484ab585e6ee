// SPDX-License-Identifier: BSD-3-Clause
// Tests of the replaying host: instants, lateness, loops, pauses, what comes back.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "load/load.h"
#include "replay_feed.h"
#include "stat_row.h"

#define PKTS 128
#define ROOM 2048

// Ethernet, IPv4, UDP: 10.0.0.1 to 10.0.0.2, ToS 0x02 (ECT(0)); 60 bytes with padding.
static const uint8_t udp_frame[60] = {0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1, 0x08, 0x00, 0x45,
	0x02, 0, 32, 0, 0, 0, 0, 64, 17, 0x66, 0xc9, 10, 0, 0, 1, 10, 0, 0, 2, 0x12, 0x34, 0x56,
	0x78, 0, 12, 0, 0, 'd', 'a', 't', 'a'};
static const uint8_t long_frame[1514] = {0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1, 0x88, 0xb5};
static const uint8_t bad_frame[10];

// The frames that the next rig replays.
static const struct replay_frame *frames;

static struct replay_params params(const struct replay_frame *f, unsigned n)
{
	frames = f;
	return (struct replay_params){
		.name = "r", .rate = 10 * RATE_GBPS, .play = replay_feed_params(f, n)};
}

struct rig {
	struct replay *r;
	struct replay_feed feed;
	struct pkt_stack stack;
	struct pkt *slot[PKTS], *out[PKTS];
	struct ev ev[16];
	struct ev_ring events;
	unsigned n;
	tstamp t[PKTS], now;
};

static void rig_open(struct rig *g, struct replay_params p)
{
	memset(g, 0, sizeof(*g));
	g->stack = (struct pkt_stack){.slot = g->slot,
		.cap = PKTS,
		.data_off = sizeof(struct pkt) + sizeof(struct hdr),
		.room = ROOM};
	for (unsigned i = 0; i < PKTS; i++)
		pkt_put(&g->stack, calloc(1, sizeof(struct pkt) + sizeof(struct hdr) + ROOM));
	g->events = (struct ev_ring){.slot = g->ev, .mask = 15, .want = ~0ull};
	replay_feed_open(&g->feed, &p.play, frames);
	assert_int_equal(replay_init(&g->r, &p, &g->stack, &g->events), 0);
}

// All that is due up to `until`.
static void rig_run(struct rig *g, tstamp until)
{
	while (replay_deadline(g->r, 0) <= until) {
		struct pkt *burst[2];
		unsigned n;

		g->now = tstamp_max(g->now, replay_deadline(g->r, 0));
		n = replay_tx(g->r, 0, burst, 2, g->now);
		if (n < 2)
			assert_true(replay_deadline(g->r, 0) > g->now);
		for (unsigned i = 0; i < n; i++) {
			g->t[g->n] = g->now;
			g->out[g->n++] = burst[i];
		}
	}
	g->now = until;
}

static void rig_close(struct rig *g)
{
	for (unsigned i = 0; i < g->n; i++)
		pkt_put(&g->stack, g->out[i]);
	assert_int_equal(g->stack.n, PKTS);
	while (g->stack.n)
		free(g->stack.slot[--g->stack.n]);
	replay_fini(g->r);
	replay_feed_close(&g->feed);
}

static void rx(struct rig *g, struct pkt frame)
{
	struct pkt *p = pkt_get(&g->stack);

	*p = frame;
	replay_rx(g->r, 0, &p, 1, g->now);
}

static int init_code(struct replay_params p, const struct pkt_stack *stack)
{
	struct pkt_stack copy = *stack;
	struct replay_feed feed;
	struct replay *r = NULL;
	int rc;

	replay_feed_open(&feed, &p.play, frames);
	rc = replay_init(&r, &p, &copy, NULL);
	if (rc)
		assert_null(r);
	replay_fini(r);
	replay_feed_close(&feed);
	return rc;
}

static void bad_params(void **state)
{
	(void)state;

	static const struct replay_frame one = {0, long_frame, 1514};
	static const struct replay_frame back[2] = {{5, udp_frame, 60}, {4, udp_frame, 60}};
	struct pkt_stack stack = {.data_off = 128, .room = 1500};
	struct replay_params q;

	assert_int_equal(init_code(params(&one, 1), &stack), -EINVAL); // does not fit
	stack.room = 2048;
	assert_int_equal(init_code(params(&one, 1), &stack), 0);
	stack.data_off = 0;
	assert_int_equal(init_code(params(&one, 1), &stack), -EINVAL);
	stack.data_off = 128;
	q = params(&one, 1);
	q.play.loops = 0;
	assert_int_equal(init_code(q, &stack), -EINVAL);
	q = params(&one, 1);
	q.play.longest = 0;
	assert_int_equal(init_code(q, &stack), -EINVAL);
	q = params(&one, 1);
	q.play.n_marks = 0;
	assert_int_equal(init_code(q, &stack), -EINVAL);
	q.play.untimed = true;
	assert_int_equal(init_code(q, &stack), 0);
	q.rate = 0;
	assert_int_equal(init_code(q, &stack), -EINVAL);
	assert_int_equal(init_code(params(back, 2), &stack), -EINVAL);
	replay_fini(NULL);
}

// Frames leave at their instants with the bytes that they have; the capture's fields are read.
static void own_timing(void **state)
{
	(void)state;

	static const struct replay_frame f[] = {
		{0, udp_frame, 60}, {2000000, long_frame, 1514}, {5000000, bad_frame, 10}};
	struct replay_params p = params(f, 3);
	struct rig g;

	p.play.start = 1000;
	rig_open(&g, p);
	assert_int_equal(replay_deadline(g.r, 0), 1000);
	rig_run(&g, PS_PER_MS);
	assert_int_equal(g.n, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(g.t[i], 1000 + f[i].at);
		assert_int_equal(g.out[i]->len, f[i].len);
		assert_int_equal(g.out[i]->born, g.t[i]);
		assert_int_equal(g.out[i]->in_port, PKT_NO_PORT);
		assert_int_equal(g.out[i]->flags, PKT_F_FOREIGN);
		assert_memory_equal(pkt_bytes(g.out[i]), f[i].bytes, f[i].len);
	}
	assert_int_equal(g.out[0]->kind, PKT_UDP);
	assert_int_equal(g.out[0]->tos, 2);
	assert_int_equal(g.out[0]->hdr->dport, 0x5678);
	assert_int_equal(g.out[1]->kind, PKT_OTHER);
	assert_int_equal(g.out[2]->kind, PKT_BAD);

	const struct replay_stats *s = replay_stats(g.r);

	assert_int_equal(s->tx_frames, 3);
	assert_int_equal(s->wanted_frames, 3);
	assert_int_equal(s->tx_bytes, 64 + 1518 + 14);
	assert_int_equal(s->malformed_frames, 1);
	assert_int_equal(s->late_frames, 0);
	assert_int_equal(s->first_tx, 1000);
	assert_int_equal(s->last_tx, 5001000);
	assert_int_equal(replay_deadline(g.r, 0), TSTAMP_NEVER);
	rig_close(&g);
}

// Three frames of 1514 at one instant: the wire takes 1538 * 800 ps each.
static void late_by_the_wire(void **state)
{
	(void)state;

	static const struct replay_frame f[] = {
		{0, long_frame, 1514}, {0, long_frame, 1514}, {0, long_frame, 1514}};
	struct rig g;

	rig_open(&g, params(f, 3));
	rig_run(&g, PS_PER_MS);
	assert_int_equal(g.n, 3);
	assert_int_equal(g.t[2], 2 * 1230400);
	assert_int_equal(replay_stats(g.r)->wanted_frames, 3);
	assert_int_equal(replay_stats(g.r)->late_frames, 2);
	assert_int_equal(replay_stats(g.r)->late_max_ps, 2 * 1230400);
	assert_int_equal(replay_stats(g.r)->late_sum_ps, 3 * 1230400);
	rig_close(&g);
}

// A frame that is due at the instant of the account is not wanted before the port was asked for it:
// else a window that begins there would miss it.
static void wanted_at_the_very_instant(void **state)
{
	(void)state;

	static const struct replay_frame f[] = {{0, udp_frame, 60}, {1000, udp_frame, 60}};
	struct rig g;

	rig_open(&g, params(f, 2));
	replay_account(g.r, 0);
	assert_int_equal(replay_stats(g.r)->wanted_frames, 0);
	rig_run(&g, 0);
	assert_int_equal(replay_stats(g.r)->wanted_frames, 1);
	rx(&g, (struct pkt){.kind = PKT_OTHER, .len = 60});
	replay_account(g.r, 1000);
	assert_int_equal(replay_stats(g.r)->wanted_frames, 1);
	rig_run(&g, PS_PER_MS);
	assert_int_equal(replay_stats(g.r)->wanted_frames, 2);
	rig_close(&g);
}

// 100 frames at one instant, a wire time of 1230.4 ns each: those that have not left are unsent,
// but not while the first of them may only wait for another's end.
static void unsent_and_lateness(void **state)
{
	(void)state;

	struct replay_frame f[100];
	const struct hist *h;
	struct rig g;

	for (unsigned i = 0; i < 100; i++)
		f[i] = (struct replay_frame){i < 50 ? 0 : PS_PER_MS, long_frame, 1514};
	rig_open(&g, params(f, 100));
	h = replay_lateness(g.r);
	assert_int_equal(replay_unsent(g.r), 0);
	rig_run(&g, 24 * 1230400);
	replay_account(g.r, 24 * 1230400);
	assert_int_equal(g.n, 25);
	assert_int_equal(replay_unsent(g.r), 25);
	assert_int_equal(h->n, 25);
	assert_int_equal(h->max, 24 * 1230400);
	assert_true(llabs((long long)hist_quantile(h, 500) - 12 * 1230400) <= 12 * 1230400 / 100);
	rig_run(&g, PS_PER_MS / 2);
	assert_int_equal(replay_unsent(g.r), 0);
	rig_run(&g, PS_PER_MS);
	replay_account(g.r, PS_PER_MS + 1000);
	assert_int_equal(replay_stats(g.r)->wanted_frames, 100);
	assert_int_equal(replay_stats(g.r)->tx_frames, 51);
	assert_int_equal(replay_unsent(g.r), 0);
	rig_close(&g);
}

// Unpadded frames in a sending host's capture take 60 + 24 bytes on the wire, of 800 ps each.
static void short_frames_are_padded_on_the_wire(void **state)
{
	(void)state;

	static const struct replay_frame f[] = {{0, bad_frame, 10}, {0, udp_frame, 59},
		{0, udp_frame, 60}, {0, long_frame, 61}, {0, udp_frame, 60}};
	struct rig g;

	rig_open(&g, params(f, 5));
	rig_run(&g, PS_PER_MS);
	assert_int_equal(g.n, 5);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(g.t[i], i * 84 * 800);
	assert_int_equal(g.t[4], (4 * 84 + 1) * 800);
	rig_close(&g);
}

static void loops(void **state)
{
	(void)state;

	static const struct replay_frame f[] = {{0, udp_frame, 60}, {3000000, udp_frame, 60}};
	struct replay_params p = params(f, 2);
	struct rig g;

	p.play.loops = 3;
	p.play.gap = 1000000;
	rig_open(&g, p);
	rig_run(&g, 4 * PS_PER_US);
	assert_int_equal(replay_stats(g.r)->wanted_frames, 3);
	rig_run(&g, PS_PER_MS);
	assert_int_equal(g.n, 6);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(g.t[i], i / 2 * 4000000 + i % 2 * 3000000);
	assert_int_equal(replay_stats(g.r)->wanted_frames, 6);
	rig_close(&g);
}

// A thousand frames at one instant, 2^32 - 1 times without a gap: more than anybody counts one by
// one.
static void rounds_that_take_no_time(void **state)
{
	enum { N = 1000 };
	static struct replay_frame f[N];
	struct replay_params p;
	struct rig g;

	(void)state;
	for (unsigned i = 0; i < N; i++)
		f[i] = (struct replay_frame){0, udp_frame, 60};
	p = params(f, N);
	p.play.loops = UINT32_MAX;
	rig_open(&g, p);
	rig_run(&g, 84 * 800);
	assert_int_equal(g.n, 2);
	assert_int_equal(replay_stats(g.r)->wanted_frames, (uint64_t)N * UINT32_MAX);
	rig_close(&g);
}

// Asked seldom, it counts what it would have counted frame by frame.
static void many_rounds_at_once(void **state)
{
	static const struct replay_frame f[] = {{0, udp_frame, 60}, {3000000, udp_frame, 60}};
	struct replay_params p = params(f, 2);
	struct rig g;

	(void)state;
	p.play.loops = 1000;
	p.play.gap = 1000000;
	p.play.start = 500000;
	rig_open(&g, p);
	for (unsigned i = 0; i < 5000; i += 1 + i / 3) {
		uint64_t first = i < 1000 ? i + 1 : 1000, second = i < 1000 ? i : 1000;

		replay_account(g.r, 500001 + i * 4000000ull);
		assert_int_equal(replay_stats(g.r)->wanted_frames, first + second);
		replay_account(g.r, 500001 + i * 4000000ull + 3000000);
		assert_int_equal(replay_stats(g.r)->wanted_frames, 2 * first);
	}
	rig_close(&g);
}

// A pause of an obeyed priority holds every frame: 1000 quanta at 10 Gb/s are 51.2 us.
static void pauses(void **state)
{
	(void)state;

	static const struct replay_frame f[] = {
		{0, udp_frame, 60}, {10000000, udp_frame, 60}, {20000000, udp_frame, 60}};
	struct replay_params p = params(f, 3);
	struct rig g;

	p.pfc_obey = 1 << 3;
	rig_open(&g, p);
	rig_run(&g, 5 * PS_PER_US);
	rx(&g, (struct pkt){.kind = PKT_PFC,
		       .len = 60,
		       .u.pfc = {.enable = 0xff, .quanta = {9, 9, 9, 1000}}});
	assert_int_equal(replay_touched(g.r)->word[0] & 1, 1);
	assert_int_equal(replay_pauses(g.r, 0, 56200 * PS_PER_NS - 1), 0xff);
	assert_int_equal(replay_pauses(g.r, 0, 56200 * PS_PER_NS), 0);
	rig_run(&g, 30 * PS_PER_US);
	assert_int_equal(g.n, 1);
	replay_account(g.r, 30 * PS_PER_US);
	assert_int_equal(replay_stats(g.r)->wanted_frames, 3);
	rig_run(&g, PS_PER_MS);
	assert_int_equal(g.n, 3);
	assert_int_equal(g.t[1], 56200 * PS_PER_NS);
	assert_int_equal(g.t[2], 56200 * PS_PER_NS + 84 * 800);
	assert_int_equal(replay_stats(g.r)->late_frames, 2);
	assert_int_equal(replay_stats(g.r)->late_max_ps, 46200 * PS_PER_NS);
	assert_int_equal(g.events.head, 2);
	assert_int_equal(g.ev[0].type, EV_PAUSE_RX);
	assert_int_equal(g.ev[1].type, EV_RESUME_RX);
	assert_int_equal(g.ev[1].t, 56200 * PS_PER_NS);
	assert_int_equal(replay_pause_rx(g.r)->stats[3].transitions_off, 1);
	rig_close(&g);
}

// 802.3x only where it is honoured; what PFC does stays.
static void pauses_by_802_3x(void **state)
{
	static const struct replay_frame f[] = {{0, udp_frame, 60}, {10000000, udp_frame, 60}};
	const struct pkt pause = {.kind = PKT_PAUSE, .len = 60, .u.pfc.quanta = {1000}};
	const struct pkt pfc = {
		.kind = PKT_PFC, .len = 60, .u.pfc = {.enable = 1, .quanta = {1000}}};

	(void)state;
	for (unsigned honour = 0; honour < 2; honour++) {
		struct replay_params p = params(f, 2);
		struct rig g;

		p.pfc_obey = 1 << 3;
		p.pause_honour = honour;
		rig_open(&g, p);
		rig_run(&g, 5 * PS_PER_US);
		rx(&g, pfc);
		assert_int_equal(replay_pause_rx(g.r)->paused, 0);
		rx(&g, pause);
		assert_int_equal(replay_pause_rx(g.r)->paused, honour ? 0xff : 0);
		rig_run(&g, PS_PER_MS);
		assert_int_equal(g.t[1], honour ? 56200 * PS_PER_NS : 10 * PS_PER_US);
		rig_close(&g);
	}
}

static void link_down(void **state)
{
	(void)state;

	static const struct replay_frame f[] = {{0, udp_frame, 60}, {1000000, udp_frame, 60}};
	struct rig g;
	struct ctl c = {.type = CTL_LINK_DOWN};

	rig_open(&g, params(f, 2));
	rig_run(&g, 0);
	assert_int_equal(replay_ctl(g.r, &c, g.now), 0);
	rig_run(&g, 5 * PS_PER_US);
	assert_int_equal(g.n, 1);
	c.type = CTL_LINK_UP;
	assert_int_equal(replay_ctl(g.r, &c, g.now), 0);
	rig_run(&g, 6 * PS_PER_US);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.t[1], 5 * PS_PER_US);
	c.type = CTL_FLOW_START;
	assert_int_equal(replay_ctl(g.r, &c, g.now), -EINVAL);
	rig_close(&g);
}

static void sink(void **state)
{
	(void)state;

	struct rig g;

	rig_open(&g, params(NULL, 0));
	assert_int_equal(replay_deadline(g.r, 0), TSTAMP_NEVER);
	rx(&g, (struct pkt){.kind = PKT_UDP, .len = 60, .tos = 0x6b});
	rx(&g, (struct pkt){.kind = PKT_OTHER, .len = 1514});
	assert_int_equal(replay_stats(g.r)->rx_frames, 2);
	assert_int_equal(replay_stats(g.r)->rx_bytes, 64 + 1518);
	assert_int_equal(replay_stats(g.r)->rx_ce_frames, 1);
	rig_close(&g);
}

static void waits_for_descriptor(void **state)
{
	(void)state;

	static const struct replay_frame f = {1000, udp_frame, 60};
	struct rig g;
	struct pkt *p;

	rig_open(&g, params(&f, 1));
	g.stack.n = 0;
	assert_int_equal(replay_tx(g.r, 0, &p, 1, 1000), 0);
	assert_int_equal(replay_deadline(g.r, 0), 1000 + 84 * 800);
	assert_int_equal(replay_stats(g.r)->no_desc, 1);
	g.stack.n = PKTS;
	rig_run(&g, PS_PER_MS);
	assert_int_equal(g.n, 1);
	assert_int_equal(replay_stats(g.r)->late_frames, 1);
	rig_close(&g);
}

// Real time: a poll every 2 us with a tolerance of 4 us keeps up with a dense capture.
static void tolerance(void **state)
{
	(void)state;

	static struct replay_frame f[50];
	struct replay_params p;
	struct rig g;

	for (unsigned i = 0; i < 50; i++)
		f[i] = (struct replay_frame){i * 200000ull, udp_frame, 60};
	p = params(f, 50);
	p.tolerance_ps = 4 * PS_PER_US;
	rig_open(&g, p);
	for (g.now = 0; g.now <= 10 * PS_PER_US; g.now += 2 * PS_PER_US)
		g.n += replay_tx(g.r, 0, g.out + g.n, PKTS - g.n, g.now);
	assert_int_equal(g.n, 50);
	assert_true(replay_stats(g.r)->late_max_ps < 2 * PS_PER_US);
	rig_close(&g);
}

static void table_names_all(void **state)
{
	(void)state;

	assert_int_equal(replay_stat_table.n, sizeof(struct replay_stats) / 8);
	for (unsigned i = 0; i < replay_stat_table.n; i++)
		assert_int_equal(replay_stat_table.row[i].offset, 8 * i);
	assert_true(replay_stat_table.row[stat_find(&replay_stat_table, "late_max_ps")].whole);
	assert_true(replay_stat_table.row[stat_find(&replay_stat_table, "first_tx")].whole);
	assert_true(replay_stat_table.row[stat_find(&replay_stat_table, "last_tx")].whole);
	assert_false(replay_stat_table.row[stat_find(&replay_stat_table, "late_sum_ps")].whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_params),
		cmocka_unit_test(own_timing),
		cmocka_unit_test(late_by_the_wire),
		cmocka_unit_test(wanted_at_the_very_instant),
		cmocka_unit_test(unsent_and_lateness),
		cmocka_unit_test(short_frames_are_padded_on_the_wire),
		cmocka_unit_test(loops),
		cmocka_unit_test(rounds_that_take_no_time),
		cmocka_unit_test(many_rounds_at_once),
		cmocka_unit_test(pauses),
		cmocka_unit_test(pauses_by_802_3x),
		cmocka_unit_test(link_down),
		cmocka_unit_test(sink),
		cmocka_unit_test(waits_for_descriptor),
		cmocka_unit_test(tolerance),
		cmocka_unit_test(table_names_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
