// SPDX-License-Identifier: BSD-3-Clause
// Several captures as one: the order of their frames, files that go back, and bad ones.
#include "cap/join.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "cap/cap.h"
#include "../cap_made.h"

// Files of frames, whose lengths are numbers that tell them apart.
static void write_file(struct made *m, const unsigned (*frame)[2], unsigned n)
{
	static const uint8_t bytes[200];

	made_open(m);
	for (unsigned i = 0; i < n; i++)
		made_frame(m, frame[i][0], bytes, frame[i][1]);
	made_close(m);
}

static unsigned lengths(struct cap_join *j, unsigned *len, unsigned most)
{
	struct cap_frame f;
	struct err err;
	unsigned n = 0;

	while (n < most && cap_join_next(j, &f, &err) == 1)
		len[n++] = f.len;
	return n;
}

static void frames_come_by_time(void **state)
{
	static const unsigned one[][2] = {{10, 60}, {30, 61}, {30, 62}, {90, 63}};
	static const unsigned two[][2] = {{5, 70}, {30, 71}, {40, 72}};
	static const unsigned three[][2] = {{100, 80}};
	static const unsigned want[] = {70, 60, 61, 62, 71, 72, 63, 80};
	unsigned got[16];
	struct made m[3];
	struct cap_join *j;
	struct err err;

	(void)state;
	write_file(&m[0], one, 4);
	write_file(&m[1], two, 3);
	write_file(&m[2], three, 1);
	assert_int_equal(
		cap_join_open(&j, (const char *[]){m[0].name, m[1].name, m[2].name}, 3, &err), 0);
	for (unsigned round = 0; round < 3; round++) {
		assert_int_equal(lengths(j, got, 16), 8);
		assert_memory_equal(got, want, sizeof(want));
		assert_int_equal(cap_join_rewind(j, &err), 0);
	}
	cap_join_close(j);
	for (unsigned i = 0; i < 3; i++)
		unlink(m[i].name);
}

// A frame whose instant goes back stays directly behind the one before it.
static void a_clock_that_goes_back_keeps_the_order_of_its_file(void **state)
{
	static const unsigned one[][2] = {{10, 60}, {50, 61}, {20, 62}, {60, 63}};
	static const unsigned two[][2] = {{30, 70}, {55, 71}};
	static const unsigned want[] = {60, 70, 61, 62, 71, 63};
	unsigned got[16];
	struct made m[2];
	struct cap_join *j;
	struct err err;

	(void)state;
	write_file(&m[0], one, 4);
	write_file(&m[1], two, 2);
	assert_int_equal(cap_join_open(&j, (const char *[]){m[0].name, m[1].name}, 2, &err), 0);
	assert_int_equal(lengths(j, got, 16), 6);
	assert_memory_equal(got, want, sizeof(want));
	cap_join_close(j);
	unlink(m[0].name);
	unlink(m[1].name);
}

static void a_bad_file_is_named(void **state)
{
	static const unsigned one[][2] = {{10, 60}};
	char want[160];
	struct made m[2];
	struct cap_frame f;
	struct cap_join *j;
	struct err err;

	(void)state;
	write_file(&m[0], one, 1);
	write_file(&m[1], one, 0);
	assert_int_equal(cap_join_open(&j, (const char *[]){m[0].name, m[1].name}, 2, &err), 0);
	assert_int_equal(cap_join_next(j, &f, &err), -EINVAL);
	snprintf(want, sizeof(want), "%s: holds no frame", m[1].name);
	assert_string_equal(err.text, want);
	cap_join_close(j);
	assert_int_equal(
		cap_join_open(&j, (const char *[]){m[0].name, "/nosuch"}, 2, &err), -ENOENT);
	unlink(m[0].name);
	unlink(m[1].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_come_by_time),
		cmocka_unit_test(a_clock_that_goes_back_keeps_the_order_of_its_file),
		cmocka_unit_test(a_bad_file_is_named),
	};

	return cmocka_run_group_tests_name("join", tests, NULL, NULL);
}
