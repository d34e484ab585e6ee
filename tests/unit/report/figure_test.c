// SPDX-License-Identifier: BSD-3-Clause
// Figures: no name twice in a list, a unit in every name that needs one, and look-up by name.
#include "record_lab.h"

#include <math.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
