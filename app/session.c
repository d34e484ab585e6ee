// SPDX-License-Identifier: BSD-3-Clause
// A run from the command line: load, run on one clock or both, print.
#include "session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "report/report.h"
#include "rt/rt.h"
#include "vt/vt.h"
#include "session_int.h"
#include "stop.h"
#include "tell.h"

static bool has_warning(const struct scene *s, const char *text)
{
	for (unsigned i = 0; s && i < s->n_warnings; i++)
		if (!strcmp(s->warning[i].text, text))
			return true;
	return false;
}

void session_warnings(const struct scene *s, const struct scene *said, FILE *f)
{
	char where[PATH_MAX + 16];

	for (unsigned i = 0; i < s->n_warnings; i++) {
		if (has_warning(said, s->warning[i].text))
			continue;
		*where = 0;
		if (s->warning[i].line)
			snprintf(where, sizeof(where), "%s:%u: ", s->path, s->warning[i].line);
		if (f)
			fprintf(f, "warning: %s%s\n", where, s->warning[i].text);
		else
			tell("warning: %s%s", where, s->warning[i].text);
	}
}

// The name of the run folder: what was asked for, with a part for each clock of both, or one made
// of the run's own names. Freed by the caller; NULL: no memory.
static char *folder(const struct session *s, const struct scene *scene, bool real)
{
	const char *clock = real ? "real" : "virtual";
	char *dir;
	int n;

	if (!s->out)
		n = asprintf(&dir, "runs/%s-%s-%llu", scene->name, clock,
			(unsigned long long)scene->seed);
	else if (s->clock == CLOCK_BOTH)
		n = asprintf(&dir, "%s/%s", s->out, clock);
	else
		n = asprintf(&dir, "%s", s->out);
	return n < 0 ? NULL : dir;
}

// `progress`: not NULL where a line of it stands there.
static void say(void *progress, const char *line)
{
	if (progress)
		session_progress_end();
	tell("%s; the run goes on", line);
}

// The scene on one clock; *rec where it ran. Exit status.
static int run_one(struct session *s, const struct scene *scene, bool real, struct report **rec)
{
	bool show = !s->quiet && isatty(STDERR_FILENO);
	char *dir = folder(s, scene, real);
	struct record_opts ro = {.dir = dir,
		.force = s->force,
		.next = !s->out,
		.latest = true,
		.command = s->line,
		.say = say,
		.say_arg = show ? s : NULL};
	struct err err;
	int rc;

	if (!dir) {
		rc = err_set(&err, -ENOMEM, "no memory");
	} else if (real) {
		struct rt_opts o = {.record = ro,
			.stop = stop_catch(false),
			.progress = show ? session_progress : NULL,
			.dilate = s->dilate,
			.no_huge = s->no_huge,
			.eal_argc = s->eal_argc,
			.eal_argv = s->eal_argv,
			.program = "quench",
			.instance = s->instance};

		rc = rt_run(scene, &o, rec, &err);
	} else {
		struct vt_opts o = {.record = ro,
			.stop = stop_catch(false),
			.progress = show ? session_progress : NULL};

		rc = vt_run(scene, &o, rec, &err);
	}
	free(dir);
	if (show)
		session_progress_end();
	if (*rec && *report_text(*rec) && !s->quiet) // also where files are not whole
		printf("%s\n", report_text(*rec));
	if (rc) {
		tell("%s", err.text);
		return EXIT_INPUT;
	}
	if (report_crash(*rec))
		tell("%s", report_crash(*rec));
	if (!report_passed(*rec))
		return EXIT_VERDICT;
	return s->strict && report_timing_broken(*rec) ? EXIT_TIMING : EXIT_DONE;
}

static int load(struct session *s, struct scene **scene, bool real)
{
	struct scene_opts o = {.set = s->set,
		.n_set = s->n_set,
		.real = real,
		.one_clock = s->clock != CLOCK_BOTH,
		.seed = s->has_seed ? &s->seed : NULL,
		.duration = s->has_duration ? &s->duration : NULL};
	struct err err;

	if (!session_load(scene, s->path, &o, &err))
		return EXIT_DONE;
	tell("%s", err.text);
	return EXIT_INPUT;
}

int session_run(struct session *s)
{
	struct report *rec[2] = {0};
	struct scene *scene[2] = {0};
	int status = EXIT_DONE;

	session_ignored(s);
	for (unsigned real = 0; real < 2 && status != EXIT_INPUT && !stop_status(0); real++) {
		int one;

		if (s->clock != CLOCK_BOTH && s->clock != (enum session_clock)real)
			continue;
		one = load(s, &scene[real], real);
		if (one == EXIT_DONE)
			session_warnings(scene[real], scene[!real], NULL);
		if (one == EXIT_DONE)
			one = run_one(s, scene[real], real, &rec[real]);
		if (one != EXIT_DONE)
			status = one;
	}
	if (rec[0] && rec[1] && !agree_text(rec[0], rec[1], stdout) && status == EXIT_DONE)
		status = EXIT_VERDICT;
	for (unsigned i = 0; i < 2; i++) {
		report_free(rec[i]);
		scene_free(scene[i]);
	}
	session_free(s);
	return stop_status(status);
}
