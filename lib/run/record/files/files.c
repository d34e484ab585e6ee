// SPDX-License-Identifier: BSD-3-Clause
// The files of a run folder together: opened, looked after while the run goes on, closed; which of
// them are not whole.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

// All files of a run, of its report and of a probe. If a folder is overwritten, these are deleted
// first, so that no file of an earlier run stays among the new ones.
static const char *const names[] = {"summary.json", "timeseries.csv", "events.csv", "events.bin",
	"fct.txt", "pfc.txt", "qlen.txt", "marking.csv", "manifest.json", "capture.pcapng",
	"dfx.csv", "dfx.svg", "iqcn.csv", "junit.xml", "report.html", "lineage.csv",
	"lineage_bills.csv", "probe.json", "probe.csv", "probe.html", "dut.yaml"};

static int open_each(struct record *r, struct err *err)
{
	int code = manifest_open(r, err);

	if (!code)
		code = record_room_open(r, err);
	if (!code)
		code = r->series ? record_ts_open(r, err) : 0;
	if (!code)
		code = record_ev_open(r, err);
	return code ? code : record_capture_open(r, err);
}

int record_files_open(struct record *r, const struct record_opts *opts, struct err *err)
{
	int code = opts->next && !opts->force
			   ? folder_next(&r->dir, opts->dir, &r->lock, err)
			   : folder_take(opts->dir, opts->force, names,
				     sizeof(names) / sizeof(names[0]), &r->lock, err);

	if (code)
		return code;
	if (!r->dir)
		r->dir = strdup(opts->dir);
	r->command = strdup(opts->command ? opts->command : "");
	if (!r->dir || !r->command)
		return err_set(err, -ENOMEM, "no memory for the record");
	if (opts->latest)
		folder_latest(r->dir);
	r->say = opts->say;
	r->say_arg = opts->say_arg;
	record_want_open(r);
	return open_each(r, err);
}

static const char *without_folder(const struct record *r, const char *line)
{
	size_t n = strlen(r->dir);

	return !strncmp(line, r->dir, n) && line[n] == '/' ? line + n + 1 : line;
}

int record_file(const struct record *r, struct out *o, const char *name, struct err *err)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", r->dir, name);
	return out_open(o, path, err);
}

// Keeps the line once.
static void lose_file(struct record *r, const struct err *why)
{
	const char *line = without_folder(r, why->text);

	for (unsigned i = 0; i < r->n_missing; i++)
		if (!strcmp(r->missing[i], line))
			return;
	if (r->n_missing < REC_FILES && (r->missing[r->n_missing] = strdup(line)))
		r->n_missing++;
}

static void look_at_file(struct record *r, const char *path, int error, tstamp now)
{
	struct err line;

	if (!error)
		return;
	err_set(&line, 0, OUT_INCOMPLETE, path, strerror(error));
	lose_file(r, &line);
	record_want_stop(r, without_folder(r, line.text), now);
}

void record_files_look(struct record *r, tstamp now)
{
	const struct out *const file[] = {&r->ts, &r->events, &r->fct, &r->pfc};

	if (!r->dir)
		return;
	for (unsigned i = 0; i < sizeof(file) / sizeof(file[0]); i++)
		look_at_file(r, file[i]->path, file[i]->error, now);
	if (r->events_bin)
		look_at_file(r, evf_path(r->events_bin), evf_error(r->events_bin), now);
	if (r->capw)
		look_at_file(r, capw_path(r->capw), capw_error(r->capw), now);
}

void record_keep_error(
	struct record *r, int *code, struct err *err, int next, const struct err *why)
{
	if (!next)
		return;
	lose_file(r, why);
	if (!*code) {
		*code = next;
		*err = *why;
	}
}

int record_files_close(struct record *r, struct err *err)
{
	struct out *const file[] = {&r->ts, &r->events, &r->fct, &r->pfc};
	struct err why;
	int code = 0;

	for (unsigned i = 0; i < sizeof(file) / sizeof(file[0]); i++)
		record_keep_error(r, &code, err, out_close(file[i], &why), &why);
	record_keep_error(r, &code, err, evf_close(r->events_bin, &why), &why);
	r->events_bin = NULL;
	record_keep_error(r, &code, err, capw_close(r->capw, &why), &why);
	r->capw = NULL;
	record_room_close(r);
	return code;
}

int record_files_end(struct record *r, const struct record_run *run, struct err *err)
{
	struct err why;
	int code = 0;

	if (r->scene->record.series)
		record_keep_error(r, &code, err, record_qlen_write(r, run->end, &why), &why);
	record_keep_error(r, &code, err, record_dfx_write(r, &why), &why);
	record_keep_error(r, &code, err, record_iqcn_write(r, run->end, &why), &why);
	return code;
}

void record_files_free(struct record *r)
{
	struct out *const file[] = {&r->ts, &r->events, &r->fct, &r->pfc, &r->manifest};
	struct err ignored;

	for (unsigned i = 0; i < sizeof(file) / sizeof(file[0]); i++)
		out_close(file[i], &ignored);
	evf_close(r->events_bin, &ignored);
	capw_close(r->capw, &ignored);
	record_room_close(r);
	for (unsigned i = 0; i < r->n_missing; i++)
		free(r->missing[i]);
	folder_leave(r->lock);
}
