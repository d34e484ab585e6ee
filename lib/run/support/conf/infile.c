// SPDX-License-Identifier: BSD-3-Clause
// Input files: opens a regular file, or says in one line what kind of file it is.
#include "infile.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	default:
		return "a device";
	}
}

int infile_check_or(const char *path, const char *other, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0 || access(path, R_OK) < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL,
			"%s: Is %s; a file is wanted%s", path, kind(st.st_mode),
			S_ISDIR(st.st_mode) ? "" : other);
	return 0;
}

int infile_check(const char *path, struct err *err)
{
	return infile_check_or(path, "", err);
}
