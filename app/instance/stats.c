// SPDX-License-Identifier: BSD-3-Clause
// quench stats: figures of a running instance, once or again and again, for people and programs.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "base/tstamp.h"
#include "int.h"
#include "live/live.h"
#include "stats.h"

#define SHOWN    32  // objects of a kind, where nothing is asked for
#define PATTERNS 900 // bytes of a command's; more are chosen here

struct stats_args {
	const char *instance;
	tstamp watch; // 0: one look
	bool json, prometheus;
};

struct stats {
	struct stats_args a;
	char *const *word; // of the command line; n_words 0: none
	unsigned n_words;
	char **pattern; // of each
	char *patterns; // of all, parted by commas
	struct instance from;
	struct metrics now, before;
	bool begun;  // one look was had
	char *shown; // the look that stands on the screen; NULL: none
	size_t shown_size;
};

// Makes patterns of the words on the command line. -EINVAL and a line if one of them can fit
// nothing.
static int take_words(struct stats *s, struct err *err)
{
	size_t size;
	FILE *f = open_memstream(&s->patterns, &size);

	s->pattern = calloc(s->n_words + 1ul, sizeof(*s->pattern));
	if (!f || !s->pattern)
		return err_set(err, -ENOMEM, "no memory");
	for (unsigned i = 0; i < s->n_words; i++) {
		s->pattern[i] = stats_pattern(s->word[i]);
		fprintf(f, "%s%s", i ? "," : "", s->pattern[i] ? s->pattern[i] : "");
	}
	if (!s->n_words)
		fputs(stats_selection, f);
	fclose(f);
	for (unsigned i = 0; i < s->n_words; i++) {
		if (!s->pattern[i])
			return err_set(err, -ENOMEM, "no memory");
		if (stats_is_wrong(s->word[i], err))
			return -EINVAL;
		tell_renamed("", s->word[i]);
	}
	return 0;
}

// Keeps only the figures that were asked for.
static void choose_figures(struct metrics *m, const char *patterns)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++) {
		if (live_path_fits(patterns, m->list[i].path))
			m->list[n++] = m->list[i];
		else
			free(m->list[i].path);
	}
	m->n = n;
}

// -EINVAL and a line where nothing fits a word.
static int check_words(const struct stats *s, struct err *err)
{
	for (unsigned i = 0; i < s->n_words; i++) {
		bool fits = false;

		for (unsigned k = 0; k < s->now.n && !fits; k++)
			fits = live_path_fits(s->pattern[i], s->now.list[k].path);
		if (fits)
			continue;
		stats_why_none(&s->from, s->word[i], err);
		return -EINVAL;
	}
	return 0;
}

static int ask_figures(struct stats *s, struct err *err)
{
	bool chosen = strlen(s->patterns) <= PATTERNS;
	int rc;

	metrics_free(&s->before);
	s->before = s->now;
	rc = metrics_ask(&s->now, &s->from, chosen ? s->patterns : "", err);
	if (rc)
		return rc;
	if (!chosen)
		choose_figures(&s->now, s->patterns);
	// While it is watched, what is not there may come.
	return s->a.watch ? 0 : check_words(s, err);
}

static int put_json(const struct stats *s, struct err *err)
{
	struct out o;
	struct jw w;
	int rc = out_stream(&o, stdout, "standard output", err);

	if (rc)
		return rc;
	jw_init(&w, &o);
	jw_object(&w, NULL, true);
	jw_str(&w, "instance", s->from.name);
	jw_str(&w, "scenario", s->from.scenario);
	jw_u64(&w, "pid", s->from.pid);
	jw_num(&w, "now_us", (double)s->now.at_ps / PS_PER_US, 6);
	jw_object(&w, "metrics", true);
	for (unsigned i = 0; i < s->now.n; i++)
		jw_num(&w, s->now.list[i].path, s->now.list[i].value, s->now.list[i].decimals);
	jw_end(&w);
	jw_end(&w);
	return out_close(&o, err);
}

static int put_prometheus(const struct stats *s, struct err *err)
{
	struct live_sample *list = calloc(s->now.n + 1ul, sizeof(*list));
	int rc = list ? 0 : -ENOMEM;

	for (unsigned i = 0; list && i < s->now.n; i++)
		list[i] = (struct live_sample){s->now.list[i].path, s->now.list[i].value};
	if (!rc)
		rc = live_prometheus(stdout, list, s->now.n, s->from.name, s->from.scenario);
	free(list);
	return rc ? err_set(err, rc, "no memory for %u figures", s->now.n) : 0;
}

static int put_figure_tables(const struct stats *s, FILE *f, struct err *err)
{
	char clock[16] = "";
	time_t now = time(NULL);
	struct tm tm;

	if (s->a.watch && localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S ", &tm);
	fprintf(f, "%sinstance %s (pid %llu), scenario %s, at %.3f of %.3f ms\n\n", clock,
		s->from.name, (unsigned long long)s->from.pid, s->from.scenario,
		(double)s->now.at_ps / PS_PER_MS, (double)s->from.duration_ps / PS_PER_MS);
	return stats_table(
		f, &s->now, s->begun ? &s->before : NULL, s->patterns, s->n_words ? 0 : SHOWN, err);
}

// Prints a look in place of the last one if standard output is a terminal, else behind it.
static int put_watched(struct stats *s, struct err *err)
{
	FILE *f;
	int rc;

	free(s->shown);
	s->shown = NULL;
	f = open_memstream(&s->shown, &s->shown_size);
	if (!f)
		return err_set(err, -ENOMEM, "no memory");
	rc = put_figure_tables(s, f, err);
	fclose(f);
	if (rc || paint(s->shown, s->shown_size))
		return rc;
	fwrite(s->shown, 1, s->shown_size, stdout);
	free(s->shown);
	s->shown = NULL;
	return 0;
}

// Gives the screen back, with the last look on it.
static void end_watch(struct stats *s)
{
	if (!s->shown)
		return;
	paint_end();
	fwrite(s->shown, 1, s->shown_size, stdout);
	free(s->shown);
	s->shown = NULL;
}

static int put_figures(struct stats *s, struct err *err)
{
	if (s->a.json)
		return put_json(s, err);
	if (s->a.prometheus)
		return put_prometheus(s, err);
	return s->a.watch ? put_watched(s, err) : put_figure_tables(s, stdout, err);
}

// Waits for the next look; the end of the instance's process ends it too.
static void wait_for(const struct stats *s)
{
	struct pollfd gone = {.fd = s->from.fd};
	tstamp ms = s->a.watch / PS_PER_MS;

	term_flush();
	poll(&gone, 1, ms < 1 ? 1 : ms > INT32_MAX ? INT32_MAX : (int)ms);
}

// Returns whether an instance that did not answer has ended.
static bool has_ended(const struct stats *s)
{
	struct err err;
	json_t *j;
	int rc = instance_ask(&s->from, &j, &err, "/quench/info");

	if (!rc)
		json_decref(j);
	return rc;
}

static int run_looks(struct stats *s)
{
	const atomic_bool *stop = s->a.watch ? stop_catch(true) : NULL;
	struct err err;

	do {
		int rc = ask_figures(s, &err);

		if (rc && s->begun && !*stop && has_ended(s)) {
			end_watch(s);
			tell("instance %s (pid %llu) has ended", s->from.name,
				(unsigned long long)s->from.pid);
			return EXIT_DONE;
		}
		if (!rc)
			rc = put_figures(s, &err);
		if (rc)
			end_watch(s);
		if (rc)
			return stop && *stop ? stop_status(EXIT_INPUT)
					     : tell_input("quench stats", err.text);
		s->begun = true;
		if (s->a.watch)
			wait_for(s);
	} while (s->a.watch && !*stop && !ferror(stdout));
	return stop_status(EXIT_DONE);
}

static int run(struct stats *s)
{
	int status = run_looks(s);

	end_watch(s);
	return status;
}

static int stats_main(int argc, char **argv)
{
	struct stats s = {0};
	struct instance_dirs dirs;
	struct err err;
	int at = args_read(&instance_stats, &s.a, argc, argv), status;

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	if (s.a.prometheus && (s.a.watch || s.a.json)) {
		tell("quench stats: --prometheus goes without %s: "
		     "it prints one look as a file for node_exporter, which a timer makes anew",
			s.a.watch ? "--watch" : "--json");
		return EXIT_INPUT;
	}
	s.word = argv + at;
	s.n_words = (unsigned)(argc - at);
	if (s.a.json || s.a.prometheus)
		term_plain();
	instance_dirs(&dirs);
	if (take_words(&s, &err) || instance_open(&s.from, s.a.instance, &dirs, &err)) {
		status = tell_input("quench stats", err.text);
	} else {
		status = run(&s);
		instance_close(&s.from);
	}
	metrics_free(&s.now);
	metrics_free(&s.before);
	for (unsigned i = 0; s.pattern && i < s.n_words; i++)
		free(s.pattern[i]);
	free(s.pattern);
	free(s.patterns);
	return status;
}

const struct args_command instance_stats = {
	.name = "stats",
	.summary = "show figures of a running instance",
	.about = "Shows figures of an instance that runs on the real clock, so far, all of one "
		 "moment: those of summary.json, by the same paths. A PATH may be a pattern as "
		 "the shell has them (`queue.*.length_bytes`, in quotes), a kind (`queue`, all "
		 "figures of it), or a figure of the totals (`drops`); `quench figures` lists "
		 "kinds and figures. Without one it shows goodput, drops, marks, CNPs and pauses; "
		 "flows, open-loop sources, foreign streams and replays; what each port has sent; "
		 "the queues; what ingress groups hold against XOFF; the buffers; pauses received "
		 "and sent; and the gaps of the instrument's loops. Tables stand in the order of "
		 "the PATHs.\n\n"
		 "Counters begin anew at the end of the scenario's warm-up.",
	.options = ARGS_OPTIONS(INSTANCE_OPTION(struct stats_args),
		ARGS_ROW(.name = "watch", .value = "T", .kind = ARGS_TIME,
			ARGS_AT(struct stats_args, watch),
			.help = "Looks again each T, as in 1s, until the run ends; counters are "
				"shown by second of the scene, too. A terminal shows each look in "
				"the place of the one before, and keeps the last one."),
		ARGS_ROW(.name = "json", ARGS_AT(struct stats_args, json),
			.help = "Prints a line of JSON for each look: instance, scenario, pid, "
				"now_us, and metrics, the values by their paths."),
		ARGS_ROW(.name = "prometheus", ARGS_AT(struct stats_args, prometheus),
			.help = "Prints Prometheus' text format, for node_exporter's textfile "
				"collector; docs/real-time.md has names and units.")),
	.operands =
		ARGS_OPERANDS({.name = "PATH", .fill = ARGS_LIVE, .optional = true, .many = true}),
	.wanted = "name figures, or none",
	.examples = ARGS_WORDS("quench run first-light --clock real --duration 10s --dilate 100 &",
		"quench stats", "quench stats --watch 1s drops 'queue.*.length_bytes'",
		"quench stats --prometheus > x.$$ && mv x.$$ quench.prom"),
	.statuses = ARGS_SIGNAL,
	.run = stats_main,
};
