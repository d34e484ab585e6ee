// SPDX-License-Identifier: BSD-3-Clause
// One process for each job: a leak, a crash or a changed global of one run does not affect the
// others.
#include "jobs.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "out/out.h"

struct slot {
	pid_t pid; // 0: free
	unsigned i;
	int fd;
	char *got; // its output so far: text, then the result
	size_t n, room;
};

static int begin_work(const struct jobs *j, struct slot *slot, unsigned i)
{
	_Alignas(max_align_t) char result[JOBS_RESULT] = {0};
	int fd[2];

	if (pipe(fd) < 0)
		return -errno;
	fflush(NULL); // else the child would write again what is buffered
	*slot = (struct slot){.pid = fork(), .i = i, .fd = fd[0]};
	if (slot->pid == 0) {
		struct err ignored;
		struct out o;

		j->work(j->arg, i, result, fd[1]);
		if (out_adopt(&o, fd[1], "the pipe", &ignored))
			_exit(1);
		out_put(&o, result, j->size);
		_exit(out_close(&o, &ignored) != 0);
	}
	close(fd[1]);
	if (slot->pid > 0)
		return 0;
	slot->pid = 0;
	close(fd[0]);
	return -errno;
}

static void end_work(const struct jobs *j, struct slot *slot)
{
	_Alignas(max_align_t) char result[JOBS_RESULT];
	bool whole = slot->n >= j->size;
	size_t len = whole ? slot->n - j->size : 0;
	int status = 0;

	close(slot->fd);
	while (waitpid(slot->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (whole && !status) {
		memcpy(result, slot->got + len, j->size);
		slot->got[len] = 0;
		j->done(j->arg, slot->i, true, result, slot->got, len);
	} else {
		j->done(j->arg, slot->i, false, &status, "", 0);
	}
	free(slot->got);
	slot->pid = 0;
}

// Takes output that has arrived. False: it has ended, or memory is out; then the process counts as
// dead.
static bool take_output(struct slot *slot)
{
	ssize_t n;

	if (slot->room - slot->n < JOBS_RESULT) {
		char *more = realloc(slot->got, 2 * slot->room + 2 * JOBS_RESULT);

		if (!more) {
			slot->n = 0;
			return false;
		}
		slot->got = more;
		slot->room = 2 * slot->room + 2 * JOBS_RESULT;
	}
	n = read(slot->fd, slot->got + slot->n, slot->room - slot->n);
	slot->n += n > 0 ? (size_t)n : 0;
	return n > 0 || (n < 0 && errno == EINTR);
}

// Waits for some of the running to write or end, and takes what there is. How many have ended.
static unsigned reap(const struct jobs *j, struct slot *slot)
{
	struct pollfd p[JOBS_MAX];
	unsigned ended = 0;

	for (unsigned k = 0; k < j->at_once; k++)
		p[k] = (struct pollfd){.fd = slot[k].pid ? slot[k].fd : -1, .events = POLLIN};
	if (poll(p, j->at_once, -1) < 0)
		return 0; // a signal: the caller looks at `stop` and comes back
	for (unsigned k = 0; k < j->at_once; k++)
		if (slot[k].pid && p[k].revents && !take_output(&slot[k])) {
			end_work(j, &slot[k]);
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
			rc = begin_work(j, &slot[k], next);
			next += !rc;
			running += !rc;
		}
		if (running)
			running -= reap(j, slot);
	}
	return rc;
}

unsigned jobs_processors(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n < 1 ? 1 : n > JOBS_MAX ? JOBS_MAX : (unsigned)n;
}
