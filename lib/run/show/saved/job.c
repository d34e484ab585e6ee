// SPDX-License-Identifier: BSD-3-Clause
// The text of events of jobs, read back.
#include "job.h"

#include <stdlib.h>
#include <string.h>

#include "int.h"

// Words of a detail, one after the other.
struct words {
	const char *at;
};

static bool word(struct words *w, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(w->at, text, n) != 0)
		return false;
	w->at += n;
	return true;
}

static bool number(struct words *w, uint32_t *to)
{
	char *end;
	unsigned long long v = strtoull(w->at, &end, 10);

	if (end == w->at || v > UINT32_MAX)
		return false;
	w->at = end;
	*to = (uint32_t)v;
	return true;
}

// A time in us.
static bool instant(struct words *w, tstamp *to)
{
	size_t n = strspn(w->at, "0123456789.");
	char text[40];

	if (!n || n >= sizeof(text))
		return false;
	memcpy(text, w->at, n);
	text[n] = '\0';
	w->at += n;
	return csv_fixed(text, 6, to);
}

// "ring.3"
static bool rank(struct words *w, struct saved_job *to)
{
	size_t n = strcspn(w->at, " ");

	to->rank = w->at;
	to->rank_len = (unsigned)n;
	while (n && w->at[n - 1] != '.')
		n--;
	if (n < 2)
		return false;
	to->name_len = (unsigned)n - 1;
	w->at += n;
	return number(w, &to->number);
}

static bool part(struct words *w, struct saved_job *to)
{
	for (to->part = 0; to->part < JOB_PARTS; to->part++)
		if (word(w, evf_part_name(to->part)))
			return word(w, " ") && instant(w, &to->part_ps);
	return false;
}

bool saved_job(const struct saved_ev *ev, struct saved_job *to)
{
	struct words w = {ev->detail};

	*to = (struct saved_job){0};
	if (ev->type < EV_JOB_STEP || ev->type > EV_JOB_MESSAGE || !rank(&w, to))
		return false;
	switch ((int)ev->type) {
	case EV_JOB_STEP:
		return word(&w, " iteration ") && number(&w, &to->of) && word(&w, " from ") &&
		       instant(&w, &to->from) && word(&w, " to ") && instant(&w, &to->to);
	case EV_JOB_PART:
		return word(&w, " iteration ") && number(&w, &to->of) && word(&w, " ") &&
		       part(&w, to);
	case EV_JOB_CALC:
		return word(&w, " op ") && number(&w, &to->of) && word(&w, " from ") &&
		       instant(&w, &to->from);
	default:
		return word(&w, " from ") && number(&w, &to->of) && word(&w, " tag ") &&
		       number(&w, &to->tag) && word(&w, " since ") && instant(&w, &to->from);
	}
}
