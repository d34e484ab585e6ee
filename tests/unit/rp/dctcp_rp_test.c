// SPDX-License-Identifier: BSD-3-Clause
// DCTCP against two recorded senders of the reference simulator, to the bit; and by the paper:
// worked examples, the sawtooth's closed form, random ACKs.
#include "rp/rp.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/prng.h"
#include "rp_trace.h"

#define ONE  (1ull << 60)
#define LINE (25 * RATE_GBPS)
#define FULL 1024

static struct dctcp_rp_params paper(uint64_t bdp)
{
	struct dctcp_rp_params p;

	dctcp_rp_defaults(&p, LINE, false);
	p.bdp = bdp;
	return p;
}

static void setup(struct dctcp_rp *rp, struct dctcp_rp_cfg *cfg, const struct dctcp_rp_params *p)
{
	assert_int_equal(dctcp_rp_cfg_init(cfg, p), 0);
	dctcp_rp_init(rp, cfg);
}

// A line `A ns acked ce sent window_end cwr cut_end alpha marked packets rate window`: an ACK, and
// the state after it. `T ns sent rate next window`: a packet starts.
enum { NS, ACKED, CE, SENT, END, CWR, CUT_END, ALPHA, MARKED, BATCH, RATE, WINDOW, COLUMNS };

static void same_state(const struct dctcp_rp *rp, const uint64_t *v, double alpha, unsigned line)
{
	if (rp->window_end != v[END] || rp->cwr != v[CWR] || rp->cut_end != v[CUT_END] ||
		memcmp(&rp->alpha.ieee, &alpha, sizeof(alpha)) != 0 || rp->marked != v[MARKED] ||
		rp->acked != v[BATCH] || dctcp_rp_rate(rp) != v[RATE] ||
		dctcp_rp_window(rp) != v[WINDOW])
		fail_msg("line %u: end %llu cwr %d to %llu alpha %.17g marks %u of %u rate %llu",
			line, (unsigned long long)rp->window_end, rp->cwr,
			(unsigned long long)rp->cut_end, rp->alpha.ieee, rp->marked, rp->acked,
			(unsigned long long)rp->rate);
}

// The event must agree with the state.
static void same_event(enum rp_event e, const struct dctcp_rp *was, const struct dctcp_rp *is)
{
	bool is_cut = is->cut_end != was->cut_end;

	if (is_cut)
		assert_int_equal(e, RP_DECREASE);
	else if (is->rate > was->rate)
		assert_int_equal(e, RP_ACK_ADDITIVE_INCREASE);
	else
		assert_int_equal(
			e, is->alpha.ieee < was->alpha.ieee || is->alpha.ieee > was->alpha.ieee
				   ? RP_ALPHA
				   : RP_NONE);
}

struct totals {
	unsigned acks, packets, cuts, increases;
};

// Every ACK of a recorded sender gives the recorded state, and every packet starts when it did.
static struct totals follow(const char *path)
{
	struct dctcp_rp_params p;
	struct dctcp_rp_cfg cfg;
	struct dctcp_rp rp;
	struct totals n = {0};
	struct rp_trace t;
	uint64_t v[COLUMNS];
	double real[COLUMNS];

	dctcp_rp_defaults(&p, LINE, true);
	p.bdp = 14500;
	setup(&rp, &cfg, &p);
	rp_trace_open(&t, path, 1048, LINE);
	for (int kind; (kind = rp_trace_next(&t, v, real, COLUMNS)) != 0;) {
		struct dctcp_rp was = rp;
		enum rp_event e;

		if (kind == 'T') {
			rp_trace_sent(&t, v, dctcp_rp_rate(&rp), dctcp_rp_window(&rp));
			assert_int_equal(v[4], dctcp_rp_window(&rp));
			n.packets++;
			continue;
		}
		assert_int_equal(v[SENT], t.sent);
		e = dctcp_rp_ack(&rp, &(struct rp_ack){.bytes = v[ACKED] - t.acked,
					      .acked = v[ACKED],
					      .sent = v[SENT],
					      .rtt = TSTAMP_NEVER,
					      .ce = v[CE]});
		same_state(&rp, v, real[ALPHA], t.line);
		same_event(e, &was, &rp);
		rp_trace_acked(&t, v[ACKED], dctcp_rp_window(&rp), v[NS]);
		n.acks++;
		n.cuts += e == RP_DECREASE;
		n.increases += e == RP_ACK_ADDITIVE_INCREASE;
	}
	fclose(t.f);
	return n;
}

static void the_window_alone_holds_the_simulators_sender(void **state)
{
	struct totals n = follow(TEST_DATA "/dctcp_25g.rp.txt");

	(void)state;
	assert_int_equal(n.acks, 3000);
	assert_int_equal(n.packets, 3014);
	assert_int_equal(n.cuts, 0);
}

static void marks_cut_the_simulators_sender_to_the_bit(void **state)
{
	struct totals n = follow(TEST_DATA "/dctcp_lowk_25g.rp.txt");

	(void)state;
	assert_int_equal(n.acks, 6000);
	assert_int_equal(n.packets, 6011);
	assert_true(n.cuts > 50 && n.increases > 100);
}

// A cut of 100 Gb/s with alpha 1 leaves half, and half of the window.
static void the_simulators_window_follows_the_rate(void **state)
{
	struct dctcp_rp_params p;
	struct dctcp_rp_cfg cfg;
	struct dctcp_rp rp;

	(void)state;
	dctcp_rp_defaults(&p, 100 * RATE_GBPS, true);
	p.bdp = 52000;
	setup(&rp, &cfg, &p);
	assert_int_equal(dctcp_rp_window(&rp), 52000);
	dctcp_rp_ack(&rp, &(struct rp_ack){.bytes = 1000, .acked = 1000, .sent = 53000});
	dctcp_rp_ack(
		&rp, &(struct rp_ack){.bytes = 5000, .acked = 6000, .sent = 57000, .ce = true});
	assert_int_equal(dctcp_rp_rate(&rp), 50 * RATE_GBPS);
	assert_int_equal(dctcp_rp_mean_rate(&rp), 50 * RATE_GBPS);
	assert_int_equal(dctcp_rp_window(&rp), 26000);
	assert_int_equal(rp.cut_end, 57000);
	assert_true(dctcp_rp_alpha(&rp) == ONE);
	assert_int_equal(dctcp_rp_nak(&rp), RP_NONE);
	// the least rate, and a window of at least one byte
	p.bdp = 1;
	setup(&rp, &cfg, &p);
	for (uint64_t i = 1; i < 100; i++)
		dctcp_rp_ack(&rp, &(struct rp_ack){.acked = 2 * i, .sent = 2 * i + 1, .ce = true});
	assert_int_equal(dctcp_rp_rate(&rp), RATE_GBPS);
	assert_int_equal(dctcp_rp_window(&rp), 1);
}

// More marks than packets were in flight count as all of them.
static void the_simulators_share_is_at_most_one(void **state)
{
	struct dctcp_rp_params p;
	struct dctcp_rp_cfg cfg;
	struct dctcp_rp rp;

	(void)state;
	dctcp_rp_defaults(&p, LINE, true);
	setup(&rp, &cfg, &p);
	dctcp_rp_ack(&rp, &(struct rp_ack){.acked = 1000, .sent = 2000});
	assert_int_equal(rp.acked, 3);
	for (int i = 0; i < 5; i++)
		dctcp_rp_ack(&rp, &(struct rp_ack){.acked = 2000, .sent = 3000, .ce = true});
	rp.alpha.ieee = 0.5;
	dctcp_rp_ack(&rp, &(struct rp_ack){.acked = 3000, .sent = 9000});
	assert_true(dctcp_rp_alpha(&rp) == ONE / 32 * 17); // 15/16 of a half, and 1/16 of 1
	assert_int_equal(rp.marked, 0);
	assert_int_equal(rp.acked, 7);
}

// ---- by the paper ----

// A sender that always has data: it fills its window, and ACKs come one by one.
struct sender {
	struct dctcp_rp rp;
	struct dctcp_rp_cfg cfg;
	uint64_t acked, sent;
	enum rp_event e;
};

static void begin(struct sender *s, const struct dctcp_rp_params *p)
{
	*s = (struct sender){0};
	setup(&s->rp, &s->cfg, p);
}

static void fill(struct sender *s)
{
	while (s->sent - s->acked < dctcp_rp_window(&s->rp))
		s->sent += FULL;
}

static enum rp_event ack(struct sender *s, uint64_t bytes, bool ce)
{
	fill(s);
	s->acked += bytes;
	return dctcp_rp_ack(&s->rp, &(struct rp_ack){.bytes = bytes,
					    .acked = s->acked,
					    .sent = s->sent,
					    .rtt = TSTAMP_NEVER,
					    .ce = ce});
}

static void near_to(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%.12g is not %.12g", got, want);
}

static double alpha_of(const struct sender *s)
{
	return ldexp((double)dctcp_rp_alpha(&s->rp), -60);
}

// The line's rate, one BDP, no slow start.
static void a_queue_pair_starts_with_a_bdp(void **state)
{
	struct dctcp_rp_params p = paper(20000);
	struct sender s;

	(void)state;
	begin(&s, &p);
	assert_int_equal(dctcp_rp_window(&s.rp), 20000);
	assert_int_equal(dctcp_rp_rate(&s.rp), LINE);
	assert_int_equal(dctcp_rp_mean_rate(&s.rp), LINE);
	assert_true(dctcp_rp_alpha(&s.rp) == ONE);
	p.bdp = 1500; // less than two full frames
	begin(&s, &p);
	assert_int_equal(dctcp_rp_window(&s.rp), 2 * FULL);
}

// RFC 8257 3.3: alpha = (1 - g) alpha + g F at each window's end, F by bytes.
static void alpha_takes_the_share_of_marked_bytes(void **state)
{
	struct dctcp_rp_params p = paper(16 * FULL);
	struct sender s;
	double alpha;

	(void)state;
	begin(&s, &p);
	// WindowEnd starts at SND.UNA: the first ACK ends a window of its own
	assert_int_equal(ack(&s, FULL, false), RP_ALPHA);
	near_to(alpha_of(&s), 15.0 / 16, 1e-17);
	assert_int_equal(s.rp.window_end, 16 * FULL);
	alpha = alpha_of(&s);
	assert_int_equal(ack(&s, FULL, true), RP_DECREASE);
	assert_int_equal(s.rp.window, (uint64_t)(16 * FULL * (1 - alpha / 2)));
	for (int i = 0; i < 14; i++)
		assert_int_equal(ack(&s, FULL, i < 3), RP_NONE); // cut once, alpha waits
	near_to(alpha_of(&s), alpha, 1e-17);
	assert_int_equal(ack(&s, 4 * FULL, true), RP_DECREASE); // beyond both ends
	// marked 1 + 3 + 4 of 1 + 14 + 4
	near_to(alpha_of(&s), alpha * 15 / 16 + 8.0 / 19 / 16, 1e-15);
}

static void alpha_settles_at_the_share(void **state)
{
	struct dctcp_rp_params p = paper(16 * FULL);
	struct sender s;

	(void)state;
	begin(&s, &p);
	s.rp.cwr = true; // no cuts, no growth: alpha alone
	s.rp.cut_end = UINT64_MAX - 1;
	for (int i = 0; i < 100000; i++)
		ack(&s, FULL, i % 4 == 0);
	near_to(alpha_of(&s), 0.25, 0.02);
	for (int i = 0; i < 100000; i++)
		ack(&s, FULL, true);
	near_to(alpha_of(&s), 1, 1e-15);
	assert_true(dctcp_rp_alpha(&s.rp) <= ONE);
	for (int i = 0; i < 100000; i++)
		ack(&s, FULL, false);
	near_to(alpha_of(&s), 0, 1e-15);
}

// One MTU for each window that is acknowledged, and none where the window is not the bound.
static void the_window_grows_by_one_mtu_a_window(void **state)
{
	struct dctcp_rp_params p = paper(10 * FULL);
	struct sender s;

	(void)state;
	begin(&s, &p);
	for (unsigned round = 0; round < 20; round++) {
		uint64_t window = dctcp_rp_window(&s.rp);

		assert_int_equal(window, (10 + round) * FULL);
		for (unsigned i = 1; i < 10 + round; i++)
			assert_true(ack(&s, FULL, false) != RP_ACK_ADDITIVE_INCREASE);
		assert_int_equal(ack(&s, FULL, false), RP_ACK_ADDITIVE_INCREASE);
	}
	// a cut takes what was earned towards the next MTU
	for (unsigned i = 0; i < 29; i++)
		ack(&s, FULL, false);
	dctcp_rp_nak(&s.rp);
	s.rp.window = 30 * FULL;
	s.rp.cwr = false;
	for (unsigned i = 1; i < 30; i++)
		assert_true(ack(&s, FULL, false) != RP_ACK_ADDITIVE_INCREASE);
	// half a window in flight: the line or the application holds back
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t window = dctcp_rp_window(&s.rp);

		s.acked += FULL;
		s.sent = s.acked + window / 2;
		dctcp_rp_ack(
			&s.rp, &(struct rp_ack){.bytes = FULL, .acked = s.acked, .sent = s.sent});
		assert_int_equal(dctcp_rp_window(&s.rp), 30 * FULL);
	}
}

// A loss halves the window whatever alpha is, once a flight (RFC 8257 3.5).
static void a_loss_halves_the_window_once(void **state)
{
	struct dctcp_rp_params p = paper(40 * FULL);
	struct sender s;

	(void)state;
	begin(&s, &p);
	for (unsigned i = 0; i < 20000; i++)
		ack(&s, FULL, false);
	s.rp.window = 40 * FULL;
	assert_true(alpha_of(&s) < 0.01);
	assert_int_equal(dctcp_rp_nak(&s.rp), RP_DECREASE);
	assert_int_equal(dctcp_rp_window(&s.rp), 20 * FULL);
	assert_int_equal(dctcp_rp_nak(&s.rp), RP_NONE);
	s.sent = s.acked; // go back N
	for (unsigned i = 0; i < 20; i++) {
		assert_true(ack(&s, FULL, true) != RP_DECREASE); // the same flight
		assert_int_equal(dctcp_rp_nak(&s.rp), RP_NONE);
	}
	ack(&s, FULL, false);
	assert_int_equal(dctcp_rp_nak(&s.rp), RP_DECREASE);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(dctcp_rp_nak(&s.rp), RP_NONE);
	for (unsigned i = 0; i < 1000; i++) {
		ack(&s, FULL, false);
		dctcp_rp_nak(&s.rp);
	}
	assert_int_equal(dctcp_rp_window(&s.rp), 2 * FULL);
}

// SIGCOMM'10 section 3.3: one sender, frames that join more than W* in flight are marked. alpha and
// the sawtooth are those of alpha^2 (1 - alpha / 4) = (2 W + 1) / (W + 1)^2, D = (W + 1) alpha / 2.
// There alpha stands still; here it follows the marks with g, and the window stands still for a
// round after a cut.
static void the_sawtooth_is_the_papers(void **state)
{
	static const unsigned w[] = {50, 100, 200, 400};
	static bool ce[1 << 20];

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		struct dctcp_rp_params p = paper(w[k] * FULL);
		double share = (2.0 * w[k] + 1) / ((w[k] + 1.0) * (w[k] + 1)), alpha = 1, mean = 0;
		uint64_t most = 0, least = UINT64_MAX, samples = 0;
		struct sender s;

		for (int i = 0; i < 50; i++)
			alpha = sqrt(share / (1 - alpha / 4));
		begin(&s, &p);
		for (unsigned i = 0; i < (1 << 20) - 1000; i++) {
			for (; s.sent - s.acked < dctcp_rp_window(&s.rp); s.sent += FULL)
				ce[s.sent / FULL] = s.sent - s.acked >= w[k] * FULL;
			ack(&s, FULL, ce[s.acked / FULL]);
			if (i < 1 << 19)
				continue;
			samples++;
			mean += alpha_of(&s);
			most = dctcp_rp_window(&s.rp) > most ? dctcp_rp_window(&s.rp) : most;
			least = dctcp_rp_window(&s.rp) < least ? dctcp_rp_window(&s.rp) : least;
		}
		print_message(
			"W %u: alpha %.4f, closed form %.4f; window %.1f..%.1f, form %.1f..%u\n",
			w[k], mean / (double)samples, alpha, (double)least / FULL,
			(double)most / FULL, (w[k] + 1) * (1 - alpha / 2), w[k] + 1);
		near_to(mean / (double)samples, alpha, alpha * 0.15);
		near_to((double)most / FULL, w[k] + 1, 1);
		near_to((double)least / FULL, (w[k] + 1) * (1 - alpha / 2), 0.02 * w[k]);
	}
}

// ---- whatever comes ----

static void holds(const struct dctcp_rp *rp)
{
	const struct dctcp_rp_params *p = &rp->cfg->p;

	assert_true(dctcp_rp_alpha(rp) <= ONE);
	assert_true(dctcp_rp_rate(rp) <= p->line_rate && dctcp_rp_rate(rp) >= p->min_rate);
	assert_true(dctcp_rp_mean_rate(rp) <= p->line_rate);
	assert_true(dctcp_rp_window(rp) <= DCTCP_RP_BDP_MAX);
	assert_true(dctcp_rp_window(rp) >= (p->simulator ? 1 : 2 * p->mtu));
}

static void one_life(struct prng *g, bool simulator)
{
	static const rate_t lines[] = {RATE_GBPS / 10, LINE, 400 * RATE_GBPS, 1ull << 44};
	struct dctcp_rp_params p;
	struct dctcp_rp_cfg cfg;
	struct dctcp_rp rp;
	uint64_t acked = 0, sent = 0, cut_end = 0;
	unsigned marks = (unsigned)prng_below(g, 101); // percent

	dctcp_rp_defaults(&p, lines[prng_below(g, 4)], simulator);
	p.bdp = 1 + (prng_below(g, 2) ? prng_below(g, 100000) : prng_below(g, DCTCP_RP_BDP_MAX));
	p.mtu = (uint32_t)(1 + prng_below(g, 9000));
	p.g = ldexp(1, -(int)prng_below(g, 21));
	setup(&rp, &cfg, &p);
	for (int i = 0; i < 3000; i++) {
		uint64_t jump = prng_below(g, 50) ? p.mtu : prng_below(g, 1ull << 40);
		uint64_t before = dctcp_rp_window(&rp);
		rate_t rate = dctcp_rp_rate(&rp);
		enum rp_event e;

		sent += jump + prng_below(g, 3) * p.mtu;
		jump = prng_below(g, 20) ? p.mtu : prng_below(g, sent - acked + 1);
		if (jump > sent - acked)
			jump = sent - acked;
		acked += jump;
		e = dctcp_rp_ack(&rp, &(struct rp_ack){.bytes = jump,
					      .acked = acked,
					      .sent = sent,
					      .rtt = prng_u64(g),
					      .ce = prng_below(g, 100) < marks});
		holds(&rp);
		if (e == RP_DECREASE) {
			assert_true(acked > cut_end || !cut_end); // at most one cut a window
			assert_true(dctcp_rp_window(&rp) + 1 >= before / 2);
			assert_int_equal(rp.fell, simulator ? dctcp_rp_rate(&rp) < rate
							    : dctcp_rp_window(&rp) < before);
			cut_end = sent;
		}
		if (!simulator && prng_below(g, 500) == 0) {
			before = dctcp_rp_window(&rp);
			dctcp_rp_nak(&rp);
			holds(&rp);
			assert_true(dctcp_rp_window(&rp) + 1 >= before / 2);
		}
	}
}

static void random_acks_keep_window_and_rate_in_their_bounds(void **state)
{
	const char *env = getenv("QUENCH_SEED");
	uint64_t seed = env ? strtoull(env, NULL, 0) : 1;
	struct prng g;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	prng_init(&g, seed, "dctcp_rp");
	for (int i = 0; i < 200; i++)
		one_life(&g, i % 2);
}

static void values_out_of_range_are_refused(void **state)
{
	const struct dctcp_rp_params ok = paper(20000);
	struct dctcp_rp_cfg cfg;
	struct dctcp_rp_params p;

	(void)state;
#define REFUSED(field, value) \
	p = ok;               \
	p.field = value;      \
	assert_int_equal(dctcp_rp_cfg_init(&cfg, &p), -EINVAL)
	REFUSED(g, 0);
	REFUSED(g, 1.01);
	REFUSED(g, NAN);
	REFUSED(mtu, 0);
	REFUSED(mtu, 65536);
	REFUSED(bdp, 0);
	REFUSED(bdp, DCTCP_RP_BDP_MAX + 1);
	REFUSED(min_rate, RATE_MIN - 1);
	REFUSED(min_rate, LINE + 1);
	REFUSED(line_rate, (1ull << 44) + 1);
	REFUSED(ai_rate, (1ull << 44) + 1);
#undef REFUSED
	assert_int_equal(dctcp_rp_cfg_init(&cfg, &ok), 0);
	dctcp_rp_defaults(&p, 100 * RATE_MBPS, true);
	assert_int_equal(p.min_rate, 100 * RATE_MBPS);
	assert_int_equal(dctcp_rp_cfg_init(&cfg, &p), 0);
}

// The same by the verbs of every reaction point.
static void the_verbs_reach_it(void **state)
{
	struct rp_cfg cfg = {.kind = RP_DCTCP};
	struct dctcp_rp_params p = paper(20000);
	struct rp_look look;
	struct rp rp;
	tstamp at;

	(void)state;
	assert_int_equal(dctcp_rp_cfg_init(&cfg.u.dctcp, &p), 0);
	assert_int_equal(rp_asks(&cfg), RP_ASKS_ACK | RP_ASKS_CE);
	assert_int_equal(rp_state_size(&cfg), 0);
	rp_init(&rp, &cfg, NULL, NULL);
	rp_start(&rp, 0);
	assert_int_equal(rp_cnp(&rp, 0), RP_NONE);
	assert_int_equal(
		rp_ack(&rp, &(struct rp_ack){.bytes = 1, .acked = 1, .sent = 2, .ce = true}, 1),
		RP_DECREASE);
	assert_int_equal(rp_window(&rp), 10000);
	assert_int_equal(rp_rate(&rp), LINE);
	rp_look(&rp, 0, &look);
	assert_int_equal(look.rc, LINE / 2);
	assert_int_equal(look.line, LINE);
	assert_int_equal(look.window, 10000);
	assert_true(look.has_alpha && look.alpha == ONE);
	assert_int_equal(
		rp_ack(&rp, &(struct rp_ack){.bytes = 2, .acked = 3, .sent = 3}, 1), RP_ALPHA);
	assert_int_equal(rp_nak(&rp, 2), RP_DECREASE);
	assert_int_equal(rp_window(&rp), 5000);
	assert_true(rp_deadline(&rp) == TSTAMP_NEVER);
	assert_int_equal(rp_expire(&rp, TSTAMP_NEVER, &at, true), RP_NONE);
	assert_int_equal(rp_sent(&rp, 1086, 3), RP_NONE);
}

// The simulator's window ends with the line's rate; the paper's grows until it is marked.
static void the_most_that_a_window_comes_to(void **state)
{
	struct rp_cfg cfg = {.kind = RP_DCTCP};
	struct dctcp_rp_params p;

	(void)state;
	dctcp_rp_defaults(&p, LINE, true);
	p.bdp = 14500;
	assert_int_equal(dctcp_rp_cfg_init(&cfg.u.dctcp, &p), 0);
	assert_int_equal(rp_window_most(&cfg), 14500);
	p = paper(14500);
	assert_int_equal(dctcp_rp_cfg_init(&cfg.u.dctcp, &p), 0);
	assert_int_equal(rp_window_most(&cfg), DCTCP_RP_BDP_MAX);
	cfg.kind = RP_TIMELY;
	assert_int_equal(rp_window_most(&cfg), 0);
	assert_int_equal(rp_window_most(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_window_alone_holds_the_simulators_sender),
		cmocka_unit_test(marks_cut_the_simulators_sender_to_the_bit),
		cmocka_unit_test(the_simulators_window_follows_the_rate),
		cmocka_unit_test(the_simulators_share_is_at_most_one),
		cmocka_unit_test(a_queue_pair_starts_with_a_bdp),
		cmocka_unit_test(alpha_takes_the_share_of_marked_bytes),
		cmocka_unit_test(alpha_settles_at_the_share),
		cmocka_unit_test(the_window_grows_by_one_mtu_a_window),
		cmocka_unit_test(a_loss_halves_the_window_once),
		cmocka_unit_test(the_sawtooth_is_the_papers),
		cmocka_unit_test(random_acks_keep_window_and_rate_in_their_bounds),
		cmocka_unit_test(values_out_of_range_are_refused),
		cmocka_unit_test(the_verbs_reach_it),
		cmocka_unit_test(the_most_that_a_window_comes_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
