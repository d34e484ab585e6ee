// SPDX-License-Identifier: BSD-3-Clause
// Folders for results.
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define RUNS      "runs/"
#define FILE_ROOM 64 // for a slash and the name of a file in the folder

// Makes a folder and all folders above it. `fresh`: the last one did not exist before.
static int make_all(const char *dir, bool *fresh, struct err *err)
{
	char path[PATH_SIZE];
	size_t n = strlen(dir);

	if (!n)
		return err_set(err, -EINVAL, "a folder's name is empty");
	if (n > PATH_SIZE - FILE_ROOM)
		return err_set(err, -ENAMETOOLONG,
			"%.100s...: a folder's name has %d bytes at most, this one %zu", dir,
			PATH_SIZE - FILE_ROOM, n);
	memcpy(path, dir, n + 1);
	*fresh = false;
	for (size_t i = 1; i <= n; i++) {
		if (path[i] != '/' && path[i])
			continue;
		path[i] = '\0';
		*fresh = mkdir(path, 0755) == 0;
		if (!*fresh && errno != EEXIST)
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

// Holds a folder, for two runs that write into one would leave files of both. Where a file system
// has no locks, nothing is held.
static int lock_folder(const char *dir, int *lock, struct err *err)
{
	*lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*lock < 0)
		return err_set(err, -errno, "%s: %s", dir, strerror(errno));
	if (flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	folder_leave(*lock);
	*lock = -1;
	return err_set(err, -EBUSY,
		"%s: another run is writing into this folder; --out DIR names another one", dir);
}

void folder_leave(int lock)
{
	if (lock >= 0)
		close(lock);
}

// Removes the old files of a folder that is taken by force.
static int clear(const char *dir, bool force, const char *const *names, unsigned n, struct err *err)
{
	bool empty = false;
	int code = is_empty(dir, &empty, err);

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

int folder_take(const char *dir, bool force, const char *const *names, unsigned n, int *lock,
	struct err *err)
{
	bool fresh;
	int code;

	*lock = -1;
	code = make_all(dir, &fresh, err);
	code = code ? code : lock_folder(dir, lock, err);
	code = code ? code : clear(dir, force, names, n, err);
	if (!code)
		return 0;
	folder_leave(*lock);
	*lock = -1;
	return code;
}

int folder_next(char **taken, const char *dir, int *lock, struct err *err)
{
	bool fresh = false;
	int code = 0;

	*lock = -1;
	for (unsigned i = 1; !code && !fresh; i++) {
		char *name;
		int n = i > 1 ? asprintf(&name, "%s.%u", dir, i) : asprintf(&name, "%s", dir);

		if (n < 0)
			return err_set(err, -ENOMEM, "no memory for a folder's name");
		code = make_all(name, &fresh, err);
		if (fresh)
			*taken = name;
		else
			free(name);
	}
	return code ? code : lock_folder(*taken, lock, err);
}

void folder_latest(const char *dir)
{
	static const char link[] = RUNS "latest";
	const size_t n = sizeof(link) - 1;
	char fresh[64];
	struct stat st;

	if (strncmp(dir, RUNS, strlen(RUNS)) != 0)
		return;
	if (!strncmp(dir, link, n) && (!dir[n] || dir[n] == '/')) // it would point to itself
		return;
	if (lstat(link, &st) == 0 && !S_ISLNK(st.st_mode))
		return;
	snprintf(fresh, sizeof(fresh), RUNS ".latest.%d", (int)getpid());
	if (symlink(dir + strlen(RUNS), fresh) < 0)
		return;
	if (rename(fresh, link) < 0)
		unlink(fresh);
}
