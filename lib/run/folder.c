// SPDX-License-Identifier: BSD-3-Clause
// Folders for results.
#include "run/folder.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define FILE_ROOM 64 // for a slash and the name of a file in the folder

static int make_all(const char *dir, struct err *err)
{
	char path[PATH_SIZE];
	size_t n = strlen(dir);

	if (!n)
		return err_set(err, -EINVAL, "a folder's name is empty");
	if (n > PATH_SIZE - FILE_ROOM)
		return err_set(err, -ENAMETOOLONG,
			"%.100s...: a folder's name has %d octets at most, this one %zu", dir,
			PATH_SIZE - FILE_ROOM, n);
	memcpy(path, dir, n + 1);
	for (size_t i = 1; i <= n; i++) {
		if (path[i] != '/' && path[i])
			continue;
		path[i] = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return err_set(
				err, -errno, "%s: cannot be made: %s", path, strerror(errno));
		path[i] = i < n ? '/' : '\0';
	}
	return 0;
}

static int is_empty(const char *dir, bool *empty, struct err *err)
{
	DIR *d = opendir(dir);
	const struct dirent *e;

	if (!d)
		return err_set(err, -errno, "%s: %s", dir, strerror(errno));
	for (*empty = true; *empty && (e = readdir(d));)
		*empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	closedir(d);
	return 0;
}

int folder_take(const char *dir, bool force, const char *const *names, unsigned n, struct err *err)
{
	bool empty = false;
	int code = make_all(dir, err);

	if (!code)
		code = is_empty(dir, &empty, err);
	if (code || empty)
		return code;
	if (!force)
		return err_set(err, -EEXIST,
			"%s: not empty; --force replaces what an earlier run left there, --out DIR "
			"names another folder",
			dir);
	for (unsigned i = 0; i < n; i++) {
		char path[PATH_SIZE];

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		if (unlink(path) < 0 && errno != ENOENT)
			return err_set(
				err, -errno, "%s: cannot be replaced: %s", path, strerror(errno));
	}
	return 0;
}
