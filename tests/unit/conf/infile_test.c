// SPDX-License-Identifier: BSD-3-Clause
// Input files: regular ones are taken, what might never end is refused before it is opened.
#include "conf/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cap/cap.h"

static char dir[] = "/tmp/quench-infile-XXXXXX";

static void refused(const char *path, int code, const char *why)
{
	struct err err;

	assert_int_equal(infile_check(path, &err), code);
	assert_memory_equal(err.text, path, strlen(path));
	assert_string_equal(err.text + strlen(path), why);
}

static void what_is_taken_and_what_not(void **state)
{
	char fifo[64], loop[64];
	struct err err;

	(void)state;
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	snprintf(loop, sizeof(loop), "%s/link", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink(fifo, loop), 0);
	assert_int_equal(infile_check(TEST_DATA "/README.md", &err), 0);
	refused(dir, -EISDIR, ": Is a directory; a file is wanted");
	refused(fifo, -EINVAL, ": Is a FIFO; a file is wanted");
	refused(loop, -EINVAL, ": Is a FIFO; a file is wanted");
	refused("/dev/zero", -EINVAL, ": Is a device; a file is wanted");
	refused("/nosuch", -ENOENT, ": No such file or directory");
}

// With nobody at its other end, opening it would wait for ever.
static void readers_refuse_a_fifo(void **state)
{
	struct arena arena = {0};
	struct yamldoc_node *root;
	struct cap_in *in;
	char fifo[64];
	struct err err;

	(void)state;
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(cap_in_open(&in, fifo, &err), -EINVAL);
	assert_non_null(strstr(err.text, "Is a FIFO"));
	assert_int_equal(cap_in_open(&in, dir, &err), -EISDIR);
	assert_non_null(strstr(err.text, "Is a directory"));
	assert_int_equal(yamldoc_read(&arena, &root, fifo, &err), -EINVAL);
	assert_non_null(strstr(err.text, ": Is a FIFO; a file is wanted, or - for standard input"));
	assert_int_equal(yamldoc_read(&arena, &root, dir, &err), -EISDIR);
	assert_null(strstr(err.text, "standard input"));
	arena_free(&arena);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_taken_and_what_not),
		cmocka_unit_test(readers_refuse_a_fifo),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
