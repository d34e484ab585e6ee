// SPDX-License-Identifier: BSD-3-Clause
// Places of nodes, what is refused and where, values set from outside.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/conf.h"

static struct arena arena;
static struct err err;

static struct yamldoc_node *parse(const char *text)
{
	struct yamldoc_node *root = NULL;

	if (yamldoc_parse(&arena, &root, "t.yaml", text, strlen(text), &err))
		fail_msg("%s", err.text);
	return root;
}

// A text of ours may be longer than a scenario, and have more keys than a person writes.
static void own_texts_have_no_limits(void **state)
{
	unsigned keys = YAMLDOC_MAX_NODES / 2;
	char *text = malloc(64 + 32ul * keys), *to = text;
	struct yamldoc_node *root;

	(void)state;
	to += sprintf(to, "list:\n");
	for (unsigned i = 0; i < keys; i++)
		to += sprintf(to, "  - item-of-our-own-%07u\n", i);
	assert_true((unsigned)(to - text) > YAMLDOC_MAX_BYTES);
	assert_int_equal(
		yamldoc_parse(&arena, &root, "t", text, (size_t)(to - text), &err), -EINVAL);
	assert_int_equal(yamldoc_parse_own(&arena, &root, "t", text, (size_t)(to - text), &err), 0);
	assert_int_equal(root->item[0].value->n, keys);
	free(text);
}

static void braces_are_known(void **state)
{
	const struct yamldoc_node *r = parse("a: {b: 1}\nc: [1]\n"
					     "d:\n  e: 1\nf:\n- 1\n");

	(void)state;
	assert_true(yamldoc_get(r, "a")->flow && yamldoc_get(r, "c")->flow);
	assert_false(r->flow || yamldoc_get(r, "d")->flow || yamldoc_get(r, "f")->flow);
}

static void refuse(const char *text, const char *want)
{
	struct yamldoc_node *root = NULL;

	assert_int_equal(yamldoc_parse(&arena, &root, "t.yaml", text, strlen(text), &err), -EINVAL);
	if (strncmp(err.text, want, strlen(want)) != 0)
		fail_msg("'%s' instead of '%s'", err.text, want);
}

static void nodes_know_their_place(void **state)
{
	const struct yamldoc_node *r = parse("a: 1\nb:\n  c: [x, \"~\"]\n  s1:r: {d: e}\nn:\n");
	const struct yamldoc_node *b = yamldoc_get(r, "b"), *c = yamldoc_get(b, "c");

	(void)state;
	assert_int_equal(r->type, YAMLDOC_MAP);
	assert_string_equal(yamldoc_get(r, "a")->text, "1");
	assert_int_equal(yamldoc_get(r, "a")->line, 1);
	assert_int_equal(yamldoc_get(r, "a")->column, 4);
	assert_int_equal(c->type, YAMLDOC_LIST);
	assert_int_equal(c->n, 2);
	assert_int_equal(c->item[1].value->line, 3);
	assert_int_equal(c->item[1].value->column, 10);
	assert_true(c->item[1].value->quoted);
	assert_false(yamldoc_is_null(c->item[1].value));
	assert_string_equal(yamldoc_get(yamldoc_get(b, "s1:r"), "d")->text, "e");
	assert_true(yamldoc_is_null(yamldoc_get(r, "n")));
	assert_null(yamldoc_get(r, "x"));
	assert_null(yamldoc_get(yamldoc_get(r, "a"), "x"));
}

// Editors of another house begin a file with a byte order mark.
static void a_byte_order_mark_is_no_text(void **state)
{
	const struct yamldoc_node *a = yamldoc_get(parse("\xef\xbb\xbf"
							 "a: 1\nb: 2\n"),
		"a");

	(void)state;
	assert_non_null(a);
	assert_int_equal(a->line, 1);
	assert_int_equal(a->column, 4);
	refuse("\xef\xbb\xbf"
	       "a: 1\n\xff",
		"t.yaml:2:1: not text: ");
}

static void what_is_not_closed_is_told_where_it_opens(void **state)
{
	(void)state;
	refuse("a: 1\nh: {x: {}, y: {}\nl: {a: [b, c]}\n",
		"t.yaml:2:4: not YAML: the brace that opens here is not closed");
	refuse("l: [a,\n  b, {c: d}\ne: {f: g}\n",
		"t.yaml:1:4: not YAML: the bracket that opens here is not closed");
	refuse("a: {b: [1, {c: 2]}\n", "t.yaml:1:12: not YAML: the brace that opens here is");
	refuse("a: \"b\nc: {d: e}\n", "t.yaml:1:4: not YAML: the quote that opens here is");
	refuse("a: 'b\n", "t.yaml:1:4: not YAML: the quote that opens here is");
	// Closed, with another mistake; brackets in quotes, comments and words count for nothing.
	refuse("a: {b: \"{\" \"c\"} # {\n", "t.yaml:1:12: not YAML: while parsing a flow mapping");
	refuse("l: [\n  {a: b}\n  {c: d}\n]\n", "t.yaml:3:3: not YAML: while parsing a flow seq");
	refuse("a: b\n  c: d\ne: {\n", "t.yaml:2:4: not YAML: mapping values");
}

static void what_no_scenario_needs_is_refused(void **state)
{
	(void)state;
	refuse("", "t.yaml:1:1: empty");
	refuse("# nothing\n", "t.yaml:1:1: empty");
	refuse("a: 1\nb: 2\na: 3\n", "t.yaml:3:1: 'a' stands here twice (first in line 1)");
	refuse("a: &x 1\n", "t.yaml:1:4: anchors");
	refuse("a: *x\n", "t.yaml:1:4: aliases");
	refuse("a: !!int 1\n", "t.yaml:1:4: tags");
	refuse("a: 1\n---\nb: 1\n", "t.yaml:2:1: a second document");
	refuse("{a: b}: c\n", "t.yaml:1:1: a key must be plain text");
	refuse("a: [1\nb: 2\n", "t.yaml:");
	refuse("a: 1\n b: 2\n", "t.yaml:2:");
	refuse("a: \"x\\0y\"\n", "t.yaml:1:4: a NUL");
	refuse("a: 1\nb: \x01\n", "t.yaml:2:4: not text");
	refuse("a: 1\nb: \xff\xfe\n", "t.yaml:2:4: not text");
	refuse("[[[[[[[[[[[[[[[[[[[[[[[[[[", "t.yaml:1:17: nested too deeply");
}

static void a_tab_that_indents_is_called_a_tab(void **state)
{
	static const struct {
		const char *text, *place;
	} wrong[] = {
		{"\tb: 2\n", "t.yaml:1:1"},
		{"a:\n\tb: 1\n", "t.yaml:2:1"},
		{"a:\n  \tb: 1\n", "t.yaml:2:3"},
		{"a:\n  b: 1\n\tc: 2\n", "t.yaml:3:1"},
		{"a:\n  -\tb: 1\n", "t.yaml:2:4"},
		{"a: |\n\tb\n", "t.yaml:2:1"},
		{"\xc3\xa4: \xc3\xb6\n \tb: 1\n", "t.yaml:2:2"},
		{"\xef\xbb\xbf\tb: 1\n", "t.yaml:1:1"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char want[100];

		snprintf(want, sizeof(want),
			"%s: a tab cannot indent a line of YAML; write two spaces for each level",
			wrong[i].place);
		refuse(wrong[i].text, want);
	}
	parse("a:\t1\nb: [1,\n\t2]\n");
}

static void a_file_too_long_is_refused(void **state)
{
	char *text = calloc(1, YAMLDOC_MAX_BYTES + 2);

	(void)state;
	memset(text, '\n', YAMLDOC_MAX_BYTES + 1);
	refuse(text, "t.yaml:1:1: longer than");
	text[YAMLDOC_MAX_BYTES] = 0;
	refuse(text, "t.yaml:1:1: empty");
	free(text);
}

static void a_file_that_cannot_be_read_is_told(void **state)
{
	struct yamldoc_node *root;

	(void)state;
	assert_int_equal(yamldoc_read(&arena, &root, "/nowhere/x.yaml", &err), -ENOENT);
	assert_string_equal(err.text, "/nowhere/x.yaml: No such file or directory");
	assert_int_equal(yamldoc_read(&arena, &root, "/", &err), -EISDIR);
}

static const char *after(const char *text, const char *path, const char *value, const char *where)
{
	struct yamldoc_node *root = parse(text);
	const struct yamldoc_node *n = root;
	char keys[100], *save = NULL;

	if (yamldoc_set(&arena, root, "--set", path, value, &err))
		fail_msg("%s", err.text);
	snprintf(keys, sizeof(keys), "%s", where);
	for (char *k = strtok_r(keys, "/", &save); k && n; k = strtok_r(NULL, "/", &save))
		n = n->type == YAMLDOC_LIST ? n->item[atoi(k)].value : yamldoc_get(n, k);
	assert_non_null(n);
	assert_int_equal(n->line, 0);
	return n->type == YAMLDOC_SCALAR ? n->text : "nested";
}

static void a_path_sets_a_value(void **state)
{
	(void)state;
	assert_string_equal(after("a: {b: 1}\n", "a.b", "2", "a/b"), "2");
	assert_string_equal(after("a: {b: 1}\n", "a.c.d", "3", "a/c/d"), "3");
	assert_string_equal(after("a:\n", "a.c", "3", "a/c"), "3");
	assert_string_equal(after("l: [{x: 1}, {x: 2}]\n", "l.1.x", "9", "l/1/x"), "9");
	assert_string_equal(
		after("hosts: {h1..8: {a: 1}}\n", "hosts.h1..8.a", "2", "hosts/h1..8/a"), "2");
	assert_string_equal(after("hosts: {}\n", "hosts.h1..8.a", "2", "hosts/h1..8/a"), "2");
	assert_string_equal(
		after("ports: {s1:r.2: {a: 1}}\n", "ports.s1:r.2.a", "2", "ports/s1:r.2/a"), "2");
	assert_string_equal(after("a: 1\n", "a", "[h1, h2]", "a"), "nested");
}

static void refuse_set(const char *path, const char *value, const char *want)
{
	struct yamldoc_node *root = parse("a: {b: 1}\nl: [1, 2]\n");

	assert_int_equal(yamldoc_set(&arena, root, "--set", path, value, &err), -EINVAL);
	if (strncmp(err.text, want, strlen(want)) != 0)
		fail_msg("'%s' instead of '%s'", err.text, want);
}

static void a_path_that_leads_nowhere_is_told(void **state)
{
	(void)state;
	refuse_set("a.b.c", "1", "--set a.b.c=1: 'c' leads nowhere");
	refuse_set("l.2", "1", "--set l.2=1: '2' leads nowhere");
	refuse_set("l.x", "1", "--set l.x=1: 'x' leads nowhere");
	refuse_set(".a", "1", "--set .a=1: '' leads nowhere");
	refuse_set("", "1", "--set =1: a path is missing");
	refuse_set("a", "", "--set a=: a value is missing");
	refuse_set(
		"a", "[1", "--set a=[1:1:1: not YAML: the bracket that opens here is not closed");
}

static void a_node_without_place_has_its_origin(void **state)
{
	const struct yamldoc_node n = {.where = "--set a=1"};

	(void)state;
	assert_int_equal(yamldoc_err(&err, &n, "wrong: %d", 3), -EINVAL);
	assert_string_equal(err.text, "--set a=1: wrong: 3");
}

// Where a value begins in the text, by the place that its node has.
static size_t place_of(const char *text, const char *key)
{
	const struct yamldoc_node *n = yamldoc_get(parse(text), key);
	size_t at = 0;

	assert_non_null(n);
	if (!yamldoc_spelled(text, strlen(text), n->line, n->column, n->text, &at))
		return 0;
	assert_memory_equal(text + at, n->text, strlen(n->text));
	return at;
}

static void a_value_is_found_in_the_text(void **state)
{
	static const char *const text[] = {
		"one\n",
		"one # a: two\n",
		"'one'\n",
		"\"one\"\r\n",
		"|-\n    one\n",
		">- # folded\n  one\n",
	};
	static const char *const before[] = {"", "b: 1\n", "b: 1\r\nc: 2\r\n", "b: 1\rc: 2\r",
		"# \xc3\xa4\xe2\x82\xac\n", "# a\xc2\x85# a\xe2\x80\xa8# a\xe2\x80\xa9",
		"\xef\xbb\xbf", "\xef\xbb\xbf# x\n\n"};
	char all[128];

	(void)state;
	for (unsigned i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		for (unsigned k = 0; k < sizeof(text) / sizeof(text[0]); k++) {
			snprintf(all, sizeof(all), "%sa: %s", before[i], text[k]);
			if (!place_of(all, "a"))
				fail_msg("'%s' has no one", all);
		}
	// Columns count characters.
	assert_int_equal(place_of("{\xc3\xa4: \xe2\x82\xac, a: 'one'}", "a"), 14);
	assert_int_equal(place_of("a: one", "a"), 3);
}

static void a_value_with_escapes_is_not_found(void **state)
{
	size_t at;

	(void)state;
	assert_int_equal(place_of("a: \"\\x6fne\"\n", "a"), 0);
	assert_int_equal(place_of("a: \"o\\\n  ne\"\n", "a"), 0);
	assert_false(yamldoc_spelled("a: one", 6, 7, 1, "one", &at));
	assert_false(yamldoc_spelled("a: one", 6, 1, 70, "one", &at));
	assert_false(yamldoc_spelled("a: one", 6, 1, 5, "one", &at));
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_know_their_place),
		cmocka_unit_test(a_byte_order_mark_is_no_text),
		cmocka_unit_test(what_is_not_closed_is_told_where_it_opens),
		cmocka_unit_test(what_no_scenario_needs_is_refused),
		cmocka_unit_test(a_tab_that_indents_is_called_a_tab),
		cmocka_unit_test(a_file_too_long_is_refused),
		cmocka_unit_test(a_file_that_cannot_be_read_is_told),
		cmocka_unit_test(a_path_sets_a_value),
		cmocka_unit_test(a_path_that_leads_nowhere_is_told),
		cmocka_unit_test(a_node_without_place_has_its_origin),
		cmocka_unit_test(own_texts_have_no_limits),
		cmocka_unit_test(braces_are_known),
		cmocka_unit_test(a_value_is_found_in_the_text),
		cmocka_unit_test(a_value_with_escapes_is_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
