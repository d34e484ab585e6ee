// SPDX-License-Identifier: BSD-3-Clause
// quench check --migrate: old names in a scenario file become those of now, in place.
#include "migrate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checker.h"
#include "out/out.h"
#include "summary/summary.h"
#include "session/session.h"
#include "compile/compile.h"

struct text {
	char *text;
	size_t size;
};

// Checks that the argument is a file that can be rewritten.
static int check_name(const char *scenario, struct err *err)
{
	char room[PATH_MAX];

	if (!strcmp(scenario, "-"))
		return err_set(err, -EINVAL,
			"quench check: --migrate rewrites a file, not standard input; name one");
	if (scenario_find(scenario, room, sizeof(room)) == room)
		return err_set(err, -EINVAL,
			"quench check: --migrate rewrites a file; "
			"%s comes with quench and stays as it is",
			scenario);
	return 0;
}

static int read_text(struct text *t, const char *path, struct err *err)
{
	FILE *f = fopen(path, "rb");
	int rc = f ? 0 : -errno;

	t->text = f ? malloc(YAMLDOC_MAX_BYTES) : NULL;
	if (t->text)
		t->size = fread(t->text, 1, YAMLDOC_MAX_BYTES, f);
	else if (f)
		rc = -ENOMEM;
	if (f && ferror(f))
		rc = -errno;
	if (f)
		fclose(f);
	return rc ? err_set(err, rc, "%s: %s", path, strerror(-rc)) : 0;
}

// Whether the text is a scenario without old names.
static int check_text(const struct text *t, const char *path, struct err *err)
{
	const struct scene_opts opts = {.text = t->text, .size = t->size};
	struct scene *s;
	int rc = compile_scene(&s, path, &opts, err);

	if (rc)
		return rc;
	rc = summary_expects_check(s, err);
	if (!rc && s->n_old)
		rc = err_set(err, -EINVAL, "%s:%u:%u: '%s' cannot be rewritten; write '%s' by hand",
			path, s->old[0].line, s->old[0].column, s->old[0].was, s->old[0].now);
	scene_free(s);
	return rc;
}

// Writes all of it to an open file, which has the mode and owner of another one. Closes it.
static int fill_file(
	int fd, const char *path, const struct text *t, const struct stat *as, struct err *err)
{
	struct out o;
	int rc = out_adopt(&o, fd, path, err);

	if (rc)
		return rc;
	out_put(&o, t->text, t->size);
	out_flush(&o);
	if (fchown(o.fd, as->st_uid, as->st_gid) || fchmod(o.fd, as->st_mode & 07777) ||
		fsync(o.fd)) {
		rc = err_set(err, -errno, "%s: %s", path, strerror(errno));
		out_close(&o, &(struct err){0});
		return rc;
	}
	return out_close(&o, err);
}

// A new file beside the old one takes its place.
static int replace(const char *path, const struct text *t, struct err *err)
{
	char fresh[PATH_MAX + 16];
	struct stat st;
	int rc, fd;

	if (stat(path, &st))
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (!(st.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) || access(path, W_OK))
		return err_set(err, -EACCES,
			"%s: cannot be rewritten: it may not be written (chmod u+w allows it)",
			path);
	snprintf(fresh, sizeof(fresh), "%s.XXXXXX", path);
	fd = mkostemp(fresh, O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno,
			"%s: cannot be rewritten: no file can be made beside it: %s", path,
			strerror(errno));
	rc = fill_file(fd, fresh, t, &st, err);
	if (!rc && rename(fresh, path))
		rc = err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (rc)
		unlink(fresh);
	return rc;
}

// If the path is a link, the file that it leads to is replaced, and the link stays.
static int rewrite(const struct scene *s, struct err *err)
{
	struct text was = {0}, now = {0};
	char path[PATH_MAX];
	int rc = realpath(s->path, path) ? 0 : -errno;

	if (rc)
		return err_set(err, rc, "%s: %s", s->path, strerror(-rc));
	rc = read_text(&was, path, err);
	if (!rc)
		rc = scene_migrate(s, was.text, was.size, &now.text, &now.size, err);
	if (!rc)
		rc = check_text(&now, s->path, err);
	if (!rc)
		rc = replace(path, &now, err);
	free(was.text);
	free(now.text);
	return rc;
}

int migrate_file(const char *scenario)
{
	struct scene *s = NULL;
	struct err err;
	int rc = check_name(scenario, &err);

	if (!rc)
		rc = scenario_load(&s, scenario, &(struct scene_opts){0}, &err);
	if (!rc && s->n_old)
		rc = rewrite(s, &err);
	if (rc)
		tell("%s", err.text);
	else if (!s->n_old)
		printf("%s: nothing to migrate\n", s->path);
	for (unsigned i = 0; !rc && i < s->n_old; i++)
		printf("%s:%u: %s is %s now\n", s->path, s->old[i].line, s->old[i].was,
			s->old[i].now);
	scene_free(s);
	return rc ? EXIT_INPUT : EXIT_DONE;
}
