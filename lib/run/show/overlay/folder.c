// SPDX-License-Identifier: BSD-3-Clause
// Folders: of a run, or of a sweep, whose sweep.json names the folders of its runs.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "int.h"

static int add_run(
	struct overlay *o, const char *dir, const char *label, const json_t *row, struct err *err)
{
	struct overlay_run *r;
	int rc;

	if (o->n_runs == OVERLAY_RUNS)
		return err_set(
			err, -E2BIG, "more than %d runs; one figure shows no more", OVERLAY_RUNS);
	if (o->n_runs == o->room_runs) {
		unsigned room = o->room_runs ? 2 * o->room_runs : 16;

		r = realloc(o->run, room * sizeof(*r));
		if (!r)
			return err_set(err, -ENOMEM, "%s: no memory", dir);
		o->run = r;
		o->room_runs = room;
	}
	r = &o->run[o->n_runs];
	*r = (struct overlay_run){.row = row, .label = label};
	rc = saved_open(&r->s, dir, err);
	if (rc)
		return rc;
	o->n_runs++;
	r->config = json_copy(json_object_get(saved_manifest(r->s), "resolved"));
	json_object_del(r->config, "seed");
	r->seed = json_integer_value(json_object_get(saved_manifest(r->s), "seed"));
	if (o->want.figure == OVERLAY_QUEUE || o->want.figure == OVERLAY_GOODPUT)
		rc = overlay_course(o, r, err);
	else
		rc = overlay_curve(o, r, err);
	saved_drop_summary(r->s);
	if (!rc)
		overlay_join(o);
	return rc;
}

// The runs of a sweep that came to figures, in its order.
static int add_sweep(
	struct overlay *o, const char *dir, const char *label, const json_t *sweep, struct err *err)
{
	const json_t *list = json_object_get(sweep, "runs"), *one;
	unsigned before = o->n_runs;
	size_t i;

	json_array_foreach(list, i, one)
	{
		const char *folder = saved_text(one, "folder"), *path;
		int rc;

		if (!*folder)
			continue;
		path = arena_format(&o->arena, "%s/%s", dir, folder);
		if (!path)
			return err_set(err, -ENOMEM, "%s: no memory", dir);
		rc = add_run(o, path, label, one, err);
		if (rc)
			return rc;
	}
	if (o->n_runs == before)
		return err_set(err, -ENOENT,
			"%s: a sweep whose runs have left no folders; run it with --files", dir);
	return 0;
}

int overlay_open(struct overlay *o, const char *dir, const char *label, struct err *err)
{
	const char *path = arena_format(&o->arena, "%s/sweep.json", dir);
	json_t **more, *sweep;
	json_error_t at;

	if (!path)
		return err_set(err, -ENOMEM, "%s: no memory", dir);
	if (access(path, F_OK))
		return add_run(o, dir, label, NULL, err);
	if (infile_check(path, err))
		return -EINVAL;
	sweep = json_load_file(path, 0, &at);
	if (!sweep)
		return err_set(err, -EINVAL, "%s:%d: %s", path, at.line, at.text);
	more = realloc(o->sweep, (o->n_sweeps + 1) * sizeof(*more));
	if (!more) {
		json_decref(sweep);
		return err_set(err, -ENOMEM, "%s: no memory", dir);
	}
	o->sweep = more;
	o->sweep[o->n_sweeps++] = sweep;
	return add_sweep(o, dir, label, sweep, err);
}
