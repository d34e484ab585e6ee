// SPDX-License-Identifier: BSD-3-Clause
// Tests of out/fold: tables and lines that are wider than a terminal.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "out/out.h"

static char *folded(const char *text, unsigned columns)
{
	char *got = NULL;
	size_t size;
	FILE *f = open_memstream(&got, &size);

	assert_non_null(f);
	fold_text(text, strlen(text), columns, f);
	assert_int_equal(fclose(f), 0);
	return got;
}

static void becomes(const char *text, unsigned columns, const char *want)
{
	char *got = folded(text, columns);

	if (strcmp(got, want) != 0)
		fail_msg("in %u columns\n%s\nbecame\n%s\nnot\n%s", columns, text, got, want);
	free(got);
}

#define WIDE                                                       \
	"port                 class         xoff       headroom\n" \
	"s1:h1                    3         60KB         16048B\n" \
	"s1:h2                    3        100KB              0\n"

static void what_fits_stays(void **state)
{
	(void)state;
	becomes(WIDE, 80, WIDE);
	becomes("a line   of  its own\n\n  x\n", 80, "a line   of  its own\n\n  x\n");
	becomes("no line feed", 80, "no line feed");
	becomes("", 80, "");
	becomes(WIDE, FOLD_LEAST - 1, WIDE);
}

static void a_wide_table_gets_narrow_columns(void **state)
{
	(void)state;
	becomes(WIDE, 45,
		"port   class   xoff  headroom\n"
		"s1:h1      3   60KB    16048B\n"
		"s1:h2      3  100KB         0\n");
}

static void a_table_too_wide_for_that_is_shown_in_parts(void **state)
{
	(void)state;
	becomes("run                   goodput   utilization   fairness   verdict\n"
		"                         Gb/s             %\n"
		"first-light seed=1      23.15        100.00     1.0000   ok\n"
		"first-light seed=2       9.49         84.21     0.9066   FAILED\n",
		42,
		"run                 goodput  utilization\n"
		"                       Gb/s            %\n"
		"first-light seed=1    23.15       100.00\n"
		"first-light seed=2     9.49        84.21\n"
		"\n"
		"run                 fairness  verdict\n"
		"first-light seed=1    1.0000  ok\n"
		"first-light seed=2    0.9066  FAILED\n");
}

static void words_of_a_last_column_are_broken(void **state)
{
	(void)state;
	becomes("address   register   fields\n"
		"0x2000a0  LONG       one two three four five six seven\n"
		"0x2000a8  SHORT      one\n",
		44,
		"address   register  fields\n"
		"0x2000a0  LONG      one two three four five\n"
		"                    six seven\n"
		"0x2000a8  SHORT     one\n");
}

static void a_line_is_broken_below_its_text(void **state)
{
	(void)state;
	becomes("  PFC         8 pauses, 139.4 us in all, longest 20.2 us; 8 XOFF sent\n", 44,
		"  PFC         8 pauses, 139.4 us in all,\n"
		"              longest 20.2 us; 8 XOFF sent\n");
	becomes("  incast: four flows with a share of the link that is fair enough\n", 40,
		"  incast: four flows with a share of the\n"
		"    link that is fair enough\n");
	becomes("  0.000000000    158  10.7.0.2  10.7.0.1  ok    RC_SEND_ONLY        QPN 17  8 "
		"bytes\n",
		50,
		"  0.000000000    158  10.7.0.2  10.7.0.1  ok\n"
		"               RC_SEND_ONLY  QPN 17  8 bytes\n");
	becomes("runs/one-word-that-is-longer-than-the-terminal-is-wide/summary.json stays whole\n",
		40,
		"runs/one-word-that-is-longer-than-the-terminal-is-wide/summary.json\n"
		"  stays whole\n");
}

static void a_sentence_ends_a_table(void **state)
{
	(void)state;
	becomes(WIDE "  incast: 4 flows, 22.796 Gb/s (each 5.469 to 6.013)\n", 53,
		"port   class   xoff  headroom\n"
		"s1:h1      3   60KB    16048B\n"
		"s1:h2      3  100KB         0\n"
		"  incast: 4 flows, 22.796 Gb/s (each 5.469 to 6.013)\n");
}

// Letters, blanks and lines drawn at random: each word is there, in its order where no table is
// divided, in lines that fit as far as words allow.
static void nothing_is_lost(void **state)
{
	struct prng p;

	(void)state;
	prng_init(&p, 1, "fold");
	for (unsigned round = 0; round < 3000; round++) {
		char text[600], *got;
		size_t n = 0, ink = 0, kept = 0;
		unsigned columns = 40 + (unsigned)prng_below(&p, 60);

		while (n < sizeof(text) - 2) {
			unsigned what = (unsigned)prng_below(&p, 40);

			text[n++] = what < 1 ? '\n' : what < 18 ? ' ' : (char)('a' + what % 26);
		}
		text[n++] = '\n';
		text[n] = 0;
		got = folded(text, columns);
		for (const char *c = text; *c; c++)
			ink += *c != ' ' && *c != '\n';
		for (const char *c = got; *c; c++)
			kept += *c != ' ' && *c != '\n';
		if (kept < ink)
			fail_msg("round %u: %zu of %zu letters are left in\n%s\nof\n%s", round,
				kept, ink, got, text);
		free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_stays),
		cmocka_unit_test(a_wide_table_gets_narrow_columns),
		cmocka_unit_test(a_table_too_wide_for_that_is_shown_in_parts),
		cmocka_unit_test(words_of_a_last_column_are_broken),
		cmocka_unit_test(a_line_is_broken_below_its_text),
		cmocka_unit_test(a_sentence_ends_a_table),
		cmocka_unit_test(nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
