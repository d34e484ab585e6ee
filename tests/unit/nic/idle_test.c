// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs that have not been used: their memory is not written, and they do what queue pairs do
// that are in use from the start.
#include "base/prng.h"
#include "nic_lab.h"
#include "qp/int.h"

#define PAIRS 600u

static bool is_zero(const void *bytes, size_t n)
{
	const uint8_t *o = bytes;

	for (size_t i = 0; i < n; i++)
		if (o[i])
			return false;
	return true;
}

// How many objects of a slab are written.
static unsigned written(const struct nic_slab *s)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += !is_zero(nic_slab_at(s, i), s->size);
	return n;
}

static unsigned written_of(const struct nic *nic)
{
	return written(&nic->req) + written(&nic->req_use) + written(&nic->rsp) +
	       written(&nic->rsp_use);
}

// PAIRS pairs, each with a book and a histogram. Pair 7 starts at 10 us, the others do not start.
static void begin(struct lab *l, const struct rp_cfg *rp, struct rp_book *book, struct hist *hist)
{
	static const tstamp window = 0;

	hist_init(hist);
	lab_init(l);
	lab_start(l);
	for (unsigned i = 1; i <= PAIRS; i++) {
		struct nic_qp_params p = lab_req(l, i);

		p.rp = rp;
		p.count = 1;
		p.start = i == 7 ? 10 * PS_PER_US : TSTAMP_NEVER;
		lab_add(l, &p);
		rp_book_init(&book[i - 1], &window, 100 * RATE_GBPS, 100 * RATE_GBPS);
		book[i - 1].cut = hist;
		nic_qp_lend_book(l->nic[0], i - 1, &book[i - 1]);
		nic_qp_lend_latency(l->nic[1], i - 1, hist);
	}
}

static void an_unused_pair_is_not_written(void **state)
{
	struct rp_cfg rp = rp_of_profile("paper", 100 * RATE_GBPS);
	struct rp_book book[PAIRS];
	struct rp_look look;
	struct hist hist;
	struct lab l;

	(void)state;
	begin(&l, &rp, book, &hist);
	lab_run(&l, 5 * PS_PER_US);
	for (unsigned i = 0; i < 2; i++) {
		nic_account(l.nic[i], l.now);
		assert_int_equal(nic_settle(l.nic[i], 0, l.now), PAIRS);
		assert_int_equal(written_of(l.nic[i]), 0);
	}
	assert_int_equal(nic_find_qp(l.nic[0], 7, true), 6);
	assert_int_equal(nic_find_qp(l.nic[1], 7, false), 6);
	assert_int_equal(nic_find_number(l.nic[0], PAIRS), PAIRS - 1);
	assert_int_equal(nic_find_number(l.nic[0], PAIRS + 1), -1);
	assert_true(nic_qp_look(l.nic[0], 6, &look));
	assert_int_equal(look.rc, 100 * RATE_GBPS);
	assert_false(nic_qp_look(l.nic[1], 6, &look));
	assert_null(nic_qp_rc_tx(l.nic[0], 6));
	assert_int_equal(nic_qp_params(l.nic[0], 6).peer_qpn, 7);
	assert_int_equal(nic_qp_params(l.nic[1], 6).flow, 7);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(nic_qp_stats(l.nic[0], 6)->message_tx, 1);
	assert_int_equal(nic_qp_stats(l.nic[1], 6)->message_complete_rx, 1);
	assert_int_equal(nic_qp_rc_tx(l.nic[0], 6)->una, 1024);
	hist_settle(&hist); // of latencies: nothing was cut
	assert_int_equal(hist.n, 1024);
	assert_int_equal(written_of(l.nic[0]), 2);
	assert_int_equal(written_of(l.nic[1]), 2);
	lab_end(&l);
}

struct log {
	uint64_t hash;
	uint64_t frames;
	struct prng rng;
};

// Some frames are lost, and some come with CE.
static bool hook(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct log *g = l->arg;
	uint64_t word[] = {from, now, p->kind, p->len, p->tos, p->u.rc.qpn, p->u.rc.psn};

	g->hash = g->hash << 7 ^ g->hash >> 57 ^ index_hash((uint32_t)g->hash, word, sizeof(word));
	g->frames++;
	if (p->kind == PKT_DATA && !prng_below(&g->rng, 10))
		p->tos |= ECN_CE;
	return prng_below(&g->rng, 500) != 0;
}

// The frames and events of a run in which messages begin at random on random pairs. `used`: all
// pairs are in use from the start.
static struct log run(unsigned seed, bool used)
{
	struct rp_cfg rp = rp_of_profile("paper", 100 * RATE_GBPS);
	struct rp_book book[PAIRS];
	struct log g = {0};
	struct prng rng;
	struct hist hist;
	struct lab l;

	prng_init(&rng, seed, "starts");
	prng_init(&g.rng, seed, "wire");
	begin(&l, &rp, book, &hist);
	l.hook = hook;
	l.arg = &g;
	for (unsigned i = 0; used && i < PAIRS; i++) {
		nic_qp_at(l.nic[0], i)->lends = nic_qp_at(l.nic[1], i)->lends = false;
	}
	for (unsigned i = 0; i < 200; i++) {
		lab_run(&l, l.now + prng_below(&rng, 20) * PS_PER_US);
		assert_int_equal(lab_ctl(&l, 0,
					 (struct ctl){.type = CTL_FLOW_START,
						 .id = 1 + (uint32_t)prng_below(&rng, PAIRS)}),
			0);
	}
	lab_run(&l, l.now + 100 * PS_PER_MS);
	for (unsigned i = 0; i < PAIRS; i++) {
		const struct rc_tx *tx = nic_qp_rc_tx(l.nic[0], i);

		assert_false(tx && rc_tx_waits(tx));
		g.hash += index_hash(i, nic_qp_stats(l.nic[0], i), sizeof(struct nic_qp_stats));
		g.hash += index_hash(i, nic_qp_stats(l.nic[1], i), sizeof(struct nic_qp_stats));
	}
	for (unsigned i = 0; i < PAIRS; i++)
		g.hash += index_hash(i, book[i].events, sizeof(book[i].events));
	for (unsigned i = 0; i < l.n_ev; i++)
		g.hash += index_hash(l.ev_nic[i], &l.ev[i].t, sizeof(l.ev[i].t)) * l.ev[i].type;
	lab_end(&l);
	return g;
}

static void it_does_what_a_used_one_does(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 5; seed++) {
		struct log idle = run(seed, false), used = run(seed, true);

		assert_true(idle.frames > 10000);
		if (idle.frames != used.frames || idle.hash != used.hash)
			fail_msg("seed %u: not the same", seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unused_pair_is_not_written),
		cmocka_unit_test(it_does_what_a_used_one_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
