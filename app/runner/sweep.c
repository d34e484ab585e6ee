// SPDX-License-Identifier: BSD-3-Clause
// quench sweep: many virtual runs, a process each, and one table of their results.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner.h"
#include "session/session.h"
#include "out/out.h"
#include "sweep/sweep.h"
#include "vt/vt.h"

#define PLOT "utilization_percent,queue_p99_bytes" // of a figure, where no other is named

static const char *const files[] = {"sweep.csv", "seeds.csv", "sweep.json", "junit.xml",
	"sweep.dat", "sweep.gp", "sweep.svg", "sweep.png", NULL};

#define FILES (sizeof(files) / sizeof(files[0]) - 1)

struct sweep_args {
	struct session all; // common to every run; the first
	struct sweep plan;
	unsigned jobs; // at once; 0: one for each processor
	bool csv;
	const char *plot; // two columns; NULL: none were named
	bool png, svg;
	unsigned plot_axis[2];
	char *dir; // where its files go
	int lock;  // of that folder
	bool show; // progress
	unsigned ended;
};

// The scene of a run, as compile_scene. `runs`: it is about to run, so a warm-up `auto` is found.
static int load_scene(
	const struct sweep_args *s, unsigned i, bool runs, struct scene **scene, struct err *err)
{
	struct scene_set set[SESSION_SETS + SWEEP_AXES + 1];
	struct scene_opts o = {
		.set = set, .n_set = s->all.n_set, .one_clock = true, .trusts = s->all.trust};
	struct warmup w;
	const char *name;
	int rc;

	memcpy(set, s->all.set, o.n_set * sizeof(*set));
	name = sweep_pick(&s->plan, i, set + o.n_set);
	o.n_set += s->plan.n_axes;
	o.seed = s->all.has_seed ? &s->all.seed : NULL;
	o.duration = s->all.has_duration ? &s->all.duration : NULL;
	rc = scenario_load(scene, name, &o, err);
	if (rc || !runs || !(*scene)->finds_warmup)
		return rc;
	rc = warmup_find(&w, *scene, name, &o, err);
	scene_free(*scene);
	set[o.n_set++] = (struct scene_set){"warmup", w.value};
	return rc ? rc : scenario_load(scene, name, &o, err);
}

// Warns of figures that the command line calls by an older name.
static void warn_old(const struct sweep_args *s)
{
	char x[SUMMARY_PATH];
	const char *comma = s->plot ? strchr(s->plot, ',') : NULL;

	for (unsigned i = 0; i < s->plan.n_columns; i++)
		if (sweep_is_own(&s->plan, i))
			tell_renamed("--column: ", s->plan.column[i].path);
	if (!comma)
		return;
	snprintf(x, sizeof(x), "%.*s", (int)(comma - s->plot), s->plot);
	tell_renamed("--plot: ", x);
	tell_renamed("--plot: ", comma + 1);
}

// -EINVAL with a line where a column of --column is one that no run can have. Runs that do not load
// say so themselves.
static int check_columns(struct sweep_args *s, struct err *err)
{
	bool any = false, known = false;
	struct err first = {0}, why;

	for (unsigned i = 0; i < s->plan.n_runs && !known; i++) {
		struct scene *scene;

		if (load_scene(s, i, false, &scene, &why))
			continue;
		known = sweep_knows(&s->plan, scene, any ? &why : &first);
		any = true;
		scene_free(scene);
	}
	if (known || !any)
		return 0;
	*err = first;
	return -EINVAL;
}

static int open_file(const struct sweep_args *s, const char *name, struct out *o)
{
	struct err err;
	char *path;
	int rc;

	if (asprintf(&path, "%s/%s", s->dir, name) < 0)
		return tell_input("quench sweep", "no memory");
	rc = out_open(o, path, &err);
	free(path);
	return rc ? tell_input("quench sweep", err.text) : EXIT_DONE;
}

static int write_file(const struct sweep_args *s, const char *name,
	void (*put)(const struct sweep *, struct out *))
{
	struct err err;
	struct out o;

	if (open_file(s, name, &o))
		return EXIT_INPUT;
	put(&s->plan, &o);
	return out_close(&o, &err) ? tell_input("quench sweep", err.text) : EXIT_DONE;
}

// The columns of the figure; NULL: none is wanted.
static const char *plotted(const struct sweep_args *s)
{
	return s->plot ? s->plot : s->png || s->svg ? PLOT : NULL;
}

// The pictures of it, a sum of enum paper_format.
static unsigned pictures(const struct sweep_args *s)
{
	return s->png || s->svg ? (s->png ? PAPER_PNG : 0) | (s->svg ? PAPER_SVG : 0) : PAPER_SVG;
}

static int write_plot(const struct sweep_args *s)
{
	struct err err;

	if (plotted(s) && sweep_plot(&s->plan, s->plot_axis, s->dir, pictures(s), &err))
		return tell_input("quench sweep", err.text);
	return EXIT_DONE;
}

// The files that are there now: a picture can be missing.
static void print_files(const struct sweep_args *s)
{
	const char *const *name = files;

	printf("\nresults  %s/%s", s->dir, *name++);
	for (; *name; name++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", s->dir, *name);
		if (!access(path, F_OK))
			printf(", %s", *name);
	}
	printf("\n");
}

static int print_table(const struct sweep_args *s)
{
	struct err err;
	struct out o;

	if (s->all.quiet)
		return EXIT_DONE;
	if (!s->csv) {
		sweep_text(&s->plan, stdout);
		sweep_seeds_text(&s->plan, stdout);
		if (plotted(s) && sweep_front(&s->plan, s->plot_axis, stdout))
			return tell_input("quench sweep", "no memory");
		print_files(s);
		return EXIT_DONE;
	}
	if (out_adopt(&o, dup(STDOUT_FILENO), "standard output", &err))
		return tell_input("quench sweep", err.text);
	sweep_csv(&s->plan, &o);
	return out_close(&o, &err) ? tell_input("quench sweep", err.text) : EXIT_DONE;
}

// Writes all files into the folder, prints the table or CSV. Exit status.
static int write_results(const struct sweep_args *s)
{
	bool seeds = sweep_seeds(&s->plan) > 1;
	int status[] = {write_file(s, "sweep.csv", sweep_csv),
		seeds ? write_file(s, "seeds.csv", sweep_seeds_csv) : EXIT_DONE,
		write_file(s, "sweep.json", sweep_json), write_file(s, "junit.xml", sweep_junit),
		write_plot(s), print_table(s)};

	for (unsigned i = 0; i < sizeof(status) / sizeof(status[0]); i++)
		if (status[i])
			return status[i];
	return EXIT_DONE;
}

// Tells the warnings of the runs.
static void tell_warnings(const struct sweep_args *s)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	sweep_warnings(&s->plan, f);
	if (fclose(f) == 0 && size)
		tell("%.*s", (int)size - 1, text);
	free(text);
}

// Runs one scenario of the sweep, in a process of its own.
static void run_one(void *arg, unsigned i, void *result, int fd)
{
	const struct sweep_args *s = arg;
	struct sweep_row *row = result;
	char name[PATH_MAX], dir[2 * PATH_MAX];
	struct vt_opts vo = {.stop = stop_catch(false),
		.record = {.dir = dir,
			.no_files = !s->plan.has_folders,
			.hdr = s->all.hdr,
			.command = s->all.line}};
	struct report *rec = NULL;
	struct scene *scene;
	struct out o;
	int rc;

	stop_follow();
	snprintf(dir, sizeof(dir), "%s/%s", s->dir, sweep_folder(&s->plan, i, name, sizeof(name)));
	vo.record.force = s->all.force;
	rc = load_scene(s, i, true, &scene, &row->err);
	row->state = rc == -EINTR ? SWEEP_WAITS : SWEEP_ERROR;
	if (rc || vt_run(scene, &vo, &rec, &row->err))
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

static void take_row(
	void *arg, unsigned i, bool ok, const void *result, const char *text, size_t len)
{
	struct sweep_args *s = arg;
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

// The folder that the user named, else runs/sweep-NAME of the scenario; for several scenarios NAME
// is the folder that they are in. NULL: no memory.
static char *name_folder(const struct sweep_args *s)
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

// Returns a varied path that --seed or --duration overrides; NULL: none.
static const char *overridden(const struct sweep_args *s)
{
	for (unsigned i = 0; i < s->plan.n_axes; i++) {
		const char *path = s->plan.axis[i].path;

		if ((s->all.has_seed && !strcmp(path, "seed")) ||
			(s->all.has_duration && !strcmp(path, "duration")))
			return path;
	}
	return NULL;
}

static int take_folder(struct sweep_args *s, struct err *err)
{
	char *dir = NULL;
	int rc;

	if (s->all.out || s->all.force)
		rc = folder_take(s->dir, s->all.force, files, FILES, &s->lock, err);
	else
		rc = folder_next(&dir, s->dir, &s->lock, err);
	if (dir) {
		free(s->dir);
		s->dir = dir;
	}
	if (!rc)
		folder_latest(s->dir);
	return rc;
}

// Makes the folder, runs everything, writes and prints. Exit status.
static int run_all(struct sweep_args *s)
{
	struct jobs j = {.at_once = s->jobs ? s->jobs : jobs_processors(),
		.size = sizeof(struct sweep_row),
		.work = run_one,
		.done = take_row,
		.arg = s,
		.stop = stop_catch(false)};
	struct err err;
	int rc, status;

	_Static_assert(sizeof(struct sweep_row) <= JOBS_RESULT);
	if (overridden(s)) {
		tell("quench sweep: --vary %s=... or --%s, not both", overridden(s), overridden(s));
		return EXIT_INPUT;
	}
	if (s->all.hdr && !s->plan.has_folders) {
		tell("quench sweep: --hdr writes into the folders of runs: add --files");
		return EXIT_INPUT;
	}
	s->dir = name_folder(s);
	if (!s->dir)
		return tell_input("quench sweep", "no memory");
	if (plotted(s) && sweep_plot_axes(&s->plan, plotted(s), s->plot_axis, &err))
		return tell_input("quench sweep", err.text);
	if (sweep_plan(&s->plan, &err) || check_columns(s, &err) || take_folder(s, &err))
		return tell_input("quench sweep", err.text);
	warn_old(s);
	s->show = !s->all.quiet && isatty(STDERR_FILENO);
	j.n = s->plan.n_runs;
	rc = jobs_run(&j);
	if (s->show)
		fprintf(stderr, "\r\033[K");
	if (rc)
		return tell_input("quench sweep", strerror(-rc));
	status = write_results(s);
	tell_warnings(s);
	return stop_status(status ? status : verdict(&s->plan));
}

static int take_vary(void *to, const char *value, struct err *err)
{
	return sweep_vary(&((struct sweep_args *)to)->plan, value, err);
}

static int take_column(void *to, const char *value, struct err *err)
{
	return sweep_column(&((struct sweep_args *)to)->plan, value, err);
}

static int sweep_main(int argc, char **argv)
{
	struct sweep_args s = {.lock = -1};
	int at, status;

	session_args(&s.all, argc, argv);
	sweep_init(&s.plan, NULL, 0);
	at = args_read(&runner_sweep, &s, argc, argv);
	status = at < 0 ? EXIT_INPUT : EXIT_DONE;
	if (at > 0) {
		for (int i = at; i < argc; i++)
			argv[i] = (char *)scenario_name(argv[i]);
		s.plan.scenario = (const char *const *)argv + at;
		s.plan.n_scenarios = (unsigned)(argc - at);
		status = run_all(&s);
	}
	session_free(&s.all);
	folder_leave(s.lock);
	free(s.dir);
	sweep_free(&s.plan);
	return status;
}

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "vary", .value = "PATH=A,B,C", .kind = ARGS_CALL, .fill = ARGS_SETTING,
		.take = take_vary,
		.help = "Varies an option of the scenario over these values, of a whole number "
			"also over a range, as in `--vary seed=1..3`. Several of them give all "
			"combinations."),
	&session_settings,
	&session_trust,
	&session_record,
	&session_hdr,
	ARGS_ROW(.name = "column", .value = "PATH", .kind = ARGS_CALL, .fill = ARGS_FIGURE,
		.take = take_column,
		.help = "Adds a column: any figure of docs/measuring.md by its path."),
	ARGS_ROW(.name = "plot", .value = "X,Y", .kind = ARGS_TEXT, .fill = ARGS_COLUMNS,
		ARGS_AT(struct sweep_args, plot),
		.help = "Makes a figure of the runs by two columns of sweep.csv, and their Pareto "
			"front: sweep.dat, the script sweep.gp of gnuplot, and sweep.svg, or what "
			"--png and --svg name."),
	ARGS_ROW(.name = "svg", ARGS_AT(struct sweep_args, svg),
		.help = "Draws sweep.svg, by the columns of --plot or " PLOT "."),
	ARGS_ROW(.name = "png", ARGS_AT(struct sweep_args, png),
		.help = "Draws sweep.png in the same way."),
	&session_duration,
	ARGS_ROW(.name = "seed", .value = "N", .kind = ARGS_NUMBER, .max = INT64_MAX,
		ARGS_AT(struct sweep_args, all.seed),
		.given = offsetof(struct sweep_args, all.has_seed),
		.help = "Takes this seed for all runs; `--vary seed=1,2,3` takes several."),
	ARGS_ROW(.name = "jobs", .value = "N", .kind = ARGS_NUMBER, .min = 1, .max = JOBS_MAX,
		ARGS_AT(struct sweep_args, jobs),
		.help = "Runs N scenarios at once. The default is one for each processor."),
	ARGS_ROW(.name = "out", .value = "DIR", .kind = ARGS_TEXT, .fill = ARGS_FOLDER,
		ARGS_AT(struct sweep_args, all.out),
		.help = "Writes sweep.csv, sweep.json, junit.xml and, if the seed is varied, "
			"seeds.csv into this folder. Without it that is runs/sweep-SCENARIO, or "
			"the next .2, .3 and so on that is free."),
	&session_force,
	ARGS_ROW(.name = "files", ARGS_AT(struct sweep_args, plan.has_folders),
		.help = "Writes the folder of each run too: DIR/SCENARIO,NAME=VALUE. `quench "
			"compare DIR` makes figures of them."),
	ARGS_ROW(.name = "csv", ARGS_AT(struct sweep_args, csv),
		.help = "Prints CSV instead of the table."),
	&session_quiet,
	NULL,
};

const struct args_command runner_sweep = {
	.name = "sweep",
	.summary = "run many scenarios or values in virtual time: one table",
	.about = "Runs each scenario with every combination of the values in virtual time and "
		 "prints one table. SCENARIO is a file, the name of one that comes with quench, "
		 "or `-` for standard input.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "SCENARIO", .fill = ARGS_SCENARIO, .many = true}),
	.wanted = "which scenario? `quench run --list` shows some",
	.examples = ARGS_WORDS(
		"quench sweep first-light --vary flows.incast.control=none,dcqcn --vary seed=1,2,3",
		"quench sweep first-light"
		" --vary switches.s1.classes.3.wred.max=50KB,100KB,200KB,400KB"
		" --column queue.s1:r.3.std_bytes",
		"quench sweep first-light"
		" --vary controls.dcqcn.ai_rate=20Mbps,40Mbps,80Mbps,160Mbps"
		" --vary controls.dcqcn.rate_timer=55us,110us,300us"
		" --plot utilization_percent,queue_p99_bytes",
		"quench sweep bench-incast --duration 10ms --set warmup=5ms"
		" --vary 'flows.incast.from=h1..2,h1..4,h1..8'"),
	.statuses = ARGS_VERDICT | ARGS_SIGNAL,
	.run = sweep_main,
};
