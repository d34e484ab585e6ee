// SPDX-License-Identifier: BSD-3-Clause
// The runs of a sweep, a process each, and what becomes of their rows.
#include "sweep_run.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "jobs.h"
#include "out/out.h"
#include "vt/vt.h"
#include "stop.h"
#include "sweep_run_int.h"
#include "tell.h"

// One run, in a process of its own.
static void work(void *arg, unsigned i, void *result, int fd)
{
	const struct sweep_run *s = arg;
	struct sweep_row *row = result;
	char name[PATH_MAX], dir[2 * PATH_MAX];
	struct vt_opts vo = {.stop = stop_catch(false),
		.record = {.dir = dir, .no_files = !s->files, .command = s->all.line}};
	struct report *rec = NULL;
	struct scene *scene;
	struct out o;

	stop_follow();
	snprintf(dir, sizeof(dir), "%s/%s", s->dir, sweep_folder(&s->plan, i, name, sizeof(name)));
	vo.record.force = s->all.force;
	row->state = SWEEP_ERROR;
	if (sweep_run_load(s, i, &scene, &row->err) || vt_run(scene, &vo, &rec, &row->err))
		return;
	sweep_fill(&s->plan, row, rec, scene);
	if (out_adopt(&o, dup(fd), "the pipe", &row->err))
		return;
	report_junit(rec, sweep_name(&s->plan, i, name, sizeof(name)), &o);
	if (out_close(&o, &row->err))
		return;
	row->state = report_interrupted(rec) ? SWEEP_STOPPED
		     : report_passed(rec)    ? SWEEP_PASSED
					     : SWEEP_VERDICT;
	if (row->state == SWEEP_VERDICT)
		report_failure(rec, row->err.text, sizeof(row->err.text));
}

static void done(void *arg, unsigned i, bool ok, const void *result, const char *text, size_t len)
{
	struct sweep_run *s = arg;
	struct sweep_row *row = &s->plan.row[i];
	char name[256];

	if (ok) {
		memcpy(row, result, sizeof(*row));
		s->plan.suite[i] = len ? strdup(text) : NULL;
	} else {
		int status = *(const int *)result;

		row->state = SWEEP_ERROR;
		snprintf(row->err.text, sizeof(row->err.text), "the run died: %s",
			WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "no result");
	}
	s->ended++;
	if (s->show)
		fprintf(stderr, "\r\033[K");
	sweep_name(&s->plan, i, name, sizeof(name));
	if (row->state == SWEEP_ERROR)
		tell("quench sweep: %s: %s", name, row->err.text);
	else if (row->state == SWEEP_VERDICT)
		tell("quench sweep: %s: a verdict failed: %s", name, row->err.text);
	if (s->show)
		fprintf(stderr, "  %u of %u runs", s->ended, s->plan.n_runs);
}

// Processors that this process may use.
static unsigned processors(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n < 1 ? 1 : n > JOBS_MAX ? JOBS_MAX : (unsigned)n;
}

// What was asked for, else runs/sweep-NAME of a scenario; of several, of the folder that they are
// in. NULL: no memory.
static char *name_folder(const struct sweep_run *s)
{
	char *path = strdup(s->plan.scenario[0]), *slash, *dot, *dir = NULL;

	if (s->all.out || !path) {
		free(path);
		return s->all.out ? strdup(s->all.out) : NULL;
	}
	slash = strrchr(path, '/');
	if (s->plan.n_scenarios > 1 && slash)
		*slash = 0;
	slash = strrchr(path, '/');
	dot = strrchr(slash ? slash : path, '.');
	if (dot)
		*dot = 0;
	if (asprintf(&dir, "runs/sweep-%s", slash ? slash + 1 : path) < 0)
		dir = NULL;
	free(path);
	return dir;
}

static int verdict(const struct sweep *s)
{
	int status = EXIT_DONE;

	for (unsigned i = 0; i < s->n_runs; i++) {
		if (s->row[i].state == SWEEP_ERROR)
			return EXIT_INPUT;
		if (s->row[i].state != SWEEP_PASSED)
			status = EXIT_VERDICT;
	}
	return status;
}

// --seed and --duration go before what the scenario says, and so before what is varied of it.
static const char *overridden(const struct sweep_run *s)
{
	for (unsigned i = 0; i < s->plan.n_axes; i++) {
		const char *path = s->plan.axis[i].path;

		if ((s->all.has_seed && !strcmp(path, "seed")) ||
			(s->all.has_duration && !strcmp(path, "duration")))
			return path;
	}
	return NULL;
}

static int take_folder(struct sweep_run *s, struct err *err)
{
	static const char *const files[] = {"sweep.csv", "sweep.json", "sweep.svg", "junit.xml"};
	char *dir = NULL;
	int rc;

	if (s->all.out || s->all.force)
		rc = folder_take(s->dir, s->all.force, files, 4, err);
	else
		rc = folder_next(&dir, s->dir, err);
	if (dir) {
		free(s->dir);
		s->dir = dir;
	}
	if (!rc)
		folder_latest(s->dir);
	return rc;
}

int sweep_run(struct sweep_run *s)
{
	struct jobs j = {.at_once = s->jobs ? s->jobs : processors(),
		.size = sizeof(struct sweep_row),
		.work = work,
		.done = done,
		.arg = s,
		.stop = stop_catch(false)};
	struct err err;
	int rc, status;

	_Static_assert(sizeof(struct sweep_row) <= JOBS_RESULT);
	if (overridden(s)) {
		tell("quench sweep: --vary %s=... or --%s, not both", overridden(s), overridden(s));
		return EXIT_INPUT;
	}
	s->dir = name_folder(s);
	if (!s->dir)
		return sweep_run_complain("no memory");
	if (s->plot && sweep_plot_axes(&s->plan, s->plot, s->plot_axis, &err))
		return sweep_run_complain(err.text);
	if (sweep_plan(&s->plan, &err) || sweep_run_columns(s, &err) || take_folder(s, &err))
		return sweep_run_complain(err.text);
	s->show = !s->all.quiet && isatty(STDERR_FILENO);
	j.n = s->plan.n_runs;
	rc = jobs_run(&j);
	if (s->show)
		fprintf(stderr, "\r\033[K");
	if (rc)
		return sweep_run_complain(strerror(-rc));
	status = sweep_run_out(s);
	sweep_run_warnings(s);
	return stop_status(status ? status : verdict(&s->plan));
}
