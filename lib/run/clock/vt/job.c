// SPDX-License-Identifier: BSD-3-Clause
// Jobs that wait for ever: the run ends, and lines say which operations wait for which.
#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "int.h"

#define LINES 40 // about a job, at most

static void say(const struct vt *vt, const char *line)
{
	const struct record_opts *o = &vt->opts->record;

	if (o->say)
		o->say(o->say_arg, line);
}

// Says each line of a text about a job.
static void say_lines(const struct vt *vt, const char *job, char *text)
{
	char line[512], *next = text;
	unsigned n = 0;

	for (char *at; (at = strsep(&next, "\n"));) {
		if (!*at || n++ >= LINES)
			continue;
		snprintf(line, sizeof(line), "job %s: %s", job, at);
		say(vt, line);
	}
	if (n <= LINES)
		return;
	snprintf(line, sizeof(line), "job %s: and %u lines more", job, n - LINES);
	say(vt, line);
}

static void say_why(const struct vt *vt, unsigned job)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	net_job_why(vt->net, job, f);
	fclose(f);
	if (text)
		say_lines(vt, vt->scene->job[job]->name, text);
	free(text);
}

bool vt_job_waits(struct vt *vt)
{
	vt->stuck = net_job_stuck(vt->net);
	return vt->stuck >= 0;
}

void vt_jobs_end(struct vt *vt, struct record_run *run)
{
	const struct scene *s = vt->scene;
	struct net_job j;

	if (vt->stuck < 0)
		vt->stuck = net_job_stuck(vt->net);
	for (unsigned i = 0; i < s->n_jobs; i++) {
		j = net_job(vt->net, i);
		if (j.over == j.ranks || (int)i == vt->stuck)
			say_why(vt, i);
	}
	if (vt->stuck < 0 || *run->crash)
		return;
	j = net_job(vt->net, (unsigned)vt->stuck);
	snprintf(run->crash, sizeof(run->crash),
		"job %s waits for ever: %u of its %u ranks are not over, and nothing is on its "
		"way to them",
		s->job[vt->stuck]->name, j.ranks - j.over, j.ranks);
}
