// SPDX-License-Identifier: BSD-3-Clause
// READs with selective repeat over a channel that loses, repeats and reorders requests, responses
// and NAKs: each byte is delivered once, messages end in order, and without a loss nothing is asked
// for twice.
#include "transport/irn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "wire/bth.h"
#include "rounds.h"

#define RUNS     400
#define MESSAGES 40
#define FRAMES   8192 // on the way at a time
#define GAP      (100 * PS_PER_NS)
#define LIMIT    (10 * PS_PER_S)
#define MAPS     1
#define PACKETS  (MESSAGES * 240)

struct frame {
	tstamp at;
	struct rc_segment seg; // of a NAK: its PSN alone
	bool nak;
};

// Frames on the way in one direction, in no order.
struct way {
	struct frame frame[FRAMES];
	unsigned n;
};

struct pair {
	struct rc_params p;
	struct rc_cfg cfg;
	struct rc_tx tx, out;
	struct rc_past past, none;
	struct rc_source src;
	struct rc_message ring[RC_MESSAGES];
	struct irn_pool pool;
	void *memory;
	struct way asks, data;
	struct prng rng;
	unsigned loss, twice, late; // permille
	uint32_t psn, bytes[MESSAGES], posted, completed;
	uint64_t sent, again, taken, expected; // bytes
	uint64_t repeated;                     // requests
	uint8_t came[PACKETS];
	tstamp send_at;
};

static unsigned earliest(const struct way *w)
{
	unsigned first = 0;

	for (unsigned i = 1; i < w->n; i++)
		if (w->frame[i].at < w->frame[first].at)
			first = i;
	return first;
}

static tstamp way_at(const struct way *w)
{
	return w->n ? w->frame[earliest(w)].at : TSTAMP_NEVER;
}

static struct frame take(struct way *w)
{
	unsigned i = earliest(w);
	struct frame f = w->frame[i];

	w->frame[i] = w->frame[--w->n];
	return f;
}

static void put(struct pair *c, struct way *w, const struct frame *f, tstamp now)
{
	unsigned copies = 1 + (prng_below(&c->rng, 1000) < c->twice);

	if (prng_below(&c->rng, 1000) < c->loss)
		return;
	while (copies--) {
		tstamp more =
			prng_below(&c->rng, 1000) < c->late ? prng_below(&c->rng, 30 * GAP) : 0;

		assert_true(w->n < FRAMES);
		w->frame[w->n] = *f;
		w->frame[w->n++].at = now + 10 * GAP + more;
	}
}

static void post(struct pair *c, tstamp now)
{
	static const uint32_t most[] = {1, 300, 5000, 60000};

	while (c->posted < MESSAGES && c->tx.messages + c->past.untaken < 16) {
		uint32_t bytes = 1 + (uint32_t)prng_below(&c->rng, most[prng_below(&c->rng, 4)]);

		if (!prng_below(&c->rng, 4))
			bytes = c->p.mtu * (1 + bytes / c->p.mtu);
		assert_int_equal(rc_tx_post(&c->tx, bytes, now), 0);
		c->bytes[c->posted++] = bytes;
		c->expected += bytes;
	}
}

// Requests leave at once, as the NIC sends them.
static void ask(struct pair *c, tstamp now)
{
	struct frame f = {0};
	tstamp at = now;

	while (rc_tx_ready(&c->tx)) {
		irn_read_request(&c->tx, &c->pool, &f.seg, now);
		c->repeated += f.seg.retx;
		put(c, &c->asks, &f, at++);
	}
}

static void request_arrives(struct pair *c, tstamp now)
{
	const struct frame f = take(&c->asks);
	enum rc_rx_verdict v = rc_source_request(&c->src, &c->out, f.seg.psn, f.seg.dma_len);
	const struct frame nak = {.nak = true, .seg.psn = c->src.epsn};

	assert_true(v != RC_RX_INVALID);
	if (v == RC_RX_GAP)
		put(c, &c->data, &nak, now);
}

static void answer_arrives(struct pair *c, tstamp now)
{
	const struct frame f = take(&c->data);
	uint32_t at = (f.seg.psn - c->psn) & BTH_PSN_MASK;
	enum rc_rx_verdict v;
	struct rc_message m;
	unsigned done = 0;

	if (f.nak) {
		irn_read_nak(&c->tx, &c->pool, f.seg.psn, AETH_NAK_PSN, now);
		return;
	}
	v = irn_read_response(&c->tx, &c->pool, f.seg.psn, f.seg.payload, &done, now);
	if (v == RC_RX_ACCEPT || v == RC_RX_GAP) {
		assert_true(at < PACKETS);
		assert_int_equal(c->came[at]++, 0);
		c->taken += f.seg.payload;
	}
	while (rc_tx_done(&c->tx, &m)) {
		assert_int_equal(m.bytes, c->bytes[c->completed++]);
		done--;
	}
	assert_int_equal(done, 0);
}

static void send(struct pair *c, tstamp now)
{
	struct frame f = {0};

	rc_source_next(&c->src, &c->out, &f.seg);
	c->sent++;
	c->again += f.seg.retx;
	put(c, &c->data, &f, now);
	c->send_at = now + GAP;
}

static void run(struct pair *c)
{
	tstamp now = 0;

	while (c->completed < MESSAGES) {
		tstamp ready, at;

		post(c, now);
		ask(c, now);
		ready = rc_tx_ready(&c->out) ? tstamp_max(now, c->send_at) : TSTAMP_NEVER;
		at = tstamp_min(tstamp_min(way_at(&c->data), way_at(&c->asks)),
			tstamp_min(ready, rc_tx_rto_at(&c->tx)));
		assert_true(at >= now && at < LIMIT); // else nobody would ever move again
		now = at;
		if (way_at(&c->data) == now)
			answer_arrives(c, now);
		else if (way_at(&c->asks) == now)
			request_arrives(c, now);
		else if (rc_tx_rto_at(&c->tx) == now)
			irn_read_expire(&c->tx, &c->pool, now);
		else
			send(c, now);
	}
}

static void set_up(struct pair *c, uint64_t seed, enum rc_recovery recovery)
{
	static const uint32_t caps[] = {1, 3, 64, 200, 1000};

	memset(c, 0, sizeof(*c));
	prng_init(&c->rng, seed, "irn_read");
	c->p = (struct rc_params){.verb = RC_READ,
		.mtu = 256u << prng_below(&c->rng, 5),
		.window = caps[prng_below(&c->rng, 5)],
		.ack_every = 16,
		.recovery = recovery,
		.rto_low_ps = 100 * GAP,
		.rto_ps = 500 * GAP,
		.nack_threshold = 1 + (uint32_t)prng_below(&c->rng, 3) * 7,
		.retries = RC_NO_LIMIT,
		.rd_atomic = 1 + (unsigned)prng_below(&c->rng, RC_READS)};
	c->psn = (uint32_t)(BTH_PSN_MASK - prng_below(&c->rng, 600));
	assert_int_equal(rc_cfg_init(&c->cfg, &c->p), 0);
	c->memory = calloc(MAPS, irn_map_bytes(&c->cfg));
	assert_non_null(c->memory);
	irn_pool_init(&c->pool, c->memory, prng_below(&c->rng, 8) ? MAPS : 0,
		irn_map_bytes(&c->cfg)); // or none at all
	rc_tx_init(&c->tx, &c->cfg, &c->past, c->psn);
	rc_tx_lend(&c->tx, c->ring, RC_MESSAGES);
	rc_tx_init(&c->out, &c->cfg, &c->none, c->psn);
	rc_source_init(&c->src, &c->cfg, &c->out, c->psn);
}

static void check_end(struct pair *c)
{
	assert_true(c->taken == c->expected);
	assert_int_equal(c->past.done, MESSAGES);
	assert_int_equal(c->tx.una, rc_tx_end(&c->tx));
	assert_int_equal(c->past.repair, 0);
	assert_false(c->past.resend);
	assert_false(c->tx.failed);
	assert_true(rc_tx_rto_at(&c->tx) == TSTAMP_NEVER);
	free(c->memory);
}

static void all_is_delivered_once(enum rc_recovery recovery)
{
	static struct pair c;
	uint64_t again = 0, timeouts = 0, repeated = 0;

	for (uint64_t seed = 1; seed <= rounds_of(RUNS); seed++) {
		set_up(&c, seed, recovery);
		c.loss = (unsigned)(seed % 16) * 10;
		c.twice = seed % 3 ? 0 : 100;
		c.late = seed % 5 ? 0 : 200;
		print_message("seed %llu loss %u twice %u late %u cap %u reads %u\n",
			(unsigned long long)seed, c.loss, c.twice, c.late, c.p.window,
			c.p.rd_atomic);
		run(&c);
		again += c.again;
		timeouts += c.past.stats.timeouts;
		repeated += c.repeated;
		check_end(&c);
	}
	assert_true(!rounds_are_all() || (again > 1000 && timeouts > 500 && repeated > 1000));
}

static void irn_delivers_all_once(void **state)
{
	(void)state;
	all_is_delivered_once(RC_IRN);
}

static void skip_delivers_all_once(void **state)
{
	(void)state;
	all_is_delivered_once(RC_SKIP);
}

static void nothing_is_asked_twice_where_nothing_is_lost(void **state)
{
	static struct pair c;

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		set_up(&c, seed, seed % 2 ? RC_IRN : RC_SKIP);
		run(&c);
		assert_int_equal(c.again + c.repeated + c.past.stats.timeouts, 0);
		check_end(&c);
	}
}

// One READ of 8 responses by itself.
static void set_up_one(struct pair *c, enum rc_recovery recovery)
{
	struct rc_segment s;

	set_up(c, 1, recovery);
	c->p.mtu = 1024;
	c->p.window = 64;
	c->p.nack_threshold = 1;
	assert_int_equal(rc_cfg_init(&c->cfg, &c->p), 0);
	free(c->memory);
	c->memory = calloc(MAPS, irn_map_bytes(&c->cfg));
	assert_non_null(c->memory);
	irn_pool_init(&c->pool, c->memory, MAPS, irn_map_bytes(&c->cfg));
	assert_int_equal(rc_tx_post(&c->tx, 8 * 1024, 0), 0);
	irn_read_request(&c->tx, &c->pool, &s, 0);
	assert_int_equal(s.dma_len, 8 * 1024);
	assert_int_equal(rc_source_request(&c->src, &c->out, s.psn, s.dma_len), RC_RX_ACCEPT);
}

static enum rc_rx_verdict comes(struct pair *c, uint32_t at)
{
	unsigned done;

	return irn_read_response(&c->tx, &c->pool, (c->psn + at) & BTH_PSN_MASK, 1024, &done, 0);
}

static void requested(struct pair *c, uint32_t at, uint32_t packets)
{
	struct rc_segment s;

	assert_true(rc_tx_ready(&c->tx));
	irn_read_request(&c->tx, &c->pool, &s, 0);
	assert_true(s.retx);
	assert_int_equal(s.psn, (c->psn + at) & BTH_PSN_MASK);
	assert_int_equal(s.dma_len, packets * 1024);
}

static void each_gap_is_asked_for_once(void **state)
{
	static struct pair c;

	(void)state;
	set_up_one(&c, RC_IRN);
	assert_int_equal(comes(&c, 0), RC_RX_ACCEPT);
	assert_int_equal(comes(&c, 3), RC_RX_GAP);
	requested(&c, 1, 2);
	assert_false(rc_tx_ready(&c.tx));
	assert_int_equal(comes(&c, 3), RC_RX_DUPLICATE);
	assert_int_equal(comes(&c, 5), RC_RX_GAP);
	requested(&c, 4, 1);
	assert_int_equal(comes(&c, 1), RC_RX_ACCEPT);
	assert_false(rc_tx_ready(&c.tx));
	// The timeout asks for all that has not come.
	assert_int_equal(irn_read_expire(&c.tx, &c.pool, c.past.rto_at), RC_NOT_DUE);
	assert_int_equal(irn_read_expire(&c.tx, &c.pool, c.past.rto_at), RC_TIMEOUT);
	requested(&c, 2, 1);
	requested(&c, 4, 1);
	requested(&c, 6, 2);
	assert_false(rc_tx_ready(&c.tx));
	free(c.memory);
}

static void skip_asks_for_the_rest_too(void **state)
{
	static struct pair c;

	(void)state;
	set_up_one(&c, RC_SKIP);
	assert_int_equal(comes(&c, 2), RC_RX_GAP);
	requested(&c, 0, 2);
	requested(&c, 3, 5);
	assert_int_equal(comes(&c, 5), RC_RX_GAP);
	assert_false(rc_tx_ready(&c.tx)); // until the expected one has come
	assert_int_equal(comes(&c, 0), RC_RX_ACCEPT);
	assert_int_equal(comes(&c, 6), RC_RX_GAP);
	requested(&c, 1, 1);
	requested(&c, 3, 2);
	requested(&c, 7, 1);
	free(c.memory);
}

static void what_is_missing_is_served_first(void **state)
{
	static struct pair c;
	struct rc_segment s;

	(void)state;
	set_up_one(&c, RC_IRN);
	for (uint32_t i = 0; i < 4; i++)
		rc_source_next(&c.src, &c.out, &s);
	// Two gaps are served in their order, then the request goes on where it was.
	rc_source_request(&c.src, &c.out, (c.psn + 1) & BTH_PSN_MASK, 1024);
	rc_source_request(&c.src, &c.out, (c.psn + 3) & BTH_PSN_MASK, 1024);
	static const uint32_t order[] = {1, 3, 4, 5, 6, 7};
	for (unsigned i = 0; i < 6; i++) {
		rc_source_next(&c.src, &c.out, &s);
		assert_int_equal(s.psn, (c.psn + order[i]) & BTH_PSN_MASK);
		assert_int_equal(s.retx, i < 2);
		assert_int_equal(s.opcode, i < 2    ? BTH_RC_READ_ONLY
					   : i == 5 ? BTH_RC_READ_LAST
						    : BTH_RC_READ_MIDDLE);
	}
	assert_false(rc_tx_ready(&c.out));
	free(c.memory);
}

static void odd_naks_change_nothing(void **state)
{
	static struct pair c;

	(void)state;
	set_up_one(&c, RC_IRN);
	irn_read_nak(&c.tx, &c.pool, c.psn, 0x20, 0); // RNR: a READ needs no receive
	irn_read_nak(&c.tx, &c.pool, c.psn + 9, AETH_NAK_PSN, 0);
	assert_int_equal(c.past.stats.bad_acks, 2);
	assert_false(rc_tx_ready(&c.tx));
	irn_read_nak(&c.tx, &c.pool, c.psn, AETH_NAK_PSN, 0);
	requested(&c, 0, 8);
	irn_read_nak(&c.tx, &c.pool, c.psn, AETH_NAK_ACCESS, 0);
	assert_int_equal(c.tx.failed, RC_REMOTE_ACCESS_ERROR);
	free(c.memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(irn_delivers_all_once),
		cmocka_unit_test(skip_delivers_all_once),
		cmocka_unit_test(nothing_is_asked_twice_where_nothing_is_lost),
		cmocka_unit_test(each_gap_is_asked_for_once),
		cmocka_unit_test(skip_asks_for_the_rest_too),
		cmocka_unit_test(what_is_missing_is_served_first),
		cmocka_unit_test(odd_naks_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
