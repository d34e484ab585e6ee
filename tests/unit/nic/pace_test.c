// SPDX-License-Identifier: BSD-3-Clause
// Tests of the limiters of queue pairs: each keeps its own rate, whatever the others do, and
// catches up only with the wire.
#include <stdio.h>

#include "base/prng.h"
#include "nic_lab.h"

#define BYTES 1106 // of a SEND frame with 1024 bytes of payload on the wire
#define LINE  (100 * RATE_GBPS)
#define QPS   1000

struct flow {
	rate_t rate;
	tstamp start;
	uint64_t sent;
};

// The frames of nic 0 on the wire, by queue pair.
struct wire {
	struct flow flow[QPS + 1];
	uint32_t order[4096]; // who sent the first frames
	unsigned n_order;
	tstamp free_at, busy_since, last_late;
	const char *what;
};

// Ideal instant of the n-th frame of a flow that began at its start, ps.
static tstamp ideal(const struct flow *f, uint64_t n)
{
	return f->start + (tstamp)((unsigned __int128)n * BYTES * 8 * PS_PER_S / f->rate);
}

static struct wire *look(struct lab *l, unsigned from, const struct pkt *p, tstamp now)
{
	struct wire *w = l->arg;

	if (from || p->kind != PKT_DATA)
		return NULL;
	if (now > w->free_at)
		w->busy_since = now;
	w->free_at = now + eport_wire_time(nic_eport(l->nic[0])->cfg, p->len);
	if (w->n_order < 4096)
		w->order[w->n_order++] = p->u.rc.qpn;
	return w;
}

static bool count(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct wire *w = look(l, from, p, now);

	if (w)
		w->flow[p->u.rc.qpn].sent++;
	return true;
}

// No frame leaves before its ideal instant. One that leaves after it has waited for the wire ever
// since.
static bool judge(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct wire *w = look(l, from, p, now);

	if (!w)
		return true;

	struct flow *f = &w->flow[p->u.rc.qpn];
	tstamp at = ideal(f, f->sent++);

	// The time of a byte is held to 2^-21 ps.
	if (now + 2000 < at)
		fail_msg("%s: frame %llu of queue pair %u leaves %llu ps early", w->what,
			(unsigned long long)f->sent, p->u.rc.qpn, (unsigned long long)(at - now));
	if (at + 2000 < w->busy_since)
		fail_msg("%s: frame %llu of queue pair %u leaves %llu ps late, the wire was idle",
			w->what, (unsigned long long)f->sent, p->u.rc.qpn,
			(unsigned long long)(now - at));
	return true;
}

static void init(struct lab *l, struct wire *w, lab_hook hook)
{
	struct rc_params rc = lab_rc_params();

	memset(w, 0, sizeof(*w));
	lab_init(l);
	rc.verb = RC_SEND;
	rc.window = 4096;
	rc.ack_every = 256;
	rc.rto_ps = PS_PER_S;
	assert_int_equal(rc_cfg_init(&l->rc, &rc), 0);
	l->hook = hook;
	l->arg = w;
	lab_start(l);
}

static struct nic_qp_params limited(struct lab *l, struct wire *w, uint32_t qpn, rate_t rate)
{
	struct nic_qp_params p = lab_req(l, qpn);

	p.rate_limit = rate;
	p.outstanding = 4;
	p.catch_up_ps = PACER_AUTO;
	w->flow[qpn].rate = rate;
	return p;
}

static void add(struct lab *l, struct wire *w, uint32_t qpn, rate_t rate)
{
	struct nic_qp_params p = limited(l, w, qpn, rate);

	lab_add(l, &p);
}

// Unequal rates of n queue pairs, `load` percent of the line in all. With 1000, one has 40 % of the
// load.
static void share(struct wire *w, unsigned n, unsigned load, struct prng *g)
{
	uint64_t weight[QPS + 1], all = 0;

	for (unsigned q = 1; q <= n; q++)
		all += weight[q] = 100 + prng_below(g, 600);
	if (n == QPS) {
		all -= weight[1];
		weight[1] = all * 2 / 3;
		all += weight[1];
	}
	for (unsigned q = 1; q <= n; q++)
		w->flow[q].rate = LINE / 100 * load * weight[q] / all;
}

// At every instant sent and ideal differ by at most one frame, beyond waiting for the wire; where
// 2000 frames or more were sent, the rate is held within 0.1 %.
static void mix(unsigned n, unsigned load, uint64_t seed)
{
	static struct lab l;
	static struct wire w;
	char what[100];
	struct prng g;
	tstamp end = 20 * PS_PER_MS;

	snprintf(what, sizeof(what), "QUENCH_SEED=%llu: %u queue pairs at %u %%",
		(unsigned long long)seed, n, load);
	prng_init(&g, seed, what);
	init(&l, &w, judge);
	w.what = what;
	share(&w, n, load, &g);
	for (uint32_t q = 1; q <= n; q++) {
		struct nic_qp_params p = limited(&l, &w, q, w.flow[q].rate);

		p.phase = n > 1 ? prng_u32(&g) : 0;
		w.flow[q].start =
			(tstamp)((unsigned __int128)BYTES * 8 * PS_PER_S / p.rate_limit * p.phase >>
				 32);
		lab_add(&l, &p);
	}
	lab_run(&l, end);
	nic_account(l.nic[0], end);
	for (uint32_t q = 1; q <= n; q++) {
		const struct flow *f = &w.flow[q];
		const struct nic_qp_stats *s = nic_qp_stats(l.nic[0], q - 1);
		double frames = (double)(end - f->start) * (double)f->rate / 8e12 / BYTES;
		double off = (double)f->sent - frames;
		double owed = (double)s->pace_owed_bytes / BYTES;

		// It may be waiting for the wire right now.
		if (f->sent >= 2000 && (off > frames / 1000 || off < -frames / 1000))
			fail_msg("%s: queue pair %u sent %llu of %.1f frames", what, q,
				(unsigned long long)f->sent, frames);
		if (owed < frames - 1 || owed > frames + 1)
			fail_msg("%s: queue pair %u: %.2f frames allowed, %.2f counted", what, q,
				frames, owed);
	}
	lab_end(&l);
}

static void every_queue_pair_has_its_rate(void **state)
{
	static const unsigned qps[] = {1, 12, 40, QPS}, load[] = {10, 40, 80, 95};
	const char *env = getenv("QUENCH_SEED");

	(void)state;
	for (unsigned n = 0; n < 4; n++)
		for (unsigned k = 0; k < 4; k++)
			mix(qps[n], load[k], env ? strtoull(env, NULL, 0) : 1);
}

// Two that want 86 and 64 of 100 take turns: 50 and 50, not what they want in proportion.
static void who_waits_takes_turns(void **state)
{
	static struct lab l;
	static struct wire w;

	(void)state;
	init(&l, &w, count);
	add(&l, &w, 1, 86 * RATE_GBPS);
	add(&l, &w, 2, 64 * RATE_GBPS);
	lab_run(&l, 10 * PS_PER_MS);
	assert_in_range(w.flow[1].sent, w.flow[2].sent - 250, w.flow[2].sent + 250);
	assert_true(w.flow[1].sent > 56000);
	lab_end(&l);
}

// While the wire is busy gaps end: the order of their ends holds, then that of the queue pairs. A
// gap that a rate timer interrupts keeps its place.
static void gaps_that_end_together_go_by_their_instants(void **state)
{
	static struct lab l;
	static struct wire w;

	(void)state;
	init(&l, &w, count);
	for (uint32_t q = 5; q >= 1; q--) { // 5 first in the table
		struct nic_qp_params p = limited(&l, &w, q, RATE_GBPS);

		// All within the first frame of queue pair 9; 2 and 4 at one instant.
		p.start = 1000 + (q == 4 ? 2 : q) * 1000;
		lab_add(&l, &p);
	}
	add(&l, &w, 9, RATE_GBPS);
	lab_run(&l, PS_PER_US);
	static const uint32_t want[] = {9, 1, 4, 2, 3, 5};

	assert_int_equal(w.n_order, 6);
	// 4 stands before 2 in the NIC's table.
	assert_memory_equal(w.order, want, sizeof(want));
	// The second round: every gap is 8.848 us.
	lab_run(&l, 10 * PS_PER_US);
	assert_int_equal(w.n_order, 12);
	assert_memory_equal(w.order + 6, want, sizeof(want));
	lab_end(&l);
}

static void pause(struct lab *l, uint16_t quanta)
{
	lab_rx(l, 0,
		&(struct pkt){.kind = PKT_PFC,
			.len = 60,
			.u.pfc = {.enable = 1 << 3, .quanta = {0, 0, 0, quanta}}});
}

// After one XON a thousand queue pairs send one frame each that is due, not what they missed.
static void a_pause_is_not_made_up_for(void **state)
{
	static struct lab l;
	static struct wire w;

	(void)state;
	for (unsigned how = 0; how < 3; how++) {
		uint64_t before, after, most = 0;

		init(&l, &w, count);
		for (uint32_t q = 1; q <= QPS; q++)
			add(&l, &w, q, 90 * RATE_MBPS);
		lab_run(&l, PS_PER_MS);
		before = w.flow[1].sent;
		if (how == 2)
			assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_LINK_DOWN}), 0);
		else
			pause(&l, how ? 58594 : 65535); // 300 us at 100 Gb/s: it runs out
		lab_run(&l, PS_PER_MS + 300 * PS_PER_US);
		after = w.flow[1].sent;
		assert_true(after - before <= 1); // one had started
		if (how == 2)
			assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_LINK_UP}), 0);
		else if (how == 0)
			pause(&l, 0);
		// 98 us a gap: within one, one frame each, and one for whom a gap ends then.
		lab_run(&l, l.now + 98 * PS_PER_US);
		for (uint32_t q = 1; q <= QPS; q++)
			most = w.flow[q].sent > most ? w.flow[q].sent : most;
		assert_true(most <= before + 1 + 2);
		nic_account(l.nic[0], l.now);
		for (uint32_t q = 0; q < QPS; q++) {
			// For the time of the pause nothing was owed: within two frames.
			const struct nic_qp_stats *s = nic_qp_stats(l.nic[0], q);
			double allowed = (1e9 + 98e6) * 90e6 / 8e12 / BYTES;

			assert_in_range(s->pace_owed_bytes / BYTES, allowed - 2, allowed + 3);
		}
		lab_end(&l);
	}
}

// The bytes that the reaction point of queue pair 1 allows, by its events.
struct budget {
	double rate, bytes; // bytes: while the class was not paused
	unsigned n;         // events that have been read
	tstamp since;       // end of the last pause
};

// Bytes allowed from `since` to `until`.
static double allowed(struct budget *b, const struct lab *l, tstamp since, tstamp until)
{
	double bytes = 0;

	for (; b->n < l->n_ev; b->n++) {
		const struct ev *e = &l->ev[b->n];

		if (l->ev_nic[b->n] || e->type != EV_RP)
			continue;
		if (e->t > until)
			break;
		if (e->t > since) {
			bytes += (double)(e->t - since) * b->rate / 8e12;
			since = e->t;
		}
		b->rate = (double)e->rp.rc;
	}
	return bytes + (double)(until - since) * b->rate / 8e12;
}

static void cnp(struct lab *l)
{
	lab_rx(l, 0, &(struct pkt){.kind = PKT_CNP, .len = 74, .u.rc.qpn = 1});
}

// A pause of up to 180 us, with a CNP within it or not.
static void random_pause(struct lab *l, struct budget *b, struct prng *g)
{
	b->bytes += allowed(b, l, b->since, l->now);
	pause(l, 65535);
	lab_run(l, l->now + prng_below(g, 90 * PS_PER_US));
	if (prng_below(g, 2))
		cnp(l);
	lab_run(l, l->now + prng_below(g, 90 * PS_PER_US));
	nic_account(l->nic[0], l->now);
	lab_drain_events(l, 0);
	allowed(b, l, l->now, l->now); // the rate that a pause ends with
	pause(l, 0);
	b->since = l->now;
}

// CNPs and pauses at random, some of both at one instant: what the limiter counts as allowed is the
// integral of Rc over the time without pause, and up to one gap for each pause, in which a running
// gap ends.
static void what_is_owed_is_the_integral_of_the_rate(void **state)
{
	const char *env = getenv("QUENCH_SEED");
	uint64_t seed = env ? strtoull(env, NULL, 0) : 1;
	struct rp_cfg cfg = rp_of_profile("paper", LINE);

	(void)state;
	for (unsigned round = 0; round < 30; round++) {
		static struct lab l;
		static struct wire w;
		struct budget b = {.rate = (double)LINE};
		unsigned pauses = 0;
		struct prng g;
		char name[32];

		snprintf(name, sizeof(name), "owed %u", round);
		prng_init(&g, seed, name);
		init(&l, &w, count);

		struct nic_qp_params p = limited(&l, &w, 1, 0);

		p.rp = &cfg;
		p.message_bytes = 1u << 30;
		lab_add(&l, &p);
		while (pauses < 20) {
			bool has_cnp = prng_below(&g, 2);

			lab_run(&l, l.now + prng_below(&g, 40 * PS_PER_US));
			if (has_cnp)
				cnp(&l);
			if (has_cnp && prng_below(&g, 2))
				continue;
			random_pause(&l, &b, &g);
			pauses++;
		}
		lab_run(&l, l.now + 500 * PS_PER_US);
		nic_account(l.nic[0], l.now);
		lab_drain_events(&l, 0);
		b.bytes += allowed(&b, &l, b.since, l.now);
		assert_true(l.n_ev < LAB_EVS);

		double owed = (double)nic_qp_stats(l.nic[0], 0)->pace_owed_bytes;

		if (owed < b.bytes - BYTES || owed > b.bytes + (pauses + 1) * BYTES)
			fail_msg("QUENCH_SEED=%llu, round %u: %.0f bytes allowed, %.0f counted",
				(unsigned long long)seed, round, b.bytes, owed);
		lab_end(&l);
	}
}

// Nothing to send for a while, then much: the second message is paced from its first frame on.
static void what_had_nothing_to_send_owes_nothing(void **state)
{
	static struct lab l;
	static struct wire w;

	(void)state;
	init(&l, &w, count);

	struct nic_qp_params p = limited(&l, &w, 1, 10 * RATE_GBPS);

	p.message_bytes = 10240;
	p.outstanding = 1;
	lab_add(&l, &p);
	lab_run(&l, PS_PER_MS);

	// Nine gaps of 885 ns, then the way of the last frame and of its ACK: 10.06 us a message.
	// Were the time without a message made up for, it would be 1130 frames.
	assert_in_range(w.flow[1].sent, 985, 1000);
	nic_account(l.nic[0], l.now);
	assert_in_range(nic_qp_stats(l.nic[0], 0)->pace_owed_bytes, (w.flow[1].sent - 1) * BYTES,
		(w.flow[1].sent + 1) * BYTES);
	lab_end(&l);
}

// The bound is the queue pair's own: with 0 nothing is made up for, and lost bytes are counted.
static void the_bound_is_a_time(void **state)
{
	static const tstamp bound[] = {0, PACER_AUTO};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		static struct lab l;
		static struct wire w;

		init(&l, &w, count);
		add(&l, &w, 9, 617 * RATE_GBPS / 10);

		struct nic_qp_params p = limited(&l, &w, 1, 301 * RATE_GBPS / 10);

		p.catch_up_ps = bound[i];
		lab_add(&l, &p);
		lab_run(&l, 10 * PS_PER_MS);
		nic_account(l.nic[0], l.now);

		double want = 10e9 * 30.1e9 / 8e12 / BYTES;
		double owed = (double)nic_qp_stats(l.nic[0], 1)->pace_owed_bytes / BYTES;

		assert_true(owed > want - 2 && owed < want + 2);
		if (i)
			assert_in_range(w.flow[1].sent, want - 2, want + 2);
		else
			assert_true(w.flow[1].sent < want * 0.99);
		lab_end(&l);
	}
}

// Told to start, by its time or by a command: its share of a gap later.
static void the_phase_is_a_share_of_a_gap(void **state)
{
	static struct lab l;
	static struct wire w;

	(void)state;
	init(&l, &w, count);

	struct nic_qp_params p = limited(&l, &w, 1, RATE_GBPS);

	p.start = PS_PER_MS;
	p.phase = 1u << 30;
	lab_add(&l, &p);
	p = limited(&l, &w, 2, 0); // not paced: at once
	p.start = PS_PER_MS / 2;
	p.phase = 1u << 30;
	p.count = 1;
	p.message_bytes = 1024;
	lab_add(&l, &p);
	lab_run(&l, p.start);
	assert_int_equal(w.flow[2].sent, 1);

	tstamp late = BYTES * 8000 / 4;

	lab_run(&l, PS_PER_MS + late - 1);
	assert_int_equal(w.flow[1].sent, 0);
	lab_run(&l, PS_PER_MS + late);
	assert_int_equal(w.flow[1].sent, 1);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_STOP, .id = 1}), 0);
	lab_run(&l, 200 * PS_PER_MS);

	uint64_t sent = w.flow[1].sent;

	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_START, .id = 1}), 0);
	lab_run(&l, 200 * PS_PER_MS + late - 1);
	assert_int_equal(w.flow[1].sent, sent);
	lab_run(&l, 200 * PS_PER_MS + late);
	assert_int_equal(w.flow[1].sent, sent + 1);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_queue_pair_has_its_rate),
		cmocka_unit_test(who_waits_takes_turns),
		cmocka_unit_test(gaps_that_end_together_go_by_their_instants),
		cmocka_unit_test(a_pause_is_not_made_up_for),
		cmocka_unit_test(what_is_owed_is_the_integral_of_the_rate),
		cmocka_unit_test(what_had_nothing_to_send_owes_nothing),
		cmocka_unit_test(the_bound_is_a_time),
		cmocka_unit_test(the_phase_is_a_share_of_a_gap),
	};

	return cmocka_run_group_tests_name("nic_pace", tests, NULL, NULL);
}
