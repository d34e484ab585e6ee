// SPDX-License-Identifier: BSD-3-Clause
// Jobs at the end of a run: which operations wait for which, and which messages nobody has taken.
#include "job.h"

#include <stdlib.h>
#include <string.h>

#define LINES 40 // about a job, at most

// Says each line of a text about a job.
static void say_lines(const struct net_job_say *say, const char *job, char *text)
{
	char line[512], *next = text;
	unsigned n = 0;

	for (char *at; (at = strsep(&next, "\n"));) {
		if (!*at || n++ >= LINES)
			continue;
		snprintf(line, sizeof(line), "job %s: %s", job, at);
		say->line(say->arg, line);
	}
	if (n <= LINES)
		return;
	snprintf(line, sizeof(line), "job %s: and %u lines more", job, n - LINES);
	say->line(say->arg, line);
}

static void say_why(const struct net *net, unsigned job, const struct net_job_say *say)
{
	char *text = NULL;
	size_t size;
	FILE *f = say->line ? open_memstream(&text, &size) : NULL;

	if (!f)
		return;
	net_job_why(net, job, f);
	fclose(f);
	if (text)
		say_lines(say, net->scene->job[job]->name, text);
	free(text);
}

void net_jobs_end(
	const struct net *net, int stuck, const struct net_job_say *say, char *crash, size_t size)
{
	const struct scene *s = net->scene;
	struct net_job j;

	if (stuck < 0)
		stuck = net_job_stuck(net);
	for (unsigned i = 0; i < s->n_jobs; i++) {
		j = net_job(net, i);
		if (j.over == j.ranks || !j.goes_on)
			say_why(net, i, say);
	}
	if (stuck < 0 || *crash)
		return;
	j = net_job(net, (unsigned)stuck);
	snprintf(crash, size,
		"job %s waits for ever: %u of its %u ranks are not over, and nothing is on its way "
		"to them",
		s->job[stuck]->name, j.ranks - j.over, j.ranks);
}
