// SPDX-License-Identifier: BSD-3-Clause
// The scenarios of config/ have settled by the end of their warm-up, or are not judged.
#include "scn.h"

#include <glob.h>
#include <string.h>

#include "summary/summary.h"

// They need a built program, or captures of many seconds.
static const char *const others[] = {
	"rdma-ip.yaml", "plugin/rate.yaml", "plugin/window.yaml", "reference.yaml"};

static bool is_other(const char *file)
{
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(file, others[i]))
			return true;
	return false;
}

static void judge(const char *file)
{
	struct scn s = scn_run(file, "expect=[]", NULL);
	char room[2][KIND_NAME];
	const char *is, *why;

	is = summary_label(report_summary(s.rec), KIND_STEADY, 0, "verdict", room[0]);
	why = summary_label(report_summary(s.rec), KIND_STEADY, 0, "why", room[1]);
	if (!strcmp(is, "unsettled"))
		fail_msg("%s: %s: %s", file, is, why);
	scn_free(&s);
}

static void scenarios_have_settled(void **state)
{
	static const char *const patterns[] = {"/config/*.yaml", "/config/*/*.yaml"};
	const char *root = SOURCE_ROOT "/config/";
	unsigned n = 0;

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		char pattern[512];
		glob_t found;

		snprintf(pattern, sizeof(pattern), "%s%s", SOURCE_ROOT, patterns[k]);
		assert_int_equal(glob(pattern, 0, NULL, &found), 0);
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *file = found.gl_pathv[i] + strlen(root);

			if (strstr(file, "replay") || is_other(file))
				continue;
			judge(file);
			n++;
		}
		globfree(&found);
	}
	assert_true(n > 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(scenarios_have_settled)};

	return cmocka_run_group_tests_name("steady", tests, NULL, NULL);
}
