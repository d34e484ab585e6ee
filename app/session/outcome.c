// SPDX-License-Identifier: BSD-3-Clause
// The end of a run: its table, the lines about what went wrong, and the exit status.
#include "outcome.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// The exit status of a run that has a report.
static int judge_report(const struct session *s, const struct report *rec)
{
	if (report_crash(rec))
		tell("%s", report_crash(rec));
	if (report_link_loss(rec))
		tell("%s", report_link_loss(rec));
	// If the instrument spoilt a run, its expectations are not judged.
	if (report_device_error(rec)) {
		tell("%s", report_device_error(rec));
		return EXIT_INPUT;
	}
	if (s->strict && !report_failed(rec) && (report_spoilt(rec) || report_unseen(rec)))
		return EXIT_TIMING;
	return report_passed(rec) ? EXIT_DONE : EXIT_VERDICT;
}

// Names the incomplete files of a run. `last` is left out, because the caller names it afterwards.
static void tell_missing(const struct report *rec, const char *last)
{
	char line[PATH_MAX + 256];
	const char *missing;

	for (unsigned i = 0; (missing = report_missing(rec, i)); i++) {
		snprintf(line, sizeof(line), "%s/%s", report_folder(rec), missing);
		if (strcmp(line, last) != 0)
			tell("%s", line);
	}
}

int outcome_tell(const struct session *s, const struct report *rec, const char *why)
{
	if (!why && s->alone && report_alone(rec) && !report_interrupted(rec)) {
		tell("%s", s->alone);
		return EXIT_INPUT;
	}
	if (rec && *report_text(rec) && !s->quiet) // also where files are not whole
		printf("%s\n", report_text(rec));
	if (!why)
		return judge_report(s, rec);
	if (rec && s->quiet) // the table would name them
		tell_missing(rec, why);
	tell("%s", why);
	return EXIT_INPUT;
}
