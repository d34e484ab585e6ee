// SPDX-License-Identifier: BSD-3-Clause
// Jobs of a page: spans of ranks, many of which become one, and the parts of iterations.
#include "page_lab.h"

#define JOBS                                                                                   \
	"{\"schema\": 1, \"name\": \"by-hand\", \"window_from_us\": 10, \"window_to_us\": "    \
	"100, \"jobs\": [{\"job\": \"ring\", \"schedule\": \"all_reduce, ring\", \"ranks\": "  \
	"2, \"iterations_done\": 1, \"completion_us\": 20}], \"job_steps\": [{\"job\": "       \
	"\"ring\", \"number\": 0, \"completion_us\": 20, \"last_rank\": 1, \"wire_us\": 9, "   \
	"\"compute_us\": 11, \"pause_us\": 0, \"rate_us\": 0, \"resend_us\": 0, \"wait_us\": " \
	"0}, {\"job\": \"tree\", \"number\": 0}]}\n"

static json_t *page(const char *events)
{
	static char csv[400000];
	static struct lab l;
	json_t *j;

	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	put(&l, "summary.json", JOBS);
	snprintf(csv, sizeof(csv), PAGE_EVENT_HEAD "%s", events);
	put(&l, "events.csv", csv);
	j = part_of(&l, data_lanes);
	lab_close(&l);
	return j;
}

static void ranks_have_their_spans(void **state)
{
	json_t *j = page("12,job_calc,a:s1,,,ring.1 op 0 from 2 us,,,,,,,\n"
			 "13,job_calc,a:s1,,,ring.1 op 1 from 3 us,,,,,,,\n"
			 "15,job_calc,a:s1,,,ring.1 op 2 from 14 us,,,,,,,\n"
			 "20,job_message,b:s1,,,ring.0 from 1 tag 7 since 12 us,4096,,,,,,\n"
			 "22,job_step,a:s1,,,ring.1 iteration 0 from 0 to 15 us,,,,,,,\n"
			 "23,job_calc,a:s1,,,tree.0 op 2 from 14 us,,,,,,,\n");

	(void)state;
	assert_int_equal(count(j, "jobs"), 1);
	assert_string_equal(text(j, "jobs.0.schedule"), "all_reduce, ring");
	assert_int_equal(count(j, "jobs.0.lanes"), 2);
	assert_string_equal(text(j, "jobs.0.lanes.0.name"), "ring.0");
	assert_int_equal(count(j, "jobs.0.lanes.1.compute"), 2);
	assert_true(num(j, "jobs.0.lanes.1.compute.0.0") == 2);
	assert_true(num(j, "jobs.0.lanes.1.compute.0.1") == 13);
	assert_true(num(j, "jobs.0.lanes.0.messages.0.0") == 12);
	assert_true(num(j, "jobs.0.lanes.1.ends.0") == 15);
	assert_true(num(j, "jobs.0.lanes.1.bin_us") == 0);
	assert_int_equal(count(j, "jobs.0.steps"), 1);
	assert_true(num(j, "jobs.0.steps.0.parts.0") == 9);
	assert_true(num(j, "jobs.0.steps.0.parts.1") == 11);
	assert_true(num(j, "jobs.0.steps.0.last_rank") == 1);
	json_decref(j);
}

// 2000 calcs of 10 ns, 50 ns apart.
static void many_spans_become_fewer(void **state)
{
	static char events[300000];
	size_t n = 0;
	json_t *j;

	(void)state;
	for (unsigned i = 0; i < 2000; i++)
		n += (size_t)snprintf(events + n, sizeof(events) - n,
			"%.3f,job_calc,a:s1,,,ring.1 op 0 from %.3f us,,,,,,,\n", i * 0.05 + 0.01,
			i * 0.05);
	j = page(events);
	assert_in_range(count(j, "jobs.0.lanes.0.compute"), 1, PAGE_POINTS);
	assert_true(num(j, "jobs.0.lanes.0.bin_us") > 0);
	json_decref(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_have_their_spans),
		cmocka_unit_test(many_spans_become_fewer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
