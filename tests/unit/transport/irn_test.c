// SPDX-License-Identifier: BSD-3-Clause
// Selective repeat on the way h1 - switch - h2 at 100 Gb/s and 1 us a link, to the nanosecond
// (docs/algo/recovery.md): one SEND of n packets of 1024 bytes, every packet answered.
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

#define TAU    88480 // ps: a data frame
#define ANSWER 6880  // an ACK, and a NACK of 62 bytes
#define LINK   PS_PER_US
#define MOST   5000
#define MAPS   2

struct frame {
	tstamp at;
	struct rc_segment seg;
	uint32_t psn, came;
	uint8_t syndrome;
};

// One direction of the way: two links. A frame begins on the second one when the switch has it.
struct way {
	struct frame frame[2 * MOST];
	unsigned head, tail;
	tstamp busy; // second link
};

struct loss {
	uint32_t first, every, last, times; // PSNs, and how many copies of each
};

struct bed {
	struct rc_cfg cfg;
	struct rc_tx tx;
	struct rc_past past;
	struct rc_message ring[4];
	struct rc_rx rx;
	struct rc_rx_stats taken;
	struct irn_pool pool;
	void *memory;
	struct way data, answers;
	const struct loss *loss;
	uint8_t copies[MOST];
	uint32_t resent, nacks, nack_ps;
	struct prng rng;
	uint32_t per_million, lost_again; // random loss; copies that were lost
	tstamp wire, done;
	uint32_t reorder; // this PSN goes behind the next one; MOST: none
	struct frame held;
};

static tstamp head_at(const struct way *w)
{
	return w->head == w->tail ? TSTAMP_NEVER : w->frame[w->head].at;
}

// A frame that has begun at `now` and takes `ps` on each link.
static void put(struct way *w, const struct frame *f, tstamp now, tstamp ps)
{
	tstamp begun = tstamp_max(now + ps + LINK, w->busy);

	w->busy = begun + ps;
	assert_true(w->tail < 2 * MOST);
	w->frame[w->tail] = *f;
	w->frame[w->tail++].at = begun + ps + LINK;
}

static bool is_lost(struct bed *b, uint32_t psn)
{
	uint32_t copy = ++b->copies[psn];

	if (b->per_million && prng_below(&b->rng, 1000000) < b->per_million) {
		b->lost_again += copy > 1;
		return true;
	}
	for (const struct loss *l = b->loss; l && l->times; l++)
		if (psn >= l->first && psn <= l->last && !((psn - l->first) % l->every) &&
			copy <= l->times)
			return true;
	return false;
}

static void send(struct bed *b, tstamp now)
{
	struct frame f = {0};

	irn_tx_next(&b->tx, &b->pool, &f.seg, now);
	b->resent += f.seg.retx;
	b->wire = now + TAU;
	if (f.seg.psn == b->reorder && !b->held.seg.ack_req) {
		b->held = f;
		return;
	}
	if (!is_lost(b, f.seg.psn))
		put(&b->data, &f, now, TAU);
	if (f.seg.psn == b->reorder + 1 && b->reorder < MOST && !b->held.seg.retx) {
		put(&b->data, &b->held, now, TAU);
		b->held.seg.retx = true;
	}
}

static void data_arrives(struct bed *b, tstamp now)
{
	const struct rc_segment *s = &b->data.frame[b->data.head++].seg;
	struct irn_packet p = {.opcode = s->opcode, .psn = s->psn, .payload = s->payload};
	struct frame f = {.came = s->psn};
	bool ack, nack = false;
	uint32_t msn, imm;
	enum rc_rx_verdict v = rc_rx(&b->rx, s->opcode, s->psn, s->payload, s->ack_req, &ack);

	if (v == RC_RX_AHEAD) {
		irn_rx(&b->rx, &b->pool, &p, &ack, &nack, now);
		while (irn_rx_message(&b->rx, &b->pool, &imm))
			;
	}
	if (!ack && !nack)
		return;
	rc_rx_ack(&b->rx, nack, &f.psn, &f.syndrome, &msn);
	b->nacks += nack;
	put(&b->answers, &f, now, nack ? b->nack_ps : ANSWER);
}

static void answer_arrives(struct bed *b, tstamp now)
{
	const struct frame *f = &b->answers.frame[b->answers.head++];
	struct rc_message m;

	irn_tx_ack(&b->tx, &b->pool, f->psn, f->syndrome, f->came, now);
	while (rc_tx_done(&b->tx, &m))
		b->done = now;
}

static void run(struct bed *b)
{
	while (!b->done) {
		tstamp send_at = rc_tx_ready(&b->tx) ? b->wire : TSTAMP_NEVER;
		tstamp data = head_at(&b->data), answer = head_at(&b->answers);
		tstamp now = tstamp_min(
			tstamp_min(data, answer), tstamp_min(send_at, rc_tx_rto_at(&b->tx)));

		assert_true(now != TSTAMP_NEVER);
		if (data == now)
			data_arrives(b, now);
		else if (answer == now)
			answer_arrives(b, now);
		else if (rc_tx_rto_at(&b->tx) == now)
			irn_tx_expire(&b->tx, &b->pool, now);
		else
			send(b, now);
		if (rc_tx_ready(&b->tx) && b->wire < now)
			b->wire = now;
	}
}

static struct bed *bed_of(enum rc_recovery recovery, uint32_t n, uint32_t cap, uint32_t threshold)
{
	const struct rc_params p = {.verb = RC_SEND,
		.mtu = 1024,
		.window = cap,
		.ack_every = 16,
		.recovery = recovery,
		.rto_low_ps = 100 * PS_PER_US,
		.rto_ps = 320 * PS_PER_US,
		.nack_threshold = threshold,
		.retries = 7};
	struct bed *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	assert_int_equal(rc_cfg_init(&b->cfg, &p), 0);
	b->memory = calloc(MAPS, irn_map_bytes(&b->cfg));
	assert_non_null(b->memory);
	irn_pool_init(&b->pool, b->memory, MAPS, irn_map_bytes(&b->cfg));
	rc_tx_init(&b->tx, &b->cfg, &b->past, 0);
	rc_tx_lend(&b->tx, b->ring, 4);
	rc_rx_init(&b->rx, &b->cfg, &b->taken, 0);
	b->nack_ps = ANSWER;
	b->reorder = MOST;
	assert_int_equal(rc_tx_post(&b->tx, n * 1024, 0), 0);
	return b;
}

// The packet pool is whole, and each packet was taken once.
static void fini(struct bed *b, uint32_t n)
{
	assert_int_equal(b->taken.packets, n);
	assert_int_equal(b->taken.messages, 1);
	assert_int_equal(b->past.repair, 0);
	assert_int_equal(b->rx.early, 0);
	free(b->memory);
	free(b);
}

struct row {
	struct loss loss[3];
	uint32_t n, cap, threshold, resent, nacks;
	double done_ns;
};

static void check(enum rc_recovery recovery, const struct row *r)
{
	struct bed *b = bed_of(recovery, r->n, r->cap, r->threshold);

	b->loss = r->loss;
	run(b);
	print_message("cap %u resent %u nacks %u done %.2f ns\n", r->cap, b->resent, b->nacks,
		(double)b->done / 1e3);
	assert_int_equal(b->resent, r->resent);
	if (r->nacks != UINT32_MAX)
		assert_int_equal(b->nacks, r->nacks);
	assert_true(b->done == (tstamp)(r->done_ns * 1e3 + 0.5));
	fini(b, r->n);
}

static void losses_cost_what_the_rules_say(void **state)
{
	const struct row rows[] = {
		{.n = 1024, .cap = 111, .done_ns = 94705.76},
		{{{100, 1, 100, 1}}, 1024, 111, 1, 1, 48, 94794.24},
		{{{100, 1, 100, 1}}, 1024, 48, 1, 1, 47, 98928.64},
		{{{100, 1, 100, 1}, {105, 1, 105, 1}}, 1024, 111, 1, 2, 52, 94882.72},
		{{{100, 1, 104, 1}}, 1024, 111, 1, 5, 48, 95148.16},
		{{{100, 1, 100, 2}}, 1024, 111, 1, 2, 110, 413410.72},
		{{{1023, 1, 1023, 1}}, 1024, 111, 1, 1, 0, 198808.00},
		{.n = 1024, .cap = 48, .done_ns = 94705.76},
		{.n = 1024, .cap = 47, .done_ns = 95381.12},
		{{{100, 1, 100, 1}}, 1024, 96, 1, 1, UINT32_MAX, 94794.24},
		{{{100, 1, 100, 1}}, 1024, 95, 1, 1, UINT32_MAX, 94826.40},
		{.n = 4096, .cap = 111, .done_ns = 366516.32},
		{{{0, 100, 4095, 1}}, 4096, 111, 1, 41, UINT32_MAX, 370144.00},
		{{{50, 100, 4095, 1}}, 4096, 111, 1, 41, UINT32_MAX, 370353.12},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct row r = rows[i];

		r.threshold = 1;
		check(RC_IRN, &r);
	}
}

// With skip a loss goes back over the packets that left before the NACK. The NACKs that follow name
// one packet in 46, since 4 us have to pass between them, and these packets are left out.
static void skip_goes_back(void **state)
{
	const struct row rows[] = {
		{.n = 1024, .cap = 111, .threshold = 1, .done_ns = 94705.76},
		{{{100, 1, 100, 1}}, 1024, 111, 1, 47, 2, 98864.32},
		{{{100, 1, 100, 1}}, 1024, 48, 1, 46, 2, 98928.64},
		{{{100, 1, 100, 1}, {105, 1, 105, 1}}, 1024, 111, 1, 47, 2, 98864.32},
		{{{100, 1, 104, 1}}, 1024, 111, 1, 51, 2, 99218.24},
		{{{100, 1, 100, 2}}, 1024, 111, 1, 95, 4, 413467.04},
		{{{1023, 1, 1023, 1}}, 1024, 111, 1, 1, 0, 198808.00},
		{{{0, 100, 4095, 1}}, 4096, 111, 1, 1927, 82, 537017.28},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(RC_SKIP, &rows[i]);
}

// PSN 100 comes behind 101: every partial ACK resends the oldest packet until the PSN is passed up
// to which everything had left. With a threshold above the distance nothing is sent again.
static void overtaking_costs_copies(void **state)
{
	struct bed *b = bed_of(RC_IRN, 1024, 111, 1);

	(void)state;
	b->reorder = 100;
	run(b);
	print_message("resent %u nacks %u done %.2f\n", b->resent, b->nacks, (double)b->done / 1e3);
	assert_int_equal(b->nacks, 1);
	assert_int_equal(b->resent, 48);
	assert_true(b->done == 99041280);
	fini(b, 1024);

	b = bed_of(RC_IRN, 1024, 111, 2);
	b->reorder = 100;
	run(b);
	assert_int_equal(b->resent, 0);
	fini(b, 1024);
}

// A message that loses packets at random takes a frame's time more for each packet that is sent
// again, and about rto_high for each of these that is lost, too. (With more loss several of these
// wait for one timeout.)
static void random_loss_costs_what_is_sent_again(void **state)
{
	static const uint32_t per_million[] = {10, 100, 1000, 3000, 10000};
	const uint32_t n = 4096;

	(void)state;
	for (unsigned i = 0; i < sizeof(per_million) / sizeof(per_million[0]); i++) {
		double sum = 0, want = 0;

		for (uint64_t seed = 1; seed <= rounds_of(64); seed++) {
			struct bed *b = bed_of(RC_IRN, n, 111, 1);

			prng_init(&b->rng, seed, "irn");
			b->per_million = per_million[i];
			run(b);
			sum += (double)b->done;
			want += 366516320.0 + b->resent * (double)TAU + b->lost_again * 318.7e6;
			fini(b, n);
		}
		print_message(
			"loss %u/1000000: %.4f of the closed form\n", per_million[i], sum / want);
		assert_true(sum / want > 0.96 && sum / want < 1.04);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses_cost_what_the_rules_say),
		cmocka_unit_test(skip_goes_back),
		cmocka_unit_test(overtaking_costs_copies),
		cmocka_unit_test(random_loss_costs_what_is_sent_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
