// SPDX-License-Identifier: BSD-3-Clause
// What a sweep leaves: its files, and its table on standard output.
#include "sweep_run_int.h"

#include <stdio.h>
#include <unistd.h>

#include "cmd.h"
#include "run/out.h"

int sweep_run_complain(const char *text)
{
	fprintf(stderr, "quench sweep: %s\n", text);
	return EXIT_INPUT;
}

static int write_file(const struct sweep_run *s, const char *name,
	void (*put)(const struct sweep *, struct out *))
{
	char path[PATH_MAX + 16];
	struct err err;
	struct out o;

	snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	if (out_open(&o, path, &err))
		return sweep_run_complain(err.text);
	put(&s->plan, &o);
	return out_close(&o, &err) ? sweep_run_complain(err.text) : EXIT_DONE;
}

static int write_plot(const struct sweep_run *s)
{
	char path[PATH_MAX + 16];
	struct err err;
	struct out o;

	if (!s->plot)
		return EXIT_DONE;
	snprintf(path, sizeof(path), "%s/sweep.svg", s->dir);
	if (out_open(&o, path, &err))
		return sweep_run_complain(err.text);
	if (sweep_plot(&s->plan, s->plot_axis, &o)) {
		out_close(&o, &err);
		return sweep_run_complain("no memory for sweep.svg");
	}
	return out_close(&o, &err) ? sweep_run_complain(err.text) : EXIT_DONE;
}

static int print(const struct sweep_run *s)
{
	struct err err;
	struct out o;

	if (s->all.quiet)
		return EXIT_DONE;
	if (!s->csv) {
		sweep_text(&s->plan, stdout);
		printf("\nresults  %s/sweep.csv, sweep.json, junit.xml%s\n", s->dir,
			s->plot ? ", sweep.svg" : "");
		return fflush(stdout) ? sweep_run_complain("standard output: incomplete")
				      : EXIT_DONE;
	}
	if (out_adopt(&o, dup(STDOUT_FILENO), "standard output", &err))
		return sweep_run_complain(err.text);
	sweep_csv(&s->plan, &o);
	return out_close(&o, &err) ? sweep_run_complain(err.text) : EXIT_DONE;
}

int sweep_run_out(const struct sweep_run *s)
{
	int status = write_file(s, "sweep.csv", sweep_csv);

	if (write_file(s, "sweep.json", sweep_json) || write_file(s, "junit.xml", sweep_junit) ||
		write_plot(s) || print(s))
		status = EXIT_INPUT;
	return status;
}
