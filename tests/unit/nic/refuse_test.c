// SPDX-License-Identifier: BSD-3-Clause
// The requests that a queue pair refuses of a peer that is no NIC of ours, frame by frame.
#include "peer_lab.h"

#include "frame/frame.h"
#include "wire/bth.h"

#define RIGHT(n)            \
	{                   \
		VA, RKEY, n \
	}

// The one refusal, or none, is kept and told.
static void check_told(const struct peer_lab *t, enum rc_refusal why, uint8_t opcode)
{
	for (unsigned i = 1; i < RC_REFUSALS; i++) {
		const struct nic_refusal *r = nic_refusal(t->l.nic[1], (enum rc_refusal)i);

		assert_int_equal(r != NULL, i == why);
		if (!r)
			continue;
		assert_int_equal(r->what.opcode, opcode);
		assert_int_equal(r->flow, 5);
		assert_int_equal(r->qpn, 9);
		assert_int_equal(r->psn, 7);
		assert_int_equal(r->times, 1);
		assert_int_equal(lab_ev(&t->l, 1, EV_REFUSED, 0)->refusal, why);
		assert_true(lab_ev(&t->l, 1, EV_REFUSED, 0)->refused.its == r->what.its);
		assert_true(lab_ev(&t->l, 1, EV_REFUSED, 0)->refused.ours == r->what.ours);
	}
	assert_int_equal(lab_evs(&t->l, 1, EV_REFUSED), why != RC_NOT_REFUSED);
}

// Requests for memory that the peer was not told, of a length that does not fit, out of turn, or of
// a verb that the queue pair has not, get their NAK and end it; what is right is taken.
static void a_responder_refuses(void **state)
{
	static const struct {
		uint8_t opcode;
		uint32_t psn, payload;
		struct rc_reth reth;
		int syndrome; // -1: an ACK
		enum rc_refusal why;
	} rows[] = {
		{BTH_RC_WRITE_ONLY, 7, 64, RIGHT(64), -1, 0},
		{BTH_RC_SEND_ONLY, 7, 64, RIGHT(64), -1, 0},
		{BTH_RC_WRITE_ONLY, 7, 0, {0, 0, 0}, -1, 0},
		{BTH_RC_WRITE_ONLY, 7, 64, {VA, RKEY + 1, 64}, AETH_NAK_ACCESS, RC_REFUSED_RKEY},
		{BTH_RC_WRITE_ONLY, 7, 64, {VA - 1, RKEY, 64}, AETH_NAK_ACCESS, RC_REFUSED_MEMORY},
		{BTH_RC_WRITE_ONLY, 7, 64, {VA + LENGTH - 63, RKEY, 64}, AETH_NAK_ACCESS,
			RC_REFUSED_MEMORY},
		{BTH_RC_WRITE_ONLY, 7, 64, RIGHT(65), AETH_NAK_INVALID, RC_REFUSED_TOTAL},
		{BTH_RC_WRITE_FIRST, 7, 64, RIGHT(128), AETH_NAK_INVALID, RC_REFUSED_LENGTH},
		{BTH_RC_WRITE_LAST, 7, 64, RIGHT(64), AETH_NAK_INVALID, RC_REFUSED_ORDER},
		{BTH_RC_READ_REQUEST, 7, 0, RIGHT(64), AETH_NAK_INVALID, RC_REFUSED_VERB},
		{BTH_RC_FETCH_ADD, 7, 0, RIGHT(8), AETH_NAK_INVALID, RC_REFUSED_VERB},
		{BTH_RC_CMP_SWAP, 7, 0, RIGHT(8), AETH_NAK_INVALID, RC_REFUSED_VERB},
		{BTH_RC_READ_REQUEST, 8, 0, RIGHT(64), AETH_NAK_PSN, 0},
		{BTH_RC_WRITE_ONLY, 8, 64, {VA, RKEY + 1, 64}, AETH_NAK_PSN, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool ends = rows[i].syndrome > AETH_NAK_PSN;
		struct peer_lab t;

		peer_begin(&t, false, 1);
		t.req.resolve = false;
		t.rsp.port = 0;
		t.rsp.guards = true;
		t.rsp.length = LENGTH;
		memcpy(t.ack.dst, t.l.p[0].mac, 6);
		peer_add(&t, 1, 7);
		assert_int_equal(lab_ctl(&t.l, 0, (struct ctl){.type = CTL_FLOW_STOP, .id = 5}), 0);
		peer_offer(&t, rows[i].opcode, rows[i].psn, rows[i].payload, &rows[i].reth);
		assert_int_equal(t.answers[1], 1);
		assert_int_equal(
			t.answer.syndrome, rows[i].syndrome < 0 ? AETH_ACK : rows[i].syndrome);
		assert_int_equal(t.answer.psn, 7);
		assert_int_equal(nic_stats(t.l.nic[1])->resp_remote_access_errors,
			rows[i].syndrome == AETH_NAK_ACCESS);
		assert_int_equal(nic_stats(t.l.nic[1])->resp_invalid_requests,
			rows[i].syndrome == AETH_NAK_INVALID);
		check_told(&t, rows[i].why, rows[i].opcode);
		peer_offer(&t, BTH_RC_SEND_ONLY, rows[i].syndrome < 0 ? 8 : 7, 64, &rows[i].reth);
		assert_int_equal(t.answers[1], ends ? 1 : 2);
		assert_int_equal(nic_qp_stats(t.l.nic[1], 0)->message_complete_rx,
			ends                   ? 0
			: rows[i].syndrome < 0 ? 2
					       : 1);
		lab_end(&t.l);
	}
}

// A READ of memory that the peer was not told, and one of nothing, which names none.
static void a_read_is_refused(void **state)
{
	(void)state;
	for (unsigned wrong = 0; wrong < 2; wrong++) {
		struct peer_lab t;

		peer_begin(&t, false, 1);
		t.req.resolve = false;
		t.rsp.port = 0;
		t.rsp.guards = true;
		t.rsp.length = LENGTH;
		memcpy(t.ack.dst, t.l.p[0].mac, 6);
		peer_add_reads(&t, 1, 4, 4);
		assert_int_equal(lab_ctl(&t.l, 0, (struct ctl){.type = CTL_FLOW_STOP, .id = 5}), 0);
		peer_offer(&t, BTH_RC_READ_REQUEST, 0xffffff, 0, &(struct rc_reth){0, 0, 0});
		assert_int_equal(nic_qp_stats(t.l.nic[1], 0)->message_tx, 1);
		peer_offer(&t, BTH_RC_READ_REQUEST, 0, 0,
			&(struct rc_reth){VA + 1, RKEY, wrong ? LENGTH : LENGTH - 1});
		assert_int_equal(t.answers[1], wrong);
		if (wrong) {
			assert_int_equal(t.answer.syndrome, AETH_NAK_ACCESS);
			assert_int_equal(t.answer.psn, 0);
		}
		assert_int_equal(nic_qp_stats(t.l.nic[1], 0)->message_tx, 2 - wrong);
		assert_int_equal(nic_stats(t.l.nic[1])->resp_remote_access_errors, wrong);
		lab_end(&t.l);
	}
}

// A queue pair that only asks takes no requests: any frame of its peer gets a NAK with the expected
// PSN, once, and the table says so. Posted messages go on.
static void who_asks_takes_no_requests(void **state)
{
	static const uint8_t opcodes[] = {
		BTH_RC_SEND_ONLY, BTH_RC_WRITE_ONLY, BTH_RC_READ_REQUEST, BTH_RC_FETCH_ADD};

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(opcodes); i++) {
		uint8_t opcode = opcodes[i / 2];
		uint32_t payload = opcode == BTH_RC_SEND_ONLY || opcode == BTH_RC_WRITE_ONLY;
		const struct nic_refusal *r;
		struct peer_lab t;

		peer_begin(&t, false, 1);
		peer_found(&t);
		t.rsp.port = 0;
		memcpy(t.ack.dst, t.l.p[0].mac, 6);
		if (i % 2) // it READs
			peer_add_reads(&t, 3, 4, 4);
		else
			peer_add(&t, 3, 7);
		peer_offer_to(&t, 0, opcode, 50, 64 * payload, &(struct rc_reth){VA, RKEY, 64});
		assert_int_equal(t.answers[0], 1);
		assert_int_equal(t.answer_len[0], 62); // headers and AETH
		r = nic_refusal(t.l.nic[0], RC_REFUSED_VERB);
		assert_non_null(r);
		assert_int_equal(r->what.opcode, opcode);
		assert_int_equal(r->what.ours, RC_TAKES_NOTHING);
		assert_int_equal(r->psn, 50);
		assert_int_equal(r->qpn, 5);
		peer_offer_to(&t, 0, opcode, 50, 64 * payload, &(struct rc_reth){VA, RKEY, 64});
		assert_int_equal(t.answers[0], 1);
		assert_int_equal(nic_stats(t.l.nic[0])->resp_invalid_requests, 1);
		assert_int_equal(nic_stats(t.l.nic[0])->drop[NIC_DROP_NO_QP], 0);
		lab_run(&t.l, PS_PER_S);
		assert_int_equal(peer_failed(&t), 0);
		assert_int_equal(nic_qp_stats(t.l.nic[i % 2 ? 0 : 1], 0)->message_complete_rx, 3);
		lab_end(&t.l);
	}
}

// The REQ has told the peer where it begins: one that is missing is asked for, once.
static void the_first_request_has_the_psn_of_the_req(void **state)
{
	const struct rc_reth none = {0};
	struct peer_lab t;
	uint32_t psn;

	(void)state;
	peer_begin(&t, false, 1);
	peer_found(&t);
	t.req.port = PORT;
	peer_add(&t, 0, 0x123456);
	lab_run(&t.l, PS_PER_MS);
	assert_int_equal(peer_state(&t, 0), NIC_PEER_UP);
	psn = t.said[0].u.req.psn;
	for (unsigned i = 0; i < 2; i++) {
		peer_offer_to(&t, 0, BTH_RC_SEND_ONLY, (psn + 1 + i) & BTH_PSN_MASK, 64, &none);
		assert_int_equal(t.answers[0], 1);
	}
	assert_int_equal(nic_stats(t.l.nic[0])->resp_invalid_requests, 0);
	peer_offer_to(&t, 0, BTH_RC_SEND_ONLY, psn, 64, &none);
	assert_int_equal(t.answers[0], 2);
	assert_int_equal(nic_stats(t.l.nic[0])->resp_invalid_requests, 1);
	lab_end(&t.l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_responder_refuses),
		cmocka_unit_test(a_read_is_refused),
		cmocka_unit_test(who_asks_takes_no_requests),
		cmocka_unit_test(the_first_request_has_the_psn_of_the_req),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
