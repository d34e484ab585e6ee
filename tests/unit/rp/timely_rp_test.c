// SPDX-License-Identifier: BSD-3-Clause
// TIMELY against a recorded sender of the reference simulator, to the bit; and by the paper: worked
// examples, the same formulas in doubles, random RTTs.
#include "rp/rp.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/prng.h"
#include "rp_trace.h"

#define MBPS RATE_MBPS
#define GBPS RATE_GBPS
#define US   PS_PER_US
#define SEG  16384

static void setup(struct timely_rp *rp, struct timely_rp_cfg *cfg, const struct timely_rp_params *p)
{
	assert_int_equal(timely_rp_cfg_init(cfg, p), 0);
	timely_rp_init(rp, cfg);
}

static struct timely_rp_params defaults(rate_t line_rate, bool simulator)
{
	struct timely_rp_params p;

	timely_rp_defaults(&p, line_rate, simulator);
	return p;
}

// ---- the simulator ----

// A line `U ns acked sent rtt last rate stage last_rtt diff`: an ACK that is looked at, and the
// state after it. `T ns sent rate next`: a packet starts.
enum { NS, ACKED, SENT, RTT, LAST, RATE, STAGE, LAST_RTT, DIFF, COLUMNS };

#define PACKETS 3000 // that the trace has

static void same_state(const struct timely_rp *rp, const uint64_t *v, double diff, unsigned line)
{
	if (rp->last != v[LAST] || timely_rp_rate(rp) != v[RATE] || rp->stage != v[STAGE] ||
		rp->last_rtt != v[LAST_RTT] || memcmp(&rp->diff.ieee, &diff, sizeof(diff)) != 0)
		fail_msg("line %u: last %llu rate %llu stage %u rtt %llu diff %.17g", line,
			(unsigned long long)rp->last, (unsigned long long)rp->rate, rp->stage,
			(unsigned long long)rp->last_rtt, rp->diff.ieee);
}

static void same_event(enum rp_event e, const struct timely_rp *was, const struct timely_rp *is)
{
	if (is->stage == 0 && was->last)
		assert_int_equal(e, RP_DECREASE);
	else if (is->rate == was->rate)
		assert_int_equal(e, RP_NONE);
	else
		assert_int_equal(
			e, was->stage < 5 ? RP_ACK_ADDITIVE_INCREASE : RP_ACK_HYPER_INCREASE);
}

static struct rp_ack ack_of(const uint64_t *v, uint64_t acked)
{
	return (struct rp_ack){
		.bytes = v[ACKED] - acked,
		.acked = v[ACKED],
		.sent = v[SENT],
		.rtt = v[RTT] * PS_PER_NS,
	};
}

// Every decision of a recorded sender, and each of its first 3000 packets.
static void the_simulators_sender_is_followed_to_the_bit(void **state)
{
	struct timely_rp_params p = defaults(25 * GBPS, true);
	static uint64_t started[PACKETS + 1];
	unsigned updates = 0, packets = 0, events[RP_EVENTS] = {0};
	double real[COLUMNS];
	struct timely_rp_cfg cfg;
	uint64_t v[COLUMNS];
	struct timely_rp rp;
	struct rp_trace t;

	(void)state;
	setup(&rp, &cfg, &p);
	rp_trace_open(&t, TEST_DATA "/timely_25g.rp.txt", 1056, 25 * GBPS);
	for (int kind; (kind = rp_trace_next(&t, v, real, COLUMNS)) != 0;) {
		struct timely_rp was = rp;
		struct rp_ack ack;
		enum rp_event e;

		if (kind == 'T') {
			rp_trace_sent(&t, v, timely_rp_rate(&rp), 0);
			started[++packets] = v[NS];
			continue;
		}
		if (packets < PACKETS)
			assert_int_equal(v[SENT], t.sent);
		if (v[ACKED] / MTU <= PACKETS)
			assert_int_equal(v[RTT], v[NS] - started[v[ACKED] / MTU]);
		ack = ack_of(v, t.acked);
		e = timely_rp_ack(&rp, &ack);
		same_state(&rp, v, real[DIFF], t.line);
		same_event(e, &was, &rp);
		rp_trace_acked(&t, v[ACKED], 0, v[NS]);
		assert_int_equal(timely_rp_ack(&rp, &ack), RP_NONE); // of the same flight
		same_state(&rp, v, real[DIFF], t.line);
		events[e]++;
		updates++;
	}
	fclose(t.f);
	assert_int_equal(updates, 3000);
	assert_int_equal(packets, PACKETS);
	assert_true(events[RP_DECREASE] > 10 && events[RP_ACK_ADDITIVE_INCREASE] > 10);
	assert_true(events[RP_ACK_HYPER_INCREASE] > 100);
}

// An ACK of the next flight in the simulator's terms.
static enum rp_event flight(struct timely_rp *rp, tstamp rtt)
{
	return timely_rp_ack(rp, &(struct rp_ack){.bytes = 1000,
					 .acked = rp->last + 1000,
					 .sent = rp->last + 5000,
					 .rtt = rtt});
}

// The trace never gets there: 1 - beta (1 - T_high / rtt), whatever the gradient.
static void above_t_high_the_simulator_decreases(void **state)
{
	struct timely_rp_params p = defaults(25 * GBPS, true);
	struct timely_rp_cfg cfg;
	struct timely_rp rp;

	(void)state;
	setup(&rp, &cfg, &p);
	assert_int_equal(flight(&rp, 2000 * US), RP_NONE); // the first brings an RTT only
	assert_int_equal(timely_rp_rate(&rp), 25 * GBPS);
	assert_int_equal(flight(&rp, 1000 * US), RP_DECREASE); // 1 - 0.8 / 2; the gradient is -44
	assert_true(rp.diff.ieee < 0);
	assert_int_equal(timely_rp_rate(&rp), 15 * GBPS);
	assert_int_equal(flight(&rp, 625 * US), RP_DECREASE); // 1 - 0.8 / 5
	assert_int_equal(timely_rp_rate(&rp), 12600 * MBPS);
	rp.stage = 3;
	assert_int_equal(flight(&rp, 500 * US), RP_ACK_ADDITIVE_INCREASE); // not above T_high
	assert_int_equal(rp.stage, 4);
	assert_int_equal(timely_rp_rate(&rp), 12625 * MBPS);
	assert_int_equal(flight(&rp, 500 * US + PS_PER_NS), RP_DECREASE);
	assert_int_equal(rp.stage, 0);
	for (int i = 0; i < 100; i++)
		flight(&rp, 100000 * US);
	assert_int_equal(timely_rp_rate(&rp), GBPS);
	assert_int_equal(timely_rp_ack(&rp, &(struct rp_ack){.acked = rp.last + 1,
						    .sent = rp.last + 2,
						    .rtt = TSTAMP_NEVER}),
		RP_NONE);
}

// 10 and 50 Mb/s for each 10 Gb/s of the line.
static void the_simulators_steps_scale_with_the_line(void **state)
{
	static const rate_t line[] = {25, 40, 50, 100}, step[] = {25, 40, 50, 100};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct timely_rp_params p = defaults(line[i] * GBPS, true);
		struct timely_rp_cfg cfg;
		struct timely_rp rp;

		assert_int_equal(p.min_rate, GBPS);
		setup(&rp, &cfg, &p);
		flight(&rp, 5 * US);
		rp.rate = GBPS;
		for (int k = 0; k < 5; k++)
			assert_int_equal(flight(&rp, 5 * US), RP_ACK_ADDITIVE_INCREASE);
		assert_int_equal(timely_rp_rate(&rp), GBPS + 5 * step[i] * MBPS);
		assert_int_equal(flight(&rp, 5 * US), RP_ACK_HYPER_INCREASE);
		assert_int_equal(timely_rp_rate(&rp), GBPS + 10 * step[i] * MBPS);
	}
}

// ---- by the paper ----

static enum rp_event segment(struct timely_rp *rp, tstamp rtt)
{
	return timely_rp_ack(rp, &(struct rp_ack){.bytes = SEG,
					 .acked = rp->last + SEG,
					 .sent = rp->last + 2 * SEG,
					 .rtt = rtt});
}

static void near_to(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%.15g is not %.15g", got, want);
}

static void begin(struct timely_rp *rp, struct timely_rp_cfg *cfg, rate_t rate)
{
	struct timely_rp_params p = defaults(10 * GBPS, false);

	setup(rp, cfg, &p);
	assert_int_equal(timely_rp_rate(rp), 10 * GBPS);
	rp->rate = rate;
}

static void below_t_low_the_rate_rises_by_delta(void **state)
{
	struct timely_rp_cfg cfg;
	struct timely_rp rp;

	(void)state;
	begin(&rp, &cfg, 5 * GBPS);
	for (unsigned i = 1; i <= 20; i++) { // no hyper increase here, whatever the gradient
		assert_int_equal(segment(&rp, (i % 2 ? 10 : 49) * US), RP_ACK_ADDITIVE_INCREASE);
		assert_int_equal(timely_rp_rate(&rp), 5 * GBPS + i * 10 * MBPS);
	}
	rp.rate = 9995 * MBPS;
	assert_int_equal(segment(&rp, 10 * US), RP_ACK_ADDITIVE_INCREASE);
	assert_int_equal(timely_rp_rate(&rp), 10 * GBPS);
	assert_int_equal(segment(&rp, 10 * US), RP_NONE);
}

static void between_them_the_gradient_decides(void **state)
{
	struct timely_rp_cfg cfg;
	struct timely_rp rp;

	(void)state;
	begin(&rp, &cfg, 5 * GBPS);
	segment(&rp, 100 * US);
	rp.rate = 5 * GBPS;
	assert_int_equal(segment(&rp, 110 * US), RP_DECREASE);
	near_to((double)rp.diff.q16 / 65536, 8.75e6, 1); // 0.875 of 10 us
	near_to((double)timely_rp_rate(&rp), 5e9 * (1 - 0.8 * 8.75 / 20), 2);
	rp.rate = 5 * GBPS;
	assert_int_equal(segment(&rp, 110 * US), RP_DECREASE); // 1.09375 us are left of it
	near_to((double)timely_rp_rate(&rp), 5e9 * (1 - 0.8 * 1.09375 / 20), 2);
	rp.rate = 5 * GBPS;
	assert_int_equal(segment(&rp, 105 * US), RP_ACK_ADDITIVE_INCREASE);
	assert_int_equal(timely_rp_rate(&rp), 5010 * MBPS);
	rp.rate = 5 * GBPS;
	assert_int_equal(segment(&rp, 400 * US), RP_DECREASE); // more than the whole rate: beta
	near_to((double)timely_rp_rate(&rp), 1e9, 2);
	assert_int_equal(segment(&rp, 499 * US), RP_DECREASE);
	assert_int_equal(segment(&rp, 50 * US), RP_ACK_ADDITIVE_INCREASE);
}

static void above_t_high_the_rate_falls(void **state)
{
	struct timely_rp_cfg cfg;
	struct timely_rp rp;

	(void)state;
	begin(&rp, &cfg, 10 * GBPS);
	assert_int_equal(segment(&rp, 1000 * US), RP_DECREASE); // the first RTT has no gradient
	near_to((double)timely_rp_rate(&rp), 6e9, 2);
	rp.rate = 10 * GBPS;
	assert_int_equal(segment(&rp, 625 * US), RP_DECREASE); // it falls
	near_to((double)timely_rp_rate(&rp), 8.4e9, 2);
	rp.rate = 10 * GBPS;
	assert_int_equal(segment(&rp, 500 * US + 1), RP_DECREASE);
	near_to((double)timely_rp_rate(&rp), 10e9, 20);
	assert_int_equal(segment(&rp, 500 * US), RP_ACK_ADDITIVE_INCREASE); // no longer above it
	for (int i = 0; i < 100; i++)
		segment(&rp, TSTAMP_NEVER - 1);
	assert_int_equal(timely_rp_rate(&rp), 100 * MBPS);
}

// The fifth decision in a row whose gradient is not above 0 adds N delta.
static void five_flat_or_falling_rtts_in_a_row_are_hyper(void **state)
{
	struct timely_rp_cfg cfg;
	struct timely_rp rp;

	(void)state;
	begin(&rp, &cfg, GBPS);
	for (int i = 0; i < 4; i++)
		assert_int_equal(segment(&rp, (200 - i) * US), RP_ACK_ADDITIVE_INCREASE);
	assert_int_equal(timely_rp_rate(&rp), 1040 * MBPS);
	assert_int_equal(segment(&rp, 100 * US), RP_ACK_HYPER_INCREASE);
	assert_int_equal(timely_rp_rate(&rp), 1090 * MBPS);
	assert_int_equal(segment(&rp, 90 * US), RP_ACK_HYPER_INCREASE);
	assert_int_equal(segment(&rp, 120 * US), RP_DECREASE);
	for (int i = 0; i < 4; i++)
		assert_int_equal(segment(&rp, (100 - i) * US), RP_ACK_ADDITIVE_INCREASE);
	assert_int_equal(segment(&rp, 90 * US), RP_ACK_HYPER_INCREASE);
}

// Per-packet ACKs: one decision for each 16 KiB that were acknowledged, by the RTT of its last ACK;
// an ACK without an RTT is waited over.
static void a_segment_is_one_decision(void **state)
{
	struct timely_rp_cfg cfg;
	struct timely_rp rp;
	unsigned decisions = 0;

	(void)state;
	begin(&rp, &cfg, 5 * GBPS);
	for (unsigned i = 1; i <= 1600; i++)
		decisions += timely_rp_ack(&rp, &(struct rp_ack){.bytes = 1024,
							.acked = i * 1024,
							.sent = i * 1024 + 9000,
							.rtt = 10 * US}) != RP_NONE;
	assert_int_equal(decisions, 100);
	assert_int_equal(timely_rp_ack(&rp, &(struct rp_ack){.bytes = SEG,
						    .acked = rp.last + SEG,
						    .sent = rp.last + SEG,
						    .rtt = TSTAMP_NEVER}),
		RP_NONE);
	assert_int_equal(timely_rp_ack(&rp, &(struct rp_ack){.bytes = 1,
						    .acked = rp.last + SEG + 1,
						    .sent = rp.last + SEG + 1,
						    .rtt = 10 * US}),
		RP_ACK_ADDITIVE_INCREASE);
}

// An RTT that rises by s at each decision: the smoothed difference goes to s, by (1 - alpha)^n.
static void the_difference_settles_at_the_slope(void **state)
{
	struct timely_rp_cfg cfg;
	struct timely_rp rp;

	(void)state;
	begin(&rp, &cfg, 10 * GBPS);
	segment(&rp, 60 * US);
	for (int n = 1; n <= 20; n++) {
		segment(&rp, (tstamp)(60 + 3 * n) * US);
		near_to((double)rp.diff.q16 / 65536, 3e6 * (1 - pow(0.125, n)), 1e-3);
	}
	for (int n = 0; n < 40; n++) // and to 0 where the RTT stays
		segment(&rp, 120 * US);
	assert_true(rp.diff.q16 == 0);
}

static uint64_t random_seed(void)
{
	const char *env = getenv("QUENCH_SEED");
	uint64_t seed = env ? strtoull(env, NULL, 0) : 1;

	print_message("seed %llu\n", (unsigned long long)seed);
	return seed;
}

// Algorithm 1 in doubles beside the integers.
static void the_integers_are_the_papers_formulas(void **state)
{
	struct timely_rp_cfg cfg;
	struct timely_rp rp;
	struct prng g;
	double diff = 0, last = 0;

	(void)state;
	prng_init(&g, random_seed(), "timely_rp formulas");
	begin(&rp, &cfg, 10 * GBPS);
	for (int i = 0; i < 200000; i++) {
		static const uint64_t span[] = {40, 100, 450, 3000};
		tstamp rtt = 10 * US + prng_below(&g, span[prng_below(&g, 4)] * US);
		double rate, x = (double)rtt, cut;

		rp.rate = GBPS + prng_below(&g, 8 * GBPS);
		rate = (double)rp.rate;
		diff = 0.125 * diff + 0.875 * (i ? x - last : 0);
		last = x;
		segment(&rp, rtt);
		near_to((double)rp.diff.q16 / 65536, diff, 1e-3);
		if (rtt < 50 * US || (rtt <= 500 * US && diff <= 0))
			continue; // counted elsewhere
		cut = rtt > 500 * US ? 0.8 * (1 - 500e6 / x) : 0.8 * fmin(diff / 20e6, 1);
		near_to((double)timely_rp_rate(&rp), rate * (1 - cut), 2);
	}
}

static void one_life(struct prng *g, bool simulator)
{
	static const rate_t lines[] = {GBPS / 10, 25 * GBPS, 400 * GBPS, 1ull << 44};
	struct timely_rp_params p = defaults(lines[prng_below(g, 4)], simulator);
	uint64_t acked = 0, sent = 0;
	struct timely_rp_cfg cfg;
	struct timely_rp rp;

	p.alpha = (double)prng_below(g, 11) / 10;
	p.beta = (double)prng_below(g, 11) / 10;
	p.min_rtt_ps = US + prng_below(g, 2) * (PS_PER_S - US);
	p.n = (unsigned)(1 + prng_below(g, 1000));
	p.delta = prng_below(g, 2) ? p.delta : 1ull << 44;
	setup(&rp, &cfg, &p);
	for (int i = 0; i < 3000; i++) {
		unsigned shift = (unsigned)prng_below(g, 64);
		rate_t before = timely_rp_rate(&rp);
		tstamp rtt = prng_u64(g) >> shift;
		enum rp_event e;

		sent += prng_below(g, 50) ? 20000 : prng_below(g, 1ull << 40);
		acked = prng_below(g, 20) ? sent : acked + prng_below(g, sent - acked + 1);
		e = timely_rp_ack(&rp, &(struct rp_ack){.acked = acked, .sent = sent, .rtt = rtt});
		assert_true(timely_rp_rate(&rp) >= p.min_rate);
		assert_true(timely_rp_rate(&rp) <= p.line_rate);
		if (e == RP_NONE)
			assert_true(timely_rp_rate(&rp) == before);
		else if (e == RP_DECREASE)
			assert_true(timely_rp_rate(&rp) <= before &&
				    rp.fell == (timely_rp_rate(&rp) < before));
		else
			assert_true(timely_rp_rate(&rp) > before);
	}
}

static void random_rtts_keep_the_rate_in_its_bounds(void **state)
{
	struct prng g;

	(void)state;
	prng_init(&g, random_seed(), "timely_rp");
	for (int i = 0; i < 200; i++)
		one_life(&g, i % 2);
}

static void values_out_of_range_are_refused(void **state)
{
	const struct timely_rp_params ok = defaults(10 * GBPS, false);
	struct timely_rp_cfg cfg;
	struct timely_rp_params p;

	(void)state;
#define REFUSED(field, value) \
	p = ok;               \
	p.field = value;      \
	assert_int_equal(timely_rp_cfg_init(&cfg, &p), -EINVAL)
	REFUSED(line_rate, (1ull << 44) + 1);
	REFUSED(min_rate, RATE_MIN - 1);
	REFUSED(min_rate, 10 * GBPS + 1);
	REFUSED(delta, (1ull << 44) + 1);
	REFUSED(n, 0);
	REFUSED(n, 1001);
	REFUSED(alpha, -0.1);
	REFUSED(alpha, 1.1);
	REFUSED(alpha, NAN);
	REFUSED(beta, 1.1);
	REFUSED(beta, NAN);
	REFUSED(t_low_ps, 500 * US + 1);
	REFUSED(t_high_ps, PS_PER_S + 1);
	REFUSED(min_rtt_ps, US - 1);
	REFUSED(min_rtt_ps, PS_PER_S + 1);
	REFUSED(segment, 0);
	REFUSED(segment, (1u << 30) + 1);
#undef REFUSED
	assert_int_equal(timely_rp_cfg_init(&cfg, &ok), 0);
	p = defaults(50 * MBPS, false);
	assert_int_equal(p.min_rate, 50 * MBPS);
	assert_int_equal(timely_rp_cfg_init(&cfg, &p), 0);
}

// The same by the verbs of every reaction point.
static void the_verbs_reach_it(void **state)
{
	struct timely_rp_params p = defaults(10 * GBPS, false);
	struct rp_cfg cfg = {.kind = RP_TIMELY};
	struct rp_look look;
	struct rp rp;
	tstamp at;

	(void)state;
	assert_int_equal(timely_rp_cfg_init(&cfg.u.timely, &p), 0);
	assert_int_equal(rp_asks(&cfg), RP_ASKS_ACK | RP_ASKS_RTT);
	assert_int_equal(rp_state_size(&cfg), 0);
	rp_init(&rp, &cfg, NULL, NULL);
	rp_start(&rp, 0);
	assert_int_equal(rp_cnp(&rp, 0), RP_NONE);
	assert_int_equal(
		rp_ack(&rp, &(struct rp_ack){.acked = SEG, .sent = SEG, .rtt = 1000 * US}, 1),
		RP_DECREASE);
	near_to((double)rp_rate(&rp), 6e9, 2);
	assert_int_equal(rp_nak(&rp, 1), RP_NONE);
	assert_int_equal(rp_window(&rp), 0);
	rp_look(&rp, 0, &look);
	assert_true(look.rc == rp_rate(&rp) && look.line == 10 * GBPS && look.window == 0);
	assert_false(look.has_alpha);
	assert_true(rp_deadline(&rp) == TSTAMP_NEVER);
	assert_int_equal(rp_expire(&rp, TSTAMP_NEVER, &at, true), RP_NONE);
	assert_int_equal(rp_sent(&rp, 1086, 3), RP_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_simulators_sender_is_followed_to_the_bit),
		cmocka_unit_test(above_t_high_the_simulator_decreases),
		cmocka_unit_test(the_simulators_steps_scale_with_the_line),
		cmocka_unit_test(below_t_low_the_rate_rises_by_delta),
		cmocka_unit_test(between_them_the_gradient_decides),
		cmocka_unit_test(above_t_high_the_rate_falls),
		cmocka_unit_test(five_flat_or_falling_rtts_in_a_row_are_hyper),
		cmocka_unit_test(a_segment_is_one_decision),
		cmocka_unit_test(the_difference_settles_at_the_slope),
		cmocka_unit_test(the_integers_are_the_papers_formulas),
		cmocka_unit_test(random_rtts_keep_the_rate_in_its_bounds),
		cmocka_unit_test(values_out_of_range_are_refused),
		cmocka_unit_test(the_verbs_reach_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
