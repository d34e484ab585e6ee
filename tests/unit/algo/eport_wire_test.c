// SPDX-License-Identifier: BSD-3-Clause
// Tests of algo/eport: the serializer, its tolerance and losses, time-weighted queue lengths.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "algo/eport.h"

#define N_PKTS 64
#define MTU    1500

static struct pkt pkts[N_PKTS];
static unsigned n_pkts;

static const struct eport_framing ethernet = {PKT_FCS, PKT_WIRE, 0, 0};
static const struct eport_framing hpcc_sim = {0, 0, 1, 0};

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
	assert_int_equal(eport_init(e, cfg), 0);
}

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
			eport_sent(&e, 1082, now);
			assert_false(eport_free(&e, now));
			now += 1106 * link[i].ps_per_byte;
			assert_int_equal(eport_free_at(&e), now);
			assert_false(eport_free(&e, now - 1));
		}
		assert_int_equal(e.tx_frames, 1000);
		assert_int_equal(e.tx_bytes, 1000 * 1086);
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
	eport_sent(&e, 60, 0);
	eport_sent(&e, 60, 1000000);
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
		eport_sent(&e, 1082, now);
	}
	assert_int_equal(sent, 3);
	assert_int_equal(eport_free_at(&e), wire);
	while (sent < 60) {
		now += 2 * wire; // two frames late each time
		for (; eport_free(&e, now); sent++) {
			eport_get(&e, eport_pick(&e, 0), now);
			eport_sent(&e, 1082, now);
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
	eport_sent(&e, 1082, 0);
	eport_get(&e, eport_pick(&e, 0), wire + 500);
	eport_sent(&e, 1082, wire + 500);
	assert_int_equal(e.lost_ps, 500);
	// All paused: the wire idles, but nothing is lost.
	assert_int_equal(eport_pick(&e, 1 << 3), -1);
	assert_int_equal(eport_pick(&e, 0), 3);
	eport_get(&e, 3, 9 * wire);
	eport_sent(&e, 1082, 9 * wire);
	assert_int_equal(e.lost_ps, 500);
	// The queue was empty.
	eport_put(&e, 3, frame(1082), 20 * wire);
	eport_get(&e, eport_pick(&e, 0), 20 * wire);
	eport_sent(&e, 1082, 20 * wire);
	assert_int_equal(e.lost_ps, 500);
	// A node that did not ask while blocked says so.
	eport_put(&e, 3, frame(1082), 20 * wire);
	eport_put(&e, 3, frame(1082), 20 * wire);
	eport_get(&e, eport_pick(&e, 0), 21 * wire);
	eport_sent(&e, 1082, 21 * wire);
	eport_starve(&e);
	eport_get(&e, eport_pick(&e, 0), 30 * wire);
	eport_sent(&e, 1082, 30 * wire);
	assert_int_equal(e.lost_ps, 500);
}

// 0 bytes for 100 ps, 104 for 50, 304 for 150, 200 for 200, then 0 for 500 until the report.
static void test_time_weighted_histogram(void **state)
{
	struct eport_params p = params_of(25 * RATE_GBPS);
	struct eport_cfg cfg;
	struct eport e;

	(void)state;
	p.monitor = true;
	init(&e, &cfg, &p);
	eport_put(&e, 3, frame(100), 100);
	eport_put(&e, 3, frame(196), 150);
	eport_get(&e, 3, 300);
	eport_get(&e, 3, 500);
	eport_account(&e, 1000);
	eport_account(&e, 1000);

	const struct hist *h = e.q[3].hist;

	assert_int_equal(h->n, 1000);
	assert_true(h->sum == 104 * 50 + 304 * 150 + 200 * 200);
	assert_int_equal(hist_min(h), 0);
	assert_int_equal(h->max, 304);
	assert_int_equal(h->bucket[hist_index(0)], 600);
	assert_int_equal(h->bucket[hist_index(104)], 50);
	assert_int_equal(h->bucket[hist_index(304)], 150);
	assert_int_equal(h->bucket[hist_index(200)], 200);
	assert_int_equal(e.q[0].hist->n, 0); // no frame came: nothing is booked
	eport_fini(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wire_times),
		cmocka_unit_test(test_hpcc_sim_framing),
		cmocka_unit_test(test_idle_time_is_not_saved),
		cmocka_unit_test(test_tolerance),
		cmocka_unit_test(test_lost_time),
		cmocka_unit_test(test_time_weighted_histogram),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
