// SPDX-License-Identifier: BSD-3-Clause
// The scenarios of config/ have settled by the end of their warm-up, or are not judged. The first
// one that a user runs shows the start, and says so itself.
#include "scn.h"

#include <glob.h>
#include <string.h>

#include "summary/summary.h"

static const char *const unsettled[] = {"first-light.yaml"};
// They need a built program, or captures of many seconds.
static const char *const others[] = {
	"rdma-ip.yaml", "plugin/rate.yaml", "plugin/window.yaml", "reference.yaml"};

static bool among(const char *file, const char *const *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(file, list[i]))
			return true;
	return false;
}

static void judge(const char *file)
{
	bool on_purpose = among(file, unsettled, sizeof(unsettled) / sizeof(unsettled[0]));
	struct scn s = scn_run(file, "expect=[]", NULL);
	char room[2][KIND_NAME];
	const char *is, *why;

	is = summary_label(report_summary(s.rec), KIND_STEADY, 0, "verdict", room[0]);
	why = summary_label(report_summary(s.rec), KIND_STEADY, 0, "why", room[1]);
	if (on_purpose != !strcmp(is, "unsettled"))
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

			if (strstr(file, "replay") ||
				among(file, others, sizeof(others) / sizeof(others[0])))
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
