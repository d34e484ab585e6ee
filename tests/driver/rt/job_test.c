// SPDX-License-Identifier: BSD-3-Clause
// A job on the real clock, over links in memory: the same messages as in virtual time, in the same
// order at each rank, and the time of virtual time. Usage: job_test CASE.
#include <math.h>

#include "evf/evf.h"
#include "run_lab.h"
#include "vt/vt.h"

#define RANKS      4u
#define ITERATIONS 2u
#define MESSAGES   (6u * ITERATIONS) // that each rank gets

struct got {
	uint32_t from, tag, bytes;
};

struct rank_ran {
	struct got got[MESSAGES];
	unsigned n, steps;
	tstamp start, done[ITERATIONS]; // start: of the first one
	tstamp sum;                     // of the parts of its first iteration
};

struct ran {
	struct rank_ran rank[RANKS];
};

static void see(struct ran *r, const struct ev *e)
{
	struct rank_ran *k;

	if (e->type == EV_JOB_MESSAGE) {
		k = &r->rank[e->job_message.rank];
		assert_in_range(k->n, 0, MESSAGES - 1);
		k->got[k->n++] =
			(struct got){e->job_message.from, e->job_message.tag, e->job_message.bytes};
	} else if (e->type == EV_JOB_STEP) {
		k = &r->rank[e->job_step.rank];
		assert_int_equal(e->job_step.iteration, k->steps);
		assert_in_range(k->steps, 0, ITERATIONS - 1);
		k->start = k->steps ? k->start : e->job_step.start;
		k->done[k->steps++] = e->job_step.done;
	} else if (e->type == EV_JOB_PART && !e->job_part.iteration) {
		r->rank[e->job_part.rank].sum += e->job_part.ps;
	}
}

static struct ran read_events(const char *of)
{
	const struct evf_pick all = evf_pick_all();
	struct ran r = {0};
	char path[128];
	const struct ev *e;
	struct evf_in *in;
	struct err err;
	uint64_t number;
	int rc;

	snprintf(path, sizeof(path), "%s/events.bin", of);
	if (evf_open(&in, path, &err))
		fail_msg("%s", err.text);
	while ((rc = evf_next(in, &all, &e, &number, &err)) == 1)
		see(&r, e);
	assert_int_equal(rc, 0);
	evf_close_in(in);
	return r;
}

static struct ran run_virtual(const struct scene *s)
{
	char of[64];
	struct vt_opts o = {.record = {.dir = of, .force = true}};
	struct report *r;
	struct err err;

	snprintf(of, sizeof(of), "%s/virtual", dir);
	if (vt_run(s, &o, &r, &err))
		fail_msg("%s", err.text);
	report_free(r);
	return read_events(of);
}

static struct ran run_real(struct scene *s, struct rt_opts o)
{
	char of[64];

	snprintf(of, sizeof(of), "%s/real", dir);
	o.record.dir = of;
	o.record.force = true;
	report_free(real(s, o));
	return read_events(of);
}

// Whether some rank began its first iteration then, and with it a chain.
static bool is_of_a_chain(const struct ran *r, tstamp start)
{
	for (unsigned i = 0; i < RANKS; i++)
		if (r->rank[i].start == start)
			return true;
	return false;
}

// Every rank has the same messages in the same order, and its parts add up to the time of
// its chain.
static void same(const struct ran *real, const struct ran *virtual)
{
	for (unsigned i = 0; i < RANKS; i++) {
		const struct rank_ran *a = &real->rank[i], *b = &virtual->rank[i];

		assert_int_equal(a->steps, ITERATIONS);
		assert_int_equal(b->steps, ITERATIONS);
		assert_int_equal(a->n, MESSAGES);
		assert_int_equal(b->n, MESSAGES);
		assert_memory_equal(a->got, b->got, sizeof(a->got));
		assert_true(is_of_a_chain(real, a->done[0] - a->sum));
		assert_true(is_of_a_chain(virtual, b->done[0] - b->sum));
	}
}

// One lcore cannot be late for itself: the scene waits.
static void a_job_takes_as_long_on_both_clocks(void **state)
{
	struct scene *s = loaded(HERE "job.yaml", NULL, 0);
	struct ran r, v;

	(void)state;
	run_lab_folder();
	v = run_virtual(s);
	r = run_real(s, (struct rt_opts){0});
	same(&r, &v);
	for (unsigned i = 0; i < RANKS * ITERATIONS; i++) {
		double one = (double)r.rank[i % RANKS].done[i / RANKS];
		double two = (double)v.rank[i % RANKS].done[i / RANKS];

		if (fabs(one - two) > 0.1 * two)
			fail_msg("rank %u: real %.0f ps, virtual %.0f ps", i % RANKS, one, two);
	}
	scene_free(s);
	run_lab_done();
}

// Two workers take turns on one processor, so that only the messages are compared.
static void ranks_of_two_lcores_exchange_messages(void **state)
{
	const struct scene_set set[] = {{"hosts.h1.lcore", "1"}, {"hosts.h2.lcore", "2"},
		{"hosts.h3.lcore", "1"}, {"hosts.h4.lcore", "2"}, {"switches.s1.lcore", "1"},
		{"duration", "200ms"}, {"poll", "yield"}};
	struct scene *s = loaded(HERE "job.yaml", set, 7);
	char *eal[] = {(char *)"--lcores=0@0,1@0,2@0", (char *)"--main-lcore=0"};
	struct ran r, v;

	(void)state;
	run_lab_folder();
	v = run_virtual(s);
	r = run_real(s, (struct rt_opts){.eal_argc = 2, .eal_argv = eal, .dilate = 20});
	same(&r, &v);
	scene_free(s);
	run_lab_done();
}

static char said[2048];

static void say(void *arg, const char *line)
{
	(void)arg;
	assert_true(strlen(said) + strlen(line) + 2 < sizeof(said));
	strcat(strcat(said, line), "\n");
}

static void put_file(char path[64], const char *name, const char *text)
{
	FILE *f;

	snprintf(path, 64, "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

// Each of two ranks waits for the other one.
static void a_job_that_waits_for_ever_is_told_at_the_end(void **state)
{
	static const char *const want =
		"job j: rank 0: r waits for a message from rank 1 with tag 5, which s would send\n"
		"job j: rank 1: r waits for a message from rank 0 with tag 6, which s would send\n"
		"job j: rank 0: r again: they wait for each other\n";
	struct rt_opts o = {.say = say};
	char goal[64], path[64];
	struct report *r;
	struct scene *s;

	(void)state;
	run_lab_folder();
	put_file(goal, "circle.goal",
		"num_ranks 2\n"
		"rank 0 {\nr: recv 8b from 1 tag 5\ns: send 8b to 1 tag 6\ns requires r\n}\n"
		"rank 1 {\nr: recv 8b from 0 tag 6\ns: send 8b to 0 tag 5\ns requires r\n}\n");
	put_file(path, "circle.yaml",
		"duration: 1ms\nswitches: {s1: {buffer: 1MB}}\nhosts: {h1..2: {}}\n"
		"links: [{between: [h1..2, s1], rate: 10Gbps, delay: 1us}]\n"
		"jobs: {j: {ranks: h1..2, goal: circle.goal}}\n");
	s = loaded(path, NULL, 0);
	r = real(s, o);
	if (!strstr(said, want))
		fail_msg("%s", said);
	assert_string_equal(report_crash(r),
		"job j waits for ever: 2 of its 2 ranks are not over, and nothing is on its way to "
		"them");
	assert_false(report_passed(r));
	report_free(r);
	scene_free(s);
	run_lab_done();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(a_job_takes_as_long_on_both_clocks),
		cmocka_unit_test(ranks_of_two_lcores_exchange_messages),
		cmocka_unit_test(a_job_that_waits_for_ever_is_told_at_the_end),
	};

	return run_lab_main(cases, sizeof(cases) / sizeof(cases[0]), "job_test", argc, argv);
}
