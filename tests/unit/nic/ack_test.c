// SPDX-License-Identifier: BSD-3-Clause
// The inputs of a reaction point that asks for ACKs, and how its window holds a requester. The
// calls of rp.h are taken over here, so that a reaction point asks, listens and answers as a test
// wants.
#include <inttypes.h>

#include "nic_lab.h"
#include "wire/bth.h"

#define US   PS_PER_US
#define MTU  1024
#define SEEN 8192
#define NONE TSTAMP_NEVER

// The reaction point.
static struct {
	unsigned asks;
	uint64_t window; // given; most: drawn anew at each ACK, at most this
	uint32_t most;
	struct prng rng;
	uint64_t after_nak;  // the window from a NAK on; 0: it stays
	enum rp_event event; // its answer to ACKs
	unsigned n, naks;
	struct {
		struct rp_ack ack;
		tstamp at, left; // of the packet that it answers, as the model has it
		bool nak;        // it was one
	} seen[SEEN];
} rp;

// The packets of the only queue pair on the wire, as a model of the timed packets.
static struct {
	struct prng rng;
	unsigned loss_permille, ce_permille;
	tstamp left[SEEN]; // of a packet that is timed; NONE: it is not
	bool ce[SEEN];
	unsigned timed;           // packets that are timed now
	uint64_t acked, sent;     // packets
	uint32_t lose, lose_acks; // PSN of data that is lost once; so are the ACKs from that PSN on
	unsigned lost, retx;
	uint64_t most_in_flight;
} wire;

unsigned __real_rp_asks(const struct rp_cfg *cfg);
unsigned __wrap_rp_asks(const struct rp_cfg *cfg);
void __real_rp_init(struct rp *p, const struct rp_cfg *cfg, void *state, struct prng *rng);
void __wrap_rp_init(struct rp *p, const struct rp_cfg *cfg, void *state, struct prng *rng);
enum rp_event __wrap_rp_ack(struct rp *p, const struct rp_ack *ack, tstamp now);
enum rp_event __wrap_rp_nak(struct rp *p, tstamp now);
uint64_t __wrap_rp_window(const struct rp *p);

unsigned __wrap_rp_asks(const struct rp_cfg *cfg)
{
	return __real_rp_asks(cfg) | (cfg ? rp.asks : 0);
}

void __wrap_rp_init(struct rp *p, const struct rp_cfg *cfg, void *state, struct prng *rng)
{
	__real_rp_init(p, cfg, state, rng);
	p->asks |= cfg ? (uint8_t)rp.asks : 0;
}

enum rp_event __wrap_rp_ack(struct rp *p, const struct rp_ack *ack, tstamp now)
{
	(void)p;
	assert_true(rp.n < SEEN);
	rp.seen[rp.n].ack = *ack;
	rp.seen[rp.n].left = wire.left[ack->acked / MTU - 1];
	rp.seen[rp.n++].at = now;
	if (rp.most)
		rp.window = 1 + prng_below(&rp.rng, rp.most);
	return rp.event;
}

// Packets in flight are not timed any more.
enum rp_event __wrap_rp_nak(struct rp *p, tstamp now)
{
	(void)p;
	rp.naks++;
	if (rp.n && rp.seen[rp.n - 1].at == now)
		rp.seen[rp.n - 1].nak = true;
	for (unsigned i = 0; i < SEEN; i++)
		wire.left[i] = NONE;
	wire.timed = 0;
	if (rp.after_nak)
		rp.window = rp.after_nak;
	return RP_NONE;
}

uint64_t __wrap_rp_window(const struct rp *p)
{
	(void)p;
	return rp.window;
}

static bool carry(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	uint32_t n = p->u.rc.psn;

	if (from && p->kind == PKT_ACK && !(p->u.rc.syndrome >> 5) && n >= wire.lose_acks &&
		!wire.retx)
		return false;
	if (p->kind != PKT_DATA)
		return prng_below(&wire.rng, 1000) >= wire.loss_permille;
	assert_true(n < SEEN);
	wire.retx += p->flags & PKT_F_RETX ? 1 : 0;
	wire.left[n] = NONE;
	if (p->u.rc.bth & BTH_ACKREQ && !(p->flags & PKT_F_RETX) && wire.timed < 64) {
		wire.left[n] = now;
		wire.timed++;
	}
	wire.sent = n + 1;
	if (wire.sent - nic_qp_rc_tx(l->nic[0], 0)->una > wire.most_in_flight)
		wire.most_in_flight = wire.sent - nic_qp_rc_tx(l->nic[0], 0)->una;
	wire.ce[n] = prng_below(&wire.rng, 1000) < wire.ce_permille;
	if (wire.ce[n])
		p->tos = (uint8_t)((p->tos & ~3) | ECN_CE);
	if (n == wire.lose || prng_below(&wire.rng, 1000) < wire.loss_permille) {
		wire.lose = UINT32_MAX;
		wire.lost++;
		return false;
	}
	return true;
}

// One queue pair that asks for an ACK with every `ack_every`-th packet, in messages of whole
// packets.
static void start(struct lab *l, unsigned asks, uint32_t ack_every, uint32_t packets)
{
	static struct rp_cfg cfg;
	struct rc_params rc = lab_rc_params();
	struct nic_qp_params req;

	rp.asks = asks;
	for (unsigned i = 0; i < SEEN; i++)
		wire.left[i] = NONE;
	wire.lose = wire.lose_acks = UINT32_MAX;
	cfg = rp_of_profile("paper", 100 * RATE_GBPS);
	lab_init(l);
	rc.ack_every = ack_every;
	rc.retries = RC_NO_LIMIT;
	assert_int_equal(rc_cfg_init(&l->rc, &rc), 0);
	l->hook = carry;
	lab_start(l);
	req = lab_req(l, 1);
	req.rp = &cfg;
	req.message_bytes = packets * MTU;
	req.stop = 300 * US;
	lab_add(l, &req);
}

static int clean(void **state)
{
	(void)state;
	memset(&rp, 0, sizeof(rp));
	memset(&wire, 0, sizeof(wire));
	prng_init(&wire.rng, 1, "wire");
	prng_init(&rp.rng, 1, "window");
	return 0;
}

// Runs until `until`, and holds each ACK that the reaction point was told of against the model.
static void run(struct lab *l, tstamp until)
{
	while (lab_next(l) <= until) {
		unsigned n = rp.n;

		lab_run(l, lab_next(l));
		for (; n < rp.n; n++) {
			const struct rp_ack *a = &rp.seen[n].ack;
			uint64_t to = a->acked / MTU;

			assert_true(a->bytes > 0 && a->bytes % MTU == 0);
			assert_int_equal(a->acked, wire.acked * MTU + a->bytes);
			assert_int_equal(a->sent % MTU, 0);
			assert_true(a->sent >= a->acked);
			assert_null(a->hop);
			assert_int_equal(a->n_hops, 0);
			if (rp.seen[n].nak || rp.seen[n].left == NONE)
				assert_true(a->rtt == NONE);
			else
				assert_int_equal(a->rtt, rp.seen[n].at - rp.seen[n].left);
			for (uint64_t i = wire.acked; i < to; i++) {
				wire.timed -= wire.left[i] != NONE;
				wire.left[i] = NONE;
			}
			wire.acked = to;
		}
	}
	lab_run(l, until);
}

// A frame of 1122 bytes on the wire and an ACK of 86 bytes at 100 Gb/s, each behind a microsecond.
static void an_rtt_is_from_first_bit_to_arrival(void **state)
{
	struct lab l;

	(void)state;
	start(&l, RP_ASKS_ACK | RP_ASKS_RTT, 16, 1);
	run(&l, 3 * US);
	assert_true(rp.n >= 2);
	assert_int_equal(rp.seen[0].ack.rtt, 2 * US + (1122 + 86) * 80);
	assert_int_equal(rp.seen[0].at, rp.seen[0].ack.rtt);
	assert_int_equal(rp.seen[0].ack.bytes, MTU);
	assert_int_equal(rp.seen[0].ack.acked, MTU);
	assert_int_equal(rp.seen[0].ack.sent, 2 * MTU);
	assert_false(rp.seen[0].ack.ce);
	assert_int_equal(rp.seen[1].ack.rtt, 2 * US + (1122 + 86) * 80);
	assert_int_equal(rp.seen[1].ack.acked, 2 * MTU);
	lab_end(&l);
}

// Of sixteen packets the one that asked is timed, not the first of them.
static void the_frame_that_asked_is_timed(void **state)
{
	struct lab l;

	(void)state;
	start(&l, RP_ASKS_ACK | RP_ASKS_RTT, 16, 64);
	run(&l, 50 * US);
	assert_true(rp.n > 20);
	for (unsigned i = 0; i < rp.n; i++) {
		assert_int_equal(rp.seen[i].ack.bytes, 16 * MTU);
		assert_in_range(rp.seen[i].ack.rtt, 2 * US + (1106 + 86) * 80,
			2 * US + (1122 + 86 + 1122) * 80);
	}
	lab_end(&l);
}

static void who_asks_for_no_rtt_gets_none(void **state)
{
	struct lab l;

	(void)state;
	start(&l, RP_ASKS_ACK, 16, 64);
	lab_run(&l, 50 * US);
	assert_true(rp.n > 20);
	for (unsigned i = 0; i < rp.n; i++)
		assert_true(rp.seen[i].ack.rtt == NONE);
	lab_end(&l);
}

static void who_asks_for_no_acks_is_told_nothing(void **state)
{
	struct lab l;

	(void)state;
	start(&l, 0, 16, 64);
	wire.lose = 100;
	lab_run(&l, 50 * US);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->nak_rx, 1);
	assert_int_equal(rp.n, 0);
	assert_int_equal(rp.naks, 0);
	lab_end(&l);
}

// A packet that is sent again is not timed; a packet that is sent for the first time afterwards is.
static void frames_sent_again_are_not_timed(void **state)
{
	unsigned none = 0, again = 0;
	struct lab l;

	(void)state;
	start(&l, RP_ASKS_ACK | RP_ASKS_RTT, 4, 64);
	wire.lose = 101;
	run(&l, 50 * US);
	assert_int_equal(rp.naks, 1);
	assert_in_range(wire.retx, 10, 40); // a round trip of 2.1 us
	for (unsigned i = 0; i < rp.n; i++) {
		bool untimed = rp.seen[i].ack.rtt == NONE;

		none += untimed;
		again += !untimed && rp.seen[i].ack.acked > 101 * MTU;
		assert_true(!untimed || rp.seen[i].ack.acked >= 100 * MTU);
	}
	assert_true(none >= 2 && again > 20);
	lab_end(&l);
}

// Their ACKs are lost: the NAK acknowledges two packets, and it is no answer to the packet that it
// names, which never came.
static void a_nak_is_no_answer_to_what_it_asks_for(void **state)
{
	struct lab l;

	(void)state;
	start(&l, RP_ASKS_ACK | RP_ASKS_RTT, 1, 64);
	wire.lose = 101;
	wire.lose_acks = 98;
	while (!rp.naks)
		run(&l, l.now + 10000);
	assert_int_equal(rp.seen[rp.n - 1].ack.acked, 101 * MTU);
	assert_int_equal(rp.seen[rp.n - 1].ack.bytes, 3 * MTU);
	assert_true(rp.seen[rp.n - 1].ack.rtt == NONE);
	lab_end(&l);
}

// More than 64 in flight: those beyond are not timed.
static void only_64_frames_are_timed_at_a_time(void **state)
{
	unsigned timed = 0;
	struct lab l;

	(void)state;
	start(&l, RP_ASKS_ACK | RP_ASKS_RTT, 1, 1024);
	l.delay = 10 * US; // 225 frames
	run(&l, 100 * US);
	assert_true(rp.n > 500);
	for (unsigned i = 0; i < 64; i++)
		assert_in_range(rp.seen[i].ack.rtt, 20 * US, 21 * US);
	for (unsigned i = 64; i < 200; i++)
		assert_true(rp.seen[i].ack.rtt == NONE);
	for (unsigned i = 200; i < rp.n; i++)
		timed += rp.seen[i].ack.rtt != NONE;
	assert_true(timed > 64);
	lab_end(&l);
}

// Every ACK says CE of all that it acknowledges, and no CNP comes.
static void an_ack_says_ce_of_all_that_it_acknowledges(void **state)
{
	unsigned ce = 0;
	struct lab l;

	(void)state;
	start(&l, RP_ASKS_ACK | RP_ASKS_CE, 16, 64);
	wire.ce_permille = 100;
	lab_run(&l, 100 * US);
	assert_true(rp.n > 200);
	for (unsigned i = 0; i < rp.n; i++) {
		const struct rp_ack *a = &rp.seen[i].ack;

		ce += a->ce;
		for (uint64_t k = (a->acked - a->bytes) / MTU; k < a->acked / MTU; k++)
			assert_int_equal(wire.ce[k], a->ce);
	}
	assert_in_range(ce, rp.n / 5, rp.n * 4 / 5);
	assert_int_equal(nic_stats(l.nic[1])->np_cnp_sent, 0);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->cnp_rx, 0);
	lab_end(&l);
}

// The simulator's framing makes the echo a CNP for reaction points that know CNPs only.
static void who_asks_for_ce_takes_no_echo_for_a_cnp(void **state)
{
	struct rc_params rc = lab_rc_params();
	struct lab l;

	(void)state;
	rc.recovery = RC_ANY_ORDER;
	for (unsigned asks = 0; asks < 2; asks++) {
		struct nic_qp_params req;
		struct rp_cfg cfg;

		clean(NULL);
		rp.asks = asks ? RP_ASKS_ACK | RP_ASKS_CE : 0;
		wire.lose = wire.lose_acks = UINT32_MAX;
		wire.ce_permille = 500;
		cfg = rp_of_profile("hpcc_sim_dcqcn", 100 * RATE_GBPS);
		lab_init(&l);
		assert_int_equal(rc_cfg_init(&l.rc, &rc), 0);
		l.p[0].cnflag = l.p[1].cnflag = true;
		l.hook = carry;
		lab_start(&l);
		req = lab_req(&l, 1);
		req.rp = &cfg;
		lab_add(&l, &req);
		lab_run(&l, 20 * US);
		assert_int_equal(nic_qp_stats(l.nic[0], 0)->cnp_rx > 0, !asks);
		assert_int_equal(rp.n > 0, asks);
		for (unsigned i = 0; i < rp.n; i++)
			assert_int_equal(rp.seen[i].ack.ce, wire.ce[i]);
		lab_end(&l);
	}
}

// The answer to an ACK is told as of the ACK's arrival.
static void an_answer_is_an_event(void **state)
{
	struct lab l;

	(void)state;
	rp.event = RP_DECREASE;
	start(&l, RP_ASKS_ACK, 16, 1);
	lab_run(&l, 3 * US);
	assert_true(rp.n >= 2);
	assert_int_equal(lab_evs(&l, 0, EV_RP), rp.n);
	assert_int_equal(lab_evs(&l, 0, EV_CUT), rp.n);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->rate_cuts, 0); // the rate stays as it was
	for (unsigned i = 0; i < rp.n; i++) {
		assert_int_equal(lab_ev(&l, 0, EV_RP, i)->t, rp.seen[i].at);
		assert_int_equal(lab_ev(&l, 0, EV_RP, i)->reaction, RP_DECREASE);
	}
	lab_end(&l);
}

// 5000 bytes: the fifth packet overruns them. Five packets a round trip, from the first on.
static void a_window_holds_the_requester(void **state)
{
	struct lab l;

	(void)state;
	rp.window = 5000;
	start(&l, RP_ASKS_ACK, 16, 1024);
	lab_run(&l, 100 * US);
	assert_int_equal(wire.most_in_flight, 5);
	assert_in_range(wire.sent, 5 * 39, 5 * 41); // 2.45 us, from the first to the last's ACK
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->data_frames_retransmitted, 0);
	rp.window = 0; // none, from the next ACK on
	lab_run(&l, 200 * US);
	assert_true(wire.most_in_flight >= 16);
	lab_end(&l);
}

// A NAK of a packet that has been acknowledged since does not go back: no loss is told, and timed
// packets stay timed.
static void a_nak_that_comes_too_late_is_no_loss(void **state)
{
	struct lab l;
	unsigned n;

	(void)state;
	start(&l, RP_ASKS_ACK | RP_ASKS_RTT, 4, 1024);
	lab_run(&l, 10 * US);
	n = rp.n;
	assert_true(n > 10);
	lab_rx(&l, 0,
		&(struct pkt){.kind = PKT_ACK,
			.len = 62,
			.u.rc = {.opcode = BTH_RC_ACK,
				.syndrome = AETH_NAK_PSN,
				.psn = 1,
				.qpn = 1}});
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->nak_rx, 1);
	assert_int_equal(nic_qp_rc_tx(l.nic[0], 0)->past->stats.duplicate_acks, 1);
	lab_run(&l, 14 * US);
	assert_int_equal(rp.naks, 0);
	assert_int_equal(wire.retx, 0);
	assert_true(rp.n > n);
	for (; n < rp.n; n++)
		assert_true(rp.seen[n].ack.rtt != NONE);
	lab_end(&l);
}

// Also where a NAK is no event to it.
static void a_nak_changes_the_window(void **state)
{
	struct lab l;

	(void)state;
	rp.window = 64 * MTU;
	rp.after_nak = 2 * MTU;
	start(&l, RP_ASKS_ACK, 16, 1024);
	wire.lose = 100;
	while (!rp.naks)
		lab_run(&l, l.now + 10000);
	assert_int_equal(nic_qp_rc_tx(l.nic[0], 0)->past->window, 2 * MTU);
	lab_end(&l);
}

// Random windows, losses and CE: the requester goes on, and the reaction point is told of exactly
// the packets that went over the wire.
static void windows_losses_and_ce_at_random(void **state)
{
	const char *given = getenv("QUENCH_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	(void)state;
	for (uint64_t round = 0; round < 60; round++, seed++) {
		static const uint32_t most[] = {0, 1, 3000, 20000, 200000};
		struct prng g;
		struct lab l;

		print_message("QUENCH_SEED=%" PRIu64 "\n", seed);
		clean(NULL);
		prng_init(&g, seed, "ack");
		prng_init(&wire.rng, seed, "wire");
		prng_init(&rp.rng, seed, "window");
		rp.most = most[prng_below(&g, 5)];
		rp.window = rp.most;
		wire.ce_permille = prng_below(&g, 2) * prng_below(&g, 500);
		wire.loss_permille = prng_below(&g, 2) * prng_below(&g, 30);
		start(&l, RP_ASKS_ACK | RP_ASKS_RTT | RP_ASKS_CE, 1 + prng_below(&g, 40),
			1 + prng_below(&g, 100));
		run(&l, 300 * US); // no message is posted afterwards
		assert_true(wire.loss_permille || wire.acked > 0);
		run(&l, 100 * PS_PER_MS); // the timeout is a millisecond
		assert_int_equal(wire.acked * MTU, nic_qp_rc_tx(l.nic[0], 0)->past->done_bytes);
		assert_int_equal(nic_qp_stats(l.nic[1], 0)->message_complete_rx,
			rc_tx_posted(nic_qp_rc_tx(l.nic[0], 0)));
		if (!wire.loss_permille)
			assert_int_equal(wire.retx + rp.naks, 0);
		assert_int_equal(nic_stats(l.nic[1])->np_cnp_sent, 0);
		lab_end(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_rtt_is_from_first_bit_to_arrival, clean),
		cmocka_unit_test_setup(the_frame_that_asked_is_timed, clean),
		cmocka_unit_test_setup(who_asks_for_no_rtt_gets_none, clean),
		cmocka_unit_test_setup(who_asks_for_no_acks_is_told_nothing, clean),
		cmocka_unit_test_setup(frames_sent_again_are_not_timed, clean),
		cmocka_unit_test_setup(a_nak_is_no_answer_to_what_it_asks_for, clean),
		cmocka_unit_test_setup(only_64_frames_are_timed_at_a_time, clean),
		cmocka_unit_test_setup(an_ack_says_ce_of_all_that_it_acknowledges, clean),
		cmocka_unit_test_setup(who_asks_for_ce_takes_no_echo_for_a_cnp, clean),
		cmocka_unit_test_setup(an_answer_is_an_event, clean),
		cmocka_unit_test_setup(a_window_holds_the_requester, clean),
		cmocka_unit_test_setup(a_nak_that_comes_too_late_is_no_loss, clean),
		cmocka_unit_test_setup(a_nak_changes_the_window, clean),
		cmocka_unit_test_setup(windows_losses_and_ce_at_random, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
