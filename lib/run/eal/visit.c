// SPDX-License-Identifier: BSD-3-Clause
// DPDK's interrupt thread waits in a handler of our own, which an event of our own brings it to, as
// long as no other event comes. Then it asks for quiet: new visits are refused, and once the last
// one has ended it goes back to DPDK, which calls the handlers of all events that there are. Our
// own event, which it has raised again, is among them, and visits go on if it is the last.
#define ALLOW_EXPERIMENTAL_API // rte_intr_instance_*, rte_intr_*_set
#include "visit.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <rte_interrupts.h>
#include <rte_lcore.h>

#include "intr.h"

#define LOOK_NS 10000 // for the end of the last visit

// Visits of an lcore, one in the other; the last are those of all other threads.
static struct {
	_Alignas(64) atomic_uint n;
} inside[RTE_MAX_LCORE + 1];
static atomic_bool quiet; // handlers run, or are about to

static struct {
	int fd;
	bool opened;
	sem_t met;
} own;

// Whether it is an epoll instance that watches our event.
static bool watches_ours(const char *fd)
{
	char path[64], line[128];
	bool does = false;
	FILE *f;
	int at;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%.16s", fd);
	f = fopen(path, "r");
	while (f && !does && fgets(line, sizeof(line), f))
		does = sscanf(line, "tfd: %d", &at) == 1 && at == own.fd; // proc(5)
	if (f)
		fclose(f);
	return does;
}

// The one by which the thread waits for its events, which says whether there are any. -1: it is not
// found.
static int find_epoll(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	int found = -1;

	while (dir && found < 0 && (e = readdir(dir)))
		if (*e->d_name != '.' && watches_ours(e->d_name))
			found = atoi(e->d_name);
	if (dir)
		closedir(dir);
	return found;
}

static void await_quiet(void)
{
	atomic_store(&quiet, true);
	for (unsigned i = 0; i <= RTE_MAX_LCORE; i++)
		while (atomic_load(&inside[i].n))
			nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
}

// What stands behind our event in DPDK's list is an event still.
static void hold(void *arg)
{
	struct pollfd others = {.fd = find_epoll(), .events = POLLIN};
	eventfd_t n;

	(void)arg;
	eventfd_read(own.fd, &n);
	if (others.fd >= 0 && !(atomic_load(&quiet) && poll(&others, 1, 0) > 0)) {
		atomic_store(&quiet, false);
		sem_post(&own.met);
		while (poll(&others, 1, -1) < 0 && errno == EINTR)
			;
		await_quiet();
	}
	eventfd_write(own.fd, 1);
}

int eal_visit_open(void)
{
	if (own.opened)
		return 0;
	sem_init(&own.met, 0, 0);
	own.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	own.opened = intr_event(own.fd, hold, NULL) && intr_met(&own.met);
	return own.opened ? 0 : -ETIMEDOUT;
}

static atomic_uint *mine(void)
{
	unsigned id = rte_lcore_id();

	return &inside[id < RTE_MAX_LCORE ? id : RTE_MAX_LCORE].n;
}

bool eal_visit_begin(void)
{
	atomic_fetch_add(mine(), 1);
	if (!atomic_load(&quiet))
		return true;
	eal_visit_end();
	return false;
}

void eal_visit_wait(void)
{
	while (!eal_visit_begin())
		nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
}

void eal_visit_end(void)
{
	atomic_fetch_sub(mine(), 1);
}
