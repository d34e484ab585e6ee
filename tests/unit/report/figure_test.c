// SPDX-License-Identifier: BSD-3-Clause
// Figures: no name twice in a list, a unit in every name that needs one, look-up by name, and what
// is known of rows made by hand.
#include "record_lab.h"

#include <cmocka.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include "report/figure.h"

static char *page; // docs/measuring.md

// Every name is explained, between backquotes.
static void names_are_explained(const struct figures *o)
{
	for (unsigned i = 0; i < o->n; i++) {
		char quoted[64];

		snprintf(quoted, sizeof(quoted), "`%s`", o->f[i].name);
		if (!strstr(page, quoted))
			fail_msg("docs/measuring.md does not explain %s", o->f[i].name);
	}
}

static void names_are_unique(const struct figures *o)
{
	assert_true(o->n > 0);
	for (unsigned i = 0; i < o->n; i++)
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(o->f[i].name, o->f[k].name))
				fail_msg("%s twice", o->f[i].name);
}

static void lists(void **state)
{
	static struct lab l;
	const struct summary *s;
	struct figures o;

	(void)state;
	page = text_of(TEST_DATA "/../../docs/measuring.md");
	lab_open(&l, LAB_TWO_TO_ONE
		"  noise: {from: h2, to: r, class: 0, open_loop: {size: 500, rate: 2%}}\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	s = l.rec->sum;
#define LIST(call)                       \
	do {                             \
		o.n = 0;                 \
		call;                    \
		names_are_unique(&o);    \
		names_are_explained(&o); \
	} while (0)
	LIST(figure_flow(&o, &s->flow[0]));
	LIST(figure_group(&o, &s->group[0]));
	LIST(figure_queue(&o, &s->queue[0]));
	LIST(figure_pause(&o, &s->pause[0]));
	LIST(figure_pg(&o, &s->pg[0]));
	LIST(figure_deadlock(&o, &(struct deadlock){0}));
	LIST(figure_pool(&o, &(struct summary_pool){0}));
	LIST(figure_cp(&o, &(struct summary_cp){0}));
	LIST(figure_iqcn(&o, &(struct summary_iqcn){0}));
	LIST(figure_iqcn_table(&o, &(struct summary_iqcn_table){0}));
	LIST(figure_wd(&o, &(struct summary_wd){0}));
	LIST(figure_link(&o, &s->link[0]));
	LIST(figure_source(&o, &s->source[0]));
	LIST(figure_total(&o, &s->total));
	LIST(figure_sw_drops(&o, &s->total));
	LIST(figure_nic_drops(&o, &s->total));
	LIST(figure_replay(&o, &(struct summary_replay){0}));
	LIST(figure_rxbuf(&o, &(struct summary_rxbuf){.node = &l.scene->node[0]}));
	lab_close(&l);
	free(page);
}

static void by_name(void **state)
{
	struct figures o = {.n = 2, .f = {{"a", 1, 0}, {"b_bytes", 2, 0}}};

	(void)state;
	assert_true(figure_find(&o, "b_bytes") == 2);
	assert_true(isnan(figure_find(&o, "b")));
	assert_true(isnan(figure_find(&o, "")));
}

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
		cmocka_unit_test(lists),
		cmocka_unit_test(by_name),
		cmocka_unit_test(what_was_not_seen_is_not_known),
		cmocka_unit_test(cnps_are_in_microseconds),
		cmocka_unit_test(switches_have_ports_and_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
