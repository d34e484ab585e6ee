// SPDX-License-Identifier: BSD-3-Clause
// Steps of a lab: the lists that it refuses, its sums, and questions about a sight.
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "lab/lab.h"
#include "wire/pfc.h"

static int says_5us(
	struct lab *lab, const struct lab_step *step, struct lab_sight *sight, struct err *err)
{
	(void)lab, (void)step, (void)err;
	sight->took = 5 * PS_PER_US;
	return 0;
}

static void a_lab_adds_up_its_steps(void **state)
{
	struct lab lab = {.ports = 2, .step = says_5us};
	struct lab_step step = {.name = "two"};
	struct lab_sight sight;
	struct err err;

	(void)state;
	assert_int_equal(lab_do(&lab, &step, &sight, &err), 0);
	assert_int_equal(lab_do(&lab, &step, &sight, &err), 0);
	assert_int_equal(lab.steps, 2);
	assert_int_equal(lab.scene_time, 10 * PS_PER_US);
}

static void a_list_that_cannot_be_sent_is_refused(void **state)
{
	struct lab lab = {.ports = 2, .step = says_5us};
	const struct tester_item good = {
		.kind = TESTER_DATA, .after = TESTER_AT_START, .count = 1, .len = 60, .to = 1};
	struct tester_item bad = good;
	struct lab_step step = {.name = "one"};
	struct lab_sight sight;
	struct err err;

	(void)state;
	step.port[1] = (struct lab_list){&good, 1};
	assert_int_equal(lab_do(&lab, &step, &sight, &err), 0);
	step.port[2] = (struct lab_list){&good, 1};
	assert_int_equal(lab_do(&lab, &step, &sight, &err), -EINVAL);
	assert_string_equal(err.text, "one: port 2 cannot send such a list");
	step.port[2].n = 0;
	step.port[0] = (struct lab_list){&bad, 1};
	bad.to = 2;
	assert_int_equal(lab_do(&lab, &step, &sight, &err), -EINVAL);
	bad = good;
	bad.len = 59;
	assert_int_equal(lab_do(&lab, &step, &sight, &err), -EINVAL);
	bad = good;
	bad.after = 0;
	assert_int_equal(lab_do(&lab, &step, &sight, &err), -EINVAL);
	assert_int_equal(sight.took, 0);
}

static const struct tester_control control[] = {
	{.opcode = MACCTL_PFC, .pfc = {.enable = 0x18, .quanta = {0, 0, 0, 7, 9}}},
	{.opcode = MACCTL_PAUSE, .pfc = {.enable = 0x18, .quanta = {7, 7, 7, 7, 9}}},
	{.opcode = MACCTL_PFC, .pfc = {.enable = 0x10, .quanta = {0, 0, 0, 7, 0}}},
	{.opcode = MACCTL_PFC, .pfc = {.enable = 0x08, .quanta = {0, 0, 0, 8, 0}}},
};

static const struct tester_seen entry[] = {
	{.at = 10, .frame = TESTER_OURS, .source = 1, .sent = true},
	{.at = 11, .frame = TESTER_CONTROL, .number = 0},
	{.at = 12, .frame = TESTER_OURS, .source = 1, .sent = true},
	{.at = 12, .frame = TESTER_OURS, .source = 2, .sent = true},
	{.at = 13, .frame = TESTER_CONTROL, .number = 1},
	{.at = 13, .frame = TESTER_OURS, .source = 1},
	{.at = 14, .frame = TESTER_CONTROL, .number = 3, .sent = true},
	{.at = 15, .frame = TESTER_CONTROL, .number = 2},
	{.at = 15, .frame = TESTER_OTHER, .source = 1},
	{.at = 16, .frame = TESTER_CONTROL, .number = 3},
};

static const struct lab_seen seen = {entry, sizeof(entry) / sizeof(*entry), control, 4};

static void frames_of_a_source_are_counted_until_an_instant(void **state)
{
	(void)state;
	assert_int_equal(lab_sent(&seen, 1, 10), 0);
	assert_int_equal(lab_sent(&seen, 1, 12), 1);
	assert_int_equal(lab_sent(&seen, 1, 13), 2);
	assert_int_equal(lab_sent(&seen, 2, TSTAMP_NEVER), 1);
	assert_int_equal(lab_came(&seen, 1, 12), 0);
	assert_int_equal(lab_came(&seen, 1, 13), 1);
	assert_int_equal(lab_came(&seen, 1, TSTAMP_NEVER), 1);
}

static void pfc_that_came_is_found_by_class_and_kind(void **state)
{
	uint32_t at = UINT32_MAX;

	(void)state;
	assert_ptr_equal(lab_pfc(&seen, 3, true, &at), &entry[1]);
	assert_int_equal(lab_control(&seen, &entry[at])->pfc.quanta[3], 7);
	assert_ptr_equal(lab_pfc(&seen, 3, true, &at), &entry[9]);
	assert_null(lab_pfc(&seen, 3, true, &at));
	at = UINT32_MAX;
	assert_ptr_equal(lab_pfc(&seen, 4, false, &at), &entry[7]);
	assert_null(lab_pfc(&seen, 4, false, &at));
	at = UINT32_MAX;
	assert_null(lab_pfc(&seen, 3, false, &at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lab_adds_up_its_steps),
		cmocka_unit_test(a_list_that_cannot_be_sent_is_refused),
		cmocka_unit_test(frames_of_a_source_are_counted_until_an_instant),
		cmocka_unit_test(pfc_that_came_is_found_by_class_and_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
