// SPDX-License-Identifier: BSD-3-Clause
// Lazy timers of the reaction point against a model that lives through every timer instant.
#include "rp/dcqcn_rp.h"

#include "lazy.h"

#define RUNS   150
#define STATES 1000u

typedef unsigned __int128 wide;

// The model: no instant is skipped, whether anything happens at it or not.
struct naive {
	const struct dcqcn_rp_cfg *cfg;
	const struct dcqcn_rp_params *p;
	uint64_t g, rc, rt, alpha;
	uint64_t top, instants; // what alpha rose to last, and its timer's instants since
	uint64_t t, bc, bytes;  // bytes since the byte counter's last expiry
	tstamp alpha_at, rate_at, cut_at;
	tstamp last_cut; // the paper's reaction: memory of the merge period
	bool counting, started, flag_alpha, flag_cut;
};

static struct naive naive_new(const struct dcqcn_rp_cfg *cfg)
{
	return (struct naive){
		.cfg = cfg,
		.p = &cfg->p,
		.g = cfg->g,
		.rc = cfg->initial_rate,
		.rt = cfg->initial_rate,
		.alpha = cfg->initial_alpha,
		.top = cfg->initial_alpha,
		.alpha_at = NEVER,
		.rate_at = NEVER,
		.cut_at = NEVER,
	};
}

// A start below the line's rate: both counters run, from 0 on.
static void naive_start(struct naive *n, tstamp now)
{
	if (n->rc == n->p->line_rate)
		return;
	n->counting = true;
	n->rate_at = n->p->rate_timer_ps == NEVER ? NEVER : now + n->p->rate_timer_ps;
}

// alpha of 60 bits: a power of 1 - g from the tables times what it rose to last.
static uint64_t naive_decayed(struct naive *n)
{
	uint64_t near = n->cfg->power[++n->instants % 128], far;

	far = n->cfg->far_power[n->instants / 128];
	far = (uint64_t)((wide)near * far / ((wide)1 << 63));
	far = (uint64_t)((wide)n->top * far / ((wide)1 << 63));
	if (n->instants == 128 * 128) {
		n->top = far;
		n->instants = 0;
	}
	return far;
}

static void naive_alpha(struct naive *n, bool up)
{
	unsigned bits = n->p->alpha_bits;
	uint64_t lsb = 1ull << (60 - bits), most = (1ull << 60) - (bits == 60 ? 0 : lsb);

	if (bits == 60) {
		n->alpha = naive_decayed(n);
	} else {
		n->alpha = (uint64_t)((wide)n->alpha * ((1ull << 60) - n->g) / (1ull << 60));
		n->alpha -= n->alpha % lsb;
	}
	if (!up)
		return;
	n->alpha += n->g;
	if (n->alpha > most)
		n->alpha = most;
	n->top = n->alpha;
	n->instants = 0;
}

// A cut in the words of standards.md 4.3: the paper's, and ConnectX's in whole units.
static uint64_t naive_less(const struct naive *n)
{
	const struct dcqcn_rp_params *p = n->p;
	wide one = (wide)1 << 60, part = one << p->cut_shift;
	uint64_t left = (uint64_t)((wide)n->rc * (part - n->alpha) / part), cut, most;

	if (p->rate_unit == 1) {
		uint64_t least = n->rc * p->min_dec_fac / 100;

		return left > least ? left : least;
	}
	cut = (uint64_t)((wide)n->rc * n->alpha / part) / p->rate_unit;
	most = n->rc * (100 - p->min_dec_fac) / 100 / p->rate_unit;
	return n->rc - (cut < most ? cut : most) * p->rate_unit;
}

static void naive_cut(struct naive *n, tstamp now)
{
	bool clamp = n->p->clamp_target == RP_CLAMP_ALWAYS ||
		     (n->p->clamp_target == RP_CLAMP_AFTER_INCREASE && n->t + n->bc) ||
		     (n->p->clamp_target == RP_CLAMP_AFTER_BYTES && n->bc);

	if (clamp)
		n->rt = n->rc;
	n->rc = naive_less(n);
	if (n->rc < n->p->min_rate)
		n->rc = n->p->min_rate;
	n->t = n->bc = n->bytes = 0;
	n->counting = true;
	n->rate_at = n->p->rate_timer_ps == NEVER ? NEVER : now + n->p->rate_timer_ps;
}

static int naive_phase(const struct naive *n, uint64_t t, uint64_t bc, uint64_t *i)
{
	uint64_t most = t > bc ? t : bc, least = t < bc ? t : bc;

	if (!n->p->byte_counter || n->p->rate_timer_ps == NEVER)
		least = most;
	return lazy_phase("PNX"[n->p->fr_convention], n -> p -> f, most, least, i);
}

static uint64_t naive_more(const struct naive *n)
{
	uint64_t unit = n->p->rate_unit, half;

	if (n->p->halves_down)
		return n->rc / 2 + n->rt / 2;
	half = (n->rc + n->rt) / 2 / unit * unit;
	return half + unit >= n->rt ? n->rt : half;
}

static enum rp_event naive_increase(struct naive *n, bool timer)
{
	uint64_t old_t = n->t, old_bc = n->bc, old_rc = n->rc, i;
	bool top = n->rt == n->p->line_rate, old = n->p->fr_convention == RP_FR_X;
	int phase;

	if (timer && n->t < UINT16_MAX)
		n->t++;
	if (!timer && n->bc < UINT16_MAX)
		n->bc++;
	phase = naive_phase(n, old ? old_t : n->t, old ? old_bc : n->bc, &i);
	if (phase == 1)
		n->rt += n->p->ai_rate;
	if (phase == 2)
		n->rt += n->p->hai_rate * (n->p->hai_progressive ? i : 1);
	if (n->rt > n->p->line_rate)
		n->rt = n->p->line_rate;
	n->rc = naive_more(n);
	if (top && n->rc == old_rc)
		return RP_NONE;
	return (timer ? RP_T_FAST_RECOVERY : RP_BC_FAST_RECOVERY) + phase;
}

// The earliest timer instant up to now; alpha, then increase, then decrease. False: none is left.
static bool naive_step(void *model, tstamp now, struct lazy_entry *e)
{
	struct naive *n = model;
	tstamp at = tstamp_min(n->alpha_at, tstamp_min(n->rate_at, n->cut_at));
	uint64_t before = n->alpha;
	bool flag = n->flag_alpha;

	if (at > now)
		return false;
	e->event = RP_NONE;
	if (n->alpha_at == at) {
		naive_alpha(n, flag);
		n->flag_alpha = false;
		n->alpha_at += n->p->alpha_timer_ps;
		if (flag || n->alpha != before)
			e->event = RP_ALPHA;
	} else if (n->rate_at == at) {
		e->event = naive_increase(n, true);
		n->rate_at += n->p->rate_timer_ps;
	} else {
		if (n->flag_cut) {
			naive_cut(n, at);
			e->event = RP_DECREASE;
		}
		n->flag_cut = false;
		n->cut_at += n->p->cut_interval_ps;
	}
	*e = (struct lazy_entry){at, e->event, n->rc, n->rt, n->alpha};
	return true;
}

static enum rp_event naive_cnp_timed(struct naive *n, tstamp now)
{
	bool first = !n->started, sets = n->p->first_cnp == RP_FIRST_SETS;

	n->started = true;
	n->flag_cut = !first || !sets;
	n->flag_alpha = !first;
	if (!first)
		return RP_CNP;
	n->alpha_at = now + n->p->alpha_timer_ps;
	n->cut_at = now + n->p->cut_interval_ps + (sets ? 0 : PS_PER_NS);
	if (sets) {
		uint64_t rate = n->p->first_cnp_rate ? n->p->first_cnp_rate : n->p->line_rate;

		n->rc = n->rc < rate ? n->rc : rate;
		n->rt = n->rt < rate ? n->rt : rate;
		n->t = n->bc = n->bytes = 0;
		n->counting = true;
		n->rate_at = n->p->rate_timer_ps == NEVER ? NEVER : now + n->p->rate_timer_ps;
	}
	return RP_START;
}

static enum rp_event naive_cnp_paper(struct naive *n, tstamp now)
{
	if (n->started && now - n->last_cut < n->p->cut_interval_ps)
		return RP_CNP;
	n->started = true;
	n->last_cut = now;
	if (n->p->alpha_order == RP_ALPHA_FIRST)
		naive_alpha(n, true);
	naive_cut(n, now);
	if (n->p->alpha_order == RP_CUT_FIRST)
		naive_alpha(n, true);
	n->alpha_at = now + n->p->alpha_timer_ps;
	return RP_DECREASE;
}

static enum rp_event naive_sent(struct naive *n, uint32_t bytes)
{
	if (!n->counting || !n->p->byte_counter)
		return RP_NONE;
	n->bytes += bytes;
	if (n->bytes < n->p->byte_counter)
		return RP_NONE;
	n->bytes -= n->p->byte_counter;
	return naive_increase(n, false);
}

// Timers are multiples of few values, so that they often coincide.
static struct dcqcn_rp_params random_params(struct prng *g)
{
	static const double gain[] = {1, 0.5, 0.3, 1.0 / 16, 1.0 / 256, 0x1p-10};
	static const double alpha[] = {1, 0.77, 0.5, 0};
	struct dcqcn_rp_params p = {
		.line_rate = PICK(g, 1, 10, 25, 40, 100) * RATE_GBPS + prng_below(g, 2),
		.min_rate = PICK(g, RATE_MIN, 40 * RATE_MBPS, RATE_GBPS),
		.ai_rate = PICK(g, 0, 1, 40 * RATE_MBPS, 3 * RATE_GBPS),
		.hai_rate = PICK(g, 0, 200 * RATE_MBPS, RATE_GBPS),
		.g = gain[prng_below(g, 6)],
		.initial_alpha = alpha[prng_below(g, 4)],
		.alpha_timer_ps = PICK(g, US, 5 * US, 55 * US),
		.rate_timer_ps = PICK(g, 2 * US, 5 * US, 55 * US, 300 * US, NEVER),
		.byte_counter = PICK(g, 0, 700, 20000, 1000000),
		.f = 1 + (unsigned)prng_below(g, 6),
		.fr_convention = (enum rp_fr_convention)prng_below(g, 3),
		.hai_progressive = prng_below(g, 2),
		.alpha_order = (enum rp_alpha_order)prng_below(g, 2),
		.clamp_target = (enum rp_clamp_target)prng_below(g, 4),
		.reaction = (enum rp_reaction)prng_below(g, 2),
		.first_cnp = (enum rp_first_cnp)prng_below(g, 2),
		.first_cnp_rate = PICK(g, 0, RATE_GBPS),
		.cut_shift = (unsigned)prng_below(g, 3),
		.min_dec_fac = (unsigned)PICK(g, 0, 50, 99),
		.alpha_bits = (unsigned)PICK(g, 60, 60, 10, 18),
		.rate_unit = 1,
	};

	p.halves_down = prng_below(g, 3) == 0;
	if (!p.halves_down && prng_below(g, 2)) { // the line stays what it is: perhaps no multiple
		p.rate_unit = RATE_MBPS;
		p.min_rate = 40 * RATE_MBPS;
		p.ai_rate -= p.ai_rate % RATE_MBPS;
	}

	p.cut_interval_ps = p.reaction == RP_TIMED ? PICK(g, US, 4 * US, 50 * US)
						   : PICK(g, 0, 0, 4 * US, 50 * US);
	p.initial_rate = PICK(g, 0, 0, p.min_rate, RATE_GBPS, p.line_rate / 2);
	p.initial_rate -= p.initial_rate % p.rate_unit;
	if (p.initial_rate && p.initial_rate < p.min_rate)
		p.initial_rate = p.min_rate;
	return p;
}

// Three objects with one history. Of the first every event is asked for, of the second all but
// alpha's, and the third is caught up with.
struct objects {
	struct dcqcn_rp all, rates, cuts;
	uint64_t alphas, rates_alphas, cuts_alphas; // changes of alpha, told or counted
	tstamp now;                                 // to which they have come
	tstamp cut_at;
	unsigned cut; // not yet asked of the third
};

// The same to the bit once alpha has been brought to the same instant.
static void same_bits(const struct objects *o, const struct dcqcn_rp *other)
{
	struct dcqcn_rp rp = *other;
	tstamp at;

	assert_true(dcqcn_rp_deadline(other) == dcqcn_rp_deadline(&o->all));
	assert_true(dcqcn_rp_alpha(other, o->now) == dcqcn_rp_alpha(&o->all, 0));
	while (dcqcn_rp_expire(&rp, o->now, &at, true) != RP_NONE)
		;
	assert_memory_equal(&rp, &o->all, sizeof(rp));
}

static void same(const void *objects, const void *model)
{
	const struct objects *o = objects;
	const struct dcqcn_rp *rp = &o->all;
	const struct naive *n = model;

	assert_int_equal(rp->rc, n->rc);
	assert_int_equal(rp->rt, n->rt);
	assert_int_equal(dcqcn_rp_alpha(rp, 0), n->alpha);
	assert_int_equal(rp->t_stage, n->t);
	assert_int_equal(rp->bc_stage, n->bc);
	assert_true(rp->alpha_at == n->alpha_at);
	assert_true(rp->rate_at == n->rate_at);
	same_bits(o, &o->rates);
	same_bits(o, &o->cuts);
}

// Of all that was due by `now` only the cuts come out.
static void catch_up(struct objects *o, tstamp now)
{
	tstamp at;

	o->cuts_alphas += dcqcn_rp_alpha_moves(&o->cuts, now);
	while (dcqcn_rp_catch_up(&o->cuts, now, &at) != RP_NONE) {
		o->cuts_alphas += dcqcn_rp_alpha_moves(&o->cuts, now);
		assert_int_equal(o->cut--, 1); // never two by one CNP
		assert_true(at == o->cut_at);
	}
	assert_int_equal(o->cut, 0);
}

static void expire(void *objects, tstamp now, struct lazy_entry *e)
{
	struct objects *o = objects;
	struct dcqcn_rp *rp = &o->all;
	tstamp at = now, rate_at = now;
	enum rp_event event = dcqcn_rp_expire(rp, now, &at, true);

	o->now = now;
	*e = (struct lazy_entry){at, event, rp->rc, rp->rt, dcqcn_rp_alpha(rp, 0)};
	o->alphas += event == RP_ALPHA;
	if (event == RP_ALPHA)
		return;
	o->rates_alphas += dcqcn_rp_alpha_moves(&o->rates, now);
	assert_int_equal(dcqcn_rp_expire(&o->rates, now, &rate_at, false), event);
	assert_true(rate_at == at);
	if (event == RP_DECREASE) {
		o->cut++;
		o->cut_at = at;
	}
	if (event != RP_NONE)
		return;
	catch_up(o, now);
	assert_int_equal(o->rates_alphas, o->alphas);
	assert_int_equal(o->cuts_alphas, o->alphas);
}

static tstamp deadline(const void *objects)
{
	return dcqcn_rp_deadline(&((const struct objects *)objects)->all);
}

static void act(struct lazy *l, tstamp now)
{
	struct objects *o = l->rp;
	struct naive *n = l->model;
	uint32_t bytes;
	enum rp_event want;

	if (!prng_below(&l->g, 6)) {
		want = n->p->reaction == RP_TIMED ? naive_cnp_timed(n, now)
						  : naive_cnp_paper(n, now);
		assert_int_equal(dcqcn_rp_cnp(&o->all, now), want);
		assert_int_equal(dcqcn_rp_cnp(&o->rates, now), want);
		assert_int_equal(dcqcn_rp_cnp(&o->cuts, now), want);
		return;
	}
	bytes = 64 + (uint32_t)prng_below(&l->g, 4000);
	want = naive_sent(n, bytes);
	assert_int_equal(dcqcn_rp_sent(&o->all, bytes), want);
	assert_int_equal(dcqcn_rp_sent(&o->rates, bytes), want);
	assert_int_equal(dcqcn_rp_sent(&o->cuts, bytes), want);
}

static unsigned one_run(uint64_t seed)
{
	struct dcqcn_rp_params p;
	struct dcqcn_rp_cfg cfg;
	struct objects o = {.now = 0};
	struct naive n;
	struct lazy l = {.rp = &o,
		.model = &n,
		.none = RP_NONE,
		.quiet = RP_ALPHA,
		.step = naive_step,
		.expire = expire,
		.deadline = deadline,
		.same = same,
		.act = act,
		.longest = 30 * PS_PER_MS};

	prng_init(&l.g, seed, "dcqcn_rp_lazy");
	p = random_params(&l.g);
	assert_int_equal(dcqcn_rp_cfg_init(&cfg, &p), 0);
	dcqcn_rp_init(&o.all, &cfg);
	n = naive_new(&cfg);
	dcqcn_rp_start(&o.all, 0);
	o.rates = o.cuts = o.all;
	naive_start(&n, 0);
	return lazy_run(&l);
}

static void lazy_timers_leave_the_same_trace(void **state)
{
	(void)state;
	lazy_runs(one_run, RUNS, 100);
}

// Any state, however it came about: a stage near its width, rates at the line or a bit below it, a
// cut that is due at an instant of the others.
static struct dcqcn_rp random_state(struct prng *g, const struct dcqcn_rp_cfg *cfg)
{
	const struct dcqcn_rp_params *p = &cfg->p;
	rate_t span = p->line_rate - p->min_rate, unit = p->rate_unit;
	uint64_t few = prng_below(g, 12);
	struct dcqcn_rp rp;

	dcqcn_rp_init(&rp, cfg);
	dcqcn_rp_cnp(&rp, 0);
	rp.rt = p->line_rate -
		PICK(g, 0, few * unit % (span + 1), prng_below(g, span + 1) / unit * unit);
	rp.rc = rp.rt;
	if (rp.rt > p->min_rate)
		rp.rc = rp.rt - PICK(g, few * unit % (rp.rt - p->min_rate),
					prng_below(g, rp.rt - p->min_rate) / unit * unit);
	rp.t_stage = (uint16_t)PICK(g, few, 31, 65520 + few, prng_below(g, 65536));
	rp.bc_stage = p->byte_counter ? (uint16_t)PICK(g, few, 31, 65535, prng_below(g, 65536)) : 0;
	rp.increased = prng_below(g, 2);
	if (p->reaction == RP_TIMED) {
		rp.cnp_alpha = prng_below(g, 2);
		rp.cnp_cut = prng_below(g, 2);
		rp.cut_at = PICK(g, rp.cut_at, rp.alpha_at + few * p->alpha_timer_ps,
			tstamp_add(rp.rate_at, few * US));
		if (rp.cut_at == NEVER)
			rp.cnp_cut = false;
	}
	return rp;
}

// A result computed at once is the result of its single steps, to the bit.
static void closed_form_is_what_the_steps_lead_to(void **state)
{
	unsigned steps = 0;

	(void)state;
	print_message("seeds 1 to %u\n", STATES);
	for (uint64_t seed = 1; seed <= STATES; seed++) {
		struct prng g;
		struct dcqcn_rp_params p;
		struct dcqcn_rp_cfg cfg;
		struct objects o = {.now = 0};
		enum rp_event e;
		tstamp at;

		prng_init(&g, seed, "dcqcn_rp_closed_form");
		p = random_params(&g);
		p.ai_rate = PICK(&g, p.ai_rate, 0, 1, 2, 3) / p.rate_unit * p.rate_unit;
		p.hai_rate = PICK(&g, p.hai_rate, p.rate_unit, 2 * p.rate_unit);
		assert_int_equal(dcqcn_rp_cfg_init(&cfg, &p), 0);
		o.all = o.rates = o.cuts = random_state(&g, &cfg);
		o.now = prng_below(&g, PICK(&g, 100 * US, 10 * PS_PER_MS, 300 * PS_PER_MS));
		o.now -= o.now % PICK(&g, 1, US);
		for (; (e = dcqcn_rp_expire(&o.rates, o.now, &at, false)) != RP_NONE; steps++) {
			if (e != RP_DECREASE)
				continue;
			o.cut++;
			o.cut_at = at;
		}
		while (dcqcn_rp_expire(&o.all, o.now, &at, true) != RP_NONE)
			;
		catch_up(&o, o.now);
		same_bits(&o, &o.rates);
		same_bits(&o, &o.cuts);
	}
	assert_true(steps > 50 * STATES);
}

// 1000 s idle with a timer of 1 us: the work ends where alpha is 0.
static void idle_time_costs_nothing(void **state)
{
	struct dcqcn_rp_params p;
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp, counted;
	uint64_t moves;
	unsigned alphas = 0;
	tstamp at;

	(void)state;
	dcqcn_rp_profile(&p, "hpcc_sim_dcqcn", 25 * RATE_GBPS);
	assert_int_equal(dcqcn_rp_cfg_init(&cfg, &p), 0);
	dcqcn_rp_init(&rp, &cfg);
	dcqcn_rp_cnp(&rp, 0);
	counted = rp;
	for (enum rp_event e; (e = dcqcn_rp_expire(&rp, 1000 * PS_PER_S, &at, true)) != RP_NONE;)
		alphas += e == RP_ALPHA;
	moves = dcqcn_rp_alpha_moves(&counted, 1000 * PS_PER_S); // up to the cut
	while (dcqcn_rp_expire(&counted, 1000 * PS_PER_S, &at, false) != RP_NONE)
		;
	moves += dcqcn_rp_alpha_moves(&counted, 1000 * PS_PER_S);
	assert_int_equal(moves, alphas);
	assert_true(alphas > 9000 && alphas < 10000); // 256 (ln(2^60 / 2^8) + 1) = 9484
	assert_int_equal(rp.alpha, 0);
	assert_int_equal(rp.rc, 25 * RATE_GBPS - 1); // halves rounded down never arrive
	assert_int_equal(rp.t_stage, UINT16_MAX);
	assert_true(rp.alpha_at == 1000 * PS_PER_S + US);
	assert_true(dcqcn_rp_deadline(&rp) == NEVER);
	assert_int_equal(dcqcn_rp_cnp(&rp, 1000 * PS_PER_S), RP_CNP);
	assert_true(
		dcqcn_rp_deadline(&rp) == 1000 * PS_PER_S + PS_PER_NS); // 250 million periods on
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lazy_timers_leave_the_same_trace),
		cmocka_unit_test(closed_form_is_what_the_steps_lead_to),
		cmocka_unit_test(idle_time_costs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
