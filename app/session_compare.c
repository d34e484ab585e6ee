// SPDX-License-Identifier: BSD-3-Clause
// The figures of one scene on both clocks, and how far they may be apart.
#include "session_int.h"

#include <math.h>
#include <stdio.h>

#include "cmd.h"

// One figure on both clocks; false where they are further apart than `limit` (a share, or absolute).
static bool agree(struct record *v, struct record *r, const char *path, const char *name,
	double limit, bool absolute)
{
	double a = record_value(v, path), b = record_value(r, path);
	double off = absolute ? fabs(b - a) : a ? fabs(b - a) / fabs(a) : b ? INFINITY : 0;
	bool ok = off <= limit;

	if (isnan(a) && isnan(b)) // a scene that has no such figure
		return true;

	if (absolute && limit == 0)
		printf("  %s %.0f and %.0f", name, a, b);
	else if (absolute)
		printf("  %s %.3f and %.3f", name, a, b);
	else
		printf("  %s %+.1f %%", name, a ? 100 * (b - a) / a : b ? INFINITY : 0);
	fputs(ok ? "" : " (!)", stdout);
	return ok;
}

// Issue of the first light: how far the two clocks may be apart.
int session_compare(struct record *v, struct record *r)
{
	bool ok = true;

	printf("real against virtual:");
	ok &= agree(v, r, "total.goodput_gbps", "goodput", 0.02, false);
	ok &= agree(v, r, "jain", "Jain", 0.02, true);
	ok &= agree(v, r, "drops", "drops", 0, true);
	ok &= agree(v, r, "marks", "marks", 0.2, false);
	ok &= agree(v, r, "cnps", "CNPs", 0.2, false);
	printf("\n%s (goodput within 2 %%, Jain 0.02, drops equal, marks and CNPs 20 %%)\n",
		ok ? "the clocks agree" : "the clocks DISAGREE where marked (!)");
	return ok ? EXIT_DONE : EXIT_VERDICT;
}
