// SPDX-License-Identifier: BSD-3-Clause
// The faults of the scenario, in the table for the terminal: how often each has hit.
#include "int.h"

#define SHOWN 8 // of them; how many more there are is said

static void put_fault(FILE *f, const struct row *x, const char *head)
{
	ull hit = count(x, "matched_total"), missed = count(x, "missed_total");

	fprintf(f, "  %-10s  %s %s at %s: ", head, LABEL(x, NULL), LABEL(x, "action"),
		LABEL(x, "port"));
	if (hit)
		fprintf(f, "%llu frame%s", hit, plural(hit));
	else
		fprintf(f, "%s", is(x, "optional") ? "no frame" : "NO FRAME, so the run fails");
	if (missed)
		fprintf(f, "; %llu more could not be hit", missed);
	fprintf(f, "\n");
}

// A frame that was hit before the window counts, too.
void text_faults(FILE *f, const struct summary *s)
{
	struct row x = rows(s, KIND_FAULT);
	const char *head = "faults";

	for (; x.i < x.n && x.i < SHOWN; x.i++, head = "")
		put_fault(f, &x, head);
	if (x.i < x.n)
		fprintf(f, "                %u more; `faults` in summary.json has each\n",
			x.n - x.i);
}
