// SPDX-License-Identifier: BSD-3-Clause
// Where the files are that come with quench.
#include "session.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *session_find(const char *path, char *room, size_t size)
{
	char file[256];

	if (access(path, F_OK) == 0 || strchr(path, '/'))
		return path;
	snprintf(file, sizeof(file), "%s.yaml", path);
	return session_config(room, size, file) ? room : path;
}

bool session_config(char *path, size_t size, const char *file)
{
	static const char *const folders[] = {"config", "share/quench"};
	char exe[PATH_MAX] = "";
	const char *dir;
	bool found = false;

	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) <= 0)
		return false;
	dir = dirname(exe);
	for (unsigned i = 0; i < 2 && !found; i++) {
		snprintf(path, size, "%s/../%s/%s", dir, folders[i], file);
		found = access(path, R_OK) == 0;
	}
	return found;
}
