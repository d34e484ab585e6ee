// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs whose start is spread over a gap, and by how much.
#include "scene_lab.h"

#define HEAD                                                          \
	"duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS "flows:\n" \
	"  a: {from: h1, to: r, qps: 2, rate: 1Gbps}\n"               \
	"  b: {from: h1, to: r, rate: 2Gbps, start: 10us}\n"          \
	"  c: {from: h2, to: r, rate: 2Gbps, start: 10us}\n"

static uint32_t phase(const struct scene *s, unsigned flow)
{
	return s->flow[flow]->req.phase;
}

// Queue pairs of one host with one start have phases of their own; who begins alone has none.
static void those_that_begin_together_are_spread(void **state)
{
	struct scene *s = lab(HEAD);

	(void)state;
	assert_int_equal(s->n_flows, 4);
	assert_int_not_equal(phase(s, 0), 0);
	assert_int_not_equal(phase(s, 1), 0);
	assert_int_not_equal(phase(s, 0), phase(s, 1));
	assert_int_equal(phase(s, 2), 0);
	assert_int_equal(phase(s, 3), 0);
	scene_free(s);
}

// Flows may begin together, too; another flow's being there changes no phase.
static void it_is_the_hosts_and_the_names(void **state)
{
	struct scene *s = lab(HEAD), *more = lab(HEAD "  d: {from: h1, to: r, start: 10us}\n");

	(void)state;
	assert_int_equal(phase(more, 0), phase(s, 0));
	assert_int_equal(phase(more, 1), phase(s, 1));
	assert_int_not_equal(phase(more, 2), 0);
	assert_int_equal(phase(more, 3), 0);
	assert_int_not_equal(phase(more, 4), 0);
	scene_free(more);
	scene_free(s);
}

static void the_seed_draws_them(void **state)
{
	uint64_t seed = 7;
	struct scene_opts opts = {.seed = &seed};
	struct scene *s = lab(HEAD), *again = lab(HEAD), *other = NULL;

	(void)state;
	assert_int_equal(lab_try(&other, HEAD, &opts), 0);
	assert_int_equal(phase(s, 0), phase(again, 0));
	assert_int_not_equal(phase(s, 0), phase(other, 0));
	scene_free(other);
	scene_free(again);
	scene_free(s);
}

// The reference simulator starts all at once, and makes up for nothing.
static void the_simulator_has_none(void **state)
{
	struct scene *s = lab_with(HEAD, "framing", "hpcc_sim");

	(void)state;
	assert_int_equal(phase(s, 0), 0);
	assert_int_equal(s->flow[0]->req.catch_up_ps, 0);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_begin_together_are_spread),
		cmocka_unit_test(it_is_the_hosts_and_the_names),
		cmocka_unit_test(the_seed_draws_them),
		cmocka_unit_test(the_simulator_has_none),
	};

	return cmocka_run_group_tests_name("scene_phase", tests, NULL, NULL);
}
