// SPDX-License-Identifier: BSD-3-Clause
// A text in a script is shown as it is, and cannot become a command.
#include "paper/int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void is_plain(const char *text, unsigned most, const char *want)
{
	char *got = paper_plain(text, most);

	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

static void what_can_be_shown_stays(void **state)
{
	(void)state;
	is_plain("", 0, "");
	is_plain("a_b^{c}@d \"e\" 'f' `g` $h #i %j", 0, "a_b^{c}@d \"e\" 'f' `g` $h #i %j");
	is_plain("C:\\new\\\\x41", 0, "C:\\new\\\\x41");
	is_plain("µs → ü", 0, "µs → ü");
}

static void what_cannot_is_an_escape(void **state)
{
	(void)state;
	is_plain("a\nset output\tb\x1b[31m\x7f", 0, "a\\x0aset output\\x09b\\x1b[31m\\x7f");
	is_plain("a\xff\xc3", 0, "a\\xff\\xc3");
	is_plain("\\\n", 0, "\\\\x0a");
}

static void a_long_text_loses_its_middle(void **state)
{
	(void)state;
	is_plain("0123456789", 10, "0123456789");
	is_plain("0123456789a", 9, "0123...9a");
	is_plain("ääääääääääö", 9, "ääää...äö");
	assert_int_equal(paper_width("äöü"), 3);
}

static void is_quoted(const char *text, bool lines, const char *want)
{
	char path[] = "/tmp/quench-word-XXXXXX", got[256] = "";
	struct err err;
	struct out o;
	FILE *f;

	assert_int_equal(out_adopt(&o, mkstemp(path), path, &err), 0);
	paper_quote(&o, text, 0, lines);
	assert_int_equal(out_close(&o, &err), 0);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(got, 1, sizeof(got) - 1, f) > 0);
	fclose(f);
	unlink(path);
	assert_string_equal(got, want);
}

static void nothing_in_quotes_has_a_meaning(void **state)
{
	(void)state;
	is_quoted("", false, "''");
	is_quoted("a\\ \"b\" `c` @d {", false, "'a\\ \"b\" `c` @d {'");
	is_quoted("it's", false, "\"it\\047s\"");
	is_quoted("'\\\"`@", false, "\"\\047\\134\\042\\140\\100\"");
}

static void a_new_line_is_one_where_lines_are_meant(void **state)
{
	(void)state;
	is_quoted("a\n'b", true, "'a'.\"\\n\".\"\\047b\"");
	is_quoted("a\nb", false, "'a\\x0ab'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_can_be_shown_stays),
		cmocka_unit_test(what_cannot_is_an_escape),
		cmocka_unit_test(a_long_text_loses_its_middle),
		cmocka_unit_test(nothing_in_quotes_has_a_meaning),
		cmocka_unit_test(a_new_line_is_one_where_lines_are_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
