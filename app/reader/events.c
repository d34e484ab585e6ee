// SPDX-License-Identifier: BSD-3-Clause
// quench events: the record of events in its binary form as a table, as events.csv, or as JSON.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader.h"
#include "evf/evf.h"

struct events_args {
	const char *file, *types, *object, *flow;
	tstamp from, to;
	bool csv, json, count;
};

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "type", .letter = 't', .value = "T,...", .kind = ARGS_TEXT,
		.fill = ARGS_EVENT, ARGS_AT(struct events_args, types),
		.help = "Shows only events of these types, as in mark,cnp_tx."),
	ARGS_ROW(.name = "from", .value = "TIME", .kind = ARGS_TIME,
		ARGS_AT(struct events_args, from),
		.help = "Shows only what happened at this instant of scene time or later."),
	ARGS_ROW(.name = "to", .value = "TIME", .kind = ARGS_TIME, ARGS_AT(struct events_args, to),
		.help = "Shows only what happened before this instant."),
	ARGS_ROW(.name = "object", .value = "PORT", .kind = ARGS_TEXT,
		ARGS_AT(struct events_args, object),
		.help = "Shows only events of this port, as in s1:r."),
	ARGS_ROW(.name = "flow", .value = "NAME", .kind = ARGS_TEXT,
		ARGS_AT(struct events_args, flow),
		.help = "Shows only events of this flow or source; the name without its brackets "
			"means all queue pairs of the flow."),
	ARGS_ROW(.name = "csv", ARGS_AT(struct events_args, csv),
		.help = "Prints the lines of events.csv instead."),
	ARGS_ROW(.name = "json", ARGS_AT(struct events_args, json),
		.help = "Prints one JSON object a line instead, which also has what events.csv "
			"does not show."),
	ARGS_ROW(.name = "count", ARGS_AT(struct events_args, count),
		.help = "Prints how many there are of each type instead."),
	NULL,
};

// The place of the file in argv; 0: the help was printed; -1: refused, with a line.
static int read_args(struct events_args *a, int argc, char **argv)
{
	int at = args_read(&reader_events, a, argc, argv);

	if (at <= 0)
		return at;
	if (a->csv + a->json + a->count > 1) {
		tell("quench events: --csv, --json or --count, one of them");
		return ARGS_WRONG;
	}
	if (a->to && a->to <= a->from) {
		tell("quench events: --to is not later than --from");
		return ARGS_WRONG;
	}
	a->file = argv[at];
	return at;
}

// A run folder means its file. -EINVAL and a line: its events are text.
static int find_file(const char *file, char path[PATH_MAX], struct err *err)
{
	struct stat st;

	if (stat(file, &st) < 0 || !S_ISDIR(st.st_mode)) {
		snprintf(path, PATH_MAX, "%s", file);
		return 0;
	}
	snprintf(path, PATH_MAX, "%s/events.csv", file);
	if (access(path, F_OK) == 0)
		return err_set(err, -EINVAL,
			"%s: the events of this run are text already; "
			"a run has what this command reads with --record format=binary",
			path);
	snprintf(path, PATH_MAX, "%s/events.bin", file);
	if (access(path, F_OK) != 0)
		return err_set(err, -ENOENT, "%s: %s; a run has it with `--record format=binary`",
			path, strerror(errno));
	return 0;
}

static int pick(
	struct evf_pick *p, const struct events_args *a, const struct evf_names *n, struct err *err)
{
	int code = 0;

	*p = evf_pick_all();
	p->from = a->from;
	p->to = a->to ? a->to : TSTAMP_NEVER;
	if (a->types)
		code = evf_pick_types(p, n, a->types, err);
	if (!code && a->object)
		code = evf_pick_port(p, n, a->object, err);
	if (!code && a->flow)
		code = evf_pick_flow(p, n, a->flow, err);
	return code;
}

struct show {
	const struct events_args *a;
	const struct evf_names *names;
	struct evf_table table;
	struct evf_lines lines;
	uint64_t count[EVF_TYPES_MOST];
	struct out out;
};

static void show_head(struct show *s)
{
	if (s->a->csv)
		evf_line_head(s->names, &s->out);
	else if (!s->a->json && !s->a->count)
		evf_table_head(&s->table, &s->out);
}

static void show_event(struct show *s, const struct ev *e, uint64_t number)
{
	if (s->a->count)
		s->count[e->type]++;
	else if (s->a->csv)
		out_upto(&s->out, evf_line(out_room(&s->out, EVF_LINE), &s->lines, e, number));
	else if (s->a->json)
		evf_json(s->names, e, number, &s->out);
	else
		evf_table_row(&s->table, s->names, e, number, &s->out);
}

static void show_counts(struct show *s)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < s->names->n_types; i++) {
		if (s->count[i])
			out_printf(&s->out, "%-*s  %llu\n", s->table.event,
				s->names->type[i].name.s, (unsigned long long)s->count[i]);
		all += s->count[i];
	}
	out_printf(&s->out, "%-*s  %llu\n", s->table.event, "all", (unsigned long long)all);
}

// Prints all wanted events. If a block is broken, it says so and goes on with the next. Returns the
// exit status.
static int show_all(struct show *s, struct evf_in *in, const struct evf_pick *p)
{
	const atomic_bool *stop = stop_catch(true);
	int got = 1, status = EXIT_DONE;
	const struct ev *e;
	uint64_t number;
	struct err err;

	show_head(s);
	while (got && !*stop && !s->out.error) {
		got = evf_next(in, p, &e, &number, &err);
		if (got > 0) {
			show_event(s, e, number);
		} else if (got < 0) {
			out_flush(&s->out);
			tell("%s", err.text);
			status = EXIT_INPUT;
		}
	}
	if (s->a->count)
		show_counts(s);
	out_flush(&s->out);
	if (*stop)
		tell("quench events: interrupted");
	else if (evf_cut(in) && !s->out.error)
		tell("%s", evf_cut(in));
	return evf_cut(in) ? EXIT_INPUT : status;
}

static int open_out(struct show *s, struct err *err)
{
	bool table = !s->a->csv && !s->a->json;

	if (term_folds() && table) {
		term_lines();
		return out_stream(&s->out, stdout, "standard output", err);
	}
	return out_adopt(&s->out, dup(STDOUT_FILENO), "standard output", err);
}

static int events_main(int argc, char **argv)
{
	struct events_args a = {0};
	static struct show s;
	struct evf_in *in = NULL;
	char path[PATH_MAX];
	struct evf_pick p;
	struct err err;
	int at = read_args(&a, argc, argv), status;

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	if (find_file(a.file, path, &err) || evf_open(&in, path, &err)) {
		tell("%s", err.text);
		return EXIT_INPUT;
	}
	s = (struct show){.a = &a, .names = evf_names(in)};
	evf_table_init(&s.table, s.names);
	evf_lines_init(&s.lines, s.names);
	if (pick(&p, &a, s.names, &err)) {
		tell("quench events: %s", err.text);
		status = EXIT_INPUT;
	} else if (open_out(&s, &err)) {
		tell("%s", err.text);
		status = EXIT_INPUT;
	} else {
		status = show_all(&s, in, &p);
		if (out_close(&s.out, &err)) {
			tell("%s", err.text);
			status = EXIT_INPUT;
		}
	}
	evf_close_in(in);
	return stop_status(status);
}

const struct args_command reader_events = {
	.name = "events",
	.summary = "read the binary record of a run's events: marks, drops, pauses, CNPs, rates",
	.about =
		"Prints one line for each event of a run whose events were recorded in the binary "
		"form (events.bin): its instant, its type, its port, class and flow, and its other "
		"values. FILE is the file, or the folder of a run. If the file has no end, because "
		"the run crashed or the disk was full, all whole events are printed; a line says "
		"that the rest is missing, and the exit status is 2.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "FILE", .fill = ARGS_FILE}),
	.wanted = "one file of events or run folder is wanted",
	.examples = ARGS_WORDS("quench events tests/data/events.bin --count",
		"quench events tests/data/events.bin --type xoff_tx,xon_tx --object s1:h1",
		"quench events tests/data/events.bin --from 1ms --to 1.1ms --flow incast",
		"quench run first-light --record format=binary",
		"quench events runs/latest --csv >events.csv",
		"quench events runs/latest --type msg_done --json"
		" | jq '[.flow, .bytes, .time_us - .begun / 1e6]'"),
	.statuses = ARGS_SIGNAL,
	.run = events_main,
};
