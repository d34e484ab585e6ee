// SPDX-License-Identifier: BSD-3-Clause
// Ways over the links that a manifest has: ranges, several hops, what is not said.
#include "timeline/wires.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct wires *from_text(const char *text)
{
	json_t *manifest = json_loads(text, 0, NULL);
	struct wires *w;

	assert_non_null(manifest);
	w = wires_new(manifest);
	assert_non_null(w);
	json_decref(manifest);
	return w;
}

static const char leaf_spine[] =
	"{\"resolved\": {\"hosts\": {"
	"\"h1..3\": {\"np\": {\"mode\": \"window\", \"key\": \"qp\"}},"
	"\"r\": {\"np\": {\"mode\": \"per_packet\", \"key\": \"qp\"}},"
	"\"x1..2\": {\"np\": {\"mode\": \"window\", \"key\": \"ip_pair\"}}},"
	"\"links\": ["
	"{\"between\": [[\"h1..3\", \"x1..2\"], \"s1\"], \"delay\": \"1us\"},"
	"{\"between\": [\"s1\", \"m1..2\"], \"delay\": \"2us\"},"
	"{\"between\": [\"m1\", \"s2\"], \"delay\": \"500ns\"},"
	"{\"between\": [\"m2\", \"s2\"], \"delay\": \"50us\"},"
	"{\"between\": [\"s1\", \"s2\"], \"delay\": \"7us\"},"
	"{\"between\": [\"s2\", \"r\"], \"delay\": \"100ps\"}]}}";

static void the_shortest_way_counts(void **state)
{
	struct wires *w = from_text(leaf_spine);

	(void)state;
	assert_int_equal(wires_way(w, "s2:r", "r:s2"), 100);
	assert_int_equal(wires_way(w, "m1:s2", "r:s2"), 500 * PS_PER_NS + 100);
	assert_int_equal(wires_way(w, "m2:s2", "r:s2"), 50 * PS_PER_US + 100);
	// Out of the port that is asked for, and from there the shortest.
	assert_int_equal(wires_way(w, "s1:s2", "r:s2"), 7 * PS_PER_US + 100);
	assert_int_equal(wires_way(w, "s1:m2", "r:s2"),
		2 * PS_PER_US + 2 * PS_PER_US + 2 * PS_PER_US + 500 * PS_PER_NS + 100);
	assert_int_equal(
		wires_way(w, "r:s2", "h3:s1"), 100 + 500 * PS_PER_NS + 2 * PS_PER_US + PS_PER_US);
	// From a node by any of its ports.
	assert_int_equal(wires_between(w, "s1:h1", "r:s2"), 2 * PS_PER_US + 500 * PS_PER_NS + 100);
	assert_int_equal(wires_between(w, "r:s2", "r:s2"), 0);
	assert_int_equal(wires_between(w, "nobody", "r:s2"), 0);
	// A second link to the same peer is called .2, and a node alone is one, too.
	assert_int_equal(wires_way(w, "s2:r.2", "r"), 100);
	wires_free(w);
}

static void what_is_not_said_takes_no_time(void **state)
{
	struct wires *w = from_text(leaf_spine);

	(void)state;
	assert_int_equal(wires_way(w, "s2:r", "nobody:s2"), 0);
	assert_int_equal(wires_way(w, "nobody:s2", "r:s2"), 0);
	assert_int_equal(wires_way(w, "s2:nobody", "r:s2"), 0);
	assert_int_equal(wires_way(w, "s2:h1", "r:s2"), 0);
	assert_int_equal(wires_way(w, "s2", "r:s2"), 0);
	wires_free(w);
	w = wires_new(NULL);
	assert_non_null(w);
	assert_int_equal(wires_way(w, "s2:r", "r:s2"), 0);
	assert_true(wires_answers_first(w, "r:s2"));
	wires_free(w);
	w = from_text("{\"resolved\": {\"links\": [{\"between\": 3}, 4, {\"between\": [\"a\"],"
		      " \"delay\": \"1us\"}, {\"between\": [\"a\", \"b\"], \"delay\": \"soon\"}],"
		      " \"hosts\": []}}");
	assert_int_equal(wires_way(w, "a:b", "b:a"), 0);
	wires_free(w);
	wires_free(NULL);
}

static void a_window_answers_its_first_ce(void **state)
{
	struct wires *w = from_text(leaf_spine);

	(void)state;
	assert_true(wires_answers_first(w, "h2:s1"));
	assert_false(wires_answers_first(w, "r:s2"));
	assert_false(wires_answers_first(w, "x2:s1"));
	wires_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shortest_way_counts),
		cmocka_unit_test(what_is_not_said_takes_no_time),
		cmocka_unit_test(a_window_answers_its_first_ce),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
