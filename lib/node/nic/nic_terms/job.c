// SPDX-License-Identifier: BSD-3-Clause
// The letters of a queue pair.
#include "job.h"

#include <stdlib.h>

#define CAUSES  4
#define REPEATS 128 // frames that leave in the time by which a sender may be ahead

struct nic_mail *nic_mail_new(unsigned outstanding, bool repeats)
{
	uint32_t letters = 2, causes = repeats ? REPEATS : CAUSES;
	struct nic_mail *m;

	// As many as may be outstanding, and as many that have ended and are still to be read.
	while (letters < 2 * outstanding)
		letters *= 2;
	m = calloc(1, sizeof(*m) + letters * (sizeof(m->letter[0]) + causes * sizeof(*m->why)));
	if (!m)
		return NULL;
	m->mask = letters - 1;
	m->causes = causes;
	m->why = (struct nic_causes *)&m->letter[letters];
	return m;
}
