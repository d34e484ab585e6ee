// SPDX-License-Identifier: BSD-3-Clause
// An event of ours, which is always raised, keeps DPDK's interrupt thread in a handler of ours. It
// waits there until there is another event. Then it refuses new visits, and when the last one has
// ended it returns to DPDK, which calls the handlers of all events. Ours is called again, too:
// where no other event is left, visits are allowed again.
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

#define LOOK_NS 10000 // pause between two looks whether visits have ended, or may begin again

// How many visits each lcore is in, one within the other; the last number is that of all other
// threads.
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

// The epoll instance by which the thread waits for events: it says whether there are any. -1: it
// was not found.
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

// DPDK may call this handler before the handlers of other events that it has found: while there are
// any, visits stay refused.
static void hold_visits(void *arg)
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
	own.opened = intr_event(own.fd, hold_visits, NULL) && intr_met(&own.met);
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
