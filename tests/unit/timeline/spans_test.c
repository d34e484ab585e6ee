// SPDX-License-Identifier: BSD-3-Clause
// States of queues: which begin, which end, and which are still there when the record ends.
#include "timeline/spans.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void take(struct spans *s, struct found *f, enum ev_type type, unsigned object, int cls,
	tstamp t, uint64_t event)
{
	struct saved_ev ev = {.t = t, .type = type, .object = object, .cls = cls, .detail = ""};

	spans_take(s, f, &ev, event, 100);
}

static void types_come_in_pairs(void **state)
{
	enum span_kind begins = SPAN_KINDS, ends = SPAN_KINDS;

	(void)state;
	assert_true(span_begins(EV_PAUSE_RX, &begins) && span_ends(EV_RESUME_RX, &ends));
	assert_int_equal(begins, ends);
	assert_true(span_begins(EV_PFCWD_STORM, &begins) && span_ends(EV_PFCWD_RESTORE, &ends));
	assert_int_equal(begins, ends);
	assert_true(span_begins(EV_DEADLOCK, &begins) && span_ends(EV_DEADLOCK_END, &ends));
	assert_int_equal(begins, ends);
	assert_false(span_begins(EV_RESUME_RX, &begins));
	assert_false(span_ends(EV_PAUSE_RX, &ends));
	assert_false(span_begins(EV_MARK, &begins));
}

static void those_that_reach_into_the_time_are_found(void **state)
{
	const struct found_entry *e;
	struct spans s = {0};
	struct found f = {0};

	(void)state;
	take(&s, &f, EV_PAUSE_RX, 0, 3, 10, 0); // over before 100
	take(&s, &f, EV_RESUME_RX, 0, 3, 99, 1);
	take(&s, &f, EV_PAUSE_RX, 0, 3, 99, 2);   // into it
	take(&s, &f, EV_PAUSE_RX, 500, 7, 50, 3); // never ends
	take(&s, &f, EV_PFCWD_STORM, 0, 3, 60, 4);
	take(&s, &f, EV_RESUME_RX, 0, 3, 100, 5);
	take(&s, &f, EV_PAUSE_RX, 0, 3, 120, 6); // within
	take(&s, &f, EV_RESUME_RX, 0, 3, 130, 7);
	take(&s, &f, EV_DEADLOCK, 1, 0, 140, 8); // never ends
	take(&s, &f, EV_PFCWD_RESTORE, 0, 3, 150, 9);
	take(&s, &f, EV_RESUME_RX, 2, 1, 160, 10); // never began
	take(&s, &f, EV_PAUSE_RX, 2, -1, 170, 11); // no class
	spans_end(&s, &f);
	found_sort(&f);
	for (uint64_t i = 0; i < 12; i++) {
		size_t n = found_of(&f, i, &e);

		if (i == 2 || i == 4) {
			assert_int_equal(n, 1);
			assert_int_equal(e->what, FOUND_LATE);
		} else if (i == 3 || i == 8) {
			assert_int_equal(n, 2);
			assert_true(e[0].what == FOUND_LATE && e[1].what == FOUND_NO_END);
		} else {
			assert_int_equal(n, 0);
		}
	}
	assert_false(f.no_memory);
	assert_null(spans_of(&s, 0, 8, SPAN_PAUSE));
	spans_fini(&s);
	found_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_come_in_pairs),
		cmocka_unit_test(those_that_reach_into_the_time_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
