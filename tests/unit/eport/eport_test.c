// SPDX-License-Identifier: BSD-3-Clause
// Egress ports: queues, strict and DWRR choice, pauses, the serializer with its tolerance and
// losses, time-weighted queue lengths, bad parameters.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>

#include "eport/eport.h"
#include "base/prng.h"

#define N_PKTS 4096
#define MTU    1500

static struct pkt pkts[N_PKTS];
static unsigned n_pkts;

static const struct eport_framing ethernet = {PKT_FCS, PKT_WIRE, 0, 0};

static struct pkt *frame(uint16_t len)
{
	struct pkt *p = &pkts[n_pkts++ % N_PKTS];

	p->len = len;
	return p;
}

static struct eport_params params_of(rate_t rate)
{
	return (struct eport_params){.rate = rate, .mtu = MTU, .framing = ethernet};
}

static void init(struct eport *e, struct eport_cfg *cfg, const struct eport_params *p)
{
	n_pkts = 0;
	assert_int_equal(eport_cfg_init(cfg, p), 0);
	eport_init(e, cfg, NULL);
}

// Serves the next frame and returns its class; -1: none.
static int serve(struct eport *e, uint8_t blocked)
{
	int cls = eport_pick(e, blocked);

	if (cls >= 0)
		eport_get(e, cls, 0);
	return cls;
}

static void test_fifo_and_counts(void **state)
{
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;
	struct pkt *a = frame(60), *b = frame(1500), *c = frame(100);

	(void)state;
	init(&e, &cfg, &p);
	assert_int_equal(eport_pick(&e, 0), -1);
	eport_put(&e, 3, a, 10);
	eport_put(&e, 3, b, 20);
	assert_int_equal(e.q[3].bytes, 64 + 1504);
	assert_int_equal(e.q[3].frames, 2);
	assert_int_equal(e.nonempty, 1 << 3);
	assert_ptr_equal(eport_get(&e, eport_pick(&e, 0), 25), a);
	eport_put(&e, 3, c, 25);
	assert_ptr_equal(eport_get(&e, eport_pick(&e, 0), 30), b);
	assert_ptr_equal(eport_get(&e, eport_pick(&e, 0), 30), c);
	assert_int_equal(e.q[3].bytes, 0);
	assert_int_equal(e.q[3].frames, 0);
	assert_int_equal(e.q[3].max_bytes, 1504 + 104);
	assert_int_equal(e.q[3].max_at, 25);
	assert_int_equal(e.nonempty, 0);
	assert_int_equal(eport_pick(&e, 0), -1);
}

static void test_strict_order_highest_first(void **state)
{
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;

	(void)state;
	p.strict = 1 << 7 | 1 << 6 | 1 << 2;
	init(&e, &cfg, &p);
	for (unsigned cls = 0; cls < 8; cls++)
		for (unsigned i = 0; i < 2; i++)
			eport_put(&e, cls, frame(100), 0);
	assert_int_equal(serve(&e, 0), 7);
	assert_int_equal(serve(&e, 1 << 7), 6);
	assert_int_equal(serve(&e, 0), 7);
	assert_int_equal(serve(&e, 0), 6);
	assert_int_equal(serve(&e, 0), 2);
	eport_put(&e, 6, frame(1500), 0);
	assert_int_equal(serve(&e, 0), 6);
	assert_int_equal(serve(&e, 0), 2);
	for (unsigned i = 0; i < 10; i++)
		assert_true((1 << serve(&e, 0)) & 0x3b); // the five DWRR classes
	assert_int_equal(serve(&e, 0), -1);
}

static void test_control_queue_goes_first_and_is_never_blocked(void **state)
{
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;
	struct pkt *pfc = frame(60);

	(void)state;
	p.strict = 1 << 7;
	init(&e, &cfg, &p);
	eport_put(&e, 7, frame(100), 0);
	eport_put_ctl(&e, pfc);
	assert_int_equal(eport_pick(&e, 0xff), 8);
	assert_int_equal(e.q[EPORT_CTL].bytes, 64);
	assert_ptr_equal(eport_get(&e, 8, 0), pfc);
	assert_int_equal(e.q[EPORT_CTL].bytes, 0);
	assert_int_equal(eport_pick(&e, 0xff), -1);
	assert_int_equal(eport_pick(&e, 0), 7);
}

// Keeps the classes in `have` backlogged with frames of 60..MTU bytes and serves `rounds` frames;
// adds the bytes (with FCS) that each class sent.
static void run_backlogged(struct eport *e, struct prng *g, uint8_t have, uint8_t blocked,
	unsigned rounds, const uint16_t *fixed_len, uint64_t sent[8])
{
	for (unsigned r = 0; r < rounds; r++) {
		for (unsigned cls = 0; cls < 8; cls++)
			while (have >> cls & 1 && e->q[cls].frames < 2)
				eport_put(e, cls,
					frame(fixed_len[cls]
							? fixed_len[cls]
							: (uint16_t)(60 + prng_below(g, MTU - 59))),
					0);

		int cls = eport_pick(e, blocked);

		assert_true(cls >= 0 && cls < 8);
		sent[cls] += eport_get(e, cls, 0)->len + PKT_FCS;
	}
}

static void assert_share(uint64_t part, uint64_t whole, double want)
{
	double got = (double)part / (double)whole;

	if (got < want * 0.99 || got > want * 1.01)
		fail_msg("share %.4f, wanted %.4f within 1 %%", got, want);
}

// Weights 1:2:5 over small, mixed and full-size frames: bytes within 1 %.
static void test_dwrr_shares(void **state)
{
	static const uint16_t len[8] = {60, 0, 0, 0, 1500};
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;

	(void)state;
	p.weight[0] = 1;
	p.weight[3] = 2;
	p.weight[4] = 5;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		uint64_t sent[8] = {0};
		struct prng g;

		prng_init(&g, seed, "shares");
		init(&e, &cfg, &p);
		run_backlogged(&e, &g, 1 << 0 | 1 << 3 | 1 << 4, 0, 40000, len, sent);

		uint64_t all = sent[0] + sent[3] + sent[4];

		assert_share(sent[0], all, 1.0 / 8);
		assert_share(sent[3], all, 2.0 / 8);
		assert_share(sent[4], all, 5.0 / 8);
	}
}

static void test_dwrr_equal_weights_all_classes(void **state)
{
	static const uint16_t len[8] = {60, 124, 252, 508, 1020, 1496, 0, 1500};
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;
	uint64_t sent[8] = {0}, all = 0;
	struct prng g;

	(void)state;
	prng_init(&g, 1, "equal");
	init(&e, &cfg, &p);
	run_backlogged(&e, &g, 0xff, 0, 60000, len, sent);
	for (unsigned i = 0; i < 8; i++)
		all += sent[i];
	for (unsigned i = 0; i < 8; i++)
		assert_share(sent[i], all, 1.0 / 8);
}

static void test_a_weight_changes_while_queues_wait(void **state)
{
	static const uint16_t len[8] = {0};
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;
	uint64_t sent[8] = {0}, then[8] = {0};
	struct prng g;

	(void)state;
	p.weight[1] = 2;
	p.weight[3] = 2;
	p.strict = 1 << 7;
	prng_init(&g, 1, "weight");
	init(&e, &cfg, &p);
	run_backlogged(&e, &g, 1 << 1 | 1 << 3, 0, 20000, len, sent);
	assert_share(sent[1], sent[1] + sent[3], 1.0 / 2);
	assert_int_equal(eport_cfg_weight(&cfg, 3, 6), 0);
	run_backlogged(&e, &g, 1 << 1 | 1 << 3, 0, 40000, len, then);
	assert_share(then[1], then[1] + then[3], 1.0 / 4);
	assert_int_equal(eport_cfg_weight(&cfg, 3, 0), -EINVAL);
	assert_int_equal(eport_cfg_weight(&cfg, 3, 1001), -EINVAL);
	assert_int_equal(eport_cfg_weight(&cfg, 8, 1), -EINVAL);
	assert_int_equal(eport_cfg_weight(&cfg, 7, 1), -EINVAL);
	// Back to where it began: the quanta are those of a port made so.
	struct eport_cfg anew;

	assert_int_equal(eport_cfg_init(&anew, &p), 0);
	assert_int_equal(eport_cfg_weight(&cfg, 3, 2), 0);
	assert_memory_equal(cfg.quantum, anew.quantum, sizeof(cfg.quantum));
}

// While class 3 is paused the others share by their weights; when it is back, it gets its own share
// and not what it missed.
static void test_pause_does_not_disturb_the_others(void **state)
{
	static const uint16_t len[8] = {0};
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;
	uint64_t sent[8] = {0};
	struct prng g;

	(void)state;
	p.weight[1] = 1;
	p.weight[3] = 4;
	p.weight[5] = 3;
	prng_init(&g, 1, "pause");
	init(&e, &cfg, &p);
	run_backlogged(&e, &g, 1 << 1 | 1 << 3 | 1 << 5, 1 << 3, 20000, len, sent);
	assert_int_equal(sent[3], 0);
	assert_share(sent[1], sent[1] + sent[5], 1.0 / 4);

	uint64_t then[8] = {0};

	run_backlogged(&e, &g, 1 << 1 | 1 << 3 | 1 << 5, 0, 40000, len, then);
	assert_share(then[3], then[1] + then[3] + then[5], 4.0 / 8);
}

// A class that is paused again and again in the middle of its turn: its credit stays below one
// quantum, it loses nothing, and it sends its weight's share.
static void test_interrupted_turn_keeps_its_credit(void **state)
{
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;

	(void)state;
	p.weight[0] = 1;
	p.weight[3] = 4;
	init(&e, &cfg, &p);
	for (unsigned i = 0; i < 64; i++) {
		eport_put(&e, 3, frame(184), 0); // 188 with FCS: 8 a quantum
		eport_put(&e, 0, frame(372), 0); // one a quantum
	}
	assert_int_equal(cfg.quantum[0], 376);
	assert_int_equal(cfg.quantum[3], 4 * 376);

	while (serve(&e, 0) != 3)
		;
	assert_int_equal(e.q[3].deficit, 1504 - 188);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(serve(&e, 1 << 3), 0);
	assert_int_equal(e.q[3].deficit, 1504 - 188); // kept, not grown
	assert_int_equal(serve(&e, 0), 3);
	assert_int_equal(e.q[3].deficit, 1504 - 2 * 188);
	assert_int_equal(serve(&e, 1 << 3), 0);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(serve(&e, 0), 3);
	assert_int_equal(e.q[3].deficit, 0);
	assert_int_equal(serve(&e, 0), 0); // the turn is over after 8 frames in all
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(serve(&e, 0), 3);
	assert_int_equal(serve(&e, 0), 0);
}

static void test_emptied_queue_starts_anew(void **state)
{
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;

	(void)state;
	p.weight[3] = 100;
	init(&e, &cfg, &p);
	eport_put(&e, 3, frame(60), 0);
	assert_int_equal(serve(&e, 0), 3);
	assert_int_equal(e.q[3].deficit, 0);
}

// Picking again without taking gives the same class and no more credit; a strict class in between
// does not end the turn.
static void test_pick_is_repeatable(void **state)
{
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;

	(void)state;
	p.strict = 1 << 7;
	p.weight[1] = 2;
	p.weight[2] = 2;
	init(&e, &cfg, &p);
	for (unsigned i = 0; i < 16; i++) {
		eport_put(&e, 1, frame(371), 0); // 375 with FCS
		eport_put(&e, 2, frame(371), 0);
	}
	assert_int_equal(eport_pick(&e, 0), 1);
	assert_int_equal(eport_pick(&e, 0), 1);
	assert_int_equal(e.q[1].deficit, 1504);
	assert_int_equal(serve(&e, 0), 1);
	eport_put(&e, 7, frame(60), 0);
	assert_int_equal(serve(&e, 0), 7);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(serve(&e, 0), 1);
	assert_int_equal(serve(&e, 0), 2);
}

// Random puts, picks and pauses: an unpaused class is always found, nothing paused is given, order
// within a class holds, counts add up, credit stays within one quantum.
static void test_random_service_against_counts(void **state)
{
	struct eport_params p = params_of(25 * RATE_GBPS);
	uint64_t seed = 20240611;
	struct eport_cfg cfg;
	struct eport e;
	struct prng g;
	uint64_t in_seq[8] = {0}, out_seq[8] = {0};

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	prng_init(&g, seed, "service");
	p.strict = 1 << 6;
	for (unsigned i = 0; i < 8; i++)
		p.weight[i] = (uint16_t)(1 + prng_below(&g, 50));
	init(&e, &cfg, &p);
	for (unsigned step = 0; step < 50000; step++) {
		unsigned cls = (unsigned)prng_below(&g, 8);
		uint8_t blocked = (uint8_t)prng_u32(&g) & (uint8_t)prng_u32(&g);

		if (e.q[cls].frames < 100 && prng_below(&g, 2)) {
			struct pkt *q = frame((uint16_t)(60 + prng_below(&g, MTU - 59)));

			q->born = in_seq[cls]++;
			eport_put(&e, cls, q, step);
		}

		uint8_t ready = e.nonempty & (uint8_t)~blocked;
		int got = eport_pick(&e, blocked);

		assert_int_equal(got >= 0, ready != 0);
		if (got < 0)
			continue;
		assert_true(ready >> got & 1);
		if (ready >> 6 & 1)
			assert_int_equal(got, 6);
		assert_int_equal(eport_get(&e, got, step)->born, out_seq[got]++);
		assert_true(e.q[got].deficit >= 0 && e.q[got].deficit < cfg.quantum[got] + MTU + 4);
	}
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(e.q[i].frames, in_seq[i] - out_seq[i]);
		assert_int_equal(e.nonempty >> i & 1, e.q[i].frames != 0);
	}
}

static void test_bad_params(void **state)
{
	struct eport_cfg cfg = {.rate = 42};
	struct eport_params p = params_of(0);

	(void)state;
	assert_int_equal(eport_cfg_init(&cfg, &p), -EINVAL);
	p = params_of(RATE_GBPS);
	p.mtu = 0;
	assert_int_equal(eport_cfg_init(&cfg, &p), -EINVAL);
	p = params_of(RATE_GBPS);
	p.weight[5] = 1001;
	assert_int_equal(eport_cfg_init(&cfg, &p), -EINVAL);
	assert_int_equal(cfg.rate, 42); // untouched
	p.weight[5] = 1000;
	p.mtu = PKT_MAX_LEN;
	assert_int_equal(eport_cfg_init(&cfg, &p), 0);
	assert_int_equal(cfg.quantum[5], 1000 * 17); // 17: a thousandth of 16,384 bytes, rounded up
	assert_int_equal(cfg.quantum[0], 17);
}

// A strict class has no say in the scale of the quanta.
static void test_largest_quantum_is_one_longest_frame(void **state)
{
	struct eport_params p = params_of(RATE_GBPS);
	struct eport_cfg cfg;

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		p.weight[i] = 30;
	p.weight[7] = 1;
	p.weight[2] = 45;
	p.strict = 1 << 7;
	assert_int_equal(eport_cfg_init(&cfg, &p), 0);
	assert_int_equal(cfg.quantum[0], 30 * 34);
	assert_int_equal(cfg.quantum[2], 45 * 34); // 1530: 1504 and a little more
}

// SONiC's weights, and the 1 of a class that has nothing to send: frames of the others alternate
// all the same.
static void test_large_weights_take_short_turns(void **state)
{
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;
	unsigned sent[8] = {0}, row = 0;
	int last = -1;

	(void)state;
	for (unsigned i = 0; i < 7; i++)
		p.weight[i] = i == 3 || i == 4 ? 15 : 14;
	init(&e, &cfg, &p);
	for (unsigned n = 0; n < 100 * 14 + 2 * 100; n++) {
		for (unsigned i = 0; i < 7; i++)
			while (e.q[i].frames < 2)
				eport_put(&e, i, frame(1500), 0);

		int cls = serve(&e, 0);

		row = cls == last ? row + 1 : 1;
		assert_true(row <= 2);
		last = cls;
		sent[cls]++;
	}
	for (unsigned i = 0; i < 7; i++)
		assert_in_range(sent[i] * 100, 1600 * p.weight[i] - 100, 1600 * p.weight[i] + 100);
}

// Small weights beside a large one: their shares are exact whether it sends or not.
static void test_small_weights_get_their_share(void **state)
{
	static const uint16_t len[8] = {0};
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;
	uint64_t sent[8] = {0}, all[8] = {0};
	struct prng g;

	(void)state;
	p.weight[0] = 1;
	p.weight[1] = 3;
	p.weight[2] = 1000;
	prng_init(&g, 1, "small");
	init(&e, &cfg, &p);
	run_backlogged(&e, &g, 1 << 0 | 1 << 1, 0, 40000, len, sent);
	assert_share(sent[0], sent[0] + sent[1], 1.0 / 4);
	run_backlogged(&e, &g, 1 << 0 | 1 << 1 | 1 << 2, 0, 1000000, len, all);
	assert_share(all[1], all[0] + all[1] + all[2], 3.0 / 1004);
	assert_share(all[0], all[0] + all[1] + all[2], 1.0 / 1004);
}

static const struct eport_framing hpcc_sim = {0, 0, 1, 0};

static void test_wire_times(void **state)
{
	static const struct {
		unsigned gbps;
		uint32_t ps_per_byte;
	} link[] = {{10, 800}, {25, 320}, {40, 200}, {100, 80}, {400, 20}};

	(void)state;
	for (unsigned i = 0; i < sizeof(link) / sizeof(link[0]); i++) {
		struct eport_params p = params_of(link[i].gbps * RATE_GBPS);
		struct eport_cfg cfg;
		struct eport e;
		tstamp now = 1000;

		init(&e, &cfg, &p);
		assert_int_equal(eport_wire_time(&cfg, 1082), 1106 * link[i].ps_per_byte);
		for (unsigned k = 0; k < 1000; k++) {
			assert_true(eport_free(&e, now));
			eport_sent(&e, 3, 1082, now);
			assert_false(eport_free(&e, now));
			now += 1106 * link[i].ps_per_byte;
			assert_int_equal(eport_free_at(&e), now);
			assert_false(eport_free(&e, now - 1));
		}
		assert_int_equal(eport_tx_frames(&e), 1000);
		assert_int_equal(eport_tx_bytes(&e), 1000 * 1086);
	}
}

// The reference simulator: no overhead, transmission times cut to whole ns (standards.md 10).
static void test_hpcc_sim_framing(void **state)
{
	static const struct {
		unsigned gbps, ns;
	} link[] = {{25, 335}, {40, 209}, {100, 83}};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct eport_params p = params_of(link[i].gbps * RATE_GBPS);
		struct eport_cfg cfg;
		struct eport e;

		p.framing = hpcc_sim;
		init(&e, &cfg, &p);
		assert_int_equal(eport_wire_time(&cfg, 1048), link[i].ns * PS_PER_NS);
		eport_put(&e, 3, frame(1048), 0);
		assert_int_equal(e.q[3].bytes, 1048);
	}
}

// A wire that was idle is free at once, and the idle time gives no credit.
static void test_idle_time_is_not_saved(void **state)
{
	struct eport_params p = params_of(100 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;

	(void)state;
	init(&e, &cfg, &p);
	eport_sent(&e, 3, 60, 0);
	eport_sent(&e, 3, 60, 1000000);
	assert_int_equal(eport_free_at(&e), 1000000 + 84 * 80);
	assert_int_equal(e.lost_ps, 0);
}

// Tolerance of two frames: three may leave at one instant, then the wire is booked ahead; a loop
// that comes late by no more than the tolerance keeps the full rate.
static void test_tolerance(void **state)
{
	struct eport_params p = params_of(100 * RATE_GBPS);
	const tstamp wire = 1106 * 80;
	struct eport_cfg cfg;
	struct eport e;
	unsigned sent = 0;
	tstamp now = 0;

	(void)state;
	p.tolerance_ps = 2 * wire;
	init(&e, &cfg, &p);
	for (unsigned i = 0; i < 64; i++)
		eport_put(&e, 0, frame(1082), 0);
	for (; eport_free(&e, now); sent++) {
		eport_get(&e, eport_pick(&e, 0), now);
		eport_sent(&e, 3, 1082, now);
	}
	assert_int_equal(sent, 3);
	assert_int_equal(eport_free_at(&e), wire);
	while (sent < 60) {
		now += 2 * wire; // two frames late each time
		for (; eport_free(&e, now); sent++) {
			eport_get(&e, eport_pick(&e, 0), now);
			eport_sent(&e, 3, 1082, now);
		}
	}
	assert_int_equal(e.tat, sent * wire);
	assert_int_equal(e.lost_ps, 0);
}

// Later than the tolerance, with frames waiting: what is beyond it is lost and counted.
static void test_lost_time(void **state)
{
	struct eport_params p = params_of(100 * RATE_GBPS);
	const tstamp wire = 1106 * 80;
	struct eport_cfg cfg;
	struct eport e;

	(void)state;
	init(&e, &cfg, &p);
	for (unsigned i = 0; i < 3; i++)
		eport_put(&e, 3, frame(1082), 0);
	eport_get(&e, eport_pick(&e, 0), 0);
	eport_sent(&e, 3, 1082, 0);
	eport_get(&e, eport_pick(&e, 0), wire + 500);
	eport_sent(&e, 3, 1082, wire + 500);
	assert_int_equal(e.lost_ps, 500);
	// All paused: the wire idles, but nothing is lost.
	assert_int_equal(eport_pick(&e, 1 << 3), -1);
	assert_int_equal(eport_pick(&e, 0), 3);
	eport_get(&e, 3, 9 * wire);
	eport_sent(&e, 3, 1082, 9 * wire);
	assert_int_equal(e.lost_ps, 500);
	// The queue was empty.
	eport_put(&e, 3, frame(1082), 20 * wire);
	eport_get(&e, eport_pick(&e, 0), 20 * wire);
	eport_sent(&e, 3, 1082, 20 * wire);
	assert_int_equal(e.lost_ps, 500);
	// A node that did not ask while blocked says so.
	eport_put(&e, 3, frame(1082), 20 * wire);
	eport_put(&e, 3, frame(1082), 20 * wire);
	eport_get(&e, eport_pick(&e, 0), 21 * wire);
	eport_sent(&e, 3, 1082, 21 * wire);
	eport_starve(&e);
	eport_get(&e, eport_pick(&e, 0), 30 * wire);
	eport_sent(&e, 3, 1082, 30 * wire);
	assert_int_equal(e.lost_ps, 500);
}

// 0 bytes for 100 ps, 104 for 50, 304 for 150, 200 for 200, then 0 for 500 until the report.
static void test_time_weighted_histogram(void **state)
{
	static struct hist hist[PKT_CLASSES];
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;

	(void)state;
	n_pkts = 0;
	assert_int_equal(eport_cfg_init(&cfg, &p), 0);
	eport_init(&e, &cfg, hist);
	eport_put(&e, 3, frame(100), 100);
	eport_put(&e, 3, frame(196), 150);
	eport_get(&e, 3, 300);
	eport_get(&e, 3, 500);
	eport_account(&e, 1000);
	eport_account(&e, 1000);

	const struct hist *h = eport_hist(&e, 3);

	assert_int_equal(h->n, 1000);
	assert_true(h->sum == 104 * 50 + 304 * 150 + 200 * 200);
	assert_int_equal(hist_min(h), 0);
	assert_int_equal(h->max, 304);
	assert_int_equal(h->bucket[hist_index(0)], 600);
	assert_int_equal(h->bucket[hist_index(104)], 50);
	assert_int_equal(h->bucket[hist_index(304)], 150);
	assert_int_equal(h->bucket[hist_index(200)], 200);
	assert_int_equal(eport_hist(&e, 0)->n, 0); // no frame came: nothing is booked
	assert_true(eport_hist(&e, 0)->sum == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fifo_and_counts),
		cmocka_unit_test(test_strict_order_highest_first),
		cmocka_unit_test(test_control_queue_goes_first_and_is_never_blocked),
		cmocka_unit_test(test_dwrr_shares),
		cmocka_unit_test(test_dwrr_equal_weights_all_classes),
		cmocka_unit_test(test_a_weight_changes_while_queues_wait),
		cmocka_unit_test(test_pause_does_not_disturb_the_others),
		cmocka_unit_test(test_interrupted_turn_keeps_its_credit),
		cmocka_unit_test(test_emptied_queue_starts_anew),
		cmocka_unit_test(test_pick_is_repeatable),
		cmocka_unit_test(test_random_service_against_counts),
		cmocka_unit_test(test_bad_params),
		cmocka_unit_test(test_large_weights_take_short_turns),
		cmocka_unit_test(test_small_weights_get_their_share),
		cmocka_unit_test(test_largest_quantum_is_one_longest_frame),
		cmocka_unit_test(test_wire_times),
		cmocka_unit_test(test_hpcc_sim_framing),
		cmocka_unit_test(test_idle_time_is_not_saved),
		cmocka_unit_test(test_tolerance),
		cmocka_unit_test(test_lost_time),
		cmocka_unit_test(test_time_weighted_histogram),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
