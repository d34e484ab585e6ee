// SPDX-License-Identifier: BSD-3-Clause
// Which rank held a job up, what its time went to, and who caused pauses and lost frames.
#include <math.h>
#include <stdarg.h>

#include "verdict.h"

#define SHARE 0.01 // of the time, from which on a cause is looked for

// A text that grows.
struct line {
	char *at;
	size_t room;
};

__attribute__((format(printf, 2, 3))) static void say(struct line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->at, l->room, fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < l->room) {
		l->at += n;
		l->room -= (size_t)n;
	}
}

static void say_parts(struct line *l, const struct rec_job *j, tstamp all)
{
	const char *before = "";

	say(l, "; of %.3f us ", (double)all / PS_PER_US);
	for (unsigned i = 0; i <= JOB_PARTS; i++) {
		tstamp ps = i < JOB_PARTS ? j->split.part[i] : j->between;

		if (!ps)
			continue;
		say(l, "%s%s %.1f %%", before,
			i < JOB_PARTS ? evf_part_name(i) : "between iterations",
			100 * (double)ps / (double)all);
		before = ", ";
	}
}

static bool is_ours(const struct record *r, unsigned flow)
{
	return scene_is_here(r->scene, r->scene->flow[flow]->from);
}

// Names the sender of the job that was paused longest in its class.
static void say_pause(struct line *l, const struct summary *s, const struct rec_job *j)
{
	const struct scene_flow *longest = NULL;
	tstamp most = 0;

	for (unsigned i = j->scene->first; i < j->scene->first + j->scene->n_flows; i++) {
		const struct scene_flow *f = s->rec->scene->flow[i];
		tstamp ps = 0;

		if (is_ours(s->rec, i))
			ps = fabric_pause_window(record_obj_port(s->rec, f->from, 0), f->cls, false)
				     .pause_effective_ps;
		if (ps > most) {
			most = ps;
			longest = f;
		}
	}
	if (longest)
		say(l,
			"; of its senders %s was paused longest in class %u, for %.3f us; `quench "
			"report` leads from its pauses to their cause",
			record_obj_port(s->rec, longest->from, 0)->label.s, longest->cls,
			(double)most / PS_PER_US);
}

// Names the queue pair of the job whose frames sent again took longest.
static void say_resend(struct line *l, const struct summary *s, const struct rec_job *j)
{
	const struct rec_flow *worst = NULL;
	double most = 0;

	for (unsigned i = j->scene->first; i < j->scene->first + j->scene->n_flows; i++) {
		const struct rec_flow *f = &s->rec->flow[i];
		double ps = f->loss ? f->loss->resent_ps + f->loss->waited_ps : 0;

		if (ps > most) {
			most = ps;
			worst = f;
		}
	}
	if (worst)
		say(l, "; %s lost most: %llu frame%s sent again, %llu timeout%s",
			worst->scene->name, (unsigned long long)worst->loss->resent_frames,
			plural(worst->loss->resent_frames),
			(unsigned long long)worst->loss->timeouts, plural(worst->loss->timeouts));
}

// The job of object i of its kind: jobs without a rank here have none.
static const struct rec_job *job_of(const struct record *r, unsigned i)
{
	const struct rec_job *j = r->job;

	for (;; j++)
		if (j->here && !i--)
			return j;
}

bool verdict_job(const struct summary *s, unsigned i, char *text, size_t size)
{
	const struct rec_job *j = job_of(s->rec, i);
	tstamp all = j->end - j->start;
	struct line l = {text, size};
	double rank = summary_at(s, KIND_JOB, i, "slowest_rank");

	if (!all || isnan(rank))
		return false;
	say(&l, "job %s: rank %.0f (%s) ended %.0f %% of its iterations last", j->scene->name, rank,
		summary_label(s, KIND_JOB, i, "slowest_host", (char[KIND_NAME]){0}),
		summary_at(s, KIND_JOB, i, "slowest_percent"));
	if (j->split.unknown)
		return true;
	say_parts(&l, j, all);
	if ((double)j->split.part[JOB_PAUSE] > SHARE * (double)all)
		say_pause(&l, s, j);
	if ((double)j->split.part[JOB_RESEND] > SHARE * (double)all)
		say_resend(&l, s, j);
	return true;
}
