// SPDX-License-Identifier: BSD-3-Clause
// YAML as JSON: what is a number, a word, nothing; what stands on one line; the way back, also
// through a reader of JSON that writes it again.
#include "out/out.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static char text[1 << 16];

static struct yamldoc_node *parsed(struct arena *a, const char *yaml)
{
	struct yamldoc_node *n;
	struct err err;

	if (yamldoc_parse_own(a, &n, "test", yaml, strlen(yaml), &err))
		fail_msg("%s", err.text);
	return n;
}

// The document as JSON, in `text`.
static void json_of(const struct yamldoc_node *n)
{
	char path[] = "/tmp/quench-jwdoc-XXXXXX";
	int fd = mkstemp(path);
	struct out o;
	struct err err;
	struct jw w;
	ssize_t got;

	assert_true(fd >= 0);
	assert_int_equal(out_open(&o, path, &err), 0);
	jw_init(&w, &o);
	jwdoc_put(&w, NULL, n);
	assert_int_equal(out_close(&o, &err), 0);
	got = read(fd, text, sizeof(text) - 1);
	assert_true(got > 0);
	text[got] = '\0';
	close(fd);
	unlink(path);
}

static void is_json(const char *yaml, const char *want)
{
	struct arena a = {0};

	json_of(parsed(&a, yaml));
	assert_string_equal(text, want);
	arena_free(&a);
}

static void lines_stay_lines(void **state)
{
	(void)state;
	is_json("name: x # a comment\n"
		"switches:\n"
		"  s1:\n"
		"    map: {0..7: 1, 8: none}\n"
		"    classes:\n"
		"links:\n"
		"  - between: [[h1..4, r], s1]\n"
		"    rate: 25Gbps\n"
		"  - {between: [a, b]}\n",
		"{\n"
		"  \"name\": \"x\",\n"
		"  \"switches\": {\n"
		"    \"s1\": {\n"
		"      \"map\": {\"0..7\": 1, \"8\": \"none\"},\n"
		"      \"classes\": null\n"
		"    }\n"
		"  },\n"
		"  \"links\": [\n"
		"    {\n"
		"      \"between\": [[\"h1..4\", \"r\"], \"s1\"],\n"
		"      \"rate\": \"25Gbps\"\n"
		"    },\n"
		"    {\"between\": [\"a\", \"b\"]}\n"
		"  ]\n"
		"}\n");
}

static const struct {
	const char *yaml, *json;
} scalar[] = {
	{"0", "0"},
	{"-1", "-1"},
	{"65535", "65535"},
	{"0.00390625", "0.00390625"},
	{"-12.50", "-12.50"},
	{"999999999999999", "999999999999999"},
	{"9999999999999999", "\"9999999999999999\""}, // not as a double
	{"18446744073709551615", "\"18446744073709551615\""},
	{"1e5", "\"1e5\""},
	{"0x10", "\"0x10\""},
	{"012", "\"012\""},
	{".5", "\".5\""},
	{"1.", "\"1.\""},
	{"+1", "\"+1\""},
	{"-x", "\"-x\""},
	{"1/3", "\"1/3\""},
	{"1..4", "\"1..4\""},
	{"5us", "\"5us\""},
	{"\"5\"", "\"5\""},
	{"true", "true"},
	{"false", "false"},
	{"'true'", "\"true\""},
	{"no", "\"no\""},
	{"None", "\"None\""},
	{"~", "null"},
	{"null", "null"},
	{"\"\"", "\"\""},
	{"\"null\"", "\"null\""},
	{"\"a\\tb\\\\\\\"c\"", "\"a\\tb\\\\\\\"c\""},
	{"{}", "{}"},
	{"[]", "[]"},
};

static void scalars(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(scalar) / sizeof(scalar[0]); i++) {
		char yaml[80], want[80];

		snprintf(yaml, sizeof(yaml), "v: %s\n", scalar[i].yaml);
		snprintf(want, sizeof(want), "{\n  \"v\": %s\n}\n", scalar[i].json);
		is_json(yaml, want);
	}
}

static void same_tree(const struct yamldoc_node *a, const struct yamldoc_node *b)
{
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->n, b->n);
	assert_int_equal(yamldoc_is_null(a), yamldoc_is_null(b));
	if (a->type == YAMLDOC_SCALAR && !yamldoc_is_null(a))
		assert_string_equal(a->text, b->text);
	for (unsigned i = 0; i < a->n; i++) {
		if (a->item[i].key)
			assert_string_equal(a->item[i].key->text, b->item[i].key->text);
		same_tree(a->item[i].value, b->item[i].value);
	}
}

// As written, and as jansson writes it after it has read it.
static void reads_back_as_the_same_document(void **state)
{
	static const char yaml[] =
		"name: \"a: 'b' # \\\\ \\\"c\\\" \\t \xc3\xa9\"\nseed: 18446744073709551615\n"
		"g: 0.00390625\nregisters: {a: 0x10, B: 600}\nclasses:\nports:\n"
		"  \"s1:s2.2\": {capture: true, device: \"net_tap0,iface=x\", x: ''}\n"
		"list:\n  - 5%\n  - [1, [2, {k: ~}]]\n  - {}\n";
	struct arena a = {0};
	struct yamldoc_node *n = parsed(&a, yaml);
	json_t *json;
	char *again;

	(void)state;
	json_of(n);
	same_tree(n, parsed(&a, text));
	json = json_loads(text, 0, NULL);
	assert_non_null(json);
	again = json_dumps(json, JSON_INDENT(4));
	same_tree(n, parsed(&a, again));
	free(again);
	json_decref(json);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_stay_lines),
		cmocka_unit_test(scalars),
		cmocka_unit_test(reads_back_as_the_same_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
