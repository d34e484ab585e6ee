// SPDX-License-Identifier: BSD-3-Clause
// Names of figures told without a run: each kind has some, none twice, and what a run lists is
// among them.
#include "record_lab.h"

#include "report/figure.h"

static bool is_named(enum figure_kind kind, const char *name)
{
	const char *one;
	unsigned n = 0;

	for (unsigned i = 0; (one = figure_path_name(kind, i)); i++)
		n += !strcmp(one, name);
	return n == 1;
}

static void every_kind_has_names(void **state)
{
	(void)state;
	for (unsigned k = 0; k < FIGURE_KINDS; k++) {
		const char *one;
		unsigned i = 0;

		for (; (one = figure_path_name((enum figure_kind)k, i)); i++)
			if (!is_named((enum figure_kind)k, one))
				fail_msg("kind %u: %s is not there once", k, one);
		assert_true(i > 0);
	}
}

static void what_may_be_left_out_is_named(void **state)
{
	(void)state;
	assert_true(is_named(FIGURE_FLOW, "rp_decrease"));
	assert_true(is_named(FIGURE_FLOW, "hyper_increase_percent"));
	assert_true(is_named(FIGURE_QUEUE, "kmin_bytes"));
	assert_true(is_named(FIGURE_QUEUE, "shared_limit_bytes"));
	assert_true(is_named(FIGURE_PG, "shared_max_bytes_total"));
	assert_true(is_named(FIGURE_PFC_TX, "headroom_needed_bytes"));
	assert_true(is_named(FIGURE_NIC, "rx_icrc_errors"));
	assert_true(is_named(FIGURE_PORT, "malformed_forwarded_frames"));
	assert_null(figure_path_name(FIGURE_PORT, 1000));
}

static void what_a_run_lists_is_named(void **state)
{
	static struct lab l;
	const struct summary *s;
	struct figures o = {0};

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	s = l.rec->sum;
#define LIST(kind, call)                                     \
	do {                                                 \
		o.n = 0;                                     \
		call;                                        \
		for (unsigned i = 0; i < o.n; i++)           \
			if (!is_named(kind, o.f[i].name))    \
				fail_msg("%s", o.f[i].name); \
	} while (0)
	LIST(FIGURE_FLOW, figure_flow(&o, &s->flow[0]));
	LIST(FIGURE_GROUP, figure_group(&o, &s->group[0]));
	LIST(FIGURE_QUEUE, figure_queue(&o, &s->queue[0]));
	LIST(FIGURE_MARKING, figure_marking(&o, &s->marking[0]));
	for (unsigned k = 0; k < s->n_pauses; k++)
		LIST(FIGURE_PFC, figure_pause(&o, &s->pause[k]));
	LIST(FIGURE_PG, figure_pg(&o, &s->pg[0]));
	LIST(FIGURE_CNP, figure_cnp(&o, &s->cnp[0]));
	LIST(FIGURE_NP, figure_np(&o, &s->np[0]));
	LIST(FIGURE_LINK, figure_link(&o, &s->link[0]));
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_has_names),
		cmocka_unit_test(what_may_be_left_out_is_named),
		cmocka_unit_test(what_a_run_lists_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
