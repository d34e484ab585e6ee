// SPDX-License-Identifier: BSD-3-Clause
// Profile hpcc_sim_dcqcn of the reaction point against every event of a sender in that simulator.
#include "algo/dcqcn_rp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define VECTOR TEST_DATA "/s01_2to1_25g_mlx.rp.txt"

// One line of the vector: `t_ns event rate_bps target_bps alpha stage`, the state after the event.
struct golden {
	FILE *f;
	unsigned long long ns, rate, target;
	char event[8], alpha[16];
	unsigned stage, lines;
	bool more;
};

static void golden_next(struct golden *g)
{
	g->more = fscanf(g->f, "%llu %7s %llu %llu %15s %u", &g->ns, g->event, &g->rate, &g->target,
			  g->alpha, &g->stage) == 6;
	g->lines += g->more;
}

static bool event_matches(enum rp_event e, const char *name)
{
	switch (e) {
	case RP_START:
	case RP_CNP:
		return !strcmp(name, "CNP");
	case RP_ALPHA:
		return !strcmp(name, "ALPHA");
	case RP_DECREASE: // DECC: the target was lowered too
		return !strcmp(name, "DEC") || !strcmp(name, "DECC");
	case RP_T_FAST_RECOVERY:
		return !strcmp(name, "FR");
	case RP_T_ADDITIVE_INCREASE:
		return !strcmp(name, "AI");
	case RP_T_HYPER_INCREASE:
		return !strcmp(name, "HAI");
	default:
		return false;
	}
}

static void golden_check(struct golden *g, const struct dcqcn_rp *rp, enum rp_event e)
{
	bool increase = e >= RP_T_FAST_RECOVERY && e <= RP_T_HYPER_INCREASE;
	unsigned stage = rp->t_stage - increase; // printed before it was counted
	char alpha[32];

	snprintf(alpha, sizeof(alpha), "%.9f", ldexp((double)rp->alpha, -60));
	if (!g->more || !event_matches(e, g->event) || rp->at != g->ns * PS_PER_NS ||
		rp->rc != g->rate || rp->rt != g->target || stage != g->stage ||
		strcmp(alpha, g->alpha))
		fail_msg("line %u: %s at %llu: %llu %llu %s %u", g->lines, dcqcn_rp_event_name(e),
			(unsigned long long)rp->at, (unsigned long long)rp->rc,
			(unsigned long long)rp->rt, alpha, stage);
	golden_next(g);
}

// Every event of one sender in the reference simulator, 3 ms, to the bit/s. The engine is asked at
// CNPs only.
static void hpcc_sim_dcqcn_reproduces_the_reference_event_by_event(void **state)
{
	struct dcqcn_rp_params p;
	struct golden g = {.f = fopen(VECTOR, "r")}, cnp = {.f = fopen(VECTOR, "r")};
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;
	enum rp_event e;
	tstamp last = 0;

	(void)state;
	assert_non_null(g.f);
	assert_non_null(cnp.f);
	assert_int_equal(dcqcn_rp_profile(&p, "hpcc_sim_dcqcn", 25 * RATE_GBPS), 0);
	assert_int_equal(dcqcn_rp_cfg_init(&cfg, &p), 0);
	dcqcn_rp_init(&rp, &cfg);
	golden_next(&g);
	for (golden_next(&cnp); cnp.more; golden_next(&cnp)) {
		last = cnp.ns * PS_PER_NS;
		if (strcmp(cnp.event, "CNP"))
			continue;
		while ((e = dcqcn_rp_expire(&rp, last)) != RP_NONE)
			golden_check(&g, &rp, e);
		golden_check(&g, &rp, dcqcn_rp_cnp(&rp, last));
	}
	while ((e = dcqcn_rp_expire(&rp, last)) != RP_NONE)
		golden_check(&g, &rp, e);
	assert_false(g.more);
	assert_int_equal(g.lines, 3034);
	fclose(g.f);
	fclose(cnp.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hpcc_sim_dcqcn_reproduces_the_reference_event_by_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
