// SPDX-License-Identifier: BSD-3-Clause
// Bins of message sizes: given ones, ones with as many messages each, who shares them, what is
// refused.
#include "scene_lab.h"

#define SCENE(flows)    "duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS flows
#define ROW(name, more) "  " name ": {from: h1, to: r, group: w, count: 1, message: " more "}\n"

static struct scene *bins_are(
	struct scene *s, const char *flow, const uint32_t *want, unsigned n_want)
{
	const struct scene_bins *bins = NULL;

	for (unsigned i = 0; i < s->n_flows; i++)
		if (!strncmp(s->flow[i]->name, flow, strlen(flow)))
			bins = s->flow[i]->bins;
	if (!n_want) {
		assert_null(bins);
		return s;
	}
	assert_non_null(bins);
	assert_int_equal(bins->n, n_want);
	for (unsigned i = 0; i < n_want; i++)
		assert_int_equal(bins->bound[i], want[i]);
	return s;
}

#define ARE(s, flow, ...)                                  \
	bins_are(s, flow, (const uint32_t[]){__VA_ARGS__}, \
		sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void given_bounds_and_one_for_larger_messages(void **state)
{
	(void)state;
	scene_free(ARE(lab(SCENE("flows:\n" ROW("a", "5KB, bins: [1KB, 5KB, 1MB]"))), "a", 1000,
		5000, 1000000));
	scene_free(ARE(lab(SCENE("flows:\n" ROW("a", "5KB, bins: [1KB]") ROW("b", "9KB"))), "a",
		1000, 9000));
}

static void bins_hold_for_the_whole_group(void **state)
{
	struct scene *s = lab(SCENE("flows:\n" ROW("a", "5KB") ROW("b", "7KB, bins: [6KB]")
			ROW("c", "1, bins: [6KB]") "  other: {from: h2, to: r}\n"));

	(void)state;
	ARE(s, "a", 6000, 7000);
	ARE(s, "c", 6000, 7000);
	bins_are(s, "other", NULL, 0);
	assert_ptr_equal(s->flow[0]->bins, s->flow[2]->bins);
	scene_free(s);
}

static void as_many_messages_in_each(void **state)
{
	struct scene *s = lab(
		SCENE("defaults: {flows: {group: w, from: h1, to: r, count: 1}}\n"
		      "flows:\n"
		      "  a: {message: 30, bins: 2}\n  b: {message: 10}\n  c: {message: 20}\n"
		      "  d: {message: 40}\n  e: {message: 5, group: v, bins: 4, count: 6, qps: 2}\n"
		      "  f: {message: 6, group: v, count: 4}\n"));

	(void)state;
	ARE(s, "a", 20, 40);
	ARE(s, "f", 5, 6); // 12 of 16 messages: three of the four quarters end with 5 bytes
	scene_free(s);
}

static void none_is_none(void **state)
{
	(void)state;
	scene_free(bins_are(lab(SCENE("flows:\n" ROW("a", "5KB"))), "a", NULL, 0));
	scene_free(bins_are(lab(SCENE("flows:\n" ROW("a", "5KB, bins: none"))), "a", NULL, 0));
}

static void flows_of_a_list_have_ten(void **state)
{
	char path[] = "/tmp/quench-bins-XXXXXX";
	const char *text = SCENE("defaults: {flows: {group: w}}\n") "flows_from: list.txt\n";
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	struct scene *s;

	(void)state;
	assert_non_null(f);
	fputs("20\n", f);
	for (unsigned i = 20; i; i--)
		fprintf(f, "0 2 3 100 %u 0.0001\n", 100 * i);
	assert_int_equal(fclose(f), 0);
	s = lab_with(text, "flows_from", path);
	ARE(s, "f7", 200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000);
	scene_free(s);
	// Each line is a group of its own if the list has none.
	s = lab_with(SCENE("flows_from: list.txt\n"), "flows_from", path);
	bins_are(s, "f7", NULL, 0);
	scene_free(s);
	unlink(path);
}

#define LOAD(name, sizes) \
	"  " name ": {from: h1..2, to: [h1, h2, r], group: w, load: 50%, sizes: " sizes "}\n"

// Ten equal shares of a load's distribution, however its messages have queue pairs.
static void a_load_has_ten(void **state)
{
	static const char *const qps[] = {"1", "per_message"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct scene *s =
			lab_with(SCENE("flows:\n" LOAD("a", "hadoop")), "flows.a.qps", qps[i]);

		ARE(s, "a", 325, 400, 500, 600, 700, 1000, 7000, 46000, 120000, 10000000);
		scene_free(s);
	}
	scene_free(ARE(lab(SCENE("flows:\n" LOAD("a", "64KB"))), "a", 64000));
	scene_free(bins_are(lab_with(SCENE("flows:\n" LOAD("a", "64KB")), "flows.a.bins", "none"),
		"a", NULL, 0));
}

// The loads have as many bytes each, and the second has a thousand times as many messages.
static void loads_of_one_group_share_by_their_messages(void **state)
{
	struct scene *s = lab(SCENE("flows:\n" LOAD("a", "10MB") LOAD("b", "10KB")));

	(void)state;
	ARE(s, "b", 10000, 10000000);
	scene_free(s);
	scene_free(ARE(lab(SCENE("flows:\n" LOAD("a", "10MB, bins: [20KB]") LOAD("b", "10KB"))),
		"b", 20000, 10000000));
}

static void refuse(const char *bins, const char *column)
{
	char text[1024], want[64];
	struct scene *s;

	snprintf(text, sizeof(text), SCENE("flows:\n  a: {bins: %s, from: h1, to: r}\n"), bins);
	assert_int_equal(lab_try(&s, text, NULL), -EINVAL);
	snprintf(want, sizeof(want), ":%s: bins: write how many of 1 to 64", column);
	if (!strstr(lab_err.text, want))
		fail_msg("'%s' lacks '%s'", lab_err.text, want);
}

static void a_wrong_set_is_told_by_its_place(void **state)
{
	(void)state;
	refuse("0", "6:13");
	refuse("65", "6:13");
	refuse("many", "6:13");
	refuse("[]", "6:13");
	refuse("[1KB, 1KB]", "6:19");
	refuse("[0, 1KB]", "6:14");
	refuse("[1KB, 3GB]", "6:19");
	refuse("[1KB, [2KB]]", "6:19");
}

static void two_sets_of_one_group_are_refused(void **state)
{
	struct scene *s;

	(void)state;
	assert_int_equal(
		lab_try(&s, SCENE("flows:\n" ROW("a", "5KB, bins: 3") ROW("b", "5KB, bins: 4")),
			NULL),
		-EINVAL);
	assert_non_null(strstr(
		lab_err.text, "flow 'b' has other bins than flow 'a', and both are of group 'w'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_bounds_and_one_for_larger_messages),
		cmocka_unit_test(bins_hold_for_the_whole_group),
		cmocka_unit_test(as_many_messages_in_each),
		cmocka_unit_test(none_is_none),
		cmocka_unit_test(flows_of_a_list_have_ten),
		cmocka_unit_test(a_load_has_ten),
		cmocka_unit_test(loads_of_one_group_share_by_their_messages),
		cmocka_unit_test(a_wrong_set_is_told_by_its_place),
		cmocka_unit_test(two_sets_of_one_group_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
