// SPDX-License-Identifier: BSD-3-Clause
// Completion by size, and distributions: of all messages of the window, whole where --hdr wrote
// them, else by their percentiles.
#include "page_lab.h"

static void size(struct jw *w, struct saved *s)
{
	data_sizes(w, s);
	data_cdfs(w, s);
}

static void sizes_and_distributions(void **state)
{
	static struct lab l;
	char command[400];
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "summary.json",
		"{\"schema\": 1, \"window_from_us\": 10, \"window_to_us\": 100, "
		"\"messages_by_size\": [{\"from_bytes\": 1, \"to_bytes\": 9, \"messages\": 3, "
		"\"slowdown_p50\": 2.5, \"fct_p99_us\": null}], \"groups\": [{\"group\": \"g\", "
		"\"latency_min_us\": 1, \"latency_p50_us\": 2, \"latency_max_us\": 3}, "
		"{\"group\": \"none\", \"latency_p50_us\": null}], \"pauses\": [{\"port\": "
		"\"s1:r\", \"priority\": 3, \"direction\": \"tx\", \"episode_p50_us\": 3, "
		"\"episode_max_us\": 4}, {\"port\": \"r:s1\", \"priority\": 3, \"direction\": "
		"\"rx\", \"episode_p50_us\": 5, \"episode_max_us\": 6}]}");
	// The first ended before the window, the last one behind it.
	put(&l, "fct.txt",
		"0 0 0 0 1000 0 9000 1\n0 0 0 0 1000 5000 20000 1\n0 0 0 0 1000 5000 10000 1\n"
		"0 0 0 0 1000 90000 20000 1\n");
	snprintf(command, sizeof(command),
		"mkdir '%s/hdr' && printf '#x\\n 1.5 0.0 1 1\\n 2.5 1.0 8 inf\\n' "
		">'%s/hdr/pfc.r:s1.3.episode_us.hgrm'",
		l.out, l.out);
	assert_int_equal(system(command), 0);
	j = part_of(&l, size);
	assert_true(num(j, "sizes.0.slowdown_p50") == 2.5);
	assert_true(json_is_null(at(j, "sizes.0.fct_p99_us")));
	assert_int_equal(count(j, "cdfs"), 3);
	assert_string_equal(text(j, "cdfs.0.title"), "Flow completion time");
	assert_true(num(j, "cdfs.0.n") == 2 && num(j, "cdfs.0.x.0") == 10 &&
		    num(j, "cdfs.0.x.1") == 20);
	assert_true(num(j, "cdfs.0.y.0") == 0.5 && num(j, "cdfs.0.y.1") == 1);
	assert_string_equal(text(j, "cdfs.1.name"), "g");
	assert_true(json_is_false(at(j, "cdfs.1.exact")));
	assert_int_equal(count(j, "cdfs.1.x"), 3);
	assert_true(num(j, "cdfs.1.y.1") == 0.5 && num(j, "cdfs.1.x.2") == 3);
	assert_string_equal(text(j, "cdfs.2.name"), "r:s1.3");
	assert_true(json_is_true(at(j, "cdfs.2.exact")) && num(j, "cdfs.2.n") == 8);
	json_decref(j);
	lab_close(&l);
}

static void bins_of_the_group_with_most_messages(void **state)
{
	static struct lab l;
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "summary.json",
		"{\"schema\": 1, \"window_from_us\": 10, \"window_to_us\": 100, "
		"\"messages_by_size\": [{\"to_bytes\": 7}], \"slowdown_by_size\": ["
		"{\"group\": \"a\", \"to_bytes\": 1, \"messages\": 3}, "
		"{\"group\": \"b\", \"to_bytes\": 2, \"messages\": 2, "
		"\"slowdown_p50\": 2.5, \"fct_posted_p99_us\": 4}, "
		"{\"group\": \"b\", \"to_bytes\": 3, \"messages\": 2, "
		"\"slowdown_p50\": null}, "
		"{\"group\": \"b\", \"to_bytes\": 4, \"messages\": 0}]}");
	put(&l, "fct.txt", "");
	j = part_of(&l, size);
	assert_int_equal(count(j, "sizes"), 2);
	assert_true(num(j, "sizes.0.to_bytes") == 2 && num(j, "sizes.1.to_bytes") == 3);
	assert_true(num(j, "sizes.0.slowdown_p50") == 2.5 && num(j, "sizes.0.fct_p99_us") == 4);
	assert_true(json_is_null(at(j, "sizes.1.slowdown_p50")));
	json_decref(j);
	lab_close(&l);
}

static void a_thousand_points_of_many(void **state)
{
	static struct lab l;
	char path[160];
	json_t *j;
	FILE *f;

	(void)state;
	by_hand(&l);
	put(&l, "summary.json", SUMMARY);
	snprintf(path, sizeof(path), "%s/fct.txt", l.out);
	f = fopen(path, "w");
	assert_non_null(f);
	for (unsigned i = 0; i < 5000; i++)
		fprintf(f, "0 0 0 0 1000 20000 %u 1\n", 5000 - i);
	fclose(f);
	j = part_of(&l, size);
	assert_int_equal(count(j, "cdfs.0.x"), PAGE_POINTS);
	assert_true(num(j, "cdfs.0.n") == 5000 && num(j, "cdfs.0.x.0") == 0.001);
	assert_true(num(j, "cdfs.0.x.999") == 5 && num(j, "cdfs.0.y.999") == 1);
	json_decref(j);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_and_distributions),
		cmocka_unit_test(bins_of_the_group_with_most_messages),
		cmocka_unit_test(a_thousand_points_of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
