// SPDX-License-Identifier: BSD-3-Clause
// The terms on which parts meet in tests.
#pragma once

#include "transport/meet.h"

#define RETRY    (20 * PS_PER_MS)
#define DEADLINE (10 * PS_PER_S)
#define LEAD     (100 * PS_PER_MS)
#define SECTIONS 3

static const uint8_t digests[SECTIONS][HELLO_DIGEST] = {{1}, {2}, {3}};
static const uint8_t other_digests[SECTIONS][HELLO_DIGEST] = {{1}, {9}, {9}};

static inline struct meet_params params(uint32_t nonce, uint16_t top)
{
	return (struct meet_params){.nonce = nonce,
		.dilate = 1,
		.sections = SECTIONS,
		.digest = digests,
		.top = top,
		.retry = RETRY,
		.deadline = DEADLINE,
		.lead = LEAD};
}
