// SPDX-License-Identifier: BSD-3-Clause
// The bell: an eventfd, and a flag that spares its writers the system call.
#include "bell.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000u

int rt_bell_open(struct rt_bell *b)
{
	atomic_store(&b->rung, false);
	b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return b->fd < 0 ? -errno : 0;
}

void rt_bell_close(struct rt_bell *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
}

void rt_bell_ring(struct rt_bell *b)
{
	const uint64_t one = 1;

	if (!b || atomic_load(&b->rung) || atomic_exchange(&b->rung, true))
		return;
	while (write(b->fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

// Empties the descriptor before it clears the flag. If rt_bell_ring() is called in between, it need
// not write: the caller of this function looks at the work afterwards in any case.
bool rt_bell_wait(struct rt_bell *b, int other, uint64_t ns)
{
	struct pollfd p[] = {{.fd = b->fd, .events = POLLIN}, {.fd = other, .events = POLLIN}};
	const struct timespec ts = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
	uint64_t n;

	ppoll(p, sizeof(p) / sizeof(p[0]), &ts, NULL);
	if (read(b->fd, &n, sizeof(n)) != sizeof(n))
		return false;
	atomic_store(&b->rung, false);
	return true;
}
