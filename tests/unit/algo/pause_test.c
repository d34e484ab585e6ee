// SPDX-License-Identifier: BSD-3-Clause
// Quanta (standards.md 2.2), overwrite, nominal expiry, frames to send, counters of
// measuring.md M1, frames whose effect is late, priorities that stop obeying for a while.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "algo/pause.h"
#include "base/prng.h"

#define Q100G 5120 // ps of a quantum at 100 Gb/s

// A PFC frame that takes effect as it comes.
static uint8_t rx_pfc(
	struct pause_rx *r, uint8_t enable, const uint16_t quanta[PAUSE_PRIOS], tstamp now)
{
	pause_rx_count(r, enable, quanta, now);
	return pause_rx_set(r, enable, quanta, now);
}

// One priority's quanta in a frame.
static uint8_t rx_one(struct pause_rx *r, unsigned prio, uint16_t quanta, tstamp now)
{
	uint16_t all[PAUSE_PRIOS] = {0};

	all[prio] = quanta;
	return rx_pfc(r, (uint8_t)(1u << prio), all, now);
}

// standards.md 2.2: quantum in ps, 65535 quanta to the ps (the table's us are these, rounded).
static void test_quanta_table(void **state)
{
	static const struct {
		unsigned gbps;
		tstamp quantum_ps, full_ns;
	} row[] = {{10, 51200, 3355392}, {25, 20480, 1342157}, {40, 12800, 838848},
		{100, 5120, 335539}, {400, 1280, 83885}};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct pause_rx r;
		struct pause_tx t;

		pause_rx_init(&r, row[i].gbps * RATE_GBPS, 0xff, false);
		pause_tx_init(&t, row[i].gbps * RATE_GBPS);
		assert_int_equal(r.quantum_ps, row[i].quantum_ps);
		assert_int_equal(t.quantum_ps, row[i].quantum_ps);
		assert_int_equal(rx_one(&r, 3, 65535, 7), 1 << 3);
		assert_int_equal(r.next_expiry, 7 + 65535 * row[i].quantum_ps);
		assert_int_equal((65535 * row[i].quantum_ps + 500) / 1000, row[i].full_ns);
		// 2.5: refreshed at half, full_ns long: so many frames per second.
		assert_int_equal(t.refresh_ps[3], 65535 * row[i].quantum_ps / 2);
	}
}

static void test_pause_lasts_to_the_ps(void **state)
{
	struct pause_rx r;

	(void)state;
	pause_rx_init(&r, 100 * RATE_GBPS, 0xff, false);
	assert_int_equal(pause_rx_mask(&r, 0), 0);
	assert_int_equal(rx_one(&r, 3, 10, 1000), 1 << 3);
	assert_int_equal(pause_rx_mask(&r, 1000 + 10 * Q100G - 1), 1 << 3);
	assert_int_equal(pause_rx_mask(&r, 1000 + 10 * Q100G), 0);
	assert_int_equal(r.stats[3].expired, 1);
	assert_true(r.next_expiry == TSTAMP_NEVER);
}

// A new frame replaces the running timer: longer, shorter, and 0.
static void test_overwrite(void **state)
{
	struct pause_rx r;

	(void)state;
	pause_rx_init(&r, 100 * RATE_GBPS, 0xff, false);
	rx_one(&r, 3, 100, 0);
	assert_int_equal(rx_one(&r, 3, 100, 50 * Q100G), 0);
	assert_int_equal(r.next_expiry, 150 * Q100G); // not 200: not added
	assert_int_equal(rx_one(&r, 3, 5, 60 * Q100G), 0);
	assert_int_equal(r.next_expiry, 65 * Q100G); // not the maximum
	assert_int_equal(rx_one(&r, 3, 0, 61 * Q100G), 1 << 3);
	assert_int_equal(r.paused, 0);
	assert_int_equal(rx_one(&r, 3, 0, 62 * Q100G), 0); // XON while not paused
	assert_int_equal(r.stats[3].xoff_frames, 3);
	assert_int_equal(r.stats[3].refresh_frames, 2);
	assert_int_equal(r.stats[3].xon_frames, 2);
	assert_int_equal(r.stats[3].transitions_on, 1);
	assert_int_equal(r.stats[3].transitions_off, 1);
	assert_int_equal(r.stats[3].expired, 0);
	assert_int_equal(r.stats[3].pause_requested_ps, 205 * Q100G);
	assert_int_equal(r.stats[3].pause_effective_ps, 61 * Q100G);
	assert_int_equal(r.stats[3].longest_pause_ps, 61 * Q100G);
}

// A class that is not enabled keeps its timer, whatever stands in its time field.
static void test_enable_vector(void **state)
{
	const uint16_t quanta[PAUSE_PRIOS] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct pause_rx r;

	(void)state;
	pause_rx_init(&r, 100 * RATE_GBPS, 0xff, false);
	rx_one(&r, 0, 100, 0);
	assert_int_equal(rx_pfc(&r, 1 << 4 | 1 << 7, quanta, 0), 1 << 4 | 1 << 7);
	assert_int_equal(r.paused, 1 << 0 | 1 << 4 | 1 << 7);
	assert_int_equal(r.next_expiry, 5 * Q100G);
	assert_int_equal(pause_rx_expire(&r, 5 * Q100G), 1 << 4);
	assert_int_equal(r.next_expiry, 8 * Q100G);
	assert_int_equal(pause_rx_expire(&r, 99 * Q100G), 1 << 7);
	assert_int_equal(r.next_expiry, 100 * Q100G);
}

// 802.3x PAUSE is handed in as all classes with the same time.
static void test_pause_frame_stops_all(void **state)
{
	const uint16_t quanta[PAUSE_PRIOS] = {9, 9, 9, 9, 9, 9, 9, 9};
	struct pause_rx r;

	(void)state;
	pause_rx_init(&r, 100 * RATE_GBPS, 0xff, false);
	assert_int_equal(rx_pfc(&r, 0xff, quanta, 0), 0xff);
	assert_int_equal(pause_rx_mask(&r, 9 * Q100G - 1), 0xff);
	assert_int_equal(pause_rx_mask(&r, 9 * Q100G), 0);
}

static void test_only_obeyed_priorities_stop(void **state)
{
	struct pause_rx r;

	(void)state;
	pause_rx_init(&r, 100 * RATE_GBPS, 1 << 3, false);
	assert_int_equal(rx_one(&r, 4, 100, 0), 0);
	assert_int_equal(r.paused, 0);
	assert_int_equal(r.stats[4].xoff_frames, 1);
	assert_int_equal(r.stats[4].pause_requested_ps, 100 * Q100G);
	assert_int_equal(r.stats[4].transitions_on, 0);
	assert_int_equal(rx_one(&r, 3, 100, 0), 1 << 3);
}

// However late the call, an episode ends at its nominal instant.
static void test_late_expiry_counts_nominal_time(void **state)
{
	struct pause_rx r;

	(void)state;
	pause_rx_init(&r, 100 * RATE_GBPS, 0xff, false);
	rx_one(&r, 3, 10, 0);
	assert_int_equal(pause_rx_expire(&r, 1000 * Q100G), 1 << 3);
	assert_int_equal(r.until[3], 10 * Q100G);
	assert_int_equal(r.stats[3].pause_effective_ps, 10 * Q100G);
	// An XOFF after an expiry that nobody has looked at is a new episode, no refresh.
	rx_one(&r, 3, 10, 2000 * Q100G);
	assert_int_equal(rx_one(&r, 3, 20, 3000 * Q100G), 0);
	assert_int_equal(r.stats[3].refresh_frames, 0);
	assert_int_equal(r.stats[3].transitions_on, 3);
	assert_int_equal(r.stats[3].transitions_off, 2);
	assert_int_equal(r.stats[3].pause_effective_ps, 20 * Q100G);
	// At the very instant of expiry too.
	rx_one(&r, 3, 20, 3020 * Q100G);
	assert_int_equal(r.stats[3].transitions_on, 4);
	assert_int_equal(r.stats[3].expired, 3);
}

static void test_no_expiry(void **state)
{
	struct pause_rx r;

	(void)state;
	pause_rx_init(&r, 25 * RATE_GBPS, 0xff, true);
	rx_one(&r, 3, 1, 100);
	assert_int_equal(pause_rx_mask(&r, PS_PER_S), 1 << 3);
	assert_true(r.next_expiry == TSTAMP_NEVER);
	assert_int_equal(rx_one(&r, 3, 0, PS_PER_S), 1 << 3);
	assert_int_equal(r.stats[3].pause_effective_ps, PS_PER_S - 100);
	assert_int_equal(r.stats[3].expired, 0);
}

static void test_tx_no_expiry(void **state)
{
	uint16_t quanta[PAUSE_PRIOS] = {[3] = 1};
	struct pause_tx t;

	(void)state;
	pause_tx_init(&t, 25 * RATE_GBPS);
	pause_tx_no_expiry(&t);
	pause_tx_count(&t, 1 << 3, quanta, 100);
	pause_tx_account(&t, PS_PER_S);
	assert_int_equal(t.stats[3].expired, 0);
	assert_int_equal(t.stats[3].pause_effective_ps, PS_PER_S - 100);
	quanta[3] = 0;
	pause_tx_count(&t, 1 << 3, quanta, PS_PER_S);
	assert_int_equal(t.stats[3].transitions_off, 1);
}

// A report in the middle of a pause counts it so far, once, and does not cut the episode in two.
static void test_account(void **state)
{
	struct pause_rx r;

	(void)state;
	pause_rx_init(&r, 100 * RATE_GBPS, 0xff, false);
	rx_one(&r, 3, 100, 0);
	pause_rx_account(&r, 30 * Q100G);
	pause_rx_account(&r, 30 * Q100G);
	assert_int_equal(r.stats[3].pause_effective_ps, 30 * Q100G);
	assert_int_equal(r.stats[3].longest_pause_ps, 30 * Q100G);
	pause_rx_account(&r, 70 * Q100G);
	assert_int_equal(r.stats[3].pause_effective_ps, 70 * Q100G);
	assert_int_equal(r.stats[3].transitions_off, 0);
	pause_rx_account(&r, 500 * Q100G);
	assert_int_equal(r.stats[3].pause_effective_ps, 100 * Q100G);
	assert_int_equal(r.stats[3].longest_pause_ps, 100 * Q100G);
	assert_int_equal(r.stats[3].transitions_off, 1);
	assert_int_equal(r.stats[3].expired, 1);
}

// Random frames, ps by ps in a naive model: effective time, edges and the mask.
static void test_random_against_model(void **state)
{
	uint64_t seed = 17;
	struct pause_rx r;
	struct prng g;
	tstamp left[PAUSE_PRIOS] = {0}; // quanta to run
	uint64_t effective[PAUSE_PRIOS] = {0}, on[PAUSE_PRIOS] = {0}, off[PAUSE_PRIOS] = {0};

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	prng_init(&g, seed, "pause");
	pause_rx_init(&r, 100 * RATE_GBPS, 0xff, false);
	for (tstamp q = 0; q < 20000; q++) { // one step is one quantum
		for (unsigned i = 0; i < PAUSE_PRIOS; i++)
			if (q && left[i]) {
				effective[i]++;
				off[i] += !--left[i];
			}
		if (!prng_below(&g, 8)) {
			uint8_t enable = (uint8_t)prng_u32(&g);
			uint16_t quanta[PAUSE_PRIOS];

			for (unsigned i = 0; i < PAUSE_PRIOS; i++) {
				quanta[i] = prng_below(&g, 3) ? (uint16_t)prng_below(&g, 40) : 0;
				if (!(enable >> i & 1))
					continue;
				on[i] += !left[i] && quanta[i];
				off[i] += left[i] && !quanta[i];
				left[i] = quanta[i];
			}
			rx_pfc(&r, enable, quanta, q * Q100G);
		}
		if (prng_below(&g, 4)) // not asked at every instant
			continue;

		uint8_t look = pause_rx_at(&r, q * Q100G), mask = pause_rx_mask(&r, q * Q100G);

		assert_int_equal(look, mask);
		for (unsigned i = 0; i < PAUSE_PRIOS; i++)
			assert_int_equal(mask >> i & 1, left[i] != 0);
	}
	pause_rx_account(&r, 19999 * Q100G);
	for (unsigned i = 0; i < PAUSE_PRIOS; i++) {
		assert_int_equal(r.stats[i].pause_effective_ps, effective[i] * Q100G);
		assert_int_equal(r.stats[i].transitions_on, on[i]);
		assert_int_equal(r.stats[i].transitions_off, off[i]);
	}
}

// The enable vector that pause_tx_get gives at `now`, 0 for no frame.
static uint8_t tx_get(struct pause_tx *t, tstamp now, uint16_t quanta[PAUSE_PRIOS])
{
	uint8_t enable = 0;

	return pause_tx_get(t, &enable, quanta, now) ? enable : 0;
}

static void test_tx_xoff_and_xon(void **state)
{
	uint16_t q[PAUSE_PRIOS];
	struct pause_tx t;

	(void)state;
	pause_tx_init(&t, 100 * RATE_GBPS);
	pause_tx_set(&t, 3, 1000, 0);
	assert_true(pause_tx_deadline(&t) == TSTAMP_NEVER);
	assert_int_equal(tx_get(&t, 0, q), 0);
	pause_tx_xoff(&t, 3, 0);
	assert_int_equal(pause_tx_deadline(&t), 0);
	assert_int_equal(tx_get(&t, 500, q), 1 << 3);
	assert_int_equal(q[3], 1000);
	for (unsigned i = 0; i < PAUSE_PRIOS; i++)
		assert_true(i == 3 || !q[i]);
	pause_tx_xoff(&t, 3, 600); // the same state is no event
	assert_int_equal(tx_get(&t, 600, q), 0);
	assert_true(pause_tx_deadline(&t) == TSTAMP_NEVER); // refresh 0: never
	pause_tx_xon(&t, 3, 700);
	assert_int_equal(tx_get(&t, 1500, q), 1 << 3);
	assert_int_equal(q[3], 0);
	pause_tx_xon(&t, 3, 1600);
	assert_int_equal(tx_get(&t, 1600, q), 0);
	assert_int_equal(t.stats[3].xoff_frames, 1);
	assert_int_equal(t.stats[3].xon_frames, 1);
	assert_int_equal(t.stats[3].transitions_on, 1);
	assert_int_equal(t.stats[3].transitions_off, 1);
	assert_int_equal(t.stats[3].pause_requested_ps, 1000 * Q100G);
	assert_int_equal(t.stats[3].pause_effective_ps, 1000);
}

// Sent again at half of the pause time, counted from the frame, until XON.
static void test_tx_refresh(void **state)
{
	uint16_t q[PAUSE_PRIOS];
	struct pause_tx t;
	tstamp at = 100;

	(void)state;
	pause_tx_init(&t, 100 * RATE_GBPS);
	pause_tx_set(&t, 3, 1000, 500);
	pause_tx_xoff(&t, 3, at);
	assert_int_equal(tx_get(&t, at, q), 1 << 3);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(pause_tx_deadline(&t), at + 500 * Q100G);
		assert_int_equal(tx_get(&t, at + 500 * Q100G - 1, q), 0);
		at += 500 * Q100G + i; // a little late
		assert_int_equal(tx_get(&t, at, q), 1 << 3);
		assert_int_equal(q[3], 1000);
		assert_true(pause_tx_deadline(&t) > at);
	}
	pause_tx_xon(&t, 3, at);
	assert_int_equal(tx_get(&t, at, q), 1 << 3);
	assert_true(pause_tx_deadline(&t) == TSTAMP_NEVER);
	assert_int_equal(t.stats[3].xoff_frames, 11);
	assert_int_equal(t.stats[3].refresh_frames, 10);
	assert_int_equal(t.stats[3].transitions_on, 1);
	assert_int_equal(t.stats[3].expired, 0);
	assert_int_equal(t.stats[3].pause_effective_ps, at - 100);
	assert_int_equal(t.stats[3].longest_pause_ps, at - 100);
}

// A frame that was overtaken before it left is not sent: XON over XOFF, and XOFF over XON.
static void test_tx_overtaken(void **state)
{
	uint16_t q[PAUSE_PRIOS];
	struct pause_tx t;

	(void)state;
	pause_tx_init(&t, 100 * RATE_GBPS);
	pause_tx_set(&t, 3, 1000, 500);
	pause_tx_xoff(&t, 3, 0);
	pause_tx_xon(&t, 3, 10);
	assert_true(pause_tx_deadline(&t) == TSTAMP_NEVER);
	assert_int_equal(tx_get(&t, 10, q), 0);
	assert_int_equal(t.stats[3].transitions_on, 0);

	pause_tx_xoff(&t, 3, 20);
	assert_int_equal(tx_get(&t, 20, q), 1 << 3);
	pause_tx_xon(&t, 3, 30);
	pause_tx_xoff(&t, 3, 40);
	assert_int_equal(tx_get(&t, 40, q), 0);
	assert_int_equal(pause_tx_deadline(&t), 20 + 500 * Q100G); // refresh goes on
	assert_int_equal(t.stats[3].transitions_on, 1);
	assert_int_equal(t.stats[3].transitions_off, 0);
	assert_int_equal(t.stats[3].xon_frames, 0);
}

static void test_tx_shares_a_frame(void **state)
{
	uint16_t q[PAUSE_PRIOS];
	struct pause_tx t;

	(void)state;
	pause_tx_init(&t, 100 * RATE_GBPS);
	pause_tx_set(&t, 3, 1000, 500);
	pause_tx_set(&t, 4, 2000, 250);
	pause_tx_xoff(&t, 3, 0);
	pause_tx_xoff(&t, 4, 0);
	assert_int_equal(tx_get(&t, 0, q), 1 << 3 | 1 << 4);
	assert_int_equal(q[3], 1000);
	assert_int_equal(q[4], 2000);
	assert_int_equal(tx_get(&t, 500 * Q100G, q), 1 << 3 | 1 << 4); // both refreshed
	pause_tx_xon(&t, 3, 600 * Q100G);
	pause_tx_xoff(&t, 0, 600 * Q100G);
	assert_int_equal(tx_get(&t, 600 * Q100G, q), 1 << 0 | 1 << 3);
	assert_int_equal(q[0], 65535); // the default
	assert_int_equal(q[3], 0);
	assert_int_equal(q[4], 0); // not enabled
	assert_int_equal(pause_tx_deadline(&t), 1000 * Q100G);
}

// Never refreshed: the peer resumes by itself; its time is counted so, and XON is still told.
static void test_tx_expired_at_the_peer(void **state)
{
	uint16_t q[PAUSE_PRIOS];
	struct pause_tx t;

	(void)state;
	pause_tx_init(&t, 100 * RATE_GBPS);
	pause_tx_set(&t, 3, 10, 0);
	pause_tx_xoff(&t, 3, 0);
	assert_int_equal(tx_get(&t, 0, q), 1 << 3);
	pause_tx_account(&t, 4 * Q100G);
	assert_int_equal(t.stats[3].pause_effective_ps, 4 * Q100G);
	pause_tx_account(&t, 50 * Q100G);
	assert_int_equal(t.stats[3].pause_effective_ps, 10 * Q100G);
	assert_int_equal(t.stats[3].expired, 1);
	pause_tx_xon(&t, 3, 60 * Q100G);
	assert_int_equal(tx_get(&t, 60 * Q100G, q), 1 << 3);
	assert_int_equal(t.stats[3].xon_frames, 1);
	assert_int_equal(t.stats[3].transitions_off, 1);
}

// Frames that the peer receives at once give both sides the same counters.
static void test_tx_and_rx_agree(void **state)
{
	uint64_t seed = 23;
	struct pause_tx t;
	struct pause_rx r;
	struct prng g;
	tstamp now = 0;

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	prng_init(&g, seed, "agree");
	pause_tx_init(&t, 40 * RATE_GBPS);
	pause_rx_init(&r, 40 * RATE_GBPS, 0xff, false);
	for (unsigned i = 0; i < PAUSE_PRIOS; i++)
		pause_tx_set(
			&t, i, (uint16_t)(1 + prng_below(&g, 200)), (unsigned)prng_below(&g, 2000));
	for (unsigned step = 0; step < 20000; step++) {
		unsigned prio = (unsigned)prng_below(&g, PAUSE_PRIOS);
		uint16_t q[PAUSE_PRIOS];

		now += prng_below(&g, 500000);
		if (prng_below(&g, 2))
			pause_tx_xoff(&t, prio, now);
		else
			pause_tx_xon(&t, prio, now);
		if (!prng_below(&g, 3)) // the port is busy
			continue;

		bool due = pause_tx_deadline(&t) <= now;
		uint8_t enable = tx_get(&t, now, q);

		assert_int_equal(enable != 0, due);
		assert_true(pause_tx_deadline(&t) > now);
		if (enable)
			rx_pfc(&r, enable, q, now);
		assert_int_equal(t.told, t.xoff);
		if (prng_below(&g, 4)) // a frame made to order, once in a while
			continue;
		enable = (uint8_t)prng_u32(&g);
		for (unsigned i = 0; i < PAUSE_PRIOS; i++)
			q[i] = (uint16_t)prng_below(&g, 3) * 50;
		pause_tx_count(&t, enable, q, now);
		rx_pfc(&r, enable, q, now);
	}
	pause_tx_account(&t, now);
	pause_rx_account(&r, now);
	assert_memory_equal(t.stats, r.stats, sizeof(t.stats));
	assert_true(t.stats[0].transitions_on > 100 && t.stats[0].expired > 10);
}

// PAUSE: whichever priority asks, all are told, in one frame; their times count, PFC frames do not.
static void test_tx_of_the_whole_link(void **state)
{
	uint16_t q[PAUSE_PRIOS];
	struct pause_tx t;

	(void)state;
	pause_tx_init(&t, 100 * RATE_GBPS);
	pause_tx_whole(&t);
	pause_tx_xoff(&t, 3, 1000);
	assert_int_equal(tx_get(&t, 1000, q), 0xff);
	assert_int_equal(q[0], 65535);
	assert_int_equal(tx_get(&t, 1000 + 65535ull * 5120 / 2, q), 0xff);
	pause_tx_xon(&t, 5, 200 * PS_PER_US);
	assert_int_equal(tx_get(&t, 200 * PS_PER_US, q), 0xff);
	assert_int_equal(q[0], 0);
	assert_true(pause_tx_deadline(&t) == TSTAMP_NEVER);
	for (unsigned c = 0; c < PAUSE_PRIOS; c++) {
		const struct pause_stats *s = &t.stats[c];

		assert_int_equal(s->xoff_frames + s->xon_frames + s->refresh_frames, 0);
		assert_int_equal(s->transitions_off, 1);
		assert_true(s->pause_effective_ps == 200 * PS_PER_US - 1000);
	}
	// A PFC frame made to order is one all the same.
	pause_tx_count(&t, 1 << 3, (uint16_t[PAUSE_PRIOS]){[3] = 10}, 300 * PS_PER_US);
	assert_int_equal(t.stats[3].xoff_frames, 1);
}

static struct pause_response late(uint16_t quanta)
{
	struct pause_response l;

	assert_int_equal(pause_response_init(&l, 100 * RATE_GBPS, quanta), 0);
	assert_true(l.delay_ps == quanta * Q100G && l.due == TSTAMP_NEVER);
	assert_null(pause_response_get(&l, TSTAMP_NEVER - 1));
	return l;
}

// Frames that come as fast as a link brings them have an instant each, and a frame that is due may
// still be there when the next one comes.
static void every_late_frame_has_its_instant(void **state)
{
	static const uint16_t response[] = {1, 2, 100, 394, 65535};
	const tstamp wire = 84 * 80;

	(void)state;
	for (unsigned k = 0; k < 5; k++) {
		struct pause_response l = late(response[k]);
		uint64_t out = 0, frames = 3ull * response[k];

		for (uint64_t i = 0; i < frames; i++) {
			const uint16_t quanta[PAUSE_PRIOS] = {[3] = (uint16_t)i};
			const struct pause_response_frame *f;

			while ((f = pause_response_get(&l, i ? i * wire - 1 : 0))) {
				assert_true(f->at == out * wire + l.delay_ps);
				assert_int_equal(f->enable, 1 << 3);
				assert_int_equal(f->quanta[3], (uint16_t)out++);
			}
			pause_response_put(&l, 1 << 3, quanta, i * wire);
			assert_true(l.due == out * wire + l.delay_ps);
		}
		while (pause_response_get(&l, frames * wire + l.delay_ps))
			out++;
		assert_int_equal(out, frames);
		pause_response_fini(&l);
	}
}

// More than a link can bring: what finds no room joins the newest, at its instant.
static void frames_that_find_no_room_join_the_newest(void **state)
{
	const struct pause_response_frame *f;
	uint16_t quanta[PAUSE_PRIOS] = {0};
	struct pause_response l = late(100);

	(void)state;
	for (unsigned i = 0; i < l.size + 2; i++) {
		quanta[i % 8] = (uint16_t)(i + 1);
		pause_response_put(&l, (uint8_t)(1 << i % 8), quanta, i);
		assert_true(l.due == 100 * Q100G);
	}
	assert_null(pause_response_get(&l, 100 * Q100G - 1));
	for (unsigned i = 0; i < l.size - 1; i++) {
		f = pause_response_get(&l, 100 * Q100G + 100);
		assert_true(f && f->at == 100 * Q100G + i);
		assert_int_equal(f->enable, 1 << i % 8);
		assert_int_equal(f->quanta[i % 8], i + 1);
	}
	f = pause_response_get(&l, 100 * Q100G + 100);
	assert_true(f->at == 100 * Q100G + l.size - 1);
	for (unsigned i = l.size - 1; i < l.size + 2; i++) {
		assert_true(f->enable >> i % 8 & 1);
		assert_int_equal(f->quanta[i % 8], i + 1);
	}
	assert_true(l.due == TSTAMP_NEVER);
	pause_response_put(&l, 1, quanta, 0);
	pause_response_clear(&l);
	assert_null(pause_response_get(&l, TSTAMP_NEVER - 1));
	pause_response_fini(&l);
}

// The watchdog's way: what is not obeyed is counted and never paused.
static void a_priority_may_stop_obeying(void **state)
{
	uint16_t quanta[PAUSE_PRIOS] = {[3] = 100};
	struct pause_rx r;

	(void)state;
	pause_rx_init(&r, 100 * RATE_GBPS, 1 << 3, false);
	pause_rx_set(&r, 1 << 3, quanta, 0);
	assert_true(pause_rx_obey(&r, 3, false, 10 * Q100G));
	assert_int_equal(r.paused, 0);
	assert_true(r.next_expiry == TSTAMP_NEVER);
	assert_true(r.stats[3].pause_effective_ps == 10 * Q100G);
	pause_rx_count(&r, 1 << 3, quanta, 20 * Q100G);
	assert_int_equal(pause_rx_set(&r, 1 << 3, quanta, 20 * Q100G), 0);
	assert_int_equal(r.stats[3].xoff_frames, 1);
	assert_false(pause_rx_obey(&r, 3, true, 30 * Q100G));
	assert_int_equal(pause_rx_set(&r, 1 << 3, quanta, 40 * Q100G), 1 << 3);
}

static void a_row_for_each_counter(void **state)
{
	(void)state;
	assert_int_equal(pause_stat_table.n, sizeof(struct pause_stats) / 8);
	for (unsigned i = 0; i < pause_stat_table.n; i++) {
		const struct stat_row *row = &pause_stat_table.row[i];

		assert_int_equal(row->offset, 8 * i);
		assert_int_equal(row->whole, !strcmp(row->name, "longest_pause_ps"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quanta_table),
		cmocka_unit_test(test_pause_lasts_to_the_ps),
		cmocka_unit_test(test_overwrite),
		cmocka_unit_test(test_enable_vector),
		cmocka_unit_test(test_pause_frame_stops_all),
		cmocka_unit_test(test_only_obeyed_priorities_stop),
		cmocka_unit_test(test_late_expiry_counts_nominal_time),
		cmocka_unit_test(test_no_expiry),
		cmocka_unit_test(test_tx_no_expiry),
		cmocka_unit_test(test_account),
		cmocka_unit_test(test_random_against_model),
		cmocka_unit_test(test_tx_xoff_and_xon),
		cmocka_unit_test(test_tx_refresh),
		cmocka_unit_test(test_tx_overtaken),
		cmocka_unit_test(test_tx_shares_a_frame),
		cmocka_unit_test(test_tx_expired_at_the_peer),
		cmocka_unit_test(test_tx_and_rx_agree),
		cmocka_unit_test(test_tx_of_the_whole_link),
		cmocka_unit_test(every_late_frame_has_its_instant),
		cmocka_unit_test(frames_that_find_no_room_join_the_newest),
		cmocka_unit_test(a_priority_may_stop_obeying),
		cmocka_unit_test(a_row_for_each_counter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
