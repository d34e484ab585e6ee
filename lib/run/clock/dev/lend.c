// SPDX-License-Identifier: BSD-3-Clause
// Which real-time signals a driver has taken: those that are handled again when it has been asked.
#include "lend.h"

static int most(void)
{
	return SIGRTMAX - SIGRTMIN < DEV_LEND_MOST ? SIGRTMAX : SIGRTMIN + DEV_LEND_MOST - 1;
}

void dev_lend_signals(struct dev_lend *l)
{
	const struct sigaction none = {.sa_handler = SIG_DFL};

	for (int sig = SIGRTMIN; sig <= most(); sig++)
		sigaction(sig, &none, &l->was[sig - SIGRTMIN]);
}

void dev_lend_end(const struct dev_lend *l)
{
	for (int sig = SIGRTMIN; sig <= most(); sig++) {
		struct sigaction now;

		sigaction(sig, NULL, &now);
		if (now.sa_handler == SIG_DFL)
			sigaction(sig, &l->was[sig - SIGRTMIN], NULL);
	}
}
