// SPDX-License-Identifier: BSD-3-Clause
// Answers that reach the RC requester, or do not: NAKs, RNR NAKs, timeouts, ACKs outside of the
// flight (standards.md 3.1).
#include "rc_lab.h"

#include <errno.h>

#include "wire/bth.h"

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
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 1, 1024, true); // the first one asks
	assert_true(s.retx);
	assert_true(rc_tx_rto_at(&tx) == 100 * US + 2);
	s = send(&tx, 1, 2);
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 2, 1024, false);
	s = send(&tx, 2, 2);
	assert_true(s.retx);
	s = send(&tx, 1, 2);
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 5, 1024, true); // the 4th behind it
	assert_false(s.retx);
}

// An ACK of packets that were sent before the go-back spares sending them again.
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
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 6, 1024, true);
	assert_true(s.retx);
	s = send(&tx, 1, 102 * US);
	assert_segment(&s, BTH_RC_WRITE_MIDDLE, 7, 1024, false);
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
	assert_true(rc_tx_rto_at(&tx) == 100 * US + 50); // the first repeated packet asks
	rc_tx_ack(&tx, 5, AETH_ACK, 60);
	send(&tx, 3, 65);
	assert_true(rc_tx_rto_at(&tx) == TSTAMP_NEVER); // psn 7 has not asked again
	send(&tx, 1, 70);
	assert_true(rc_tx_rto_at(&tx) == 100 * US + 70);
	rc_tx_ack(&tx, 9, AETH_ACK, 80);
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

// Packets that the receiver has got after all need not wait.
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nak_goes_back_to_its_psn),
		cmocka_unit_test(ack_beyond_next_moves_next),
		cmocka_unit_test(acks_outside_the_flight_are_counted),
		cmocka_unit_test(timeout_goes_back_and_gives_up),
		cmocka_unit_test(timeout_runs_while_an_ack_is_owed),
		cmocka_unit_test(progress_forgives_timeouts),
		cmocka_unit_test(other_naks),
		cmocka_unit_test(rnr_times_are_the_table),
		cmocka_unit_test(rnr_retries_are_resends),
		cmocka_unit_test(progress_ends_the_wait),
		cmocka_unit_test(a_failure_has_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
