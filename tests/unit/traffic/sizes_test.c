// SPDX-License-Identifier: BSD-3-Clause
// Distributions of message sizes: names, files, one size, Pareto's; what is wrong with them.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traffic/int.h"

// The scenario and its distributions stand in a folder of their own.
static char dir[] = "/tmp/quench-sizes-XXXXXX", file[64], scenario[64];
static struct arena scrap;
static struct err err;
static struct draft b;

// The value of `sizes` in the scenario's line 1 from column 8 on.
static int try(const char *value, const struct dist **to)
{
	struct yamldoc_node *doc;
	char text[256];

	err.text[0] = 0;
	snprintf(text, sizeof(text), "sizes: %s\n", value);
	assert_int_equal(yamldoc_parse(b.a, &doc, scenario, text, strlen(text), &err), 0);
	return traffic_sizes(&b, yamldoc_get(doc, "sizes"), to);
}

static const struct dist *read_sizes(const char *value)
{
	const struct dist *d = NULL;

	if (try(value, &d))
		fail_msg("%s", err.text);
	return d;
}

static void told(const char *where, const char *want)
{
	size_t n = strlen(where);

	if (strncmp(err.text, where, n) != 0 || strncmp(err.text + n, want, strlen(want)) != 0)
		fail_msg("told '%s'\nnot  '%s%s'", err.text, where, want);
	assert_null(strchr(err.text, '\n'));
}

static void refuse(const char *value, const char *want)
{
	const struct dist *d;

	assert_int_equal(try(value, &d), -EINVAL);
	told(scenario, want);
}

static void put(const char *text, size_t n)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	b.s->n_sizes = 0; // nothing has been read yet
}

static void refuse_file(const char *text, const char *want)
{
	const struct dist *d;

	put(text, strlen(text));
	assert_int_equal(try("own.cdf", &d), -EINVAL);
	told(file, want);
}

// Means and quantiles from the files' percentages, with fractions in Python.
static void published_distributions(void **state)
{
	static const struct {
		const char *name;
		double mean;
		uint32_t decile[10];
	} want[] = {
		{"websearch", 1711250.0000075,
			{6667, 20000, 30000, 50000, 73077, 200000, 1000000, 2000000, 5000000,
				30000000}},
		{"hadoop", 120420.75005,
			{325, 400, 500, 600, 700, 1000, 7000, 46000, 120000, 10000000}},
		{"alistorage", 40869.800028663,
			{1744, 3489, 4611, 5475, 6340, 7204, 8554, 15572, 31237, 2000000}},
	};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const struct dist *d = read_sizes(want[i].name);

		assert_true(fabs((double)dist_mean_q20(d) / (1 << 20) - want[i].mean) < 1e-6);
		for (unsigned k = 0; k < 10; k++)
			assert_int_equal(
				dist_quantile(d, DIST_ONE / 10 * (k + 1)), want[i].decile[k]);
	}
}

static void one_size(void **state)
{
	(void)state;
	assert_int_equal(dist_mean_q20(read_sizes("64KB")), 64000ull << 20);
	assert_int_equal(dist_mean_q20(read_sizes("1")), 1ull << 20);
	assert_int_equal(dist_mean_q20(read_sizes("2GiB")), 1ull << 51);
	assert_int_equal(dist_mean_q20(read_sizes("'1.5KiB'")), 1536ull << 20);
	refuse("0", ":1:8: sizes: '0' is no size from 1B to 2GiB, as in 64KB");
	refuse("-5KB", ":1:8: sizes: '-5KB' is no size");
	refuse("1.5", ":1:8: sizes: '1.5' is no size");
	refuse("64kilo", ":1:8: sizes: '64kilo' is no size");
	refuse("2147483649", ":1:8: sizes: '2147483649' is no size");
}

static void pareto(void **state)
{
	const struct dist *d = read_sizes("{pareto: {shape: 1.05, min: 1KB, max: 10MB}}");

	(void)state;
	assert_int_equal(d->n, 852);
	assert_int_equal(d->point[0].value, 1000);
	assert_int_equal(d->point[851].value, 10000000);
	assert_int_equal(dist_mean_q20(d) >> 20, 7750); // the closed form: 7750.38
	d = read_sizes("{pareto: {shape: 2, min: 7, max: 7}}");
	assert_int_equal(dist_mean_q20(d), 7 << 20);
	refuse("{pareto: {shape: 2, min: 8, max: 7}}", ":1:33: pareto: min is above max");
	refuse("{pareto: {shape: 2, min: 8}}", ":1:17: 'max' is missing in this pareto");
	refuse("{pareto: {shape: 0, min: 7, max: 8}}", ":1:25: shape: ");
	refuse("{pareto: {shape: 2, min: 0, max: 8}}", ":1:33: min: ");
	refuse("{pareto: {shape: 2, min: 1, max: 3GB}}", ":1:41: max: ");
	refuse("{pareto: {shap: 2, min: 1, max: 3GB}}", ":1:18: unknown key 'shap'");
	refuse("{pareto: 5}", ":1:8: sizes: '{..}' is no distribution");
}

static void words_that_are_none(void **state)
{
	(void)state;
	refuse("websaerch", ":1:8: sizes: 'websaerch' is no distribution; did you mean "
			    "'websearch'?");
	refuse("storage", ":1:8: sizes: 'storage' is no distribution; did you mean 'alistorage'?");
	refuse("pareto", ":1:8: sizes: 'pareto' is no distribution; write websearch, hadoop, "
			 "alistorage, a file NAME.cdf, a size as in 64KB, or {pareto: ");
	refuse("[64KB]", ":1:8: sizes: '[..]' is no distribution; write ");
	refuse("{}", ":1:8: sizes: '{..}' is no distribution; write ");
	refuse("''", ":1:8: sizes: '' is no distribution; write ");
	refuse("null", ":1:8: sizes: 'null' is no distribution; write ");
	refuse("none.cdf", ":1:8: sizes: /tmp/quench-sizes-");
	assert_non_null(strstr(err.text, "/none.cdf: No such file or directory"));
}

#define SHORT "# bytes percent\n\n0 0\r\n1KB 22.93 # a comment\n\t1000   50\n2000 100.0"

static void a_file(void **state)
{
	const struct dist *d, *again;

	(void)state;
	put(SHORT, strlen(SHORT));
	d = read_sizes("own.cdf");
	assert_int_equal(d->n, 4);
	assert_int_equal(d->point[1].value, 1000);
	assert_int_equal(d->point[1].below, 229300000000000000);
	assert_int_equal(d->point[2].below, DIST_ONE / 2);
	assert_int_equal(d->point[3].below, DIST_ONE);
	assert_string_equal(b.s->sizes[0]->file, file);
	// sha256sum of SHORT
	assert_string_equal(b.s->sizes[0]->sha256,
		"a32b97df9df738f04dd5e8954457fadb702e88138e241c0767361f75ad320863");
	again = read_sizes("own.cdf");
	assert_int_equal(b.s->n_sizes, 2);
	assert_ptr_equal(again->point, d->point);
	assert_null(b.s->sizes[1]->file); // told once

	put("7 33.33333333333333333333\n9 100", 31); // decimals beyond the 16th
	assert_int_equal(read_sizes("own.cdf")->point[0].below, 333333333333333333);
	put("\xef\xbb\xbf"
	    "5 100\n",
		9); // a byte order mark, as in a list of flows
	assert_int_equal(read_sizes("own.cdf")->point[0].value, 5);
}

static void a_wrong_file_is_told_by_its_line(void **state)
{
	(void)state;
	refuse_file("", ":1:1: no points; a distribution has lines of bytes and percent");
	refuse_file("# 0 0\n\n", ":2:1: no points");
	refuse_file("0 0\n10 50\n", ":2:1: the distribution ends at 50%, not at 100%");
	refuse_file("0 0\n10 99.99999\n\n", ":3:1: the distribution ends at 99.99999%, not ");
	refuse_file("0 0\n10 1\n", ":2:1: the distribution ends at 1%, not at 100%; shares of 1 ");
	refuse_file("0 0\n10 50\n9 100\n", ":3:1: '9' is less than the bytes of the point before");
	refuse_file("0 0\n10 50\n20 49.9\n30 100", ":3:4: '49.9' is less than the percentage");
	refuse_file("0 0\n-10 50\n", ":2:1: '-10' is no size from 0 to 2147483648 bytes");
	refuse_file("0 0\n2147483649 100\n", ":2:1: '2147483649' is no size");
	refuse_file("0 0\n1.5 100\n", ":2:1: '1.5' is no size");
	refuse_file("0 0\nten 100\n", ":2:1: 'ten' is no size");
	refuse_file("0 -1\n", ":1:3: '-1' is no percentage from 0 to 100");
	refuse_file("0 100.0001\n", ":1:3: '100.0001' is no percentage");
	refuse_file("0 1e2\n", ":1:3: '1e2' is no percentage");
	refuse_file("0 50%\n", ":1:3: '50%' is no percentage");
	refuse_file("0 .5\n", ":1:3: '.5' is no percentage");
	refuse_file("0 5.\n", ":1:3: '5.' is no percentage");
	refuse_file("0 99999999999999999999\n", ":1:3: '99999999999999999999' is no percentage");
	refuse_file("0\n", ":1:1: 1 column; a point has bytes and percent");
	refuse_file("0 0 0\n", ":1:1: 3 columns; a point has bytes and percent");
	refuse_file("0 0\n\x1b[1m 5\n", ":2:1: '?[1m' is no size");
	put("0 0\n1\0 100\n", 11);

	const struct dist *d;

	assert_int_equal(try("own.cdf", &d), -EINVAL);
	told(file, ":2:1: '1?' is no size");
}

static void files_have_a_limit(void **state)
{
	static char text[40 * (DIST_MOST + 1)];
	size_t n = 0;

	(void)state;
	for (unsigned i = 0; i < DIST_MOST; i++)
		n += (size_t)sprintf(text + n, "%u 100\n", i);
	put(text, n);
	assert_int_equal(read_sizes("own.cdf")->n, DIST_MOST);
	strcpy(text + n, "99999 100\n");
	refuse_file(text, ":4097:1: '99999' begins point 4097");
}

// The test changes, drops and doubles bytes of a good file. The reader refuses the result in one
// line that tells the place, or takes it as a distribution.
static void changed_files(void **state)
{
	static const char with[] = "0123456789.-+eE#% \t\r\n\0xKMGiB\xff";
	unsigned good = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		char text[2 * sizeof(SHORT)] = SHORT;
		size_t n = strlen(SHORT);
		const struct dist *d;
		struct prng g;

		prng_init(&g, seed, "cdf");
		for (uint64_t i = 0; i <= prng_below(&g, 4); i++) {
			size_t at = prng_below(&g, n);

			switch (prng_below(&g, 3)) {
			case 0:
				text[at] = with[prng_below(&g, sizeof(with) - 1)];
				break;
			case 1:
				memmove(text + at, text + at + 1, --n - at);
				break;
			default:
				memmove(text + at + 1, text + at, n++ - at);
			}
		}
		put(text, n);
		if (!try("own.cdf", &d)) {
			good++;
			assert_int_equal(d->point[d->n - 1].below, DIST_ONE);
			assert_true(dist_mean_q20(d) >= 1 << 20);
			assert_true(dist_draw(d, &g) >= 1);
			continue;
		}
		if (strncmp(err.text, file, strlen(file)) != 0 || strchr(err.text, '\n'))
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
	}
	assert_in_range(good, 100, 900);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/own.cdf", dir);
	snprintf(scenario, sizeof(scenario), "%s/lab.yaml", dir);
	b.s = scene_new();
	if (!b.s)
		return -1;
	b.s->path = scenario;
	b.a = scene_arena(b.s);
	b.scrap = &scrap;
	b.err = &err;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(file);
	scene_free(b.s);
	arena_free(&scrap);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_distributions),
		cmocka_unit_test(one_size),
		cmocka_unit_test(pareto),
		cmocka_unit_test(words_that_are_none),
		cmocka_unit_test(a_file),
		cmocka_unit_test(a_wrong_file_is_told_by_its_line),
		cmocka_unit_test(files_have_a_limit),
		cmocka_unit_test(changed_files),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
