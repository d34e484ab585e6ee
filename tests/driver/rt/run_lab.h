// SPDX-License-Identifier: BSD-3-Clause
// Whole runs on the real clock, each in a process of its own, since DPDK starts once in a process:
// what tests of them share. Without hugepages, for any user.
#pragma once

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile/compile.h"
#include "rt/rt.h"

#define HERE TEST_SOURCE "/tests/driver/rt/"

static char dir[] = "/tmp/quench-rt-run-XXXXXX";

static inline struct scene *loaded(const char *file, const struct scene_set *set, unsigned n)
{
	struct scene_opts o = {.set = set, .n_set = n, .real = true};
	struct scene *s;
	struct err err;

	if (compile_scene(&s, file, &o, &err) != 0)
		fail_msg("%s", err.text);
	return s;
}

// Conservation and the pool are part of every run.
static inline void whole(const struct report *r)
{
	const char *text = report_text(r);

	if (!strstr(text, "every frame is accounted for") ||
		strstr(text, "descriptors are missing"))
		fail_msg("%s", text);
}

static inline struct report *real(struct scene *s, struct rt_opts o)
{
	struct report *r = NULL;
	struct err err;

	o.no_huge = true;
	o.record.no_files = !o.record.dir;
	o.program = "run_lab";
	if (rt_run(s, &o, &r, &err) != 0)
		fail_msg("%s", err.text);
	whole(r);
	return r;
}

static inline int removed(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

// A folder for the files of a run: `dir` names it until run_lab_done.
static inline void run_lab_folder(void)
{
	assert_non_null(mkdtemp(dir));
}

static inline void run_lab_done(void)
{
	assert_int_equal(nftw(dir, removed, 8, FTW_DEPTH | FTW_PHYS), 0);
}

// Runs the case that the command names.
static inline int run_lab_main(
	const struct CMUnitTest *cases, unsigned n, const char *program, int argc, char **argv)
{
	for (unsigned i = 0; i < n; i++)
		if (argc == 2 && strcmp(argv[1], cases[i].name) == 0) {
			const struct CMUnitTest one[] = {cases[i]};

			return cmocka_run_group_tests(one, NULL, NULL);
		}
	fprintf(stderr, "usage: %s CASE; cases:\n", program);
	for (unsigned i = 0; i < n; i++)
		fprintf(stderr, "  %s\n", cases[i].name);
	return 2;
}
