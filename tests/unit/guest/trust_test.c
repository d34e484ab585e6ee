// SPDX-License-Identifier: BSD-3-Clause
// Who may have written a file that root takes for code. Only root can make files of others, so that
// all of it is skipped for any other user.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/guest.h"

#define BOB 65533
#define SUE 65532

static const struct {
	uid_t folder, file;       // who owns them
	gid_t group;              // of both
	mode_t folder_mode, mode; // of the file
	const char *sudo;
	const char *why; // begins so; NULL: trusted
} rows[] = {
	{0, 0, 0, 0755, 0644, NULL, NULL},
	{0, 0, 0, 0775, 0664, NULL, NULL}, // group root
	{0, BOB, 0, 0755, 0644, NULL, "user 65533 owns "},
	{BOB, 0, 0, 0755, 0644, NULL, "user 65533 owns "},
	{0, 0, 0, 0757, 0644, NULL, "all users may write to "},
	{0, 0, 0, 0755, 0646, NULL, "all users may write to "},
	{0, 0, BOB, 0775, 0644, NULL, "others may write to "},
	{0, 0, BOB, 0755, 0664, NULL, "others may write to "},
	{0, 0, 0, 01777, 0644, NULL, NULL}, // as /tmp
	{0, BOB, 0, 01777, 0644, NULL, "user 65533 owns "},
	{BOB, BOB, BOB, 0775, 0664, "65533", NULL}, // a user's own group
	{SUE, BOB, 0, 0755, 0644, "65533", "user 65532 owns "},
	{BOB, BOB, 0, 0755, 0644, "65533x", "user 65533 owns "},
	{BOB, BOB, 0, 0755, 0644, "", "user 65533 owns "},
};

static void each_owner_and_mode_counts(void **state)
{
	char dir[] = "/tmp/quench-trust-XXXXXX", file[64], why[256];

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/x.so", dir);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int fd = open(file, O_CREAT | O_RDWR, 0600);

		assert_int_equal(chown(dir, rows[i].folder, rows[i].group), 0);
		assert_int_equal(chmod(dir, rows[i].folder_mode), 0);
		assert_int_equal(fchown(fd, rows[i].file, rows[i].group), 0);
		assert_int_equal(fchmod(fd, rows[i].mode), 0);
		if (rows[i].sudo)
			setenv("SUDO_UID", rows[i].sudo, 1);
		else
			unsetenv("SUDO_UID");
		if (trust_file(fd, why, sizeof(why)) != !rows[i].why)
			fail_msg("row %u: %s", i, rows[i].why ? "trusted" : why);
		if (rows[i].why)
			assert_memory_equal(why, rows[i].why, strlen(rows[i].why));
		close(fd);
	}
	unsetenv("SUDO_UID");
	unlink(file);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_owner_and_mode_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
