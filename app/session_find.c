// SPDX-License-Identifier: BSD-3-Clause
// Where the files are that come with quench.
#include "session.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is(const char *path, mode_t kind)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

// The folder of all files that come with quench: what QUENCH_DATA names, else share/quench in the
// program's own folder (a build folder), else where an installation has it, seen from the program,
// so that it may be moved as a whole.
static void data(char *path, size_t size)
{
	const char *named = getenv("QUENCH_DATA");
	char exe[PATH_MAX] = "";
	const char *dir;

	if (named && *named) {
		snprintf(path, size, "%s", named);
		return;
	}
	dir = readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0 ? dirname(exe) : ".";
	snprintf(path, size, "%s/share/quench", dir);
	if (!is(path, S_IFDIR))
		snprintf(path, size, "%s/" QUENCH_DATA_DIR, dir);
}

void session_config(char *path, size_t size, const char *file)
{
	char dir[PATH_MAX];

	data(dir, sizeof(dir));
	snprintf(path, size, "%s/config%s%s", dir, *file ? "/" : "", file);
}

const char *session_find(const char *path, char *room, size_t size)
{
	static const char *const ends[] = {".yaml", ""};

	if (is(path, S_IFREG) || *path == '/' || *path == '.')
		return path;
	for (unsigned i = 0; i < 2; i++) {
		char file[PATH_MAX];

		snprintf(file, sizeof(file), "%s%s", path, ends[i]);
		session_config(room, size, file);
		if (is(room, S_IFREG))
			return room;
	}
	return path;
}
