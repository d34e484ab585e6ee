// SPDX-License-Identifier: BSD-3-Clause
// A resolved scene that is read back is the same document as one that is read whole, with the same
// lines, and members that repeat the member before are read once.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "files/int.h"

static const char text[] = "name: lab # a note\n"
			   "switches:\n"
			   "  s1:\n"
			   "    buffer: 9MB   # lab.yaml:3\n"
			   "    classes:\n"
			   "      3:\n"
			   "        lossless: true\n"
			   "  s2:\n"
			   "    buffer: 9MB   # lab.yaml:3\n"
			   "    classes:\n"
			   "      3:\n"
			   "        lossless: true\n"
			   "  s3:\n"
			   "    buffer: 9MB   # --set\n"
			   "  s4:\n"
			   "    buffer: 9MB   # --set\n"
			   "  s5:\n"
			   "    buffer: 9MB   # --set\n"
			   "    cell: 1B\n"
			   "hosts:\n"
			   "  # a comment\n"
			   "  h1:\n"
			   "    buffer: 9MB   # --set\n"
			   "    cell: 1B\n"
			   "  h2:\n"
			   "  h3:\n"
			   "links:\n"
			   "  - between: [h1, s1]\n"
			   "    rate: 1Gbps\n"
			   "  - between: [h2, s2]\n"
			   "    rate: 1Gbps\n";

static void same(const struct yamldoc_node *a, const struct yamldoc_node *b, bool lines)
{
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->flow, b->flow);
	if (a->type == YAMLDOC_SCALAR)
		assert_string_equal(a->text, b->text);
	if (lines)
		assert_int_equal(a->line, b->line);
	for (unsigned i = 0; i < a->n; i++) {
		if (a->item[i].key)
			same(a->item[i].key, b->item[i].key, lines);
		same(a->item[i].value, b->item[i].value,
			lines && (!i || a->item[i].value != a->item[i - 1].value));
	}
}

static void it_is_the_document(void **state)
{
	struct yamldoc_node *whole;
	struct record_resolved r;
	struct arena a = {0};
	struct err err;

	(void)state;
	assert_int_equal(yamldoc_parse_own(&a, &whole, "resolved", text, strlen(text), &err), 0);
	assert_int_equal(record_resolved_read(&a, &r, text, &err), 0);
	same(r.doc, whole, true);
	arena_free(&a);
}

static void what_repeats_is_read_once(void **state)
{
	const struct yamldoc_item *s;
	struct record_resolved r;
	struct arena a = {0};
	struct err err;

	(void)state;
	assert_int_equal(record_resolved_read(&a, &r, text, &err), 0);
	s = yamldoc_get(r.doc, "switches")->item;
	assert_ptr_equal(s[1].value, s[0].value);
	assert_ptr_not_equal(s[2].value, s[1].value);
	assert_ptr_equal(s[3].value, s[2].value);
	assert_ptr_not_equal(s[4].value, s[3].value);
	assert_ptr_equal(r.line[1], text);
	for (unsigned i = 0; i < 5; i++)
		assert_memory_equal(r.line[s[i].key->line], "  s", 3);
	assert_memory_equal(r.line[yamldoc_get(s[4].value, "cell")->line], "    cell", 8);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_document),
		cmocka_unit_test(what_repeats_is_read_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
