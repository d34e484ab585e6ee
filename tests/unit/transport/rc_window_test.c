// SPDX-License-Identifier: BSD-3-Clause
// The requester's window of bytes: which packet may start, which one asks for an ACK, and what
// opens it again.
#include "transport/rc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "wire/bth.h"

#define US PS_PER_US

static void begin(struct rc_tx *tx, const struct rc_cfg *cfg)
{
	static struct rc_message ring[RC_MESSAGES];
	static struct rc_past past;

	past = (struct rc_past){0};
	rc_tx_init(tx, cfg, &past, 0xfffffe);
	rc_tx_lend(tx, ring, RC_MESSAGES);
}

// Packets of 1024 bytes that ask for an ACK by themselves only at the end of a message.
static void set_up(struct rc_tx *tx, struct rc_cfg *cfg, uint32_t message, unsigned n)
{
	const struct rc_params p = {.verb = RC_WRITE,
		.mtu = 1024,
		.window = 4096,
		.ack_every = 4096,
		.rto_ps = 100 * US,
		.retries = RC_NO_LIMIT,
		.recovery = RC_GO_BACK_N};

	assert_int_equal(rc_cfg_init(cfg, &p), 0);
	begin(tx, cfg);
	while (n--)
		assert_int_equal(rc_tx_post(tx, message, 0), 0);
}

// PSN number n from the start.
static uint32_t psn(uint32_t n)
{
	return (0xfffffe + n) & BTH_PSN_MASK;
}

// Sends n packets, of which only the last asks for an ACK where `asks`.
static void send(struct rc_tx *tx, unsigned n, bool asks)
{
	struct rc_segment s;

	while (n--) {
		assert_true(rc_tx_ready(tx));
		rc_tx_next(tx, &s, 0);
		assert_int_equal(s.ack_req, asks && !n);
	}
}

static void assert_bytes(const struct rc_tx *tx, uint64_t una, uint64_t next)
{
	assert_int_equal(rc_tx_acked(tx), una);
	assert_int_equal(rc_tx_sent_bytes(tx), next);
}

static void the_last_packet_may_overrun_the_window(void **state)
{
	static const struct {
		uint64_t window;
		unsigned packets;
	} row[] = {{1, 1}, {1023, 1}, {1024, 1}, {1025, 2}, {2048, 2}, {2500, 3}, {3072, 3}};
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		unsigned n = row[i].packets;

		set_up(&tx, &cfg, 1 << 20, 1);
		rc_tx_set_window(&tx, row[i].window);
		send(&tx, n, true);
		assert_false(rc_tx_ready(&tx));
		assert_bytes(&tx, 0, 1024 * n);
		assert_true(rc_tx_rto_at(&tx) == 100 * US);
		rc_tx_ack(&tx, psn(n - 1), AETH_ACK, US);
		assert_bytes(&tx, 1024 * n, 1024 * n);
		assert_true(rc_tx_rto_at(&tx) == TSTAMP_NEVER);
		send(&tx, n, true); // each window asks
		assert_false(rc_tx_ready(&tx));
	}
}

static void no_window_is_no_limit(void **state)
{
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	set_up(&tx, &cfg, 1 << 20, 1);
	send(&tx, 500, false); // as it was made
	rc_tx_set_window(&tx, 4096);
	send(&tx, 1, true);
	assert_false(rc_tx_ready(&tx));
	rc_tx_set_window(&tx, 0);
	send(&tx, 500, false);
}

// An ACK of some packets opens the window by their bytes.
static void an_ack_opens_what_it_acknowledges(void **state)
{
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	set_up(&tx, &cfg, 1 << 20, 1);
	rc_tx_set_window(&tx, 8192);
	send(&tx, 8, true);
	rc_tx_ack(&tx, psn(2), AETH_ACK, US); // the responder's own count
	assert_bytes(&tx, 3072, 8192);
	send(&tx, 2, false);
	send(&tx, 1, true);
	assert_false(rc_tx_ready(&tx));
	assert_bytes(&tx, 3072, 3072 + 8192);
}

// Nobody has asked for an ACK when the window shrinks below what is in flight: one packet goes that
// asks, and no more.
static void a_window_that_shrank_lets_one_packet_ask(void **state)
{
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	set_up(&tx, &cfg, 1 << 20, 1);
	rc_tx_set_window(&tx, 1 << 20);
	send(&tx, 5, false);
	rc_tx_set_window(&tx, 2000);
	send(&tx, 1, true);
	assert_false(rc_tx_ready(&tx));
	assert_true(rc_tx_rto_at(&tx) == 100 * US);
	rc_tx_ack(&tx, psn(3), AETH_ACK, US); // 2048 are left, and one of them has asked
	assert_false(rc_tx_ready(&tx));
	rc_tx_set_window(&tx, 2049);
	assert_true(rc_tx_ready(&tx));
	rc_tx_set_window(&tx, 2000);
	rc_tx_ack(&tx, psn(5), AETH_ACK, US);
	send(&tx, 2, true);
	assert_false(rc_tx_ready(&tx));
}

// Somebody has asked: his ACK will come, so nothing goes.
static void a_window_that_shrank_waits_for_an_ack_that_will_come(void **state)
{
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	set_up(&tx, &cfg, 1 << 20, 1);
	rc_tx_set_window(&tx, 3072);
	send(&tx, 3, true);
	rc_tx_set_window(&tx, 1 << 20);
	send(&tx, 3, false);
	rc_tx_set_window(&tx, 1024);
	assert_false(rc_tx_ready(&tx));
	rc_tx_ack(&tx, psn(2), AETH_ACK, US); // three are left of which none has asked
	send(&tx, 1, true);
	assert_false(rc_tx_ready(&tx));
}

static void going_back_takes_the_bytes_back(void **state)
{
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	set_up(&tx, &cfg, 1 << 20, 1);
	rc_tx_set_window(&tx, 4096);
	send(&tx, 4, true);
	rc_tx_ack(&tx, psn(1), AETH_NAK_PSN, US); // PSN 1 is missing
	assert_bytes(&tx, 1024, 1024);
	send(&tx, 1, true); // the first repeated packet asks
	send(&tx, 3, true);
	assert_false(rc_tx_ready(&tx));
	assert_true(rc_tx_expire(&tx, 200 * US));
	assert_bytes(&tx, 1024, 1024);
	rc_tx_set_window(&tx, 2048);
	send(&tx, 1, true);
	send(&tx, 1, true);
	assert_false(rc_tx_ready(&tx));
	rc_tx_ack(&tx, psn(4), AETH_ACK, 201 * US); // of the packets before it went back
	assert_bytes(&tx, 5120, 5120);
	assert_int_equal(tx.next, psn(5));
	send(&tx, 2, true);
}

// Their bytes count, not packets of a whole MTU; the last packet of each asks.
static void short_messages_count_their_bytes(void **state)
{
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	set_up(&tx, &cfg, 100, 10);
	rc_tx_set_window(&tx, 250);
	for (unsigned i = 0; i < 3; i++)
		send(&tx, 1, true);
	assert_false(rc_tx_ready(&tx));
	assert_bytes(&tx, 0, 300);
	assert_int_equal(rc_tx_ack(&tx, psn(0), AETH_ACK, US), 1);
	assert_bytes(&tx, 100, 300);
	send(&tx, 1, true);
	assert_false(rc_tx_ready(&tx));
	assert_int_equal(rc_tx_ack(&tx, psn(2), AETH_NAK_PSN, US), 1);
	assert_bytes(&tx, 200, 200);

	set_up(&tx, &cfg, 1500, 10); // 1024 and 476
	rc_tx_set_window(&tx, 1500);
	send(&tx, 2, true);
	assert_false(rc_tx_ready(&tx));
	rc_tx_ack(&tx, psn(0), AETH_ACK, US);
	assert_bytes(&tx, 1024, 1500);
	send(&tx, 1, true); // 476 and 1024 close it
	assert_false(rc_tx_ready(&tx));
	rc_tx_ack(&tx, psn(1), AETH_ACK, US);
	assert_bytes(&tx, 1500, 2524);
}

// Each packet of the simulator's framing is acknowledged, so each of them asks.
static void without_go_back_n_each_packet_asks(void **state)
{
	const struct rc_params p = {.mtu = 1000,
		.window = 4096,
		.ack_every = 64,
		.rto_ps = TSTAMP_NEVER,
		.recovery = RC_ANY_ORDER};
	struct rc_cfg cfg;
	struct rc_tx tx;

	(void)state;
	assert_int_equal(rc_cfg_init(&cfg, &p), 0);
	begin(&tx, &cfg);
	assert_int_equal(rc_tx_post(&tx, 1 << 20, 0), 0);
	rc_tx_set_window(&tx, 2001);
	for (unsigned i = 0; i < 3; i++)
		send(&tx, 1, true);
	assert_false(rc_tx_ready(&tx));
	rc_tx_ack(&tx, psn(0), AETH_ACK, US);
	assert_bytes(&tx, 1000, 3000);
	send(&tx, 1, true);
	assert_false(rc_tx_ready(&tx));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_packet_may_overrun_the_window),
		cmocka_unit_test(no_window_is_no_limit),
		cmocka_unit_test(an_ack_opens_what_it_acknowledges),
		cmocka_unit_test(a_window_that_shrank_lets_one_packet_ask),
		cmocka_unit_test(a_window_that_shrank_waits_for_an_ack_that_will_come),
		cmocka_unit_test(going_back_takes_the_bytes_back),
		cmocka_unit_test(short_messages_count_their_bytes),
		cmocka_unit_test(without_go_back_n_each_packet_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
