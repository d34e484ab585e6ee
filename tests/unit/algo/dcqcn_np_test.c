// SPDX-License-Identifier: BSD-3-Clause
// The oracle of standards.md 4.2 in all three modes, windows, bad parameters.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>

#include "algo/dcqcn_np.h"

static const uint64_t oracle_ce_us[] = {0, 10, 30, 49, 60, 170};

#define N_CE (sizeof(oracle_ce_us) / sizeof(oracle_ce_us[0]))

// Feeds CE frames as a node does (expiry first); returns the number of CNPs, their instants in us.
static unsigned feed(struct dcqcn_np *np, const uint64_t *ce_us, unsigned n, uint64_t *cnp_us)
{
	unsigned cnps = 0;

	for (unsigned i = 0; i <= n; i++) {
		tstamp now = i < n ? ce_us[i] * PS_PER_US : 10 * PS_PER_MS;
		tstamp due;

		while ((due = dcqcn_np_deadline(np)) <= now)
			if (dcqcn_np_expire(np, due))
				cnp_us[cnps++] = due / PS_PER_US;
		if (i < n && dcqcn_np_ce(np, now))
			cnp_us[cnps++] = now / PS_PER_US;
	}
	return cnps;
}

static void init(struct dcqcn_np *np, struct dcqcn_np_cfg *cfg, enum np_mode mode)
{
	struct dcqcn_np_params p = {.mode = mode, .interval_ps = 50 * PS_PER_US};

	assert_int_equal(dcqcn_np_cfg_init(cfg, &p), 0);
	dcqcn_np_init(np, cfg);
}

static void assert_cnps(enum np_mode mode, const uint64_t *want_us, unsigned n)
{
	struct dcqcn_np_cfg cfg;
	struct dcqcn_np np;
	uint64_t got_us[16];

	init(&np, &cfg, mode);
	assert_int_equal(feed(&np, oracle_ce_us, N_CE, got_us), n);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(got_us[i], want_us[i]);
}

static void test_window(void **state)
{
	(void)state;
	assert_cnps(NP_WINDOW, (const uint64_t[]){0, 50, 100, 170}, 4);
}

static void test_next_marked(void **state)
{
	(void)state;
	assert_cnps(NP_NEXT_MARKED, (const uint64_t[]){0, 60, 170}, 3);
}

static void test_per_packet(void **state)
{
	(void)state;
	assert_cnps(NP_PER_PACKET, oracle_ce_us, N_CE);
}

// A window that ended without CE makes the NP idle; the next CE is answered at once.
static void test_window_goes_idle(void **state)
{
	struct dcqcn_np_cfg cfg;
	struct dcqcn_np np;

	(void)state;
	init(&np, &cfg, NP_WINDOW);
	assert_true(dcqcn_np_deadline(&np) == TSTAMP_NEVER);
	assert_true(dcqcn_np_ce(&np, 7));
	assert_false(dcqcn_np_expire(&np, 6 + 50 * PS_PER_US));
	assert_false(dcqcn_np_expire(&np, 7 + 50 * PS_PER_US));
	assert_true(dcqcn_np_deadline(&np) == TSTAMP_NEVER);
	assert_true(dcqcn_np_ce(&np, 8 + 50 * PS_PER_US));
}

// Nobody waits for the end of a window unless a CNP is due then.
static void test_a_window_without_ce_ends_unseen(void **state)
{
	struct dcqcn_np_cfg cfg;
	struct dcqcn_np np;

	(void)state;
	init(&np, &cfg, NP_WINDOW);
	assert_true(dcqcn_np_ce(&np, 7));
	assert_true(dcqcn_np_deadline(&np) == TSTAMP_NEVER);
	assert_false(dcqcn_np_ce(&np, 6 + 50 * PS_PER_US));
	assert_int_equal(dcqcn_np_deadline(&np), 7 + 50 * PS_PER_US);
	assert_true(dcqcn_np_expire(&np, 7 + 50 * PS_PER_US));
	assert_true(dcqcn_np_deadline(&np) == TSTAMP_NEVER);
	assert_true(dcqcn_np_ce(&np, 7 + 100 * PS_PER_US));
}

// A late call does not move the grid of windows.
static void test_window_runs_from_nominal_end(void **state)
{
	struct dcqcn_np_cfg cfg;
	struct dcqcn_np np;

	(void)state;
	init(&np, &cfg, NP_WINDOW);
	assert_true(dcqcn_np_ce(&np, 0));
	assert_false(dcqcn_np_ce(&np, 1 * PS_PER_US));
	assert_true(dcqcn_np_expire(&np, 57 * PS_PER_US));
	assert_false(dcqcn_np_ce(&np, 58 * PS_PER_US));
	assert_int_equal(dcqcn_np_deadline(&np), 100 * PS_PER_US);
}

// NEXT_MARKED: the interval counts from the CNP; a frame right at its end is answered.
static void test_next_marked_boundary(void **state)
{
	struct dcqcn_np_cfg cfg;
	struct dcqcn_np np;

	(void)state;
	init(&np, &cfg, NP_NEXT_MARKED);
	assert_true(dcqcn_np_ce(&np, 0));
	assert_true(dcqcn_np_deadline(&np) == TSTAMP_NEVER);
	assert_false(dcqcn_np_ce(&np, 50 * PS_PER_US - 1));
	assert_true(dcqcn_np_ce(&np, 50 * PS_PER_US));
	assert_false(dcqcn_np_ce(&np, 100 * PS_PER_US - 1));
}

static void test_bad_params(void **state)
{
	struct dcqcn_np_cfg cfg = {.interval_ps = 42};
	struct dcqcn_np_params p = {.mode = NP_WINDOW, .interval_ps = 100 * PS_PER_MS + 1};

	(void)state;
	assert_int_equal(dcqcn_np_cfg_init(&cfg, &p), -EINVAL);
	p.interval_ps = 100 * PS_PER_MS;
	p.mode = NP_PER_PACKET + 1;
	assert_int_equal(dcqcn_np_cfg_init(&cfg, &p), -EINVAL);
	p.mode = NP_WINDOW;
	p.key = NP_KEY_PORT + 1;
	assert_int_equal(dcqcn_np_cfg_init(&cfg, &p), -EINVAL);
	assert_int_equal(cfg.interval_ps, 42); // untouched
	p.key = NP_KEY_PORT;
	p.mode = NP_PER_PACKET;
	p.interval_ps = 0;
	assert_int_equal(dcqcn_np_cfg_init(&cfg, &p), 0);
}

// Interval 0: every CE packet (standards.md 6.1 item 14).
static void test_no_interval(void **state)
{
	struct dcqcn_np_params p = {.mode = NP_WINDOW};
	struct dcqcn_np_cfg cfg;
	struct dcqcn_np np;

	(void)state;
	assert_int_equal(dcqcn_np_cfg_init(&cfg, &p), 0);
	dcqcn_np_init(&np, &cfg);
	for (tstamp t = 0; t < 5; t++)
		assert_true(dcqcn_np_ce(&np, t / 2));
	assert_true(dcqcn_np_deadline(&np) == TSTAMP_NEVER);
}

static void test_cap(void **state)
{
	struct dcqcn_np_params p = {.cnps_per_s = 20000};
	struct dcqcn_np_cap cap = {0};
	struct dcqcn_np_cfg cfg;
	unsigned taken = 0;

	(void)state;
	assert_int_equal(dcqcn_np_cfg_init(&cfg, &p), 0);
	for (tstamp t = 0; t < PS_PER_MS; t += 10 * PS_PER_US)
		taken += dcqcn_np_take(&cap, &cfg, t);
	assert_int_equal(taken, 20);                      // one in 50 us
	assert_true(dcqcn_np_take(&cap, &cfg, PS_PER_S)); // idle time saves up one
	assert_false(dcqcn_np_take(&cap, &cfg, PS_PER_S));
	p.cnps_per_s = 0;
	assert_int_equal(dcqcn_np_cfg_init(&cfg, &p), 0);
	cap.next = 0;
	for (int i = 0; i < 100; i++)
		assert_true(dcqcn_np_take(&cap, &cfg, 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_next_marked),
		cmocka_unit_test(test_per_packet),
		cmocka_unit_test(test_window_goes_idle),
		cmocka_unit_test(test_a_window_without_ce_ends_unseen),
		cmocka_unit_test(test_window_runs_from_nominal_end),
		cmocka_unit_test(test_next_marked_boundary),
		cmocka_unit_test(test_no_interval),
		cmocka_unit_test(test_cap),
		cmocka_unit_test(test_bad_params),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
