// SPDX-License-Identifier: BSD-3-Clause
// When traffic starts: queue pairs and sources that begin together are spread over a gap, and a
// range is drawn from, by the seed.
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

#define SOURCES                                                             \
	"duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS "flows:\n"       \
	"  a: {from: h1..2, to: r, open_loop: {size: 1000, rate: 1Gbps}}\n" \
	"  b: {from: h1, to: r, open_loop: {size: 64..1518, rate: 1Gbps, burst: 10}}\n"

// Wire bytes over the rate: one frame of 1020 bytes, ten of 811 in the mean.
#define GAP_A (1020 * 8 * PS_PER_NS)
#define GAP_B (10 * 811 * 8 * PS_PER_NS)

static tstamp source(const struct scene *s, unsigned i)
{
	return s->source[i]->gen.start;
}

static struct scene *lab_seed(const char *text, uint64_t seed)
{
	const struct scene_opts opts = {.seed = &seed};
	struct scene *s = NULL;

	if (lab_try(&s, text, &opts))
		fail_msg("%s", lab_err.text);
	return s;
}

// Sources begin within one gap of each, whichever hosts they have, at instants that the seed draws.
static void sources_are_spread_over_a_gap(void **state)
{
	double sum[3] = {0};

	(void)state;
	for (unsigned seed = 1; seed <= 100; seed++) {
		struct scene *s = lab_seed(SOURCES, seed);

		assert_int_equal(s->n_sources, 3);
		assert_int_not_equal(source(s, 0), source(s, 1));
		for (unsigned i = 0; i < 3; i++) {
			tstamp gap = i < 2 ? GAP_A : GAP_B;

			assert_true(source(s, i) < gap);
			sum[i] += (double)source(s, i) / (double)gap / 100;
		}
		scene_free(s);
	}
	// The mean of 100 shares of a gap: within 5 sigma.
	for (unsigned i = 0; i < 3; i++)
		assert_true(sum[i] > 0.5 - 5 * 0.0289 && sum[i] < 0.5 + 5 * 0.0289);
}

// A start that the file gives, here or for all flows, holds to the ps; a source beside these has no
// other to be in step with.
static void a_given_start_holds(void **state)
{
	struct scene *s = lab_with(SOURCES, "defaults.flows.start", "0us");

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(source(s, i), 0);
	scene_free(s);
	s = lab_with(SOURCES, "flows.a.start", "3us");
	assert_int_equal(source(s, 0), 3 * PS_PER_US);
	assert_int_equal(source(s, 1), 3 * PS_PER_US);
	assert_int_equal(source(s, 2), 0);
	scene_free(s);
	s = lab_with(SOURCES, "flows.a.start", "none");
	assert_int_equal(source(s, 0), TSTAMP_NEVER);
	scene_free(s);
}

static void the_simulator_spreads_no_sources(void **state)
{
	struct scene *s = lab_with(SOURCES, "framing", "hpcc_sim");

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(source(s, i), 0);
	scene_free(s);
}

// Each queue pair and each source has a start of its own, which another flow does not change.
static void a_range_is_drawn_from(void **state)
{
	static const char text[] = "duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
				   "defaults: {flows: {start: 5..15us}}\n"
				   "flows:\n"
				   "  a: {from: h1, to: r, qps: 2}\n"
				   "  b: {from: h2, to: r, open_loop: {size: 64, rate: 1%}}\n"
				   "  c: {from: h2, to: r, start: 7us..7us}\n";
	double sum = 0;

	(void)state;
	for (unsigned seed = 1; seed <= 100; seed++) {
		struct scene *s = lab_seed(text, seed), *again = lab_seed(text, seed);
		tstamp at[] = {s->flow[0]->req.start, s->flow[1]->req.start, source(s, 0)};

		assert_int_equal(again->flow[1]->req.start, at[1]);
		assert_int_equal(s->flow[0]->rsp.start, at[0]);
		assert_int_equal(s->flow[2]->req.start, 7 * PS_PER_US);
		assert_int_not_equal(at[0], at[1]);
		assert_int_not_equal(at[0], at[2]);
		for (unsigned i = 0; i < 3; i++) {
			assert_in_range(at[i], 5 * PS_PER_US, 15 * PS_PER_US);
			sum += (double)at[i] / (double)PS_PER_US / 300;
		}
		// Nothing begins together, so nothing is spread.
		assert_int_equal(phase(s, 0), 0);
		scene_free(again);
		scene_free(s);
	}
	assert_true(sum > 10 - 5 * 0.167 && sum < 10 + 5 * 0.167);
}

static void what_is_no_range_is_refused(void **state)
{
	(void)state;
	lab_refuse_set("flows.incast.start", "10us..5us",
		"start: 10us..5us runs backwards; write the smaller end first");
	lab_refuse_set("flows.incast.start", "1..5",
		"start: '1..5' has no unit; write a time, as in 55us, or a range, as in 0..10us, "
		"or auto, or none");
	lab_refuse_set("flows.incast.start", "0..2000000s",
		"start: 0..2000000s is out of range; it can be 0us..1000000s");
	lab_refuse_set("flows.incast.start", "-1us",
		"start: -1us is out of range; it can be 0us..1000000s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_begin_together_are_spread),
		cmocka_unit_test(it_is_the_hosts_and_the_names),
		cmocka_unit_test(the_seed_draws_them),
		cmocka_unit_test(the_simulator_has_none),
		cmocka_unit_test(sources_are_spread_over_a_gap),
		cmocka_unit_test(a_given_start_holds),
		cmocka_unit_test(the_simulator_spreads_no_sources),
		cmocka_unit_test(a_range_is_drawn_from),
		cmocka_unit_test(what_is_no_range_is_refused),
	};

	return cmocka_run_group_tests_name("scene_start", tests, NULL, NULL);
}
