// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of room suite: a folder with files of rows and results, and texts of a sheet.
#pragma once

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "suite/suite.h"

static char suite_dir[64];

__attribute__((unused)) static int make_suite_dir(void **state)
{
	(void)state;
	snprintf(suite_dir, sizeof(suite_dir), "/tmp/suite-test-XXXXXX");
	return mkdtemp(suite_dir) ? 0 : -1;
}

__attribute__((unused)) static int drop_suite_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", suite_dir);
	return system(command);
}

// Writes a file of the folder; returns its path.
__attribute__((unused)) static const char *suite_file(const char *name, const char *text)
{
	static char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", suite_dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

// Adds a row whose file has this text.
__attribute__((unused)) static struct suite_row *suite_row_of(
	struct suite_sheet *s, const char *name, const char *text)
{
	struct err err;

	if (suite_row_add(s, "pfc", suite_file(name, text), &err))
		fail_msg("%s", err.text);
	return &s->row[s->n - 1];
}
