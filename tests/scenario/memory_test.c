// SPDX-License-Identifier: BSD-3-Clause
// The most memory that a run takes: large scenes cost the memory that they use, not the most that
// they could use.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile/compile.h"

#define SCENARIOS SOURCE_ROOT "/tests/scenario"

static const char *quench;
static char folder[] = "/tmp/quench-memory-XXXXXX";

static int open_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int close_folder(void **state)
{
	char *argv[] = {"rm", "-r", folder, NULL};
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid ? 0 : -1;
}

// The estimate before a run and the memory that the run took differ by less than half.
static void was_expected(const char *file, long kb)
{
	struct err err = {0};
	struct scene *s = NULL;
	double expected;

	if (compile_scene(&s, file, &(struct scene_opts){0}, &err))
		fail_msg("%s", err.text);
	expected = (double)scene_memory(s).all / 1024;
	scene_free(s);
	printf("%s: %.0f MB were expected\n", file, expected / 1000);
	assert_true(expected < 1.5 * (double)kb && 1.5 * expected > (double)kb);
}

// Runs a scenario and compares its largest resident set with a limit in MB. Huge
// pages, if the machine gives them to everybody, would count whole as soon as one byte of them is
// touched, so they are off. The test runner asks the C library to fill all memory that it gives;
// that is off, too.
static void takes_at_most(const char *where, const char *name, unsigned limit)
{
	char file[1024], out[256];
	struct rusage usage;
	pid_t pid;
	int status;

	snprintf(file, sizeof(file), "%s/%s.yaml", where, name);
	snprintf(out, sizeof(out), "%s/%s", folder, name);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
		unsetenv("MALLOC_PERTURB_");
		execl(quench, quench, "run", file, "--quiet", "--out", out, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_int_equal(status, 0);
	printf("%s: %ld MB of %u\n", name, usage.ru_maxrss / 1000, limit);
	assert_in_range(usage.ru_maxrss, 1, limit * 1000);
	was_expected(file, usage.ru_maxrss);
}

static void many_hosts(void **state)
{
	(void)state;
	takes_at_most(SCENARIOS, "memory-hosts", 250);
}

static void idle_pairs(void **state)
{
	(void)state;
	takes_at_most(SCENARIOS, "memory-pairs", 155);
}

// Every pair of 192 hosts has a message, 100 ns after the pair before it: few are in use at a time.
static void pairs_in_turn(void **state)
{
	const unsigned hosts = 192, pairs = hosts * (hosts - 1);
	char path[256];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/list.txt", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%u\n", pairs);
	for (unsigned i = 0; i < pairs; i++)
		fprintf(f, "%u %u 3 100 1000 %.9f\n", i % hosts,
			(i % hosts + 1 + i / hosts) % hosts, i * 100e-9);
	assert_int_equal(fclose(f), 0);
	snprintf(path, sizeof(path), "%s/memory-turns.yaml", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("duration: 4ms\n"
	      "controls: {c: {profile: paper}}\n"
	      "topology: {star: {hosts: 192}}\n"
	      "defaults:\n"
	      "  switches: {classes: {3: {lossless: true}}}\n"
	      "  flows: {control: c, group: all}\n"
	      "flows_from: list.txt\n",
		f);
	assert_int_equal(fclose(f), 0);
	takes_at_most(folder, "memory-turns", 215);
}

static void long_wires(void **state)
{
	(void)state;
	takes_at_most(SCENARIOS, "memory-wires", 100);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_hosts),
		cmocka_unit_test(idle_pairs),
		cmocka_unit_test(pairs_in_turn),
		cmocka_unit_test(long_wires),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: %s QUENCH\n", argv[0]);
		return 2;
	}
	quench = argv[1];
	return cmocka_run_group_tests(tests, open_folder, close_folder);
}
