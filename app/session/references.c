// SPDX-License-Identifier: BSD-3-Clause
// The reference runs of --clock both, a few at a time; only their figures are kept.
#include "references.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vt/vt.h"

struct references {
	const struct session *s;
	uint64_t seed; // of ref[0]
	struct verdict_figures *ref;
	unsigned n, ended;
	bool show, failed;
};

struct reference {
	struct verdict_figures figures;
	struct err err;
	bool ok;
};

// Runs in a process of its own.
static void run_reference(void *arg, unsigned i, void *result, int fd)
{
	const struct references *r = arg;
	struct reference *to = result;
	struct session s = *r->s;
	struct vt_opts vo = {
		.stop = stop_catch(false), .record = {.no_files = true, .command = s.line}};
	struct report *rec = NULL;
	struct scene *scene;

	(void)fd;
	stop_follow();
	s.has_seed = true;
	s.seed = r->seed + 1 + i;
	if (session_load(&s, &scene, false) != EXIT_DONE || vt_run(scene, &vo, &rec, &to->err))
		return;
	verdict_figures(report_summary(rec), &to->figures);
	to->ok = !report_interrupted(rec);
}

static void take_reference(
	void *arg, unsigned i, bool ok, const void *result, const char *text, size_t len)
{
	struct references *r = arg;
	const struct reference *from = result;

	(void)text;
	(void)len;
	r->ended++;
	if (r->show)
		fprintf(stderr, "\r  %u of %u runs in virtual time\033[K", r->ended, r->n - 1);
	if (ok && from->ok) {
		r->ref[1 + i] = from->figures;
		return;
	}
	r->failed = true;
	if (!stop_status(0))
		tell("quench %s: the run in virtual time with seed %llu has no figures: %s",
			r->s->command, (unsigned long long)(r->seed + 1 + i),
			ok ? from->err.text : "it died");
}

bool references_run(const struct session *s, uint64_t seed, struct verdict_figures *ref, unsigned n)
{
	struct references r = {.s = s,
		.seed = seed,
		.ref = ref,
		.n = n,
		.show = !s->quiet && isatty(STDERR_FILENO)};
	struct jobs j = {.n = n - 1,
		.at_once = jobs_processors(),
		.size = sizeof(struct reference),
		.work = run_reference,
		.done = take_reference,
		.arg = &r,
		.stop = stop_catch(false)};
	int rc = jobs_run(&j);

	_Static_assert(sizeof(struct reference) <= JOBS_RESULT, "a job's result");
	if (r.show)
		fputs("\r\033[K", stderr);
	if (rc)
		tell("quench %s: %s", s->command, strerror(-rc));
	return !rc && !r.failed && !stop_status(0);
}
