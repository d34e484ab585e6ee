// SPDX-License-Identifier: BSD-3-Clause
// The verdict of a row from its criteria, and of a sheet from its rows.
#include <math.h>

#include "suite.h"

const char *const suite_verdict_name[] = {
	[SUITE_PASS] = "PASS",
	[SUITE_NOT_JUDGED] = "NOT JUDGED",
	[SUITE_INVALID] = "INVALID",
	[SUITE_FAIL] = "FAIL",
	[SUITE_NOT_RUN] = "NOT RUN",
};

// A row passes if every criterion that could be judged passed, and one could. Criteria that cannot
// be judged stand in the sheet.
void suite_judge(struct suite_row *r)
{
	bool passed = false;

	r->verdict = SUITE_NOT_JUDGED;
	for (unsigned i = 0; i < r->n; i++) {
		passed |= r->line[i].verdict == SUITE_PASS;
		if (r->line[i].verdict > r->verdict)
			r->verdict = r->line[i].verdict;
	}
	if (r->verdict == SUITE_NOT_JUDGED && passed)
		r->verdict = SUITE_PASS;
}

unsigned suite_count(const struct suite_sheet *s, enum suite_verdict v)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++)
		n += s->row[i].verdict == v;
	return n;
}

// Whether a row has a criterion that was not judged.
static bool is_partial(const struct suite_row *r)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->line[i].verdict == SUITE_NOT_JUDGED)
			return true;
	return r->verdict == SUITE_NOT_JUDGED || r->verdict == SUITE_NOT_RUN;
}

int suite_status(const struct suite_sheet *s, bool strict)
{
	if (suite_count(s, SUITE_FAIL))
		return 1;
	if (suite_count(s, SUITE_INVALID))
		return 3;
	for (unsigned i = 0; strict && i < s->n; i++)
		if (is_partial(&s->row[i]))
			return 3;
	return 0;
}

void suite_refuse(struct suite_sheet *s, struct suite_row *r, enum suite_verdict v, const char *why)
{
	r->n = 0;
	r->verdict = v;
	r->why = arena_format(&s->arena, "%s", why);
}

void suite_free(struct suite_sheet *s)
{
	arena_free(&s->arena);
	*s = (struct suite_sheet){0};
}
