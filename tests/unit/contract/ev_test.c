// SPDX-License-Identifier: BSD-3-Clause
// Tests of the event ring and of event names.
#include "contract/contract.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void names_are_given_and_differ(void **state)
{
	(void)state;
	for (unsigned i = 0; i < EV_TYPES; i++) {
		assert_non_null(ev_row[i].name);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(ev_row[i].name, ev_row[k].name);
	}
	assert_string_equal(ev_row[EV_XOFF_TX].name, "xoff_tx");
}

// One who shows numbers as they are shows them in the column's unit.
static void field_fits(const struct ev_row *row, const struct ev_field *f)
{
	assert_true(f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8 ||
		    f->form == EV_FORM_COUNT);
	assert_int_equal(f->size ? f->offset % f->size : 0, 0);
	if (f->form == EV_FORM_FLOW || f->form == EV_FORM_HDR || f->form == EV_FORM_MILLIONTHS)
		assert_int_equal(f->size, 4);
	if (f->form == EV_FORM_US || f->form == EV_FORM_GBPS)
		assert_int_equal(f->size, 8);
	assert_true(f->offset + f->size <= sizeof(struct ev));
	assert_true(f->column < EV_COLS);
	assert_true(!f->column || f->column > EV_COL_OBJECT);
	if (f->form == EV_FORM_NUMBER && f->column)
		assert_string_equal(f->unit, ev_column[f->column].unit);
	for (const struct ev_field *g = row->field; g < f; g++) {
		assert_string_not_equal(f->name, g->name);
		assert_true(f->offset + f->size <= g->offset || g->offset + g->size <= f->offset);
		// In order of the columns; fields without a column follow.
		assert_true(f->column ? g->column && g->column < f->column : true);
	}
}

static void each_type_is_described(void **state)
{
	(void)state;
	for (unsigned i = EV_MARK; i < EV_TYPES; i++) {
		const struct ev_row *row = &ev_row[i];

		assert_true(*row->when && *row->object && row->use);
		for (unsigned k = 0; k < row->n_fields; k++)
			field_fits(row, &row->field[k]);
	}
	for (unsigned i = EV_COL_TIME; i < EV_COLS; i++)
		assert_true(*ev_column[i].name && *ev_column[i].help);
}

static const struct ev_field *field_of(enum ev_type type, const char *name)
{
	for (unsigned i = 0; i < ev_row[type].n_fields; i++)
		if (!strcmp(ev_row[type].field[i].name, name))
			return &ev_row[type].field[i];
	fail_msg("%s has no field %s", ev_row[type].name, name);
	return NULL;
}

static void fields_are_read_by_their_rows(void **state)
{
	struct ev e = {.cls = 5,
		.pause = {.quanta = 0x1234, .by = EV_RESUME_WATCHDOG, .with_class_0 = true}};

	(void)state;
	assert_int_equal(ev_get_field(&e, field_of(EV_RESUME_RX, "class")), 5);
	assert_int_equal(ev_get_field(&e, field_of(EV_PAUSE_RX, "quanta")), 0x1234);
	assert_int_equal(ev_get_field(&e, field_of(EV_RESUME_RX, "by")), EV_RESUME_WATCHDOG);
	assert_int_equal(ev_get_field(&e, field_of(EV_RESUME_RX, "with_class_0")), 1);
	e.message = (struct ev_message){.bytes = 0xfedcba98, .begun = 0x123456789abcdef};
	assert_int_equal(ev_get_field(&e, field_of(EV_MSG_DONE, "bytes")), 0xfedcba98);
	assert_true(ev_get_field(&e, field_of(EV_MSG_DONE, "begun")) == 0x123456789abcdef);
	assert_int_equal(ev_get_field(&e, field_of(EV_MSG_DONE, "number")), 0); // no event has it
}

static void ring_keeps_order_and_counts_what_is_lost(void **state)
{
	struct ev slot[4];
	struct ev_ring r = {.slot = slot, .mask = 3, .want = 1ull << EV_MARK | 1ull << EV_DROP};

	(void)state;
	memset(slot, 0xff, sizeof(slot));
	r.head = r.tail = UINT32_MAX - 1; // indices may wrap
	for (unsigned i = 0; i < 4; i++) {
		struct ev *e = ev_put(&r, EV_MARK, 100 + i);

		assert_non_null(e);
		assert_int_equal(e->mark.queue_bytes, 0);
		assert_int_equal(e->port, 0);
		e->mark.queue_bytes = i;
	}
	assert_null(ev_put(&r, EV_DROP, 104));
	assert_int_equal(r.lost, 1);
	for (unsigned i = 0; i < 4; i++) {
		const struct ev *e = ev_get(&r);

		assert_non_null(e);
		assert_int_equal(e->type, EV_MARK);
		assert_int_equal(e->t, 100 + i);
		assert_int_equal(e->mark.queue_bytes, i);
	}
	assert_null(ev_get(&r));
	assert_non_null(ev_put(&r, EV_DROP, 105));
	assert_int_equal(ev_get(&r)->t, 105);
	ev_rewind(&r);
	assert_ptr_equal(ev_put(&r, EV_DROP, 106), slot);
	assert_ptr_equal(ev_get(&r), slot);
	assert_null(ev_get(&r));
}

static void unwanted_event_costs_no_slot(void **state)
{
	struct ev slot[1];
	struct ev_ring r = {.slot = slot, .mask = 0, .want = 1ull << EV_DROP};

	(void)state;
	assert_null(ev_put(&r, EV_MARK, 1));
	assert_int_equal(r.lost, 0);
	assert_non_null(ev_put(&r, EV_DROP, 1));
	assert_null(ev_put(&r, EV_MARK, 2)); // full, but unwanted: not lost
	assert_int_equal(r.lost, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_given_and_differ),
		cmocka_unit_test(each_type_is_described),
		cmocka_unit_test(fields_are_read_by_their_rows),
		cmocka_unit_test(ring_keeps_order_and_counts_what_is_lost),
		cmocka_unit_test(unwanted_event_costs_no_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
