// SPDX-License-Identifier: BSD-3-Clause
// The RC requester: segmentation, PSN arithmetic, ACKs, NAKs, timeouts (standards.md 3.1).
#include "algo/rc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "wire/bth.h"

#define US PS_PER_US

static const struct rc_params plain = {
	.verb = RC_WRITE,
	.mtu = 1024,
	.window = 64,
	.ack_every = 4,
	.rto_ps = 100 * US,
	.retries = 3,
	.rnr_retries = 2,
	.go_back_n = true,
};

static struct rc_past past;
static struct rc_message ring[RC_MESSAGES];

static void setup_tx(struct rc_tx *tx, struct rc_cfg *cfg, const struct rc_params *p, uint32_t psn)
{
	assert_int_equal(rc_cfg_init(cfg, p), 0);
	past = (struct rc_past){0};
	rc_tx_init(tx, cfg, &past, psn);
	rc_tx_lend(tx, ring, RC_MESSAGES);
}

// Sends n packets at `now`; returns the last one.
static struct rc_segment send(struct rc_tx *tx, unsigned n, tstamp now)
{
	struct rc_segment s = {0};

	while (n--) {
		assert_true(rc_tx_ready(tx));
		rc_tx_next(tx, &s, now);
	}
	return s;
}

static void assert_segment(
	const struct rc_segment *s, uint8_t opcode, uint32_t psn, uint32_t payload, bool ack_req)
{
	assert_int_equal(s->opcode, opcode);
	assert_int_equal(s->psn, psn);
	assert_int_equal(s->payload, payload);
	assert_int_equal(s->ack_req, ack_req);
}

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

// Each MTU there is: first and middle carry just that, the last the rest, up to a whole MTU.
static void each_mtu_cuts_alike(void **state)
{
	struct rc_params p = plain;
	struct rc_segment s;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	p.ack_every = 16;
	for (p.mtu = 256; p.mtu <= 4096; p.mtu *= 2) {
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

static void nak_goes_back_to_its_psn(void **state)
{
	struct rc_message m;
	struct rc_segment s;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &plain, 0xfffffd);
	rc_tx_post(&tx, 2 * 1024, 0);
	rc_tx_post(&tx, 8 * 1024, 0);
	send(&tx, 8, 0);
	assert_int_equal(rc_tx_ack(&tx, 1, AETH_NAK_PSN, 1), 1); // fffffd..0 are acknowledged
	assert_true(rc_tx_done(&tx, &m));
	assert_int_equal(past.stats.naks, 1);
	assert_int_equal(tx.una, 1);
	s = send(&tx, 1, 2);
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 1, 1024, false);
	assert_true(s.retx);
	s = send(&tx, 1, 2);
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 2, 1024, true); // still the 4th of its message
	s = send(&tx, 2, 2);
	assert_true(s.retx);
	s = send(&tx, 1, 2);
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 5, 1024, false);
	assert_false(s.retx);
}

// An ACK of what was sent before the go-back spares sending it again.
static void ack_beyond_next_moves_next(void **state)
{
	struct rc_segment s;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &plain, 0);
	rc_tx_post(&tx, 10 * 1024, 0);
	send(&tx, 8, 0);
	assert_true(rc_tx_expire(&tx, 100 * US));
	send(&tx, 1, 100 * US);
	assert_int_equal(rc_tx_ack(&tx, 5, AETH_ACK, 101 * US), 0);
	s = send(&tx, 1, 102 * US);
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 6, 1024, false);
	assert_true(s.retx);
	s = send(&tx, 1, 102 * US);
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 7, 1024, true);
	s = send(&tx, 1, 102 * US);
	assert_false(s.retx);
	assert_int_equal(rc_tx_ack(&tx, 8, AETH_ACK, 103 * US), 0);
	s = send(&tx, 1, 104 * US);
	assert_segment(&s, BTH_RC_WRITE_LAST, 9, 1024, true);
	assert_int_equal(rc_tx_ack(&tx, 9, AETH_ACK, 105 * US), 1);
}

static void acks_outside_the_flight_are_counted(void **state)
{
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &plain, 2);
	assert_int_equal(rc_tx_ack(&tx, 2, AETH_ACK, 0), 0); // nothing sent
	assert_int_equal(past.stats.bad_acks, 1);
	rc_tx_post(&tx, 4096, 0);
	send(&tx, 3, 0);
	rc_tx_ack(&tx, 5, AETH_ACK, 0); // not sent yet
	rc_tx_ack(&tx, 2 + 0x7fffff, AETH_ACK, 0);
	rc_tx_ack(&tx, 3, 0x40, 0); // reserved syndrome
	rc_tx_ack(&tx, 3, 0x80, 0);
	assert_int_equal(past.stats.bad_acks, 5);
	rc_tx_ack(&tx, 1, AETH_ACK, 0); // before the first
	rc_tx_ack(&tx, 0xffffff, AETH_NAK_PSN, 0);
	rc_tx_ack(&tx, 2 + 0x800000, AETH_ACK, 0);
	assert_int_equal(past.stats.duplicate_acks, 3);
	assert_int_equal(tx.una, 2);
	assert_int_equal(tx.next, 5);
	assert_int_equal(past.done_bytes, 0);
}

static void timeout_goes_back_and_gives_up(void **state)
{
	struct rc_segment s;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &plain, 0);
	rc_tx_post(&tx, 6 * 1024, 0);
	send(&tx, 3, 1);
	assert_true(rc_tx_rto_at(&tx) == TSTAMP_NEVER); // nobody was asked for an ACK yet
	send(&tx, 3, 2);
	assert_true(rc_tx_rto_at(&tx) == 100 * US + 2);
	assert_false(rc_tx_expire(&tx, 100 * US + 1));
	rc_tx_ack(&tx, 1, AETH_ACK, 50 * US); // progress, and 2..5 still out
	assert_true(rc_tx_rto_at(&tx) == 150 * US);
	for (unsigned i = 1; i <= 4; i++) { // sent again three times
		assert_true(rc_tx_expire(&tx, rc_tx_rto_at(&tx)));
		assert_int_equal(tx.next, 2);
		assert_int_equal(tx.failed, i == 4 ? RC_RETRIES_EXCEEDED : RC_NO_FAILURE);
		if (i < 4) {
			s = send(&tx, 4, 1000 * i * US);
			assert_true(s.last && s.retx);
		}
	}
	assert_false(rc_tx_ready(&tx));
	assert_true(rc_tx_rto_at(&tx) == TSTAMP_NEVER);
	assert_int_equal(past.stats.timeouts, 4);
	assert_int_equal(past.stats.messages_failed, 1);
	assert_int_equal(rc_tx_post(&tx, 1, 0), -EIO);
	assert_int_equal(rc_tx_ack(&tx, 5, AETH_ACK, 0), 0);
}

// The timeout runs while a packet that asked for an ACK is out, from the first of them on.
static void timeout_runs_while_an_ack_is_owed(void **state)
{
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &plain, 0);
	rc_tx_post(&tx, 16 * 1024, 0);
	send(&tx, 3, 1);
	rc_tx_ack(&tx, 0, AETH_ACK, 2); // unasked
	rc_tx_ack(&tx, 1, AETH_ACK, 3);
	assert_true(rc_tx_rto_at(&tx) == TSTAMP_NEVER);
	send(&tx, 1, 10);
	send(&tx, 4, 20);
	assert_true(rc_tx_rto_at(&tx) == 100 * US + 10); // psn 3 asked first
	rc_tx_ack(&tx, 3, AETH_ACK, 30);
	assert_true(rc_tx_rto_at(&tx) == 100 * US + 30); // psn 7 has asked
	rc_tx_ack(&tx, 5, AETH_NAK_PSN, 40);
	assert_true(rc_tx_rto_at(&tx) == TSTAMP_NEVER);
	send(&tx, 1, 50);
	rc_tx_ack(&tx, 5, AETH_ACK, 60);
	assert_true(rc_tx_rto_at(&tx) == TSTAMP_NEVER); // psn 7 has not asked again
	send(&tx, 2, 70);
	assert_true(rc_tx_rto_at(&tx) == 100 * US + 70);
	rc_tx_ack(&tx, 7, AETH_ACK, 80);
	assert_true(rc_tx_rto_at(&tx) == TSTAMP_NEVER);
}

static void progress_forgives_timeouts(void **state)
{
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &plain, 0);
	rc_tx_post(&tx, 64 * 1024, 0);
	for (unsigned i = 0; i < 10; i++) {
		for (unsigned k = 0; k < 3; k++) {
			send(&tx, 4, i * PS_PER_S + k * PS_PER_MS);
			assert_true(rc_tx_expire(&tx, rc_tx_rto_at(&tx)));
		}
		rc_tx_ack(&tx, 4 * i + 3, AETH_ACK, i * PS_PER_S + 3 * PS_PER_MS);
	}
	assert_false(tx.failed);
	assert_int_equal(past.stats.timeouts, 30);
}

static void other_naks(void **state)
{
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &plain, 0);
	rc_tx_post(&tx, 6 * 1024, 0);
	send(&tx, 3, 0);
	rc_tx_ack(&tx, 2, AETH_RNR_NAK | 14, 10); // 1.28 ms
	assert_int_equal(tx.una, 2);
	assert_int_equal(tx.next, 2);
	assert_false(rc_tx_ready(&tx));
	assert_int_equal(rc_tx_post(&tx, 1024, 11), 0);
	assert_false(rc_tx_ready(&tx));
	assert_true(rc_tx_rto_at(&tx) == 1280 * US + 10);
	assert_int_equal(rc_tx_expire(&tx, 1280 * US + 9), RC_NOT_DUE);
	rc_tx_ack(&tx, 2, AETH_RNR_NAK | 1, 12); // neither this nor a NAK that is late ends it
	rc_tx_ack(&tx, 2, AETH_NAK_PSN, 13);
	assert_false(rc_tx_ready(&tx));
	assert_int_equal(rc_tx_expire(&tx, 1280 * US + 10), RC_RNR_OVER);
	assert_int_equal(past.stats.timeouts, 0);
	assert_int_equal(send(&tx, 1, 1281 * US).psn, 2);
	rc_tx_ack(&tx, 2, AETH_NAK_ACCESS, 1282 * US);
	assert_int_equal(tx.failed, RC_REMOTE_ACCESS_ERROR);
	assert_int_equal(past.stats.naks, 4);
	assert_int_equal(past.stats.messages_failed, 2);
}

// Table 45 of the InfiniBand specification, in us by the timer field.
static void rnr_times_are_the_table(void **state)
{
	static const unsigned us[32] = {655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480,
		640, 960, 1280, 1920, 2560, 3840, 5120, 7680, 10240, 15360, 20480, 30720, 40960,
		61440, 81920, 122880, 163840, 245760, 327680, 491520};

	(void)state;
	for (unsigned i = 0; i < 32; i++)
		assert_true(rc_rnr_time(i) == us[i] * US);
}

// One RNR NAK for each time that the packet was sent; returns how often it was before the failure.
static unsigned rnr_until_failure(struct rc_tx *tx, unsigned most)
{
	tstamp now = 0;
	unsigned n = 0;

	while (!tx->failed && n < most) {
		send(tx, 1, now);
		n++;
		rc_tx_ack(tx, tx->una, AETH_RNR_NAK | 1, now);
		if (!tx->failed) {
			now = rc_tx_rto_at(tx);
			assert_int_equal(rc_tx_expire(tx, now), RC_RNR_OVER);
		}
	}
	return n;
}

// A count of r: r resends, and failure at the RNR NAK after them. 7 never fails. Progress forgives.
static void rnr_retries_are_resends(void **state)
{
	struct rc_params p = plain;
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	for (p.rnr_retries = 0; p.rnr_retries <= 7; p.rnr_retries++) {
		bool endless = p.rnr_retries == RC_RNR_NO_LIMIT;

		setup_tx(&tx, &cfg, &p, 0xffffff);
		rc_tx_post(&tx, 3 * 1024, 0);
		if (p.rnr_retries) {
			rnr_until_failure(&tx, p.rnr_retries);
			send(&tx, 1, PS_PER_S);
			rc_tx_ack(&tx, 0xffffff, AETH_ACK, PS_PER_S);
		}
		assert_int_equal(rnr_until_failure(&tx, 1000), endless ? 1000 : p.rnr_retries + 1);
		assert_int_equal(tx.failed, endless ? RC_NO_FAILURE : RC_RNR_RETRIES_EXCEEDED);
		assert_int_equal(past.stats.messages_failed, !endless);
	}
	assert_int_equal(rc_cfg_init(&cfg, &p), -EINVAL);
}

// What the receiver has got after all need not wait.
static void progress_ends_the_wait(void **state)
{
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	setup_tx(&tx, &cfg, &plain, 0);
	rc_tx_post(&tx, 6 * 1024, 0);
	send(&tx, 4, 0);
	rc_tx_ack(&tx, 1, AETH_RNR_NAK | 1, 10);
	assert_false(rc_tx_ready(&tx));
	rc_tx_ack(&tx, 2, AETH_ACK, 11);
	assert_true(rc_tx_ready(&tx));
	assert_true(rc_tx_rto_at(&tx) == TSTAMP_NEVER);
	assert_int_equal(send(&tx, 1, 12).psn, 3);
}

// Each NAK but that of a sequence error fails the queue pair, which keeps why; what lies before its
// PSN is done.
static void a_failure_has_a_reason(void **state)
{
	static const struct {
		uint8_t syndrome;
		uint8_t why;
		const char *name;
	} c[] = {
		{AETH_NAK_INVALID, RC_REMOTE_INVALID_REQUEST, "remote invalid request"},
		{AETH_NAK_ACCESS, RC_REMOTE_ACCESS_ERROR, "remote access error"},
		{AETH_NAK_OPERATION, RC_REMOTE_OPERATIONAL_ERROR, "remote operational error"},
		{0x7f, RC_REMOTE_OPERATIONAL_ERROR, "remote operational error"}, // reserved
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct rc_cfg cfg;
		struct rc_tx tx;

		setup_tx(&tx, &cfg, &plain, 0);
		for (unsigned k = 0; k < 3; k++)
			rc_tx_post(&tx, 1024, 0);
		send(&tx, 2, 0);
		assert_int_equal(tx.failed, RC_NO_FAILURE);
		assert_int_equal(rc_tx_ack(&tx, 1, c[i].syndrome, 10), 1);
		assert_int_equal(tx.failed, c[i].why);
		assert_string_equal(rc_failure_name(tx.failed), c[i].name);
		assert_int_equal(past.stats.messages_failed, 2);
		assert_false(rc_tx_ready(&tx));
		assert_true(rc_tx_rto_at(&tx) == TSTAMP_NEVER);
		// A second one changes nothing.
		assert_int_equal(rc_tx_ack(&tx, 1, AETH_NAK_INVALID, 11), 0);
		assert_int_equal(tx.failed, c[i].why);
		assert_int_equal(past.stats.bad_acks, 1);
	}
	assert_null(rc_failure_name(RC_NO_FAILURE));
	assert_string_equal(rc_failure_name(RC_RETRIES_EXCEEDED), "retries exceeded");
	assert_string_equal(rc_failure_name(RC_RNR_RETRIES_EXCEEDED), "RNR retries exceeded");
}

static void bad_configuration_is_refused(void **state)
{
	struct rc_params p = plain;
	struct rc_cfg cfg = {0};

	(void)state;
	p.mtu = 1000;
	assert_int_equal(rc_cfg_init(&cfg, &p), -EINVAL);
	p.go_back_n = false; // the reference simulator's size
	assert_int_equal(rc_cfg_init(&cfg, &p), 0);
	p = plain;
	p.mtu = 8192;
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
		cmocka_unit_test(nak_goes_back_to_its_psn),
		cmocka_unit_test(ack_beyond_next_moves_next),
		cmocka_unit_test(acks_outside_the_flight_are_counted),
		cmocka_unit_test(timeout_goes_back_and_gives_up),
		cmocka_unit_test(timeout_runs_while_an_ack_is_owed),
		cmocka_unit_test(progress_forgives_timeouts),
		cmocka_unit_test(other_naks),
		cmocka_unit_test(a_failure_has_a_reason),
		cmocka_unit_test(rnr_times_are_the_table),
		cmocka_unit_test(rnr_retries_are_resends),
		cmocka_unit_test(progress_ends_the_wait),
		cmocka_unit_test(bad_configuration_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
