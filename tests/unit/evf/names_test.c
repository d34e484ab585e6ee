// SPDX-License-Identifier: BSD-3-Clause
// Tables of names: what stands at a number, nothing beyond the end, and forms that a file can name.
#include "evf_lab.h"

static void a_number_beyond_the_end_has_no_name(void **state)
{
	struct evf_lab l;

	(void)state;
	evf_lab_open(&l);
	assert_string_equal(evf_text(&l.names->flow, 2)->s, "late");
	assert_string_equal(evf_text(&l.names->flow, 3)->s, "");
	assert_string_equal(evf_text(&l.names->flow, UINT64_MAX)->s, "");
	assert_string_equal(evf_owner_name(l.names, 0)->s, "");
	assert_string_equal(evf_owner_name(l.names, 2)->s, "incast[h1>x.1]");
	assert_string_equal(evf_owner_name(l.names, 4)->s, "noise");
	assert_string_equal(evf_owner_name(l.names, 5)->s, "");
	assert_string_equal(evf_owner_name(l.names, 6)->s, "");
	assert_string_equal(evf_port_name(l.names, 0, 1)->s, "s1:x");
	assert_string_equal(evf_port_name(l.names, 0, 2)->s, "");
	assert_string_equal(evf_port_name(l.names, 1, 0)->s, "h1:s1");
	assert_string_equal(evf_port_name(l.names, 3, 0)->s, "");
	evf_lab_close(&l);
}

static void every_form_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int form = 0; form <= EV_FORM_COUNT; form++)
		assert_int_equal(evf_form_of(evf_form_name((enum ev_form)form)), form);
	assert_int_equal(evf_form_of("of another version"), EV_FORM_NUMBER);
}

// Each field of the program's own table has the size that its form is read with, and the names that
// it is told with are there.
static void own_types_can_be_told(void **state)
{
	unsigned counts = 0;

	(void)state;
	for (unsigned i = 0; i < EV_TYPES; i++) {
		const struct ev_row *row = &ev_row[i];
		struct evf_type t;

		assert_true(evf_type_init(&t, row));
		for (unsigned k = 0; k < row->n_fields; k++) {
			unsigned size = evf_form_size((enum ev_form)row->field[k].form);

			assert_true(!size || row->field[k].size == size);
		}
		counts += evf_counts(row);
	}
	assert_int_equal(counts, 1);
	assert_true(evf_counts(&ev_row[EV_MSG_DONE]));
}

// As in a file of another version, whose rows lack a field.
static void what_is_told_with_a_missing_field_is_noticed(void **state)
{
	struct ev_row row = ev_row[EV_DEADLOCK];
	struct evf_type t;

	(void)state;
	row.n_fields--;
	assert_false(evf_type_init(&t, &row));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_beyond_the_end_has_no_name),
		cmocka_unit_test(every_form_has_a_name_of_its_own),
		cmocka_unit_test(own_types_can_be_told),
		cmocka_unit_test(what_is_told_with_a_missing_field_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
