// SPDX-License-Identifier: BSD-3-Clause
// Jobs in virtual time: published examples and closed forms to the ps, and where the time went in
// cases that are solved by hand.
#include "../job_lab.h"

#include <inttypes.h>

#define TAU   88480ull // ps of a frame of 1024 bytes of payload at 100 Gb/s
#define ACK   6880ull
#define DELAY 1000000ull

static char text[8192];

// From posting to the last bit of n whole frames.
static tstamp alone(uint64_t frames)
{
	return (frames + 1) * TAU + 2 * DELAY;
}

static struct job_ran run(unsigned hosts, const char *job, const char *more)
{
	job_star(text, sizeof(text), hosts, job, more);
	return job_run(text);
}

static struct job_ran run_goal(const char *file, const char *job)
{
	char options[512];

	snprintf(options, sizeof(options), "goal: %s/goal/%s%s", TEST_DATA, file, job);
	return run(4, options, "");
}

// 6 A(1024), and 5 ACKs that a send has just put in front of the next one.
static void a_ring_of_four_takes_as_long_as_published(void **state)
{
	struct job_ran r = run_goal("g1_ring.goal", ", ack_every: 1024");
	struct job_split *s = &r.rank[r.slowest].split;

	(void)state;
	assert_int_equal(job_time(&r), 6 * alone(1024) + 5 * ACK);
	assert_int_equal(job_time(&r), 556186400);
	assert_int_equal(s->part[JOB_WIRE], 6 * alone(1024));
	assert_int_equal(s->part[JOB_WAIT], 5 * ACK);
	assert_int_equal(r.messages, 24);
}

// 62 of the 64 ACKs of each step meet data.
static void frequent_acks_cost_it_what_was_published(void **state)
{
	struct job_ran r = run_goal("g1_ring.goal", "");

	(void)state;
	assert_int_equal(job_time(&r), 6 * (alone(1024) + 62 * ACK) + 5 * ACK);
	assert_int_equal(job_time(&r), 558745760);
}

static void a_gather_and_a_broadcast_take_as_long_as_published(void **state)
{
	struct job_ran r = run_goal("g2_gather_bcast.goal", "");
	const struct job_split *s = &r.rank[r.slowest].split;

	(void)state;
	assert_int_equal(job_time(&r), 150082240);
	assert_int_equal(s->part[JOB_COMPUTE], 10 * PS_PER_US);
	assert_int_equal(s->part[JOB_WIRE], 2 * alone(256));
	assert_int_equal(s->part[JOB_WAIT], 2 * 512 * TAU);
}

static void a_pipeline_takes_as_long_as_published(void **state)
{
	struct job_ran r = run_goal("g3_pipeline.goal", "");
	const struct job_split *s = &r.rank[r.slowest].split;

	(void)state;
	assert_int_equal(job_time(&r), 230241760);
	assert_int_equal(s->part[JOB_COMPUTE], 190 * PS_PER_US);
	assert_int_equal(s->part[JOB_WIRE], 3 * alone(128));
	assert_int_equal(r.calcs, (160 + 3 * 40) * PS_PER_US);
}

// Writes the pipeline of four stages with work of 20 us each.
static void put_even_pipeline(FILE *f)
{
	fprintf(f, "num_ranks 4\n");
	for (int p = 0; p < 4; p++) {
		fprintf(f, "rank %d {\n", p);
		for (int m = 0; m < 4; m++) {
			if (p)
				fprintf(f, "r%d: recv 131072b from %d tag %d\n", m, p - 1, m);
			fprintf(f, "c%d: calc 20000\n", m);
			if (p)
				fprintf(f, "c%d requires r%d\n", m, m);
			if (m)
				fprintf(f, "c%d requires c%d\n", m, m - 1);
			if (p < 3)
				fprintf(f, "s%d: send 131072b to %d tag %d\ns%d requires c%d\n", m,
					p + 1, m, m, m);
		}
		fprintf(f, "}\n");
	}
}

// A job of GOAL text.
static struct job_ran run_text(unsigned hosts, void (*put)(FILE *f), const char *job)
{
	char path[] = "/tmp/quench-goal-XXXXXX", options[256];
	struct job_ran r;
	FILE *f = fdopen(mkstemp(path), "w");

	assert_non_null(f);
	put(f);
	fclose(f);
	snprintf(options, sizeof(options), "goal: %s%s", path, job);
	r = run(hosts, options, "");
	unlink(path);
	return r;
}

static void acks_meet_data_in_a_pipeline_of_even_stages(void **state)
{
	struct job_ran r = run_text(4, put_even_pipeline, "");

	(void)state;
	assert_int_equal(job_time(&r), 180317440);
}

struct row {
	const char *job;
	tstamp (*time)(unsigned ranks, uint64_t bytes);
};

static tstamp steps(unsigned n, uint64_t bytes)
{
	return n * alone((bytes + 1023) / 1024);
}

static tstamp halves(unsigned ranks, uint64_t bytes)
{
	tstamp t = 0;

	for (unsigned n = 2; n <= ranks; n *= 2)
		t += steps(1, bytes / n);
	return t;
}

static tstamp once_around(unsigned n, uint64_t bytes)
{
	return steps(n - 1, bytes / n);
}

static tstamp twice_around(unsigned n, uint64_t bytes)
{
	return 2 * once_around(n, bytes);
}

static tstamp log_steps(unsigned n, uint64_t bytes)
{
	return steps((unsigned)__builtin_ctz(n), bytes);
}

static tstamp twice_halves(unsigned n, uint64_t bytes)
{
	return 2 * halves(n, bytes);
}

static tstamp to_each(unsigned n, uint64_t bytes)
{
	return steps(n - 1, bytes);
}

static tstamp to_all(unsigned n, uint64_t bytes)
{
	return ((n - 1) * (bytes / 1024) + 1) * TAU + 2 * DELAY;
}

// No message meets another one in these: only ACKs may be in the way, by half a percent.
static const struct row rows[] = {
	{"all_reduce, algorithm: ring", twice_around},
	{"all_reduce, algorithm: doubling", log_steps},
	{"all_reduce, algorithm: halving_doubling", twice_halves},
	{"reduce_scatter, algorithm: ring", once_around},
	{"reduce_scatter, algorithm: pairwise", once_around},
	{"reduce_scatter, algorithm: halving", halves},
	{"all_gather, algorithm: ring", once_around},
	{"all_gather, algorithm: pairwise", once_around},
	{"all_gather, algorithm: doubling", halves},
	{"all_to_all, algorithm: pairwise", to_each},
	{"broadcast, algorithm: binomial", log_steps},
};

static void judge_row(const char *job, unsigned n, tstamp formula, tstamp most)
{
	char options[256];
	struct job_ran r;

	snprintf(options, sizeof(options), "collective: %s, bytes: 4MiB, mtu: 1024", job);
	r = run(n, options, "");
	if (job_time(&r) < formula || job_time(&r) > most)
		fail_msg("%s, %u ranks: %" PRIu64 " ps, formula %" PRIu64, job, n, job_time(&r),
			formula);
}

static void collectives_take_the_time_of_their_formulas(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned n = 4; n <= 16; n *= 2) {
			tstamp formula = rows[i].time(n, 4ull << 20);

			judge_row(rows[i].job, n, formula, formula + formula / 200);
		}
}

// Beyond four ranks the receivers' turns do not fit each other.
static void an_all_to_all_at_once_takes_at_least_the_time_of_its_frames(void **state)
{
	(void)state;
	for (unsigned n = 4; n <= 16; n *= 2) {
		tstamp formula = to_all(n, 4ull << 20);

		judge_row("all_to_all, algorithm: at_once", n, formula,
			n == 4 ? formula + formula / 200 : TSTAMP_NEVER);
	}
}

static void put_circle(FILE *f)
{
	fputs("num_ranks 3\n"
	      "rank 0 {\nr: recv 8b from 1 tag 5\ns: send 8b to 1 tag 6\ns requires r\n}\n"
	      "rank 1 {\nr: recv 8b from 0 tag 6\ns: send 8b to 0 tag 5\ns requires r\n"
	      "x: send 8b to 2 tag 7\n}\n"
	      "rank 2 {\nc: calc 100\n}\n",
		f);
}

static char said[2048];

static void say(void *arg, const char *line)
{
	(void)arg;
	assert_true(strlen(said) + strlen(line) + 2 < sizeof(said));
	strcat(strcat(said, line), "\n");
}

static void a_job_that_waits_for_ever_ends_the_run_and_says_why(void **state)
{
	char path[] = "/tmp/quench-goal-XXXXXX", options[256];
	FILE *f = fdopen(mkstemp(path), "w");
	struct vt_opts o = {.record = {.no_files = true, .say = say}};
	struct report *rec;
	struct scene *s;
	struct err err;

	(void)state;
	assert_non_null(f);
	put_circle(f);
	fclose(f);
	snprintf(options, sizeof(options), "goal: %s", path);
	job_star(text, sizeof(text), 3, options, "");
	s = lab(text);
	unlink(path);
	if (vt_run(s, &o, &rec, &err))
		fail_msg("%s", err.text);
	assert_string_equal(said,
		"job j: rank 0: r waits for a message from rank 1 with tag 5, which s would send\n"
		"job j: rank 1: r waits for a message from rank 0 with tag 6, which s would send\n"
		"job j: rank 0: r again: they wait for each other\n"
		"job j: rank 2: no recv takes the message that x of rank 1 sent with tag 7\n");
	assert_string_equal(report_crash(rec),
		"job j waits for ever: 2 of its 3 ranks are not over, and nothing is on its way to "
		"them");
	assert_false(report_passed(rec));
	assert_non_null(strstr(report_text(rec), "1.000 ms simulated"));
	report_free(rec);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_of_four_takes_as_long_as_published),
		cmocka_unit_test(frequent_acks_cost_it_what_was_published),
		cmocka_unit_test(a_gather_and_a_broadcast_take_as_long_as_published),
		cmocka_unit_test(a_pipeline_takes_as_long_as_published),
		cmocka_unit_test(acks_meet_data_in_a_pipeline_of_even_stages),
		cmocka_unit_test(collectives_take_the_time_of_their_formulas),
		cmocka_unit_test(an_all_to_all_at_once_takes_at_least_the_time_of_its_frames),
		cmocka_unit_test(a_job_that_waits_for_ever_ends_the_run_and_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
