// SPDX-License-Identifier: BSD-3-Clause
// The table of a sweep to the letter: what does not apply, what never came, what did not run; CSV
// and JSON.
#include "sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static char name[] = "/tmp/quench-sweep-XXXXXX";
static const char *const files[] = {"a/one.yaml"};

static const struct sweep_column columns[] = {
	{"jain", "jain", 1, 6, "Jain", "", 1, 4},
	{"queue_p99_bytes", "bottleneck.p99_bytes", 1, 0, "q p99", "KB", 1e3, 1},
	{"messages", "main.messages", 1, 0, NULL, NULL, 1, 0},
	{"t_conv_us_total", "main.t_conv_us_total", 1, 3, "converged", "us", 1, 0},
};

// Three runs of which the second has not begun, and the third could not.
static void make(struct sweep *s)
{
	struct err err;

	sweep_init(s, files, 1);
	memcpy(s->column, columns, sizeof(columns));
	s->n_columns = 4;
	assert_int_equal(sweep_vary(s, "x.min=1KB,[1, 2],none", &err), 0);
	assert_int_equal(sweep_plan(s, &err), 0);
	s->row[0] = (struct sweep_row){.state = SWEEP_PASSED, .value = {NAN, 123456, 7, INFINITY}};
	s->row[2] = (struct sweep_row){.state = SWEEP_ERROR, .err = {"no \"x\""}};
}

static void to_the_letter(void **state)
{
	char *text = NULL;
	struct sweep s;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	make(&s);
	sweep_text(&s, f);
	fclose(f);
	assert_string_equal(text, "run             Jain  q p99  converged  verdict\n"
				  "                         KB         us\n"
				  "one min=1KB        -  123.5    not yet  ok\n"
				  "one min=[1, 2]     -      -          -  not run\n"
				  "one min=none       -      -          -  error\n");
	free(text);
	sweep_free(&s);
}

static void file(void (*put)(const struct sweep *, struct out *), const char *want)
{
	char got[1024] = {0};
	struct sweep s;
	struct err err;
	struct out o;
	FILE *f;

	make(&s);
	assert_int_equal(out_open(&o, name, &err), 0);
	put(&s, &o);
	assert_int_equal(out_close(&o, &err), 0);
	f = fopen(name, "r");
	assert_non_null(f);
	assert_true(fread(got, 1, sizeof(got) - 1, f) > 0);
	fclose(f);
	assert_string_equal(got, want);
	sweep_free(&s);
}

static void as_csv(void **state)
{
	(void)state;
	file(sweep_csv, "scenario,x.min,jain,queue_p99_bytes,messages,t_conv_us_total,verdict\n"
			"a/one.yaml,1KB,,123456,7,inf,ok\n"
			"a/one.yaml,\"[1, 2]\",,,,,not run\n"
			"a/one.yaml,none,,,,,error\n");
}

static void as_json(void **state)
{
	(void)state;
	file(sweep_json,
		"{\n"
		"  \"runs\": [\n"
		"    {\"scenario\": \"a/one.yaml\", \"set\": {\"x.min\": \"1KB\"}, \"verdict\": "
		"\"ok\", "
		"\"jain\": null, \"queue_p99_bytes\": 123456, \"messages\": 7, "
		"\"t_conv_us_total\": \"inf\"},\n"
		"    {\"scenario\": \"a/one.yaml\", \"set\": {\"x.min\": \"[1, 2]\"}, "
		"\"verdict\": \"not "
		"run\"},\n"
		"    {\"scenario\": \"a/one.yaml\", \"set\": {\"x.min\": \"none\"}, \"verdict\": "
		"\"error\", "
		"\"error\": \"no \\\"x\\\"\"}\n"
		"  ]\n"
		"}\n");
}

static int make_file(void **state)
{
	int fd = mkstemp(name);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(to_the_letter),
		cmocka_unit_test(as_csv),
		cmocka_unit_test(as_json),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
