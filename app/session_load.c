// SPDX-License-Identifier: BSD-3-Clause
// A scenario by its path, by its name, or from standard input.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bundled.h"
#include "report/report.h"
#include "session.h"

static const char standard_input[] = "stdin"; // known by its address: a file may have this name

const char *session_name(const char *word)
{
	return !strcmp(word, "-") ? standard_input : word;
}

// Of this process, and kept to its end. What is longer than a scenario can be is left unread.
static struct {
	char *text;
	size_t size;
} input;

static int read_input(struct err *err)
{
	const size_t most = YAMLDOC_MAX_BYTES + 1;
	ssize_t n = 1;

	if (input.text)
		return 0;
	input.text = malloc(most);
	if (!input.text)
		return err_set(err, -ENOMEM, "out of memory");
	while (n && input.size < most) {
		n = read(STDIN_FILENO, input.text + input.size, most - input.size);
		if (n < 0 && errno != EINTR) {
			free(input.text);
			input.text = NULL;
			return err_set(err, -errno, "<stdin>: %s", strerror(errno));
		}
		input.size += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int load_input(struct scene **scene, const struct scene_opts *opts, struct err *err)
{
	struct scene_opts o = *opts;
	int rc = read_input(err);

	o.text = input.text;
	o.size = input.size;
	return rc ? rc : scene_load(scene, "<stdin>", &o, err);
}

static int load_file(
	struct scene **scene, const char *name, const struct scene_opts *opts, struct err *err)
{
	char room[PATH_MAX];
	int rc = scene_load(scene, session_find(name, room, sizeof(room)), opts, err);

	bundled_hint(rc, name, err);
	return rc;
}

int session_load(
	struct scene **scene, const char *name, const struct scene_opts *opts, struct err *err)
{
	int rc = name == standard_input ? load_input(scene, opts, err)
					: load_file(scene, name, opts, err);

	if (rc)
		return rc;
	rc = report_expects_check(*scene, err);
	if (rc) {
		scene_free(*scene);
		*scene = NULL;
	}
	return rc;
}
