// SPDX-License-Identifier: BSD-3-Clause
// Events of jobs are read back from their text, and a broken text is none.
#include "saved_lab.h"

#include "evf/evf.h"
#include "saved/saved.h"

static struct saved_job got;

static bool reads(enum ev_type type, const char *detail)
{
	struct saved_ev ev = {.t = 100 * PS_PER_US, .type = type, .detail = detail};

	return saved_job(&ev, &got);
}

static void each_type_is_read(void **state)
{
	(void)state;
	assert_true(reads(EV_JOB_STEP, "ring.3 iteration 2 from 10 to 92.500000 us"));
	assert_memory_equal(got.rank, "ring.3 ", 7);
	assert_true(got.name_len == 4 && got.rank_len == 6 && got.number == 3 && got.of == 2);
	assert_true(got.from == 10 * PS_PER_US && got.to == 92500000);
	assert_true(reads(EV_JOB_PART, "my.ring.12 iteration 0 resend 0.000001 us"));
	assert_true(got.name_len == 7 && got.rank_len == 10 && got.number == 12);
	assert_true(got.part == JOB_RESEND && got.part_ps == 1);
	assert_true(reads(EV_JOB_CALC, "ring.0 op 7 from 20.500000 us"));
	assert_true(got.of == 7 && got.from == 20500000);
	assert_true(reads(EV_JOB_MESSAGE, "ring.0 from 5 tag 4294967295 since 0 us"));
	assert_true(got.of == 5 && got.tag == UINT32_MAX && got.from == 0);
}

static void each_part_has_its_name(void **state)
{
	char text[80];

	(void)state;
	for (unsigned i = 0; i < JOB_PARTS; i++) {
		snprintf(text, sizeof(text), "j.0 iteration 1 %s 2 us", evf_part_name(i));
		assert_true(reads(EV_JOB_PART, text) && got.part == i);
	}
}

static void anything_else_is_none(void **state)
{
	(void)state;
	assert_false(reads(EV_MARK, "ring.3 op 7 from 20 us"));
	assert_false(reads(EV_JOB_CALC, ""));
	assert_false(reads(EV_JOB_CALC, ".3 op 7 from 20 us"));
	assert_false(reads(EV_JOB_CALC, "ring op 7 from 20 us"));
	assert_false(reads(EV_JOB_CALC, "ring.3 op from 20 us"));
	assert_false(reads(EV_JOB_CALC, "ring.3 op 7 from us"));
	assert_false(reads(EV_JOB_CALC, "ring.3 op 4294967296 from 20 us"));
	assert_false(reads(EV_JOB_STEP, "ring.3 iteration 0 from 20 us"));
	assert_false(reads(EV_JOB_PART, "ring.3 iteration 0 lunch 20 us"));
	assert_false(reads(EV_JOB_MESSAGE, "ring.3 from 2 tag 5"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_type_is_read),
		cmocka_unit_test(each_part_has_its_name),
		cmocka_unit_test(anything_else_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
