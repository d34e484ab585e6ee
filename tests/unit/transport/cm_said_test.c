// SPDX-License-Identifier: BSD-3-Clause
// Communication manager of one connection: the contents of its messages, the facts that it learns
// from the peer's, and the messages that it refuses.
#include "transport/cm.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "bytes.h"
#include "cm_lab.h"
#include "frame/frame.h"

static void times_that_the_peer_asks_for_have_bounds(void **state)
{
	struct cm cm = in_state(CM_LISTEN);
	struct cm_msg m = peer_says(CM_REQ);

	(void)state;
	m.u.req.local_response_timeout = 0; // 4.096 us, less than there and back
	m.u.req.primary.local_ack_timeout = 0;
	cm_rx(&cm, &m, 0);
	assert_int_equal(cm.wait_ps, 2 * LIFE);
	assert_int_equal(cm.timewait_ps, 2 * LIFE);
	cm = in_state(CM_LISTEN);
	m.u.req.local_response_timeout = 31; // 2.4 hours
	m.u.req.primary.local_ack_timeout = 31;
	cm_rx(&cm, &m, 0);
	assert_int_equal(cm.wait_ps, PS_PER_S);
	assert_int_equal(cm.timewait_ps, PS_PER_S);
	cm = in_state(CM_REQ_SENT);
	m = peer_says(CM_REP);
	m.u.rep.target_ack_delay = 31;
	cm_rx(&cm, &m, 0);
	assert_int_equal(cm.timewait_ps, 2 * LIFE + PS_PER_S);
}

static void a_request_says_what_it_should(void **state)
{
	struct cm cm;
	struct cm_msg m, again;

	(void)state;
	cm_init(&cm, &cfg, LOCAL_ID);
	cm_connect(&cm, &call, 0);
	assert_true(cm_tx(&cm, &m));
	assert_false(cm_tx(&cm, &again));
	assert_int_equal(m.local_id, LOCAL_ID);
	assert_int_equal(m.remote_id, 0);
	assert_int_equal(m.u.req.service_id, SERVICE);
	assert_int_equal(m.u.req.ca_guid, GUID);
	assert_int_equal(m.u.req.qpn, our_qp.qpn);
	assert_int_equal(m.u.req.psn, our_qp.psn);
	assert_int_equal(m.u.req.responder_resources, 16);
	assert_int_equal(m.u.req.initiator_depth, 4);
	assert_int_equal(m.u.req.retry_count, 7);
	assert_int_equal(m.u.req.rnr_retry_count, 6);
	assert_int_equal(m.u.req.flow_control, 1);
	assert_int_equal(m.u.req.remote_response_timeout, 8);
	assert_int_equal(m.u.req.local_response_timeout, 8);
	assert_int_equal(m.u.req.max_cm_retries, 3);
	assert_int_equal(m.u.req.mtu, 3);
	assert_int_equal(m.u.req.pkey, 0xffff);
	assert_int_equal(m.u.req.primary.local_lid, 0xffff);
	assert_int_equal(m.u.req.primary.remote_gid[15], 2);
	assert_int_equal(m.u.req.primary.traffic_class, 0x68);
	assert_int_equal(m.u.req.primary.hop_limit, 64);
	assert_int_equal(m.u.req.primary.local_ack_timeout, 3); // 25 us, at most 32.768
	assert_memory_equal(m.data, "hello\0\0", 7);
	cm_expire(&cm, cm_deadline(&cm));
	assert_true(cm_tx(&cm, &again));
	assert_memory_equal(&again, &m, sizeof(m)); // the transaction ID, too
}

static void what_the_sides_learn(void **state)
{
	struct cm cm = in_state(CM_REP_SENT);
	struct cm_msg m = cm.out;

	(void)state;
	assert_int_equal(m.tid, 77);
	assert_int_equal(m.local_id, LOCAL_ID);
	assert_int_equal(m.remote_id, REMOTE_ID);
	assert_int_equal(m.u.rep.ca_guid, GUID);
	assert_int_equal(m.u.rep.qpn, our_qp.qpn);
	assert_int_equal(m.u.rep.psn, our_qp.psn);
	assert_int_equal(m.u.rep.responder_resources, 16);
	assert_int_equal(m.u.rep.initiator_depth, 4);
	assert_int_equal(m.u.rep.target_ack_delay, 1); // 5 us, at most 8.192
	assert_int_equal(m.u.rep.rnr_retry_count, 6);
	assert_memory_equal(m.data, "hi\0", 3);
	assert_int_equal(cm.remote_guid, PEER_GUID);
	assert_int_equal(cm.remote.qpn, 0x222222);
	assert_int_equal(cm.remote.psn, 0x123456);
	assert_int_equal(cm.remote.retry_count, 5);
	assert_int_equal(cm.remote.rnr_retry_count, 4);
	assert_int_equal(cm.mtu_code, 3);
	assert_int_equal(cm.ack_timeout, 4);
	assert_int_equal(cm_initiator_depth(&cm), 2);      // of 4 of ours
	assert_int_equal(cm_responder_resources(&cm), 16); // of 32 of theirs

	cm = in_state(CM_ESTABLISHED);
	assert_int_equal(cm.out.kind, CM_RTU);
	assert_int_equal(cm.out.remote_id, REMOTE_ID);
	assert_int_equal(cm.out.tid, (uint64_t)LOCAL_ID << 32); // that of the REQ
	assert_int_equal(cm.remote.qpn, 0x222222);
	assert_int_equal(cm.remote.retry_count, 7); // our own REQ's
	assert_int_equal(cm.ack_timeout, 4);        // 20 us and 32.768 us, at most 65.536
	cm_disconnect(&cm, 0);
	assert_int_equal(cm.out.u.dreq_qpn, 0x222222);
	assert_int_not_equal(cm.out.tid, (uint64_t)LOCAL_ID << 32);

	cm = in_state(CM_TIMEWAIT);
	assert_int_equal(cm.out.kind, CM_DREP);
	assert_int_equal(cm.out.tid, 77);
}

static void what_cannot_be_taken_is_refused(void **state)
{
	static const struct {
		uint8_t transport, extended, mtu;
		unsigned reason;
	} rows[] = {{0, 0, 3, 0}, {0, 0, 1, 0}, {1, 0, 3, CM_REJ_BAD_TRANSPORT},
		{3, 1, 3, CM_REJ_BAD_TRANSPORT}, {0, 0, 0, CM_REJ_BAD_MTU},
		{0, 0, 4, CM_REJ_BAD_MTU}, {0, 0, 15, CM_REJ_BAD_MTU}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cm cm = in_state(CM_LISTEN);
		struct cm_msg m = peer_says(CM_REQ), rej;

		m.u.req.transport = rows[i].transport;
		m.u.req.extended_transport = rows[i].extended;
		m.u.req.mtu = rows[i].mtu;
		assert_int_equal(cm_req_fault(&cfg, &m), rows[i].reason);
		assert_int_equal(cm_rx(&cm, &m, 0), rows[i].reason ? CM_EV_REFUSED : CM_EV_REQUEST);
		if (!rows[i].reason)
			continue;
		assert_int_equal(cm.state, CM_LISTEN);
		assert_int_equal(cm.reason, rows[i].reason);
		assert_true(cm_tx(&cm, &rej));
		assert_int_equal(rej.kind, CM_REJ);
		assert_int_equal(rej.tid, 77);
		assert_int_equal(rej.local_id, 0);
		assert_int_equal(rej.remote_id, REMOTE_ID);
		assert_int_equal(rej.u.rej.reason, rows[i].reason);
		assert_int_equal(rej.u.rej.answered, CM_ANSWERS_REQ);
		assert_int_equal(hears(&cm, CM_REQ, 1), CM_EV_REQUEST); // it still listens
		assert_int_equal(cm.reason, 0);
	}
}

static void what_a_rej_of_ours_answers(void **state)
{
	static const struct {
		unsigned in, answered, local_id;
	} rows[] = {{CM_REQ_RCVD, CM_ANSWERS_REQ, 0}, {CM_MRA_REQ_SENT, CM_ANSWERS_REQ, LOCAL_ID},
		{CM_REP_RCVD, CM_ANSWERS_REP, LOCAL_ID},
		{CM_MRA_REP_SENT, CM_ANSWERS_REP, LOCAL_ID},
		{CM_REP_SENT, CM_ANSWERS_OTHER, LOCAL_ID}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cm cm = in_state(rows[i].in);
		struct cm_msg m;

		assert_int_equal(cm_reject(&cm, CM_REJ_BAD_GID, "why", 3, 0), CM_EV_NONE);
		assert_true(cm_tx(&cm, &m));
		assert_int_equal(m.kind, CM_REJ);
		assert_int_equal(m.local_id, rows[i].local_id);
		assert_int_equal(m.remote_id, REMOTE_ID);
		assert_int_equal(m.u.rej.answered, rows[i].answered);
		assert_int_equal(m.u.rej.reason, CM_REJ_BAD_GID);
		assert_int_equal(m.u.rej.ari_len, 0);
		assert_memory_equal(m.data, "why\0", 4);
	}
}

static void rejects_of_the_peer(void **state)
{
	struct cm cm = in_state(CM_REQ_SENT);
	struct cm_msg m = peer_says(CM_REJ);

	(void)state;
	m.local_id = 0; // the peer made nothing of our REQ
	m.u.rej.reason = CM_REJ_BAD_SERVICE_ID;
	assert_int_equal(cm_rx(&cm, &m, 0), CM_EV_REJECTED);
	assert_int_equal(cm.state, CM_IDLE);
	assert_int_equal(cm.reason, CM_REJ_BAD_SERVICE_ID);
	assert_true(cm_is_free(&cm));

	cm = in_state(CM_REQ_SENT);
	m.u.rej.reason = CM_REJ_STALE; // packets of the old connection may be on their way
	assert_int_equal(cm_rx(&cm, &m, 3), CM_EV_REJECTED);
	assert_int_equal(cm.state, CM_TIMEWAIT);
	assert_int_equal(cm_deadline(&cm), 3 + 2 * LIFE);

	// The peer gave up its REQ before it had heard of us.
	cm = in_state(CM_REQ_RCVD);
	m = peer_says(CM_REJ);
	m.remote_id = 0;
	m.u.rej = (struct cm_rej){
		.reason = CM_REJ_TIMEOUT, .ari_len = 8, .ari = {2, 0, 0, 0, 0, 0, 0, 9}};
	assert_int_equal(cm_rx(&cm, &m, 0), CM_EV_UNFIT); // another host
	m.u.rej.ari[7] = 2;
	m.u.rej.ari_len = 7;
	assert_int_equal(cm_rx(&cm, &m, 0), CM_EV_UNFIT);
	m.u.rej.ari_len = 8;
	assert_int_equal(cm_rx(&cm, &m, 0), CM_EV_REJECTED);
	assert_int_equal(cm.state, CM_IDLE);
	assert_int_equal(cm.reason, CM_REJ_TIMEOUT);
}

static void a_dreq_names_our_queue_pair(void **state)
{
	struct cm cm = in_state(CM_ESTABLISHED);
	struct cm_msg m = peer_says(CM_DREQ);

	(void)state;
	m.u.dreq_qpn++;
	assert_int_equal(cm_rx(&cm, &m, 0), CM_EV_NONE);
	assert_int_equal(cm.state, CM_ESTABLISHED);
}

static void a_message_not_taken_is_dropped(void **state)
{
	struct cm cm = in_state(CM_REP_RCVD);

	(void)state;
	assert_int_equal(cm_mra(&cm, 10), CM_EV_NONE);
	assert_int_equal(cm_ready(&cm), CM_EV_UP);
	assert_int_equal(sends(&cm), CM_RTU);
	assert_int_equal(sends(&cm), CM_NO_MSG);
	cm_expire(&cm, 0);
	cm = in_state(CM_REQ_SENT);
	assert_int_equal(cm_expire(&cm, cm_deadline(&cm)), CM_EV_AGAIN);
	assert_int_equal(hears(&cm, CM_REP, 0), CM_EV_REPLY); // in time after all
	assert_int_equal(sends(&cm), CM_NO_MSG);
}

static void who_knows_no_connection_answers(void **state)
{
	static const struct {
		unsigned kind, reply, reason, answered;
	} rows[] = {{CM_REQ, CM_REJ, CM_REJ_BAD_SERVICE_ID, CM_ANSWERS_REQ},
		{CM_REP, CM_REJ, CM_REJ_BAD_COMM_ID, CM_ANSWERS_REP}, {CM_DREQ, CM_DREP, 0, 0},
		{CM_MRA, 0, 0, 0}, {CM_REJ, 0, 0, 0}, {CM_RTU, 0, 0, 0}, {CM_DREP, 0, 0, 0}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct cm_msg m = peer_says(rows[i].kind);
		struct cm_msg reply = {0};

		assert_int_equal(cm_stateless(&m, &reply), rows[i].reply != 0);
		assert_int_equal(reply.kind, rows[i].reply);
		if (!rows[i].reply)
			continue;
		assert_int_equal(reply.tid, 77);
		assert_int_equal(reply.local_id, m.remote_id);
		assert_int_equal(reply.remote_id, REMOTE_ID);
		assert_int_equal(reply.u.rej.reason, rows[i].reason);
		assert_int_equal(reply.u.rej.answered, rows[i].answered);
	}
}

// Linux's messages when soft-RoCE connected and parted: REQ, REP, RTU, DREQ, DREP.
static void read_capture(struct cm_msg said[5])
{
	struct test_cap cap = test_cap_open("linux_softroce_rocev2.pcap");
	unsigned n = 0, len;
	const uint8_t *o;

	while ((o = test_cap_next(&cap, &len))) {
		struct frame f;

		frame_parse(o, len, &f);
		if (f.kind == PKT_ROCE && f.bth.qpn == MAD_QPN && n < 5)
			assert_int_equal(cm_msg_parse(o + f.payload_off, &said[n++]), MAD_OK);
	}
	assert_int_equal(n, 5);
}

static void same_bytes(const struct cm_msg *m, const struct cm_msg *want)
{
	uint8_t got[MAD_LEN], bytes[MAD_LEN];

	cm_msg_render(m, got);
	cm_msg_render(want, bytes);
	assert_memory_equal(got, bytes, MAD_LEN);
}

static const struct cm_params linux_params = {
	.life_ps = 4096 * PS_PER_NS << 18,
	.response_ps = 4096 * PS_PER_NS << 20,
	.longest_ps = 100 * PS_PER_S,
	.retries = 15,
	.mtu = 1024,
};

// In place of the host that asked: what it hears leads where it led Linux, and it says the same but
// for the random parts of a REQ and the transaction ID of a DREQ.
static void in_the_place_of_linux_that_asks(void **state)
{
	struct cm_params p = linux_params;
	struct cm_call c = {.data_len = 92};
	struct cm_msg said[5], m;
	const struct cm_req *r = &said[0].u.req;
	struct cm_cfg linux_cfg;
	struct cm cm;

	(void)state;
	read_capture(said);
	p.ca_guid = r->ca_guid;
	assert_int_equal(cm_cfg_init(&linux_cfg, &p), 0);
	c.service_id = r->service_id;
	c.qp = (struct cm_qp){r->qpn, r->psn, 1, 1, r->retry_count, r->rnr_retry_count, 0, 0};
	memcpy(c.local_gid, r->primary.local_gid, 16);
	memcpy(c.remote_gid, r->primary.remote_gid, 16);
	c.hop_limit = r->primary.hop_limit;
	c.data = said[0].data;
	cm_init(&cm, &linux_cfg, said[0].local_id);
	cm.tid = said[0].tid;
	assert_int_equal(cm_connect(&cm, &c, 0), CM_EV_NONE);
	assert_true(cm_tx(&cm, &m));
	m.u.req.primary.flow_label = r->primary.flow_label;
	same_bytes(&m, &said[0]);
	assert_int_equal(cm_rx(&cm, &said[1], 1), CM_EV_REPLY);
	assert_int_equal(cm_ready(&cm), CM_EV_UP);
	assert_true(cm_tx(&cm, &m));
	same_bytes(&m, &said[2]);
	assert_int_equal(cm_disconnect(&cm, 2), CM_EV_NONE);
	assert_true(cm_tx(&cm, &m));
	m.tid = said[3].tid;
	same_bytes(&m, &said[3]);
	assert_int_equal(cm_rx(&cm, &said[4], 3), CM_EV_DOWN);
}

static void in_the_place_of_linux_that_is_asked(void **state)
{
	struct cm_params p = linux_params;
	struct cm_msg said[5], m;
	const struct cm_rep *r = &said[1].u.rep;
	struct cm_cfg linux_cfg;
	struct cm_qp qp;
	struct cm cm;

	(void)state;
	read_capture(said);
	p.ca_guid = r->ca_guid;
	p.delay_ps = cm_time(15);
	assert_int_equal(cm_cfg_init(&linux_cfg, &p), 0);
	qp = (struct cm_qp){r->qpn, r->psn, 1, 1, 0, r->rnr_retry_count, 0, 0};
	cm_init(&cm, &linux_cfg, said[1].local_id);
	cm_listen(&cm, CM_SERVICE_TCP | 0x1c06);
	assert_int_equal(cm_rx(&cm, &said[0], 0), CM_EV_REQUEST);
	assert_int_equal(cm.ack_timeout, 19);
	assert_int_equal(cm_accept(&cm, &qp, NULL, 0, 1), CM_EV_NONE);
	assert_true(cm_tx(&cm, &m));
	same_bytes(&m, &said[1]);
	assert_int_equal(cm_deadline(&cm), 1 + cm_time(20));
	assert_int_equal(cm_rx(&cm, &said[2], 2), CM_EV_UP);
	assert_int_equal(cm_rx(&cm, &said[3], 3), CM_EV_PARTING);
	assert_int_equal(cm_disconnect(&cm, 4), CM_EV_DOWN);
	assert_true(cm_tx(&cm, &m));
	same_bytes(&m, &said[4]);
	assert_int_equal(cm_deadline(&cm), 4 + cm_time(19));
}

static void bad_parameters(void **state)
{
	struct cm_cfg c;
	struct cm_params p;

	(void)state;
#define REFUSED(member, value)                                  \
	do {                                                    \
		p = params;                                     \
		p.member = value;                               \
		assert_int_equal(cm_cfg_init(&c, &p), -EINVAL); \
	} while (0)
	memset(&c, 0x5a, sizeof(c));
	REFUSED(life_ps, 0);
	REFUSED(life_ps, 1000 * PS_PER_S + 1);
	REFUSED(response_ps, 0);
	REFUSED(response_ps, TSTAMP_NEVER);
	REFUSED(delay_ps, 1001 * PS_PER_S);
	REFUSED(longest_ps, 0);
	REFUSED(longest_ps, 10001 * PS_PER_S);
	REFUSED(retries, 16);
	REFUSED(mtu, 0);
	REFUSED(mtu, 1000);
	REFUSED(mtu, 8192);
	assert_int_equal(((uint8_t *)&c)[sizeof(c) - 1], 0x5a); // untouched
	p = params;
	p.mtu = 4096;
	p.life_ps = p.response_ps = p.delay_ps = 1000 * PS_PER_S;
	p.longest_ps = 10000 * PS_PER_S;
	assert_int_equal(cm_cfg_init(&c, &p), 0);
	assert_int_equal(c.mtu_code, 5);
	assert_int_equal(c.response_code, 28);
	assert_true(c.req_wait_ps > 3000 * PS_PER_S);
}

static void names(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CM_STATES; i++)
		assert_string_not_equal(cm_state_name(i), "unknown");
	for (unsigned i = 0; i < CM_EVENTS; i++)
		assert_string_not_equal(cm_event_name(i), "unknown");
	assert_string_equal(cm_state_name(CM_TIMEWAIT), "TimeWait");
	assert_string_equal(cm_state_name(CM_STATES), "unknown");
	assert_string_equal(cm_event_name(CM_EVENTS), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_that_the_peer_asks_for_have_bounds),
		cmocka_unit_test(a_request_says_what_it_should),
		cmocka_unit_test(what_the_sides_learn),
		cmocka_unit_test(what_cannot_be_taken_is_refused),
		cmocka_unit_test(what_a_rej_of_ours_answers),
		cmocka_unit_test(rejects_of_the_peer),
		cmocka_unit_test(a_dreq_names_our_queue_pair),
		cmocka_unit_test(a_message_not_taken_is_dropped),
		cmocka_unit_test(who_knows_no_connection_answers),
		cmocka_unit_test(in_the_place_of_linux_that_asks),
		cmocka_unit_test(in_the_place_of_linux_that_is_asked),
		cmocka_unit_test(bad_parameters),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
