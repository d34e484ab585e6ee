// SPDX-License-Identifier: BSD-3-Clause
// quench trace: what happened in a run as a trace for Perfetto's timeline.
#include <stdlib.h>

#include "reader.h"
#include "timeline/timeline.h"

struct trace_args {
	const char *dir, *out;
	tstamp from, to;
};

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "out", .letter = 'o', .value = "FILE", .kind = ARGS_TEXT,
		.fill = ARGS_FILE, ARGS_AT(struct trace_args, out),
		.help = "Writes into this file; without it, into the run's folder, where it has "
			"the name of the scenario and ends in .pftrace."),
	ARGS_ROW(.name = "from", .value = "TIME", .kind = ARGS_TIME,
		ARGS_AT(struct trace_args, from),
		.help = "Shows only what happened at this instant of scene time or later."),
	ARGS_ROW(.name = "to", .value = "TIME", .kind = ARGS_TIME, ARGS_AT(struct trace_args, to),
		.help = "Shows only what happened before this instant."),
	NULL,
};

// 0: the help was printed; 1: go on; -1: refused, with a line.
static int read_args(struct trace_args *a, int argc, char **argv)
{
	int at = args_read(&reader_trace, a, argc, argv);

	if (at <= 0)
		return at;
	if (a->to && a->to <= a->from) {
		tell("quench trace: --to is not later than --from");
		return ARGS_WRONG;
	}
	a->dir = at < argc ? argv[at] : "runs/latest";
	return 1;
}

// The file that was asked for, or the folder's; freed by the caller. NULL: no memory.
static char *name_file(const struct trace_args *a, const struct saved *s)
{
	const char *name = saved_name(s);
	char *file;

	if (asprintf(&file, "%s%s%s%s", a->out ? a->out : a->dir, a->out ? "" : "/",
		    a->out ? "" : (*name ? name : "run"), a->out ? "" : ".pftrace") < 0)
		return NULL;
	return file;
}

static int write_trace(const struct trace_args *a, struct saved *s)
{
	char *file = name_file(a, s);
	struct timeline_told told;
	const char *missing;
	struct err err;
	int code;

	if (!file) {
		tell("quench trace: no memory");
		return EXIT_INPUT;
	}
	code = timeline_write(s, file, a->from, a->to ? a->to : TSTAMP_NEVER, &told, &err);
	for (unsigned i = 0; (missing = saved_missing(s, i)) != NULL; i++)
		tell("%s: %s", a->dir, missing);
	if (code) {
		tell("%s", err.text);
	} else {
		if (told.missing)
			tell("%s: %s", a->dir, told.missing);
		printf("%s: %llu event%s, %llu arrow%s, %llu bytes; "
		       "instants are rounded down to ns\n",
			file, (unsigned long long)told.events, plural(told.events),
			(unsigned long long)told.arrows, plural(told.arrows),
			(unsigned long long)told.bytes);
	}
	free(file);
	return code ? EXIT_INPUT : EXIT_DONE;
}

static int trace_main(int argc, char **argv)
{
	struct trace_args a = {0};
	struct saved *s;
	struct err err;
	int go = read_args(&a, argc, argv), status;

	if (go <= 0)
		return go ? EXIT_INPUT : EXIT_DONE;
	if (saved_open(&s, a.dir, &err)) {
		tell("%s", err.text);
		return EXIT_INPUT;
	}
	status = write_trace(&a, s);
	saved_close(s);
	return status;
}

const struct args_command reader_trace = {
	.name = "trace",
	.summary = "show a run on a timeline: a trace for ui.perfetto.dev",
	.about =
		"Writes the events of a run as a trace that Perfetto opens: pauses, storms and "
		"messages as slices, marks, drops, CNPs and cuts as instants, queue lengths, "
		"rates and alpha as counters, and arrows from a mark to its CNP and cut, and "
		"from XOFF to XOFF upstream. DIR is the folder of a run, runs/latest if none is "
		"given. A line, and a bar in the trace, names each thing that the folder lacks; "
		"the rest is shown. quench's timeline.md says how to open it and what to look for.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "DIR", .fill = ARGS_FOLDER, .optional = true}),
	.wanted = "one folder of a run is wanted",
	.examples = ARGS_WORDS("quench trace", "quench trace runs/first-light-virtual-1",
		"quench trace runs/latest --from 1ms --to 2ms -o first.pftrace"),
	.run = trace_main,
};
