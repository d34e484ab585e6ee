// SPDX-License-Identifier: BSD-3-Clause
// What a sweep leaves: its files, and its table on standard output.
#include "sweep_run_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd.h"
#include "out/out.h"
#include "tell.h"

int sweep_run_complain(const char *text)
{
	tell("quench sweep: %s", text);
	return EXIT_INPUT;
}

static int open_file(const struct sweep_run *s, const char *name, struct out *o)
{
	struct err err;
	char *path;
	int rc;

	if (asprintf(&path, "%s/%s", s->dir, name) < 0)
		return sweep_run_complain("no memory");
	rc = out_open(o, path, &err);
	free(path);
	return rc ? sweep_run_complain(err.text) : EXIT_DONE;
}

static int write_file(const struct sweep_run *s, const char *name,
	void (*put)(const struct sweep *, struct out *))
{
	struct err err;
	struct out o;

	if (open_file(s, name, &o))
		return EXIT_INPUT;
	put(&s->plan, &o);
	return out_close(&o, &err) ? sweep_run_complain(err.text) : EXIT_DONE;
}

static int write_plot(const struct sweep_run *s)
{
	struct err err;
	struct out o;

	if (!s->plot)
		return EXIT_DONE;
	if (open_file(s, "sweep.svg", &o))
		return EXIT_INPUT;
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
		return EXIT_DONE;
	}
	if (out_adopt(&o, dup(STDOUT_FILENO), "standard output", &err))
		return sweep_run_complain(err.text);
	sweep_csv(&s->plan, &o);
	return out_close(&o, &err) ? sweep_run_complain(err.text) : EXIT_DONE;
}

int sweep_run_out(const struct sweep_run *s)
{
	int status[] = {write_file(s, "sweep.csv", sweep_csv),
		write_file(s, "sweep.json", sweep_json), write_file(s, "junit.xml", sweep_junit),
		write_plot(s), print(s)};

	for (unsigned i = 0; i < sizeof(status) / sizeof(status[0]); i++)
		if (status[i])
			return status[i];
	return EXIT_DONE;
}

void sweep_run_warnings(const struct sweep_run *s)
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
