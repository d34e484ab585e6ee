// SPDX-License-Identifier: BSD-3-Clause
// The owners of a file and of the folders above it, as they are reached without symbolic links.
#include "trust.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Returns the user who became root by sudo, else root.
static uid_t sudo_user(void)
{
	const char *text = getenv("SUDO_UID");
	char *end = NULL;
	unsigned long uid = text ? strtoul(text, &end, 10) : 0;

	return text && end != text && !*end && uid < UINT32_MAX ? (uid_t)uid : 0;
}

static bool is_trusted(uid_t user)
{
	return user == 0 || user == geteuid() || user == sudo_user();
}

// Returns whether a group can be trusted. The own group of a user has the user's number.
static bool is_trusted_group(gid_t group)
{
	return is_trusted((uid_t)group);
}

static void name_user(uid_t user, char *name, size_t size)
{
	const struct passwd *of = getpwuid(user);

	if (of)
		snprintf(name, size, "user %s", of->pw_name);
	else
		snprintf(name, size, "user %u", (unsigned)user);
}

static bool is_safe(const struct stat *st, const char *path, char *why, size_t size)
{
	bool folder = S_ISDIR(st->st_mode), all = st->st_mode & S_IWOTH;
	char name[64];

	if (!is_trusted(st->st_uid)) {
		name_user(st->st_uid, name, sizeof(name));
		snprintf(why, size, "%s owns %s", name, path);
		return false;
	}
	if (folder && st->st_mode & S_ISVTX)
		return true;
	if (all || (st->st_mode & S_IWGRP && !is_trusted_group(st->st_gid))) {
		snprintf(why, size, "%s may write to %s", all ? "all users" : "others", path);
		return false;
	}
	return true;
}

// Writes the path of an open file, without symbolic links.
static bool path_of(int fd, char *path)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	return *path == '/';
}

// Checks the owner and the mode of a file and of all folders above it.
static bool all_safe(int fd, char *path, char *why, size_t size)
{
	struct stat st;

	if (fstat(fd, &st) || !is_safe(&st, path, why, size))
		return false;
	for (char *slash; (slash = strrchr(path, '/'));) {
		slash[slash == path] = '\0'; // "/" is the last
		if (stat(path, &st) || !is_safe(&st, path, why, size))
			return false;
		if (slash == path)
			break;
	}
	return true;
}

bool trust_file(int fd, char *why, size_t size)
{
	char path[PATH_MAX];

	if (geteuid() != 0)
		return true;
	snprintf(why, size, "its folders are not known");
	return path_of(fd, path) && all_safe(fd, path, why, size);
}

// Nobody else can replace the file at a trusted path. So the loader, which opens it again, finds
// the same file.
int trust_load(void **object, const char *file, bool all, struct err *err)
{
	char path[PATH_MAX], why[PATH_MAX + 128];
	int rc = infile_check(file, err), fd;

	*object = NULL;
	if (rc)
		return rc;
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "%s: %s", file, strerror(errno));
	if (all || geteuid() != 0 || !path_of(fd, path))
		snprintf(path, sizeof(path), "%s", file);
	if (!all && !trust_file(fd, why, sizeof(why)))
		rc = err_set(err, -EPERM, "%s: %s" TRUST_HINT, file, why);
	// NOW: a symbol that is missing is an error here, and not a crash in the run. LOCAL: other
	// objects see none of its symbols.
	if (!rc)
		*object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!rc && !*object)
		rc = err_set(err, -EINVAL, "%s", dlerror());
	close(fd);
	return rc;
}
