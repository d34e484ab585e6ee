// SPDX-License-Identifier: BSD-3-Clause
// The state that a reaction point shows, of every kind, and the instant of its next event.
#include "rp/rp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../rdma_ip_set.h"

#define US    PS_PER_US
#define LINE  (25 * RATE_GBPS)
#define STEPS 3000

// A reaction point whose CNPs cut as their merge period ends, or at once.
static struct rdma_ip_reg_params rdma_ip(bool ends)
{
	struct rdma_ip_reg_params p = rdma_ip_set(9930, 20000);

	p.core.rp.alpha_bits = 18;
	p.core.rp.merge = ends ? RDMA_IP_RP_PERIOD_END : RDMA_IP_RP_IMMEDIATE;
	p.init.qp.rp.alpha_timer_th = 50;
	return p;
}

static struct rp_cfg cfg_of(enum rp_kind kind, const char *profile)
{
	struct rp_cfg cfg = {.kind = kind};
	struct dcqcn_rp_params p;

	if (kind == RP_DCQCN) {
		assert_int_equal(dcqcn_rp_profile(&p, profile, LINE), 0);
		p.byte_counter = p.byte_counter ? 20000 : 0;
		assert_int_equal(dcqcn_rp_cfg_init(&cfg.u.dcqcn, &p), 0);
	} else if (kind == RP_QCN) {
		const struct qcn_rp_params q = {.max_rate = LINE,
			.min_rate = 10 * RATE_MBPS,
			.ai_rate = 5 * RATE_MBPS,
			.hai_rate = 50 * RATE_MBPS,
			.time_reset_ps = 100 * US,
			.byte_reset = 15000,
			.threshold = 5,
			.gd = 7,
			.min_dec_fac = 50,
			.randomise_percent = 30};

		assert_int_equal(qcn_rp_cfg_init(&cfg.u.qcn, &q), 0);
	} else if (kind == RP_RDMA_IP) {
		cfg.u.rdma_ip = rdma_ip(!strcmp(profile, "end"));
	} else if (kind == RP_DCTCP) {
		struct dctcp_rp_params d;

		dctcp_rp_defaults(&d, LINE, false);
		assert_int_equal(dctcp_rp_cfg_init(&cfg.u.dctcp, &d), 0);
	} else if (kind == RP_TIMELY) {
		struct timely_rp_params t;

		timely_rp_defaults(&t, LINE, false);
		assert_int_equal(timely_rp_cfg_init(&cfg.u.timely, &t), 0);
	}
	return cfg;
}

static const struct {
	enum rp_kind kind;
	const char *profile;
} kinds[] = {
	{RP_NO_KIND, ""},
	{RP_DCQCN, "paper"},
	{RP_DCQCN, "hpcc_sim_dcqcn"},
	{RP_DCQCN, "connectx"},
	{RP_QCN, ""},
	{RP_RDMA_IP, ""},
	{RP_RDMA_IP, "end"},
	{RP_DCTCP, ""},
	{RP_TIMELY, ""},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

// A reaction point with its memory elsewhere.
struct lab {
	struct rp_cfg cfg;
	struct rp rp;
	struct rdma_ip_reg *reg;
	struct qcn_rp qcn;
	struct prng rng;
	uint64_t acked; // bytes
};

static void lab_init(struct lab *l, unsigned k)
{
	*l = (struct lab){.cfg = cfg_of(kinds[k].kind, kinds[k].profile)};
	prng_init(&l->rng, 1, "rp");
	if (rp_registers(&l->cfg)) {
		assert_int_equal(rdma_ip_reg_init(&l->reg, &l->cfg.u.rdma_ip.core, 1), 0);
		assert_int_equal(rdma_ip_reg_add_qp(l->reg, 1), 0);
		rdma_ip_reg_boot(l->reg, 1, &l->cfg.u.rdma_ip, 0);
	}
	rp_init(&l->rp, &l->cfg, l->reg ? (void *)rdma_ip_reg_qp(l->reg, 1) : (void *)&l->qcn,
		&l->rng);
}

// Expires up to `now` at the instants that rp_next names, and at no other: each has one event at
// least, all at that instant.
static void expire_by_next(struct lab *l, tstamp now)
{
	tstamp at, next;

	while ((next = rp_next(&l->rp)) <= now) {
		assert_true(next <= rp_deadline(&l->rp));
		assert_int_equal(rp_expire(&l->rp, next - 1, &at, true), RP_NONE);
		assert_true(rp_next(&l->rp) == next);
		assert_int_not_equal(rp_expire(&l->rp, next, &at, true), RP_NONE);
		assert_true(at == next);
	}
	assert_int_equal(rp_expire(&l->rp, now, &at, true), RP_NONE);
}

static void check_rows(const struct lab *l, struct rp_state *first, unsigned n_first, tstamp now)
{
	struct rp_state row[RP_STATES_MOST];
	unsigned n = rp_states(&l->rp, row, now);

	assert_int_equal(n, n_first);
	for (unsigned i = 0; i < n; i++) {
		assert_string_equal(row[i].name, first[i].name);
		assert_int_equal(row[i].frac, first[i].frac);
		// An instant that is shown lies ahead.
		if (!strcmp(row[i].unit, "ps") && strcmp(row[i].name, "frame_at") &&
			l->rp.kind != RP_TIMELY &&
			!(l->rp.kind == RP_QCN && !strcmp(row[i].name, "cut_at")))
			assert_true(row[i].value > (int64_t)now);
		if (!strcmp(row[i].name, "deadline"))
			assert_true(row[i].value == rp_state_value(rp_deadline(&l->rp)));
		if (!strcmp(row[i].name, "rate"))
			assert_true(row[i].value == rp_state_value(rp_rate(&l->rp)));
		if (!strcmp(row[i].name, "alpha"))
			assert_true(row[i].value >= 0 && row[i].value <= 1ll << row[i].frac);
	}
}

// An ACK of some bytes, with any RTT, and CE one time in two.
static void acked(struct lab *l, struct prng *dice, tstamp now)
{
	struct rp_ack ack = {.bytes = 1 + prng_below(dice, 30000),
		.rtt = US + prng_below(dice, 600 * US),
		.ce = prng_below(dice, 2)};

	l->acked += ack.bytes;
	ack.acked = l->acked;
	ack.sent = l->acked + prng_below(dice, 60000);
	rp_ack(&l->rp, &ack, now);
}

static void rows_and_next_hold_whatever_comes(void **state)
{
	(void)state;
	for (unsigned k = 0; k < KINDS; k++) {
		struct rp_state first[RP_STATES_MOST];
		struct prng dice;
		struct lab l;
		tstamp now = 1;
		unsigned n;

		lab_init(&l, k);
		prng_init(&dice, k, "dice");
		n = rp_states(&l.rp, first, 0);
		rp_start(&l.rp, now);
		for (unsigned i = 0; i < STEPS; i++) {
			now += prng_below(&dice, i % 100 ? 40 * US : 20000 * US);
			expire_by_next(&l, now);
			check_rows(&l, first, n, now);
			if (prng_below(&dice, 4))
				rp_sent(&l.rp, 64 + prng_below(&dice, 4000), now);
			else if (l.rp.asks & RP_ASKS_ACK)
				acked(&l, &dice, now);
			else if (l.rp.kind == RP_QCN)
				rp_cnm(&l.rp, (unsigned)prng_below(&dice, 64), now);
			else
				rp_cnp(&l.rp, now);
			check_rows(&l, first, n, now);
		}
		rdma_ip_reg_fini(l.reg);
	}
}

static int64_t value_of(const struct rp *rp, const char *name, tstamp now)
{
	struct rp_state row[RP_STATES_MOST];
	unsigned n = rp_states(rp, row, now);

	for (unsigned i = 0; i < n; i++)
		if (!strcmp(row[i].name, name))
			return row[i].value;
	fail_msg("there is no %s", name);
	return 0;
}

static void names_stand_once(void **state)
{
	(void)state;
	for (unsigned k = 0; k < KINDS; k++) {
		struct rp_state row[RP_STATES_MOST];
		struct lab l;
		unsigned n;

		lab_init(&l, k);
		n = rp_states(&l.rp, row, 0);
		assert_in_range(n, 3, RP_STATES_MOST);
		for (unsigned i = 0; i < n; i++) {
			assert_true(*row[i].help);
			for (unsigned j = 0; j < i; j++)
				assert_string_not_equal(row[i].name, row[j].name);
		}
		rdma_ip_reg_fini(l.reg);
	}
}

static void what_is_off_has_no_value(void **state)
{
	struct lab l;

	(void)state;
	lab_init(&l, 1);
	assert_true(value_of(&l.rp, "deadline", 0) == RP_STATE_NONE);
	assert_true(value_of(&l.rp, "bytes_left", 0) == RP_STATE_NONE);
	assert_true(value_of(&l.rp, "window", 0) == RP_STATE_NONE);
	rp_cnp(&l.rp, 10 * US);
	assert_true(value_of(&l.rp, "deadline", 10 * US) == 65 * (int64_t)US);
	assert_int_equal(value_of(&l.rp, "bytes_left", 10 * US), 20000);
	assert_int_equal(value_of(&l.rp, "rate", 10 * US), LINE / 2);
	rp_init(&l.rp, NULL, NULL, NULL);
	assert_true(value_of(&l.rp, "rate", 0) == RP_STATE_NONE);
	assert_true(rp_next(&l.rp) == TSTAMP_NEVER);
}

// Periods of the decrease timer go by without an event; the next one is shown all the same.
static void a_period_that_runs_is_shown(void **state)
{
	struct lab l;

	(void)state;
	lab_init(&l, 2); // hpcc_sim_dcqcn: 4 us, 1 ns behind alpha's
	rp_cnp(&l.rp, 0);
	expire_by_next(&l, 9 * US);
	assert_int_equal(value_of(&l.rp, "cut_at", 9 * US), 12 * US + 1000);
	lab_init(&l, 6); // period_end, 4 us
	rp_cnp(&l.rp, 0);
	expire_by_next(&l, 9 * US);
	assert_int_equal(value_of(&l.rp, "merge_at", 9 * US), 12 * US);
	rdma_ip_reg_fini(l.reg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_next_hold_whatever_comes),
		cmocka_unit_test(names_stand_once),
		cmocka_unit_test(what_is_off_has_no_value),
		cmocka_unit_test(a_period_that_runs_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
