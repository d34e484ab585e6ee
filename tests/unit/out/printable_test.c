// SPDX-License-Identifier: BSD-3-Clause
// Characters shown as they are, characters shown as escapes, and the cut of a long text.
#include "out/out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void shown(const char *text, const char *want)
{
	char buf[256];

	assert_ptr_equal(printable(buf, sizeof(buf), text), buf);
	assert_string_equal(buf, want);
	assert_true(strlen(buf) < PRINTABLE_SIZE(strlen(text)));
}

static void text_stays(void **state)
{
	(void)state;
	shown("", "");
	shown("h1:s1 qp 2 ~!", "h1:s1 qp 2 ~!");
	shown("Gr\xc3\xbc\xc3\x9f"
	      "e \xe2\x82\xac \xf0\x9f\x98\x80",
		"Gr\xc3\xbc\xc3\x9f"
		"e \xe2\x82\xac \xf0\x9f\x98\x80");
}

static void what_steers_a_terminal_is_escaped(void **state)
{
	(void)state;
	shown("\033[2J\033]0;x\007", "\\x1b[2J\\x1b]0;x\\x07");
	shown("a\r\n\tb\x7f", "a\\x0d\\x0a\\x09b\\x7f");
	shown("\xc2\x9b"
	      "31m",
		"\\xc2\\x9b"
		"31m"); // C1's CSI
	shown("\xe2\x80\xae"
	      "abc",
		"\\xe2\\x80\\xae"
		"abc"); // right-to-left override
	shown("\xe2\x81\xa6\xe2\x80\xa8", "\\xe2\\x81\\xa6\\xe2\\x80\\xa8");
	shown("\\x1b", "\\\\x1b"); // or it would look like one
}

static void what_is_no_utf8_is_escaped(void **state)
{
	(void)state;
	shown("\x9b"
	      "31m",
		"\\x9b"
		"31m");
	shown("\xc3", "\\xc3");
	shown("\xe2\x82", "\\xe2\\x82");
	shown("\xc0\xaf", "\\xc0\\xaf");                   // longer than need be
	shown("\xed\xa0\x80", "\\xed\\xa0\\x80");          // half of a pair of UTF-16
	shown("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); // beyond U+10FFFF
	shown("\xff", "\\xff");
}

static void a_text_is_cut_between_characters(void **state)
{
	char buf[8];

	(void)state;
	assert_string_equal(printable(buf, sizeof(buf), "abcdefghi"), "abcdefg");
	assert_string_equal(printable(buf, sizeof(buf), "abcd\033"), "abcd");
	assert_string_equal(printable(buf, sizeof(buf), "abc\033"), "abc\\x1b");
	assert_string_equal(printable(buf, sizeof(buf), "abcde\xe2\x82\xac"), "abcde");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_stays),
		cmocka_unit_test(what_steers_a_terminal_is_escaped),
		cmocka_unit_test(what_is_no_utf8_is_escaped),
		cmocka_unit_test(a_text_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
