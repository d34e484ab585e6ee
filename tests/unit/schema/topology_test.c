// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/scene_opts_topo: shapes in the order of their enum, ranges and defaults of what each
// takes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "schema/schema.h"

static void shapes_stand_in_order(void **state)
{
	static const char *const name[SPEC_SHAPES] = {
		"star", "dumbbell", "parking_lot", "leaf_spine", "ring"};

	(void)state;
	assert_int_equal(scene_opts_topology.n, SPEC_SHAPES);
	for (unsigned i = 0; i < SPEC_SHAPES; i++) {
		const struct opt *row = &scene_opts_topology.row[i];

		assert_string_equal(row->key, name[i]);
		assert_string_equal(row->sub->name, name[i]);
		assert_int_equal(row->offset,
			offsetof(struct spec_topology, net) + i * sizeof(struct spec_net));
	}
}

// What counts nodes must be said; what links have comes from elsewhere.
static void counts_are_required(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SPEC_SHAPES; i++) {
		const struct opt_table *t = scene_opts_topology.row[i].sub;

		assert_non_null(opt_row(t, "hosts"));
		assert_non_null(opt_row(t, "rate"));
		assert_true(!opt_row(t, "trunk_rate") == (i == SPEC_STAR));
		for (unsigned k = 0; k < t->n; k++) {
			const struct opt *row = &t->row[k];

			assert_true((row->type == OPT_UINT) == !!(row->flags & OPT_F_REQUIRED));
			assert_null(row->def);
			assert_true(row->type != OPT_UINT || row->min > 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_stand_in_order),
		cmocka_unit_test(counts_are_required),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
