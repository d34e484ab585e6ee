// SPDX-License-Identifier: BSD-3-Clause
// Lazy timers of the RDMA IP's reaction point against a model that lives through every timer
// instant.
#include "rp/rdma_ip_rp.h"

#include "lazy.h"

#define RUNS 150

// The model: rates in 256ths, no instant is skipped, whether anything happens at it or not.
struct naive {
	struct rdma_ip_rp_core c;
	struct rdma_ip_rp_regs r;
	uint64_t rc, rt, alpha, t, bc, bytes;
	tstamp alpha_at, rate_at, period_at, last_cut; // NEVER: off
	bool counting, cut_once, flag;
	uint64_t rises; // since the last cut
};

static uint64_t naive_max(const struct naive *n)
{
	return n->r.max_rate * 256ull;
}

static void naive_settle(struct naive *n)
{
	if (n->rc == naive_max(n)) {
		n->counting = false;
		n->rate_at = NEVER;
	}
}

static tstamp naive_in(tstamp now, uint32_t us)
{
	return us ? now + us * US : NEVER;
}

static void naive_cut(struct naive *n, tstamp now)
{
	uint64_t one = 1ull << n->c.alpha_bits, alpha = n->alpha, cut, most;
	bool clamp = n->c.clamp_target == RP_CLAMP_ALWAYS ||
		     (n->c.clamp_target == RP_CLAMP_AFTER_INCREASE && n->rises) ||
		     (n->c.clamp_target == RP_CLAMP_AFTER_BYTES && n->bc);

	if (clamp)
		n->rt = n->rc;
	cut = (uint64_t)((unsigned __int128)n->rc * alpha / one / (1ull << n->r.alpha_rate_shift));
	most = n->rc * (100 - n->r.min_dec_fac) / 100;
	if (n->c.alpha_bits == 10) { // whole units
		cut = cut / 256 * 256;
		most = most / 256 * 256;
	}
	n->rc -= cut < most ? cut : most;
	if (n->rc < n->r.min_rate * 256ull)
		n->rc = n->r.min_rate * 256ull;
	alpha = (1024 - n->r.upd_alpha_g) * alpha / 1024 + n->r.upd_alpha_g * (one / 1024);
	n->alpha = alpha < one ? alpha : one - 1;
	n->t = n->bc = n->bytes = n->rises = 0;
	n->counting = true;
	n->alpha_at = naive_in(now, n->r.alpha_timer_th);
	n->rate_at = naive_in(now, n->r.nocnp_timer_th);
	naive_settle(n);
}

static int naive_phase(const struct naive *n, uint64_t t, uint64_t bc, uint64_t *i)
{
	uint64_t most = t > bc ? t : bc, least = t < bc ? t : bc;

	if (!n->r.byte_cnt_th || !n->r.nocnp_timer_th)
		least = most;
	return lazy_phase("PNX"[n->c.fr_convention], n -> r.phase_threshold, most, least, i);
}

static enum rp_event naive_increase(struct naive *n, bool timer)
{
	uint64_t old_t = n->t, old_bc = n->bc, i;
	bool old = n->c.fr_convention == RP_FR_X;
	int phase;

	*(timer ? &n->t : &n->bc) += 1;
	phase = naive_phase(n, old ? old_t : n->t, old ? old_bc : n->bc, &i);
	if (phase == 1)
		n->rt += n->r.rate_ai * 256ull;
	if (phase == 2)
		n->rt += n->r.rate_hai * 256ull * (n->c.hai_progressive ? i : 1);
	if (n->rt > naive_max(n))
		n->rt = naive_max(n);
	n->rc = n->rt - n->rc <= 1 ? n->rt : (n->rc + n->rt) / 2;
	if (n->rc + 1 == n->rt)
		n->rc = n->rt;
	n->rises++;
	naive_settle(n);
	return (timer ? RP_T_FAST_RECOVERY : RP_BC_FAST_RECOVERY) + phase;
}

// The earliest timer instant up to now; alpha, then increase, then decrease. False: none is left.
static bool naive_step(void *model, tstamp now, struct lazy_entry *e)
{
	struct naive *n = model;
	tstamp at = tstamp_min(n->alpha_at, tstamp_min(n->rate_at, n->period_at));
	uint64_t before = n->alpha;

	if (at > now)
		return false;
	e->event = RP_NONE;
	if (n->alpha_at == at) {
		n->alpha = (1024 - n->r.upd_alpha_g) * n->alpha / 1024;
		n->alpha_at += n->r.alpha_timer_th * US;
		if (n->alpha != before)
			e->event = RP_ALPHA;
	} else if (n->rate_at == at) {
		n->rate_at += n->r.nocnp_timer_th * US;
		e->event = naive_increase(n, true);
	} else {
		n->period_at += n->r.rx_cnp_merge_period * US;
		if (n->flag) {
			naive_cut(n, at);
			e->event = RP_DECREASE;
		}
		n->flag = false;
	}
	*e = (struct lazy_entry){at, e->event, n->rc, n->rt, n->alpha};
	return true;
}

static void naive_restart(struct naive *n, tstamp now)
{
	if (n->c.merged_restart && n->alpha_at != NEVER)
		n->alpha_at = naive_in(now, n->r.alpha_timer_th);
	if (n->c.merged_restart && n->rate_at != NEVER)
		n->rate_at = naive_in(now, n->r.nocnp_timer_th);
}

static enum rp_event naive_cnp(struct naive *n, tstamp now)
{
	tstamp merge = n->r.rx_cnp_merge_period * US;

	if (n->c.merge == RDMA_IP_RP_PERIOD_END && merge) {
		if (n->period_at == NEVER)
			n->period_at = now + merge;
		n->flag = true;
		naive_restart(n, now);
		return RP_CNP;
	}
	if (n->cut_once && now - n->last_cut < merge) {
		naive_restart(n, now);
		return RP_CNP;
	}
	n->cut_once = true;
	n->last_cut = now;
	naive_cut(n, now);
	return RP_DECREASE;
}

static enum rp_event naive_sent(struct naive *n, uint32_t bytes)
{
	uint64_t th = (uint64_t)n->r.byte_cnt_th * n->c.byte_unit;

	if (!n->counting || !th)
		return RP_NONE;
	n->bytes += bytes;
	if (n->bytes < th)
		return RP_NONE;
	n->bytes -= th;
	return naive_increase(n, false);
}

static void random_registers(struct prng *g, struct rdma_ip_rp_core *c, struct rdma_ip_rp_regs *r)
{
	*c = (struct rdma_ip_rp_core){
		.clock_hz = 250000000,
		.byte_unit = PICK(g, 1, 64),
		.alpha_bits = PICK(g, 10, 10, 18, 32),
		.merge = (enum rdma_ip_rp_merge)prng_below(g, 2),
		.merged_restart = prng_below(g, 2),
		.fr_convention = (enum rp_fr_convention)prng_below(g, 3),
		.clamp_target = (enum rp_clamp_target)prng_below(g, 4),
		.hai_progressive = prng_below(g, 2),
	};
	*r = (struct rdma_ip_rp_regs){
		.hw_en = 1,
		.nocnp_timer_th = PICK(g, 0, 2, 5, 55, 300),
		.byte_cnt_th = PICK(g, 0, 700, 20000, 524287),
		.alpha_timer_th = PICK(g, 0, 1, 5, 55),
		.rx_cnp_merge_period = PICK(g, 0, 4, 50),
		.max_rate = PICK(g, 20000, 51200, 65535),
		.min_rate = PICK(g, 1, 20),
		.rate_ai = PICK(g, 0, 1, 16, 1500),
		.rate_hai = PICK(g, 0, 80, 65535),
		.upd_alpha_g = PICK(g, 0, 1, 4, 64, 1023),
		.alpha_rate_shift = PICK(g, 0, 1, 1, 4),
		.phase_threshold = PICK(g, 1, 2, 5),
		.min_dec_fac = PICK(g, 0, 50, 90),
	};
}

static void same(const void *object, const void *model)
{
	const struct rdma_ip_rp *rp = object;
	const struct naive *n = model;

	assert_int_equal(rp->rc, n->rc);
	assert_int_equal(rp->rt, n->rt);
	assert_int_equal(rp->alpha, n->alpha);
	assert_int_equal(rp->t_stage, n->t);
	assert_int_equal(rp->bc_stage, n->bc);
	assert_int_equal(rdma_ip_rp_bytes(rp), n->counting ? n->bytes : 0);
	assert_true(rp->alpha_at == n->alpha_at);
	assert_true(rp->rate_at == n->rate_at);
}

static void expire(void *object, tstamp now, struct lazy_entry *e)
{
	struct rdma_ip_rp *rp = object;
	tstamp at = now;
	enum rp_event event = rdma_ip_rp_expire(rp, now, &at);

	*e = (struct lazy_entry){at, event, rp->rc, rp->rt, rp->alpha};
}

static tstamp deadline(const void *rp)
{
	return rdma_ip_rp_deadline(rp);
}

static void act(struct lazy *l, tstamp now)
{
	uint32_t bytes;

	if (!prng_below(&l->g, 6)) {
		assert_int_equal(rdma_ip_rp_cnp(l->rp, now), naive_cnp(l->model, now));
		return;
	}
	bytes = 64 + (uint32_t)prng_below(&l->g, 600);
	assert_int_equal(rdma_ip_rp_sent(l->rp, bytes), naive_sent(l->model, bytes));
}

static unsigned one_run(uint64_t seed)
{
	struct rdma_ip_rp_cfg cfg;
	struct rdma_ip_rp rp;
	struct naive n = {.alpha_at = NEVER, .rate_at = NEVER, .period_at = NEVER};
	struct lazy l = {.rp = &rp,
		.model = &n,
		.none = RP_NONE,
		.quiet = RP_ALPHA,
		.step = naive_step,
		.expire = expire,
		.deadline = deadline,
		.same = same,
		.act = act,
		.longest = 30 * PS_PER_MS};

	prng_init(&l.g, seed, "rdma_ip_rp_lazy");
	random_registers(&l.g, &n.c, &n.r);
	assert_int_equal(rdma_ip_rp_cfg_init(&cfg, &n.c, &n.r), 0);
	rdma_ip_rp_init(&rp, &cfg);
	n.rc = n.rt = naive_max(&n);
	n.alpha = (1ull << n.c.alpha_bits) - 1;
	return lazy_run(&l);
}

static void lazy_timers_leave_the_same_trace(void **state)
{
	(void)state;
	lazy_runs(one_run, RUNS, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lazy_timers_leave_the_same_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
