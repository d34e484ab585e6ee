// SPDX-License-Identifier: BSD-3-Clause
// A requester with a ring of its own, whose packets a test takes.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "transport/rc.h"

#define US PS_PER_US

static const struct rc_params plain = {
	.verb = RC_WRITE,
	.mtu = 1024,
	.window = 64,
	.ack_every = 4,
	.rto_ps = 100 * US,
	.retries = 3,
	.rnr_retries = 2,
	.recovery = RC_GO_BACK_N,
};

static struct rc_past past;
static struct rc_message ring[RC_MESSAGES];

static inline void setup_tx(
	struct rc_tx *tx, struct rc_cfg *cfg, const struct rc_params *p, uint32_t psn)
{
	assert_int_equal(rc_cfg_init(cfg, p), 0);
	past = (struct rc_past){0};
	rc_tx_init(tx, cfg, &past, psn);
	rc_tx_lend(tx, ring, RC_MESSAGES);
}

// Sends n packets at `now`; returns the last one.
static inline struct rc_segment send(struct rc_tx *tx, unsigned n, tstamp now)
{
	struct rc_segment s = {0};

	while (n--) {
		assert_true(rc_tx_ready(tx));
		rc_tx_next(tx, &s, now);
	}
	return s;
}

static inline void assert_segment(
	const struct rc_segment *s, uint8_t opcode, uint32_t psn, uint32_t payload, bool ack_req)
{
	assert_int_equal(s->opcode, opcode);
	assert_int_equal(s->psn, psn);
	assert_int_equal(s->payload, payload);
	assert_int_equal(s->ack_req, ack_req);
}
