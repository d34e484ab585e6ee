// SPDX-License-Identifier: BSD-3-Clause
// The files of a run folder together: opened, looked after while the run goes on, closed; which of
// them are not whole.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

static int open_capture(struct record *r, struct err *err)
{
	char path[4096];
	int code = 0;

	snprintf(path, sizeof(path), "%s/capture.pcapng", r->dir);
	for (unsigned i = 0; i < r->n_ports && !code; i++) {
		struct rec_port *p = &r->port[i];

		if (!p->scene->capture)
			continue;
		if (!r->capw)
			code = capw_open(&r->capw, path, err);
		if (!code)
			p->capture = capw_interface(
				r->capw, p->scene->name, p->scene->rate, p->scene->capture_ps);
		if (!code && p->capture < 0)
			code = err_set(err, -ENOMEM, "no memory for the capture");
	}
	// The copy of a packet, its header and its bytes.
	if (r->capw && !r->frame)
		r->frame = malloc(REC_FRAME_DATA + PKT_MAX_LEN + 64);
	return r->capw && !r->frame ? err_set(err, -ENOMEM, "no memory for the capture") : code;
}

int record_files_open(struct record *r, struct err *err)
{
	int code = manifest_open(r, err);

	if (!code)
		code = r->series ? record_ts_open(r, err) : 0;
	if (!code)
		code = record_ev_open(r, err);
	return code ? code : open_capture(r, err);
}

// Keeps the line once, without the folder. False where it is known.
static bool lose(struct record *r, const char *line)
{
	size_t n = strlen(r->dir);

	if (!strncmp(line, r->dir, n) && line[n] == '/')
		line += n + 1;
	for (unsigned i = 0; i < r->n_missing; i++)
		if (!strcmp(r->missing[i], line))
			return false;
	if (r->n_missing < REC_FILES && (r->missing[r->n_missing] = strdup(line)))
		r->n_missing++;
	return true;
}

void record_lose(struct record *r, const struct err *why)
{
	lose(r, why->text);
}

static void look(struct record *r, const char *path, int error)
{
	struct err line;

	if (!error)
		return;
	err_set(&line, 0, OUT_INCOMPLETE, path, strerror(error));
	if (lose(r, line.text) && r->say)
		r->say(r->say_arg, line.text);
}

void record_files_look(struct record *r)
{
	const struct out *const file[] = {&r->ts, &r->events, &r->fct, &r->pfc};

	if (!r->dir)
		return;
	for (unsigned i = 0; i < sizeof(file) / sizeof(file[0]); i++)
		look(r, file[i]->path, file[i]->error);
	if (r->events_bin)
		look(r, evf_path(r->events_bin), evf_error(r->events_bin));
	if (r->capw)
		look(r, capw_path(r->capw), capw_error(r->capw));
}

// The first failure of several is the one that is told.
static void keep_error(
	struct record *r, int *code, struct err *err, int next, const struct err *why)
{
	if (!next)
		return;
	lose(r, why->text);
	if (!*code) {
		*code = next;
		*err = *why;
	}
}

int record_files_close(struct record *r, const struct record_run *run, struct err *err)
{
	struct out *const file[] = {&r->ts, &r->events, &r->fct, &r->pfc};
	struct err why;
	int code = 0;

	for (unsigned i = 0; i < sizeof(file) / sizeof(file[0]); i++)
		keep_error(r, &code, err, out_close(file[i], &why), &why);
	keep_error(r, &code, err, evf_close(r->events_bin, &why), &why);
	r->events_bin = NULL;
	keep_error(r, &code, err, capw_close(r->capw, &why), &why);
	r->capw = NULL;
	if (r->scene->record.series)
		keep_error(r, &code, err, record_qlen_write(r, run->end, &why), &why);
	keep_error(r, &code, err, record_dfx_write(r, &why), &why);
	keep_error(r, &code, err, record_iqcn_write(r, run->end, &why), &why);
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
	for (unsigned i = 0; i < r->n_missing; i++)
		free(r->missing[i]);
}
