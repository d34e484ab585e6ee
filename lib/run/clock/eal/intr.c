// SPDX-License-Identifier: BSD-3-Clause
// Puts DPDK's interrupt thread to sleep while EAL ends: it gets an event of ours whose handler
// never returns. An alarm would not do, because EAL's end waits for the handlers of alarms.
#define ALLOW_EXPERIMENTAL_API // rte_intr_instance_*, rte_intr_*_set
#include "intr.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <rte_interrupts.h>

#define LONGEST_S 2 // that a handler of a driver may take before nobody waits for it

bool intr_event(int fd, void (*handler)(void *arg), void *arg)
{
	struct rte_intr_handle *h = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	bool registered = h && fd >= 0 && !rte_intr_fd_set(h, fd) &&
			  !rte_intr_type_set(h, RTE_INTR_HANDLE_EXT) &&
			  !rte_intr_callback_register(h, handler, arg);

	rte_intr_instance_free(h); // EAL has a copy
	return registered;
}

bool intr_met(sem_t *met)
{
	struct timespec until;
	int rc;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LONGEST_S;
	while ((rc = sem_timedwait(met, &until)) != 0 && errno == EINTR)
		;
	return !rc;
}

static void sleep_for_ever(void *parked)
{
	sem_post(parked);
	for (;;)
		pause();
}

void intr_park(void)
{
	static sem_t parked; // of a thread that outlives this call

	sem_init(&parked, 0, 0);
	if (intr_event(eventfd(1, EFD_CLOEXEC), sleep_for_ever, &parked))
		intr_met(&parked);
}
