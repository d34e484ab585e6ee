// SPDX-License-Identifier: BSD-3-Clause
// quench compare: one figure of several runs.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader.h"
#include "overlay/overlay.h"

#define LABELS 256
#define NAME   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"

static const char *const figures[] = {"slowdown", "cdf", "queue", "goodput", "pauses", NULL};
static const char *const percentiles[] = {"50", "95", "99", "99.9", NULL};
static const char *const values[] = {"fct", "fct_posted", "slowdown", NULL};

struct compare_args {
	unsigned figure, percentile, of;
	const char *group, *queue, *file;
	const char *label[LABELS];
	unsigned n_labels;
	bool svg, png, csv;
};

// The files of a figure: DIR/STEM with a suffix each.
struct target {
	char dir[PATH_MAX], stem[128];
	unsigned formats; // pictures, a sum of enum paper_format
};

static bool ends_in(const char *file, const char *suffix)
{
	size_t n = strlen(file), end = strlen(suffix);

	return n > end && strcmp(file + n - end, suffix) == 0;
}

// Finds folder, name and pictures. False: the name is none for files.
static bool find_target(const struct compare_args *a, struct target *t)
{
	const char *file = a->file ? a->file : figures[a->figure];
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	static const char *const suffix[] = {".svg", ".png", ".csv", ".dat", ".gp"};

	t->formats = (a->svg ? PAPER_SVG : 0) | (a->png ? PAPER_PNG : 0);
	if (!t->formats && !a->csv)
		t->formats = ends_in(file, ".png") ? PAPER_PNG : PAPER_SVG;
	snprintf(t->dir, sizeof(t->dir), "%.*s", slash ? (int)(slash - file) : 1,
		slash ? file : ".");
	if (slash == file)
		snprintf(t->dir, sizeof(t->dir), "/");
	snprintf(t->stem, sizeof(t->stem), "%s", name);
	for (unsigned i = 0; i < sizeof(suffix) / sizeof(suffix[0]); i++)
		if (ends_in(t->stem, suffix[i])) {
			t->stem[strlen(t->stem) - strlen(suffix[i])] = '\0';
			break;
		}
	return strlen(name) < sizeof(t->stem) && *t->stem && *t->stem != '-' &&
	       !t->stem[strspn(t->stem, NAME)];
}

// Writes CSV beside the pictures, or without pictures into the file or to stdout. Exit status.
static int write_csv(const struct compare_args *a, const struct overlay *o, const struct target *t)
{
	char path[PATH_MAX + 160];
	struct err err;
	struct out out;
	int rc;

	snprintf(path, sizeof(path), "%s/%s.csv", t->dir, t->stem);
	if (!t->formats && !a->file)
		rc = out_adopt(&out, dup(STDOUT_FILENO), "standard output", &err);
	else
		rc = out_open(&out, t->formats ? path : a->file, &err);
	if (rc)
		return tell_input("quench compare", err.text);
	overlay_csv(o, &out);
	return out_close(&out, &err) ? tell_input("quench compare", err.text) : EXIT_DONE;
}

static int write_all(const struct compare_args *a, const struct overlay *o, const struct target *t)
{
	const char *dir = strcmp(t->dir, ".") ? t->dir : "", *slash = *dir ? "/" : "";
	int status = a->csv ? write_csv(a, o, t) : EXIT_DONE;
	struct err err;

	if (status || !t->formats)
		return status;
	if (overlay_draw(o, t->dir, t->stem, t->formats, &err))
		return tell_input("quench compare", err.text);
	printf("figure: %s%s%s.dat, .gp%s%s%s\n", dir, slash, t->stem,
		t->formats & PAPER_SVG ? ", .svg" : "", t->formats & PAPER_PNG ? ", .png" : "",
		a->csv ? ", .csv" : "");
	return EXIT_DONE;
}

static int take_label(void *to, const char *value, struct err *err)
{
	struct compare_args *a = to;

	if (a->n_labels == LABELS)
		return err_set(err, -EINVAL, "more than %d labels", LABELS);
	a->label[a->n_labels++] = value;
	return 0;
}

static int compare_main(int argc, char **argv)
{
	struct compare_args a = {0};
	int at = args_read(&reader_compare, &a, argc, argv), status;
	struct overlay_want want = {.label = a.label};
	struct overlay *o;
	struct target t;
	struct err err;

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	want.figure = (enum overlay_figure)a.figure;
	want.percentile = percentiles[a.percentile];
	want.of = values[a.of];
	want.group = a.group;
	want.queue = a.queue;
	want.n_labels = a.n_labels;
	if (a.n_labels && a.n_labels != (unsigned)(argc - at)) {
		tell("quench compare: %u label%s for %d folder%s; give each folder one, in their "
		     "order",
			a.n_labels, plural(a.n_labels), argc - at, plural((unsigned)(argc - at)));
		return EXIT_INPUT;
	}
	if (!find_target(&a, &t)) {
		tell("quench compare: -o %s: name files by letters, digits, '.', '-' and '_'",
			a.file);
		return EXIT_INPUT;
	}
	if (overlay_read(&o, argv + at, (unsigned)(argc - at), &want, &err))
		return tell_input("quench compare", err.text);
	status = write_all(&a, o, &t);
	overlay_free(o);
	return status;
}

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "figure", .kind = ARGS_WORD, .words = figures, .def = "slowdown",
		ARGS_AT(struct compare_args, figure),
		.help = "Makes this figure: slowdown of messages by size; cdf, the distribution of "
			"completion times; queue, the length of a queue over time; goodput of a "
			"group over time; pauses, the share of time that ports were paused."),
	ARGS_ROW(.name = "percentile", .kind = ARGS_WORD, .words = percentiles, .def = "99",
		ARGS_AT(struct compare_args, percentile),
		.help = "Takes this percentile of the slowdown."),
	ARGS_ROW(.name = "of", .kind = ARGS_WORD, .words = values, .def = "fct",
		ARGS_AT(struct compare_args, of),
		.help = "Takes the distribution (cdf) of completion times, of completion times "
			"from the posting on, or of slowdown."),
	ARGS_ROW(.name = "group", .value = "NAME", .kind = ARGS_TEXT,
		ARGS_AT(struct compare_args, group),
		.help = "Takes slowdown, distribution or goodput of this group. Without it that is "
			"the group with the most flows."),
	ARGS_ROW(.name = "queue", .value = "PORT.CLASS", .kind = ARGS_TEXT,
		ARGS_AT(struct compare_args, queue),
		.help = "Takes the length of this queue, as in s1:r.3. The default is the "
			"longest queue of the port that is the bottleneck of the first run."),
	ARGS_ROW(.name = "label", .value = "TEXT", .kind = ARGS_CALL, .take = take_label,
		.help = "Names the lines of a folder; one for each DIR, in their order. Without "
			"labels the names say what the runs differ in."),
	ARGS_ROW(.name = "svg", ARGS_AT(struct compare_args, svg),
		.help = "Lets gnuplot draw the figure as svg, which is the default."),
	ARGS_ROW(.name = "png", ARGS_AT(struct compare_args, png),
		.help = "Lets gnuplot draw it as png."),
	ARGS_ROW(.name = "csv", ARGS_AT(struct compare_args, csv),
		.help = "Prints all points as CSV, with intervals and differences between lines; "
			"with --svg or --png into a file beside the picture."),
	ARGS_ROW(.name = "output", .letter = 'o', .value = "FILE", .kind = ARGS_TEXT,
		.fill = ARGS_FILE, ARGS_AT(struct compare_args, file),
		.help = "Writes the picture into this file, and its numbers (.dat) and script "
			"(.gp) beside it. The default is the figure's name in the current folder."),
	NULL,
};

const struct args_command reader_compare = {
	.name = "compare",
	.summary = "draw one figure of several runs: slowdown, completion times, queues",
	.about = "Draws one figure of the folders of runs, with a line for each. DIR is the folder "
		 "of a run, or that of `quench sweep --files`, which stands for all its "
		 "runs.\n\n"
		 "Runs that differ in their seed only are one line: the mean of each point, with "
		 "its 95 % interval by Student's t. Of more than six lines, each combination of "
		 "the other varied values has a plot of its own beside the others.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "DIR", .fill = ARGS_FOLDER, .many = true}),
	.wanted = "name the folders of runs, or of a sweep",
	.examples = ARGS_WORDS("quench compare runs/first-light-virtual-1 runs/first-light-real-1"
			       " --figure queue -o clocks.png",
		"quench compare runs/sweep-first-light --figure goodput -o goodput.png",
		"quench compare runs/sweep-first-light --figure cdf --of slowdown --csv"),
	.run = compare_main,
};
