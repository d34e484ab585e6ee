// SPDX-License-Identifier: BSD-3-Clause
// Figures of congestion notification by name, from rows made by hand: what is known, and what is
// not.
#include "report/figure.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

// Nothing was sent: no gap, no ratio, no quantile, no verdict.
static void what_was_not_seen_is_not_known(void **state)
{
	const struct rec_cnp rec = {.gap_min = TSTAMP_NEVER};
	const struct summary_cnp c = {.rec = &rec, .pass = NAN};
	struct figures o = {0};

	(void)state;
	figure_cnp(&o, &c);
	assert_true(figure_find(&o, "cnp_tx") == 0);
	assert_true(isnan(figure_find(&o, "cnp_per_ce")));
	assert_true(isnan(figure_find(&o, "cnp_gap_min_us")));
	assert_true(isnan(figure_find(&o, "np_delay_p99_us")));
	assert_true(isnan(figure_find(&o, "pass")));
}

static void cnps_are_in_microseconds(void **state)
{
	const struct rec_cnp rec = {.ce = 8, .cnps = 2, .expected = 3, .gap_min = 50 * PS_PER_US};
	const struct summary_cnp c = {
		.rec = &rec, .missing = 1, .cnp_rx = 2, .pass = 1, .way_us = {.n = 2, .p99 = 7}};
	struct figures o = {0};

	(void)state;
	figure_cnp(&o, &c);
	assert_true(figure_find(&o, "cnp_per_ce") == 0.25);
	assert_true(figure_find(&o, "cnp_expected") == 3);
	assert_true(figure_find(&o, "cnp_missing") == 1);
	assert_true(figure_find(&o, "cnp_gap_min_us") == 50);
	assert_true(figure_find(&o, "cnp_delay_p99_us") == 7);
	assert_true(figure_find(&o, "pass") == 1);
}

static void switches_have_ports_and_tables(void **state)
{
	const struct summary_iqcn port = {.rx_cnp = 3, .tx_cnp = 4, .heavy_percent = 12.5};
	const struct summary_iqcn_table table = {.tx_cnp = 4, .entries = 64, .st.table_full = 2};
	const struct summary_fast_cnp fast = {.tx_cnp = 5, .suppressed = 6, .unknown = 7};
	const struct summary_fast_cnp_table fasts = {.flows = 8, .st.ambiguous = 9};
	struct figures o = {0};

	(void)state;
	figure_iqcn(&o, &port);
	assert_true(figure_find(&o, "rx_cnp") == 3 && figure_find(&o, "heavy_percent") == 12.5);
	o.n = 0;
	figure_iqcn_table(&o, &table);
	assert_true(figure_find(&o, "entries") == 64 && figure_find(&o, "table_full_total") == 2);
	o.n = 0;
	figure_fast_cnp(&o, &fast);
	assert_true(figure_find(&o, "suppressed") == 6 && figure_find(&o, "unknown") == 7);
	o.n = 0;
	figure_fast_cnp_table(&o, &fasts);
	assert_true(figure_find(&o, "flows_total") == 8 && figure_find(&o, "ambiguous_total") == 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_not_seen_is_not_known),
		cmocka_unit_test(cnps_are_in_microseconds),
		cmocka_unit_test(switches_have_ports_and_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
