// SPDX-License-Identifier: BSD-3-Clause
// Lazy timers of the QCN reaction point against a model that takes every event when it is due.
#include "rp/qcn_rp.h"

#include "lazy.h"

#define RUNS 200

typedef unsigned __int128 wide;

// The model counts bytes up and cycles' ends down to nothing; it knows no reload values but the
// drawn.
struct naive {
	const struct qcn_rp_params *p;
	struct prng g;
	uint64_t rc, rt;
	uint64_t byte, time;   // stages
	uint64_t bytes, cycle; // sent in this cycle, its length
	uint64_t since_cut;    // bytes
	tstamp end, cut_at;    // of the timer's cycle
	bool active;
};

static struct naive naive_new(const struct qcn_rp_cfg *cfg, uint64_t seed)
{
	struct naive n = {
		.p = &cfg->p, .rc = cfg->initial_rate, .rt = cfg->initial_rate, .end = NEVER};

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

static enum rp_event naive_cnm(struct naive *n, unsigned q, tstamp now)
{
	bool increased = n->byte || (n->p->target_test == QCN_RP_BYTE_OR_TIME && n->time);
	uint64_t by_gd, by_fac;

	if (!q)
		return RP_NONE;
	if (!n->active || increased) {
		n->rt = n->rc;
		n->bytes = 0;
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
	return RP_DECREASE;
}

// A start below the line's rate is that of a limiter that no CNM has made.
static void naive_start(struct naive *n, tstamp now)
{
	if (n->rc == n->p->max_rate)
		return;
	n->active = true;
	n->bytes = 0;
	n->cycle = n->p->byte_reset;
	n->cut_at = now;
	n->end = now + n->p->time_reset_ps;
}

static int naive_phase(const struct naive *n, uint64_t byte, uint64_t time, uint64_t *i)
{
	return lazy_phase("PNX"[n->p->fr_convention], n -> p -> threshold,
		byte > time ? byte : time, byte < time ? byte : time, i);
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

static enum rp_event naive_sent(struct naive *n, uint32_t bytes, tstamp now)
{
	int phase;

	if (!n->active)
		return RP_NONE;
	n->bytes += bytes;
	n->since_cut += bytes;
	if (n->bytes <= n->cycle)
		return RP_NONE;
	phase = naive_increase(n, false, now);
	n->bytes = 0;
	if (n->active)
		n->cycle = naive_cycle(n, n->p->byte_reset, n->byte);
	return RP_BC_FAST_RECOVERY + (unsigned)phase;
}

// The end of the timer's cycle, if that is not after now.
static bool naive_step(void *model, tstamp now, struct lazy_entry *e)
{
	struct naive *n = model;
	tstamp at = n->end;
	int phase;

	if (at > now)
		return false;
	phase = naive_increase(n, true, at);
	if (n->active)
		n->end = at + naive_cycle(n, n->p->time_reset_ps, n->time);
	*e = (struct lazy_entry){at, (int)RP_T_FAST_RECOVERY + phase, n->rc, n->rt, 0};
	return true;
}

static struct qcn_rp_params random_params(struct prng *g)
{
	struct qcn_rp_params p = {
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

	p.initial_rate = PICK(g, 0, 0, p.min_rate, RATE_GBPS, p.max_rate - 1);
	return p;
}

static void same(const void *object, const void *model)
{
	const struct qcn_rp *rp = object;
	const struct naive *n = model;

	assert_int_equal(rp->rc, n->rc);
	assert_int_equal(rp->rt, n->rt);
	assert_int_equal(rp->byte_stage, n->byte);
	assert_int_equal(rp->time_stage, n->time);
	assert_int_equal(rp->active, n->active);
	assert_true(rp->time_at == n->end);
	assert_true(!n->active || (uint64_t)rp->bytes_left == n->cycle - n->bytes);
}

static void expire(void *object, tstamp now, struct lazy_entry *e)
{
	struct qcn_rp *rp = object;
	enum rp_event event = qcn_rp_expire(rp, now);

	*e = (struct lazy_entry){rp->at, (int)event, rp->rc, rp->rt, 0};
}

static tstamp deadline(const void *rp)
{
	return qcn_rp_deadline(rp);
}

static void act(struct lazy *l, tstamp now)
{
	uint32_t bytes;

	if (!prng_below(&l->g, 10)) {
		unsigned q = (unsigned)prng_below(&l->g, 64);

		assert_int_equal(qcn_rp_cnm(l->rp, q, now), naive_cnm(l->model, q, now));
		return;
	}
	bytes = 64 + (uint32_t)prng_below(&l->g, 9000);
	assert_int_equal(qcn_rp_sent(l->rp, bytes, now), naive_sent(l->model, bytes, now));
}

static unsigned one_run(uint64_t seed)
{
	struct qcn_rp_params p;
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;
	struct naive n;
	struct prng own;
	struct lazy l = {.rp = &rp,
		.model = &n,
		.none = RP_NONE,
		.quiet = RP_NONE,
		.step = naive_step,
		.expire = expire,
		.deadline = deadline,
		.same = same,
		.act = act,
		.longest = 10 * PS_PER_MS};

	prng_init(&l.g, seed, "qcn_rp_lazy");
	p = random_params(&l.g);
	assert_int_equal(qcn_rp_cfg_init(&cfg, &p), 0);
	prng_init(&own, seed, "rp");
	qcn_rp_init(&rp, &cfg, &own);
	n = naive_new(&cfg, seed);
	qcn_rp_start(&rp, 0);
	naive_start(&n, 0);
	return lazy_run(&l);
}

static void lazy_timers_leave_the_same_trace(void **state)
{
	(void)state;
	lazy_runs(one_run, RUNS, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lazy_timers_leave_the_same_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
