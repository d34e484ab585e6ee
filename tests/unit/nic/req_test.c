// SPDX-License-Identifier: BSD-3-Clause
// Tests of requesters in a NIC: spacing, rate changes inside a gap, loss, timeouts, the workload.
#include "base/prng.h"
#include "nic_lab.h"

#define MIDDLE ((1082 + 24) * 8ull) // bits of a middle frame of 1024 bytes on the wire

struct log {
	unsigned n;
	tstamp t[4096];
	uint32_t psn[4096];
	unsigned lose_from, lose_to; // data frames [from, to) by number are lost
	unsigned lose_acks;          // so many ACKs are lost
	uint64_t digest;
};

static bool note(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct log *g = l->arg;

	g->digest = (g->digest ^ now ^ (uint64_t)p->kind << 60 ^ p->u.rc.psn) * 0x100000001b3;
	if (p->kind == PKT_ACK && g->lose_acks) {
		g->lose_acks--;
		return false;
	}
	if (from || p->kind != PKT_DATA)
		return true;
	if (g->n < 4096) {
		g->t[g->n] = now;
		g->psn[g->n] = p->u.rc.psn;
	}
	g->n++;
	return g->n <= g->lose_from || g->n > g->lose_to;
}

static void start(struct lab *l, struct log *g)
{
	memset(g, 0, sizeof(*g));
	l->hook = note;
	l->arg = g;
	lab_start(l);
}

static struct rp_cfg rp_cfg(rate_t line_rate)
{
	struct dcqcn_rp_params p;

	assert_int_equal(dcqcn_rp_profile(&p, "paper", line_rate), 0);
	p.min_rate = RATE_MBPS;
	return rp_of_dcqcn(&p);
}

static void cnp(struct lab *l, uint32_t qpn)
{
	lab_rx(l, 0,
		&(struct pkt){.kind = PKT_CNP, .len = 74, .u.rc = {.opcode = 0x81, .qpn = qpn}});
}

static void spacing_at_rate_limit(void **state)
{
	(void)state;
	static const rate_t rates[] = {100 * RATE_GBPS, 40 * RATE_GBPS, 10 * RATE_GBPS, RATE_GBPS};
	static struct log g;

	for (unsigned i = 0; i < 4; i++) {
		struct lab l;

		lab_init(&l);
		start(&l, &g);

		struct nic_qp_params p = lab_req(&l, 1);

		p.rate_limit = rates[i];
		lab_add(&l, &p);
		lab_run(&l, 200 * PS_PER_US);
		assert_true(g.n > 20);
		assert_int_equal(g.t[1] - g.t[0],
			MIDDLE * PS_PER_S / rates[i] + 16 * 8 * PS_PER_S / rates[i]);
		for (unsigned k = 2; k < 20; k++)
			assert_int_equal(g.t[k] - g.t[k - 1], MIDDLE * PS_PER_S / rates[i]);
		lab_end(&l);
	}
}

// A requester alone, at the rate that its reaction point begins with.
static void start_at_rate(struct lab *l, struct log *g, const struct rp_cfg *rp)
{
	struct nic_qp_params p;

	lab_init(l);
	start(l, g);
	p = lab_req(l, 1);
	p.rp = rp;
	lab_add(l, &p);
}

// A CNP halfway through a gap: alpha is 1, the rate halves, what is left of the gap doubles.
static void stretched_gap(rate_t rate)
{
	static struct log g;
	struct rp_cfg rp = rp_cfg(rate);
	struct lab l;

	start_at_rate(&l, &g, &rp);

	tstamp bit = PS_PER_S / rate, first = (MIDDLE + 128) * bit, gap = MIDDLE * bit;

	lab_run(&l, first + gap / 2);
	assert_int_equal(g.n, 2);
	cnp(&l, 1);
	assert_int_equal(rp_rate(nic_qp_rp(l.nic[0], 0)), rate / 2);
	lab_run(&l, first + 10 * gap);
	assert_int_equal(g.t[2] - g.t[1], gap / 2 + gap);
	assert_int_equal(g.t[3] - g.t[2], 2 * gap);
	assert_int_equal(nic_stats(l.nic[0])->rp_cnp_handled, 1);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->cnp_rx, 1);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->rate_cuts, 1);
	assert_int_equal(lab_evs(&l, 0, EV_CNP_RX), 1);

	const struct ev *e = lab_ev(&l, 0, EV_RP, 0);

	assert_int_equal(e->reaction, RP_DECREASE);
	assert_int_equal(e->t, first + gap / 2);
	assert_int_equal(e->rp.rc, rate / 2);
	assert_int_equal(e->rp.rt, rate);
	assert_int_equal(e->rp.alpha_millionths, 1000000); // alpha 1
	assert_int_equal(lab_evs(&l, 0, EV_CUT), 1);
	assert_int_equal(lab_ev(&l, 0, EV_CUT, 0)->t, first + gap / 2);
	assert_int_equal(lab_ev(&l, 0, EV_CUT, 0)->cut.next, g.t[2]);
	lab_end(&l);
}

// At the line's rate too, where the next frame would leave as soon as the wire is free.
static void cnp_stretches_gap(void **state)
{
	(void)state;
	stretched_gap(10 * RATE_GBPS);
	stretched_gap(100 * RATE_GBPS);
}

// Timers inside a gap wake nobody, for its end is known from its beginning. A gap longer than the
// rate timer: at 100 Mb/s a middle frame takes 88.48 us. CNP 10 us after a
// frame: 50 Mb/s, 78.48 us left become 156.96. Timer at 65 us: 75 Mb/s, 101.96 left become
// 67.97333; timer at 120 us: 87.5 Mb/s, 12.97333 become 11.12: the frame leaves 131.12 us after the
// one before.
static void timers_inside_gap(void **state)
{
	(void)state;
	static struct log g;
	struct rp_cfg rp = rp_cfg(100 * RATE_MBPS);
	struct lab l;

	start_at_rate(&l, &g, &rp);

	tstamp t0 = (MIDDLE + 128) * 10000;

	lab_run(&l, t0 + 10 * PS_PER_US);
	cnp(&l, 1);

	tstamp end = nic_deadline(l.nic[0], 0);

	lab_run(&l, t0 + 140 * PS_PER_US);
	assert_int_equal(g.n, 3);
	assert_int_equal(g.t[1], t0);
	assert_in_range(g.t[2], t0 + 131120000 - 4, t0 + 131120000 + 4);
	assert_int_equal(g.t[2], end);
	lab_end(&l);
}

// The same two timers, of two queue pairs: they are told when somebody asks, a queue pair at a time
// where the ring has room for one, and the frames leave when they would have left.
static void timers_that_are_left_are_told_on_demand(void **state)
{
	static struct log g;
	struct rp_cfg rp = rp_cfg(100 * RATE_MBPS);
	struct nic_qp_params p;
	struct lab l;

	(void)state;
	start_at_rate(&l, &g, &rp);
	p = lab_req(&l, 2);
	p.rp = &rp;
	lab_add(&l, &p);

	tstamp t0 = (MIDDLE + 128) * 10000, end;

	lab_run(&l, t0 + 10 * PS_PER_US);
	cnp(&l, 1);
	cnp(&l, 2);
	assert_int_equal(lab_evs(&l, 0, EV_RP), 2);
	end = nic_deadline(l.nic[0], 0);
	lab_run(&l, t0 + 130 * PS_PER_US);
	assert_int_equal(lab_evs(&l, 0, EV_RP), 2);
	l.events[0].want = 1ull << EV_RP;
	l.events[0].mask = 1;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(nic_settle(l.nic[0], i, t0 + 130 * PS_PER_US), i + 1);
		lab_drain_events(&l, 0);
		assert_int_equal(lab_evs(&l, 0, EV_RP), 2 * (i + 2));
		assert_int_equal(lab_ev(&l, 0, EV_RP, 2 * i + 2)->t, t0 + 65 * PS_PER_US);
		assert_int_equal(lab_ev(&l, 0, EV_RP, 2 * i + 3)->t, t0 + 120 * PS_PER_US);
	}
	assert_int_equal(nic_settle(l.nic[0], 0, t0 + 130 * PS_PER_US), 2);
	lab_run(&l, end + PS_PER_US);
	assert_int_equal(lab_evs(&l, 0, EV_RP), 6);
	assert_int_equal(g.n, 6);
	assert_int_equal(g.t[4], end);
	lab_end(&l);
}

// A class stands still for 200 us; rate timers of that time count for the first gap after it: CNP
// at 100 Mb/s, then 50, timers 55 us apart to 75, 87.5, 93.75: 1106 bytes take 94.376 us.
static void timers_while_paused(void **state)
{
	(void)state;
	static struct log g;
	struct rp_cfg rp = rp_cfg(100 * RATE_MBPS);
	struct lab l;

	start_at_rate(&l, &g, &rp);
	lab_run(&l, 80 * PS_PER_US);
	cnp(&l, 1);
	lab_rx(&l, 0,
		&(struct pkt){.kind = PKT_PFC,
			.len = 60,
			.u.pfc = {.enable = 1 << 3, .quanta = {0, 0, 0, 65535}}});
	lab_run(&l, 260 * PS_PER_US);
	assert_int_equal(g.n, 1);
	lab_rx(&l, 0, &(struct pkt){.kind = PKT_PFC, .len = 60, .u.pfc.enable = 1 << 3});
	lab_run(&l, 500 * PS_PER_US);
	assert_int_equal(g.t[1], 260 * PS_PER_US);
	// the timer at 300 us makes 96.875 of it: 40 us at 93.75, the rest in proportion
	tstamp left = 94378667 - 40000000;

	assert_in_range(
		g.t[2] - g.t[1], 40000000 + left * 9375 / 9688 - 2, 40000000 + left * 30 / 31 + 2);
	lab_end(&l);
}

// Sampling in between (nic_account catches up with timers) changes no frame: the same digest, with
// CNPs at random instants, paced far below the line.
static uint64_t sampled_run(uint64_t seed, bool sampled)
{
	static struct log g;
	struct rp_cfg rp = rp_cfg(RATE_GBPS);
	struct prng r, s;
	struct lab l;

	prng_init(&r, seed, "cnp");
	prng_init(&s, seed, "sample");
	lab_init(&l);
	start(&l, &g);
	for (uint32_t q = 1; q <= 3; q++) {
		struct nic_qp_params p = lab_req(&l, q);

		p.rp = &rp;
		p.message_bytes = 20000;
		p.outstanding = q;
		lab_add(&l, &p);
	}
	for (unsigned i = 0; i < 300; i++) {
		tstamp next = l.now + prng_below(&r, 40 * PS_PER_US);

		while (sampled && l.now + 7 * PS_PER_US < next) {
			lab_run(&l, l.now + prng_below(&s, 7 * PS_PER_US));
			nic_account(l.nic[0], l.now);
		}
		lab_run(&l, next);
		if (prng_below(&r, 10) < 3)
			cnp(&l, 1 + (uint32_t)prng_below(&r, 3));
	}
	lab_end(&l);
	assert_true(g.n > 100);
	return g.digest;
}

static void sampling_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		print_message("seed %lu\n", (unsigned long)seed);
		assert_int_equal(sampled_run(seed, false), sampled_run(seed, true));
	}
}

// One frame lost: one NAK, everything from it again, each message once.
static void go_back_n(void **state)
{
	(void)state;
	static struct log g;
	struct lab l;

	lab_init(&l);
	start(&l, &g);
	g.lose_from = 10;
	g.lose_to = 11;

	struct nic_qp_params p = lab_req(&l, 1);

	p.message_bytes = 100 * 1024;
	p.count = 1;
	lab_add(&l, &p);
	lab_run(&l, PS_PER_MS);

	const struct nic_qp_stats *tx = nic_qp_stats(l.nic[0], 0), *rx = nic_qp_stats(l.nic[1], 0);
	uint64_t again = tx->data_frames_retransmitted;

	assert_int_equal(rx->message_complete_rx, 1);
	assert_int_equal(rx->rx_bytes, p.message_bytes);
	assert_int_equal(rx->nak_tx, 1);
	assert_int_equal(tx->nak_rx, 1);
	assert_int_equal(nic_stats(l.nic[0])->packet_seq_err, 1);
	assert_int_equal(nic_stats(l.nic[0])->local_ack_timeout_err, 0);
	assert_true(again > 20); // two delays at 88 ns a frame
	assert_int_equal(tx->data_frames_tx, 100 + again);
	assert_int_equal(rx->frame_sequence_error, again - 1);
	assert_int_equal(nic_stats(l.nic[1])->out_of_sequence, again - 1);
	assert_int_equal(lab_evs(&l, 0, EV_NAK), 1);
	assert_int_equal(lab_ev(&l, 0, EV_NAK, 0)->retry.psn, 10);
	assert_int_equal(lab_evs(&l, 1, EV_NAK_TX), 1);
	assert_int_equal(lab_ev(&l, 1, EV_NAK_TX, 0)->retry.psn, 10);
	assert_int_equal(lab_evs(&l, 0, EV_RESENT), again);
	assert_int_equal(lab_ev(&l, 0, EV_RESENT, 0)->resent.psn, 10);
	assert_int_equal(lab_ev(&l, 0, EV_RESENT, 0)->resent.bytes, 1082);
	assert_int_equal(lab_ev(&l, 0, EV_RESENT, (unsigned)again - 1)->resent.psn, 9 + again);
	assert_int_equal(lab_evs(&l, 0, EV_MSG_DONE), 1);
	assert_int_equal(tx->message_tx, 1);
	lab_end(&l);
}

// The last ACK lost: after the timeout the frames after the last ACK come again and are
// acknowledged as duplicates.
static void lost_ack_times_out(void **state)
{
	(void)state;
	static struct log g;
	struct lab l;

	lab_init(&l);
	start(&l, &g);
	g.lose_acks = 1;

	struct nic_qp_params p = lab_req(&l, 1);

	p.message_bytes = 3000;
	p.count = 1;
	lab_add(&l, &p);
	lab_run(&l, 2 * PS_PER_MS);
	assert_int_equal(nic_stats(l.nic[0])->local_ack_timeout_err, 1);
	// armed by the frame that asks for the ACK, the third
	assert_int_equal(lab_ev(&l, 0, EV_TIMEOUT, 0)->t, g.t[2] + PS_PER_MS);
	assert_int_equal(lab_ev(&l, 0, EV_TIMEOUT, 0)->retry.active_at, g.t[2]);
	assert_int_equal(g.n, 6);
	assert_int_equal(nic_stats(l.nic[1])->duplicate_request, 3);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->message_complete_rx, 1);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->rx_bytes, 3000);
	assert_int_equal(lab_evs(&l, 0, EV_MSG_DONE), 1);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->message_tx, 1);
	lab_end(&l);
}

// A receiver that is not ready: the packets come again after the time that it says, 1.28 ms, not
// before. That runs though no packet sent so far asked for an ACK, and though the class is paused,
// and is no timeout.
static void rnr_nak(void **state)
{
	(void)state;
	static struct log g;
	struct lab l;

	lab_init(&l);
	l.p[0].pause_no_expiry = true;
	start(&l, &g);
	g.lose_to = 3;

	struct nic_qp_params p = lab_req(&l, 1);

	p.message_bytes = 10000;
	p.count = 1;
	p.rate_limit = RATE_GBPS;
	lab_add(&l, &p);
	lab_run(&l, 20 * PS_PER_US);
	assert_int_equal(g.n, 3);
	lab_rx(&l, 0,
		&(struct pkt){.kind = PKT_PFC,
			.len = 60,
			.u.pfc = {.enable = 1 << 3, .quanta = {0, 0, 0, 1}}});
	lab_rx(&l, 0,
		&(struct pkt){.kind = PKT_ACK,
			.len = 62,
			.u.rc = {.qpn = 1, .syndrome = AETH_RNR_NAK | 14}});
	lab_run(&l, 2 * PS_PER_MS);
	assert_int_equal(lab_evs(&l, 0, EV_TIMEOUT), 0);
	assert_int_equal(lab_evs(&l, 0, EV_NAK), 1);
	assert_int_equal(g.n, 3);
	lab_rx(&l, 0, &(struct pkt){.kind = PKT_PFC, .len = 60, .u.pfc.enable = 1 << 3});
	lab_run(&l, 4 * PS_PER_MS);
	assert_int_equal(g.psn[3], 0);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->nak_rx, 1);
	assert_int_equal(nic_stats(l.nic[0])->packet_seq_err, 0);
	assert_int_equal(lab_evs(&l, 0, EV_MSG_DONE), 1);
	lab_end(&l);
}

// The wait ends to the instant, though the retransmission timeout is shorter; a count that is used
// up fails the queue pair at the next RNR NAK.
static void rnr_wait_and_its_count(void **state)
{
	(void)state;
	static struct log g;
	const tstamp at = 20 * PS_PER_US, wait = 1280 * PS_PER_US;
	struct rc_params rc = lab_rc_params();
	struct pkt nak = {
		.kind = PKT_ACK, .len = 62, .u.rc = {.qpn = 1, .syndrome = AETH_RNR_NAK | 14}};
	struct lab l;

	lab_init(&l);
	rc.rnr_retries = 1;
	assert_int_equal(rc_cfg_init(&l.rc, &rc), 0);
	start(&l, &g);
	g.lose_to = UINT32_MAX;

	struct nic_qp_params p = lab_req(&l, 1);

	p.message_bytes = 1000;
	p.count = 1;
	lab_add(&l, &p);
	lab_run(&l, at);
	assert_int_equal(g.n, 1);
	lab_rx(&l, 0, &nak);
	lab_run(&l, at + wait + 10 * PS_PER_US);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.psn[1], 0);
	assert_int_equal(g.t[1] - g.t[0], at + wait);
	assert_int_equal(lab_evs(&l, 0, EV_TIMEOUT), 0);
	lab_rx(&l, 0, &nak);
	lab_run(&l, 100 * PS_PER_MS);
	assert_int_equal(g.n, 2);
	assert_int_equal(lab_evs(&l, 0, EV_QP_FAILED), 1);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->message_fail, 1);
	assert_int_equal(nic_qp_rc_tx(l.nic[0], 0)->failed, RC_RNR_RETRIES_EXCEEDED);
	lab_end(&l);
}

static void count_posted_at_0(void *arg, const struct nic_message *m)
{
	unsigned *n = arg;

	assert_int_equal(m->flow, 1);
	assert_int_equal(m->bytes, 1000);
	assert_int_equal(m->posted, 0);
	++*n;
}

static unsigned posted(const struct lab *l)
{
	unsigned n = 0;

	nic_messages(l->nic[0], count_posted_at_0, &n);
	return n;
}

// Nothing gets through: sent once and seven times again, then the queue pair has failed and is
// silent. Its messages are posted until then, and lost at that instant.
static void retries_exhausted(void **state)
{
	(void)state;

	static struct log g;
	struct rp_cfg rp = rp_cfg(100 * RATE_GBPS);
	struct lab l;

	lab_init(&l);
	start(&l, &g);
	g.lose_to = UINT32_MAX;

	struct nic_qp_params p = lab_req(&l, 1);

	p.message_bytes = 1000;
	p.outstanding = 3;
	p.rp = &rp;
	lab_add(&l, &p);
	lab_run(&l, PS_PER_US);
	assert_int_equal(posted(&l), 3);
	lab_run(&l, 20 * PS_PER_MS);
	assert_int_equal(posted(&l), 0);
	assert_int_equal(lab_evs(&l, 0, EV_TIMEOUT), 8);
	assert_int_equal(lab_evs(&l, 0, EV_QP_FAILED), 1);
	assert_int_equal(lab_ev(&l, 0, EV_QP_FAILED, 0)->t, g.t[21] + PS_PER_MS);
	assert_int_equal(lab_evs(&l, 0, EV_MSG_FAILED), 3);
	assert_int_equal(lab_ev(&l, 0, EV_MSG_FAILED, 2)->message.bytes, 1000);
	assert_int_equal(lab_ev(&l, 0, EV_MSG_FAILED, 2)->message.posted, 0);
	assert_int_equal(g.n, 8 * 3);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->message_fail, 3);
	assert_int_equal(nic_deadline(l.nic[0], 0), TSTAMP_NEVER);
	cnp(&l, 1);
	assert_int_equal(nic_stats(l.nic[0])->rp_cnp_ignored, 1);
	assert_int_equal(nic_stats(l.nic[0])->rp_cnp_handled, 0);
	lab_end(&l);
}

// A NAK that is no sequence error fails the queue pair at once: what it acknowledges is done, the
// other messages are lost and counted once, and nothing is sent or posted any more.
static void a_fatal_nak_fails_it(void **state)
{
	(void)state;

	static struct log g;
	struct lab l;

	lab_init(&l);
	start(&l, &g);
	g.lose_to = UINT32_MAX;

	struct nic_qp_params p = lab_req(&l, 1);

	p.message_bytes = 1000;
	p.outstanding = 3;
	lab_add(&l, &p);
	lab_run(&l, 20 * PS_PER_US);
	assert_int_equal(g.n, 3);
	for (unsigned i = 0; i < 2; i++)
		lab_rx(&l, 0,
			&(struct pkt){.kind = PKT_ACK,
				.len = 62,
				.u.rc = {.qpn = 1, .psn = 1, .syndrome = AETH_NAK_ACCESS}});
	lab_run(&l, 20 * PS_PER_MS);
	assert_int_equal(g.n, 3);
	assert_int_equal(lab_evs(&l, 0, EV_NAK), 2);
	assert_int_equal(lab_evs(&l, 0, EV_MSG_DONE), 1);
	assert_int_equal(lab_evs(&l, 0, EV_TIMEOUT), 0);
	assert_int_equal(lab_evs(&l, 0, EV_QP_FAILED), 1);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->message_fail, 2);
	assert_int_equal(lab_evs(&l, 0, EV_MSG_FAILED), 2);
	assert_int_equal(nic_qp_rc_tx(l.nic[0], 0)->failed, RC_REMOTE_ACCESS_ERROR);
	assert_int_equal(nic_deadline(l.nic[0], 0), TSTAMP_NEVER);
	lab_end(&l);
}

// A window of 4 packets, an ACK for each: 4 frames a round trip.
static void window_limits(void **state)
{
	(void)state;

	static struct log g;
	struct rc_params rp = lab_rc_params();
	struct lab l;

	lab_init(&l);
	rp.window = 4;
	rp.ack_every = 1;
	assert_int_equal(rc_cfg_init(&l.rc, &rp), 0);
	start(&l, &g);

	struct nic_qp_params p = lab_req(&l, 1);

	lab_add(&l, &p);
	lab_run(&l, 100 * PS_PER_US);

	tstamp round = MIDDLE * 10 + 86 * 80 + 2 * l.delay;

	for (unsigned k = 8; k + 4 < g.n && k < 100; k++)
		assert_int_equal(g.t[k + 4] - g.t[k], round);
	assert_true(g.n > 4 * (100 * PS_PER_US / round));
	lab_end(&l);
}

// Messages, their number and how many are posted at a time.
static void workload(void **state)
{
	(void)state;

	static struct log g;
	struct lab l;

	lab_init(&l);
	start(&l, &g);

	struct nic_qp_params p = lab_req(&l, 1);

	p.message_bytes = 5000;
	p.outstanding = 3;
	p.count = 10;
	p.start = PS_PER_US;
	lab_add(&l, &p);
	lab_run(&l, PS_PER_US);

	const struct rc_tx *tx = nic_qp_rc_tx(l.nic[0], 0);

	assert_int_equal(rc_tx_posted(tx), 3);
	assert_int_equal(g.t[0], PS_PER_US);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(rc_tx_posted(tx), 10);
	assert_int_equal(lab_evs(&l, 0, EV_MSG_DONE), 10);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(lab_ev(&l, 0, EV_MSG_DONE, i)->message.bytes, 5000);
	for (unsigned i = 1; i < 10; i++)
		assert_true(lab_ev(&l, 0, EV_MSG_DONE, i)->message.begun >
			    lab_ev(&l, 0, EV_MSG_DONE, i - 1)->message.begun);
	// the second began behind the first one's frames, the fourth was posted as the first was
	// done
	assert_int_equal(lab_ev(&l, 0, EV_MSG_DONE, 1)->message.begun,
		PS_PER_US + (5000 + 16 + 5 * 82) * 80);
	assert_int_equal(
		lab_ev(&l, 0, EV_MSG_DONE, 3)->message.posted, lab_ev(&l, 0, EV_MSG_DONE, 0)->t);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->message_tx, 10);
	lab_end(&l);
}

// Each ACK moves the timeout; no ACK costs a call of its own. Calls of tx at both ends: one a
// frame, and one where a timeout's old instant is met (1 ms apart).
static void acks_cost_no_waking(void **state)
{
	(void)state;

	static struct log g;
	struct lab l;

	lab_init(&l);
	start(&l, &g);

	struct nic_qp_params p = lab_req(&l, 1);

	p.rate_limit = 20 * RATE_GBPS;
	lab_add(&l, &p);
	lab_run(&l, 5 * PS_PER_MS);

	uint64_t frames = nic_stats(l.nic[0])->tx_frames + nic_stats(l.nic[1])->tx_frames;

	assert_in_range(l.calls, frames, frames + 10);
	assert_int_equal(lab_evs(&l, 0, EV_TIMEOUT), 0);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spacing_at_rate_limit),
		cmocka_unit_test(cnp_stretches_gap),
		cmocka_unit_test(timers_inside_gap),
		cmocka_unit_test(timers_that_are_left_are_told_on_demand),
		cmocka_unit_test(timers_while_paused),
		cmocka_unit_test(sampling_changes_nothing),
		cmocka_unit_test(go_back_n),
		cmocka_unit_test(lost_ack_times_out),
		cmocka_unit_test(rnr_nak),
		cmocka_unit_test(rnr_wait_and_its_count),
		cmocka_unit_test(retries_exhausted),
		cmocka_unit_test(a_fatal_nak_fails_it),
		cmocka_unit_test(window_limits),
		cmocka_unit_test(workload),
		cmocka_unit_test(acks_cost_no_waking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
