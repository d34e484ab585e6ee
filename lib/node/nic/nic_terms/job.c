// SPDX-License-Identifier: BSD-3-Clause
// The letters of a queue pair.
#include "job.h"

#include <stdlib.h>

struct nic_mail *nic_mail_new(unsigned outstanding)
{
	uint32_t letters = 2;
	struct nic_mail *m;

	// As many as may be outstanding, and as many that have ended and are still to be read.
	while (letters < 2 * outstanding)
		letters *= 2;
	m = calloc(1, sizeof(*m) + letters * sizeof(m->letter[0]));
	if (m)
		m->mask = letters - 1;
	return m;
}
