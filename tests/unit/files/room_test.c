// SPDX-License-Identifier: BSD-3-Clause
// Room for the files of a run's end: taken on file systems that promise it and on those that do
// not, and given back; a disk that lacks it refuses the run.
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "record_lab.h"

#include "files/int.h"

#define ROOM 1000000

static int answer; // of fallocate; 0: its own

int __real_fallocate64(int fd, int mode, off_t at, off_t bytes);
int __wrap_fallocate64(int fd, int mode, off_t at, off_t bytes);

int __wrap_fallocate64(int fd, int mode, off_t at, off_t bytes)
{
	if (!answer)
		return __real_fallocate64(fd, mode, at, bytes);
	errno = answer;
	return -1;
}

static void room_is_taken_on_any_file_system(void **state)
{
	static const int answers[] = {0, EOPNOTSUPP, ENOSYS};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		FILE *f = tmpfile();
		struct stat st;

		answer = answers[i];
		assert_int_equal(record_room_take(fileno(f), ROOM), 0);
		assert_int_equal(fstat(fileno(f), &st), 0);
		assert_true(st.st_blocks * 512 >= ROOM);
		fclose(f);
	}
	answer = 0;
}

// A disk or a quota that is used up. A limit of each file's size says nothing of the disk.
static void only_a_full_disk_is_refused(void **state)
{
	FILE *f = tmpfile();

	(void)state;
	answer = ENOSPC;
	assert_int_equal(record_room_take(fileno(f), ROOM), -ENOSPC);
	answer = EDQUOT;
	assert_int_equal(record_room_take(fileno(f), ROOM), -EDQUOT);
	answer = EFBIG;
	assert_int_equal(record_room_take(fileno(f), ROOM), 0);
	answer = 0;
	fclose(f);
}

static void a_run_says_what_it_needs(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	answer = EDQUOT;
	assert_int_equal(lab_run(&l, NULL, 0, false), -EDQUOT);
	answer = 0;
	assert_non_null(strstr(l.err.text, "no room for results"));
	assert_non_null(strstr(l.err.text, "Disk quota exceeded"));
	lab_close(&l);
}

static void nothing_of_it_is_left(void **state)
{
	struct dirent *e;
	struct lab l;
	DIR *d;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	d = opendir(l.out);
	while ((e = readdir(d)))
		assert_true(
			e->d_name[0] != '.' || !strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."));
	closedir(d);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(room_is_taken_on_any_file_system),
		cmocka_unit_test(only_a_full_disk_is_refused),
		cmocka_unit_test(a_run_says_what_it_needs),
		cmocka_unit_test(nothing_of_it_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
