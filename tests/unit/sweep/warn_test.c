// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/sweep_warn: each warning once with the number of its runs, nothing where there is
// none.
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sweep/sweep.h"

static void says(const char *const *warned, unsigned n, const char *want)
{
	struct sweep_row row[32] = {0};
	const struct sweep s = {.row = row, .n_runs = n};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (unsigned i = 0; i < n; i++)
		snprintf(row[i].warned, sizeof(row[i].warned), "%s", warned[i]);
	sweep_warnings(&s, f);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
}

static void each_is_said_once(void **state)
{
	static const char *const warned[] = {
		"a is odd\n", "", "b is odd\na is odd\n", "b\n", "c\nc\n"};

	(void)state;
	says(warned, 5,
		"warnings in 4 of 5 runs\n  2 runs: a is odd\n  1 run: b is odd\n  1 run: b\n  1 "
		"run: c\n");
}

static void where_nothing_warns_nothing_is_said(void **state)
{
	static const char *const warned[] = {"", ""};

	(void)state;
	says(warned, 2, "");
}

static void there_is_an_end(void **state)
{
	char text[25][8], want[1024] = "warnings in 25 of 25 runs\n";
	const char *warned[25];

	(void)state;
	for (unsigned i = 0; i < 25; i++) {
		snprintf(text[i], sizeof(text[i]), "w%u\n", i);
		warned[i] = text[i];
		if (i < 20)
			sprintf(want + strlen(want), "  1 run: w%u\n", i);
	}
	strcat(want, "  and others; `quench run` tells those of one run\n");
	says(warned, 25, want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_said_once),
		cmocka_unit_test(where_nothing_warns_nothing_is_said),
		cmocka_unit_test(there_is_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
