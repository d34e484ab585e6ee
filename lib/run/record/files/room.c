// SPDX-License-Identifier: BSD-3-Clause
// Room on the disk for the files that the end of a run writes: taken at its beginning, so that a
// disk which fills up meanwhile has it.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "int.h"

// The most bytes that summary.json, marking.csv and the files of distributions take. Measured:
// config/ needs half of it.
#define OF_ANY     65536u
#define OF_PORT    8192u
#define OF_FLOW    4096u
#define OF_BUFFER  256u // bytes of a switch's buffer for each byte of qlen.txt
#define HDR_FACTOR 2u   // with distributions as files

static off_t end_bytes(const struct record *r)
{
	uint64_t n = OF_ANY + (uint64_t)r->n_ports * OF_PORT + (uint64_t)r->n_flows * OF_FLOW;

	if (r->dists)
		n *= HDR_FACTOR;
	for (unsigned i = 0; i < r->scene->n_nodes; i++)
		if (r->scene->node[i].kind == SCENE_SW)
			n += r->scene->node[i].u.sw.buffer_bytes / OF_BUFFER;
	return (off_t)n;
}

// Some file systems cannot promise room. On these the bytes are written.
static int write_zeros(int fd, off_t bytes)
{
	static const char zeros[65536];

	for (off_t at = 0; at < bytes;) {
		size_t n = bytes - at < (off_t)sizeof(zeros) ? (size_t)(bytes - at) : sizeof(zeros);
		ssize_t done = pwrite(fd, zeros, n, at);

		if (done < 0 && errno != EINTR)
			return -errno;
		at += done > 0 ? done : 0;
	}
	return 0;
}

int record_room_take(int fd, off_t bytes)
{
	int rc = fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, bytes) < 0 ? -errno : 0;

	if (rc == -EOPNOTSUPP || rc == -ENOSYS)
		rc = write_zeros(fd, bytes);
	return rc == -ENOSPC || rc == -EDQUOT ? rc : 0;
}

// A file without a name, which goes with the process.
static int open_nameless(const char *dir)
{
	char path[4096];
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "%s/.room-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int record_room_open(struct record *r, struct err *err)
{
	char need[32];
	int rc;

	r->kept = open_nameless(r->dir);
	rc = r->kept < 0 ? -errno : record_room_take(r->kept, end_bytes(r));
	if (!rc)
		return 0;
	return err_set(err, rc, "%s: no room for results, which take up to %s: %s", r->dir,
		units_format(UNITS_SIZE, (uint64_t)end_bytes(r) / 1000 * 1000, need, sizeof(need)),
		strerror(-rc));
}

void record_room_close(struct record *r)
{
	if (r->kept >= 0)
		close(r->kept);
	r->kept = -1;
}
