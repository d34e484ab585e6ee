// SPDX-License-Identifier: BSD-3-Clause
// The scenarios that come with quench, by the names that they are run by.
#include "bundled.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session.h"

#define END ".yaml"

static bool is_scenario(const char *name)
{
	size_t n = strlen(name), end = strlen(END);

	return n > end && !strcmp(name + n - end, END);
}

static int is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

// The scenarios of a folder, by the names that they are run by: the file's without .yaml, behind
// the names of the folders that it is in.
static unsigned each_under(const char *under, bundled_see *see, void *arg)
{
	char path[PATH_MAX];
	struct dirent **e;
	unsigned seen = 0;
	int n;

	session_config(path, sizeof(path), under);
	n = scandir(path, &e, is_shown, alphasort);
	for (int i = 0; i < n; i++) {
		char name[PATH_MAX];

		snprintf(name, sizeof(name), "%s%s%s", under, *under ? "/" : "", e[i]->d_name);
		free(e[i]);
		if (!is_scenario(name)) {
			seen += each_under(name, see, arg);
			continue;
		}
		session_config(path, sizeof(path), name);
		name[strlen(name) - strlen(END)] = 0;
		see(arg, name, path);
		seen++;
	}
	if (n >= 0)
		free(e);
	return seen;
}

unsigned bundled_each(bundled_see *see, void *arg)
{
	return each_under("", see, arg);
}

static void look(void *arg, const char *name, const char *path)
{
	(void)path;
	near_see(arg, name);
}

void bundled_hint(int rc, const char *scenario, struct err *err)
{
	char wanted[NEAR_NAME], hint[NEAR_NAME + 32], room[PATH_MAX];
	struct near n = near_to(wanted);
	size_t len = strlen(err->text);

	if (rc != -ENOENT || !access(session_find(scenario, room, sizeof(room)), F_OK))
		return;
	snprintf(wanted, sizeof(wanted), "%s", scenario);
	if (is_scenario(wanted))
		wanted[strlen(wanted) - strlen(END)] = 0;
	bundled_each(look, &n);
	snprintf(err->text + len, sizeof(err->text) - len, "%s",
		near_hint(&n, "; `quench run --list` shows those that come with quench", hint,
			sizeof(hint)));
}
