// SPDX-License-Identifier: BSD-3-Clause
// A figure of several runs from its folders to its end.
#include "overlay.h"

#include <errno.h>
#include <stdlib.h>

#include "int.h"

static int read_all(struct overlay *o, char *const *dir, unsigned n, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < n && !rc; i++)
		rc = overlay_open(o, dir[i], i < o->want.n_labels ? o->want.label[i] : NULL, err);
	if (!rc)
		rc = overlay_sets(o, err);
	if (!rc)
		rc = overlay_names(o, err);
	if (!rc)
		rc = overlay_means(o, err);
	return rc;
}

int overlay_read(struct overlay **to, char *const *dir, unsigned n, const struct overlay_want *want,
	struct err *err)
{
	struct overlay *o = calloc(1, sizeof(*o));
	int rc;

	if (!o)
		return err_set(err, -ENOMEM, "no memory for the figure");
	o->want = *want;
	rc = read_all(o, dir, n, err);
	if (rc)
		overlay_free(o);
	else
		*to = o;
	return rc;
}

void overlay_free(struct overlay *o)
{
	if (!o)
		return;
	for (unsigned i = 0; i < o->n_runs; i++) {
		saved_close(o->run[i].s);
		json_decref(o->run[i].config);
	}
	for (unsigned i = 0; o->set && i < o->n_sets; i++)
		json_decref(o->set[i].options);
	for (unsigned i = 0; i < o->n_sweeps; i++)
		json_decref(o->sweep[i]);
	free(o->run);
	free(o->sweep);
	arena_free(&o->arena);
	free(o);
}
