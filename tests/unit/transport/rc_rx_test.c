// SPDX-License-Identifier: BSD-3-Clause
// The RC responder: verdicts, ACK coalescing, one NAK per gap, 24-bit PSNs (standards.md 3.1).
#include "transport/rc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "wire/bth.h"

static const struct rc_params plain = {
	.mtu = 1024,
	.window = 64,
	.ack_every = 4,
	.rto_ps = PS_PER_MS,
	.recovery = RC_GO_BACK_N,
};

static struct rc_rx_stats taken;

static void setup_rx(struct rc_rx *rx, struct rc_cfg *cfg, const struct rc_params *p, uint32_t psn)
{
	assert_int_equal(rc_cfg_init(cfg, p), 0);
	taken = (struct rc_rx_stats){0};
	rc_rx_init(rx, cfg, &taken, psn);
}

static void assert_rx(
	struct rc_rx *rx, uint8_t op, uint32_t psn, bool ack_req, enum rc_rx_verdict v, bool ack)
{
	bool got = !ack;

	assert_int_equal(rc_rx(rx, op, psn, 1024, ack_req, &got), v);
	assert_int_equal(got, ack);
}

static void assert_reply(struct rc_rx *rx, bool nak, uint32_t psn, uint8_t syndrome, uint32_t msn)
{
	uint32_t got_psn, got_msn;
	uint8_t got_syndrome;

	rc_rx_ack(rx, nak, &got_psn, &got_syndrome, &got_msn);
	assert_int_equal(got_psn, psn);
	assert_int_equal(got_syndrome, syndrome);
	assert_int_equal(got_msn, msn);
}

static void in_order_packets_are_accepted_across_the_wrap(void **state)
{
	struct rc_cfg cfg;
	struct rc_rx rx;

	(void)state;
	setup_rx(&rx, &cfg, &plain, 0xffffff);
	assert_rx(&rx, BTH_RC_WRITE_FIRST, 0xffffff, true, RC_RX_ACCEPT, true);
	assert_reply(&rx, false, 0xffffff, AETH_ACK, 0);
	assert_rx(&rx, BTH_RC_WRITE_MIDDLE, 0, false, RC_RX_ACCEPT, false);
	assert_rx(&rx, BTH_RC_WRITE_LAST, 1, true, RC_RX_ACCEPT, true);
	assert_reply(&rx, false, 1, AETH_ACK, 1);
	assert_rx(&rx, BTH_RC_SEND_ONLY, 2, true, RC_RX_ACCEPT, true);
	assert_reply(&rx, false, 2, AETH_ACK, 2);
	assert_int_equal(taken.packets, 4);
	assert_int_equal(taken.payload_bytes, 4096);
	assert_int_equal(taken.messages, 2);
	assert_int_equal(taken.acks, 3);
}

// A requester that never asks is answered all the same.
static void acks_come_every_n_packets_unasked(void **state)
{
	struct rc_cfg cfg;
	struct rc_rx rx;

	(void)state;
	setup_rx(&rx, &cfg, &plain, 0);
	for (uint32_t psn = 0; psn < 12; psn++) {
		bool due = psn % 4 == 3;

		assert_rx(&rx, BTH_RC_WRITE_MIDDLE, psn, false, RC_RX_ACCEPT, due);
		if (due)
			assert_reply(&rx, false, psn, AETH_ACK, 0);
	}
	assert_rx(&rx, BTH_RC_WRITE_MIDDLE, 12, true, RC_RX_ACCEPT, true);
	assert_reply(&rx, false, 12, AETH_ACK, 0);
	assert_rx(&rx, BTH_RC_WRITE_MIDDLE, 13, false, RC_RX_ACCEPT, false);
}

static void a_gap_is_nakked_once_until_it_is_filled(void **state)
{
	struct rc_cfg cfg;
	struct rc_rx rx;

	(void)state;
	setup_rx(&rx, &cfg, &plain, 10);
	assert_rx(&rx, BTH_RC_WRITE_FIRST, 10, false, RC_RX_ACCEPT, false);
	assert_rx(&rx, BTH_RC_WRITE_MIDDLE, 12, false, RC_RX_GAP, true);
	assert_reply(&rx, true, 11, AETH_NAK_PSN, 0);
	assert_rx(&rx, BTH_RC_WRITE_MIDDLE, 13, true, RC_RX_DISCARD, false);
	assert_rx(&rx, BTH_RC_WRITE_FIRST, 10, false, RC_RX_DUPLICATE, true);
	assert_reply(&rx, false, 10, AETH_ACK, 0);
	assert_rx(&rx, BTH_RC_WRITE_LAST, 14, true, RC_RX_DISCARD, false);
	assert_rx(&rx, BTH_RC_WRITE_MIDDLE, 11, false, RC_RX_ACCEPT, false);
	assert_rx(&rx, BTH_RC_WRITE_MIDDLE, 13, false, RC_RX_GAP, true);
	assert_reply(&rx, true, 12, AETH_NAK_PSN, 0);
	assert_int_equal(taken.sequence_errors, 2);
	assert_int_equal(taken.discarded, 2);
	assert_int_equal(taken.duplicates, 1);
	assert_int_equal(taken.packets, 2);
	assert_int_equal(taken.naks, 2);
}

// 2^23 - 1 ahead is a gap, 2^23 ahead is behind. A refused request has its NAK; nothing after it is
// taken or answered.
static void a_refusal_ends_it(void **state)
{
	struct rc_rx rx;
	struct rc_cfg cfg;
	uint32_t psn, msn;
	bool ack;

	(void)state;
	setup_rx(&rx, &cfg, &plain, 0xffffff);
	assert_int_equal(rc_rx(&rx, BTH_RC_SEND_ONLY, 0xffffff, 7, true, &ack), RC_RX_ACCEPT);
	rc_rx_refuse(&rx, &psn, &msn);
	assert_int_equal(psn, 0);
	assert_int_equal(msn, 1);
	assert_int_equal(taken.naks, 1);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(rc_rx(&rx, BTH_RC_SEND_ONLY, (i - 2) & 0xffffff, 7, true, &ack),
			RC_RX_DISCARD);
		assert_false(ack);
	}
	assert_int_equal(taken.discarded, 4);
	assert_int_equal(taken.packets, 1);
}

static void half_the_psn_space_is_ahead(void **state)
{
	struct rc_cfg cfg;
	struct rc_rx rx;

	(void)state;
	setup_rx(&rx, &cfg, &plain, 0xfffff0);
	assert_rx(&rx, BTH_RC_WRITE_MIDDLE, 0x7ffff0, false, RC_RX_DUPLICATE, true);
	assert_rx(&rx, BTH_RC_WRITE_MIDDLE, 0x7fffef, false, RC_RX_GAP, true);
	assert_rx(&rx, BTH_RC_WRITE_MIDDLE, 0xffffef, false, RC_RX_DUPLICATE, true);
}

// Framing hpcc_sim: any order, every packet acknowledged, nothing NAKed.
static void any_order_without_go_back_n(void **state)
{
	struct rc_params p = plain;
	struct rc_cfg cfg;
	struct rc_rx rx;

	(void)state;
	p.mtu = 1000;
	p.recovery = RC_ANY_ORDER;
	setup_rx(&rx, &cfg, &p, 0);
	assert_rx(&rx, BTH_RC_WRITE_FIRST, 0, false, RC_RX_ACCEPT, true);
	assert_reply(&rx, false, 0, AETH_ACK, 0);
	assert_rx(&rx, BTH_RC_WRITE_MIDDLE, 2, false, RC_RX_ACCEPT, true);
	assert_reply(&rx, false, 2, AETH_ACK, 0);
	assert_rx(&rx, BTH_RC_WRITE_MIDDLE, 1, false, RC_RX_ACCEPT, true);
	assert_reply(&rx, false, 2, AETH_ACK, 0);
	assert_int_equal(taken.packets, 3);
	assert_int_equal(taken.naks, 0);
}

// A SEND takes a receive, and a WRITE does where it has immediate data; duplicates take none.
static void who_takes_a_receive(void **state)
{
	static const struct {
		uint8_t opcode;
		unsigned receives, immediates;
	} rows[] = {{BTH_RC_SEND_ONLY, 1, 0}, {BTH_RC_SEND_ONLY_IMM, 1, 1},
		{BTH_RC_WRITE_ONLY, 0, 0}, {BTH_RC_WRITE_ONLY_IMM, 1, 1}, {BTH_RC_SEND_FIRST, 0, 0},
		{BTH_RC_SEND_LAST, 1, 0}, {BTH_RC_SEND_FIRST, 0, 0}, {BTH_RC_SEND_LAST_IMM, 1, 1},
		{BTH_RC_WRITE_FIRST, 0, 0}, {BTH_RC_WRITE_MIDDLE, 0, 0}, {BTH_RC_WRITE_LAST, 0, 0},
		{BTH_RC_WRITE_FIRST, 0, 0}, {BTH_RC_WRITE_LAST_IMM, 1, 1}};
	unsigned receives = 0, immediates = 0;
	struct rc_cfg cfg;
	struct rc_rx rx;
	bool ack;

	(void)state;
	setup_rx(&rx, &cfg, &plain, 0);
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(rc_rx(&rx, rows[i].opcode, i, 0, false, &ack), RC_RX_ACCEPT);
		assert_int_equal(rc_rx(&rx, rows[i].opcode, i, 0, false, &ack), RC_RX_DUPLICATE);
		receives += rows[i].receives;
		immediates += rows[i].immediates;
		assert_int_equal(taken.receives, receives);
		assert_int_equal(taken.immediates, immediates);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_takes_a_receive),
		cmocka_unit_test(in_order_packets_are_accepted_across_the_wrap),
		cmocka_unit_test(acks_come_every_n_packets_unasked),
		cmocka_unit_test(a_gap_is_nakked_once_until_it_is_filled),
		cmocka_unit_test(a_refusal_ends_it),
		cmocka_unit_test(half_the_psn_space_is_ahead),
		cmocka_unit_test(any_order_without_go_back_n),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
