// SPDX-License-Identifier: BSD-3-Clause
// Pages of figures: each kind and figure stands on them, and lines keep within their width.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/int.h"
#include "summary/summary.h"

static char *page_of(const char *word, unsigned width)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (word)
		assert_true(summary_page_of(f, word, width));
	else
		summary_page(f);
	fclose(f);
	return text;
}

static void markdown_has_every_figure(void **state)
{
	char *text = page_of(NULL, 0);
	struct figure f;

	(void)state;
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned i = 0; kind_member(summary_kind[k], i, &f); i++) {
			char row[128];

			snprintf(row, sizeof(row), "\n| `%s` | %s | ", f.name, f.unit);
			if (!strstr(text, row))
				fail_msg("%s lacks %s", summary_kind[k]->title, f.name);
		}
	free(text);
}

static void lines_keep_their_width(void **state)
{
	(void)state;
	for (unsigned width = 80; width <= 120; width += 20)
		for (unsigned k = 0; k < KINDS; k++) {
			char *text = summary_kind[k]->path ? page_of(summary_kind[k]->path, width)
							   : NULL;

			for (char *at = text; at && *at; at += strcspn(at, "\n") + 1)
				if (strcspn(at, "\n") > width)
					fail_msg("%.60s: %zu columns of %u", at, strcspn(at, "\n"),
						width);
			free(text);
		}
}

static void a_word_that_is_shared_has_all_its_kinds(void **state)
{
	char *text = page_of("iqcn", 80), *list = NULL;
	size_t size;
	FILE *f = open_memstream(&list, &size);

	(void)state;
	assert_non_null(strstr(text, "iqcn.s1:r.FIGURE"));
	assert_non_null(strstr(text, "iqcn.s1.FIGURE"));
	assert_false(summary_page_of(f, "nothing", 80));
	summary_kinds(f);
	fclose(f);
	assert_non_null(strstr(list, "\n  queue        s1:r.3                 Egress queues\n"));
	assert_ptr_equal(strstr(strstr(list, "  iqcn ") + 1, "  iqcn "), NULL);
	free(list);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markdown_has_every_figure),
		cmocka_unit_test(lines_keep_their_width),
		cmocka_unit_test(a_word_that_is_shared_has_all_its_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
