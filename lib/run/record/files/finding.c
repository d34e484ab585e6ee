// SPDX-License-Identifier: BSD-3-Clause
// The findings of a self-test: kept as lines, and written as JSON.
#include "finding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const record_verdict_names[RECORD_VERDICTS] = {
	[RECORD_OK] = "ok",
	[RECORD_NOTE] = "note",
	[RECORD_WARNING] = "warning",
	[RECORD_BAD] = "bad",
};

void record_finding_add(struct record_findings *f, const char *subject, const char *what,
	enum record_verdict verdict, const char *found, const char *advice)
{
	struct record_finding *line;

	assert(verdict == RECORD_OK || (advice && *advice));
	if (f->n == f->room) {
		unsigned room = f->room ? 2 * f->room : 32;

		line = realloc(f->line, room * sizeof(*line));
		if (!line) {
			f->lost = true;
			return;
		}
		f->line = line;
		f->room = room;
	}
	line = &f->line[f->n++];
	*line = (struct record_finding){.what = what, .verdict = verdict};
	snprintf(line->subject, sizeof(line->subject), "%s", subject);
	snprintf(line->found, sizeof(line->found), "%s", found);
	if (verdict != RECORD_OK)
		snprintf(line->advice, sizeof(line->advice), "%s", advice);
}

unsigned record_finding_count(const struct record_findings *f, enum record_verdict verdict)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->n; i++)
		n += f->line[i].verdict == verdict;
	return n;
}

void record_finding_put(struct jw *w, const char *key, const struct record_findings *f)
{
	jw_array(w, key, false);
	for (unsigned i = 0; i < f->n; i++) {
		const struct record_finding *line = &f->line[i];

		jw_object(w, NULL, true);
		jw_str(w, "subject", line->subject);
		jw_str(w, "what", line->what);
		jw_str(w, "verdict", record_verdict_names[line->verdict]);
		jw_str(w, "found", line->found);
		if (*line->advice)
			jw_str(w, "advice", line->advice);
		jw_end(w);
	}
	jw_end(w);
}

void record_finding_free(struct record_findings *f)
{
	free(f->line);
	*f = (struct record_findings){0};
}
