// SPDX-License-Identifier: BSD-3-Clause
// A run from the command line: load, run on one clock or both, print, compare.
#include "session.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "run/rt.h"
#include "run/units.h"
#include "run/vt.h"

static atomic_bool stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = true;
}

static void catch_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND};

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

static int bad(const struct session *s, const char *what, const char *value, const char *right)
{
	fprintf(stderr, "quench %s: %s '%s': %s\n", s->command, what, value, right);
	return -EINVAL;
}

static int option_clock(struct session *s, const char *v)
{
	static const char *const name[] = {"virtual", "real", "both"};

	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(v, name[i])) {
			s->clock = (enum session_clock)i;
			return 0;
		}
	return bad(s, "--clock", v, "virtual, real or both");
}

static int option_set(struct session *s, const char *v)
{
	char *copy = strdup(v), *eq = copy ? strchr(copy, '=') : NULL;

	if (!eq || eq == copy) {
		free(copy);
		return bad(s, "--set", v, "path=value, as in --set switches.s1.buffer=8MB");
	}
	if (s->n_set == SESSION_SETS)
		return bad(s, "--set", v, "at most 64 of them");
	*eq = 0;
	s->set[s->n_set++] = (struct scene_set){.path = copy, .value = eq + 1};
	return 0;
}

static int option_number(struct session *s, int opt, const char *v)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(v, &end, 10);
	if (*v < '0' || *v > '9' || *end || errno)
		return bad(s, opt == 's' ? "--seed" : "--dilate", v, "a whole number");
	if (opt == 's') {
		s->seed = n;
		s->has_seed = true;
	} else if (n < 1 || n > 1000000) {
		return bad(s, "--dilate", v, "1..1000000");
	} else {
		s->dilate = (unsigned)n;
	}
	return 0;
}

static int option_duration(struct session *s, const char *v)
{
	if (units_parse(UNITS_TIME, v, &s->duration) || !s->duration)
		return bad(s, "--duration", v, "a time above zero, as in 20ms or 2s");
	s->has_duration = true;
	return 0;
}

int session_option(struct session *s, int opt, const char *value)
{
	switch (opt) {
	case 'c':
		return option_clock(s, value);
	case 'd':
		return option_duration(s, value);
	case 's':
	case 'D':
		return option_number(s, opt, value);
	case 'S':
		return option_set(s, value);
	case 'o':
		s->out = value;
		return 0;
	case 'q':
		return s->quiet = true, 0;
	case 'f':
		return s->force = true, 0;
	case 'x':
		return s->strict = true, 0;
	case 'H':
		return s->no_huge = true, 0;
	case 'i':
		s->instance = value;
		return 0;
	}
	fprintf(stderr,
		"quench %s: unknown option, or a value is missing: '%s'; `quench %s --help` lists them\n",
		s->command, value, s->command);
	return -EINVAL;
}

const char *session_find(const char *path, char *room, size_t size)
{
	char file[256];

	if (access(path, F_OK) == 0 || strchr(path, '/'))
		return path;
	snprintf(file, sizeof(file), "%s.yaml", path);
	return session_config(room, size, file) ? room : path;
}

int session_args(struct session *s, int argc, char **argv)
{
	size_t at = (size_t)snprintf(s->line, sizeof(s->line), "quench");
	int own = argc;

	s->command = argv[0];
	for (int i = 0; i < argc; i++) {
		if (at < sizeof(s->line))
			at += (size_t)snprintf(s->line + at, sizeof(s->line) - at, " %s", argv[i]);
		if (i && own == argc && !strcmp(argv[i], "--"))
			own = i;
	}
	s->eal_argc = own < argc ? argc - own - 1 : 0;
	s->eal_argv = own < argc ? argv + own + 1 : NULL;
	return own;
}

bool session_config(char *path, size_t size, const char *file)
{
	static const char *const folders[] = {"config", "share/quench"};
	char exe[PATH_MAX] = "";
	const char *dir;
	bool found = false;

	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) <= 0)
		return false;
	dir = dirname(exe);
	for (unsigned i = 0; i < 2 && !found; i++) {
		snprintf(path, size, "%s/../%s/%s", dir, folders[i], file);
		found = access(path, R_OK) == 0;
	}
	return found;
}

// One line that is written over each second; nothing in a pipe.
static void show_progress(void *arg, tstamp now, tstamp end)
{
	static double last_wall;
	static tstamp last;
	struct timespec ts;
	double wall, speed;

	(void)arg;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	wall = (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
	if (now < last)
		last_wall = 0;
	speed = last_wall ? (double)(now - last) / 1e9 / (wall - last_wall) : 0;
	fprintf(stderr, "\r  %.2f of %.2f ms  %3.0f %%", (double)now / 1e9, (double)end / 1e9,
		100.0 * (double)now / (double)end);
	if (speed > 0)
		fprintf(stderr, "  %.2f ms a second, %.0f s to go  ", speed,
			(double)(end - now) / 1e9 / speed);
	fflush(stderr);
	last_wall = wall;
	last = now;
}

static void clear_progress(void)
{
	fputs("\r\033[K", stderr);
}

// The scene on one clock; *rec where it ran. Exit status.
static int run_one(struct session *s, const struct scene *scene, bool real, struct record **rec)
{
	char dir[160];
	bool show = !s->quiet && isatty(STDERR_FILENO);
	struct record_opts ro = {.dir = s->out, .force = s->force, .command = s->line};
	struct err err;
	int rc;

	if (!s->out || s->clock == CLOCK_BOTH) {
		const char *clock = real ? "real" : "virtual";

		if (s->out)
			snprintf(dir, sizeof(dir), "%s/%s", s->out, clock);
		else
			snprintf(dir, sizeof(dir), "runs/%s-%s-%llu", scene->name, clock,
				(unsigned long long)scene->seed);
		ro.dir = dir;
	}
	if (real) {
		struct rt_opts o = {.record = ro,
			.stop = &stop,
			.progress = show ? show_progress : NULL,
			.dilate = s->dilate,
			.no_huge = s->no_huge,
			.eal_argc = s->eal_argc,
			.eal_argv = s->eal_argv,
			.program = "quench",
			.instance = s->instance};

		rc = rt_run(scene, &o, rec, &err);
	} else {
		struct vt_opts o = {
			.record = ro, .stop = &stop, .progress = show ? show_progress : NULL};

		rc = vt_run(scene, &o, rec, &err);
	}
	if (show)
		clear_progress();
	if (rc) {
		fprintf(stderr, "%s\n", err.text);
		return EXIT_INPUT;
	}
	if (!s->quiet)
		printf("%s\n", record_text(*rec));
	if (!record_passed(*rec))
		return EXIT_VERDICT;
	return s->strict && record_value(*rec, "timing.broken") > 0 ? EXIT_TIMING : EXIT_DONE;
}

// One figure on both clocks; false where they are further apart than `limit` (a share, or absolute).
static bool agree(struct record *v, struct record *r, const char *path, const char *name,
	double limit, bool absolute)
{
	double a = record_value(v, path), b = record_value(r, path);
	double off = absolute ? fabs(b - a) : a ? fabs(b - a) / fabs(a) : b ? INFINITY : 0;
	bool ok = off <= limit;

	if (isnan(a) && isnan(b)) // a scene that has no such figure
		return true;

	if (absolute && limit == 0)
		printf("  %s %.0f and %.0f", name, a, b);
	else if (absolute)
		printf("  %s %.3f and %.3f", name, a, b);
	else
		printf("  %s %+.1f %%", name, a ? 100 * (b - a) / a : b ? INFINITY : 0);
	fputs(ok ? "" : " (!)", stdout);
	return ok;
}

// Issue of the first light: how far the two clocks may be apart.
static int compare(struct record *v, struct record *r)
{
	bool ok = true;

	printf("real against virtual:");
	ok &= agree(v, r, "total.goodput_gbps", "goodput", 0.02, false);
	ok &= agree(v, r, "jain", "Jain", 0.02, true);
	ok &= agree(v, r, "drops", "drops", 0, true);
	ok &= agree(v, r, "marks", "marks", 0.2, false);
	ok &= agree(v, r, "cnps", "CNPs", 0.2, false);
	printf("\n%s (goodput within 2 %%, Jain 0.02, drops equal, marks and CNPs 20 %%)\n",
		ok ? "the clocks agree" : "the clocks DISAGREE where marked (!)");
	return ok ? EXIT_DONE : EXIT_VERDICT;
}

static int load(struct session *s, struct scene **scene, bool real)
{
	struct scene_opts o = {.set = s->set,
		.n_set = s->n_set,
		.real = real,
		.seed = s->has_seed ? &s->seed : NULL,
		.duration = s->has_duration ? &s->duration : NULL};
	char room[PATH_MAX];
	struct err err;

	if (!scene_load(scene, session_find(s->path, room, sizeof(room)), &o, &err))
		return EXIT_DONE;
	fprintf(stderr, "%s\n", err.text);
	return EXIT_INPUT;
}

int session_run(struct session *s)
{
	struct record *rec[2] = {0};
	struct scene *scene[2] = {0};
	int status = EXIT_DONE;

	catch_signals();
	for (unsigned real = 0; real < 2 && status != EXIT_INPUT && !stop; real++) {
		int one;

		if (s->clock != CLOCK_BOTH && s->clock != (enum session_clock)real)
			continue;
		one = load(s, &scene[real], real);
		if (one == EXIT_DONE)
			one = run_one(s, scene[real], real, &rec[real]);
		if (one != EXIT_DONE)
			status = one;
	}
	if (rec[0] && rec[1] && compare(rec[0], rec[1]) != EXIT_DONE && status == EXIT_DONE)
		status = EXIT_VERDICT;
	for (unsigned i = 0; i < 2; i++) {
		record_free(rec[i]);
		scene_free(scene[i]);
	}
	for (unsigned i = 0; i < s->n_set; i++)
		free((char *)s->set[i].path);
	return status;
}
