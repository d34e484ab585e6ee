// SPDX-License-Identifier: BSD-3-Clause
// Reading the key of the parts of a scenario.
#include "key.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST 1024 // bytes of a key
#define LINE 2    // of its line end

// Reads a whole file, up to `most` bytes; -errno.
static ssize_t read_all(int fd, char *text, size_t most)
{
	size_t n = 0;
	ssize_t more = 1;

	while (more > 0 && n < most) {
		more = read(fd, text + n, most - n);
		n += more > 0 ? (size_t)more : 0;
	}
	return more < 0 ? -errno : (ssize_t)n;
}

// An editor or a shell ends the line; whoever copies the file by other means may not.
static size_t without_line_end(const char *text, size_t n)
{
	if (n && text[n - 1] == '\n')
		n -= n > 1 && text[n - 2] == '\r' ? 2 : 1;
	return n;
}

static int key_from(struct hello_key *key, int fd, const char *path, struct err *err)
{
	char text[MOST + LINE + 1];
	ssize_t n;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(err, -errno, "--parts-key %s: %s", path, strerror(errno));
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return err_set(err, -EINVAL,
			"--parts-key %s: others than its owner may use this file (mode %03o); "
			"chmod 600 %s",
			path, (unsigned)st.st_mode & 0777, path);
	n = read_all(fd, text, sizeof(text));
	if (n < 0)
		return err_set(err, (int)n, "--parts-key %s: %s", path, strerror((int)-n));
	n = (ssize_t)without_line_end(text, (size_t)n);
	if (n && n <= MOST)
		hello_key_make(key, text, (size_t)n);
	explicit_bzero(text, sizeof(text));
	if (n && n <= MOST)
		return 0;
	return err_set(err, -EINVAL,
		"--parts-key %s: %s; "
		"a key has 1 to %d bytes, as `openssl rand -base64 32` makes one",
		path, n ? "it is too long" : "it is empty", MOST);
}

int key_read(struct hello_key *key, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), rc;

	if (fd < 0)
		return err_set(err, -errno, "--parts-key %s: %s", path, strerror(errno));
	rc = key_from(key, fd, path, err);
	close(fd);
	return rc;
}
