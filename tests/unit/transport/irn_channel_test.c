// SPDX-License-Identifier: BSD-3-Clause
// Selective repeat over a channel that loses, repeats and reorders frames in both directions:
// whatever it does, each byte is delivered once, and messages end in order at both ends.
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
#define MESSAGES 60
#define FRAMES   8192 // on the way at a time
#define GAP      (100 * PS_PER_NS)
#define LIMIT    (10 * PS_PER_S)
#define MAPS     2

struct frame {
	tstamp at;
	struct rc_segment seg;
	uint32_t psn, came;
	uint8_t syndrome;
};

// Frames on the way in one direction, in no order.
struct way {
	struct frame frame[FRAMES];
	unsigned n;
};

struct pair {
	struct rc_params p;
	struct rc_cfg cfg;
	struct rc_tx tx;
	struct rc_past past;
	struct rc_message ring[RC_MESSAGES];
	struct rc_rx rx;
	struct rc_rx_stats taken;
	struct irn_pool tx_pool, rx_pool;
	void *memory[2];
	struct way data, answers;
	struct prng rng;
	unsigned loss, twice, late; // permille
	uint32_t bytes[MESSAGES], posted, received, completed;
	uint64_t sent, again, expected; // expected: bytes
	tstamp send_at;
	bool windowed;
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
		// Two frames that come at once come in either order.
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

// A message is whole at the responder: the next in order, with the data that it was sent with.
static void whole(struct pair *c, uint32_t imm)
{
	if (c->cfg.has_imm)
		assert_int_equal(imm, c->received);
	assert_true(c->received < c->posted);
	c->received++;
}

static void data_arrives(struct pair *c, tstamp now)
{
	const struct frame f = take(&c->data);
	const struct rc_segment *s = &f.seg;
	const struct irn_packet p = {s->opcode, s->psn, s->payload, s->word};
	struct frame a = {.came = s->psn};
	uint64_t messages = c->taken.messages;
	uint32_t msn, imm = UINT32_MAX;
	bool ack, nack = false;

	if (rc_rx(&c->rx, s->opcode, s->psn, s->payload, s->ack_req, &ack) == RC_RX_AHEAD) {
		irn_rx(&c->rx, &c->rx_pool, &p, &ack, &nack, now);
		while (irn_rx_message(&c->rx, &c->rx_pool, &imm))
			whole(c, imm);
	} else if (c->taken.messages != messages) {
		whole(c, s->word);
	}
	if (!ack && !nack)
		return;
	rc_rx_ack(&c->rx, nack, &a.psn, &a.syndrome, &msn);
	assert_int_equal(msn, c->received & BTH_PSN_MASK);
	put(c, &c->answers, &a, now);
}

static void answer_arrives(struct pair *c, tstamp now)
{
	const struct frame f = take(&c->answers);
	unsigned n = irn_tx_ack(&c->tx, &c->tx_pool, f.psn, f.syndrome, f.came, now);
	struct rc_message m;

	while (rc_tx_done(&c->tx, &m)) {
		assert_int_equal(m.bytes, c->bytes[c->completed]);
		assert_true(++c->completed <= c->received);
		n--;
	}
	assert_int_equal(n, 0);
}

static void send(struct pair *c, tstamp now)
{
	struct frame f = {0};
	uint32_t next = c->tx.next;

	irn_tx_next(&c->tx, &c->tx_pool, &f.seg, now);
	c->sent++;
	c->again += f.seg.retx;
	assert_true(f.seg.retx == (f.seg.psn != next)); // what is repeated had been sent
	assert_true(((c->tx.next - c->tx.una) & BTH_PSN_MASK) <= c->p.window);
	put(c, &c->data, &f, now);
	c->send_at = now + GAP;
}

static void random_window(struct pair *c)
{
	if (c->windowed && !prng_below(&c->rng, 16))
		rc_tx_set_window(&c->tx, prng_below(&c->rng, 4) * c->p.mtu);
}

static tstamp run(struct pair *c)
{
	tstamp now = 0;

	while (c->completed < MESSAGES) {
		tstamp ready, at;

		post(c, now);
		random_window(c);
		ready = rc_tx_ready(&c->tx) ? tstamp_max(now, c->send_at) : TSTAMP_NEVER;
		at = tstamp_min(tstamp_min(way_at(&c->data), way_at(&c->answers)),
			tstamp_min(ready, rc_tx_rto_at(&c->tx)));
		assert_true(at >= now && at < LIMIT); // else nobody would ever move again
		now = at;
		if (way_at(&c->data) == now)
			data_arrives(c, now);
		else if (way_at(&c->answers) == now)
			answer_arrives(c, now);
		else if (rc_tx_rto_at(&c->tx) == now)
			irn_tx_expire(&c->tx, &c->tx_pool, now);
		else
			send(c, now);
	}
	return now;
}

static void set_up(struct pair *c, uint64_t seed, enum rc_recovery recovery)
{
	static const uint32_t caps[] = {1, 2, 3, 16, 64, 200, 1000};
	static const enum rc_verb verbs[] = {RC_WRITE, RC_SEND, RC_WRITE_IMM, RC_SEND_IMM};
	uint32_t psn;

	memset(c, 0, sizeof(*c));
	prng_init(&c->rng, seed, "irn_channel");
	c->p = (struct rc_params){.verb = verbs[prng_below(&c->rng, 4)],
		.mtu = 256u << prng_below(&c->rng, 5),
		.window = caps[prng_below(&c->rng, 7)],
		.ack_every = 16,
		.recovery = recovery,
		.rto_low_ps = 30 * GAP,
		.rto_ps = 200 * GAP,
		.nack_threshold = 1 + (uint32_t)prng_below(&c->rng, 3) * 7,
		.retries = RC_NO_LIMIT};
	psn = (uint32_t)(BTH_PSN_MASK - prng_below(&c->rng, 600));
	assert_int_equal(rc_cfg_init(&c->cfg, &c->p), 0);
	for (unsigned i = 0; i < 2; i++) {
		unsigned n = prng_below(&c->rng, 8) ? MAPS : 0; // or none at all

		c->memory[i] = calloc(MAPS, irn_map_bytes(&c->cfg));
		assert_non_null(c->memory[i]);
		irn_pool_init(
			i ? &c->rx_pool : &c->tx_pool, c->memory[i], n, irn_map_bytes(&c->cfg));
	}
	rc_tx_init(&c->tx, &c->cfg, &c->past, psn);
	rc_tx_lend(&c->tx, c->ring, RC_MESSAGES);
	rc_rx_init(&c->rx, &c->cfg, &c->taken, psn);
	c->rx.msn = 0;
	c->windowed = !prng_below(&c->rng, 3);
}

static void check_end(struct pair *c)
{
	assert_int_equal(c->received, MESSAGES);
	assert_int_equal(c->taken.messages, MESSAGES);
	assert_int_equal(c->taken.payload_bytes, c->expected);
	assert_int_equal(c->taken.packets, c->sent - c->again);
	assert_int_equal(c->past.done, MESSAGES);
	assert_int_equal(c->tx.una, rc_tx_end(&c->tx));
	assert_int_equal(c->rx.epsn, rc_tx_end(&c->tx));
	assert_int_equal(c->rx.early, 0);
	assert_int_equal(c->past.repair, 0);
	assert_false(c->tx.failed);
	assert_true(rc_tx_rto_at(&c->tx) == TSTAMP_NEVER);
	free(c->memory[0]);
	free(c->memory[1]);
}

static void all_is_delivered_once(enum rc_recovery recovery)
{
	static struct pair c;
	uint64_t again = 0, timeouts = 0, naks = 0;

	for (uint64_t seed = 1; seed <= rounds_of(RUNS); seed++) {
		set_up(&c, seed, recovery);
		c.loss = (unsigned)(seed % 16) * 10;
		c.twice = seed % 3 ? 0 : 100;
		c.late = seed % 5 ? 0 : 200;
		print_message("seed %llu loss %u twice %u late %u cap %u verb %d\n",
			(unsigned long long)seed, c.loss, c.twice, c.late, c.p.window, c.p.verb);
		run(&c);
		again += c.again;
		timeouts += c.past.stats.timeouts;
		naks += c.past.stats.naks;
		check_end(&c);
	}
	assert_true(!rounds_are_all() || (again > 1000 && timeouts > 500 && naks > 500));
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

static void nothing_is_sent_twice_where_nothing_is_lost(void **state)
{
	static struct pair c;

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		set_up(&c, seed, seed % 2 ? RC_IRN : RC_SKIP);
		run(&c);
		assert_int_equal(c.again, 0);
		assert_int_equal(c.past.stats.timeouts + c.past.stats.naks, 0);
		assert_int_equal(c.taken.acks, c.taken.packets);
		check_end(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(irn_delivers_all_once),
		cmocka_unit_test(skip_delivers_all_once),
		cmocka_unit_test(nothing_is_sent_twice_where_nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
