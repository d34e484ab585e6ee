// SPDX-License-Identifier: BSD-3-Clause
// Distributions of latency: closed forms, the window, one group at several receivers, and that they
// agree with the flows' counters.
#include "record_lab.h"

#include <math.h>

#include "base/prng.h"
#include "report/int.h"
#include "summary/summary.h"

// Paths of two links at 10 Gb/s, so that a byte takes 0.8 ns on each; nobody stands in another's
// way. A message of 1000 bytes is a frame of 1074, and 24 more on the link; 50 of them from h1.
// Frames from h2 take 8 us more.
#define LAB_PATHS                                                                         \
	"duration: 2ms\n"                                                                 \
	"sample: none\n"                                                                  \
	"switches: {s1: {}}\n"                                                            \
	"hosts: {h1..2: , r, q}\n"                                                        \
	"links:\n"                                                                        \
	"  - {between: [[h1, r, q], s1], rate: 10Gbps, delay: 1us}\n"                     \
	"  - {between: [h2, s1], rate: 10Gbps, delay: 9us}\n"                             \
	"flows:\n"                                                                        \
	"  near: {from: h1, to: r, verb: write, message: 1000, count: 30, group: both}\n" \
	"  far: {from: h2, to: r, verb: write, message: 1000, count: 10, start: 500us, "  \
	"group: both}\n"                                                                  \
	"  noise: {from: h1, to: r, start: 1ms, open_loop: {size: 1000, rate: 10%}}\n"

#define NEAR_US (2 + 2 * (1074 + 24) * 0.8e-3)
#define FAR_US  (10 + 2 * (1074 + 24) * 0.8e-3)

static struct lab l;

static void run(const char *yaml, const struct scene_set *set, unsigned n)
{
	lab_open(&l, yaml);
	if (lab_run(&l, set, n, false))
		fail_msg("%s", l.err.text);
}

static double v(const char *object, const char *figure)
{
	char path[96];

	snprintf(path, sizeof(path), "%s.%s", object, figure);
	return report_value(l.rec, path);
}

static const struct rec_group *group(const char *name)
{
	const struct record *r = l.rec->rec;

	for (unsigned g = 0; g < r->n_groups; g++)
		if (!strcmp(r->group[g].name, name))
			return &r->group[g];
	fail_msg("there is no group %s", name);
	return NULL;
}

static void assert_all(const char *object, double us)
{
	static const char *const which[] = {"min", "mean", "p50", "p90", "p99", "p999", "max"};

	for (unsigned i = 0; i < sizeof(which) / sizeof(which[0]); i++) {
		char figure[32];

		snprintf(figure, sizeof(figure), "latency_%s_us", which[i]);
		assert_float_equal(v(object, figure), us, 1e-9);
	}
}

static void assert_none(const char *object)
{
	assert_true(isnan(v(object, "latency_min_us")));
	assert_true(isnan(v(object, "latency_mean_us")));
	assert_true(isnan(v(object, "latency_p50_us")));
	assert_true(isnan(v(object, "latency_max_us")));
}

// One path has one latency.
static void an_idle_path_has_one_latency(void **state)
{
	static const struct scene_set set[] = {{"flows.far.group", "other"}};

	(void)state;
	run(LAB_PATHS, set, 1);
	assert_all("group.both", NEAR_US);
	assert_all("group.other", FAR_US);
	assert_int_equal(group("both")->latency->n, 30);
	// 996 bytes without FCS
	assert_all("source.noise[h1>r]", 2 + 2 * (996 + 24) * 0.8e-3);
	lab_close(&l);
}

// Three quarters of the frames are the near one's.
static void assert_both(void)
{
	assert_int_equal(group("both")->latency->n, 40);
	assert_float_equal(v("group.both", "latency_min_us"), NEAR_US, 1e-9);
	assert_float_equal(
		v("group.both", "latency_mean_us"), 0.75 * NEAR_US + 0.25 * FAR_US, 1e-9);
	assert_float_equal(v("group.both", "latency_p50_us"), NEAR_US, 0.008 * NEAR_US);
	assert_true(v("group.both", "latency_p50_us") >= NEAR_US);
	assert_float_equal(v("group.both", "latency_p90_us"), FAR_US, 0.008 * FAR_US);
	assert_true(v("group.both", "latency_p90_us") <= FAR_US + 1e-9);
	assert_float_equal(v("group.both", "latency_max_us"), FAR_US, 1e-9);
}

static void a_group_has_the_paths_of_all_its_flows(void **state)
{
	(void)state;
	run(LAB_PATHS, NULL, 0);
	assert_both();
	lab_close(&l);
}

static void receivers_of_one_group_become_one(void **state)
{
	static const struct scene_set set[] = {{"flows.far.to", "q"}};

	(void)state;
	run(LAB_PATHS, set, 1);
	assert_true(group("both")->several);
	assert_both();
	lab_close(&l);
}

// Frames from h1 arrived before the window.
static void the_window_has_its_own(void **state)
{
	static const struct scene_set set[] = {{"warmup", "450us"}};

	(void)state;
	run(LAB_PATHS, set, 1);
	assert_int_equal(group("both")->latency->n, 10);
	assert_float_equal(v("group.both", "latency_mean_us"), FAR_US, 1e-9);
	assert_float_equal(v("group.both", "latency_min_us"), FAR_US, 0.008 * FAR_US);
	assert_float_equal(v("group.both", "latency_max_us"), FAR_US, 1e-9);
	lab_close(&l);
}

static void nothing_that_came_has_no_latency(void **state)
{
	static const struct scene_set set[] = {{"warmup", "900us"},
		{"flows.noise.open_loop.count", "1"}, {"flows.noise.start", "0us"}};

	(void)state;
	run(LAB_PATHS, set, 3);
	assert_int_equal(v("flow.far[h2>r.0]", "data_frames_rx"), 0);
	assert_none("group.both");
	assert_none("source.noise[h1>r]");
	lab_close(&l);
}

// Without a warm-up the flows' own extremes are of the same time.
static void a_queue_is_in_the_largest(void **state)
{
	static const struct scene_set set[] = {{"warmup", "0us"}};
	double max, min;

	(void)state;
	run(LAB_TWO_TO_ONE, set, 1);
	max = fmax(
		v("flow.incast[h1>r.0]", "max_latency"), v("flow.incast[h2>r.0]", "max_latency"));
	min = fmin(
		v("flow.incast[h1>r.0]", "min_latency"), v("flow.incast[h2>r.0]", "min_latency"));
	assert_float_equal(v("group.incast", "latency_max_us"), max / 1e3, 1e-9);
	assert_float_equal(v("group.incast", "latency_min_us"), min / 1e3, 1e-9);
	assert_true(v("group.incast", "latency_p50_us") > 2 * min / 1e3);
	assert_true(v("group.incast", "latency_p50_us") < v("group.incast", "latency_p999_us"));
	assert_true(v("group.incast", "latency_p999_us") <= max / 1e3);
	lab_close(&l);
}

// As many as were counted, with the same sum.
static void assert_adds_up(const struct hist *h, double frames, double sum_ns)
{
	assert_int_equal(h->n, frames);
	assert_float_equal((double)h->sum / 1e3, sum_ns, 1e-9 * sum_ns);
	assert_true(!h->n || (hist_min(h) <= h->sum / h->n && h->sum / h->n <= h->max));
}

static void assert_group(const struct record *r, unsigned g)
{
	double frames = 0, sum_ns = 0;

	for (unsigned i = 0; i < r->n_flows; i++) {
		char name[80];

		if (r->flow[i].group != g)
			continue;
		snprintf(name, sizeof(name), "flow.%s", r->flow[i].scene->name);
		if (v(name, "data_frames_rx") > 0)
			sum_ns += v(name, "data_frames_rx") * v(name, "avg_latency");
		frames += v(name, "data_frames_rx");
	}
	assert_adds_up(r->group[g].latency, frames, sum_ns);
}

static void assert_source(const struct record *r, const struct rec_source *s)
{
	char name[80];

	snprintf(name, sizeof(name), "source.%s", s->scene->name);
	if (v(name, "rx_frames") > 0)
		assert_adds_up(&r->latency[s->latency], v(name, "rx_frames"),
			v(name, "rx_frames") * v(name, "avg_latency"));
	else
		assert_int_equal(r->latency[s->latency].n, 0);
}

// Flows of one name to each of several receivers, a pooled group that ends at several too, and
// sources; a window of any length.
static void draw(struct prng *g)
{
	unsigned us = 100 + (unsigned)prng_below(g, 500);
	char yaml[1000];

	snprintf(yaml, sizeof(yaml),
		"duration: %uus\n"
		"warmup: %uus\n"
		"seed: %u\n"
		"topology: {star: {hosts: 5, rate: 25Gbps}}\n"
		"flows:\n"
		"  mesh: {from: h1..2, to: h3..5, verb: write, message: %u}\n"
		"  p1: {from: h3, to: h5, verb: write, message: 3000, group: pool}\n"
		"  p2: {from: h4, to: h1..2, qps: 3, verb: write, message: 3000, group: pool}\n"
		"  open: {from: h1..2, to: h5, open_loop: {size: 64..1500, rate: 20%%}}\n",
		us, (unsigned)prng_below(g, us), (unsigned)prng_below(g, 1000000),
		1 + (unsigned)prng_below(g, 50000));
	run(yaml, NULL, 0);
	assert_int_equal(l.rec->rec->n_groups, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_group(l.rec->rec, i);
	for (unsigned i = 0; i < l.rec->rec->n_sources; i++)
		assert_source(l.rec->rec, &l.rec->rec->source[i]);
	lab_close(&l);
}

static void they_agree_with_the_counters(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct prng g;

		printf("seed %llu\n", (unsigned long long)seed);
		prng_init(&g, seed, "latency");
		draw(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_path_has_one_latency),
		cmocka_unit_test(a_group_has_the_paths_of_all_its_flows),
		cmocka_unit_test(receivers_of_one_group_become_one),
		cmocka_unit_test(the_window_has_its_own),
		cmocka_unit_test(nothing_that_came_has_no_latency),
		cmocka_unit_test(a_queue_is_in_the_largest),
		cmocka_unit_test(they_agree_with_the_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
