// SPDX-License-Identifier: BSD-3-Clause
// quench verify: the rows of suites, a run or a probe each, and one sheet of their verdicts.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runner.h"
#include "suites.h"

#define WORDS         512 // of the command of a row
#define ROW_SETS      200
#define START_SECONDS 3 // that a run on the real clock takes to begin and to end

enum { CLOCK_AUTO = 2 }; // of --clock: virtual, real, or as there are ports

struct verify {
	struct verify_args *a;
	struct suite_sheet sheet;
	struct suites_ports ports;
	unsigned *todo; // rows that are run, by number
	unsigned n_todo;
	char *dir;
	int lock;
	unsigned ended;
	char settings[2048]; // of the whole command that a resumed one must share
};

// The end of a row in its process.
struct ended {
	int status;
	double seconds;
};

static char *row_path(
	const struct verify *v, const struct suite_row *r, const char *end, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s/%s%s", v->dir, r->suite, r->name, end);
	return buf;
}

// The words of a command that grow; more than fit are not added, and counted.
struct words {
	const char *word[WORDS + 1];
	unsigned n;
};

static void add_word(struct words *w, const char *word)
{
	if (w->n < WORDS)
		w->word[w->n] = word;
	w->n++;
}

static void add_option(struct words *w, const char *name, const char *value)
{
	if (!value)
		return;
	add_word(w, name);
	add_word(w, value);
}

static void add_real(struct words *w, struct arena *arena, const struct session *s)
{
	if (s->allow_storm)
		add_option(w, "--allow-storm",
			arena_format(arena, "%lluns",
				(unsigned long long)((s->allow_storm + 999) / 1000)));
	if (s->workers)
		add_option(w, "--workers", arena_format(arena, "%u", s->workers));
	if (s->no_huge)
		add_word(w, "--no-huge");
	add_option(w, "--instance", s->instance);
}

// One trial of a search: the folder of its run, in that of the row, and its settings.
struct trial {
	const char *folder, *const *set;
	unsigned n;
};

// Makes the command of a row: `run FILE --out DIR ...` or `probe BENCH --steps STEP ...`. `t`: of a
// search; NULL. -E2BIG.
static int make_command(
	struct verify *v, const struct suite_row *r, const struct trial *t, struct words *w)
{
	const struct verify_args *a = v->a;
	struct arena *arena = &v->sheet.arena;
	const char *set[ROW_SETS], *bench = a->bench ? a->bench : SUITES_BENCH;
	int n = suites_settings(&v->sheet, r, &v->ports, a, set, ROW_SETS);
	char dir[PATH_MAX];

	if (n < 0)
		return n;
	add_word(w, r->step ? "probe" : "run");
	add_word(w, r->step ? bench : suite_scenario(r));
	add_option(w, "--out",
		t ? t->folder : arena_format(arena, "%s", row_path(v, r, "", dir, sizeof(dir))));
	add_word(w, "--force");
	add_word(w, "--quiet");
	add_option(w, "--clock", v->ports.real ? "real" : "virtual");
	if (r->step) {
		add_option(w, "--steps", r->step);
		add_option(w, "--against", a->against ? a->against : v->ports.real ? NULL : bench);
	} else {
		add_option(w, "--dut", v->ports.real ? suites_device(a) : a->s.dut);
	}
	if (a->s.has_seed)
		add_option(w, "--seed", arena_format(arena, "%llu", (unsigned long long)a->s.seed));
	for (int i = 0; i < n; i++)
		add_option(w, "--set", set[i]);
	for (unsigned i = 0; t && i < t->n; i++)
		add_option(w, "--set", t->set[i]);
	if (v->ports.real)
		add_real(w, arena, &a->s);
	if (a->s.trust)
		add_word(w, "--trust");
	if (v->ports.real && a->s.eal_argc)
		add_word(w, "--");
	for (int i = 0; v->ports.real && i < a->s.eal_argc; i++)
		add_word(w, a->s.eal_argv[i]);
	w->word[w->n <= WORDS ? w->n : WORDS] = NULL;
	return w->n > WORDS ? -E2BIG : 0;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int run_command(struct verify *v, const struct suite_row *r, const struct trial *t)
{
	struct words w = {0};

	if (make_command(v, r, t, &w)) {
		tell("the row has too many settings");
		return EXIT_INPUT;
	}
	return (r->step ? &runner_probe : &runner_run)->run((int)w.n, (char **)w.word);
}

// Runs a trial in a process of its own, as devices are opened once in each. Exit status.
static int run_apart(struct verify *v, const struct suite_row *r, const struct trial *t)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		status = run_command(v, r, t);
		fflush(NULL);
		_exit(status);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_INPUT;
}

// A search that goes on.
struct seeking {
	struct verify *v;
	const struct suite_row *row;
	int status; // of the last trial
};

static enum suite_verdict try_value(
	void *arg, const struct suite_search *s, unsigned i, const char *value, const char **why)
{
	struct seeking *k = arg;
	struct arena *a = &k->v->sheet.arena;
	const struct suite_case *c = &s->each[i];
	const char *set[ROW_SETS];
	struct trial t = {.set = set, .n = c->n + 1};
	struct suite_row one = *k->row;
	char path[PATH_MAX];

	t.folder = arena_format(a, "%s", row_path(k->v, k->row, "/trial", path, sizeof(path)));
	*why = "the run came to no result";
	if (t.n > ROW_SETS || !t.folder)
		return SUITE_INVALID;
	memcpy(set, c->set, c->n * sizeof(*set));
	set[c->n] = arena_format(a, "%s=%s", s->path, value);
	k->status = run_apart(k->v, k->row, &t);
	one.search = NULL;
	if (k->status > 128)
		return SUITE_NOT_RUN;
	if (k->status == EXIT_INPUT || !suite_take(&k->v->sheet, &one, t.folder))
		return SUITE_INVALID;
	for (unsigned l = 0; l < one.n; l++)
		if (one.line[l].verdict == one.verdict && one.line[l].why)
			*why = one.line[l].why;
	return one.verdict;
}

static int run_search(struct verify *v, const struct suite_row *r)
{
	struct seeking k = {.v = v, .row = r};
	char path[PATH_MAX];
	struct err err;
	int rc;

	row_path(v, r, "", path, sizeof(path));
	if (mkdir(path, 0777) && errno != EEXIST)
		return tell_input("quench verify", strerror(errno));
	rc = suite_seek(r->search, path, try_value, &k, &err);
	if (rc == -ECANCELED)
		return k.status;
	return rc ? tell_input("quench verify", err.text) : EXIT_DONE;
}

// Does one row in a process of its own, whose output goes into the row's log.
static void do_row(void *arg, unsigned i, void *result, int fd)
{
	struct verify *v = arg;
	const struct suite_row *r = &v->sheet.row[v->todo[i]];
	double begin = seconds_now();
	struct ended *e = result;
	char path[PATH_MAX];
	int log = open(
		row_path(v, r, ".log", path, sizeof(path)), O_WRONLY | O_CREAT | O_TRUNC, 0666);

	(void)fd;
	stop_follow();
	e->status = EXIT_INPUT;
	if (log < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
		return;
	e->status = r->search ? run_search(v, r) : run_command(v, r, NULL);
	fflush(NULL);
	e->seconds = seconds_now() - begin;
}

// The last line of a row's log, which says why it came to no result.
static char *last_line(const char *path, char *line, size_t size)
{
	char text[512];
	FILE *f = fopen(path, "r");

	snprintf(line, size, "the run came to no result");
	while (f && fgets(text, sizeof(text), f)) {
		text[strcspn(text, "\n")] = 0;
		if (*text)
			snprintf(line, size, "%s", text);
	}
	if (f)
		fclose(f);
	return line;
}

static void take_row(
	void *arg, unsigned i, bool ok, const void *result, const char *text, size_t len)
{
	struct verify *v = arg;
	struct suite_row *r = &v->sheet.row[v->todo[i]];
	const struct ended *e = result;
	char path[PATH_MAX], why[512];

	(void)text;
	(void)len;
	v->ended++;
	if (!suite_take(&v->sheet, r, row_path(v, r, "", path, sizeof(path))) &&
		!(ok && e->status > 128))
		suite_refuse(&v->sheet, r, SUITE_INVALID,
			ok ? last_line(row_path(v, r, ".log", path, sizeof(path)), why, sizeof(why))
			   : "the run died");
	if (ok)
		r->wall_s = e->seconds;
	if (!v->a->s.quiet && !v->a->json)
		tell_calmly("%u of %u: %s/%s: %s", v->ended, v->n_todo, r->suite, r->name,
			suite_verdict_name[r->verdict]);
}

// The folder that the user named, else runs/verify-SUITE.
static int take_folder(struct verify *v, const char *suite, struct err *err)
{
	static const char *const files[] = {
		"verify.json", "junit.xml", "verify.html", "settings.txt"};
	const struct session *s = &v->a->s;
	char *dir = NULL;
	int rc;

	if (asprintf(&v->dir, s->out ? "%s" : "runs/verify-%s", s->out ? s->out : suite) < 0)
		v->dir = NULL;
	if (!v->dir)
		return err_set(err, -ENOMEM, "out of memory");
	if (v->a->resume)
		rc = folder_take(v->dir, true, NULL, 0, &v->lock, err);
	else if (s->out || s->force)
		rc = folder_take(v->dir, s->force, files, 4, &v->lock, err);
	else
		rc = folder_next(&dir, v->dir, &v->lock, err);
	if (dir) {
		free(v->dir);
		v->dir = dir;
	}
	if (!rc)
		folder_latest(v->dir);
	return rc;
}

// The settings that the rows of one sheet share, as a text.
static void note_settings(struct verify *v)
{
	const struct verify_args *a = v->a;

	append_text(v->settings, sizeof(v->settings),
		"clock %s bench %s ports %s rate %s against %s dut %s seed %llu",
		v->ports.real ? "real" : "virtual", a->bench ? a->bench : "-",
		a->ports ? a->ports : "-", a->rate ? a->rate : "-", a->against ? a->against : "-",
		a->s.dut ? a->s.dut : "-", a->s.has_seed ? (unsigned long long)a->s.seed : 0);
	for (unsigned i = 0; i < a->s.n_set; i++)
		append_text(v->settings, sizeof(v->settings), " set %s=%s", a->s.set[i].path,
			a->s.set[i].value);
}

// Writes the settings, or compares those of a resumed folder with them. -EINVAL and a line.
static int check_settings(const struct verify *v, struct err *err)
{
	char path[PATH_MAX], were[sizeof(v->settings)] = "";
	struct out o;
	FILE *f;
	int rc;

	snprintf(path, sizeof(path), "%s/settings.txt", v->dir);
	f = v->a->resume ? fopen(path, "r") : NULL;
	if (f) {
		char *line = fgets(were, sizeof(were), f);

		fclose(f);
		were[line ? strcspn(were, "\n") : 0] = 0;
		return strcmp(were, v->settings) == 0
			       ? 0
			       : err_set(err, -EINVAL,
					 "%s was begun with other settings: %s; --resume goes on "
					 "with the same ones",
					 v->dir, were);
	}
	rc = out_open(&o, path, err);
	if (rc)
		return rc;
	out_printf(&o, "%s\n", v->settings);
	return out_close(&o, err);
}

// Makes the folder of each suite, and chooses the rows that are still to be done.
static int choose_rows(struct verify *v, struct err *err)
{
	v->todo = calloc(v->sheet.n, sizeof(*v->todo));
	if (!v->todo)
		return err_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < v->sheet.n; i++) {
		struct suite_row *r = &v->sheet.row[i];
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", v->dir, r->suite);
		if (mkdir(path, 0777) && errno != EEXIST)
			return err_set(err, -errno, "%s: %s", path, strerror(errno));
		if (r->verdict == SUITE_NOT_JUDGED)
			continue;
		if (!v->a->resume ||
			!suite_take(&v->sheet, r, row_path(v, r, "", path, sizeof(path))))
			v->todo[v->n_todo++] = i;
	}
	return 0;
}

// Says before the start how long it takes, and which pause it causes.
static void announce(const struct verify *v)
{
	uint64_t scene = 0, pause = 0;
	unsigned probes = 0, rows = 0, runs = 0;
	char text[32];

	for (unsigned i = 0; i < v->sheet.n; i++) {
		const struct suite_row *r = &v->sheet.row[i];

		if (r->verdict == SUITE_NOT_JUDGED)
			continue;
		rows++;
		runs += r->search ? suite_trials(r->search) : 1;
		probes += r->step != NULL;
		scene += r->scene_us;
		pause = r->pause_us > pause ? r->pause_us : pause;
	}
	printf("%u rows, of which %u are steps of a probe; %s of scene time and the probes'", rows,
		probes, units_format(UNITS_TIME, scene * PS_PER_US, text, sizeof(text)));
	if (v->ports.real)
		printf("; about %u s in all", START_SECONDS * runs + (unsigned)(scene / 1000000));
	printf("\nlongest pause that a row causes: %s\n\n",
		units_format(UNITS_TIME, pause * PS_PER_US, text, sizeof(text)));
	fflush(stdout);
}

// On the real clock every pause must be allowed before the first row. -EPERM and a line.
static int check_storms(const struct verify *v, struct err *err)
{
	const struct suite_row *worst = NULL;
	char text[32];

	for (unsigned i = 0; v->ports.real && i < v->sheet.n; i++)
		if (!worst || v->sheet.row[i].pause_us > worst->pause_us)
			worst = &v->sheet.row[i];
	if (!worst || worst->pause_us * PS_PER_US <= v->a->s.allow_storm)
		return 0;
	units_format(UNITS_TIME, worst->pause_us * PS_PER_US, text, sizeof(text));
	return err_set(err, -EPERM,
		"row %s/%s pauses the device for up to %s; allow it by --allow-storm %s",
		worst->suite, worst->name, text, text);
}

static int write_file(const struct verify *v, const char *name,
	void (*put)(const struct suite_sheet *, struct out *), struct err *err)
{
	char path[PATH_MAX];
	struct out o;
	int rc;

	snprintf(path, sizeof(path), "%s/%s", v->dir, name);
	rc = out_open(&o, path, err);
	if (rc)
		return rc;
	put(&v->sheet, &o);
	return out_close(&o, err);
}

// Prints the sheet and writes the files. Exit status.
static int deliver(const struct verify *v)
{
	struct err err;
	struct out o;

	if (v->a->json) {
		term_plain();
		if (out_stream(&o, stdout, "standard output", &err) == 0) {
			suite_json(&v->sheet, &o);
			out_close(&o, &err);
		}
	} else if (!v->a->s.quiet) {
		suite_text(&v->sheet, stdout);
		printf("files: %s/ (verify.json, junit.xml, verify.html)\n", v->dir);
	}
	if (write_file(v, "verify.json", suite_json, &err) ||
		write_file(v, "junit.xml", suite_junit, &err) ||
		write_file(v, "verify.html", suite_page, &err))
		return tell_input("quench verify", err.text);
	return suite_status(&v->sheet, v->a->s.strict);
}

// Reads everything that the command names before anything is sent. -errno and a line.
static int prepare(struct verify *v, char **suite, unsigned n, struct err *err)
{
	const struct verify_args *a = v->a;
	int rc = 0;

	if (a->resume && !a->s.out)
		return err_set(err, -EINVAL,
			"--resume goes on in a folder; name it, as in --out runs/verify-pfc");
	for (unsigned i = 0; !rc && i < n; i++)
		rc = suites_add(&v->sheet, suite[i], a->only, err);
	if (!rc)
		rc = suites_ports(&v->ports, a, err);
	if (!rc)
		rc = suites_plan(&v->sheet, &v->ports, a, err);
	if (!rc)
		rc = check_storms(v, err);
	if (rc)
		return rc;
	v->sheet.command = a->s.line;
	v->sheet.version = "quench " QUENCH_VERSION;
	v->sheet.clock = v->ports.real ? "real" : "virtual";
	v->sheet.device = v->ports.scene ? v->ports.bench.name : NULL;
	v->sheet.against = a->against;
	note_settings(v);
	rc = take_folder(v, n > 1 ? "suites" : suite[0], err);
	if (!rc)
		rc = check_settings(v, err);
	return rc ? rc : choose_rows(v, err);
}

static int verify_suites(struct verify_args *a, char **suite, unsigned n)
{
	struct verify v = {.a = a, .lock = -1};
	struct jobs j = {.size = sizeof(struct ended),
		.work = do_row,
		.done = take_row,
		.arg = &v,
		.stop = stop_catch(false)};
	struct err err;
	int rc = prepare(&v, suite, n, &err), status;

	if (rc) {
		status = tell_input("quench verify", err.text);
	} else {
		if (!a->s.quiet && !a->json)
			announce(&v);
		j.n = v.n_todo;
		j.at_once = v.ports.real ? 1 : a->jobs ? a->jobs : jobs_processors();
		rc = jobs_run(&j);
		status = rc ? tell_input("quench verify", strerror(-rc)) : deliver(&v);
	}
	folder_leave(v.lock);
	suites_ports_free(&v.ports);
	suite_free(&v.sheet);
	free(v.todo);
	free(v.dir);
	return stop_status(status);
}

static int verify_main(int argc, char **argv)
{
	struct verify_args a = {0};
	int own = session_args(&a.s, argc, argv), at = args_read(&runner_verify, &a, own, argv);
	int status = at < 0 ? EXIT_INPUT : EXIT_DONE;

	if (a.schema)
		suite_schema(stdout);
	else if (a.list)
		status = suites_list();
	else if (at > 0)
		status = verify_suites(&a, argv + at, (unsigned)(own - at));
	session_free(&a.s);
	return status;
}

static const char *const clock_words[] = {"virtual", "real", "auto", NULL};

const struct args_command runner_verify = {
	.name = "verify",
	.summary = "run suites of tests against a device: one sheet of verdicts",
	.about = "Runs the rows of suites, each a scenario or a step of `quench probe`, and "
		 "prints a sheet: row, stimulus, criteria, what was seen, verdicts. SUITE is the "
		 "name of one that comes with quench, or a folder with rows. In virtual time the "
		 "device is the switch of each scenario; on the real clock it is behind the ports "
		 "of --bench or --ports.\n\n"
		 "A row that wants more ports than there are is NOT JUDGED. A row whose instrument "
		 "was at fault is INVALID, and never a FAIL. docs/verify.md has the suites.",
	.options = ARGS_OPTIONS(
		ARGS_ROW(.name = "list", .alone = true, ARGS_AT(struct verify_args, list),
			.help = "Lists the suites that come with quench: their rows, and the "
				"ports, pauses and scene time of the scenarios."),
		ARGS_ROW(.name = "only", .value = "TEXT", .kind = ARGS_TEXT,
			ARGS_AT(struct verify_args, only),
			.help = "Runs the rows that have TEXT in their names, and no others."),
		ARGS_ROW(.name = "bench", .value = "FILE", .kind = ARGS_TEXT, .fill = ARGS_SCENARIO,
			ARGS_AT(struct verify_args, bench),
			.help = "Names the ports, the rate and the DSCPs by a file of "
				"`quench probe`. Its switch is the device of the steps in "
				"virtual time."),
		ARGS_ROW(.name = "ports", .value = "E0,E1,...", .kind = ARGS_TEXT,
			ARGS_AT(struct verify_args, ports),
			.help = "Names the devices of our ports, in the order of the hosts of each "
				"scenario: --ports 0000:3b:00.0,0000:3b:00.1. A word with `=` is "
				"an argument of the device before it: --ports "
				"net_af_packet0,iface=e0,net_af_packet1,iface=e1."),
		ARGS_ROW(.name = "rate", .value = "R", .kind = ARGS_TEXT,
			ARGS_AT(struct verify_args, rate),
			.help = "Gives all links this rate in scenarios whose links have one rate, "
				"as in --rate 400Gbps."),
		ARGS_ROW(.name = "against", .value = "FILE", .kind = ARGS_TEXT, .fill = ARGS_FILE,
			ARGS_AT(struct verify_args, against),
			.help = "Holds the findings of steps against a configuration, as `quench "
				"probe --against` does."),
		ARGS_ROW(.name = "clock", .kind = ARGS_WORD, .words = clock_words, .def = "auto",
			ARGS_AT(struct verify_args, s.clock),
			.help = "Runs rows in virtual time or on the real clock. `auto`: real if "
				"the first port has a device."),
		ARGS_ROW(.name = "resume", ARGS_AT(struct verify_args, resume),
			.help = "Goes on in the folder of --out: rows that have a result there are "
				"not run again."),
		ARGS_ROW(.name = "jobs", .value = "N", .kind = ARGS_NUMBER, .min = 1,
			.max = JOBS_MAX, ARGS_AT(struct verify_args, jobs),
			.help = "Runs N rows at once in virtual time. The default is one for each "
				"processor."),
		ARGS_ROW(.name = "json", ARGS_AT(struct verify_args, json),
			.help = "Prints verify.json in place of the sheet."),
		ARGS_ROW(.name = "schema", .alone = true, ARGS_AT(struct verify_args, schema),
			.help = "Prints the JSON Schema (draft 7) of verify.json."),
		&session_dut, &session_seed, &session_settings, &session_out, &session_force,
		&session_workers, &session_no_huge, &session_allow_storm, &session_instance,
		&session_strict, &session_trust, &session_quiet),
	.operands = ARGS_OPERANDS({.name = "SUITE", .many = true}),
	.wanted = "name a suite (`quench verify --list` shows them)",
	.behind = "EAL arguments",
	.examples = ARGS_WORDS("quench verify pfc", "quench verify ecn --rate 400Gbps",
		"quench verify pfc --bench bench.yaml --allow-storm 50ms --out runs/device",
		"quench verify pfc --bench bench.yaml --allow-storm 50ms --out runs/device "
		"--resume"),
	.statuses = ARGS_VERDICT | ARGS_STRICT | ARGS_SIGNAL,
	.run = verify_main,
};
