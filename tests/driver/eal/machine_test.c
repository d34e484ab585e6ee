// SPDX-License-Identifier: BSD-3-Clause
// The findings about a machine, which is a tree of files here.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "eal/eal.h"

#define CPU  "/sys/devices/system/cpu"
#define HUGE "/sys/kernel/mm/hugepages/hugepages-2048kB"

static char root[] = "/tmp/quench-machine-XXXXXX";

static void put(const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *s = full + sizeof(root); (s = strchr(s, '/')); *s++ = '/') {
		*s = '\0';
		mkdir(full, 0700);
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static int make(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
	put(HUGE "/nr_hugepages", "512");
	put(HUGE "/free_hugepages", "500");
	put(CPU "/isolated", "1-2,5");
	for (unsigned i = 1; i <= 3; i++) {
		char path[128];

		snprintf(path, sizeof(path), CPU "/cpu%u/cpufreq/scaling_governor", i);
		put(path, i == 2 ? "powersave" : "performance");
	}
	put(CPU "/cpu1/topology/thread_siblings_list", "1,3");
	put(CPU "/cpu2/topology/thread_siblings_list", "2,6");
	put(CPU "/cpu3/topology/thread_siblings_list", "1,3");
	return 0;
}

static int clear(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void found(const struct record_findings *f, const char *subject, const char *what,
	enum record_verdict verdict, const char *words, const char *advice)
{
	for (unsigned i = 0; i < f->n; i++) {
		const struct record_finding *l = &f->line[i];

		if (strcmp(l->subject, subject) || strcmp(l->what, what))
			continue;
		if (l->verdict != verdict || !strstr(l->found, words) || !strstr(l->advice, advice))
			fail_msg("%s %s: %s: %s; %s", subject, what,
				record_verdict_names[l->verdict], l->found, l->advice);
		return;
	}
	fail_msg("no line \"%s\" of %s", what, subject);
}

static void each_thing_has_a_line(void **state)
{
	const unsigned cpu[] = {1, 2, 3, 5};
	const struct eal_machine m = {.root = root, .cpu = cpu, .n_cpus = 4, .pci = true};
	struct record_findings f = {0};

	(void)state;
	eal_machine_look(&m, &f);
	found(&f, "machine", "clock source", RECORD_OK, "tsc", "");
	found(&f, "machine", "hugepages", RECORD_OK, "1000 MB free of 1024 MB", "");
	found(&f, "lcore 1", "isolation", RECORD_OK, "", "");
	found(&f, "lcore 3", "isolation", RECORD_NOTE, "other processes", "isolcpus=3");
	found(&f, "lcore 5", "isolation", RECORD_OK, "", "");
	found(&f, "lcore 1", "governor", RECORD_OK, "performance", "");
	found(&f, "lcore 2", "governor", RECORD_WARNING, "powersave", "cpupower -c 2");
	found(&f, "lcore 5", "governor", RECORD_OK, "sets no frequency", "");
	found(&f, "lcore 1", "SMT siblings", RECORD_WARNING, "1,3", "another core");
	found(&f, "lcore 2", "SMT siblings", RECORD_NOTE, "2,6", "cpu6/online");
	found(&f, "lcore 5", "SMT siblings", RECORD_OK, "", "");
	record_finding_free(&f);
}

static void a_machine_that_lacks_all(void **state)
{
	struct eal_machine m = {.root = "/nonexistent", .pci = true};
	struct record_findings f = {0};

	(void)state;
	eal_machine_look(&m, &f);
	found(&f, "machine", "clock source", RECORD_NOTE, "does not say", "clock drift");
	found(&f, "machine", "hugepages", RECORD_WARNING, "none", "nr_hugepages");
	record_finding_free(&f);
	m.pci = false;
	eal_machine_look(&m, &f);
	found(&f, "machine", "hugepages", RECORD_NOTE, "none", "nr_hugepages");
	record_finding_free(&f);
}

static void a_clock_that_drifts(void **state)
{
	struct record_findings f = {0};

	(void)state;
	eal_machine_drift(&f, -2.5, 20);
	found(&f, "machine", "clock drift", RECORD_OK, "-2.50 ppm", "");
	record_finding_free(&f);
	eal_machine_drift(&f, 101, 20);
	found(&f, "machine", "clock drift", RECORD_WARNING, "+101.00 ppm", "--strict");
	record_finding_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thing_has_a_line),
		cmocka_unit_test(a_machine_that_lacks_all),
		cmocka_unit_test(a_clock_that_drifts),
	};

	return cmocka_run_group_tests(tests, make, clear);
}
