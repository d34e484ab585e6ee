// SPDX-License-Identifier: BSD-3-Clause
// A requester takes over another configuration while packets are in flight.
#include <inttypes.h>
#include <stdlib.h>

#include "base/prng.h"
#include "rc_lab.h"
#include "rounds.h"
#include "wire/bth.h"

static struct rc_cfg compiled(struct rc_params p)
{
	struct rc_cfg cfg;

	assert_int_equal(rc_cfg_init(&cfg, &p), 0);
	return cfg;
}

static void begin(struct rc_tx *tx, struct rc_cfg *cfg, uint32_t message)
{
	setup_tx(tx, cfg, &plain, 0xfffff0);
	assert_int_equal(rc_tx_post(tx, message, 0), 0);
}

// PSN number n from the start.
static uint32_t psn(uint32_t n)
{
	return (0xfffff0 + n) & BTH_PSN_MASK;
}

// Sends all that may be sent, at `now`. Returns the number of packets.
static unsigned send_all(struct rc_tx *tx, tstamp now)
{
	unsigned n = 0;

	for (; rc_tx_ready(tx); n++)
		send(tx, 1, now);
	return n;
}

static void a_wider_window_opens_at_once(void **state)
{
	struct rc_params p = plain;
	struct rc_cfg cfg, wide;
	struct rc_tx tx;

	(void)state;
	p.window = 100;
	wide = compiled(p);
	begin(&tx, &cfg, 1 << 20);
	assert_int_equal(send_all(&tx, 0), 64);
	rc_tx_adopt(&tx, &wide, US);
	assert_int_equal(send_all(&tx, US), 36);
}

// Of 64 packets in flight, 10 may be from now on.
static void a_smaller_window_waits_until_they_fit(void **state)
{
	struct rc_params p = plain;
	struct rc_cfg cfg, narrow;
	struct rc_tx tx;

	(void)state;
	p.window = 10;
	narrow = compiled(p);
	begin(&tx, &cfg, 1 << 20);
	assert_int_equal(send_all(&tx, 0), 64);
	rc_tx_adopt(&tx, &narrow, US);
	for (unsigned acked = 4; acked <= 52; acked += 4) {
		rc_tx_ack(&tx, psn(acked - 1), AETH_ACK, 2 * US);
		assert_false(rc_tx_ready(&tx));
	}
	rc_tx_ack(&tx, psn(54 - 1), AETH_ACK, 2 * US); // 10 are left
	assert_false(rc_tx_ready(&tx));
	rc_tx_ack(&tx, psn(55 - 1), AETH_ACK, 2 * US);
	assert_int_equal(send_all(&tx, 2 * US), 1);
}

// None of 20 packets in flight has asked for an ACK: without one more, nothing would ever come.
static void one_more_packet_asks_where_none_has(void **state)
{
	struct rc_params p = plain;
	struct rc_cfg cfg, narrow;
	struct rc_segment s;
	struct rc_tx tx;

	(void)state;
	p.ack_every = 64;
	cfg = compiled(p);
	setup_tx(&tx, &cfg, &p, 0xfffff0);
	assert_int_equal(rc_tx_post(&tx, 1 << 20, 0), 0);
	send(&tx, 20, 0);
	assert_true(rc_tx_rto_at(&tx) == TSTAMP_NEVER);
	p.window = 8;
	narrow = compiled(p);
	rc_tx_adopt(&tx, &narrow, US);
	s = send(&tx, 1, US);
	assert_true(s.ack_req);
	assert_false(rc_tx_ready(&tx));
	assert_true(rc_tx_rto_at(&tx) == 101 * US);
	rc_tx_ack(&tx, s.psn, AETH_ACK, 2 * US);
	assert_int_equal(send_all(&tx, 2 * US), 8);
}

// The timeout has run for 30 us when another one is taken over.
static void a_timeout_keeps_its_begin(void **state)
{
	static const struct {
		tstamp rto, due;
	} row[] = {{100 * US, 100 * US}, {50 * US, 50 * US}, {20 * US, 30 * US}, {US, 30 * US},
		{400 * US, 400 * US}, {TSTAMP_NEVER, TSTAMP_NEVER}};
	struct rc_cfg cfg, to;
	struct rc_tx tx;

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct rc_params p = plain;

		p.rto_ps = row[i].rto;
		to = compiled(p);
		begin(&tx, &cfg, 1 << 20);
		send(&tx, 4, 0);
		rc_tx_adopt(&tx, &to, 30 * US);
		assert_true(rc_tx_rto_at(&tx) == row[i].due);
		rc_tx_adopt(&tx, &cfg, 30 * US);
		assert_true(
			rc_tx_rto_at(&tx) == (row[i].rto == TSTAMP_NEVER    ? 130 * US
						     : row[i].rto < 30 * US ? 130 * US - row[i].rto
									    : 100 * US));
	}
}

// Two timeouts have passed: with one retry the next one fails the queue pair, not the second next.
static void fewer_retries_end_at_the_next_timeout(void **state)
{
	struct rc_params p = plain;
	struct rc_cfg cfg, few;
	struct rc_tx tx;

	(void)state;
	p.retries = 1;
	few = compiled(p);
	begin(&tx, &cfg, 1 << 20);
	for (unsigned i = 0; i < 2; i++) {
		send_all(&tx, 0);
		assert_int_equal(rc_tx_expire(&tx, rc_tx_rto_at(&tx)), RC_TIMEOUT);
	}
	assert_false(tx.failed);
	rc_tx_adopt(&tx, &few, 500 * US);
	send_all(&tx, 500 * US);
	assert_int_equal(rc_tx_expire(&tx, rc_tx_rto_at(&tx)), RC_TIMEOUT);
	assert_int_equal(tx.failed, RC_RETRIES_EXCEEDED);
}

// One at rest does what a new one would do.
static void at_rest_it_is_as_new(void **state)
{
	struct rc_params p = plain;
	struct rc_cfg cfg, to;
	struct rc_segment s;
	struct rc_tx tx;

	(void)state;
	p.ack_every = 3;
	p.window = 7;
	p.rto_ps = 5 * US;
	to = compiled(p);
	setup_tx(&tx, &cfg, &plain, 5);
	rc_tx_adopt(&tx, &to, US);
	rc_tx_unlend(&tx);
	assert_true(rc_tx_rests(&tx));
	rc_tx_lend(&tx, ring, RC_MESSAGES);
	assert_int_equal(rc_tx_post(&tx, 1 << 20, 0), 0);
	for (unsigned i = 1; i <= 7; i++) {
		s = send(&tx, 1, US);
		assert_int_equal(s.ack_req, i % 3 == 0);
	}
	assert_false(rc_tx_ready(&tx));
}

static void only_what_may_change_does(void **state)
{
	struct rc_params p = plain;
	struct rc_cfg was = compiled(p), to;

	(void)state;
	p.window = 1;
	p.ack_every = 7;
	p.rto_ps = 3;
	p.retries = 0;
	p.rnr_retries = 0;
	to = compiled(p);
	assert_true(rc_may_adopt(&was, &to));
	p.mtu = 512;
	to = compiled(p);
	assert_false(rc_may_adopt(&was, &to));
	p = plain;
	p.verb = RC_SEND;
	to = compiled(p);
	assert_false(rc_may_adopt(&was, &to));
}

struct channel {
	struct prng g;
	struct rc_tx tx;
	struct rc_rx rx;
	struct rc_rx_stats stats;
	struct rc_cfg cfg[8];
	tstamp now;
	unsigned messages, done;
};

static struct rc_cfg at_random(struct prng *g)
{
	struct rc_params p = plain;

	p.window = 1 + (uint32_t)prng_below(g, 40);
	p.ack_every = 1 + (uint32_t)prng_below(g, 40);
	p.rto_ps = prng_below(g, 8) ? (1 + prng_below(g, 300)) * US : 100 * US;
	p.retries = RC_NO_LIMIT;
	p.rnr_retries = prng_below(g, 2) ? RC_RNR_NO_LIMIT : 6;
	return compiled(p);
}

static void take(struct channel *c, unsigned done)
{
	struct rc_message m;

	while (done--)
		assert_true(rc_tx_done(&c->tx, &m));
	c->done = (unsigned)past.done;
}

// A packet goes to the responder; the packet or the answer may be lost.
static void one_packet(struct channel *c)
{
	struct rc_segment s = send(&c->tx, 1, c->now);
	uint32_t at, msn;
	uint8_t syndrome;
	bool ack;
	enum rc_rx_verdict v;

	if (!prng_below(&c->g, 20))
		return;
	v = rc_rx(&c->rx, s.opcode, s.psn, s.payload, s.ack_req, &ack);
	if (!ack)
		return;
	rc_rx_ack(&c->rx, v == RC_RX_GAP, &at, &syndrome, &msn);
	if (!prng_below(&c->g, 20)) // not ready
		syndrome = 1 << 5 | 1;
	if (prng_below(&c->g, 10))
		take(c, rc_tx_ack(&c->tx, at, syndrome, c->now));
}

static void adopt(struct channel *c)
{
	const struct rc_cfg *to = &c->cfg[prng_below(&c->g, 8)];

	rc_tx_adopt(&c->tx, to, c->now);
	if (prng_below(&c->g, 2))
		c->rx.cfg = to;
}

static void run(uint64_t seed)
{
	struct channel c = {.messages = 40};
	unsigned posted = 0;

	prng_init(&c.g, seed, "adopt");
	for (unsigned i = 0; i < 8; i++)
		c.cfg[i] = at_random(&c.g);
	past = (struct rc_past){0};
	rc_tx_init(&c.tx, &c.cfg[0], &past, 0xffff00);
	rc_tx_lend(&c.tx, ring, 4);
	rc_rx_init(&c.rx, &c.cfg[0], &c.stats, 0xffff00);
	for (unsigned steps = 0; c.done < c.messages; steps++) {
		assert_true(steps < 200000);
		if (!prng_below(&c.g, 30))
			adopt(&c);
		if (posted < c.messages && c.tx.messages + past.untaken < 4) {
			assert_int_equal(
				rc_tx_post(&c.tx, (uint32_t)prng_below(&c.g, 40000), c.now), 0);
			posted++;
		}
		if (rc_tx_ready(&c.tx))
			one_packet(&c);
		else // what is in flight has asked for an ACK, or a wait runs
			assert_true(rc_tx_rto_at(&c.tx) != TSTAMP_NEVER);
		c.now += US;
		if (!rc_tx_ready(&c.tx))
			c.now = tstamp_max(c.now, rc_tx_rto_at(&c.tx));
		if (rc_tx_rto_at(&c.tx) <= c.now)
			rc_tx_expire(&c.tx, c.now);
		assert_false(c.tx.failed);
	}
	assert_int_equal(c.stats.messages, c.messages);
}

// Packets are lost and configurations are taken over, and each message comes once and in order.
static void messages_come_whatever_is_taken_over(void **state)
{
	(void)state;
	const char *from = getenv("QUENCH_SEED");
	uint64_t seed = from ? strtoull(from, NULL, 10) : 1;

	for (unsigned i = 0; i < rounds_of(400); i++, seed++) {
		print_message("seed %" PRIu64 "\n", seed);
		run(seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wider_window_opens_at_once),
		cmocka_unit_test(a_smaller_window_waits_until_they_fit),
		cmocka_unit_test(one_more_packet_asks_where_none_has),
		cmocka_unit_test(a_timeout_keeps_its_begin),
		cmocka_unit_test(fewer_retries_end_at_the_next_timeout),
		cmocka_unit_test(at_rest_it_is_as_new),
		cmocka_unit_test(only_what_may_change_does),
		cmocka_unit_test(messages_come_whatever_is_taken_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
