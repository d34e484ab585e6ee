// SPDX-License-Identifier: BSD-3-Clause
// Requester and responder joined by a channel that loses and delays, but does not reorder.
#include "transport/rc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/prng.h"
#include "wire/bth.h"
#include "rounds.h"

#define RUNS     420
#define MESSAGES 60
#define PACKETS  (MESSAGES * 60000 / 256 + MESSAGES)
#define IN_LINK  4096 // frames that a link holds; a power of two
#define GAP_PS   (100 * PS_PER_NS)
#define LIMIT_PS (10 * PS_PER_S)

struct frame {
	tstamp at;
	struct rc_segment seg; // data
	uint32_t psn;          // ACK
	uint8_t syndrome;
};

struct link {
	struct frame frame[IN_LINK];
	unsigned head, tail;
	tstamp delay_ps;
	unsigned loss_permille;
};

struct pair {
	struct rc_params p;
	struct rc_cfg cfg;
	struct rc_tx tx;
	struct rc_past past;
	struct rc_message ring[RC_MESSAGES];
	uint64_t sent, sent_again; // packets
	struct rc_rx rx;
	struct rc_rx_stats taken;
	struct link data, ack;
	struct prng rng;
	uint32_t bytes[MESSAGES], posted; // what was posted, of
	uint32_t messages;
	uint64_t posted_bytes, arrived, lost;
	uint32_t received, in_message; // messages whole at the responder, bytes of the next one
	uint32_t completed;            // messages that the requester took
	tstamp send_at;
	bool windowed; // a window of bytes that changes; the rest is a model of it
	struct prng windows;
	uint64_t window;     // bytes, UINT64_MAX: none
	uint32_t start;      // first PSN
	uint64_t una, next;  // packets since the start
	bool asked[PACKETS]; // which asked for an ACK when they left last
};

static void put(struct pair *c, struct link *l, const struct frame *f, tstamp now)
{
	assert_true(l->tail - l->head < IN_LINK);
	if (prng_below(&c->rng, 1000) < l->loss_permille) {
		c->lost++;
		return;
	}
	l->frame[l->tail % IN_LINK] = *f;
	l->frame[l->tail++ % IN_LINK].at = now + l->delay_ps;
}

static tstamp head_at(const struct link *l)
{
	return l->head == l->tail ? TSTAMP_NEVER : l->frame[l->head % IN_LINK].at;
}

static void post(struct pair *c, tstamp now)
{
	while (c->posted < c->messages && c->tx.messages + c->past.untaken < RC_MESSAGES / 4) {
		static const uint32_t most[] = {1, 300, 5000, 60000};
		uint32_t bytes = 1 + (uint32_t)prng_below(&c->rng, most[prng_below(&c->rng, 4)]);

		if (!prng_below(&c->rng, 4)) // whole packets
			bytes = c->p.mtu * (1 + bytes / c->p.mtu);
		assert_int_equal(rc_tx_post(&c->tx, bytes, now), 0);
		c->bytes[c->posted++] = bytes;
		c->posted_bytes += bytes;
	}
}

// The payload accepted must be the messages posted, one after the other.
static void accept(struct pair *c, const struct rc_segment *s)
{
	uint32_t bytes = c->bytes[c->received];

	assert_true(c->received < c->posted);
	assert_int_equal(s->first, c->in_message == 0);
	assert_int_equal(s->dma_len, s->first ? bytes : 0);
	c->in_message += s->payload;
	assert_true(c->in_message <= bytes);
	assert_int_equal(s->last, c->in_message == bytes);
	if (s->last) {
		c->received++;
		c->in_message = 0;
	}
}

static void data_arrives(struct pair *c, tstamp now)
{
	const struct rc_segment *s = &c->data.frame[c->data.head++ % IN_LINK].seg;
	struct frame f = {0};
	enum rc_rx_verdict v;
	uint32_t msn;
	bool ack;

	c->arrived++;
	v = rc_rx(&c->rx, s->opcode, s->psn, s->payload, s->ack_req, &ack);
	if (v == RC_RX_ACCEPT)
		accept(c, s);
	if (!ack)
		return;
	rc_rx_ack(&c->rx, v == RC_RX_GAP, &f.psn, &f.syndrome, &msn);
	assert_int_equal(msn, c->received);
	put(c, &c->ack, &f, now);
}

static void ack_arrives(struct pair *c, tstamp now)
{
	const struct frame *f = &c->ack.frame[c->ack.head++ % IN_LINK];
	unsigned n = rc_tx_ack(&c->tx, f->psn, f->syndrome, now);
	struct rc_message m;

	while (rc_tx_done(&c->tx, &m)) {
		assert_int_equal(m.bytes, c->bytes[c->completed]);
		assert_true(m.posted <= m.begun && m.begun < now);
		assert_true(++c->completed <= c->received);
		n--;
	}
	assert_int_equal(n, 0);
}

// Payload of the first packets, message by message.
static uint64_t bytes_before(const struct pair *c, uint64_t packets)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < c->posted && packets; i++) {
		uint64_t n = (c->bytes[i] + c->p.mtu - 1) / c->p.mtu;

		bytes += packets < n ? packets * c->p.mtu : c->bytes[i];
		packets -= packets < n ? packets : n;
	}
	return bytes;
}

static uint64_t in_flight(const struct pair *c)
{
	return bytes_before(c, c->next) - bytes_before(c, c->una);
}

// Counters of bytes agree with counters of packets and messages, and a packet may start where the
// windows have room, or nobody in flight has asked for the ACK that would make some.
static void check_window(struct pair *c)
{
	bool asked = false, more;

	c->una += (c->tx.una - c->start - (uint32_t)c->una) & BTH_PSN_MASK;
	c->next = c->una + ((c->tx.next - c->tx.una) & BTH_PSN_MASK);
	more = bytes_before(c, UINT64_MAX) > bytes_before(c, c->next);
	assert_int_equal(rc_tx_acked(&c->tx), bytes_before(c, c->una));
	assert_int_equal(rc_tx_sent_bytes(&c->tx), bytes_before(c, c->next));
	for (uint64_t i = c->una; i < c->next; i++)
		asked |= c->asked[i];
	assert_int_equal(rc_tx_ready(&c->tx),
		more && c->next - c->una < c->p.window && (in_flight(c) < c->window || !asked));
}

static void random_window(struct pair *c)
{
	static const uint32_t most[] = {1, 3000, 20000, 1 << 20};

	if (prng_below(&c->windows, 8))
		return;
	c->window = 1 + prng_below(&c->windows, most[prng_below(&c->windows, 4)]);
	if (!prng_below(&c->windows, 10))
		c->window = UINT64_MAX;
	rc_tx_set_window(&c->tx, c->window == UINT64_MAX ? 0 : c->window);
}

static void send(struct pair *c, tstamp now)
{
	struct frame f = {0};

	rc_tx_next(&c->tx, &f.seg, now);
	c->sent++;
	c->sent_again += f.seg.retx;
	if (c->windowed) {
		c->asked[c->next++] = f.seg.ack_req;
		assert_true(f.seg.ack_req || in_flight(c) < c->window);
	}
	assert_true(f.seg.payload >= 1 && f.seg.payload <= c->p.mtu);
	assert_true(f.seg.last || f.seg.payload == c->p.mtu);
	assert_true(((c->tx.next - c->tx.una) & BTH_PSN_MASK) <= c->p.window);
	put(c, &c->data, &f, now);
	c->send_at = now + GAP_PS;
}

// Until all messages are complete; returns when.
static tstamp run(struct pair *c)
{
	tstamp now = 0;

	while (c->completed < c->messages) {
		tstamp ready, at;

		post(c, now);
		if (c->windowed) {
			random_window(c);
			check_window(c);
		}
		ready = rc_tx_ready(&c->tx) ? tstamp_max(now, c->send_at) : TSTAMP_NEVER;
		at = tstamp_min(tstamp_min(head_at(&c->data), head_at(&c->ack)),
			tstamp_min(ready, rc_tx_rto_at(&c->tx)));
		assert_true(at >= now && at < LIMIT_PS); // else nobody would ever move again
		now = at;
		if (head_at(&c->data) == now)
			data_arrives(c, now);
		else if (head_at(&c->ack) == now)
			ack_arrives(c, now);
		else if (rc_tx_rto_at(&c->tx) == now)
			assert_true(rc_tx_expire(&c->tx, now));
		else
			send(c, now);
	}
	return now;
}

static void check_end(const struct pair *c)
{
	const struct rc_rx_stats *rx = &c->taken;

	assert_int_equal(c->received, c->messages);
	assert_int_equal(rx->messages, c->messages);
	assert_int_equal(c->past.done, c->messages);
	assert_int_equal(rx->payload_bytes, c->posted_bytes);
	assert_int_equal(rx->packets, c->sent - c->sent_again);
	assert_int_equal(
		rx->packets + rx->duplicates + rx->sequence_errors + rx->discarded, c->arrived);
	assert_int_equal(c->past.stats.bad_acks, 0);
	assert_int_equal(c->tx.una, rc_tx_end(&c->tx));
	assert_int_equal(c->rx.epsn, rc_tx_end(&c->tx));
	assert_false(c->tx.failed);
	assert_true(rc_tx_rto_at(&c->tx) == TSTAMP_NEVER);
}

static void setup(struct pair *c, uint64_t seed, unsigned loss_permille)
{
	static const uint32_t window[] = {1, 2, 3, 16, 64, 1000};
	struct prng g;

	memset(c, 0, sizeof(*c));
	prng_init(&g, seed, "rc_channel");
	c->p = (struct rc_params){
		.verb = prng_below(&g, 2) ? RC_WRITE : RC_SEND,
		.mtu = 256u << prng_below(&g, 5),
		.window = window[prng_below(&g, 6)],
		.ack_every = 1 + (uint32_t)prng_below(&g, 40),
		.recovery = RC_GO_BACK_N,
		.retries = RC_NO_LIMIT,
	};
	c->data.delay_ps = GAP_PS + prng_below(&g, 5 * PS_PER_US);
	c->ack.delay_ps = GAP_PS + prng_below(&g, 5 * PS_PER_US);
	c->data.loss_permille = c->ack.loss_permille = loss_permille;
	c->p.rto_ps = 20 * PS_PER_US;
	c->messages = MESSAGES;
	c->rng = g;
}

static void connect_at(struct pair *c, uint32_t psn)
{
	assert_int_equal(rc_cfg_init(&c->cfg, &c->p), 0);
	rc_tx_init(&c->tx, &c->cfg, &c->past, psn);
	rc_tx_lend(&c->tx, c->ring, RC_MESSAGES);
	rc_rx_init(&c->rx, &c->cfg, &c->taken, psn);
	c->start = psn;
	c->window = UINT64_MAX;
}

static void lost_frames_are_repaired(void **state)
{
	static struct pair c;
	uint64_t lost = 0, naks = 0, timeouts = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(RUNS); seed++) {
		unsigned loss = (unsigned)(seed % 21) * 10; // 0..20 %

		setup(&c, seed, loss);
		print_message("seed %llu loss %u/1000 mtu %u window %u ack_every %u\n",
			(unsigned long long)seed, loss, c.p.mtu, c.p.window, c.p.ack_every);
		if (!prng_below(&c.rng, 8))
			c.p.rto_ps = c.data.delay_ps; // fires too early every time
		connect_at(&c, (uint32_t)(BTH_PSN_MASK - prng_below(&c.rng, 600)));
		run(&c);
		check_end(&c);
		lost += c.lost;
		naks += c.past.stats.naks;
		timeouts += c.past.stats.timeouts;
	}
	assert_true(!rounds_are_all() || (lost > 1000 && naks > 500 && timeouts > 500));
}

static void nothing_is_sent_twice_where_nothing_is_lost(void **state)
{
	static struct pair c;

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		setup(&c, seed, 0);
		if (seed % 4 == 0) { // framing hpcc_sim
			c.p.recovery = RC_ANY_ORDER;
			c.p.mtu = 1000;
			c.p.rto_ps = TSTAMP_NEVER;
		}
		connect_at(&c, 0xffff00);
		run(&c);
		check_end(&c);
		assert_int_equal(c.sent_again, 0);
		assert_int_equal(c.past.stats.timeouts + c.past.stats.naks, 0);
		assert_int_equal(c.past.stats.duplicate_acks, 0);
		assert_int_equal(c.taken.duplicates + c.taken.sequence_errors, 0);
		if (c.p.recovery == RC_ANY_ORDER)
			assert_int_equal(c.taken.acks, c.taken.packets);
	}
}

// Whatever becomes of the window, what is in flight is counted right, and a sender goes on as long
// as ACKs come: with nothing lost there is no timeout that could help it.
static void windows_that_change_never_stall(void **state)
{
	static struct pair c;
	uint64_t timeouts = 0, closed = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(RUNS); seed++) {
		unsigned loss = seed % 2 ? 0 : (unsigned)(seed % 20) * 5;

		print_message("seed %llu loss %u/1000\n", (unsigned long long)seed, loss);
		setup(&c, seed, loss);
		prng_init(&c.windows, seed, "windows");
		c.windowed = true;
		if (!loss)
			c.p.rto_ps = TSTAMP_NEVER;
		if (seed % 4 == 1) { // framing hpcc_sim
			c.p.recovery = RC_ANY_ORDER;
			c.p.mtu = 1000;
		}
		connect_at(&c, (uint32_t)(BTH_PSN_MASK - prng_below(&c.rng, 600)));
		run(&c);
		check_end(&c);
		check_window(&c);
		assert_int_equal(rc_tx_acked(&c.tx), c.posted_bytes);
		if (!loss)
			assert_int_equal(c.sent_again, 0);
		timeouts += c.past.stats.timeouts;
		closed += c.window < UINT64_MAX;
	}
	assert_true(!rounds_are_all() || (timeouts > 100 && closed > 100));
}

// Tail loss: only the timeout can tell, and one timeout is all that it takes.
static void a_lost_tail_costs_one_timeout(void **state)
{
	static struct pair c;
	struct frame f = {0};

	(void)state;
	setup(&c, 1, 0);
	c.p.window = 64;
	c.messages = c.posted = 1;
	c.bytes[0] = c.p.mtu;
	c.posted_bytes = c.p.mtu;
	connect_at(&c, 0xffffff);
	rc_tx_post(&c.tx, c.p.mtu, 0);
	rc_tx_next(&c.tx, &f.seg, 0); // and lost
	c.sent++;
	assert_true(rc_tx_rto_at(&c.tx) == c.p.rto_ps);
	run(&c);
	check_end(&c);
	assert_int_equal(c.past.stats.timeouts, 1);
	assert_int_equal(c.sent_again, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lost_frames_are_repaired),
		cmocka_unit_test(nothing_is_sent_twice_where_nothing_is_lost),
		cmocka_unit_test(windows_that_change_never_stall),
		cmocka_unit_test(a_lost_tail_costs_one_timeout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
