// SPDX-License-Identifier: BSD-3-Clause
// RDMA READ: requests and the PSNs that they span, responses, what a loss anywhere leads to.
#include "transport/rc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/prng.h"
#include "wire/bth.h"

#define US PS_PER_US

static const struct rc_params plain = {
	.verb = RC_READ,
	.mtu = 1024,
	.window = 64,
	.ack_every = 16,
	.rto_ps = 100 * US,
	.retries = 3,
	.rnr_retries = 2,
	.rd_atomic = 2,
	.recovery = RC_GO_BACK_N,
};

// Both ends.
struct pair {
	struct rc_cfg cfg;
	struct rc_past past, none;
	struct rc_message ring[RC_MESSAGES];
	struct rc_tx tx;  // the requester
	struct rc_tx out; // what the responder's responses are made by
	struct rc_source src;
};

static void setup(struct pair *p, const struct rc_params *params, uint32_t psn)
{
	memset(p, 0, sizeof(*p));
	assert_int_equal(rc_cfg_init(&p->cfg, params), 0);
	rc_tx_init(&p->tx, &p->cfg, &p->past, psn);
	rc_tx_lend(&p->tx, p->ring, RC_MESSAGES);
	rc_tx_init(&p->out, &p->cfg, &p->none, psn);
	rc_source_init(&p->src, &p->cfg, &p->out, psn);
}

static struct rc_segment request(struct pair *p, tstamp now)
{
	struct rc_segment s;

	assert_true(rc_tx_ready(&p->tx));
	rc_tx_request(&p->tx, &s, now);
	assert_int_equal(s.opcode, BTH_RC_READ_REQUEST);
	assert_true(s.ack_req);
	assert_int_equal(s.payload, 0);
	return s;
}

static enum rc_rx_verdict serve(struct pair *p, const struct rc_segment *s)
{
	return rc_source_request(&p->src, &p->out, s->psn, s->dma_len);
}

static struct rc_segment response(struct pair *p)
{
	struct rc_segment s;

	assert_true(rc_tx_ready(&p->out));
	rc_source_next(&p->src, &p->out, &s);
	assert_false(s.ack_req);
	return s;
}

static enum rc_rx_verdict take(struct pair *p, const struct rc_segment *s, tstamp now)
{
	unsigned done;

	return rc_tx_response(&p->tx, s->psn, s->payload, &done, now);
}

static void assert_response(
	const struct rc_segment *s, uint8_t opcode, uint32_t psn, uint32_t payload)
{
	assert_int_equal(s->opcode, opcode);
	assert_int_equal(s->psn, psn);
	assert_int_equal(s->payload, payload);
}

// A request takes as many PSNs as there will be responses. As soft-RoCE has it (the capture
// linux_softroce_rocev2.pcap): 3001 bytes are 1024, 1024 and 953, and first and last have the same
// MSN, which counts the requests from 1.
static void a_request_spans_its_responses(void **state)
{
	struct rc_message m;
	struct rc_segment s;
	struct pair p;
	unsigned done;

	(void)state;
	setup(&p, &plain, 0xfffffe);
	rc_tx_post(&p.tx, 3001, 5);
	rc_tx_post(&p.tx, 17, 5);
	rc_tx_post(&p.tx, 0, 5);
	s = request(&p, 7);
	assert_true(s.psn == 0xfffffe && s.dma_len == 3001 && !s.retx);
	assert_int_equal(serve(&p, &s), RC_RX_ACCEPT);
	s = request(&p, 8);
	assert_true(s.psn == 1 && s.dma_len == 17);
	assert_int_equal(serve(&p, &s), RC_RX_ACCEPT);
	assert_false(rc_tx_ready(&p.tx)); // rd_atomic 2
	assert_true(rc_tx_rto_at(&p.tx) == 100 * US + 7);
	s = response(&p);
	assert_response(&s, BTH_RC_READ_FIRST, 0xfffffe, 1024);
	assert_int_equal(s.word, 0x1f000001);
	assert_int_equal(take(&p, &s, 20), RC_RX_ACCEPT);
	assert_true(rc_tx_rto_at(&p.tx) == 100 * US + 20);
	s = response(&p);
	assert_response(&s, BTH_RC_READ_MIDDLE, 0xffffff, 1024);
	assert_int_equal(take(&p, &s, 21), RC_RX_ACCEPT);
	assert_int_equal(rc_tx_acked(&p.tx), 2048);
	s = response(&p);
	assert_response(&s, BTH_RC_READ_LAST, 0, 953);
	assert_int_equal(s.word, 0x1f000001);
	assert_int_equal(rc_tx_response(&p.tx, 0, 953, &done, 22), RC_RX_ACCEPT);
	assert_int_equal(done, 1);
	assert_true(rc_tx_done(&p.tx, &m));
	assert_true(m.bytes == 3001 && m.begun == 7);
	s = request(&p, 23); // one is done, so that the third may go
	assert_true(s.psn == 2 && s.dma_len == 0);
	assert_int_equal(serve(&p, &s), RC_RX_ACCEPT);
	s = response(&p);
	assert_response(&s, BTH_RC_READ_ONLY, 1, 17);
	assert_int_equal(s.word, 0x1f000002);
	assert_int_equal(take(&p, &s, 24), RC_RX_ACCEPT);
	s = response(&p);
	assert_response(&s, BTH_RC_READ_ONLY, 2, 0);
	assert_int_equal(s.word, 0x1f000003);
	assert_int_equal(take(&p, &s, 25), RC_RX_ACCEPT);
	assert_false(rc_tx_ready(&p.tx) || rc_tx_ready(&p.out));
	assert_true(rc_tx_rto_at(&p.tx) == TSTAMP_NEVER);
	assert_int_equal(p.past.done_bytes, 3018);
}

// A response is lost: the next one shows it. The repeated request has the PSN of the missing
// response and the length of the rest; later messages are requested again, too. Responses on their
// way are let go.
static void a_missing_response_restarts_in_the_middle(void **state)
{
	struct rc_segment s;
	struct pair p;

	(void)state;
	setup(&p, &plain, 100);
	rc_tx_post(&p.tx, 5 * 1024, 0);
	rc_tx_post(&p.tx, 2 * 1024, 0);
	s = request(&p, 0);
	serve(&p, &s);
	s = request(&p, 0);
	serve(&p, &s);
	s = response(&p);
	assert_int_equal(take(&p, &s, 1), RC_RX_ACCEPT);
	response(&p); // 101 is lost
	s = response(&p);
	assert_int_equal(take(&p, &s, 2), RC_RX_GAP);
	s = request(&p, 3);
	assert_true(s.psn == 101 && s.dma_len == 4 * 1024 && s.retx);
	assert_int_equal(serve(&p, &s), RC_RX_DUPLICATE);
	s = response(&p); // it begins anew
	assert_response(&s, BTH_RC_READ_FIRST, 101, 1024);
	assert_true(s.retx);
	assert_int_equal(s.word, 0x1f000002);
	s.psn = 103; // one of before that was still on its way
	assert_int_equal(take(&p, &s, 4), RC_RX_DISCARD);
	s.psn = 101;
	assert_int_equal(take(&p, &s, 4), RC_RX_ACCEPT);
	s = request(&p, 5);
	assert_true(s.psn == 105 && s.dma_len == 2 * 1024 && s.retx);
	assert_int_equal(serve(&p, &s), RC_RX_DUPLICATE);
	for (uint32_t psn = 102; psn < 107; psn++) {
		s = response(&p);
		assert_int_equal(s.psn, psn);
		assert_int_equal(s.retx, psn == 102);
		assert_int_equal(take(&p, &s, 6), RC_RX_ACCEPT);
	}
	assert_int_equal(p.past.done, 2);
	s.psn = 105;
	assert_int_equal(take(&p, &s, 7), RC_RX_DUPLICATE);
}

// Without an answer the request is sent again after the timeout, so often as other verbs' packets.
static void no_response_is_a_timeout(void **state)
{
	struct rc_segment s;
	struct pair p;

	(void)state;
	setup(&p, &plain, 0);
	rc_tx_post(&p.tx, 2048, 0);
	request(&p, 0);
	for (unsigned i = 1; i <= 4; i++) {
		assert_int_equal(rc_tx_expire(&p.tx, rc_tx_rto_at(&p.tx)), RC_TIMEOUT);
		assert_int_equal(p.tx.failed, i == 4 ? RC_RETRIES_EXCEEDED : RC_NO_FAILURE);
		if (i < 4) {
			s = request(&p, i * 200 * US);
			assert_true(s.psn == 0 && s.dma_len == 2048 && s.retx);
		}
	}
	assert_false(rc_tx_ready(&p.tx));
}

// A request that is lost shows at the next one, by a NAK of the responder; a NAK acknowledges
// nothing of a READ.
static void a_lost_request_is_nakked(void **state)
{
	struct rc_segment s;
	struct pair p;

	(void)state;
	setup(&p, &plain, 0);
	rc_tx_post(&p.tx, 2048, 0);
	rc_tx_post(&p.tx, 2048, 0);
	request(&p, 0);
	s = request(&p, 0);
	assert_int_equal(serve(&p, &s), RC_RX_GAP);
	assert_int_equal(serve(&p, &s), RC_RX_DISCARD);
	assert_int_equal(p.src.epsn, 0);
	assert_int_equal(rc_tx_ack(&p.tx, p.src.epsn, AETH_NAK_PSN, 1), 0);
	s = request(&p, 2);
	assert_int_equal(s.psn, 0);
	assert_int_equal(serve(&p, &s), RC_RX_ACCEPT);
	s = request(&p, 2);
	assert_int_equal(s.psn, 2);
	assert_int_equal(serve(&p, &s), RC_RX_ACCEPT);
	assert_int_equal(rc_tx_ack(&p.tx, 3, AETH_ACK, 3), 0); // no data came: it is not believed
	assert_int_equal(rc_tx_ack(&p.tx, 2, AETH_NAK_PSN, 3), 0);
	assert_int_equal(p.tx.una, 0);
	assert_int_equal(p.past.stats.bad_acks, 1);
	rc_tx_ack(&p.tx, 0, AETH_NAK_ACCESS, 4);
	assert_int_equal(p.tx.failed, RC_REMOTE_ACCESS_ERROR);
	assert_int_equal(take(&p, &s, 5), RC_RX_DISCARD);
}

// As many requests as rd_atomic says are out, and no more responses than the window, but for one
// request alone.
static void reads_wait_for_resources(void **state)
{
	struct rc_params params = plain;
	struct rc_segment s;
	struct pair p;

	(void)state;
	params.rd_atomic = RC_READS;
	params.window = 10;
	setup(&p, &params, 0);
	for (unsigned i = 0; i < 20; i++)
		rc_tx_post(&p.tx, 4 * 1024, 0);
	request(&p, 0);
	s = request(&p, 0);
	assert_int_equal(s.psn, 4);
	assert_false(rc_tx_ready(&p.tx)); // a third would be 12
	setup(&p, &params, 0);
	rc_tx_post(&p.tx, 1u << 31, 0);
	rc_tx_post(&p.tx, 1, 0);
	s = request(&p, 0);
	assert_int_equal(s.dma_len, 1u << 31);
	assert_false(rc_tx_ready(&p.tx));
	params.window = 64;
	setup(&p, &params, 0);
	for (unsigned i = 0; i < 20; i++)
		rc_tx_post(&p.tx, 1, 0);
	for (unsigned i = 0; i < RC_READS; i++) {
		s = request(&p, 0);
		assert_int_equal(serve(&p, &s), RC_RX_ACCEPT);
	}
	assert_false(rc_tx_ready(&p.tx));
	s.psn++; // from a peer that does not keep to it
	assert_int_equal(serve(&p, &s), RC_RX_INVALID);
}

// Three requests come, and again from the middle of the first one; then the second one is lost. The
// third one is served before it.
static void a_response_is_new_once(void **state)
{
	static const struct {
		uint32_t psn, packets;
		enum rc_rx_verdict verdict;
		unsigned responses; // behind the request
	} step[] = {
		{0, 4, RC_RX_ACCEPT, 0},
		{4, 4, RC_RX_ACCEPT, 0},
		{8, 4, RC_RX_ACCEPT, 3},
		{1, 3, RC_RX_DUPLICATE, 0},
		{8, 4, RC_RX_DUPLICATE, 7},
		{4, 4, RC_RX_DUPLICATE, 0},
		{8, 4, RC_RX_DUPLICATE, 8},
	};
	struct rc_params params = plain;
	bool sent[12] = {0};
	struct pair p;

	(void)state;
	params.rd_atomic = 3;
	setup(&p, &params, 0);
	for (unsigned i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		assert_int_equal(
			rc_source_request(&p.src, &p.out, step[i].psn, step[i].packets * 1024),
			step[i].verdict);
		for (unsigned k = 0; k < step[i].responses; k++) {
			struct rc_segment s = response(&p);

			assert_int_equal(s.retx, sent[s.psn]);
			sent[s.psn] = true;
		}
	}
	assert_false(rc_tx_ready(&p.out));
	for (unsigned i = 0; i < 12; i++)
		assert_true(sent[i]);
}

static void what_cannot_be_served_is_refused(void **state)
{
	struct rc_params params = plain;
	struct rc_cfg cfg;
	struct pair p;

	(void)state;
	setup(&p, &plain, 10);
	assert_int_equal(rc_source_request(&p.src, &p.out, 9, 1025), RC_RX_DISCARD); // beyond 10
	assert_int_equal(rc_source_request(&p.src, &p.out, 9, (1u << 31) + 1), RC_RX_DISCARD);
	assert_int_equal(rc_source_request(&p.src, &p.out, 9, 1), RC_RX_DUPLICATE);
	assert_int_equal(rc_source_nak(&p.src), 0);
	assert_int_equal(rc_source_request(&p.src, &p.out, 10, (1u << 31) + 1), RC_RX_INVALID);
	assert_int_equal(p.src.epsn, 10);
	for (unsigned i = 0; i < 2; i++) {
		params.rd_atomic = i ? 17 : 0;
		assert_int_equal(rc_cfg_init(&cfg, &params), -EINVAL);
	}
}

// The NAK comes behind the responses that are owed, once, and nothing is taken any more.
static void a_refusal_waits_for_its_turn(void **state)
{
	struct rc_segment seg;
	struct pair p;

	(void)state;
	setup(&p, &plain, 10);
	assert_int_equal(rc_source_request(&p.src, &p.out, 10, 2048), RC_RX_ACCEPT);
	rc_source_refuse(&p.src, AETH_NAK_ACCESS);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(rc_source_nak(&p.src), 0);
		assert_true(rc_tx_ready(&p.out));
		rc_source_next(&p.src, &p.out, &seg);
		assert_int_equal(rc_source_request(&p.src, &p.out, 12, 1), RC_RX_DISCARD);
	}
	assert_false(rc_tx_ready(&p.out));
	assert_int_equal(rc_source_nak(&p.src), AETH_NAK_ACCESS);
	assert_int_equal(rc_source_nak(&p.src), 0);
	assert_int_equal(p.src.epsn, 12);
	assert_int_equal(rc_source_request(&p.src, &p.out, 10, 1), RC_RX_DISCARD);
	assert_int_equal(rc_source_request(&p.src, &p.out, 13, 1), RC_RX_DISCARD);
}

// Two channels that lose and delay, in order; whatever is lost, each message comes once, in order.
#define FLIGHT 4096

struct channel {
	struct rc_segment s[FLIGHT];
	unsigned first, n;
};

static void put(struct channel *c, const struct rc_segment *s, struct prng *g, unsigned loss)
{
	if (prng_below(g, 1000) < loss)
		return;
	assert_true(c->n < FLIGHT);
	c->s[(c->first + c->n++) % FLIGHT] = *s;
}

static bool get(struct channel *c, struct rc_segment *s)
{
	if (!c->n)
		return false;
	*s = c->s[c->first];
	c->first = (c->first + 1) % FLIGHT;
	c->n--;
	return true;
}

struct lossy {
	struct pair p;
	struct prng g;
	struct channel to, back;
	uint64_t seed, posted_bytes, got;
	uint64_t sent; // for the first time
	uint32_t want[RC_MESSAGES], posted, done, loss;
	tstamp now;
};

static void begin(struct lossy *l, uint64_t seed)
{
	struct rc_params params = plain;

	l->seed = seed;
	prng_init(&l->g, seed, "rc_read_test");
	params.rd_atomic = 1 + (unsigned)prng_below(&l->g, RC_READS);
	params.window = 1 + (unsigned)prng_below(&l->g, 40);
	params.mtu = 256u << prng_below(&l->g, 5);
	params.retries = RC_NO_LIMIT;
	l->loss = (uint32_t)prng_below(&l->g, 3) * 100;
	setup(&l->p, &params, 0xffffff - (uint32_t)prng_below(&l->g, 60));
}

static void post(struct lossy *l, uint32_t all)
{
	while (l->posted < all && l->p.tx.messages < 5) {
		uint32_t size = (uint32_t)prng_below(&l->g, 8 * l->p.cfg.p.mtu);

		l->want[l->posted++ % RC_MESSAGES] = size;
		l->posted_bytes += size;
		assert_int_equal(rc_tx_post(&l->p.tx, size, l->now), 0);
	}
}

static void ask(struct lossy *l)
{
	struct rc_segment s;

	if (!rc_tx_ready(&l->p.tx))
		return;
	rc_tx_request(&l->p.tx, &s, l->now);
	put(&l->to, &s, &l->g, l->loss);
}

static void be_asked(struct lossy *l)
{
	struct rc_segment s, nak = {.opcode = BTH_RC_ACK};
	enum rc_rx_verdict v;

	if (!get(&l->to, &s))
		return;
	v = serve(&l->p, &s);
	if (v == RC_RX_INVALID)
		fail_msg("seed %llu: refused", (unsigned long long)l->seed);
	if (v != RC_RX_GAP)
		return;
	nak.psn = l->p.src.epsn;
	put(&l->back, &nak, &l->g, l->loss);
}

static void answer(struct lossy *l)
{
	struct rc_segment s;

	if (!rc_tx_ready(&l->p.out))
		return;
	rc_source_next(&l->p.src, &l->p.out, &s);
	l->sent += s.retx ? 0 : s.payload;
	put(&l->back, &s, &l->g, l->loss);
}

static void be_answered(struct lossy *l)
{
	struct rc_segment s;
	struct rc_message m;

	if (!get(&l->back, &s))
		return;
	if (s.opcode == BTH_RC_ACK)
		rc_tx_ack(&l->p.tx, s.psn, AETH_NAK_PSN, l->now);
	else if (take(&l->p, &s, l->now) == RC_RX_ACCEPT)
		l->got += s.payload;
	while (rc_tx_done(&l->p.tx, &m))
		assert_int_equal(m.bytes, l->want[l->done++ % RC_MESSAGES]);
}

static void run_case(uint64_t seed)
{
	static void (*const steps[])(struct lossy *) = {ask, be_asked, answer, be_answered};
	struct lossy *l = calloc(1, sizeof(*l));
	const uint32_t all = 30;

	assert_non_null(l);
	begin(l, seed);
	for (unsigned step = 0; l->done < all; step++) {
		assert_true(step < 10000000);
		l->now += 1 + prng_below(&l->g, US);
		post(l, all);
		steps[prng_below(&l->g, 4)](l);
		if (rc_tx_rto_at(&l->p.tx) <= l->now)
			rc_tx_expire(&l->p.tx, l->now);
	}
	assert_int_equal(l->got, l->posted_bytes);
	assert_int_equal(l->sent, l->posted_bytes);
	assert_int_equal(rc_tx_acked(&l->p.tx), l->posted_bytes);
	free(l);
}

static void each_message_comes_once_whatever_is_lost(void **state)
{
	(void)state;
	print_message("seeds 1..300\n");
	for (uint64_t seed = 1; seed <= 300; seed++)
		run_case(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_spans_its_responses),
		cmocka_unit_test(a_missing_response_restarts_in_the_middle),
		cmocka_unit_test(no_response_is_a_timeout),
		cmocka_unit_test(a_lost_request_is_nakked),
		cmocka_unit_test(reads_wait_for_resources),
		cmocka_unit_test(a_response_is_new_once),
		cmocka_unit_test(what_cannot_be_served_is_refused),
		cmocka_unit_test(a_refusal_waits_for_its_turn),
		cmocka_unit_test(each_message_comes_once_whatever_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
