// SPDX-License-Identifier: BSD-3-Clause
// An array that grows in a file without a name, mapped into memory.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "int.h"

#define FIRST (64ull << 10)
#define STEP  (64ull << 20) // it doubles up to this, and then grows by as much

static int open_nameless(const char *folder)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/quench-job-XXXXXX", folder) < 0)
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

// Blocks are allocated here, since a write into a page that finds no block would kill the process.
static int grow(struct goal_spill *s, uint64_t need)
{
	uint64_t room = s->room ? s->room : FIRST;
	void *at;

	while (room < need)
		room += room < STEP ? room : STEP;
	errno = posix_fallocate(s->fd, (off_t)s->room, (off_t)(room - s->room));
	if (errno)
		return -1;
	goal_spill_forget(s);
	at = s->room ? mremap(s->at, s->room, room, MREMAP_MAYMOVE)
		     : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (at == MAP_FAILED)
		return -1;
	s->at = at;
	s->room = room;
	return 0;
}

void *goal_spill_add(struct goal_spill *s, const char *folder, uint64_t bytes)
{
	void *added;

	if (s->fd < 0)
		s->fd = open_nameless(folder);
	if (s->fd < 0 || (s->bytes + bytes > s->room && grow(s, s->bytes + bytes)))
		return NULL;
	added = (char *)s->at + s->bytes;
	s->bytes += bytes;
	return added;
}

void goal_spill_forget(const struct goal_spill *s)
{
	if (s->room)
		madvise(s->at, s->room, MADV_DONTNEED);
}

void goal_spill_fini(struct goal_spill *s)
{
	if (s->room)
		munmap(s->at, s->room);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct goal_spill){.fd = -1};
}
