// SPDX-License-Identifier: BSD-3-Clause
// Buffered files: bytes arrive in order whatever their size, and a full disk is said once, with the
// path.
#include "out/out.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static char dir[] = "/tmp/quench-out-XXXXXX";
static char path[64];

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/file", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void order_is_kept(void **state)
{
	enum { N = 700000 };
	char *big = malloc(N), *back = malloc(2 * N), *p;
	struct out o;
	struct err err;
	FILE *f;

	(void)state;
	for (size_t i = 0; i < N; i++)
		big[i] = (char)(i * 7);
	assert_int_equal(out_open(&o, path, &err), 0);
	out_str(&o, "head ");
	out_printf(&o, "%d,", 5);
	out_put(&o, big, N); // more than the buffer
	for (unsigned i = 0; i < 20000; i++) {
		p = out_room(&o, 10);
		out_upto(&o, fmt_mem(p, "0123456789", 10));
	}
	assert_int_equal(out_close(&o, &err), 0);
	assert_int_equal(out_close(&o, &err), 0);

	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fread(back, 1, 2 * N, f), 7 + N + 200000);
	fclose(f);
	assert_memory_equal(back, "head 5,", 7);
	assert_memory_equal(back + 7, big, N);
	assert_memory_equal(back + 7 + N, "01234567890123", 14);
	free(big);
	free(back);
}

// A descriptor that is open already: what is written comes out of the other end, and it is closed.
static void adopts_a_descriptor(void **state)
{
	struct out o;
	struct err err;
	char back[8];
	int end[2];

	(void)state;
	assert_int_equal(pipe(end), 0);
	assert_int_equal(out_adopt(&o, end[1], "pipe", &err), 0);
	out_str(&o, "abc");
	assert_int_equal(out_close(&o, &err), 0);
	assert_int_equal(read(end[0], back, sizeof(back)), 3);
	assert_int_equal(read(end[0], back, sizeof(back)), 0);
	assert_memory_equal(back, "abc", 3);
	close(end[0]);
	errno = EMFILE;
	assert_int_equal(out_adopt(&o, -1, "pipe", &err), -EMFILE);
	assert_string_equal(err.text, "pipe: cannot be written: Too many open files");
}

static void a_stream_stays_open(void **state)
{
	FILE *f = tmpfile(), *full = fopen("/dev/full", "w");
	char back[16] = "";
	struct out o;
	struct err err;

	(void)state;
	assert_non_null(f);
	assert_non_null(full);
	assert_int_equal(out_stream(&o, f, "f", &err), 0);
	out_str(&o, "one ");
	out_flush(&o);
	out_str(&o, "two");
	assert_int_equal(out_close(&o, &err), 0);
	assert_int_not_equal(fputs(" three", f), EOF);
	rewind(f);
	assert_int_equal(fread(back, 1, sizeof(back), f), 13);
	assert_string_equal(back, "one two three");
	fclose(f);

	assert_int_equal(out_stream(&o, full, "full", &err), 0);
	out_str(&o, "lost");
	assert_int_equal(out_close(&o, &err), -ENOSPC);
	assert_string_equal(err.text, "full: incomplete: No space left on device");
	fclose(full);
}

static void full_disk_is_said(void **state)
{
	struct out o;
	struct err err;

	(void)state;
	if (access("/dev/full", W_OK) < 0)
		skip();
	assert_int_equal(out_open(&o, "/dev/full", &err), 0);
	out_str(&o, "x");
	out_flush(&o);
	out_str(&o, "y");
	assert_int_equal(out_close(&o, &err), -ENOSPC);
	assert_string_equal(err.text, "/dev/full: incomplete: No space left on device");
}

static void missing_folder_is_said(void **state)
{
	struct out o;
	struct err err;

	(void)state;
	assert_int_equal(out_open(&o, "/nowhere/x/y", &err), -ENOENT);
	assert_string_equal(err.text, "/nowhere/x/y: cannot be written: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_is_kept),
		cmocka_unit_test(adopts_a_descriptor),
		cmocka_unit_test(a_stream_stays_open),
		cmocka_unit_test(full_disk_is_said),
		cmocka_unit_test(missing_folder_is_said),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
