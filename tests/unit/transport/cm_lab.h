// SPDX-License-Identifier: BSD-3-Clause
// A connection in any state, and a peer that talks to it. Include after cmocka.h.
#pragma once

#include "transport/cm.h"

#define LOCAL_ID  0x1001
#define REMOTE_ID 0x2002
#define GUID      0x0200000000000001
#define PEER_GUID 0x0200000000000002
#define SERVICE   (CM_SERVICE_TCP | 4791)
#define LIFE      (10 * PS_PER_US)
#define WAIT      (cm_time(8) + 2 * LIFE) // 1048.576 us is the code of 1 ms

static const struct cm_params params = {
	.ca_guid = GUID,
	.life_ps = LIFE,
	.response_ps = PS_PER_MS,
	.delay_ps = 5 * PS_PER_US,
	.longest_ps = PS_PER_S,
	.retries = 3,
	.mtu = 1024,
};

#define OUR_QP                                                                                     \
	{                                                                                          \
		.qpn = 0x111111, .psn = 0xabcdef, .responder_resources = 16, .initiator_depth = 4, \
		.retry_count = 7, .rnr_retry_count = 6, .flow_control = true,                      \
	}

static const struct cm_qp our_qp = OUR_QP;

static const struct cm_call call = {
	.service_id = SERVICE,
	.qp = OUR_QP,
	.local_gid = {[10] = 0xff, 0xff, 10, 0, 0, 1},
	.remote_gid = {[10] = 0xff, 0xff, 10, 0, 0, 2},
	.traffic_class = 0x68,
	.hop_limit = 64,
	.data = "hello",
	.data_len = 5,
};

static struct cm_cfg cfg;

static inline int setup(void **state)
{
	(void)state;
	return cm_cfg_init(&cfg, &params);
}

// A message of the peer, to a connection that it knows.
static inline struct cm_msg peer_says(enum cm_kind kind)
{
	struct cm_msg m = {
		.kind = (uint8_t)kind, .tid = 77, .local_id = REMOTE_ID, .remote_id = LOCAL_ID};

	switch (kind) {
	case CM_REQ:
		m.remote_id = 0;
		m.u.req = (struct cm_req){.service_id = SERVICE,
			.ca_guid = PEER_GUID,
			.qpn = 0x222222,
			.psn = 0x123456,
			.responder_resources = 2,
			.initiator_depth = 32,
			.local_response_timeout = 9,
			.retry_count = 5,
			.rnr_retry_count = 4,
			.mtu = 3,
			.max_cm_retries = 2};
		m.u.req.primary.local_ack_timeout = 4;
		break;
	case CM_REP:
		m.u.rep = (struct cm_rep){.ca_guid = PEER_GUID,
			.qpn = 0x222222,
			.psn = 0x123456,
			.responder_resources = 2,
			.initiator_depth = 32,
			.target_ack_delay = 3,
			.rnr_retry_count = 4};
		break;
	case CM_REJ:
		m.u.rej = (struct cm_rej){.reason = CM_REJ_CONSUMER, .answered = CM_ANSWERS_OTHER};
		break;
	case CM_DREQ:
		m.u.dreq_qpn = our_qp.qpn;
		break;
	default:
		break;
	}
	return m;
}

static inline enum cm_event hears(struct cm *cm, enum cm_kind kind, tstamp now)
{
	const struct cm_msg m = peer_says(kind);

	return cm_rx(cm, &m, now);
}

static inline enum cm_event hears_mra(
	struct cm *cm, enum cm_answered answered, unsigned code, tstamp now)
{
	struct cm_msg m = peer_says(CM_MRA);

	m.u.mra = (struct cm_mra){.answered = (uint8_t)answered, .service_timeout = (uint8_t)code};
	return cm_rx(cm, &m, now);
}

// The message that is owed, which is taken; CM_NO_MSG.
static inline unsigned sends(struct cm *cm)
{
	struct cm_msg m = {0};
	bool wanted = cm_wants_tx(cm);

	assert_int_equal(cm_tx(cm, &m), wanted);
	assert_false(cm_wants_tx(cm));
	return m.kind;
}

#define PASSIVE 0x100 // established and what follows, at the side that was asked

// A connection in a state, at 0, with nothing owed. By the arrows of the specification.
static inline struct cm in_state(unsigned where)
{
	unsigned state = where & 0xff;
	bool active = state >= CM_ESTABLISHED ? !(where & PASSIVE) : state < CM_REQ_RCVD;
	struct cm cm;

	cm_init(&cm, &cfg, LOCAL_ID);
	if (state == CM_IDLE)
		return cm;
	if (active && state != CM_LISTEN) {
		assert_int_equal(cm_connect(&cm, &call, 0), CM_EV_NONE);
		if (state == CM_MRA_REQ_RCVD)
			assert_int_equal(hears_mra(&cm, CM_ANSWERS_REQ, 10, 0), CM_EV_LONGER);
		if (state >= CM_REP_RCVD)
			assert_int_equal(hears(&cm, CM_REP, 0), CM_EV_REPLY);
		if (state == CM_MRA_REP_SENT)
			assert_int_equal(cm_mra(&cm, 10), CM_EV_NONE);
		if (state >= CM_ESTABLISHED)
			assert_int_equal(cm_ready(&cm), CM_EV_UP);
	} else {
		assert_int_equal(cm_listen(&cm, SERVICE), CM_EV_NONE);
		if (state != CM_LISTEN)
			assert_int_equal(hears(&cm, CM_REQ, 0), CM_EV_REQUEST);
		if (state == CM_MRA_REQ_SENT)
			assert_int_equal(cm_mra(&cm, 10), CM_EV_NONE);
		if (state >= CM_REP_SENT)
			assert_int_equal(cm_accept(&cm, &our_qp, "hi", 2, 0), CM_EV_NONE);
		if (state == CM_MRA_REP_RCVD)
			assert_int_equal(hears_mra(&cm, CM_ANSWERS_REP, 10, 0), CM_EV_LONGER);
		if (state >= CM_ESTABLISHED)
			assert_int_equal(hears(&cm, CM_RTU, 0), CM_EV_UP);
	}
	if (state == CM_DREQ_SENT)
		assert_int_equal(cm_disconnect(&cm, 0), CM_EV_NONE);
	if (state == CM_DREQ_RCVD || state == CM_TIMEWAIT)
		assert_int_equal(hears(&cm, CM_DREQ, 0), CM_EV_PARTING);
	if (state == CM_TIMEWAIT)
		assert_int_equal(cm_disconnect(&cm, 0), CM_EV_DOWN);
	assert_int_equal(cm.state, state);
	assert_int_equal(cm.active, active && state != CM_LISTEN);
	cm.owes = false;
	return cm;
}
