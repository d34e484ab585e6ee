// SPDX-License-Identifier: BSD-3-Clause
// A process for each piece of work: what one run leaks, breaks or takes for its own stays with it.
#include "jobs.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct slot {
	pid_t pid; // 0: free
	unsigned i;
	int fd;
};

static int begin(const struct jobs *j, struct slot *slot, unsigned i)
{
	_Alignas(max_align_t) char result[JOBS_RESULT] = {0};
	int fd[2];

	if (pipe(fd) < 0)
		return -errno;
	fflush(NULL); // else the child would write again what is buffered
	*slot = (struct slot){.pid = fork(), .i = i, .fd = fd[0]};
	if (slot->pid == 0) {
		j->work(j->arg, i, result);
		_exit(write(fd[1], result, j->size) != (ssize_t)j->size);
	}
	close(fd[1]);
	if (slot->pid > 0)
		return 0;
	slot->pid = 0;
	close(fd[0]);
	return -errno;
}

static void end(const struct jobs *j, struct slot *slot)
{
	_Alignas(max_align_t) char result[JOBS_RESULT];
	ssize_t n;
	int status = 0;

	do
		n = read(slot->fd, result, j->size);
	while (n < 0 && errno == EINTR);
	close(slot->fd);
	while (waitpid(slot->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (n == (ssize_t)j->size && !status)
		j->done(j->arg, slot->i, true, result);
	else
		j->done(j->arg, slot->i, false, &status);
	slot->pid = 0;
}

// Waits for one of the running to write or die, and takes what has.
static unsigned reap(const struct jobs *j, struct slot *slot)
{
	struct pollfd p[JOBS_MAX];
	unsigned ended = 0;

	for (unsigned k = 0; k < j->at_once; k++)
		p[k] = (struct pollfd){.fd = slot[k].pid ? slot[k].fd : -1, .events = POLLIN};
	if (poll(p, j->at_once, -1) < 0)
		return 0; // a signal: the caller looks at `stop` and comes back
	for (unsigned k = 0; k < j->at_once; k++)
		if (slot[k].pid && p[k].revents) {
			end(j, &slot[k]);
			ended++;
		}
	return ended;
}

int jobs_run(const struct jobs *j)
{
	struct slot slot[JOBS_MAX] = {0};
	unsigned next = 0, running = 0;
	int rc = 0;

	assert(j->at_once >= 1 && j->at_once <= JOBS_MAX && j->size <= JOBS_RESULT);
	while (running || (!rc && next < j->n && !*j->stop)) {
		for (unsigned k = 0; k < j->at_once && !rc && next < j->n && !*j->stop; k++) {
			if (slot[k].pid)
				continue;
			rc = begin(j, &slot[k], next);
			next += !rc;
			running += !rc;
		}
		if (running)
			running -= reap(j, slot);
	}
	return rc;
}
