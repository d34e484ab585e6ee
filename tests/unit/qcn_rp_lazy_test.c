// SPDX-License-Identifier: BSD-3-Clause
// Lazy timers of the QCN reaction point against a model that takes every event when it is due.
#include "algo/qcn_rp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#define US    PS_PER_US
#define NEVER TSTAMP_NEVER
#define RUNS  200
#define STEPS 400

typedef unsigned __int128 wide;

// The model counts octets up and cycles' ends down to nothing; it knows no reload values but the drawn.
struct naive {
	const struct qcn_rp_params *p;
	struct prng g;
	uint64_t rc, rt;
	uint64_t byte, time;    // stages
	uint64_t octets, cycle; // sent in this cycle, its length
	uint64_t since_cut;     // octets
	tstamp end, cut_at;     // of the timer's cycle
	bool active;
};

static struct naive naive_new(const struct qcn_rp_cfg *cfg, uint64_t seed)
{
	struct naive n = {.p = &cfg->p, .rc = cfg->p.max_rate, .rt = cfg->p.max_rate, .end = NEVER};

	prng_init(&n.g, seed, "rp");
	return n;
}

// A cycle of `full` for a counter at `stage`: halved after fast recovery, then drawn from +-r %.
static uint64_t naive_cycle(struct naive *n, uint64_t full, uint64_t stage)
{
	uint64_t both = n->byte < n->time ? n->byte : n->time, swing;
	bool half = (n->p->half_from == QCN_RP_HALF_ACTIVE ? stage : both) >= n->p->threshold;

	full = half ? full / 2 : full;
	swing = full * n->p->randomise_percent / 100;
	return swing ? full - swing + prng_below(&n->g, 2 * swing + 1) : full;
}

static enum qcn_rp_event naive_cnm(struct naive *n, unsigned q, tstamp now)
{
	bool increased = n->byte || (n->p->target_test == QCN_RP_BYTE_OR_TIME && n->time);
	uint64_t by_gd, by_fac;

	if (!q)
		return QCN_RP_NONE;
	if (!n->active || increased) {
		n->rt = n->rc;
		n->octets = 0;
		n->cycle = n->p->byte_reset;
	}
	n->active = true;
	by_gd = (1ull << n->p->gd) > q
			? (uint64_t)((wide)n->rc * ((1ull << n->p->gd) - q) / (1ull << n->p->gd))
			: 0;
	by_fac = (uint64_t)((wide)n->rc * n->p->min_dec_fac / 100);
	n->rc = by_gd > by_fac ? by_gd : by_fac;
	n->rc = n->rc > n->p->min_rate ? n->rc : n->p->min_rate;
	n->byte = n->time = n->since_cut = 0;
	n->cut_at = now;
	n->end = now + n->p->time_reset_ps;
	return QCN_RP_DECREASE;
}

// The three conventions in their own words; 0 FR, 1 AI, 2 HAI.
static int naive_phase(const struct naive *n, uint64_t byte, uint64_t time, uint64_t *i)
{
	uint64_t thr = n->p->threshold, most = byte > time ? byte : time;
	uint64_t least = byte < time ? byte : time;

	switch (n->p->fr_convention) {
	case QCN_RP_P:
		*i = least - thr;
		return most <= thr ? 0 : least > thr ? 2 : 1;
	case QCN_RP_N:
		*i = least - thr + 1;
		return most < thr ? 0 : least >= thr ? 2 : 1;
	default:
		*i = least - thr;
		return most < thr ? 0 : least > thr ? 2 : 1;
	}
}

static int naive_increase(struct naive *n, bool timer, tstamp now)
{
	uint64_t byte = n->byte, time = n->time, i;
	int phase;

	n->time += timer;
	n->byte += !timer;
	phase = n->p->fr_convention == QCN_RP_X ? naive_phase(n, byte, time, &i)
						: naive_phase(n, n->byte, n->time, &i);
	if (phase == 2 &&
		(now - n->cut_at < n->p->hai_after_ps || n->since_cut < n->p->hai_after_octets))
		phase = 1;
	if ((n->byte == 1 || n->time == 1) && n->rt > 10 * n->rc)
		n->rt /= 8;
	else
		n->rt += phase == 2 ? i * n->p->hai_rate : phase ? n->p->ai_rate : 0;
	n->rt = n->rt < n->p->max_rate ? n->rt : n->p->max_rate;
	n->rc = (n->rc + n->rt) / 2;
	if (n->rc + RATE_MBPS > n->p->max_rate) {
		n->rc = n->rt = n->p->max_rate;
		n->active = false;
		n->byte = n->time = 0;
		n->end = NEVER;
	}
	return phase;
}

static enum qcn_rp_event naive_sent(struct naive *n, uint32_t octets, tstamp now)
{
	int phase;

	if (!n->active)
		return QCN_RP_NONE;
	n->octets += octets;
	n->since_cut += octets;
	if (n->octets <= n->cycle)
		return QCN_RP_NONE;
	phase = naive_increase(n, false, now);
	n->octets = 0;
	if (n->active)
		n->cycle = naive_cycle(n, n->p->byte_reset, n->byte);
	return QCN_RP_BC_FAST_RECOVERY + (unsigned)phase;
}

static enum qcn_rp_event naive_timer(struct naive *n)
{
	tstamp at = n->end;
	int phase = naive_increase(n, true, at);

	if (n->active)
		n->end = at + naive_cycle(n, n->p->time_reset_ps, n->time);
	return QCN_RP_T_FAST_RECOVERY + (unsigned)phase;
}

static uint64_t pick(struct prng *g, const uint64_t *of, unsigned n)
{
	return of[prng_below(g, n)];
}

#define PICK(g, ...)                             \
	pick(g, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static struct qcn_rp_params random_params(struct prng *g)
{
	return (struct qcn_rp_params){
		.max_rate = PICK(g, 1, 10, 40, 100) * RATE_GBPS + prng_below(g, 2),
		.min_rate = PICK(g, RATE_MIN, 5 * RATE_MBPS, RATE_GBPS),
		.ai_rate = PICK(g, 0, 5 * RATE_MBPS, 300 * RATE_MBPS),
		.hai_rate = PICK(g, 0, 50 * RATE_MBPS, RATE_GBPS),
		.time_reset_ps = PICK(g, 2 * US, 10 * US, 55 * US, 1500 * US),
		.byte_reset = PICK(g, 700, 20000, 150000),
		.threshold = 1 + (unsigned)prng_below(g, 6),
		.gd = (unsigned)prng_below(g, 10),
		.min_dec_fac = (unsigned)PICK(g, 1, 50, 97, 100),
		.randomise_percent = (unsigned)PICK(g, 0, 15, 25),
		.fr_convention = (enum qcn_rp_convention)prng_below(g, 3),
		.half_from = (enum qcn_rp_half)prng_below(g, 2),
		.target_test = (enum qcn_rp_target)prng_below(g, 2),
		.hai_after_ps = PICK(g, 0, 0, 200 * US),
		.hai_after_octets = PICK(g, 0, 0, 50000),
	};
}

static void assert_same(const struct qcn_rp *rp, const struct naive *n)
{
	assert_int_equal(rp->rc, n->rc);
	assert_int_equal(rp->rt, n->rt);
	assert_int_equal(rp->byte_stage, n->byte);
	assert_int_equal(rp->time_stage, n->time);
	assert_int_equal(rp->active, n->active);
	assert_true(rp->time_at == n->end);
	assert_true(!n->active || (uint64_t)rp->bytes_left == n->cycle - n->octets);
}

// Lets both come to `now`; the first event is where the deadline was. Returns the number of events.
static unsigned advance(struct qcn_rp *rp, struct naive *n, tstamp now)
{
	unsigned events = 0;

	while (n->end <= now) {
		tstamp at = n->end;

		assert_true(qcn_rp_deadline(rp) == at);
		assert_int_equal(naive_timer(n), qcn_rp_expire(rp, now));
		assert_true(rp->at == at);
		assert_int_equal(rp->rc, n->rc);
		events++;
	}
	assert_int_equal(qcn_rp_expire(rp, now), QCN_RP_NONE);
	assert_true(qcn_rp_deadline(rp) > now);
	return events;
}

static tstamp random_gap(struct prng *g, const struct qcn_rp *rp, tstamp now)
{
	tstamp d = qcn_rp_deadline(rp);

	switch (prng_below(g, 8)) {
	case 0:
		return prng_below(g, 20) * US; // often just at a cycle's end
	case 1:
		return d == NEVER ? 0 : d - now;
	case 2:
		return prng_below(g, 50) ? prng_below(g, 300 * US) : prng_below(g, 10 * PS_PER_MS);
	case 3:
		return 0;
	default:
		return prng_below(g, 3 * US);
	}
}

static unsigned one_run(uint64_t seed)
{
	struct qcn_rp_params p;
	struct qcn_rp_cfg cfg;
	struct prng g, own;
	struct qcn_rp rp;
	struct naive n;
	tstamp now = 0;
	unsigned events = 0;

	prng_init(&g, seed, "qcn_rp_lazy");
	p = random_params(&g);
	assert_int_equal(qcn_rp_cfg_init(&cfg, &p), 0);
	prng_init(&own, seed, "rp");
	qcn_rp_init(&rp, &cfg, &own);
	n = naive_new(&cfg, seed);
	for (unsigned step = 0; step < STEPS; step++) {
		now += random_gap(&g, &rp, now);
		events += advance(&rp, &n, now);
		assert_same(&rp, &n);
		if (!prng_below(&g, 10)) {
			unsigned q = (unsigned)prng_below(&g, 64);

			assert_int_equal(qcn_rp_cnm(&rp, q, now), naive_cnm(&n, q, now));
		} else {
			uint32_t octets = 64 + (uint32_t)prng_below(&g, 9000);

			assert_int_equal(
				qcn_rp_sent(&rp, octets, now), naive_sent(&n, octets, now));
		}
		assert_same(&rp, &n);
	}
	return events;
}

static void lazy_timers_leave_the_same_trace(void **state)
{
	unsigned events = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		events += one_run(seed);
	}
	assert_true(events > 40 * RUNS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lazy_timers_leave_the_same_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
