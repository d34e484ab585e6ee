// SPDX-License-Identifier: BSD-3-Clause
// Folders for results: made whole, refused where something is in them, cleared of the names given
// only.
#include "out/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static char top[] = "/tmp/quench-folder-XXXXXX";
static const char *const names[] = {"old.csv"};

static char *at(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

static void leave(const char *name)
{
	int fd = open(at(name), O_CREAT | O_WRONLY, 0644);

	assert_true(fd >= 0);
	close(fd);
}

static int lock;

static void left(void)
{
	assert_true(lock >= 0);
	folder_leave(lock);
}

static void made_with_those_above(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(folder_take(at("a/b/c"), false, names, 1, &lock, &err), 0);
	assert_int_equal(access(at("a/b/c"), W_OK), 0);
	left();
	assert_int_equal(
		folder_take(at("a/b/c"), false, names, 1, &lock, &err), 0); // empty: taken again
	left();
}

static void refused_or_cleared(void **state)
{
	struct err err;

	(void)state;
	leave("a/b/c/old.csv");
	leave("a/b/c/mine.txt");
	assert_int_equal(folder_take(at("a/b/c"), false, names, 1, &lock, &err), -EEXIST);
	assert_non_null(strstr(err.text, "--force"));
	assert_int_equal(lock, -1);
	assert_int_equal(access(at("a/b/c/old.csv"), F_OK), 0);
	assert_int_equal(folder_take(at("a/b/c"), true, names, 1, &lock, &err), 0);
	assert_int_equal(access(at("a/b/c/old.csv"), F_OK), -1);
	assert_int_equal(access(at("a/b/c/mine.txt"), F_OK), 0);
	left();
}

// No run takes the folder that another one writes into: not by force, and not while it is empty
// still.
static void one_run_at_a_time(void **state)
{
	struct err err;
	char *taken;
	int one, other;

	(void)state;
	leave("a/b/c/old.csv");
	assert_int_equal(folder_take(at("a/b/c"), true, names, 1, &one, &err), 0);
	leave("a/b/c/old.csv");
	assert_int_equal(folder_take(at("a/b/c"), true, names, 1, &other, &err), -EBUSY);
	assert_non_null(strstr(err.text, "a/b/c: another run is writing into this folder"));
	assert_int_equal(other, -1);
	assert_int_equal(access(at("a/b/c/old.csv"), F_OK), 0);
	assert_int_equal(folder_take(at("a/b/c"), false, names, 1, &other, &err), -EBUSY);
	folder_leave(one);
	assert_int_equal(folder_take(at("a/b/c"), true, names, 1, &lock, &err), 0);
	left();
	assert_int_equal(folder_next(&taken, at("n"), &one, &err), 0);
	assert_int_equal(folder_take(at("n"), false, names, 1, &other, &err), -EBUSY);
	folder_leave(one);
	assert_int_equal(rmdir(taken), 0);
	free(taken);
}

// The first that is not there, be it empty.
static void the_next_that_is_free(void **state)
{
	static const char *const want[] = {"n/x", "n/x.2", "n/x.3"};
	char *taken;
	struct err err;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(folder_next(&taken, at("n/x"), &lock, &err), 0);
		assert_string_equal(taken, at(want[i]));
		free(taken);
		left();
	}
	leave("n/y");
	assert_int_equal(folder_next(&taken, at("n/y"), &lock, &err), 0);
	assert_string_equal(taken, at("n/y.2"));
	free(taken);
	left();
	assert_int_equal(folder_next(&taken, at("n/y/x"), &lock, &err), -ENOTDIR);
	assert_int_equal(rmdir(at("n/x")) | rmdir(at("n/x.2")) | rmdir(at("n/x.3")) |
				 rmdir(at("n/y.2")) | unlink(at("n/y")) | rmdir(at("n")),
		0);
}

static void cannot_be(void **state)
{
	char longest[4034] = "";
	struct err err;

	(void)state;
	assert_int_equal(folder_take("", false, names, 1, &lock, &err), -EINVAL);
	memset(longest, 'x', sizeof(longest) - 1);
	assert_int_equal(folder_take(longest, false, names, 1, &lock, &err), -ENAMETOOLONG);
	assert_non_null(strstr(err.text, "4032 bytes at most, this one 4033"));
	assert_int_equal(folder_take(at("a/b/c/mine.txt"), false, names, 1, &lock, &err), -ENOTDIR);
	assert_int_equal(
		folder_take(at("a/b/c/mine.txt/d"), false, names, 1, &lock, &err), -ENOTDIR);
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(top) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	unlink(at("a/b/c/mine.txt"));
	return rmdir(at("a/b/c")) || rmdir(at("a/b")) || rmdir(at("a")) || rmdir(top);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made_with_those_above),
		cmocka_unit_test(refused_or_cleared),
		cmocka_unit_test(one_run_at_a_time),
		cmocka_unit_test(the_next_that_is_free),
		cmocka_unit_test(cannot_be),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
