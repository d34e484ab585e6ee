// SPDX-License-Identifier: BSD-3-Clause
// Scenario tests: loading, running, asking.
#include "compile/compile.h"
#include "scn.h"

#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/conf.h"
#include "report/int.h"
#include "summary/summary.h"
#include "vt/vt.h"

#define SCN_SETS 32

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

void scn_path(const char *file, char *path, size_t size)
{
	const char *name = strrchr(file, '/');
	glob_t found = {0};

	snprintf(path, size, "%s/config/%s", SOURCE_ROOT, file);
	if (is_there(path))
		return;
	snprintf(path, size, "%s/config/verify/*/%s", SOURCE_ROOT, name ? name + 1 : file);
	if (!strncmp(file, "acceptance/", 11) && glob(path, 0, NULL, &found) == 0)
		snprintf(path, size, "%s", found.gl_pathv[0]);
	else
		snprintf(path, size, "%s/tests/scenario/%s", SOURCE_ROOT, file);
	globfree(&found);
}

struct scn_args {
	struct scene_set set[SCN_SETS];
	char text[SCN_SETS][160];
	struct scene_opts opts;
	uint64_t seed;
	tstamp duration;
	const char *out; // folder; NULL: no files
};

static void take_setting(struct scn_args *a, const char *arg)
{
	char *text = a->text[a->opts.n_set], *eq;

	snprintf(text, sizeof(a->text[0]), "%s", arg);
	eq = strchr(text, '=');
	assert_non_null(eq);
	*eq++ = 0;
	if (!strcmp(text, "seed")) {
		a->seed = strtoull(eq, NULL, 10);
		a->opts.seed = &a->seed;
	} else if (!strcmp(text, "duration")) {
		assert_int_equal(units_parse(UNITS_TIME, eq, &a->duration), 0);
		a->opts.duration = &a->duration;
	} else if (!strcmp(text, "out")) {
		a->out = strchr(arg, '=') + 1;
	} else {
		a->set[a->opts.n_set++] = (struct scene_set){.path = text, .value = eq};
	}
}

// `out`: as the setting of this name; NULL: none, or that of a setting.
static struct scn run(const char *file, const char *out, va_list ap)
{
	struct scn s = {0};
	struct scn_args a = {.opts.set = a.set, .out = out};
	struct vt_opts vo = {.record.no_files = true, .record.command = "test"};
	char path[512];
	const char *arg;
	struct err err = {0};
	size_t at;

	scn_path(file, path, sizeof(path));
	at = (size_t)snprintf(s.command, sizeof(s.command), "build/quench run %s", path);
	while ((arg = va_arg(ap, const char *))) {
		bool top = !strncmp(arg, "seed=", 5) || !strncmp(arg, "duration=", 9) ||
			   !strncmp(arg, "out=", 4);

		assert_true(a.opts.n_set < SCN_SETS);
		take_setting(&a, arg);
		at += (size_t)snprintf(
			s.command + at, sizeof(s.command) - at, top ? " --%s" : " --set %s", arg);
	}
	if (a.out)
		vo.record = (struct record_opts){.dir = a.out, .force = true, .command = "test"};
	if (compile_scene(&s.scene, path, &a.opts, &err) || vt_run(s.scene, &vo, &s.rec, &err))
		fail_msg("%s\n%s", err.text, s.command);
	return s;
}

static void verdict(const struct scn *s, bool passed)
{
	if (!passed)
		fail_msg("a verdict failed\n%s\n%s", report_text(s->rec), s->command);
}

struct scn scn_run(const char *file, ...)
{
	struct scn s;
	va_list ap;

	va_start(ap, file);
	s = run(file, NULL, ap);
	va_end(ap);
	verdict(&s, report_passed(s.rec));
	return s;
}

struct scn scn_run_lossy(const char *file, ...)
{
	struct scn s;
	va_list ap;

	va_start(ap, file);
	s = run(file, NULL, ap);
	va_end(ap);
	verdict(&s, verdict_conserved(s.rec->sum));
	return s;
}

static int by_start(const void *a, const void *b)
{
	const struct scn_message *one = a, *two = b;

	if (one->start_ns != two->start_ns)
		return one->start_ns < two->start_ns ? -1 : 1;
	return (one->from > two->from) - (one->from < two->from);
}

// Reads fct.txt of a run's folder.
static struct scn_message *read_messages(const char *dir, unsigned *n)
{
	char path[64], line[256];
	struct scn_message *all = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "%s/fct.txt", dir);
	f = fopen(path, "r");
	assert_non_null(f);
	for (*n = 0; fgets(line, sizeof(line), f); ++*n) {
		struct scn_message m;

		if ((*n & (*n - 1)) == 0)
			all = realloc(all, (*n ? 2ul * *n : 1) * sizeof(*all));
		assert_non_null(all);
		assert_int_equal(sscanf(line, "%x %x %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64,
					 &m.from, &m.to, &m.bytes, &m.start_ns, &m.fct_ns),
			5);
		m.from = (m.from & 0xffff) - 1;
		m.to = (m.to & 0xffff) - 1;
		all[*n] = m;
	}
	fclose(f);
	if (*n)
		qsort(all, *n, sizeof(*all), by_start);
	return all;
}

struct scn_message *scn_messages(unsigned *n, const char *file, ...)
{
	char dir[] = "/tmp/quench-messages-XXXXXX", command[64];
	struct scn_message *all;
	struct scn s;
	va_list ap;

	assert_non_null(mkdtemp(dir));
	va_start(ap, file);
	s = run(file, dir, ap);
	va_end(ap);
	verdict(&s, report_passed(s.rec));
	scn_free(&s);
	all = read_messages(dir, n);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
	return all;
}

void scn_free(struct scn *s)
{
	report_free(s->rec);
	scene_free(s->scene);
}

double scn_value(const struct scn *s, const char *path)
{
	double v = report_value(s->rec, path);

	if (isnan(v))
		fail_msg("no figure named %s\n%s", path, s->command);
	return v;
}

double scn_flow_gbps(const struct scn *s, unsigned flow)
{
	char path[160];

	snprintf(path, sizeof(path), "flow.%s.goodput_gbps", s->scene->flow[flow]->name);
	return scn_value(s, path);
}

double scn_gbps(const struct scn *s, const char *prefix)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < s->scene->n_flows; i++)
		if (!strncmp(s->scene->flow[i]->name, prefix, strlen(prefix))) {
			sum += scn_flow_gbps(s, i);
			n++;
		}
	if (!n)
		fail_msg("no flow named %s...\n%s", prefix, s->command);
	return sum;
}

void scn_in(const struct scn *s, const char *what, double value, double lo, double hi)
{
	printf("  %-40s %12.5g   (%.5g .. %.5g)\n", what, value, lo, hi);
	if (!(value >= lo && value <= hi))
		fail_msg("%s is %g, not in %g .. %g\nto repeat: %s", what, value, lo, hi,
			s->command);
}

uint64_t scn_digest(const char *dir, enum scn_files files)
{
	static const char *const name[SCN_ALL] = {"events.csv", "fct.txt", "pfc.txt",
		"summary.json", "timeseries.csv", "qlen.txt", "marking.csv"};
	uint64_t h = 0xcbf29ce484222325u;

	for (unsigned i = 0; i < files; i++) {
		char path[512];
		FILE *f;
		int c;

		snprintf(path, sizeof(path), "%s/%s", dir, name[i]);
		f = fopen(path, "rb");
		if (!f)
			fail_msg("%s is missing", path);
		while ((c = getc(f)) != EOF)
			h = (h ^ (uint8_t)c) * 0x100000001b3u;
		fclose(f);
	}
	return h;
}
