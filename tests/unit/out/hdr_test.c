// SPDX-License-Identifier: BSD-3-Clause
// The percentile distribution: the whole text of small histograms, levels against closed forms,
// lines as a plotter takes them.
#include "out/out.h"

#include <math.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct hist h;
static char text[1 << 16];

struct line {
	double value, level, inverse;
	unsigned long long below;
};

static struct line line[1024];
static unsigned n_lines;

// Writes `h` into a file and reads it back.
static void written(double unit)
{
	char path[] = "/tmp/quench-hdr-XXXXXX";
	int fd = mkstemp(path);
	struct err err;
	ssize_t n;

	assert_true(fd >= 0);
	assert_int_equal(hdr_write(path, &h, unit, &err), 0);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n > 0 && (size_t)n < sizeof(text) - 1);
	text[n] = '\0';
	close(fd);
	unlink(path);
}

// Lines of the distribution; the last one is that of 100 %.
static void lines_are_read(void)
{
	const char *at = strchr(text, '\n') + 2; // an empty line follows the heading

	for (n_lines = 0; *at != '#'; at = strchr(at, '\n') + 1) {
		struct line *l = &line[n_lines++];
		int after = 0;

		assert_true(n_lines <= sizeof(line) / sizeof(line[0]));
		assert_int_equal(sscanf(at, "%lf %lf %llu %lf%n", &l->value, &l->level, &l->below,
					 &l->inverse, &after),
			4);
		assert_int_equal(at[after], '\n');
	}
}

// Checks that hold for any histogram. Levels have twelve decimals, so that the last ones may look
// alike; inverses do not.
static void lines_rise(void)
{
	for (unsigned i = 0; i < n_lines; i++) {
		const struct line *l = &line[i];

		assert_true(l->level <= (double)l->below / (double)h.n + 1e-12);
		if (i && (l->level < line[i - 1].level || l->inverse <= line[i - 1].inverse))
			fail_msg("level %.12f follows %.12f", l->level, line[i - 1].level);
		if (i)
			assert_true(l->value >= line[i - 1].value && l->below >= line[i - 1].below);
	}
	assert_true(line[0].level == 0 && line[0].inverse == 1);
	assert_true(line[n_lines - 1].level == 1 && isinf(line[n_lines - 1].inverse));
	assert_true(line[n_lines - 1].below == h.n);
}

static void two_values(void **state)
{
	(void)state;
	hist_init(&h);
	hist_add(&h, 10, 1);
	hist_add(&h, 20, 1);
	written(1);
	assert_string_equal(text, "       Value     Percentile TotalCount 1/(1-Percentile)\n"
				  "\n"
				  "      10.000 0.000000000000          1           1.00\n"
				  "      10.000 0.100000000000          1           1.11\n"
				  "      10.000 0.200000000000          1           1.25\n"
				  "      10.000 0.300000000000          1           1.43\n"
				  "      10.000 0.400000000000          1           1.67\n"
				  "      10.000 0.500000000000          1           2.00\n"
				  "      20.000 0.550000000000          2           2.22\n"
				  "      20.000 1.000000000000          2            inf\n"
				  "#[Mean    =       15.000, StdDeviation   =        5.000]\n"
				  "#[Max     =       20.000, Total count    =            2]\n"
				  "#[Buckets =           41, SubBuckets     =          256]\n");
}

static void nothing_was_measured(void **state)
{
	(void)state;
	hist_init(&h);
	written(1e6);
	assert_string_equal(text, "       Value     Percentile TotalCount 1/(1-Percentile)\n"
				  "\n"
				  "       0.000 1.000000000000          0            inf\n"
				  "#[Mean    =        0.000, StdDeviation   =        0.000]\n"
				  "#[Max     =        0.000, Total count    =            0]\n"
				  "#[Buckets =           41, SubBuckets     =          256]\n");
}

// 1..100, each once: the value at level p is the smallest of which 100 p are no larger.
static void values_that_are_evenly_spread(void **state)
{
	static const double level[] = {0, .1, .2, .3, .4, .5, .55, .6, .65, .7, .75, .775, .8, .825,
		.85, .875, .8875, .9, .9125, .925, .9375, .94375, .95, .95625, .9625, .96875,
		.971875, .975, .978125, .98125, .984375, .9859375, .9875, .9890625, .990625, 1};

	(void)state;
	hist_init(&h);
	for (unsigned v = 1; v <= 100; v++)
		hist_add(&h, v, 1);
	written(1);
	lines_are_read();
	lines_rise();
	assert_int_equal(n_lines, sizeof(level) / sizeof(level[0]));
	for (unsigned i = 0; i < n_lines; i++) {
		double want = fmax(1, ceil(100 * level[i] - 1e-9));

		assert_true(fabs(line[i].level - level[i]) < 1e-12);
		assert_true(line[i].value == want && (double)line[i].below == want);
		if (i < n_lines - 1)
			assert_true(fabs(line[i].inverse - 1 / (1 - level[i])) < .0051);
	}
	assert_non_null(strstr(text, "#[Mean    =       50.500, StdDeviation   =       28.866]\n"));
}

// In another unit, and no value above the largest that there was.
static void values_have_the_unit(void **state)
{
	(void)state;
	hist_init(&h);
	hist_add(&h, 1234567, 9);
	hist_add(&h, 98765432, 1);
	written(1e6);
	lines_are_read();
	lines_rise();
	assert_true(line[n_lines - 1].value == 98.765);
	assert_true(line[n_lines - 2].value == 98.765);
	// The upper edge of the bucket, at most 1/128 above.
	assert_true(line[0].value >= 1.234 && line[0].value <= 1.234567 * (1 + 1. / 128));
}

// Weights of a distribution over time are ps: totals near 2^64, and levels as far as they go.
static void totals_that_are_large(void **state)
{
	(void)state;
	hist_init(&h);
	hist_add(&h, 0, UINT64_MAX - 1000);
	hist_add(&h, UINT64_MAX, 1000);
	written(1);
	lines_are_read();
	lines_rise();
	assert_true(n_lines > 250); // 1000 of 2^64 is beyond 54 halves
	assert_true(line[n_lines - 3].value == 0);
	hist_init(&h);
	hist_add(&h, 0, UINT64_MAX - 1);
	hist_add(&h, 5, 1);
	written(1);
	lines_are_read();
	lines_rise();
}

// hdr-plot takes lines of four numbers with blanks before each, and leaves the others.
static void a_plotter_finds_its_lines(void **state)
{
	regex_t four;
	unsigned found = 0;

	(void)state;
	assert_int_equal(regcomp(&four,
				 "^[[:space:]]+([0-9.]+)[[:space:]]+([0-9.]+)[[:space:]]+([0-9.]+)"
				 "[[:space:]]+([0-9.]+)$",
				 REG_EXTENDED | REG_NOSUB),
		0);
	hist_init(&h);
	for (unsigned v = 1; v <= 10000; v++)
		hist_add(&h, v * v * 1000, 1);
	written(1e6);
	lines_are_read();
	lines_rise();
	for (char *save = NULL, *at = strtok_r(text, "\n", &save); at;
		at = strtok_r(NULL, "\n", &save))
		found += !regexec(&four, at, 0, NULL, 0);
	regfree(&four);
	assert_int_equal(found, n_lines - 1); // not the one with inf
}

static void a_file_that_cannot_be_written(void **state)
{
	struct err err;

	(void)state;
	hist_init(&h);
	assert_true(hdr_write("/nowhere/x.hgrm", &h, 1, &err) < 0);
	assert_non_null(strstr(err.text, "/nowhere/x.hgrm"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_values),
		cmocka_unit_test(nothing_was_measured),
		cmocka_unit_test(values_that_are_evenly_spread),
		cmocka_unit_test(values_have_the_unit),
		cmocka_unit_test(totals_that_are_large),
		cmocka_unit_test(a_plotter_finds_its_lines),
		cmocka_unit_test(a_file_that_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
