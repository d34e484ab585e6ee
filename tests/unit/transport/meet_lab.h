// SPDX-License-Identifier: BSD-3-Clause
// Links of parts that meet, for tests that lay cables between them.
#pragma once

#include <stdio.h>

#include "transport/meet.h"

// The end at part `here` of cable k to part `there`.
static inline void lab_name_link(struct meet_link *l, unsigned here, unsigned there, unsigned k)
{
	snprintf(l->port, sizeof(l->port), "p%u:p%u.%u", here, there, k);
	snprintf(l->peer_port, sizeof(l->peer_port), "p%u:p%u.%u", there, here, k);
}
