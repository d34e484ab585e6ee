// SPDX-License-Identifier: BSD-3-Clause
// The QCN reaction point against the worked examples of standards.md 1.8 and 6.2, each of its
// switches, its parameters' ranges, and the MIB's defaults.
#include "defaults.h"
#include "rp/qcn_rp.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define MBPS  RATE_MBPS
#define MS    PS_PER_MS
#define LINE  (10000 * MBPS)
#define NEVER TSTAMP_NEVER

static struct prng rng;

// Parameters without randomisation, so that every cycle has its nominal length.
static struct qcn_rp_params nominal(void)
{
	struct qcn_rp_params p;

	qcn_rp_defaults(&p, LINE);
	p.randomise_percent = 0;
	return p;
}

static void setup(struct qcn_rp *rp, struct qcn_rp_cfg *cfg, const struct qcn_rp_params *p)
{
	assert_int_equal(qcn_rp_cfg_init(cfg, p), 0);
	prng_init(&rng, 1, "rp");
	qcn_rp_init(rp, cfg, &rng);
}

// A limiter that has been created, with this rate.
static void setup_at(
	struct qcn_rp *rp, struct qcn_rp_cfg *cfg, const struct qcn_rp_params *p, rate_t rc)
{
	setup(rp, cfg, p);
	qcn_rp_cnm(rp, 1, 0);
	rp->rc = rc;
}

// A limiter at 4000 / 4000 Mb/s that has been increased: the start of examples B and C.
static void setup_at_4000(struct qcn_rp *rp, struct qcn_rp_cfg *cfg, const struct qcn_rp_params *p)
{
	setup_at(rp, cfg, p, 4000 * MBPS);
	rp->rt = rp->rc;
	rp->byte_stage = 1;
}

// One cycle of the byte counter passes at once.
static enum rp_event byte_cycle(struct qcn_rp *rp, tstamp now)
{
	return qcn_rp_sent(rp, (uint32_t)rp->bytes_left + 1, now);
}

static enum rp_event time_cycle(struct qcn_rp *rp)
{
	tstamp at = qcn_rp_deadline(rp);
	enum rp_event e = qcn_rp_expire(rp, at);

	assert_true(rp->at == at);
	return e;
}

// standards.md 1.8 A: creation at line rate, five cycles of fast recovery.
static void first_cnm_creates_a_limiter_at_line_rate(void **state)
{
	static const rate_t want[] = {
		7539062500, 8769531250, 9384765625, 9692382812, 9846191406}; // whole bit/s
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	(void)state;
	setup(&rp, &cfg, &p);
	assert_int_equal(qcn_rp_rate(&rp), LINE);
	assert_true(qcn_rp_deadline(&rp) == NEVER);
	assert_int_equal(qcn_rp_sent(&rp, 1000000, 0), RP_NONE); // nothing counts yet
	assert_int_equal(qcn_rp_cnm(&rp, 0, 5 * MS), RP_NONE);   // and QntzFb 0 says nothing
	assert_false(rp.active);
	assert_int_equal(qcn_rp_cnm(&rp, 63, 5 * MS), RP_DECREASE);
	assert_true(rp.active);
	assert_int_equal(rp.created, 1);
	assert_int_equal(rp.rc, 5078125000);
	assert_int_equal(rp.rt, LINE);
	assert_int_equal(rp.bytes_left, 150000);
	assert_true(qcn_rp_deadline(&rp) == 20 * MS);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(byte_cycle(&rp, 6 * MS), RP_BC_FAST_RECOVERY);
		assert_int_equal(rp.rc, want[i]);
		assert_int_equal(rp.rt, LINE);
	}
}

// standards.md 1.8 B: fast recovery, active increase, hyper-active increase with its growing step.
static void increase_goes_through_its_three_phases(void **state)
{
	static const rate_t recovery[] = {
		3500000000, 3750000000, 3875000000, 3937500000, 3968750000};
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	(void)state;
	setup_at_4000(&rp, &cfg, &p);
	qcn_rp_cnm(&rp, 32, 1);
	assert_int_equal(rp.rc, 3000 * MBPS);
	assert_int_equal(rp.rt, 4000 * MBPS);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(byte_cycle(&rp, 2), RP_BC_FAST_RECOVERY);
		assert_int_equal(rp.rc, recovery[i]);
	}
	assert_int_equal(byte_cycle(&rp, 2), RP_BC_ADDITIVE_INCREASE);
	assert_int_equal(rp.rt, 4005 * MBPS);
	assert_int_equal(rp.rc, 3986875000);
	assert_int_equal(byte_cycle(&rp, 2), RP_BC_ADDITIVE_INCREASE);
	assert_int_equal(rp.rt, 4010 * MBPS);
	assert_int_equal(rp.rc, 3998437500);
	rp.time_stage = 5;
	assert_int_equal(time_cycle(&rp), RP_T_HYPER_INCREASE); // min = 6: i = 1
	assert_int_equal(rp.rt, 4060 * MBPS);
	assert_int_equal(rp.rc, 4029218750);
	assert_int_equal(time_cycle(&rp), RP_T_HYPER_INCREASE); // min = 7: i = 2
	assert_int_equal(rp.rt, 4160 * MBPS);
	assert_int_equal(rp.rc, 4094609375);
}

// standards.md 1.8 C, 6.2 a: the target is the rate before the cut, and only after an increase.
static void target_moves_only_after_an_increase(void **state)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	(void)state;
	setup_at_4000(&rp, &cfg, &p);
	qcn_rp_cnm(&rp, 32, 1);
	assert_int_equal(qcn_rp_sent(&rp, 50000, 2), RP_NONE);
	qcn_rp_cnm(&rp, 16, 3);
	assert_int_equal(rp.rc, 2625 * MBPS);
	assert_int_equal(rp.rt, 4000 * MBPS);
	assert_int_equal(rp.bytes_left, 100000); // the byte counter runs on: its stage was 0
	assert_int_equal(byte_cycle(&rp, 4), RP_BC_FAST_RECOVERY);
	assert_int_equal(rp.rc, 3312500000);
	assert_int_equal(rp.byte_stage, 1);
	assert_int_equal(qcn_rp_sent(&rp, 50000, 4), RP_NONE);
	qcn_rp_cnm(&rp, 63, 5);
	assert_int_equal(rp.rt, 3312500000);
	assert_int_equal(rp.rc, 1682128906); // .25
	assert_int_equal(rp.bytes_left, 150000);
	assert_int_equal(rp.byte_stage, 0);
}

// Only the timer has expired: `byte` leaves the target, `byte_or_time` moves it.
static void target_test_may_ask_the_timer_too(void **state)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	(void)state;
	for (int test = QCN_RP_BYTE; test <= QCN_RP_BYTE_OR_TIME; test++) {
		p.target_test = (enum qcn_rp_target)test;
		setup_at_4000(&rp, &cfg, &p);
		qcn_rp_cnm(&rp, 32, 1);
		assert_int_equal(time_cycle(&rp), RP_T_FAST_RECOVERY);
		assert_int_equal(qcn_rp_sent(&rp, 1000, rp.at), RP_NONE);
		qcn_rp_cnm(&rp, 1, rp.at);
		assert_int_equal(rp.rt, (test == QCN_RP_BYTE ? 4000 : 3500) * MBPS);
		assert_int_equal(rp.bytes_left, test == QCN_RP_BYTE ? 149000 : 150000);
		assert_int_equal(rp.time_stage, 0);
	}
}

// standards.md 1.8 D, E: rpgMinRate and rpgMinDecFac.
static void a_reduction_has_two_floors(void **state)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	(void)state;
	setup_at(&rp, &cfg, &p, 8 * MBPS);
	qcn_rp_cnm(&rp, 63, 1);
	assert_int_equal(rp.rc, 5 * MBPS);
	rp.rc = 8000 * MBPS;
	qcn_rp_cnm(&rp, 64, 2); // no more than six bits
	assert_int_equal(rp.rc, 4062500000);
	p.gd = 6;
	setup_at(&rp, &cfg, &p, 8000 * MBPS);
	qcn_rp_cnm(&rp, 63, 1);
	assert_int_equal(rp.rc, 4000 * MBPS);
	p.gd = 3; // QntzFb Gd over 1
	p.min_dec_fac = 10;
	setup_at(&rp, &cfg, &p, 8000 * MBPS);
	qcn_rp_cnm(&rp, 63, 1);
	assert_int_equal(rp.rc, 800 * MBPS);
}

// standards.md 1.8 F: extra fast recovery at the first cycle, where the target is over ten times
// the rate.
static void far_targets_are_brought_near(void **state)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	(void)state;
	for (int timer = 0; timer < 2; timer++) {
		setup(&rp, &cfg, &p);
		qcn_rp_cnm(&rp, 63, 0);
		rp.rt = 10000 * MBPS;
		rp.rc = 500 * MBPS;
		assert_true((timer ? time_cycle(&rp) : byte_cycle(&rp, 1)) != RP_NONE);
		assert_int_equal(rp.rt, 1250 * MBPS);
		assert_int_equal(rp.rc, 875 * MBPS);
	}
	setup(&rp, &cfg, &p);
	qcn_rp_cnm(&rp, 63, 0);
	rp.rt = 5000 * MBPS; // ten times, not more
	rp.rc = 500 * MBPS;
	byte_cycle(&rp, 1);
	assert_int_equal(rp.rt, 5000 * MBPS);
	assert_int_equal(rp.rc, 2750 * MBPS);
	rp.rc = 300 * MBPS; // and not at the second cycle
	byte_cycle(&rp, 1);
	assert_int_equal(rp.rt, 5000 * MBPS);
}

// 100 frames of 1500 bytes leave the counter at 0, which is not below 0; the 101st ends the cycle,
// and its surplus is not carried over.
static void byte_counter_expires_below_zero(void **state)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	(void)state;
	setup(&rp, &cfg, &p);
	qcn_rp_cnm(&rp, 63, 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(qcn_rp_sent(&rp, 1500, 1), RP_NONE);
	assert_int_equal(rp.bytes_left, 0);
	assert_int_equal(qcn_rp_sent(&rp, 1500, 1), RP_BC_FAST_RECOVERY);
	assert_int_equal(rp.bytes_left, 150000);
	assert_int_equal(rp.loaded - rp.bytes_left, 151500);
}

// Full cycles while the own stage is below the threshold, halves afterwards.
static void cycles_are_halved_after_fast_recovery(void **state)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	(void)state;
	setup(&rp, &cfg, &p);
	qcn_rp_cnm(&rp, 63, 0);
	rp.rc = rp.rt = 1000 * MBPS;
	for (int i = 1; i <= 7; i++) {
		assert_int_equal(byte_cycle(&rp, 1) >= RP_BC_ADDITIVE_INCREASE, i > 5);
		assert_int_equal(rp.bytes_left, i < 5 ? 150000 : 75000);
	}
	assert_true(qcn_rp_deadline(&rp) == 15 * MS); // the timer's own stage counts, not this one
	for (int i = 1; i <= 7; i++) {
		tstamp at = qcn_rp_deadline(&rp);

		time_cycle(&rp);
		assert_true(qcn_rp_deadline(&rp) - at == (i < 5 ? 15 * MS : 15 * MS / 2));
	}
	qcn_rp_cnm(&rp, 1, rp.at); // and a CNM brings both back to full
	assert_int_equal(rp.bytes_left, 150000);
	assert_true(qcn_rp_deadline(&rp) == rp.at + 15 * MS);
}

static void half_cycles_may_wait_for_both_counters(void **state)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	(void)state;
	p.half_from = QCN_RP_HALF_HYPER;
	setup(&rp, &cfg, &p);
	qcn_rp_cnm(&rp, 63, 0);
	rp.rc = rp.rt = 1000 * MBPS;
	for (int i = 1; i <= 9; i++) {
		byte_cycle(&rp, 1);
		assert_int_equal(rp.bytes_left, 150000);
	}
	rp.time_stage = 4;
	time_cycle(&rp);
	assert_true(qcn_rp_deadline(&rp) == rp.at + 15 * MS / 2);
	byte_cycle(&rp, rp.at);
	assert_int_equal(rp.bytes_left, 75000);
}

// Phases that 14 cycles of the byte counter give, the timer standing still at `other`.
static void phases(enum qcn_rp_convention c, unsigned other, char *out)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	p.fr_convention = c;
	setup(&rp, &cfg, &p);
	qcn_rp_cnm(&rp, 63, 0);
	rp.rc = rp.rt = 1000 * MBPS;
	rp.time_stage = (uint16_t)other;
	for (int i = 0; i < 14; i++)
		*out++ = "FAH"[byte_cycle(&rp, 1) - RP_BC_FAST_RECOVERY];
	*out = 0;
}

static void conventions_end_fast_recovery_where_they_say(void **state)
{
	char got[16];

	(void)state;
	phases(QCN_RP_P, 0, got);
	assert_string_equal(got, "FFFFFAAAAAAAAA");
	phases(QCN_RP_N, 0, got);
	assert_string_equal(got, "FFFFAAAAAAAAAA");
	phases(QCN_RP_X, 0, got);
	assert_string_equal(got, "FFFFFAAAAAAAAA");
	phases(QCN_RP_P, 9, got);
	assert_string_equal(got, "AAAAAHHHHHHHHH");
	phases(QCN_RP_N, 9, got);
	assert_string_equal(got, "AAAAHHHHHHHHHH");
	phases(QCN_RP_X, 9, got);
	assert_string_equal(got, "AAAAAAHHHHHHHH");
}

// The first hyper-active step of each convention is one rpgHaiRate, the second two.
static void hyper_increase_starts_with_one_step(void **state)
{
	(void)state;
	for (int c = QCN_RP_P; c <= QCN_RP_X; c++) {
		struct qcn_rp_params p = nominal();
		struct qcn_rp_cfg cfg;
		struct qcn_rp rp;
		rate_t before, after;

		p.fr_convention = (enum qcn_rp_convention)c;
		setup(&rp, &cfg, &p);
		qcn_rp_cnm(&rp, 63, 0);
		rp.rc = rp.rt = 1000 * MBPS;
		rp.time_stage = 31;
		do
			before = rp.rt;
		while (byte_cycle(&rp, 1) != RP_BC_HYPER_INCREASE);
		after = rp.rt;
		assert_int_equal(after - before, 50 * MBPS);
		byte_cycle(&rp, 1);
		assert_int_equal(rp.rt - after, 100 * MBPS);
	}
}

// standards.md 6.2 d, h: 50 ms and 500 packets, both, before hyper-active increase.
static void hyper_increase_may_be_guarded(void **state)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	(void)state;
	p.hai_after_ps = 50 * MS;
	p.hai_after_octets = 750000;
	setup(&rp, &cfg, &p);
	qcn_rp_cnm(&rp, 63, 0);
	rp.rc = rp.rt = 1000 * MBPS;
	rp.time_stage = rp.byte_stage = 6;
	while (time_cycle(&rp) == RP_T_ADDITIVE_INCREASE)
		if (rp.at >= 60 * MS)
			break;
	assert_true(rp.at == 60 * MS); // enough time, too few bytes
	for (int i = 0; i < 4; i++)
		assert_int_equal(qcn_rp_sent(&rp, 151000, rp.at), RP_BC_ADDITIVE_INCREASE);
	assert_int_equal(qcn_rp_sent(&rp, 146000, rp.at), RP_BC_HYPER_INCREASE); // 750000
	qcn_rp_cnm(&rp, 63, rp.at);
	rp.time_stage = rp.byte_stage = 6;
	for (int i = 0; i < 6; i++) // enough bytes, too little time
		assert_int_equal(qcn_rp_sent(&rp, 151000, rp.at), RP_BC_ADDITIVE_INCREASE);
	assert_int_equal(qcn_rp_sent(&rp, 151000, rp.cut_at + 14 * MS), RP_BC_ADDITIVE_INCREASE);
	while (qcn_rp_deadline(&rp) < 110 * MS)
		assert_int_equal(time_cycle(&rp), RP_T_ADDITIVE_INCREASE);
	assert_int_equal(time_cycle(&rp), RP_T_HYPER_INCREASE);
}

// At line rate again the limiter goes, and the next CNM makes a new one.
static void limiter_is_released_at_line_rate(void **state)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;
	tstamp end;

	(void)state;
	setup(&rp, &cfg, &p);
	qcn_rp_cnm(&rp, 32, 3 * MS);
	for (int i = 0; rp.active; i++) {
		assert_true(i < 100);
		assert_true(rp.rc < LINE && rp.rt == LINE);
		time_cycle(&rp);
	}
	end = rp.at;
	assert_true(end == 3 * MS + 5 * 15 * MS + 7 * 15 * MS / 2); // 2500 / 2^12 < 1 Mb/s
	assert_int_equal(qcn_rp_rate(&rp), LINE);
	assert_true(qcn_rp_deadline(&rp) == NEVER);
	assert_true(rp.active_ps == end - 3 * MS);
	assert_int_equal(qcn_rp_sent(&rp, UINT32_MAX, end), RP_NONE);
	assert_int_equal(qcn_rp_expire(&rp, end + PS_PER_S), RP_NONE);
	assert_int_equal(qcn_rp_cnm(&rp, 63, end + PS_PER_S), RP_DECREASE);
	assert_int_equal(rp.created, 2);
	assert_int_equal(rp.rt, LINE);
	assert_int_equal(rp.rc, 5078125000);
	assert_int_equal(rp.bytes_left, 150000);
}

static void line_rate_is_reached_within_a_mbps(void **state)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	(void)state;
	setup_at(&rp, &cfg, &p, LINE - 2 * MBPS);
	time_cycle(&rp);
	assert_int_equal(rp.rc, LINE - MBPS);
	assert_true(rp.active);
	time_cycle(&rp);
	assert_false(rp.active);
}

// +-15 % of each cycle that ends by itself; the cycle that a CNM starts is exact.
static void cycles_are_randomised(void **state)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;
	uint64_t seen[2] = {UINT64_MAX, 0}, times[2] = {UINT64_MAX, 0};

	(void)state;
	p.randomise_percent = 15;
	setup(&rp, &cfg, &p);
	for (tstamp i = 0; i < 2000; i++) {
		tstamp at;

		qcn_rp_cnm(&rp, 63, rp.at);
		assert_true(qcn_rp_deadline(&rp) == rp.at + 15 * MS);
		rp.bytes_left = 0;
		qcn_rp_sent(&rp, 1, rp.at);
		seen[0] = (uint64_t)rp.bytes_left < seen[0] ? (uint64_t)rp.bytes_left : seen[0];
		seen[1] = (uint64_t)rp.bytes_left > seen[1] ? (uint64_t)rp.bytes_left : seen[1];
		at = qcn_rp_deadline(&rp);
		time_cycle(&rp);
		times[0] = tstamp_min(times[0], qcn_rp_deadline(&rp) - at);
		times[1] = tstamp_max(times[1], qcn_rp_deadline(&rp) - at);
	}
	assert_in_range(seen[0], 127500, 128000);
	assert_in_range(seen[1], 172000, 172500);
	assert_true(times[0] >= 12750000000 && times[0] < 12800000000);
	assert_true(times[1] > 17200000000 && times[1] <= 17250000000);
}

static void defaults_are_the_mibs(void **state)
{
	struct qcn_rp_params p;
	struct qcn_rp_cfg cfg;

	(void)state;
	qcn_rp_defaults(&p, LINE);
	assert_int_equal(p.max_rate, LINE);
	assert_int_equal(p.min_rate, 5 * MBPS);
	assert_int_equal(p.ai_rate, 5 * MBPS);
	assert_int_equal(p.hai_rate, 50 * MBPS);
	assert_true(p.time_reset_ps == 15 * MS);
	assert_int_equal(p.byte_reset, 150000);
	assert_int_equal(p.threshold, 5);
	assert_int_equal(p.gd, 7);
	assert_int_equal(p.min_dec_fac, 50);
	assert_int_equal(p.randomise_percent, 15);
	assert_int_equal(qcn_rp_cfg_init(&cfg, &p), 0);
	qcn_rp_defaults(&p, MBPS); // a link slower than rpgMinRate
	assert_int_equal(p.min_rate, MBPS);
	assert_int_equal(qcn_rp_cfg_init(&cfg, &p), 0);
}

static void values_out_of_range_are_refused(void **state)
{
	struct qcn_rp_cfg cfg;

	(void)state;
#define REFUSED(field, value)                                         \
	do {                                                          \
		struct qcn_rp_params p = nominal();                   \
                                                                      \
		p.field = (value);                                    \
		assert_int_equal(qcn_rp_cfg_init(&cfg, &p), -EINVAL); \
	} while (0)
	REFUSED(max_rate, 1ull << 45);
	REFUSED(max_rate, 4 * MBPS);
	REFUSED(min_rate, 0);
	REFUSED(ai_rate, 1ull << 45);
	REFUSED(hai_rate, 1ull << 45);
	REFUSED(time_reset_ps, PS_PER_US - 1);
	REFUSED(time_reset_ps, 11 * PS_PER_S);
	REFUSED(byte_reset, 63);
	REFUSED(byte_reset, 1ull << 32);
	REFUSED(threshold, 0);
	REFUSED(threshold, 32);
	REFUSED(gd, 17);
	REFUSED(min_dec_fac, 0);
	REFUSED(min_dec_fac, 101);
	REFUSED(randomise_percent, 100);
	REFUSED(fr_convention, 3);
	REFUSED(half_from, 2);
	REFUSED(target_test, 2);
	REFUSED(hai_after_ps, 11 * PS_PER_S);
	REFUSED(hai_after_octets, 1ull << 32);
#undef REFUSED
}

static enum rp_event cycle(struct qcn_rp *rp, tstamp now)
{
	return qcn_rp_sent(rp, (uint32_t)rp->bytes_left + 1, now);
}

// A start below the line's rate is that of a rate limiter: it is there before any CNM.
static void a_limited_start_has_a_limiter(void **state)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	(void)state;
	p.initial_rate = 1000 * MBPS;
	assert_int_equal(qcn_rp_cfg_init(&cfg, &p), 0);
	qcn_rp_init(&rp, &cfg, NULL);
	assert_int_equal(qcn_rp_rate(&rp), 1000 * MBPS);
	assert_true(qcn_rp_deadline(&rp) == NEVER); // not begun
	qcn_rp_start(&rp, 5 * MS);
	qcn_rp_start(&rp, 6 * MS);
	assert_true(rp.active && rp.created == 1);
	assert_true(qcn_rp_deadline(&rp) == 20 * MS);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(cycle(&rp, 7 * MS), RP_BC_FAST_RECOVERY);
	assert_int_equal(rp.rc, 1000 * MBPS);
	assert_int_equal(cycle(&rp, 7 * MS), RP_BC_ADDITIVE_INCREASE);
	assert_int_equal(rp.rt, 1005 * MBPS);
	assert_int_equal(qcn_rp_cnm(&rp, 63, 8 * MS), RP_DECREASE);
	assert_int_equal(rp.rt, 1002500000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_cnm_creates_a_limiter_at_line_rate),
		cmocka_unit_test(increase_goes_through_its_three_phases),
		cmocka_unit_test(target_moves_only_after_an_increase),
		cmocka_unit_test(target_test_may_ask_the_timer_too),
		cmocka_unit_test(a_reduction_has_two_floors),
		cmocka_unit_test(far_targets_are_brought_near),
		cmocka_unit_test(byte_counter_expires_below_zero),
		cmocka_unit_test(cycles_are_halved_after_fast_recovery),
		cmocka_unit_test(half_cycles_may_wait_for_both_counters),
		cmocka_unit_test(conventions_end_fast_recovery_where_they_say),
		cmocka_unit_test(hyper_increase_starts_with_one_step),
		cmocka_unit_test(hyper_increase_may_be_guarded),
		cmocka_unit_test(limiter_is_released_at_line_rate),
		cmocka_unit_test(line_rate_is_reached_within_a_mbps),
		cmocka_unit_test(cycles_are_randomised),
		cmocka_unit_test(defaults_are_the_mibs),
		cmocka_unit_test(values_out_of_range_are_refused),
		cmocka_unit_test(a_limited_start_has_a_limiter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
