// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/scene_opts_sw: what a port may have of its own stands first in its class's tables.
#include "scene_lab.h"

#include "schema/schema.h"

// A port's class is read over the switch's: the same rows at the same places, so that sources fit.
static void shares_its_first_rows(const struct opt_table *port, const struct opt_table *all)
{
	assert_true(port->n <= all->n);
	for (unsigned i = 0; i < port->n; i++) {
		const struct opt *a = &port->row[i], *b = &all->row[i];

		assert_string_equal(a->key, b->key);
		assert_int_equal(a->type, b->type);
		assert_int_equal(a->offset, b->offset);
		assert_int_equal(a->size, b->size);
		if (a->sub)
			shares_its_first_rows(a->sub, b->sub);
	}
}

static void test_port_class(void **state)
{
	(void)state;
	shares_its_first_rows(&scene_opts_port_class, &scene_opts_class);
	assert_ptr_equal(opt_row(&scene_opts_switch, "classes")->sub, &scene_opts_class);
	assert_ptr_equal(opt_row(&scene_opts_port, "classes")->sub, &scene_opts_port_class);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_port_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
