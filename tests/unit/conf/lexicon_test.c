// SPDX-License-Identifier: BSD-3-Clause
// Texts as numbers: each once, in order, whatever their lengths.
#include "conf/lexicon.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void each_text_has_one_number(void **state)
{
	struct lexicon w = {0};
	char text[16];

	(void)state;
	assert_int_equal(lexicon_find(&w, "a", 1), -1);
	for (unsigned again = 0; again < 2; again++)
		for (int i = 0; i < 300; i++) {
			int n = snprintf(text, sizeof(text), "h%d", i);

			assert_int_equal(lexicon_number(&w, text, (size_t)n), i);
		}
	assert_int_equal(w.n, 300);
	assert_string_equal(w.text[17], "h17");
	assert_int_equal(lexicon_find(&w, "h17 and more", 3), 17);
	assert_int_equal(lexicon_find(&w, "h17", 2), 1);
	assert_int_equal(lexicon_find(&w, "h300", 4), -1);
	assert_int_equal(lexicon_number(&w, "", 0), 300);
	assert_int_equal(lexicon_number(&w, "x", 0), 300);
	lexicon_fini(&w);
	assert_int_equal(lexicon_number(&w, "x", 1), 0);
	lexicon_fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_text_has_one_number)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
