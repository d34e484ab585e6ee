// SPDX-License-Identifier: BSD-3-Clause
// One object for every kind of reaction point: what each asks for, which algorithm a verb goes to,
// what has no verb, and how it stands.
#include "rp/rp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "defaults.h"
#include "rp_lab.h"
#include "../../rdma_ip_set.h"

#define US    PS_PER_US
#define LINE  (100 * RATE_GBPS)
#define STEPS 20000

static struct rdma_ip_reg_params rdma_ip(void)
{
	struct rdma_ip_reg_params p = RDMA_IP_SET;

	p.init.qp.rp.nocnp_timer_th = 300;
	p.init.qp.rp.byte_cnt_th = 100000;
	return p;
}

// The kinds that CNPs or CNMs notify; those of ACKs have tests of their own.
#define NOTIFIED (RP_RDMA_IP + 1)

static struct rp_cfg cfg_of(enum rp_kind kind)
{
	const struct rdma_ip_reg_params ip = rdma_ip();
	struct dcqcn_rp_params d;
	struct qcn_rp_params q;

	switch (kind) {
	case RP_DCQCN:
		assert_int_equal(dcqcn_rp_profile(&d, "paper", LINE), 0);
		d.byte_counter = 100000;
		return rp_of_dcqcn(&d);
	case RP_QCN:
		qcn_rp_defaults(&q, LINE);
		q.time_reset_ps = PS_PER_MS;
		return rp_of_qcn(&q);
	case RP_RDMA_IP:
		return rp_of_rdma_ip(&ip);
	default:
		return (struct rp_cfg){.kind = kind};
	}
}

// A reaction point with its memory elsewhere, and the algorithm alone, as its twin.
struct bench {
	struct rp_cfg cfg;
	struct rp rp;
	struct prng rng, twin_rng;
	struct rdma_ip_reg *reg, *twin_reg;
	void *state;
	struct dcqcn_rp dcqcn;
	struct qcn_rp qcn;
	struct rdma_ip_qp *ip;
};

static struct rdma_ip_qp *boot(struct rdma_ip_reg **reg, const struct rdma_ip_reg_params *p)
{
	assert_int_equal(rdma_ip_reg_init(reg, &p->core, 4), 0);
	assert_int_equal(rdma_ip_reg_add_qp(*reg, 1), 0);
	rdma_ip_reg_boot(*reg, 1, p, 0);
	return rdma_ip_reg_qp(*reg, 1);
}

static void set_up(struct bench *b, enum rp_kind kind)
{
	memset(b, 0, sizeof(*b));
	b->cfg = cfg_of(kind);
	prng_init(&b->rng, 1, "rp");
	b->twin_rng = b->rng;
	if (rp_state_size(&b->cfg))
		b->state = calloc(1, rp_state_size(&b->cfg));
	if (kind == RP_DCQCN)
		dcqcn_rp_init(&b->dcqcn, &b->cfg.u.dcqcn);
	if (kind == RP_QCN)
		qcn_rp_init(&b->qcn, &b->cfg.u.qcn, &b->twin_rng);
	if (kind == RP_RDMA_IP)
		b->ip = boot(&b->twin_reg, &b->cfg.u.rdma_ip);
	rp_init(&b->rp, &b->cfg, kind == RP_RDMA_IP ? boot(&b->reg, &b->cfg.u.rdma_ip) : b->state,
		&b->rng);
}

static void tear_down(struct bench *b)
{
	free(b->state);
	if (b->reg)
		rdma_ip_reg_fini(b->reg);
	if (b->twin_reg)
		rdma_ip_reg_fini(b->twin_reg);
}

static void every_event_has_a_name(void **state)
{
	static const char *const want[] = {"none", "cnp", "start", "decrease", "bc_fast_recovery",
		"bc_additive_increase", "bc_hyper_increase", "t_fast_recovery",
		"t_additive_increase", "t_hyper_increase", "alpha", "written",
		"ack_additive_increase", "ack_hyper_increase"};

	(void)state;
	assert_int_equal(sizeof(want) / sizeof(want[0]), RP_EVENTS);
	for (unsigned e = 0; e < RP_EVENTS; e++)
		assert_string_equal(rp_event_name((enum rp_event)e), want[e]);
	assert_string_equal(rp_event_name(RP_EVENTS), "?");
	assert_string_equal(rp_event_name((enum rp_event) - 1), "?");
}

static void each_kind_asks_for_what_it_takes(void **state)
{
	static const unsigned asks[RP_KINDS] = {
		[RP_DCQCN] = RP_ASKS_CNP,
		[RP_QCN] = RP_ASKS_CNM,
		[RP_RDMA_IP] = RP_ASKS_CNP,
		[RP_DCTCP] = RP_ASKS_ACK | RP_ASKS_CE,
		[RP_TIMELY] = RP_ASKS_ACK | RP_ASKS_RTT,
	};

	(void)state;
	assert_int_equal(rp_asks(NULL), 0);
	for (unsigned kind = 0; kind < NOTIFIED; kind++)
		assert_int_equal(rp_asks(&(struct rp_cfg){.kind = (enum rp_kind)kind}), asks[kind]);
	for (unsigned kind = 0; kind < NOTIFIED; kind++) {
		struct bench b;

		set_up(&b, (enum rp_kind)kind);
		assert_int_equal(b.rp.asks, asks[kind]);
		assert_int_equal(b.rp.kind, kind);
		tear_down(&b);
	}
}

static void one_kind_is_joined_and_one_has_registers(void **state)
{
	(void)state;
	assert_false(rp_is_joined(NULL));
	assert_null(rp_registers(NULL));
	for (unsigned kind = 0; kind < NOTIFIED; kind++) {
		struct bench b;

		set_up(&b, (enum rp_kind)kind);
		assert_int_equal(rp_is_joined(&b.cfg), kind == RP_QCN);
		assert_ptr_equal(
			rp_registers(&b.cfg), kind == RP_RDMA_IP ? &b.cfg.u.rdma_ip : NULL);
		assert_int_equal(rp_state_size(&b.cfg), kind == RP_QCN ? sizeof(struct qcn_rp) : 0);
		assert_ptr_equal(rp_dfx(&b.rp), kind == RP_RDMA_IP ? &b.rp.u.rdma_ip->dfx : NULL);
		tear_down(&b);
	}
}

static void the_shortest_timer_is_that_of_its_kind(void **state)
{
	struct rp_cfg none = {.kind = RP_NO_KIND}, cfg = cfg_of(RP_DCQCN);
	struct rdma_ip_rp_regs *r = &cfg.u.rdma_ip.init.qp.rp;

	(void)state;
	assert_true(rp_shortest_timer(&none) == TSTAMP_NEVER);
	cfg.u.dcqcn.p.alpha_timer_ps = 55 * US;
	cfg.u.dcqcn.p.rate_timer_ps = 40 * US;
	assert_true(rp_shortest_timer(&cfg) == 40 * US);
	cfg.u.dcqcn.p.rate_timer_ps = TSTAMP_NEVER;
	assert_true(rp_shortest_timer(&cfg) == 55 * US);
	cfg = cfg_of(RP_QCN);
	assert_true(rp_shortest_timer(&cfg) == PS_PER_MS);
	cfg = cfg_of(RP_RDMA_IP);
	assert_true(rp_shortest_timer(&cfg) == 55 * US);
	r->alpha_timer_th = 0; // 0: there is none
	assert_true(rp_shortest_timer(&cfg) == 300 * US);
	r->nocnp_timer_th = 0;
	assert_true(rp_shortest_timer(&cfg) == TSTAMP_NEVER);
}

// Without a configuration, or of no kind: nothing limits, nothing happens.
static void no_reaction_point_does_nothing(void **state)
{
	const struct rp_cfg none = {.kind = RP_NO_KIND};
	const struct rp_cfg *const cfgs[] = {NULL, &none};
	const struct rp_ack ack = {.bytes = 1, .rtt = US, .ce = true};
	struct rp_look look;
	struct rp rp;
	tstamp at;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		rp_init(&rp, cfgs[i], NULL, NULL);
		rp_start(&rp, 0);
		assert_int_equal(rp.kind, RP_NO_KIND);
		assert_int_equal(rp.asks, 0);
		assert_int_equal(rp_cnp(&rp, US), RP_NONE);
		assert_int_equal(rp_cnm(&rp, 63, US), RP_NONE);
		assert_int_equal(rp_ack(&rp, &ack, US), RP_NONE);
		assert_int_equal(rp_nak(&rp, US), RP_NONE);
		assert_int_equal(rp_sent(&rp, 1 << 30, US), RP_NONE);
		assert_int_equal(rp_expire(&rp, PS_PER_S, &at, true), RP_NONE);
		assert_true(rp_deadline(&rp) == TSTAMP_NEVER);
		assert_true(rp_rate(&rp) == UINT64_MAX);
		assert_true(rp_window(&rp) == 0);
		assert_null(rp_dfx(&rp));
		rp_look(&rp, 0, &look);
		assert_true(look.rc == 0 && look.rt == 0 && look.line == 0 && look.alpha == 0);
	}
}

// A verb that a kind has not gives RP_NONE and changes nothing: a CNP is nothing to QCN, a CNM
// nothing to the others, ACKs and NAKs nothing to any of the three.
static void what_is_not_asked_for_changes_nothing(void **state)
{
	const struct rp_ack ack = {
		.bytes = 4096, .acked = 4096, .sent = 8192, .rtt = US, .ce = true};

	(void)state;
	for (unsigned kind = RP_NO_KIND + 1; kind < NOTIFIED; kind++) {
		struct rp_look before, after;
		struct bench b;
		struct rp rp;

		set_up(&b, (enum rp_kind)kind);
		rp_start(&b.rp, 0);
		rp_look(&b.rp, US, &before);
		memcpy(&rp, &b.rp, sizeof(rp));
		if (!(b.rp.asks & RP_ASKS_CNP))
			assert_int_equal(rp_cnp(&b.rp, US), RP_NONE);
		if (!(b.rp.asks & RP_ASKS_CNM))
			assert_int_equal(rp_cnm(&b.rp, 63, US), RP_NONE);
		assert_int_equal(rp_ack(&b.rp, &ack, US), RP_NONE);
		assert_int_equal(rp_nak(&b.rp, US), RP_NONE);
		rp_look(&b.rp, US, &after);
		assert_memory_equal(&rp, &b.rp, sizeof(rp));
		assert_memory_equal(&before, &after, sizeof(before));
		assert_true(rp_deadline(&b.rp) == TSTAMP_NEVER);
		assert_true(rp_rate(&b.rp) == LINE);
		assert_true(rp_window(&b.rp) == 0);
		tear_down(&b);
	}
}

static enum rp_event twin_expire(struct bench *b, tstamp now, tstamp *at)
{
	enum rp_event e;

	if (b->cfg.kind == RP_DCQCN) {
		e = dcqcn_rp_expire(&b->dcqcn, now, at, true);
	} else if (b->cfg.kind == RP_QCN) {
		e = qcn_rp_expire(&b->qcn, now);
		*at = b->qcn.at;
	} else {
		e = rdma_ip_qp_expire(b->ip, now, at);
	}
	return e;
}

static enum rp_event twin_signal(struct bench *b, unsigned qntzfb, tstamp now)
{
	return b->cfg.kind == RP_DCQCN ? dcqcn_rp_cnp(&b->dcqcn, now)
	       : b->cfg.kind == RP_QCN ? qcn_rp_cnm(&b->qcn, qntzfb, now)
				       : rdma_ip_qp_cnp(b->ip, now);
}

static enum rp_event twin_sent(struct bench *b, uint32_t bytes, tstamp now)
{
	return b->cfg.kind == RP_DCQCN ? dcqcn_rp_sent(&b->dcqcn, bytes)
	       : b->cfg.kind == RP_QCN ? qcn_rp_sent(&b->qcn, bytes, now)
				       : rdma_ip_qp_sent(b->ip, bytes, now);
}

static void same_as_twin(const struct bench *b, tstamp now)
{
	const struct rdma_ip_rp *r = b->cfg.kind == RP_RDMA_IP ? &b->ip->rp : NULL;
	struct rp_look look;

	rp_look(&b->rp, now, &look);
	assert_true(look.line == LINE && look.window == 0 && look.rc == rp_rate(&b->rp));
	assert_int_equal(look.has_alpha, b->cfg.kind != RP_QCN);
	if (b->cfg.kind == RP_DCQCN) {
		assert_true(look.rc == b->dcqcn.rc && look.rt == b->dcqcn.rt);
		assert_true(look.alpha == dcqcn_rp_alpha(&b->dcqcn, now));
		assert_true(rp_deadline(&b->rp) == dcqcn_rp_deadline(&b->dcqcn));
	} else if (b->cfg.kind == RP_QCN) {
		assert_true(look.rc == b->qcn.rc && look.rt == b->qcn.rt && look.alpha == 0);
		assert_true(rp_deadline(&b->rp) == qcn_rp_deadline(&b->qcn));
	} else {
		assert_true(look.rc == rdma_ip_qp_rate(b->ip));
		assert_true(look.rt == rdma_ip_rp_bps_q8(r->rt, 250000000));
		assert_true(look.alpha == (uint64_t)r->alpha << 50);
		assert_true(rp_deadline(&b->rp) == rdma_ip_qp_deadline(b->ip));
	}
}

static rate_t limit_of(const struct rp *rp, tstamp now)
{
	struct rp_look look;

	rp_look(rp, now, &look);
	return look.rc;
}

// The object gives the very events, instants, rates and deadlines of the algorithm alone.
static void a_verb_is_that_of_its_algorithm(void **state)
{
	const char *given = getenv("QUENCH_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	(void)state;
	for (unsigned kind = RP_NO_KIND + 1; kind < NOTIFIED; kind++) {
		unsigned seen[RP_EVENTS] = {0};
		enum rp_event e;
		tstamp now = 0;
		struct bench b;
		struct prng g;

		print_message("QUENCH_SEED=%" PRIu64 ", kind %u\n", seed, kind);
		prng_init(&g, seed, "verbs");
		set_up(&b, (enum rp_kind)kind);
		rp_start(&b.rp, 0);
		if (kind == RP_DCQCN)
			dcqcn_rp_start(&b.dcqcn, 0);
		else if (kind == RP_QCN)
			qcn_rp_start(&b.qcn, 0);
		for (unsigned i = 0; i < STEPS; i++) {
			uint32_t bytes = 64 + prng_below(&g, 9000), what = prng_below(&g, 400);
			unsigned qntzfb = 1 + prng_below(&g, 63);
			tstamp at = 0, want_at = 0;

			now += prng_below(&g, 4 * US);
			do {
				e = rp_expire(&b.rp, now, &at, true);
				assert_int_equal(e, twin_expire(&b, now, &want_at));
				if (e != RP_NONE)
					assert_true(at == want_at);
				seen[e]++;
			} while (e != RP_NONE);
			if (what) {
				e = rp_sent(&b.rp, bytes, now);
				assert_int_equal(e, twin_sent(&b, bytes, now));
			} else {
				e = kind == RP_QCN ? rp_cnm(&b.rp, qntzfb, now)
						   : rp_cnp(&b.rp, now);
				assert_int_equal(e, twin_signal(&b, qntzfb, now));
			}
			seen[e]++;
			same_as_twin(&b, now);
		}
		assert_true(seen[RP_DECREASE] && seen[RP_BC_FAST_RECOVERY]);
		assert_true(seen[RP_T_FAST_RECOVERY] + seen[RP_T_ADDITIVE_INCREASE] +
				    seen[RP_T_HYPER_INCREASE] >
			    10);
		assert_int_equal(seen[RP_ALPHA] > 0, kind != RP_QCN);
		tear_down(&b);
	}
}

// Many signals bring the rate to its least. After that each signal is a decrease that lowers
// nothing.
static void a_decrease_at_the_least_rate_lowers_nothing(void **state)
{
	(void)state;
	for (unsigned kind = RP_NO_KIND + 1; kind < NOTIFIED; kind++) {
		unsigned n[2] = {0};
		struct bench b;

		set_up(&b, (enum rp_kind)kind);
		for (tstamp now = US; now < 200 * US; now += US) {
			rate_t before, after;
			enum rp_event e;
			tstamp at;

			while (rp_expire(&b.rp, now, &at, true) != RP_NONE)
				;
			before = limit_of(&b.rp, now);
			e = kind == RP_QCN ? rp_cnm(&b.rp, 63, now) : rp_cnp(&b.rp, now);
			after = limit_of(&b.rp, now);
			assert_true(after <= before);
			if (e != RP_DECREASE)
				continue;
			assert_int_equal(rp_fell(&b.rp), after < before);
			n[after < before]++;
		}
		assert_true(n[true] > 1 && n[false] > 1);
		tear_down(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_has_a_name),
		cmocka_unit_test(each_kind_asks_for_what_it_takes),
		cmocka_unit_test(one_kind_is_joined_and_one_has_registers),
		cmocka_unit_test(the_shortest_timer_is_that_of_its_kind),
		cmocka_unit_test(no_reaction_point_does_nothing),
		cmocka_unit_test(what_is_not_asked_for_changes_nothing),
		cmocka_unit_test(a_verb_is_that_of_its_algorithm),
		cmocka_unit_test(a_decrease_at_the_least_rate_lowers_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
