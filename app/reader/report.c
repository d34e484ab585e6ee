// SPDX-License-Identifier: BSD-3-Clause
// quench report: what runs did, as one page of HTML.
#include <limits.h>
#include <unistd.h>

#include "reader.h"
#include "lineage/lineage.h"
#include "page/page.h"
#include "plate/plate.h"

#define FIGURES "figures" // the folder of them, in that of the run

#define LINES 40 // of roots, and of queues, that are printed

struct report_args {
	const char *file;
	bool svg, png, lineage;
};

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "output", .letter = 'o', .value = "FILE", .kind = ARGS_TEXT,
		.fill = ARGS_FILE, ARGS_AT(struct report_args, file),
		.help = "Writes the page into this file. Without it that is report.html in the "
			"folder of the run, or in the current folder where there are several "
			"runs."),
	ARGS_ROW(.name = "svg", ARGS_AT(struct report_args, svg),
		.help = "Writes figures for a paper too, drawn by gnuplot as svg, into the "
			"folder " FIGURES " in that of each run. Numbers (.dat) and scripts "
			"(.gp) stay beside them."),
	ARGS_ROW(.name = "png", ARGS_AT(struct report_args, png), .help = "Writes them as png."),
	ARGS_ROW(.name = "lineage", ARGS_AT(struct report_args, lineage),
		.help = "Prints who paused whom instead: what the pauses of one run go back to."),
	NULL,
};

// Opens the folders of all runs. Returns how many could be opened. At the first that could not, it
// prints a line and stops.
static unsigned open_all(struct saved **run, char **dir, unsigned n)
{
	struct err err;

	for (unsigned i = 0; i < n; i++)
		if (saved_open(&run[i], dir[i], &err)) {
			tell("quench report: %s", err.text);
			return i;
		}
	return n;
}

// Writes the figures of each run, if the user asked for them. Returns the exit status.
static int write_figures(const struct report_args *a, struct saved *const *run, unsigned n)
{
	unsigned formats = (a->svg ? PAPER_SVG : 0) | (a->png ? PAPER_PNG : 0), figures;
	int status = EXIT_DONE;
	char dir[PATH_MAX];
	struct err err;

	for (unsigned i = 0; i < n && formats; i++) {
		snprintf(dir, sizeof(dir), "%s/" FIGURES, saved_dir(run[i]));
		if (plate_write(run[i], dir, formats, &figures, &err)) {
			tell("quench report: %s", err.text);
			status = EXIT_INPUT;
		}
		if (figures)
			printf("figures: %s: %u\n", dir, figures);
	}
	return status;
}

// Prints what the pauses of a run go back to. Exit status.
static int print_lineage(struct saved *run)
{
	struct out out;
	struct err err;
	struct lineage *l = lineage_of(run, &err);
	int status = EXIT_DONE;

	if (!l || out_adopt(&out, dup(STDOUT_FILENO), "standard output", &err)) {
		tell("quench report: %s", err.text);
		status = EXIT_INPUT;
	} else {
		lineage_text(l, &out, LINES);
		if (out_close(&out, &err)) {
			tell("%s", err.text);
			status = EXIT_INPUT;
		}
	}
	lineage_free(l);
	return status;
}

// Writes the page of all runs, and their figures if the user asked for them. Returns the exit
// status.
static int write_page(const struct report_args *a, struct saved *const *run, unsigned n)
{
	int status = write_figures(a, run, n);
	char file[PATH_MAX];
	struct err err;

	snprintf(file, sizeof(file), n == 1 ? "%s/report.html" : "report.html", saved_dir(run[0]));
	if (page_write(run, n, a->file ? a->file : file, &err))
		return tell_input("quench report", err.text);
	printf("report: %s\n", a->file ? a->file : file);
	return status;
}

static int report_main(int argc, char **argv)
{
	struct report_args a = {0};
	int at = args_read(&reader_report, &a, argc, argv), status = EXIT_INPUT;
	struct saved *run[PAGE_RUNS];
	unsigned n, opened;

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	n = (unsigned)(argc - at);
	if (n > PAGE_RUNS) {
		tell("quench report: %u folders; one page shows at most %d runs", n, PAGE_RUNS);
		return EXIT_INPUT;
	}
	if (a.lineage && n > 1) {
		tell("quench report: --lineage is about one run");
		return EXIT_INPUT;
	}
	opened = open_all(run, argv + at, n);
	if (opened == n)
		status = a.lineage ? print_lineage(run[0]) : write_page(&a, run, n);
	while (opened)
		saved_close(run[--opened]);
	return status;
}

const struct args_command reader_report = {
	.name = "report",
	.summary = "show runs in one page: queues, rates, pauses, marks, verdicts",
	.about = "Writes one file of HTML from the folders of runs: verdicts and what speaks "
		 "against them, why it came so, the topology with loads and pauses, queues and "
		 "rates over time, lanes of pauses, marks and CNPs, marking curves, completion "
		 "times, every figure in tables, and the configuration. Any browser opens it; "
		 "it needs no network and no other file.\n\n"
		 "Of several folders the plots are laid over each other, and a table says what "
		 "differs. Runs that differ in their seed only count as one, with error bars. Of "
		 "a folder that is cut short, the page shows what is there and names the rest.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "DIR", .fill = ARGS_FOLDER, .many = true}),
	.wanted = "name the folder of a run, as in runs/latest",
	.examples = ARGS_WORDS("quench report runs/latest", "quench report runs/latest --lineage",
		"quench report runs/first-light-virtual-1 runs/first-light-real-1 -o drift.html"),
	.run = report_main,
};
