// SPDX-License-Identifier: BSD-3-Clause
// gnuplot as a process of its own: started without a shell in the folder of the figure, with its
// error messages.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "int.h"

extern char **environ;

#define SAID 4096 // bytes of its complaints that are kept, from their end

// The last line that is not empty, which has the error.
static char *last_line(char *text)
{
	size_t n = strlen(text);
	char *line;

	while (n && strchr(" \n\r\t", text[n - 1]))
		text[--n] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	return line + strspn(line, " \t");
}

static void read_end(int fd, char said[static SAID])
{
	size_t n = 0;
	char buf[512];
	ssize_t got;

	while ((got = read(fd, buf, sizeof(buf))) > 0 || (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		if (n + (size_t)got >= SAID) {
			size_t lost = n + (size_t)got - (SAID - 1);

			memmove(said, said + lost, n - lost);
			n -= lost;
		}
		memcpy(said + n, buf, (size_t)got);
		n += (size_t)got;
	}
	said[n] = '\0';
}

// Runs gnuplot. Returns its exit status as waitpid() does, and the end of its stderr in `said`;
// -errno if it could not be started.
static int run_gnuplot(const char *dir, char *const argv[], char said[static SAID])
{
	posix_spawn_file_actions_t actions;
	int ends[2], status = 0, rc;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	rc = posix_spawn_file_actions_init(&actions);
	if (!rc) {
		posix_spawn_file_actions_addchdir_np(&actions, dir);
		posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
		posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
		posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
		rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	if (!rc)
		read_end(ends[0], said);
	close(ends[0]);
	while (!rc && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return rc ? -rc : status;
}

static const struct {
	enum paper_format format;
	const char *name;
} pictures[] = {{PAPER_SVG, "svg"}, {PAPER_PNG, "png"}};

#define FORMATS (sizeof(pictures) / sizeof(pictures[0]))

// The first picture that was asked for and is not there; NULL: all are.
static const char *missing_picture(const char *dir, const char *stem, unsigned formats)
{
	for (unsigned i = 0; i < FORMATS; i++) {
		char path[4096];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s.%s", dir, stem, pictures[i].name);
		if ((formats & pictures[i].format) && (stat(path, &st) || !st.st_size))
			return pictures[i].name;
	}
	return NULL;
}

// Removes the unfinished pictures of a gnuplot that failed.
static void remove_pictures(const char *dir, const char *stem, unsigned formats)
{
	for (unsigned i = 0; i < FORMATS; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s.%s", dir, stem, pictures[i].name);
		if (formats & pictures[i].format)
			unlink(path);
	}
}

static int tell_failure(const char *dir, const char *stem, int status, char *said, struct err *err)
{
	char line[512], how[64];

	printable(line, sizeof(line), last_line(said));
	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "exit status %d", WEXITSTATUS(status));
	return err_set(err, -EIO, "gnuplot failed on %s/%s.gp: %s%s%s", dir, stem, how,
		*line ? ": " : "", line);
}

int paper_draw(const char *dir, const char *stem, unsigned formats, struct err *err)
{
	char script[256], what[64] = "formats='", said[SAID];
	char *argv[] = {"gnuplot", "--default-settings", "-e", what, script, NULL};
	const char *missing;
	int status;

	for (unsigned i = 0; i < FORMATS; i++)
		if (formats & pictures[i].format) {
			strcat(what, pictures[i].name);
			strcat(what, " ");
		}
	strcat(what, "'");
	snprintf(script, sizeof(script), "%s.gp", stem);
	remove_pictures(dir, stem, formats);
	status = run_gnuplot(dir, argv, said);
	if (status == -ENOENT)
		return err_set(err, -ENOENT,
			"gnuplot is not installed; "
			"install the package gnuplot-nox, or run `gnuplot %s.gp` where it is",
			stem);
	if (status < 0)
		return err_set(err, status, "gnuplot cannot be started: %s", strerror(-status));
	if (status) {
		remove_pictures(dir, stem, formats);
		return tell_failure(dir, stem, status, said, err);
	}
	missing = missing_picture(dir, stem, formats);
	if (missing)
		return err_set(err, -EIO, "gnuplot left no %s/%s.%s", dir, stem, missing);
	return 0;
}
