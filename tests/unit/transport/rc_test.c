// SPDX-License-Identifier: BSD-3-Clause
// The RC requester: segmentation, PSN arithmetic, the send queue (standards.md 3.1).
#include "rc_lab.h"

#include <errno.h>

#include "wire/bth.h"

// standards.md 3.1: first and middle carry exactly the path MTU, last 1..PMTU; PSNs wrap at 2^24.
static void write_is_cut_into_first_middle_last(void **state)
{
	struct rc_segment s;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &plain, 0xfffffe);
	assert_false(rc_tx_ready(&tx));
	assert_int_equal(rc_tx_post(&tx, 5 * 1024 + 1, 7), 0);
	s = send(&tx, 1, 9);
	assert_segment(&s, BTH_RC_WRITE_FIRST, 0xfffffe, 1024, false);
	assert_true(s.first && !s.last && !s.retx);
	assert_int_equal(s.dma_len, 5 * 1024 + 1);
	s = send(&tx, 1, 10);
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 0xffffff, 1024, false);
	s = send(&tx, 1, 10);
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 0, 1024, false);
	s = send(&tx, 1, 10);
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 1, 1024, true);
	s = send(&tx, 2, 10);
	assert_segment(&s, BTH_RC_WRITE_LAST, 3, 1, true);
	assert_true(s.last && !s.first);
	assert_false(rc_tx_ready(&tx));
	assert_true(tx.msg[0].posted == 7 && tx.msg[0].begun == 7);
	assert_int_equal(tx.msg[0].packets, 6);
	assert_int_equal(rc_tx_end(&tx), 4);
}

// A message begins once it is posted and its predecessor's last packet has left, and no later than
// its first packet: a tolerant port may take that early.
static void a_message_begins_behind_its_predecessor(void **state)
{
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &plain, 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(rc_tx_post(&tx, 1024, i < 2 ? 7 : 50), 0);
	assert_true(tx.msg[0].begun == TSTAMP_NEVER);
	send(&tx, 1, 9);
	rc_tx_left(&tx, 20);
	send(&tx, 1, 30);
	rc_tx_left(&tx, 41);
	send(&tx, 1, 60);
	rc_tx_left(&tx, 80);
	send(&tx, 1, 75);
	assert_int_equal(tx.msg[0].begun, 7);
	assert_int_equal(tx.msg[1].begun, 20);
	assert_int_equal(tx.msg[2].begun, 50);
	assert_int_equal(tx.msg[3].begun, 75);
}

static void only_packets_and_sends_have_their_opcodes(void **state)
{
	struct rc_params p = plain;
	struct rc_segment s;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &p, 0);
	rc_tx_post(&tx, 1024, 0);
	s = send(&tx, 1, 0);
	assert_segment(&s, BTH_RC_WRITE_ONLY, 0, 1024, true);
	assert_true(s.first && s.last);
	p.verb = RC_SEND;
	setup_tx(&tx, &cfg, &p, 0);
	rc_tx_post(&tx, 1, 0);
	rc_tx_post(&tx, 3 * 1024, 0);
	s = send(&tx, 1, 0);
	assert_segment(&s, BTH_RC_SEND_ONLY, 0, 1, true);
	s = send(&tx, 1, 0);
	assert_segment(&s, BTH_RC_SEND_FIRST, 1, 1024, false);
	s = send(&tx, 1, 0);
	assert_segment(&s, BTH_RC_SEND_MIDDLE, 2, 1024, false);
	s = send(&tx, 1, 0);
	assert_segment(&s, BTH_RC_SEND_LAST, 3, 1024, true);
}

// Immediate data stand in the packet that ends a message: their number, or one that is fixed.
static void immediate_data_end_a_message(void **state)
{
	struct rc_params p = plain;
	struct rc_segment s;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	p.verb = RC_WRITE_IMM;
	setup_tx(&tx, &cfg, &p, 0);
	assert_true(cfg.reth && cfg.has_imm);
	rc_tx_post(&tx, 3 * 1024, 0);
	rc_tx_post(&tx, 0, 0);
	rc_tx_post(&tx, 5, 0);
	s = send(&tx, 1, 0);
	assert_segment(&s, BTH_RC_WRITE_FIRST, 0, 1024, false);
	s = send(&tx, 1, 0);
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 1, 1024, false);
	s = send(&tx, 1, 0);
	assert_segment(&s, BTH_RC_WRITE_LAST_IMM, 2, 1024, true);
	assert_int_equal(rc_tx_imm(&tx), 0);
	s = send(&tx, 1, 0);
	assert_segment(&s, BTH_RC_WRITE_ONLY_IMM, 3, 0, true);
	assert_int_equal(rc_tx_imm(&tx), 1);
	assert_int_equal(rc_tx_ack(&tx, 2, AETH_ACK, 1), 1);
	s = send(&tx, 1, 1);
	assert_int_equal(rc_tx_imm(&tx), 2);
	assert_int_equal(rc_tx_ack(&tx, 3, AETH_NAK_PSN, 2), 0); // both again, with their own
	send(&tx, 1, 3);
	assert_int_equal(rc_tx_imm(&tx), 1);
	send(&tx, 1, 3);
	assert_int_equal(rc_tx_imm(&tx), 2);

	p.verb = RC_SEND_IMM;
	p.imm_fixed = true;
	p.imm = 0xdeadbeef;
	setup_tx(&tx, &cfg, &p, 0);
	assert_true(!cfg.reth && cfg.has_imm);
	rc_tx_post(&tx, 1025, 0);
	rc_tx_post(&tx, 1, 0);
	s = send(&tx, 1, 0);
	assert_segment(&s, BTH_RC_SEND_FIRST, 0, 1024, false);
	s = send(&tx, 1, 0);
	assert_segment(&s, BTH_RC_SEND_LAST_IMM, 1, 1, true);
	assert_int_equal(rc_tx_imm(&tx), 0xdeadbeef);
	s = send(&tx, 1, 0);
	assert_segment(&s, BTH_RC_SEND_ONLY_IMM, 2, 1, true);
	assert_int_equal(rc_tx_imm(&tx), 0xdeadbeef);
}

// A message of 0 bytes is a packet without payload, which has a PSN of its own and, of a WRITE, a
// RETH of length 0.
static void no_bytes_are_one_packet(void **state)
{
	struct rc_params p = plain;
	struct rc_message m;
	struct rc_segment s;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	for (int send_verb = 0; send_verb <= 1; send_verb++) {
		p.verb = send_verb ? RC_SEND : RC_WRITE;
		setup_tx(&tx, &cfg, &p, 0xffffff);
		assert_int_equal(rc_tx_post(&tx, 0, 3), 0);
		assert_int_equal(rc_tx_post(&tx, 1025, 3), 0);
		assert_int_equal(rc_tx_post(&tx, 0, 3), 0);
		s = send(&tx, 1, 3);
		assert_segment(
			&s, send_verb ? BTH_RC_SEND_ONLY : BTH_RC_WRITE_ONLY, 0xffffff, 0, true);
		assert_true(s.first && s.last);
		assert_int_equal(s.dma_len, 0);
		send(&tx, 2, 3);
		s = send(&tx, 1, 3);
		assert_int_equal(s.psn, 2);
		assert_false(rc_tx_ready(&tx));
		assert_int_equal(rc_tx_ack(&tx, 0xffffff, AETH_ACK, 4), 1);
		assert_true(rc_tx_done(&tx, &m));
		assert_int_equal(m.bytes, 0);
		assert_int_equal(rc_tx_acked(&tx), 0);
		assert_int_equal(rc_tx_ack(&tx, 2, AETH_NAK_PSN, 5), 1); // the last is lost
		assert_true(rc_tx_done(&tx, &m));
		s = send(&tx, 1, 6);
		assert_true(s.retx && s.first && s.last && s.psn == 2 && !s.payload);
		assert_int_equal(rc_tx_ack(&tx, 2, AETH_ACK, 7), 1);
		assert_int_equal(rc_tx_acked(&tx), 1025);
	}
}

// InfiniBand's MTUs and others: first and middle carry just that, the last the rest, up to a whole
// MTU.
static void each_mtu_cuts_alike(void **state)
{
	static const uint32_t mtu[] = {256, 512, 1024, 2048, 4096, 260, 1000, 1500, 5000, 9000};
	struct rc_params p = plain;
	struct rc_segment s;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	p.ack_every = 16;
	for (unsigned k = 0; k < sizeof(mtu) / sizeof(mtu[0]); k++) {
		p.mtu = mtu[k];
		setup_tx(&tx, &cfg, &p, 7);
		rc_tx_post(&tx, 4 * p.mtu, 0);
		rc_tx_post(&tx, 4 * p.mtu + 3, 0);
		for (uint32_t i = 0; i < 9; i++) {
			s = send(&tx, 1, 0);
			assert_int_equal(s.psn, 7 + i);
			assert_int_equal(s.payload, i == 8 ? 3 : p.mtu);
			assert_int_equal(s.last, i == 3 || i == 8);
			assert_int_equal(s.ack_req, s.last);
		}
		assert_false(rc_tx_ready(&tx));
	}
}

static void window_closes_and_opens(void **state)
{
	struct rc_params p = plain;
	struct rc_segment s;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	p.window = 3;
	setup_tx(&tx, &cfg, &p, 0xfffffe);
	rc_tx_post(&tx, 1 << 20, 0);
	s = send(&tx, 3, 0);
	assert_false(rc_tx_ready(&tx));
	assert_true(s.ack_req); // ack_every 4 would never be reached
	assert_int_equal(rc_tx_ack(&tx, 0xffffff, AETH_ACK, 1), 0);
	send(&tx, 2, 2);
	assert_false(rc_tx_ready(&tx));
}

static void messages_complete_in_order(void **state)
{
	struct rc_message m;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &plain, 5);
	for (unsigned i = 0; i < 3; i++)
		rc_tx_post(&tx, 2048, i);
	send(&tx, 6, 2);
	assert_false(rc_tx_done(&tx, &m));
	assert_int_equal(rc_tx_ack(&tx, 5, AETH_ACK, 1), 0);
	assert_int_equal(rc_tx_ack(&tx, 8, AETH_ACK, 1), 2);
	assert_true(rc_tx_done(&tx, &m));
	assert_int_equal(m.posted, 0);
	assert_true(rc_tx_done(&tx, &m));
	assert_int_equal(m.posted, 1);
	assert_false(rc_tx_done(&tx, &m));
	assert_int_equal(rc_tx_ack(&tx, 10, AETH_ACK, 1), 1);
	assert_true(rc_tx_rto_at(&tx) == TSTAMP_NEVER);
	assert_int_equal(past.done, 3);
}

// A requester has no ring until one is lent, and gives it back when nothing in it is needed: not
// while a message is not done, or done and not yet taken. Where it failed, all may go.
static void a_ring_is_lent(void **state)
{
	struct rc_message small[2], m;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &plain, 0);
	assert_ptr_equal(rc_tx_unlend(&tx), ring);
	assert_null(rc_tx_unlend(&tx));
	assert_int_equal(rc_tx_post(&tx, 1, 0), -ENOBUFS);
	rc_tx_lend(&tx, small, 2);
	for (uint32_t i = 0; i < 5; i++) { // around the ring
		assert_int_equal(rc_tx_post(&tx, 1 + i, 0), 0);
		send(&tx, 1, 0);
		assert_null(rc_tx_unlend(&tx));
		assert_int_equal(rc_tx_ack(&tx, i, AETH_ACK, 1), 1);
		assert_null(rc_tx_unlend(&tx));
		assert_true(rc_tx_done(&tx, &m));
		assert_int_equal(m.bytes, 1 + i);
	}
	assert_int_equal(rc_tx_post(&tx, 1, 0), 0);
	assert_int_equal(rc_tx_post(&tx, 1, 0), 0);
	assert_int_equal(rc_tx_post(&tx, 1, 0), -ENOBUFS);
	send(&tx, 2, 0);
	rc_tx_ack(&tx, 5, AETH_NAK_ACCESS, 1);
	assert_true(tx.failed);
	assert_ptr_equal(rc_tx_unlend(&tx), small);
}

static void send_queue_is_bounded(void **state)
{
	struct rc_message m;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &plain, 0);
	assert_int_equal(rc_tx_post(&tx, (1u << 31) + 1, 0), -EINVAL);
	for (int i = 0; i < RC_MESSAGES; i++)
		assert_int_equal(rc_tx_post(&tx, 1, 0), 0);
	assert_int_equal(rc_tx_post(&tx, 1, 0), -ENOBUFS);
	send(&tx, 1, 0);
	assert_int_equal(rc_tx_ack(&tx, 0, AETH_ACK, 0), 1);
	assert_int_equal(rc_tx_post(&tx, 1, 0), -ENOBUFS); // done, but not taken
	assert_true(rc_tx_done(&tx, &m));
	assert_int_equal(rc_tx_post(&tx, 1, 0), 0);
}

// More PSNs posted than there are: the send queue still knows what is left.
static void huge_messages_wrap_the_psn_space(void **state)
{
	struct rc_params p = plain;
	struct rc_segment s;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	p.mtu = 256;
	setup_tx(&tx, &cfg, &p, 0);
	assert_int_equal(rc_tx_post(&tx, 1u << 31, 0), 0);
	assert_int_equal(rc_tx_post(&tx, 1u << 31, 0), 0);
	assert_int_equal(rc_tx_end(&tx), 0); // 2^24 packets
	for (uint32_t n = 0; n < 1u << 24; n++) {
		assert_true(rc_tx_ready(&tx));
		rc_tx_next(&tx, &s, n);
		if (s.ack_req)
			rc_tx_ack(&tx, s.psn, AETH_ACK, n);
	}
	assert_false(rc_tx_ready(&tx));
	assert_int_equal(past.done, 2);
	assert_int_equal(rc_tx_sent_bytes(&tx), 1ull << 32);
}

static void bad_configuration_is_refused(void **state)
{
	struct rc_params p = plain;
	struct rc_cfg cfg = {0};

	(void)state;
	p.mtu = 1002;
	assert_int_equal(rc_cfg_init(&cfg, &p), -EINVAL);
	p.recovery = RC_ANY_ORDER; // the reference simulator's framing has any size
	assert_int_equal(rc_cfg_init(&cfg, &p), 0);
	p = plain;
	p.mtu = 9004;
	assert_int_equal(rc_cfg_init(&cfg, &p), -EINVAL);
	p.mtu = 252;
	assert_int_equal(rc_cfg_init(&cfg, &p), -EINVAL);
	p = plain;
	p.window = 0;
	assert_int_equal(rc_cfg_init(&cfg, &p), -EINVAL);
	p.window = (1u << 22) + 1;
	assert_int_equal(rc_cfg_init(&cfg, &p), -EINVAL);
	p = plain;
	p.ack_every = 0;
	assert_int_equal(rc_cfg_init(&cfg, &p), -EINVAL);
	p = plain;
	p.rto_ps = 0;
	assert_int_equal(rc_cfg_init(&cfg, &p), -EINVAL);
	p.rto_ps = TSTAMP_NEVER;
	assert_int_equal(rc_cfg_init(&cfg, &p), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write_is_cut_into_first_middle_last),
		cmocka_unit_test(a_message_begins_behind_its_predecessor),
		cmocka_unit_test(only_packets_and_sends_have_their_opcodes),
		cmocka_unit_test(no_bytes_are_one_packet),
		cmocka_unit_test(immediate_data_end_a_message),
		cmocka_unit_test(each_mtu_cuts_alike),
		cmocka_unit_test(window_closes_and_opens),
		cmocka_unit_test(messages_complete_in_order),
		cmocka_unit_test(a_ring_is_lent),
		cmocka_unit_test(send_queue_is_bounded),
		cmocka_unit_test(huge_messages_wrap_the_psn_space),
		cmocka_unit_test(bad_configuration_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
