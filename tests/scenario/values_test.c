// SPDX-License-Identifier: BSD-3-Clause
// Figures as tests/scenario/values.txt has them, in runs whose events the golden digests hold.
#include "scn.h"

#include <math.h>
#include <string.h>

#define DIGITS 12 // significant ones

struct line {
	char file[64], path[128], value[40];
};

// Runs 3 ms of a scenario, as the digests do.
static struct scn run(const char *file)
{
	return scn_run_lossy(file, "warmup=1ms", "duration=3ms", NULL);
}

// values.txt: a line a figure, "scenario path value"; lines of one scenario follow each other. In
// virtual time a figure is exact, so it is compared as it is printed. A change that is meant to
// move it puts in the line that is printed here.
static void figures_are_those_of_every_build(void **state)
{
	FILE *f = fopen(SOURCE_ROOT "/tests/scenario/values.txt", "r");
	char running[64] = "", got[40];
	struct line l;
	struct scn s;
	unsigned differ = 0, n = 0;

	(void)state;
	assert_non_null(f);
	while (fscanf(f, "%63s %127s %39s", l.file, l.path, l.value) == 3) {
		if (strcmp(l.file, running)) {
			if (*running)
				scn_free(&s);
			s = run(l.file);
			snprintf(running, sizeof(running), "%s", l.file);
		}
		snprintf(got, sizeof(got), "%.*g", DIGITS, report_value(s.rec, l.path));
		n++;
		if (!strcmp(got, l.value))
			continue;
		printf("%s %s %s\n", l.file, l.path, got);
		differ++;
	}
	assert_true(feof(f));
	fclose(f);
	assert_true(n > 0);
	scn_free(&s);
	if (differ)
		fail_msg("the %u lines above differ from tests/scenario/values.txt", differ);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_those_of_every_build),
	};

	return cmocka_run_group_tests_name("values", tests, NULL, NULL);
}
